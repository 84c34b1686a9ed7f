"""One clear sentence about the first thing that is wrong with a call's arguments."""

import difflib
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from bridge.toolkit.spellings import model_in, spellings

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
