"""TypeScript that checks what arrives: for each model the readers of its members, and the reader of the whole.

They are written with the few readers of the plugin's `core/json.ts`. A member with a default may be missing from a
message; then it has its default. Every call is marked as pure, so that the bundle has only the readers that are used.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import orjson

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_PLAIN: Final = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "any": "unknown",
}
_EMPTY: Final[dict[str, Any]] = {"array": [], "object": {}}
"""What a member is that is missing, where the model makes a new one each time."""
_SHORT: Final = {
    ("string", "null"): "stringOrNull",
    ("string", '""'): "stringOrEmpty",
    ("boolean", "false"): "booleanOrFalse",
}
"""The optional readers that most models have, so that the bundle names each of them once."""
_READERS: Final = (
    *("boolean", "booleanOrFalse", "dictionary", "either", "list", "number", "object", "oneOf", "optional", "readable"),
    *("record", "string", "stringOrEmpty", "stringOrNull", "time", "unknown"),
)


def render_readers(head: str, schemas: Mapping[str, Any], events: Mapping[str, str]) -> str:
    """The whole file.

    Args:
        head: Its first line.
        schemas: The JSON Schema of every model that is received, by the model's name.
        events: The models of the events, by their names on the wire.
    """
    order: dict[str, None] = {}
    for name in sorted(schemas):
        _put_behind_its_parts(name, schemas, order)
    models = [name for name in order if "enum" not in schemas[name]]
    blocks = ["\n".join(_block(name, schemas)) for name in models]
    table = ["/** The reader of each event. */", "export const EVENT_READERS: Members<Events> = {"]
    table += [f"\t{_literal(event)}: read{model}," for event, model in events.items()]
    body = "\n\n".join([*blocks, "\n".join([*table, "};"])])
    words = set(re.findall(r"\w+", body))
    imports = [
        f'import {{ {", ".join(name for name in _READERS if name in words)}, type Members }} from "../json";',
        f'import type {{ {", ".join(sorted([*models, "Events"]))} }} from "./contract";',
    ]
    return "\n\n".join([head, "\n".join(imports), body]) + "\n"


def _put_behind_its_parts(name: str, schemas: Mapping[str, Any], order: dict[str, None]) -> None:
    """Put a model into the order, behind the models that it is made of."""
    if name not in order:
        for part in _parts(schemas[name]):
            _put_behind_its_parts(part, schemas, order)
        order[name] = None


def _parts(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if "$ref" in node:
            yield _name(node)
        for value in node.values():
            yield from _parts(value)
    elif isinstance(node, list):
        for value in node:
            yield from _parts(value)


def _block(name: str, schemas: Mapping[str, Any]) -> Iterator[str]:
    """The readers of a model's members, for who needs only some of them; and the reader of the whole."""
    members = name[0].lower() + name[1:]
    required = schemas[name].get("required", ())
    yield f"export const {members}: Members<{name}> = {{"
    for member, schema in schemas[name].get("properties", {}).items():
        reader = _reader(schema, schemas) if member in required else _optional(schema, schemas)
        yield f"\t{member}: {reader},"
    yield "};"
    yield f"export const read{name} = {_call('record', members)};"


def _optional(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> str:
    """The reader of a member that may be missing."""
    fallback = schema.get("default", _EMPTY.get(schema.get("type", "")))
    kinds = [kind for kind in schema.get("anyOf", ()) if kind.get("type") != "null"]
    reader = _reader({"anyOf": kinds} if kinds else schema, schemas)
    return reader if reader == "unknown" else _with_fallback(reader, _literal(fallback))


def _reader(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> str:
    """The reader of a schema. A kind of schema that the models do not use yet is an error."""
    if "$ref" in schema:
        name = _name(schema)
        return _reader(schemas[name], schemas) if "enum" in schemas[name] else f"read{name}"
    if "enum" in schema or "const" in schema:
        values = schema.get("enum", [schema.get("const")])
        return _call("oneOf", *map(_literal, values))
    if "anyOf" in schema:
        kinds = [_reader(kind, schemas) for kind in schema["anyOf"] if kind.get("type") != "null"]
        reader = kinds[0] if len(kinds) == 1 else _call("either", *kinds)
        return reader if len(kinds) == len(schema["anyOf"]) else _with_fallback(reader, "null")
    match schema.get("type"):
        case "array":
            return _call("readable" if schema.get("skipUnknown") else "list", _reader(schema["items"], schemas))
        case "object":
            extra = schema.get("additionalProperties", True)
            return _call("dictionary", _reader(extra, schemas)) if isinstance(extra, dict) else "object"
        case str(kind) if kind in _PLAIN:
            return "time" if schema.get("format") == "date-time" else _PLAIN[kind]
        case other:
            raise ValueError(f"the models have a kind of schema that is not known here: {other!r}")


def _with_fallback(reader: str, fallback: str) -> str:
    return _SHORT.get((reader, fallback)) or _call("optional", reader, fallback)


def _call(function: str, *arguments: str) -> str:
    return f"/* @__PURE__ */ {function}({', '.join(arguments)})"


def _name(reference: Mapping[str, Any]) -> str:
    return str(reference["$ref"]).rpartition("/")[2]


def _literal(value: Any) -> str:
    return orjson.dumps(value).decode()
