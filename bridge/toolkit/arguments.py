"""From a JSON object to a tool's parameters, or one clear sentence about the first thing wrong with it."""

import difflib
from dataclasses import dataclass
from typing import Any

from pydantic import AliasChoices, BaseModel, ValidationError

from bridge.contract.base import Params
from bridge.errors import InvalidParameters

LONGEST_NAME = 100
"""Characters of a parameter's name that are compared and repeated; a name may be as long as a frame."""

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


def parse_arguments(model: type[Params], arguments: Any) -> Any:
    """Validate a call's arguments.

    Args:
        model: The tool's parameter model.
        arguments: What the caller sent.

    Raises:
        InvalidParameters: Naming the parameter, what is wrong with it, and the parameters there are.
    """
    if not isinstance(arguments, dict):
        raise InvalidParameters(f"Arguments must be an object, not {_kind(arguments)}. {_known(model)}")
    try:
        return model.model_validate(arguments, by_alias=True, by_name=False)
    except ValidationError as error:
        raise InvalidParameters(explain(error, model)) from None


def explain(error: ValidationError, model: type[BaseModel]) -> str:
    """The first fault as a sentence, without the caller's values in it.

    Args:
        error: What pydantic found.
        model: The model that was not met; its names are suggested.
    """
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = _where(first["loc"])
    if first["type"] == "extra_forbidden":
        near = difflib.get_close_matches(str(first["loc"][-1])[:LONGEST_NAME], _names(model), n=1)
        hint = f"Did you mean {near[0]!r}?" if near else _known(model)
        return f"Unknown parameter {where!r}. {hint}"
    own = _own_sentence(first["loc"], model) if first["type"] in _NO_TEXT else None
    if own is not None:
        return own
    if first["type"] == "missing":
        return f"Missing parameter {where!r}. {_known(model)}"
    message = first["msg"].removeprefix("Value error, ").rstrip(".")
    return f"Parameter {where!r}: {message}. {_known(model)}" if where else f"{message}. {_known(model)}"


def _own_sentence(location: tuple[int | str, ...], model: type[BaseModel]) -> str | None:
    """The parameter's own words, where the fault is in the parameter itself and it has any."""
    for name, field in model.model_fields.items():
        others = field.validation_alias.choices if isinstance(field.validation_alias, AliasChoices) else ()
        if len(location) == 1 and location[0] in {field.alias or name, *others}:
            return next((mark.text for mark in field.metadata if isinstance(mark, Sentence)), None)
    return None


def _where(location: tuple[int | str, ...]) -> str:
    path = ""
    for part in location:
        name = str(part)[:LONGEST_NAME]
        path += f"[{name}]" if isinstance(part, int) else f".{name}" if path else name
    return path


def _names(model: type[BaseModel]) -> list[str]:
    return [field.alias or name for name, field in model.model_fields.items()]


def _known(model: type[BaseModel]) -> str:
    required = {field.alias or name for name, field in model.model_fields.items() if field.is_required()}
    names = [f"{name} (required)" if name in required else name for name in _names(model)]
    return f"Parameters: {', '.join(names)}" if names else "It takes no parameters"


def _kind(value: Any) -> str:
    names = {list: "an array", str: "a string", bool: "a boolean", int: "a number", float: "a number"}
    return names.get(type(value), "null")
