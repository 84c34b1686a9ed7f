"""Foreign JSON Schemas (2020-12), checked with `jsonschema` under bounds. Import it only when one is there.

A schema may loop through `$ref`, ask for a file or an address, or carry a pattern that takes for ever. Here loops end
in a fault, references lead nowhere but into the schema itself, and patterns are RE2's (those that RE2 refuses, such as
look-around, are not checked: the tool's own server will). A check takes a bounded number of steps: a few references
that each lead twice to the next would else take years.
"""

from collections.abc import Callable, Iterator
from contextvars import ContextVar
from functools import lru_cache
from typing import Any, Final

import orjson
import re2
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.validators import extend
from referencing import Registry
from referencing.exceptions import Unresolvable

LARGEST_SCHEMA: Final = 64 * 1024
"""Bytes of a foreign schema as JSON; a tool's schema is read by models, and no useful one is larger."""
DEEPEST_SCHEMA: Final = 32
MOST_STEPS: Final = 200_000
"""Keywords, and values in them, that one check looks at: about a second."""
_LONGEST_FAULT: Final = 300
_PATTERN_MEMORY: Final = 1024 * 1024
_OPTIONS: Final = re2.Options()
_OPTIONS.max_mem = _PATTERN_MEMORY
_OPTIONS.log_errors = False


def compile_schema(schema: dict[str, Any]) -> Callable[[Any], str | None]:
    """Make a schema ready for checking.

    Args:
        schema: The schema of an object.

    Returns:
        A function that says what is wrong with a value, as one sentence without the value in it; None when it fits.

    Raises:
        ValueError: The schema is none, is out of bounds, or refers to something outside itself.
    """
    if not is_bounded(schema):
        raise ValueError(f"the schema has more than {LARGEST_SCHEMA} bytes or {DEEPEST_SCHEMA} levels")
    if schema.get("type", "object") != "object":
        raise ValueError("the schema must describe an object")
    if outside := next(_outside(schema), None):
        raise ValueError(f"the schema refers to {outside[:100]!r}, which is not in it")
    if any("patternProperties" in node and "unevaluatedProperties" in node for node in _objects(schema)):
        raise ValueError("patternProperties beside unevaluatedProperties cannot be checked in bounded time")
    try:
        Draft202012Validator.check_schema(schema)
    except (SchemaError, RecursionError) as error:
        raise ValueError(f"the schema is not valid: {str(error).splitlines()[0][:_LONGEST_FAULT]}") from None
    validator = _Validator(schema, registry=Registry())

    def fault(value: Any) -> str | None:
        left = _steps_left.set([MOST_STEPS])
        try:
            error = next(iter(validator.iter_errors(value)), None)
        except (RecursionError, Unresolvable):
            return "The arguments cannot be checked: the tool's schema leads nowhere"
        except _TooMuchError:
            return "The arguments cannot be checked against the tool's schema in bounded time; send fewer of them"
        finally:
            _steps_left.reset(left)
        return None if error is None else _sentence(error)

    return fault


def _sentence(error: ValidationError) -> str:
    where = ".".join(str(part)[:100] for part in error.absolute_path)
    match error.validator:
        case "required" | "additionalProperties":
            what = str(error.message)[:_LONGEST_FAULT]
        case "type":
            what = f"must be of type {error.validator_value}"
        case "enum":
            what = f"must be one of {str(error.validator_value)[:_LONGEST_FAULT]}"
        case _:
            what = f"does not fit {error.validator} {str(error.validator_value)[:_LONGEST_FAULT]}"
    return f"Parameter {where!r} {what}" if where else what[:1].upper() + what[1:]


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> Any:
    try:
        return re2.compile(pattern, _OPTIONS)
    except re2.error:
        return None


