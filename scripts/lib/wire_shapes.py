"""The shapes of what the plugin receives, in short: a line for each model, read by its `core/wire/reading.ts`.

A line has the model's name and its members, each as `name:kind`; a name alone is a model all of whose members it has.
That of an enumeration has its values. A kind

    s n b t a o    a string, number, boolean, time, anything, an object
    [k] ~k {k}     a list of k; a list of those k that can be read; an object with any names, all k
    <"a","b">      one of these values
    (k|k)          the first of these that fits
    Name           another line
    k? k=JSON      k, or null or what is given, where it is missing or null

Only what the plugin names in its code has a line, and what that is made of; and of a model, only the members whose
names stand anywhere in that code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import orjson

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

_PLAIN: Final = {"string": "s", "integer": "n", "number": "n", "boolean": "b", "any": "a"}
_EMPTY: Final[dict[str, Any]] = {"array": [], "object": {}}
"""What a member is that is missing, where the model makes a new one each time."""
_WORTH: Final = 4
"""The members that two models must have in common for one to name the other; fewer are in common by chance."""
_WHOLE: Final = frozenset({"consent.pending", "consent.respondAll"})
"""The methods that answer with a list of which nothing may be passed over."""


def render_shapes(
    head: str,
    schemas: Mapping[str, Any],
    answers: Mapping[str, Any],
    events: Mapping[str, str],
    others: Iterable[str] = (),
    *,
    words: Collection[str] | None = None,
) -> str:
    """Return the whole file.

    Args:
        head: Its first line.
        schemas: The JSON Schema of every model that is received, by the model's name.
        answers: The JSON Schema of what each method answers.
        events: The models of the events, by their names on the wire.
        others: Models that come in another way.
        words: The names of members that can be used; None: all.
    """
    if words is not None:
        schemas = {name: _named(schema, words) for name, schema in schemas.items()}
    found: set[str] = set()
    for schema in [*answers.values(), *({"$ref": name} for name in [*events.values(), *others])]:
        _gather(schema, schemas, found)
    names = sorted(found)
    models = [name for name in names if "enum" not in schemas[name]]
    members = {name: _members(schemas[name]) for name in models}
    lines = {name: _kind(schemas[name]) for name in names if "enum" in schemas[name]}
    lines |= {name: " ".join(_shared(name, members)) for name in models}
    blocks = [
        f'import type {{ {", ".join(models)} }} from "./contract";',
        "\n".join(["export interface Models {", *(f"\t{name}: {name};" for name in models), "}"]),
        _table("What each method answers.", "ANSWERS", {name: _answer(name, kind) for name, kind in answers.items()}),
        _table("What each event holds.", "EVENTS", events),
        "\n".join(["export const SHAPES = `", *(f"{name} {lines[name]}".rstrip() for name in names), "`;"]),
    ]
    return "\n\n".join([head, *blocks]) + "\n"


def _gather(node: Any, schemas: Mapping[str, Any], found: set[str]) -> None:
    """Add the models that a schema is made of, and what those are made of."""
    for name in _parts(node):
        if name not in found:
            found.add(name)
            _gather(schemas[name], schemas, found)


def _parts(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if "$ref" in node:
            yield _name(node)
        for value in node.values():
            yield from _parts(value)
    elif isinstance(node, list):
        for value in node:
            yield from _parts(value)


def _table(about: str, name: str, rows: Mapping[str, str]) -> str:
    lines = [f"\t{_literal(row)}: {_literal(kind)}," for row, kind in rows.items()]
    return "\n".join([f"/** {about} */", f"export const {name} = {{", *lines, "} as const;"])


def _answer(method: str, schema: Mapping[str, Any]) -> str:
    kind = _kind(schema)
    return f"~{kind[1:-1]}" if kind.startswith("[") and method not in _WHOLE else kind


def _named(schema: Mapping[str, Any], words: Collection[str]) -> dict[str, Any]:
    """Return a schema with those members alone whose names are among the words."""
    members = {member: found for member, found in schema.get("properties", {}).items() if member in words}
    return {**schema, "properties": members}


def _members(schema: Mapping[str, Any]) -> list[str]:
    """Return what the line of a model says of its members."""
    required = schema.get("required", ())
    members = [
        f"{member}:{_kind(found) if member in required else _optional(found)}"
        for member, found in schema.get("properties", {}).items()
    ]
    if spaced := next((member for member in members if set(member) & set(" `\\$")), None):
        raise ValueError(f"a default with a blank or a sign of templates has no place in a shape: {spaced}")
    return members


def _shared(name: str, members: Mapping[str, list[str]]) -> list[str]:
    """Return the members of a model, those of the largest other one that it has all of by its name."""
    own = members[name]
    parts = [
        other
        for other, has in members.items()
        if len(has) >= _WORTH and set(has) <= set(own) and (len(has), other) < (len(own), name)
    ]
    if not parts:
        return own
    base = max(parts, key=lambda other: len(members[other]))
    return [base, *(member for member in own if member not in members[base])]


def _optional(schema: Mapping[str, Any]) -> str:
    """Return the kind of a member that may be missing."""
    fallback = schema.get("default", _EMPTY.get(schema.get("type", "")))
    kinds = [kind for kind in schema.get("anyOf", ()) if kind.get("type") != "null"]
    kind = _kind({"anyOf": kinds} if kinds else schema)
    if kind == "a":
        return kind
    return f"{kind}?" if fallback is None else f"{kind}={_literal(fallback)}"


def _kind(schema: Mapping[str, Any]) -> str:
    """Return the kind of a schema. One that the models do not use yet is an error."""
    if "$ref" in schema:
        return _name(schema)
    if "enum" in schema or "const" in schema:
        values = schema.get("enum", [schema.get("const")])
        return f"<{','.join(map(_literal, values))}>"
    if "anyOf" in schema:
        kinds = [_kind(kind) for kind in schema["anyOf"] if kind.get("type") != "null"]
        kind = kinds[0] if len(kinds) == 1 else f"({'|'.join(kinds)})"
        return kind if len(kinds) == len(schema["anyOf"]) else f"{kind}?"
    match schema.get("type"):
        case "array":
            item = _kind(schema["items"])
            return f"~{item}" if schema.get("skipUnknown") else f"[{item}]"
        case "object":
            extra = schema.get("additionalProperties", True)
            return f"{{{_kind(extra)}}}" if isinstance(extra, dict) else "o"
        case str(kind) if kind in _PLAIN:
            return "t" if schema.get("format") == "date-time" else _PLAIN[kind]
        case other:
            raise ValueError(f"the models have a kind of schema that is not known here: {other!r}")


def _name(reference: Mapping[str, Any]) -> str:
    return str(reference["$ref"]).rpartition("/")[2]


def _literal(value: Any) -> str:
    return orjson.dumps(value).decode()
