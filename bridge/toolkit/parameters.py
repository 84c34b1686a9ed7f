"""What a tool takes: a pydantic model of ours, or a JSON Schema (2020-12) that comes from elsewhere.

Both check a call's arguments and describe themselves as JSON Schema. A foreign schema is not trusted: it is bounded in
size and depth, refers to nothing outside itself, and its patterns run on an engine whose time grows only with the text.
"""

from functools import cached_property
from typing import Any, Final, Generic, Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from bridge.contract.base import Params
from bridge.errors import InvalidParameters
from bridge.toolkit.arguments import explain, known_parameters, respelled

P = TypeVar("P", bound=Params)
T_co = TypeVar("T_co", covariant=True)

MOST_MEMBERS: Final = 1_000
"""Arguments of one call; a program that sends more has put something else there."""

_LONGEST_SHOWN: Final = 100
_BOUNDS: Final = {"minLength", "maxLength", "minItems", "maxItems", "maxProperties", "minimum", "maximum"}
_FEW: Final = range(2, 10)
"""Numbers of items that say what a list is: `[start, end]`."""


def check_members(arguments: Any) -> None:
    """Refuse more arguments than any tool has parameters, before each of them is looked at.

    Args:
        arguments: What the caller sent.

    Raises:
        InvalidParameters: There are more than `MOST_MEMBERS`.
    """
    if isinstance(arguments, dict) and len(arguments) > MOST_MEMBERS:
        raise InvalidParameters(f"A call has at most {MOST_MEMBERS:,} arguments, not {len(arguments):,}")


class Parameters(Protocol[T_co]):
    """How a tool's arguments are checked and described."""

    def parse(self, arguments: Any) -> T_co:
        """The arguments, checked.

        Args:
            arguments: What the caller sent: any JSON value.

        Raises:
            InvalidParameters: They do not fit; the message names the parameter and what is wrong with it.
        """
        ...

    @property
    def json_schema(self) -> dict[str, Any]:
        """A JSON Schema of an object, complete in itself."""
        ...


class ModelParameters(Generic[P]):
    """Parameters as a pydantic model, for tools of ours.

    Args:
        model: The model; unknown members are refused.
    """

    def __init__(self, model: type[P]) -> None:
        self.model = model

    def parse(self, arguments: Any) -> P:
        """Return the arguments, which may be spelled as a sibling tool spells them, as an instance of the model.

        Args:
            arguments: What the caller sent; nothing, or null, is no arguments.

        Raises:
            InvalidParameters: Naming the parameter, what is wrong with it, and the parameters there are.
        """
        if arguments is None:
            arguments = {}
        if not isinstance(arguments, dict):
            raise InvalidParameters(
                f"Arguments must be an object, not {_kind(arguments)}. {known_parameters(self.model)}"
            )
        try:
            return self.model.model_validate(respelled(self.model, arguments), by_alias=True, by_name=False)
        except ValidationError as error:
            raise InvalidParameters(explain(error, self.model)) from None

    @cached_property
    def json_schema(self) -> dict[str, Any]:
        """The model's schema: references inlined, titles left out."""
        return model_schema(self.model)


class JsonSchemaParameters:
    """Parameters as a JSON Schema of revision 2020-12, for tools that come from elsewhere.

    Args:
        schema: The schema of the arguments' object.

    Raises:
        ValueError: It is no such schema, is too large or too deep, or refers to something outside itself.
    """

    def __init__(self, schema: dict[str, Any]) -> None:
        from bridge.toolkit.json_schema import compile_schema  # noqa: PLC0415 - heavy, and only for foreign tools

        self._schema = schema
        self._validator = compile_schema(schema)

    def parse(self, arguments: Any) -> dict[str, Any]:
        """The arguments as they are. Raises InvalidParameters."""
        if not isinstance(arguments, dict):
            raise InvalidParameters("Arguments must be an object")
        fault = self._validator(arguments)
        if fault is not None:
            known = ", ".join(str(name)[:_LONGEST_SHOWN] for name in self._schema.get("properties", {}))
            raise InvalidParameters(f"{fault}. " + (f"Parameters: {known}" if known else "It takes no parameters"))
        return arguments

    @property
    def json_schema(self) -> dict[str, Any]:
        """The schema as it was given, of an object also where it does not say so."""
        return {"type": "object", "properties": {}} | self._schema


def model_schema(model: type[BaseModel]) -> dict[str, Any]:
    """The JSON Schema of a parameter model: references inlined, titles and nulls of optional members left out.

    So are bounds that hardly any caller meets, such as the longest path, and defaults that say nothing: models read all
    of it, word by word. The bounds are checked all the same.
    """
    schema = model.model_json_schema(by_alias=True)
    definitions = schema.pop("$defs", {})
    inlined: dict[str, Any] = _inline(schema, definitions)
    inlined.pop("description", None)  # the model's docstring is for programmers
    inlined.setdefault("properties", {})
    return inlined


def _inline(node: Any, definitions: dict[str, Any]) -> Any:
    """A copy of a schema node with `$ref` replaced by what it names."""
    if isinstance(node, list):
        return [_inline(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        name = str(node["$ref"]).removeprefix("#/$defs/")
        target = {key: value for key, value in definitions[name].items() if key != "description"}
        return _inline(target | {key: value for key, value in node.items() if key != "$ref"}, definitions)
    options = node.get("anyOf")
    if isinstance(options, list) and len(options) == 2 and {"type": "null"} in options:  # noqa: PLR2004 - T | None
        rest = {key: value for key, value in node.items() if key not in {"anyOf", "default"}}
        return _inline(next(option for option in options if option != {"type": "null"}) | rest, definitions)
    return {
        key: {name: _inline(member, definitions) for name, member in value.items()}
        if key == "properties"
        else _inline(value, definitions)
        for key, value in node.items()
        if not (key == "title" and isinstance(value, str)) and not _is_noise(key, value)
    }


def _is_noise(key: str, value: Any) -> bool:
    """Whether a keyword tells a model nothing that it needs."""
    if key == "default":
        return value is None or value is False or value in ("", 0, [], {})
    if key == "propertyNames" or (key == "additionalProperties" and value is True):
        return True
    return key in _BOUNDS and isinstance(value, int) and not (key in {"minItems", "maxItems"} and value in _FEW)


def _kind(value: Any) -> str:
    names = {list: "an array", str: "a string", bool: "a boolean", int: "a number", float: "a number"}
    return names.get(type(value), "null")