def _pattern(_validator: Any, pattern: str, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if isinstance(instance, str):
        compiled = _compiled(pattern)
        if compiled is not None and compiled.search(instance) is None:
            yield ValidationError("does not match the pattern")


def _pattern_properties(validator: Any, patterns: dict[str, Any], instance: Any, _schema: Any) -> Iterator[Any]:
    if isinstance(instance, dict):
        for pattern, subschema in patterns.items():
            compiled = _compiled(pattern)
            for name, value in instance.items():
                if compiled is not None and compiled.search(name) is not None:
                    yield from validator.descend(value, subschema, path=name, schema_path=pattern)


def _additional_properties(validator: Any, additional: Any, instance: Any, schema: dict[str, Any]) -> Iterator[Any]:
    if not isinstance(instance, dict):
        return
    patterns = [compiled for pattern in schema.get("patternProperties", {}) if (compiled := _compiled(pattern))]
    for name, value in instance.items():
        if name in schema.get("properties", {}) or any(pattern.search(name) for pattern in patterns):
            continue
        if additional is False:
            yield ValidationError(f"Unknown parameter {name[:100]!r}")
        elif isinstance(additional, dict):
            yield from validator.descend(value, additional, path=name)


def _unique_items(_validator: Any, unique: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    """Yield an error where items are equal; the library compares objects each with each."""
    if unique is True and isinstance(instance, list):
        try:
            seen = {orjson.dumps(item, option=orjson.OPT_SORT_KEYS) for item in instance}
        except orjson.JSONEncodeError:  # deeper than it writes
            yield ValidationError("is nested too deep")
            return
        if len(seen) < len(instance):
            yield ValidationError("has an item twice")


class _TooMuchError(Exception):
    """A check has taken all the steps it has."""


_steps_left: ContextVar[list[int]] = ContextVar("steps left")


_IN_ONE_STEP: Final = {"items": 2, "contains": 2, "propertyNames": 2, "additionalProperties": 4, "uniqueItems": 4}
"""The keywords that go through all items or names of a value, and how many of these they look at in one step."""
_CHARACTERS: Final = 1_000
"""Characters that a pattern looks at, or that a fault quotes, in one step."""


def _cost(name: str, value: Any, instance: Any, schema: Any) -> int:
    """Return the steps that the check of a keyword takes, without those of the keywords inside it."""
    steps = 1 + (len(value) if isinstance(value, list | dict) else 0)
    if isinstance(instance, str):
        return steps + (len(instance) // _CHARACTERS if name == "pattern" else 0)
    if not isinstance(instance, list | dict):
        return steps
    size = len(instance)
    if name in {"patternProperties", "additionalProperties"} and isinstance(instance, dict):
        steps += size * len(schema.get("patternProperties", ()))
    if name in {"unevaluatedItems", "unevaluatedProperties"}:
        steps += size * size // 1_000  # the library compares each with each
    is_counted_inside = isinstance(value, dict) and not value.keys().isdisjoint(_Validator.VALIDATORS)
    return steps + (size // _IN_ONE_STEP[name] if name in _IN_ONE_STEP and not is_counted_inside else 0)


def _counted(name: str, keyword: Callable[..., Any]) -> Callable[..., Iterator[ValidationError]]:
    """Return a keyword's check, which counts what it compares."""

    def check(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
        left = _steps_left.get()
        left[0] -= _cost(name, value, instance, schema)
        if left[0] < 0:
            raise _TooMuchError
        for error in keyword(validator, value, instance, schema) or ():
            left[0] -= len(error.message) // _CHARACTERS  # it quotes the whole value
            yield error

    return check


_OURS: Final = {
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "uniqueItems": _unique_items,
}
_Validator = extend(
    Draft202012Validator,
    {name: _counted(name, keyword) for name, keyword in {**Draft202012Validator.VALIDATORS, **_OURS}.items()},
)


def _outside(schema: dict[str, Any]) -> Iterator[str]:
    """Yield references that lead out of the schema."""
    for node in _objects(schema):
        for name in ("$ref", "$dynamicRef"):
            value = node.get(name)
            if isinstance(value, str) and not value.startswith("#"):
                yield value


def _objects(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield every object in a schema. Its depth was looked at before."""
    open_nodes = [schema]
    while open_nodes:
        node = open_nodes.pop()
        if isinstance(node, dict):
            yield node
            open_nodes += node.values()
        elif isinstance(node, list):
            open_nodes += node


def is_bounded(schema: Any) -> bool:
    """Return whether a schema is small enough to be looked at, whatever it says.

    Raises:
        ValueError: It is not JSON.
    """
    try:
        return _depth(schema) <= DEEPEST_SCHEMA and len(orjson.dumps(schema)) <= LARGEST_SCHEMA
    except TypeError as error:
        raise ValueError(f"the schema is not JSON: {error}") from None


def _depth(node: Any) -> int:
    deepest, open_nodes = 0, [(node, 1)]
    while open_nodes:
        current, depth = open_nodes.pop()
        deepest = max(deepest, depth)
        if depth > DEEPEST_SCHEMA:
            return depth
        members = current.values() if isinstance(current, dict) else current if isinstance(current, list) else ()
        open_nodes += [(member, depth + 1) for member in members]
    return deepest
