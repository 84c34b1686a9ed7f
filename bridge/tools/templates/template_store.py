"""The templates of a vault: those that came with the bridge, and the user's own in a file outside the vault.

Here, too, is how the values that are given when a template is run become those of its parameters.
"""

import math
import threading
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from functools import cache
from importlib.resources import files
from typing import Annotated, Any, Final

import orjson
from pydantic import AfterValidator, PlainSerializer, ValidationError

from bridge.contract.chains import Template, TemplateInfo, TemplateParameter
from bridge.errors import Conflict, InvalidParameters, NotFound
from bridge.records.folder import RecordFolder, RecordStore
from bridge.toolkit.references import chain_effect, parameters
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


MOST: Final = 100
"""Templates of the user's own."""
LARGEST: Final = 64 << 10
"""Bytes of one, as JSON."""


class TemplateStore:
    """The templates of one vault. Every method may be called from any thread; `save` and `remove` block.

    Args:
        folder: A folder outside the vault, for this user only.
    """

    def __init__(self, folder: RecordFolder) -> None:
        self._lock = threading.Lock()
        fault = (
            "Your templates cannot be read, so only those that came with the bridge are there ({why}). "
            "Mend or remove templates.json"
        )
        self._file = RecordStore(folder, "templates.json", list[_Own], member="templates", fault=fault)
        self._own = {template.name: template for template in self._file.load([])}

    @property
    def fault(self) -> str | None:
        """Return what is wrong with the file; None while it can be used."""
        return self._file.fault

    def all(self) -> list[TemplateInfo]:
        """Return all there are, by name."""
        found = {name: TemplateInfo(template=template, shipped=True) for name, template in shipped().items()}
        found |= {name: TemplateInfo(template=template, shipped=False) for name, template in self._own.items()}
        return [found[name] for name in sorted(found)]

    def get(self, name: str) -> Template:
        """Return the template of a name.

        Raises:
            NotFound: There is none; says which there are.
        """
        found = self._own.get(name) or shipped().get(name)
        if found is None:
            names = ", ".join(info.template.name for info in self.all())
            raise NotFound(f"There is no template {name[:64]!r}; there are: {names}")
        return found

    def save(self, template: Template, *, replace: bool = False) -> None:
        """Keep a template. One with the name of one that came with the bridge takes its place.

        Args:
            template: The template.
            replace: Whether one of the user's own with this name is overwritten.

        Raises:
            InvalidParameters: It cannot be run, or there are too many or too large ones.
            Conflict: `exists`: there is one of this name.
            ExecutionFailed: The file has a fault or cannot be written; all is as it was.
        """
        check_template(template)
        size = len(template.model_dump_json(by_alias=True, exclude_defaults=True).encode())
        if size > LARGEST:
            raise InvalidParameters(f"A template has at most {LARGEST >> 10} KiB, and this one has {size >> 10} KiB")
        with self._lock:
            if template.name in self._own and not replace:
                raise Conflict(f"There is a template {template.name!r} already", code="exists")
            if len(self._own) >= MOST and template.name not in self._own:
                raise InvalidParameters(f"{MOST} templates are kept; remove one first")
            self._keep(self._own | {template.name: template})

    def remove(self, name: str) -> bool:
        """Remove one of the user's own.

        Returns:
            Whether there is one of this name still, which came with the bridge.

        Raises:
            NotFound: The user has none of this name.
            InvalidParameters: It came with the bridge.
            ExecutionFailed: The file has a fault or cannot be written; all is as it was.
        """
        with self._lock:
            if name not in self._own:
                self.get(name)
                raise InvalidParameters(f"The template {name!r} came with the bridge and stays")
            self._keep({key: kept for key, kept in self._own.items() if key != name})
        return name in shipped()

    def _keep(self, own: dict[str, Template]) -> None:
        self._file.save([own[name] for name in sorted(own)])
        self._own = own


def parse_template(content: Any) -> Template:
    """Return a template from JSON.

    Args:
        content: The JSON value.

    Raises:
        InvalidParameters: It is none, or cannot be run.
    """
    try:
        template = Template.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise InvalidParameters(f"This is no template: {where}: {first['msg']}") from None
    check_template(template)
    return template


@cache
def shipped() -> dict[str, Template]:
    """Return the templates that come with the bridge, by name."""
    return {template.name: template for template in _shipped()}


def _shipped() -> Iterator[Template]:
    for file in sorted(files(__package__).joinpath("shipped").iterdir(), key=lambda file: file.name):
        if file.name.endswith(".json"):
            yield parse_template(orjson.loads(file.read_bytes()))


def _checked(template: Template) -> Template:
    """Return a template of the file. Raise ValueError if it cannot be run."""
    try:
        check_template(template)
    except InvalidParameters as error:
        raise ValueError(error.message) from None
    return template


_Own = Annotated[
    Template,
    AfterValidator(_checked),
    PlainSerializer(lambda template: template.model_dump(mode="json", by_alias=True, exclude_defaults=True)),
]
"""A template as the file holds it: without the members that have their defaults, as a person would write it."""
