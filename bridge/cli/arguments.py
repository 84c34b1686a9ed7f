"""`key=value` words of the command line, turned into a tool's arguments by the tool's JSON Schema."""

import difflib
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bridge.cli.sanitize import sanitize_plain

_WORDS = dict.fromkeys(("true", "yes", "on", "1"), True) | dict.fromkeys(("false", "no", "off", "0"), False)

_PYTHON_TYPE: dict[str, type | tuple[type, ...]] = {
    "integer": int,
    "number": (int, float),
    "array": list,
    "object": dict,
}

Schema = dict[str, Any]


class BadArguments(Exception):
    """The words do not make arguments: bad usage. The message says which, and lists the parameters there are."""


def parse_arguments(words: Sequence[str], schema: Schema | None, whole: str | None = None) -> dict[str, Any]:
    """Return the arguments of one call.

    A value is coerced to the type its parameter has: numbers, booleans, arrays and objects are read as JSON, texts are
    taken as they are. `key=@file` reads a file, `key=-` standard input, `key=@@text` is a text that begins with `@`.
    A parameter that takes a list may be given several times.

    Args:
        words: `key=value` words.
        schema: The tool's parameters as JSON Schema; None when the tool is not listed, and values are then guessed.
        whole: All arguments as one JSON object, `@file` or `-`; words come on top of it.

    Raises:
        BadArguments: With the parameters the tool takes.
    """
    arguments = _whole(whole, schema) if whole is not None else {}
    given: set[str] = set()
    for word in words:
        if word.startswith("{"):
            how = "Give a JSON object with --arguments, and single arguments as key=value."
            raise BadArguments(f"{how} {_known(schema)}")
        key, equals, value = word.partition("=")
        if not equals or not key:
            raise BadArguments(f"{sanitize_plain(word)!r} is not key=value. {_known(schema)}")
        member = _member(key, schema)
        text = _read(value)
        if key in given and "array" in json_types(member):
            arguments[key] += _list(key, text, member)
        elif key in given:
            raise BadArguments(f"{key!r} is given twice, and takes one value. {_known(schema)}")
        else:
            arguments[key] = coerce(key, text, member)
        given.add(key)
    missing = [name for name in (schema or {}).get("required", []) if name not in arguments]
    if missing:
        raise BadArguments(f"Missing: {', '.join(missing)}. {_known(schema)}")
    return arguments


def coerce(key: str, text: str, member: Schema | None) -> Any:
    """Return a value as the type that its parameter has.

    Args:
        key: The parameter's name, for the message.
        text: The value as it was typed.
        member: The parameter's JSON Schema; None when nothing is known about it.

    Raises:
        BadArguments: The text is no value of that type.
    """
    kinds = json_types(member)
    if not kinds:
        return text if (value := _json(text)) is None and text != "null" else value
    if "array" in kinds and "string" not in kinds:
        return _list(key, text, member)
    for kind in ("boolean", "integer", "number", "array", "object"):
        if kind in kinds:
            value = _as(kind, text)
            if value is not None:
                return value
    if "string" in kinds:
        return text
    if "null" in kinds and text == "null":
        return None
    raise BadArguments(f"{key!r} takes {_articled(kinds)}, not {sanitize_plain(text)!r}")


def describe_parameters(schema: Schema) -> list[str]:
    """Return one line a parameter: name, type, whether it is required, what it means."""
    required = schema.get("required", [])
    lines = []
    for name, member in schema.get("properties", {}).items():
        need = "required" if name in required else "optional"
        kind = " or ".join(json_types(member)) or "any"
        about = member.get("description", "") if isinstance(member, dict) else ""
        lines.append(sanitize_plain(f"{name}  ({kind}, {need})  {about}").rstrip())
    return lines


def _whole(source: str, schema: Schema | None) -> dict[str, Any]:
    try:
        arguments = json.loads(_read(source))
    except (ValueError, RecursionError) as error:
        raise BadArguments(f"--arguments is not JSON: {error}. {_known(schema)}") from None
    if not isinstance(arguments, dict):
        raise BadArguments(f"--arguments must be a JSON object. {_known(schema)}")
    return arguments  # the bridge says what is wrong with them: some tools take more than their schema lists


def _member(key: str, schema: Schema | None) -> Schema | None:
    """Return the schema of one parameter; None when nothing is known about it."""
    if schema is None:
        return None
    properties: dict[str, Schema] = schema.get("properties", {})
    if key not in properties and schema.get("additionalProperties") is False:
        near = difflib.get_close_matches(key, properties, n=1)
        hint = f"Did you mean {near[0]!r}? " if near else ""
        raise BadArguments(f"There is no parameter {sanitize_plain(key)!r}. {hint}{_known(schema)}")
    return properties.get(key)


def _read(value: str) -> str:
    """Return the text a value stands for. Line breaks of files are kept as they are."""
    if value == "-":
        return _decoded(sys.stdin.buffer.read(), "Standard input")
    if value.startswith("@@"):
        return value[1:]
    if not value.startswith("@"):
        return value
    file = Path(value[1:])
    try:
        return _decoded(file.read_bytes(), repr(str(file)))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise BadArguments(f"Cannot read {str(file)!r}: {reason}. A text that begins with @ is written @@") from None


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadArguments(f"{name} is not UTF-8 (byte {error.start})") from None


def _list(key: str, text: str, member: Schema | None) -> list[Any]:
    """Return a JSON array, or one item of a list of texts."""
    value = _as("array", text)
    if isinstance(value, list):
        return value
    items = json_types((member or {}).get("items"))
    if "array" in items or "object" in items:
        takes = "a JSON array, such as '[...]', or key=@file with one"
        raise BadArguments(f"{key!r} takes {takes}; not {sanitize_plain(text)!r}")
    return [coerce(key, text, (member or {}).get("items"))]


def _as(kind: str, text: str) -> Any:
    """Return `text` as that type; None when it is not."""
    if kind == "boolean":
        return _WORDS.get(text.strip().lower())
    value = _json(text)
    return value if isinstance(value, _PYTHON_TYPE[kind]) and not isinstance(value, bool) else None


def _json(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return None


def _no_constant(name: str) -> Any:
    raise ValueError(name)  # NaN and Infinity are not JSON


def json_types(member: Schema | None) -> list[str]:
    """Return the JSON types a parameter takes, in the schema's order."""
    if not isinstance(member, dict):  # a schema may be `true` too
        return []
    kind = member.get("type")
    if isinstance(kind, str):
        return [kind]
    if isinstance(kind, list):
        return [str(name) for name in kind]
    if "enum" in member or "const" in member:
        return ["string"]
    options = [*member.get("anyOf", []), *member.get("oneOf", [])]
    return list(dict.fromkeys(name for option in options for name in json_types(option)))


def _articled(kinds: list[str]) -> str:
    return " or ".join(f"an {kind}" if kind[0] in "aio" else f"a {kind}" for kind in kinds if kind != "null")


def _known(schema: Schema | None) -> str:
    if schema is None:
        return "`vault-bridge tools` lists the tools and their parameters."
    lines = describe_parameters(schema)
    return "\n".join(["Parameters:", *(f"  {line}" for line in lines)]) if lines else "It takes no parameters."
