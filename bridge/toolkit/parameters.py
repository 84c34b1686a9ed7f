"""The parameters of a tool, and the shape of what it answers.

Parameters are a pydantic model of ours, or a JSON Schema (2020-12) that comes from elsewhere. Both check a call's
arguments and describe themselves as JSON Schema. A foreign schema is not trusted: it is bounded in size and depth,
refers to nothing outside itself, and its patterns run on an engine whose time grows only with the text. Of arguments
that do not fit, one clear sentence says the first thing that is wrong. Where every answer of a tool has the same shape,
its spec has that as a JSON Schema, too.
"""

import difflib
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from functools import cached_property
from operator import itemgetter
from types import UnionType
from typing import Annotated, Any, Final, Generic, NamedTuple, Protocol, TypeVar, Union, get_args, get_origin

import orjson
from pydantic import AliasChoices, BaseModel, ValidationError
from pydantic.alias_generators import to_snake
from pydantic.fields import FieldInfo

from bridge.contract.base import Params
from bridge.errors import InvalidParameters

P = TypeVar("P", bound=Params)
T_co = TypeVar("T_co", covariant=True)

MOST_MEMBERS: Final = 1_000
"""Arguments of one call; a program that sends more has put something else there."""

_BOUNDS: Final = {"minLength", "maxLength", "minItems", "maxItems", "maxProperties", "minimum", "maximum"}
_FEW: Final = range(2, 10)  # numbers of items that say what a list is: `[start, end]`
_SAME: Final = (
    ("path", "paths", "name", "names", "file", "files", "file_path", "note", "notes"),
    ("path", "folder", "directory", "dir"),
    ("max_results", "limit", "max_matches", "count"),
    ("file_pattern", "glob"),
    ("source", "from", "path", "old_path"),
    ("destination", "to", "new_path", "target"),
    ("start_line", "start"),
    ("end_line", "end"),
    ("line_numbers", "numbered"),
    ("context_lines", "context"),
    ("new_content", "new_text", "replacement", "replace", "new_string", "new_str", "content"),
    ("old_text", "search", "find", "old_string", "old_str"),
    ("after_line", "insert_after_line", "insert_after"),
    ("content", "text", "body"),
    ("tags", "tag"),
    ("add_tags", "tags", "tag", "add_tag"),
    ("remove_tags", "remove_tag"),
    ("properties", "set", "frontmatter"),
    ("query", "pattern", "text", "words"),
)
"""Names of one thing. A tool that has none of the name that was sent is given it under the first of these it has."""
LONGEST_NAME = 100
"""Characters of a parameter's name that are compared and repeated; a name may be as long as a frame."""
_NO_OBJECT = {"model_type", "model_attributes_type"}
_TOO_SHORT = {"string_too_short", "too_short"}
_NO_TEXT = {"missing", "string_type", "string_too_short"}
"""The faults for which a parameter may have a sentence of its own."""


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
    """The parameters of a tool: they check its arguments and describe them."""

    def parse(self, arguments: Any) -> T_co:
        """Return the arguments, checked.

        Args:
            arguments: What the caller sent: any JSON value.

        Raises:
            InvalidParameters: They do not fit; the message names the parameter and what is wrong with it.
        """

    @property
    def json_schema(self) -> dict[str, Any]:
        """Return a JSON Schema of an object, complete in itself."""


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
        """Return the model's schema: references inlined, titles left out."""
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
        """Return the arguments as they are. Raises InvalidParameters."""
        if not isinstance(arguments, dict):
            raise InvalidParameters("Arguments must be an object")
        fault = self._validator(arguments)
        if fault is not None:
            known = ", ".join(str(name)[:LONGEST_NAME] for name in self._schema.get("properties", {}))
            raise InvalidParameters(f"{fault}. " + (f"Parameters: {known}" if known else "It takes no parameters"))
        return arguments

    @property
    def json_schema(self) -> dict[str, Any]:
        """Return the schema as it was given, of an object also where it does not say so."""
        return {"type": "object", "properties": {}} | self._schema


def model_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON Schema of a parameter model: references inlined, titles and nulls of optional members left out.

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
    """Return a copy of a schema node with `$ref` replaced by what it names."""
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
    """Return whether a keyword tells a model nothing that it needs."""
    if key == "default":
        return value is None or value is False or value in ("", 0, [], {})
    if key == "propertyNames" or (key == "additionalProperties" and value is True):
        return True
    return key in _BOUNDS and isinstance(value, int) and not (key in {"minItems", "maxItems"} and value in _FEW)


def _kind(value: Any) -> str:
    names = {list: "an array", str: "a string", bool: "a boolean", int: "a number", float: "a number"}
    return names.get(type(value), "null")


