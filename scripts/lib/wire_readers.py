"""TypeScript that checks what arrives: for each model one line that says the shape of a message of its kind.

The plugin's `core/shape.ts` reads such a line and makes the reader of it. A member is `name:kind`, and a kind

    s n b t a o    a string, number, boolean, time, anything, an object
    [k] ~k {k}     a list of k; a list of those k that can be read; an object with any names, all k
    <"a","b">      one of these values
    (k|k)          the first of these that fits
    0 1 2          another model: the reader that is given at this place
    k? k=JSON      k, or null or what is given, where it is missing or null

Every call is marked as pure, so that the bundle has only the readers that are used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import orjson

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_PLAIN: Final = {"string": "s", "integer": "n", "number": "n", "boolean": "b", "any": "a"}
_EMPTY: Final[dict[str, Any]] = {"array": [], "object": {}}
"""What a member is that is missing, where the model makes a new one each time."""


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
    table = ["/** The reader of each event. */", "export const EVENT_READERS: Members<Events> = {"]
    table += [f"\t{_literal(event)}: read{model}," for event, model in events.items()]
    body = "\n\n".join(["\n".join(_model(name, schemas) for name in models), "\n".join([*table, "};"])])
    imports = [
        'import type { Members } from "../json";',
        'import { model } from "../shape";',
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


def _model(name: str, schemas: Mapping[str, Any]) -> str:
    """The line of one model."""
    parts: dict[str, None] = {}
    required = schemas[name].get("required", ())
    members = [
        f"{member}:{_kind(found, schemas, parts) if member in required else _optional(found, schemas, parts)}"
        for member, found in schemas[name].get("properties", {}).items()
    ]
    if spaced := next((member for member in members if " " in member or "`" in member), None):
        raise ValueError(f"a default with a blank or a backtick has no place in a shape: {spaced}")
    arguments = ", ".join([f"`{' '.join(members)}`", *(f"read{part}" for part in parts)])
    return f"export const read{name} = /* @__PURE__ */ model<{name}>({arguments});"


def _optional(schema: Mapping[str, Any], schemas: Mapping[str, Any], parts: dict[str, None]) -> str:
    """The kind of a member that may be missing."""
    fallback = schema.get("default", _EMPTY.get(schema.get("type", "")))
    kinds = [kind for kind in schema.get("anyOf", ()) if kind.get("type") != "null"]
    kind = _kind({"anyOf": kinds} if kinds else schema, schemas, parts)
    if kind == "a":
        return kind
    return f"{kind}?" if fallback is None else f"{kind}={_literal(fallback)}"


def _kind(schema: Mapping[str, Any], schemas: Mapping[str, Any], parts: dict[str, None]) -> str:
    """The kind of a schema. One that the models do not use yet is an error.

    Args:
        schema: The schema.
        schemas: Those of all models.
        parts: The models that this one is made of, in order; those that are new are put in.
    """
    name = _name(schema) if "$ref" in schema else ""
    if name and "enum" not in schemas[name]:
        parts.setdefault(name)
        return str(list(parts).index(name))
    schema = schemas[name] if name else schema
    if "enum" in schema or "const" in schema:
        values = schema.get("enum", [schema.get("const")])
        return f"<{','.join(map(_literal, values))}>"
    if "anyOf" in schema:
        kinds = [_kind(kind, schemas, parts) for kind in schema["anyOf"] if kind.get("type") != "null"]
        kind = kinds[0] if len(kinds) == 1 else f"({'|'.join(kinds)})"
        return kind if len(kinds) == len(schema["anyOf"]) else f"{kind}?"
    match schema.get("type"):
        case "array":
            item = _kind(schema["items"], schemas, parts)
            return f"~{item}" if schema.get("skipUnknown") else f"[{item}]"
        case "object":
            extra = schema.get("additionalProperties", True)
            return f"{{{_kind(extra, schemas, parts)}}}" if isinstance(extra, dict) else "o"
        case str(kind) if kind in _PLAIN:
            return "t" if schema.get("format") == "date-time" else _PLAIN[kind]
        case other:
            raise ValueError(f"the models have a kind of schema that is not known here: {other!r}")


def _name(reference: Mapping[str, Any]) -> str:
    return str(reference["$ref"]).rpartition("/")[2]


def _literal(value: Any) -> str:
    return orjson.dumps(value).decode()
