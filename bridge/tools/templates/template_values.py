"""From what is said when a template is run to the values of its parameters, and to what it does."""

import math
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any, Final

from bridge.contract.chains import Template, TemplateParameter
from bridge.errors import InvalidParameters
from bridge.toolkit.chain import chain_effect
from bridge.toolkit.references import parameters
from bridge.toolkit.tool import ChainEffect

LONGEST_TEXT: Final = 100_000
LONGEST_LIST: Final = 1_000
_DAYS: Final = {"today": 0, "yesterday": -1, "tomorrow": 1}
_WHAT: Final = {
    "text": "a text",
    "number": "a number",
    "boolean": "true or false",
    "list": "a list of texts",
    "date": "a day, such as 2026-11-22, today or tomorrow",
}


def check_template(template: Template) -> None:
    """See that a template can be run, as far as that shows before.

    Raises:
        InvalidParameters: Two parameters have one name, a default is none, or a reference leads nowhere.
    """
    names: set[str] = set()
    for parameter in template.parameters:
        if parameter.name in names:
            raise InvalidParameters(f"Two parameters of the template are named {parameter.name!r}")
        names.add(parameter.name)
        if parameter.choices and parameter.type != "text":
            raise InvalidParameters(f"The parameter {parameter.name!r} has choices, which only a text can have")
        if parameter.default is not None:
            _value(parameter, parameter.default, date.min + timedelta(days=1))
    chain_effect(template.calls)
    for call in template.calls:
        for name in parameters([call.arguments, call.each]):
            if name not in names:
                raise InvalidParameters(
                    f"The call {call.name!r} uses the parameter {name[:100]!r}, which the template does not have"
                )


def template_effect(template: Template, values: Mapping[str, Any], today: date) -> ChainEffect:
    """Return the effect of running a template.

    Args:
        template: The template.
        values: What was said, by the parameters' names; null is nothing said.
        today: The day.

    Raises:
        InvalidParameters: A value is missing, of the wrong type, or for no parameter.
    """
    known = {parameter.name for parameter in template.parameters}
    for name in values:
        if name not in known:
            there = ", ".join(known) or "none"
            raise InvalidParameters(
                f"The template {template.name!r} has no parameter {name[:100]!r}; its parameters are: {there}"
            )
    said = {parameter.name: _said(template, parameter, values, today) for parameter in template.parameters}
    return chain_effect(template.calls, f"Run the template '{template.title}'", said)


def _said(template: Template, parameter: TemplateParameter, values: Mapping[str, Any], today: date) -> Any:
    value = values.get(parameter.name)
    if value is None:
        value = parameter.default
    if value is None:
        if not parameter.optional:
            raise InvalidParameters(
                f"The template {template.name!r} needs {parameter.name!r}: {_WHAT[parameter.type]}"
                + (f". {parameter.description}" if parameter.description else "")
            )
        return None
    return _value(parameter, value, today)


def _value(parameter: TemplateParameter, value: Any, today: date) -> Any:
    """Return a value as the calls get it."""
    match parameter.type:
        case "text" if isinstance(value, str) and len(value) <= LONGEST_TEXT:
            if parameter.choices and value not in parameter.choices:
                raise InvalidParameters(f"{parameter.name!r} must be one of: {', '.join(parameter.choices)}")
            return value
        case "number" if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            return value
        case "boolean" if isinstance(value, bool):
            return value
        case "list" if isinstance(value, list) and len(value) <= LONGEST_LIST:
            if all(isinstance(item, str) and len(item) <= LONGEST_TEXT for item in value):
                return value
        case "date" if isinstance(value, str) and (day := _day(value, today)) is not None:
            return day
    raise InvalidParameters(f"{parameter.name!r} must be {_WHAT[parameter.type]}")


def _day(text: str, today: date) -> str | None:
    word = text.strip().lower()
    if word in _DAYS:
        return (today + timedelta(days=_DAYS[word])).isoformat()
    try:
        return date.fromisoformat(word).isoformat()
    except ValueError:
        return None
