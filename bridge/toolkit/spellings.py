"""Parameters as callers spell them: in the other case, or under the name that a sibling tool has for the same thing.

What `tools.list` shows has one spelling. Nothing here decides what is valid; the model does that afterwards.
"""

from collections.abc import Iterator, Mapping
from types import UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin

from pydantic import AliasChoices, BaseModel
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
