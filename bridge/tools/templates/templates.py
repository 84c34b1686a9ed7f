"""Several calls as one: the tool `chain`, and the tool `templates` for the chains that the user keeps.

Some templates came with the bridge, and the user's own are in a file outside the vault. When one is run, the values
that are given become those of its parameters.
"""

import math
import threading
from collections.abc import Mapping
from datetime import date, timedelta
from functools import cache, partial
from importlib.resources import files
from typing import Annotated, Any, Final, Literal, Self

import orjson
from pydantic import AfterValidator, Field, PlainSerializer, ValidationError, model_validator

from bridge.clock import Clock
from bridge.contract.base import Params
from bridge.contract.chains import ChainParams, Template, TemplateInfo, TemplateParameter
from bridge.contract.consent import ConsentClass, ConsentMode, Operation, RiskLevel
from bridge.errors import Conflict, InvalidParameters, NotFound
from bridge.records.folder import RecordFolder, RecordStore
from bridge.toolkit.parameters import ModelParameters
from bridge.toolkit.references import chain_effect, parameters
from bridge.toolkit.tool import (
    AGENT,
    VAULT,
    CallContext,
    ChainEffect,
    Output,
    ReadEffect,
    ReadTool,
    ToolSpec,
    WriteTool,
)
from bridge.vault.plan import Applied

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

    Attributes:
        file: The file of the user's own.
    """

    def __init__(self, folder: RecordFolder) -> None:
        self._lock = threading.Lock()
        fault = (
            "Your templates cannot be read, so only those that came with the bridge are there ({why}). "
            "Mend or remove templates.json"
        )
        self.file = RecordStore(folder, "templates.json", list[_Own], member="templates", fault=fault)
        self._own = {template.name: template for template in self.file.load([])}

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
        self.file.save([own[name] for name in sorted(own)])
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
    found = (file for file in files(__package__).joinpath("shipped").iterdir() if file.name.endswith(".json"))
    templates = [parse_template(orjson.loads(file.read_bytes())) for file in sorted(found, key=lambda file: file.name)]
    return {template.name: template for template in templates}


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


_spec = partial(
    ToolSpec,
    operation=Operation.UPDATE,
    risk=RiskLevel.MEDIUM,
    consent_class=ConsentClass.NEVER,
    default_mode=ConsentMode.ALWAYS_ASK,
    stages=False,
)


class ChainTool(WriteTool[ChainParams]):
    """The tool that makes several calls as one."""

    spec = _spec(
        name="chain",
        action="make/made several calls as one[: {files}]",
        description="Several calls as one, all or nothing: changes are staged and the user is asked once about them. "
        'Arguments can use earlier answers: {"$from": "search.results[0].path"}, '
        '{"$text": ["Notes/", {"$from": …}]}, {"$each": [LIST, {"path": {"$item": "path"}}]}.',
        icon="link",
        parameters=ModelParameters(ChainParams),
        sensitive=frozenset({"arguments"}),
        presets=frozenset({VAULT}),
    )

    def prepare(self, params: ChainParams, _context: CallContext) -> ChainEffect:
        """Return the calls, which say themselves what they do."""
        return chain_effect(params.calls)

    def report(self, _params: ChainParams, applied: Applied) -> Output:
        """Report what all the calls changed."""
        return changed(applied)


def changed(applied: Applied) -> Output:
    """Return the report on what a chain has changed."""
    plan = applied.plan
    return Output(
        {"modified": True, "files": list(plan.targets), "count": plan.files},
        f"All calls were made; {plan.counted_files} changed as one.",
    )


MOST_SHOWN = 20
"""Templates that a list shows with their parameters; of others it has the names."""


class TemplatesParams(Params):
    """The action, and the template that it is for."""

    action: Literal["list", "run"] = Field("list")
    name: str | None = Field(None, min_length=1, max_length=100)
    values: dict[str, Any] = Field(default_factory=dict, description="Of its parameters")

    @model_validator(mode="after")
    def _named(self) -> Self:
        if self.action == "run" and self.name is None:
            raise ValueError("run needs the name of a template, as `list` has them")
        return self


class TemplatesTool(ReadTool[TemplatesParams], WriteTool[TemplatesParams]):
    """The tool that lists the user's templates, and runs one with the rights of whoever calls.

    Args:
        store: The templates.
        clock: For what day it is.
    """

    spec = _spec(
        name="templates",
        action="run/ran the template[ {name}]",
        description="The user's templates for recurring work: list them, or run one as one change.",
        icon="list-checks",
        parameters=ModelParameters(TemplatesParams),
        sensitive=frozenset({"values"}),
        presets=frozenset({AGENT, VAULT}),
    )

    def __init__(self, store: TemplateStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def prepare(self, params: TemplatesParams, _context: CallContext) -> ChainEffect | ReadEffect:  # type: ignore[override] # it is both kinds
        """Return the calls of the template, which say themselves what they do; for listing nobody is asked."""
        if params.action == "list":
            return ReadEffect((), "List the templates", own=True)
        today = self._clock.now().astimezone().date()
        return template_effect(self._store.get(params.name or ""), params.values, today)

    def run(self, params: TemplatesParams, _context: CallContext) -> Output:
        """List them."""
        found = [info.template for info in self._store.all()] if params.name is None else [self._store.get(params.name)]
        lines = [*map(_said_of, found[:MOST_SHOWN])]
        if others := [template.name for template in found[MOST_SHOWN:]]:
            lines.append(f"[{MOST_SHOWN} of {len(found)} in full; list with name shows one of: {', '.join(others)}]")
        shown = {"name", "title", "description", "parameters"}
        data = [template.model_dump(mode="json", by_alias=True, include=shown) for template in found]
        return Output(data, "\n".join(lines))

    def report(self, _params: TemplatesParams, applied: Applied) -> Output:
        """Report what its calls changed."""
        return changed(applied)


def _said_of(template: Template) -> str:
    lines = [f"{template.name}: {template.title}. {template.description}".rstrip()]
    return "\n".join([*lines, *(f"  {_parameter(parameter)}" for parameter in template.parameters)])


def _parameter(parameter: TemplateParameter) -> str:
    need = "" if parameter.default is None else f", {parameter.default!r} if left out"
    if parameter.default is None and parameter.optional:
        need = ", may be left out"
    choices = f"; one of {', '.join(parameter.choices)}" if parameter.choices else ""
    said = f": {parameter.description}" if parameter.description else ""
    return f"{parameter.name} ({parameter.type}{need}{choices}){said}"