def respelled(model: type[BaseModel], arguments: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return arguments under the names that a model has for them; those that it has no name for stay as they are.

    Nothing is renamed to what is there already, so what was sent twice is refused by the model. A number such as `2.0`
    becomes an integer where one is wanted, because JSON does not tell the two apart.

    Args:
        model: The parameters.
        arguments: The arguments as sent.
    """
    fields = {name: field for field, names in spellings(model) for name in names}
    found: dict[Any, Any] = {}
    for sent, value in arguments.items():
        name = sent if sent in fields else _name(sent, fields)
        taken = name != sent and (name in arguments or name in found)
        name = sent if taken else name
        found[name] = _value(fields[name].annotation, value) if name in fields else value
    return found


def spellings(model: type[BaseModel]) -> Iterator[tuple[FieldInfo, tuple[str, ...]]]:
    """Yield every field of a model with the names that it declares, the one on the wire first."""
    for name, field in model.model_fields.items():
        others = field.validation_alias.choices if isinstance(field.validation_alias, AliasChoices) else ()
        yield field, tuple(dict.fromkeys([field.alias or name, *map(str, others)]))


def model_in(annotation: Any) -> type[BaseModel] | None:
    """Return the model that a value, or each item of it, has to be; None when it is none."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if get_origin(annotation) in {Annotated, Union, UnionType, list}:
        return next((model for each in get_args(annotation) if (model := model_in(each)) is not None), None)
    return None


def _name(sent: Any, fields: Mapping[str, FieldInfo]) -> Any:
    """Return the name that a model has for a parameter; the one that was sent when it has none."""
    if not isinstance(sent, str) or len(sent) > LONGEST_NAME:
        return sent
    known = {to_snake(name): name for name in reversed(list(fields))}
    word = to_snake(sent)
    same = [name for names in _SAME if word in names for name in names]
    return next((known[name] for name in (word, *same) if name in known), sent)


def _value(annotation: Any, value: Any) -> Any:
    """Return a value with whole numbers as integers and members of objects under their names, where wanted."""
    if isinstance(value, float):
        return int(value) if _takes_int(annotation) and value.is_integer() else value
    if isinstance(value, list):
        inner = _items(annotation)
        return value if inner is None else [_value(inner, each) for each in value]
    if isinstance(value, dict) and (model := model_in(annotation)) is not None:
        return respelled(model, value)
    return value


def _takes_int(annotation: Any) -> bool:
    return annotation is int or any(map(_takes_int, _choices(annotation)))


def _items(annotation: Any) -> Any:
    """Return the type of the items of a list; None for what is no list, or a list of anything."""
    if get_origin(annotation) is list:
        return next(iter(get_args(annotation)), None)
    return next((items for each in _choices(annotation) if (items := _items(each)) is not None), None)


def _choices(annotation: Any) -> tuple[Any, ...]:
    """Return the members of a union, or the type that is annotated."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return get_args(annotation)[:1]
    return get_args(annotation) if origin in {Union, UnionType} else ()


class Sentence(NamedTuple):
    """The sentence for a text that is missing, empty or no text, where the parameter has words of its own for that.

    It is put into the parameter's `Annotated`.

    Attributes:
        text: The whole sentence.
    """

    text: str


def explain(error: ValidationError, model: type[BaseModel]) -> str:
    """Return the first fault as a sentence, without the caller's values in it.

    Args:
        error: What pydantic found.
        model: The model that was not met; its names are suggested.
    """
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    location, kind = first["loc"], first["type"]
    where = _where(location)
    if kind in _NO_OBJECT:
        holder = _holder(location, model)
        return f"Parameter {where!r} must be an object. {_shape(holder, model)}" if where else _shape(holder, model)
    holder = _holder(location[:-1], model)
    if kind == "extra_forbidden":
        near = difflib.get_close_matches(str(location[-1])[:LONGEST_NAME], _names(holder), n=1)
        hint = f"Did you mean {near[0]!r}?" if near and holder is model else _shape(holder, model)
        return f"Unknown parameter {where!r}. {hint}"
    own = _own_sentence(location, model) if kind in _NO_TEXT else None
    if own is not None:
        return own
    if kind == "missing":
        return f"Missing parameter {where!r}. {_shape(holder, model)}"
    message = first["msg"].removeprefix("Value error, ").replace(" after validation", "").rstrip(".")
    known = _shape(holder, model)
    if kind in _TOO_SHORT and message.endswith(("at least 1 character", "at least 1 item, not 0")):
        return f"Parameter {where!r} must not be empty. {known}"
    return f"Parameter {where!r}: {message}. {known}" if where else f"{message}. {known}"


def known_parameters(model: type[BaseModel]) -> str:
    """Return a sentence that names the parameters there are."""
    required = {field.alias or name for name, field in model.model_fields.items() if field.is_required()}
    names = [f"{name} (required)" if name in required else name for name in _names(model)]
    return f"Parameters: {', '.join(names)}" if names else "It takes no parameters"


def _own_sentence(location: tuple[int | str, ...], model: type[BaseModel]) -> str | None:
    """Return the parameter's own words, where the fault is in the parameter itself and it has any."""
    for field, names in spellings(model):
        if len(location) == 1 and location[0] in names:
            return next((mark.text for mark in field.metadata if isinstance(mark, Sentence)), None)
    return None


def _holder(location: tuple[int | str, ...], model: type[BaseModel]) -> type[BaseModel]:
    """Return the model of the object at a place; of the one around it where there is none."""
    for part in location:
        inner = next((model_in(field.annotation) for field, names in spellings(model) if part in names), None)
        model = inner or model
    return model


def _shape(holder: type[BaseModel], model: type[BaseModel]) -> str:
    """Say which parameters there are, or what an item of one of them looks like."""
    if holder is model:
        return known_parameters(model)
    members = holder.model_json_schema()["properties"].items()
    return f"It looks like {{{', '.join(f'{name}: {_type(schema)}' for name, schema in members)}}}"


def _type(schema: dict[str, Any]) -> str:
    """Return a member's type, such as `[integer, integer]`."""
    options = [option for option in schema.get("anyOf", ()) if option.get("type") != "null"]
    if len(options) == 1:  # T | None
        return _type(options[0])
    kind = str(schema.get("type", "any"))
    if kind != "array":
        return kind
    item = _type(schema.get("items", {}))
    count: int | None = schema.get("minItems")
    if count is None or count != schema.get("maxItems"):
        return f"[{item}]"
    return f"[{', '.join([item] * count)}]"


def _where(location: tuple[int | str, ...]) -> str:
    path = ""
    for part in location:
        name = str(part)[:LONGEST_NAME]
        path += f"[{name}]" if isinstance(part, int) else f".{name}" if path else name
    return path


def _names(model: type[BaseModel]) -> list[str]:
    return [field.alias or name for name, field in model.model_fields.items()]


Schema = Mapping[str, Any]
TEXT: Final[Schema] = {"type": "string"}
NUMBER: Final[Schema] = {"type": "number"}
WHOLE: Final[Schema] = {"type": "integer"}
YES_OR_NO: Final[Schema] = {"type": "boolean"}
TEXTS: Final[Schema] = {"type": "array", "items": TEXT}
ANYTHING: Final[Schema] = {}
ANY_OBJECT: Final[Schema] = {"type": "object"}

REST: Final = "toolResult"
"""The member of structured content over MCP that holds what a ToolResult has besides its data."""
_WAITS: Final[Schema] = {
    "properties": {
        "status": {"const": "waiting_for_person"},
        "ticket": TEXT,
        "expiresAt": {"type": ["string", "null"]},
    },
    "required": ["status", "ticket"],
}
"""The shape of the answer while a person decides."""
_CUT: Final[Schema] = {"properties": {"truncated": {"const": True}}, "required": ["truncated"]}
"""Of an answer that is longer than it may be, lists and texts end earlier, and members may be left out."""


def members(*, optional: Mapping[str, Schema] | None = None, **types: Schema) -> Schema:
    """Return the schema of an object that has these members; others may be beside them.

    Args:
        optional: Those that are not always there.
        types: Those that are.
    """
    return {"type": "object", "properties": {**types, **(optional or {})}, "required": list(types)}


def a_list(items: Schema) -> Schema:
    """Return the schema of a list of such items."""
    return {"type": "array", "items": items}


def perhaps(schema: Schema) -> Schema:
    """Return the schema of this, or null."""
    return {"anyOf": [schema, {"type": "null"}]}


def over_mcp(schema: Schema) -> dict[str, Any]:
    """Return the shape of a tool's structured content over MCP, which is an object in any case.

    Args:
        schema: Of the `data` of the tool's results.
    """
    shape = schema if schema["type"] == "object" else members(result=schema)
    whole = {**shape, "properties": {**shape.get("properties", {}), REST: ANY_OBJECT}}
    return {"type": "object", "anyOf": [whole, _WAITS, _CUT]}


_SHORTEST: Final = 100  # bytes of a member that is not worth shortening


def bounded(data: dict[str, Any], most: int) -> dict[str, Any]:
    """Return data of at most so many bytes as JSON: the longest lists and texts end earlier, and it says so."""
    if _bytes(data) <= most:
        return data
    kept, over = dict(data), _bytes(data) + len(b',"truncated":true') - most
    for size, name in sorted(((_bytes(value), name) for name, value in data.items()), key=itemgetter(0), reverse=True):
        if over > 0 and size - over < _SHORTEST:
            del kept[name]
            over -= size + len(b",:") + _bytes(name)
        elif over > 0:
            shorten = bounded if isinstance(kept[name], dict) else _shortened
            kept[name], over = shorten(kept[name], size - over), 0
    return kept | {"truncated": True}


def _shortened(value: Any, most: int) -> Any:
    """Return the beginning of a list or a text."""
    if not isinstance(value, list | str):
        return None
    return value[: bisect_right(range(1, len(value) + 1), most, key=lambda end: _bytes(value[:end]))]


def _bytes(value: Any) -> int:
    return len(orjson.dumps(value))
