"""One clear sentence about the first thing that is wrong with a call's arguments."""

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin

from pydantic import AliasChoices, BaseModel, ValidationError
from pydantic.alias_generators import to_snake
from pydantic.fields import FieldInfo

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

_LONGEST = 100
"""Characters of the longest name that is looked up."""


def respelled(model: type[BaseModel], arguments: Mapping[Any, Any]) -> dict[Any, Any]:
    """Arguments under the names that a model has for them; those that it has no name for stay as they are.

    Nothing is renamed to what is there already, so what was sent twice is refused by the model. A number such as `2.0`
    becomes an integer where one is wanted, because JSON does not tell the two apart.

    Args:
        model: The parameters.
        arguments: What was sent.
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
    """Every field of a model with the names that it declares, the one on the wire first."""
    for name, field in model.model_fields.items():
        others = field.validation_alias.choices if isinstance(field.validation_alias, AliasChoices) else ()
        yield field, tuple(dict.fromkeys([field.alias or name, *map(str, others)]))


def model_in(annotation: Any) -> type[BaseModel] | None:
    """The model that a value, or each item of it, has to be; None when it is none."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if get_origin(annotation) in {Annotated, Union, UnionType, list}:
        return next((model for each in get_args(annotation) if (model := model_in(each)) is not None), None)
    return None


def _name(sent: Any, fields: Mapping[str, FieldInfo]) -> Any:
    """The name that a model has for a parameter; the one that was sent when it has none."""
    if not isinstance(sent, str) or len(sent) > _LONGEST:
        return sent
    known = {to_snake(name): name for name in reversed(list(fields))}
    word = to_snake(sent)
    same = [name for names in _SAME if word in names for name in names]
    return next((known[name] for name in (word, *same) if name in known), sent)


def _value(annotation: Any, value: Any) -> Any:
    """A value with whole numbers as integers and the members of objects under their names, where those are wanted."""
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
    """What the items of a list are; None for what is no list, or a list of anything."""
    if get_origin(annotation) is list:
        return next(iter(get_args(annotation)), None)
    return next((items for each in _choices(annotation) if (items := _items(each)) is not None), None)


def _choices(annotation: Any) -> tuple[Any, ...]:
    """What an annotation is made of: the members of a union, or what is annotated."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return get_args(annotation)[:1]
    return get_args(annotation) if origin in {Union, UnionType} else ()


LONGEST_NAME = 100
"""Characters of a parameter's name that are compared and repeated; a name may be as long as a frame."""

_NO_OBJECT = {"model_type", "model_attributes_type"}
_NO_TEXT = {"missing", "string_type", "string_too_short"}
"""The faults for which a parameter may have a sentence of its own."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """What is said when a text is missing, empty or no text, where the parameter has words of its own for that.

    It is put into the parameter's `Annotated`.

    Attributes:
        text: The whole sentence.
    """

    text: str


def explain(error: ValidationError, model: type[BaseModel]) -> str:
    """The first fault as a sentence, without the caller's values in it.

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
    message = first["msg"].removeprefix("Value error, ").rstrip(".")
    known = _shape(holder, model)
    if kind == "string_too_short" and message.endswith("at least 1 character"):
        return f"Parameter {where!r} must not be empty. {known}"
    return f"Parameter {where!r}: {message}. {known}" if where else f"{message}. {known}"


def known_parameters(model: type[BaseModel]) -> str:
    """Return a sentence that names the parameters there are."""
    required = {field.alias or name for name, field in model.model_fields.items() if field.is_required()}
    names = [f"{name} (required)" if name in required else name for name in _names(model)]
    return f"Parameters: {', '.join(names)}" if names else "It takes no parameters"


def _own_sentence(location: tuple[int | str, ...], model: type[BaseModel]) -> str | None:
    """The parameter's own words, where the fault is in the parameter itself and it has any."""
    for field, names in spellings(model):
        if len(location) == 1 and location[0] in names:
            return next((mark.text for mark in field.metadata if isinstance(mark, Sentence)), None)
    return None


def _holder(location: tuple[int | str, ...], model: type[BaseModel]) -> type[BaseModel]:
    """The model of the object at a place; of the one around it where there is none."""
    for part in location:
        inner = next((model_in(field.annotation) for field, names in spellings(model) if part in names), None)
        model = inner or model
    return model


def _shape(holder: type[BaseModel], model: type[BaseModel]) -> str:
    """What there is: all parameters, or what an item of one of them looks like."""
    if holder is model:
        return known_parameters(model)
    members = holder.model_json_schema()["properties"].items()
    return f"It looks like {{{', '.join(f'{name}: {_type(schema)}' for name, schema in members)}}}"


def _type(schema: dict[str, Any]) -> str:
    """A member's type, such as `[integer, integer]`."""
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
