"""TypeScript of what crosses the wire, from the JSON Schema of the contract's models.

`contract.ts` has the types: of every event, of every method's parameters and result, and of what they are made of.
`shapes.ts` (`wire_shapes.py`) says in short what a message must be to have such a type. Reading fills in what a message
leaves out, so the types of what the plugin receives have every member; those that its code does not name are not read.
In parameters, `?` marks those that may be left out.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import orjson
from pydantic import BaseModel, TypeAdapter
from pydantic.json_schema import models_json_schema

from bridge.contract.custom import RunToolAnswer, RunToolQuestion
from bridge.contract.discovery import Discovery, Endpoint
from bridge.contract.every_event import EVENTS
from bridge.contract.hosts import (
    DirtyAnswer,
    DirtyQuestion,
    TrashAnswer,
    TrashQuestion,
    WriteAnswer,
    WriteQuestion,
)
from bridge.contract.session import PROTOCOL
from bridge.rpc.methods import METHODS
from scripts.lib.wire_shapes import render_shapes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

ROOT: Final = Path(__file__).resolve().parents[2]
SOURCES: Final = ROOT / "obsidian-plugin" / "src"
TARGET: Final = SOURCES / "core" / "wire" / "contract.ts"
SHAPES: Final = "shapes.ts"
"""Beside the target."""
COMMAND: Final = "python3 scripts/generate-types"
HEAD: Final = f"/** What crosses the wire. Written by `{COMMAND}` from the bridge's models; do not edit. */"

_PLAIN: Final = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
    "any": "unknown",
}

_NAMED: Final = r'(?<!request\()(?<!act\()(?<!run\(form, )"([a-z]+\.[A-Za-z]+)"'
"""A method in the plugin's code, but for calls of which nobody reads the answer."""
_HANDLED: Final = r'"([a-z]+\.[A-Za-z]+)": '
"""An event in the plugin's code, with its handler."""

_FILES: Final = (Discovery, Endpoint)
_HOST_REQUESTS: Final = (DirtyQuestion, WriteQuestion, TrashQuestion, RunToolQuestion)
_HOST_ANSWERS: Final = (DirtyAnswer, WriteAnswer, TrashAnswer, RunToolAnswer)


def render(models: Sequence[type[BaseModel]] | None = None) -> str:
    """The types of some models that the plugin receives, or of everything that crosses the wire."""
    if models is not None:
        return "\n\n".join([HEAD, *_blocks(_schemas(models))]) + "\n"
    received, answers = _received(), _schemas(_HOST_ANSWERS)
    params = {method.params for method in METHODS.values() if method.params.model_fields}
    sent = _schemas(sorted(params, key=lambda model: model.__name__), "validation")
    version = f"/** The version of the protocol that this describes. */\nexport const PROTOCOL = {PROTOCOL};"
    types = {**{name: (schema, True) for name, schema in sent.items()}, **_whole(answers), **_whole(received)}
    blocks = ("\n".join(_block(name, schema, sparse=sparse)) for name, (schema, sparse) in sorted(types.items()))
    return "\n\n".join([HEAD, version, *blocks, "\n".join(_methods()), "\n".join(_events())]) + "\n"


def main(arguments: Sequence[str], target: Path = TARGET) -> int:
    """Write the files, or with `--check` say whether they are as they should be."""
    wanted = {target: render(), target.with_name(SHAPES): _shapes()}
    if "--check" not in arguments:
        target.parent.mkdir(parents=True, exist_ok=True)
        for file, text in wanted.items():
            file.write_text(text, encoding="utf-8", newline="\n")
        return 0
    stale = [
        file.name for file, text in wanted.items() if not file.is_file() or file.read_text(encoding="utf-8") != text
    ]
    if stale:
        named = " and ".join(stale)
        print(f"{named} of the plugin is not what the bridge's models say. Run: {COMMAND}", file=sys.stderr)
    return 1 if stale else 0


def _schemas(
    models: Iterable[type[BaseModel]], mode: Literal["validation", "serialization"] = "serialization"
) -> dict[str, Any]:
    """The schemas of models and of what they hold, by name."""
    _, schema = models_json_schema([(model, mode) for model in models], by_alias=True)
    definitions: dict[str, Any] = schema["$defs"]
    return definitions


def _received() -> dict[str, Any]:
    """The schemas of what the bridge sends, by name."""
    found = _schemas((*_FILES, *_HOST_REQUESTS, *EVENTS))
    for method in METHODS.values():
        if _is_model(method.result):
            found |= _schemas([method.result])
        else:
            found |= TypeAdapter(method.result).json_schema(mode="serialization").get("$defs", {})
    return found


def _shapes() -> str:
    """Return the shapes of what the plugin reads: answers, events, and what comes otherwise."""
    sources = (file for file in SOURCES.rglob("*.ts") if file.name not in {TARGET.name, SHAPES})
    code = "\n".join(file.read_text(encoding="utf-8") for file in sources)
    named = set(re.findall(_NAMED, code))
    answers = {
        name: {"$ref": method.result.__name__}
        if _is_model(method.result)
        else TypeAdapter(method.result).json_schema(mode="serialization")
        for name, method in METHODS.items()
        if name in named
    }
    for answer in answers.values():
        answer.pop("$defs", None)
    handled = set(re.findall(_HANDLED, code))
    events = {event.event_name: event.__name__ for event in EVENTS if event.event_name in handled}
    others = [*(model.__name__ for model in (*_FILES, *_HOST_REQUESTS)), *re.findall(r'[rR]eader\("(\w+)"', code)]
    return render_shapes(HEAD, _received(), answers, events, others, words=set(re.findall(r"\w+", code)))


def _is_model(result: Any) -> bool:
    """Whether a method's result is one model, and not what is made of several."""
    return isinstance(result, type) and issubclass(result, BaseModel)


def _whole(schemas: Mapping[str, Any]) -> dict[str, tuple[Any, bool]]:
    return {name: (schema, False) for name, schema in schemas.items()}


def _blocks(schemas: Mapping[str, Any]) -> Iterator[str]:
    return ("\n".join(_block(name, schema, sparse=False)) for name, schema in sorted(schemas.items()))


def _block(name: str, schema: Mapping[str, Any], *, sparse: bool) -> Iterator[str]:
    """An interface; or for an enumeration its values, which the plugin needs when it reads, and their type.

    A model without members is an empty object, which an empty interface would not say.
    """
    if said := schema.get("description"):
        yield f"/** {_first(said)} */"
    if "enum" in schema:
        yield f"export const {name} = [{', '.join(map(_literal, schema['enum']))}] as const;"
        yield f"export type {name} = (typeof {name})[number];"
        return
    if not schema.get("properties"):
        yield f"export type {name} = Record<string, never>;"
        return
    yield f"export interface {name} {{"
    required = schema.get("required", ())
    for member, found in schema["properties"].items():
        if said := found.get("description"):
            yield f"\t/** {_first(said)} */"
        yield f"\t{member}{'?' if sparse and member not in required else ''}: {_type(found)};"
    yield "}"


def _methods() -> Iterator[str]:
    yield "/** What each method takes, and what it returns. */"
    yield "export interface Methods {"
    for method in METHODS.values():
        params = method.params.__name__ if method.params.model_fields else "Record<string, never>"
        adapter = TypeAdapter(method.result)
        result = (
            method.result.__name__ if _is_model(method.result) else _type(adapter.json_schema(mode="serialization"))
        )
        yield f"\t{_literal(method.name)}: {{ params: {params}; result: {result} }};"
    yield "}"


def _events() -> Iterator[str]:
    yield "/** What each event holds. */"
    yield "export interface Events {"
    yield from (f"\t{_literal(event.event_name)}: {event.__name__};" for event in EVENTS)
    yield "}"
    yield ""
    yield "export type EventName = keyof Events;"


def _type(schema: Mapping[str, Any]) -> str:
    """A schema as a type. A kind of schema that the models do not use yet is an error, not an `unknown`."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "enum" in schema or "const" in schema:
        return _union(map(_literal, schema.get("enum", [schema.get("const")])))
    if "anyOf" in schema:
        return _union(map(_type, schema["anyOf"]))
    match schema.get("type"):
        case "array":
            inner = _type(schema["items"])
            return f"({inner})[]" if "|" in inner else f"{inner}[]"
        case "object":
            extra = schema.get("additionalProperties", True)
            return f"Record<string, {_type(extra) if isinstance(extra, dict) else 'unknown'}>"
        case str(kind) if kind in _PLAIN:
            return _PLAIN[kind]
        case other:
            raise ValueError(f"the models have a kind of schema that is not known here: {other!r}")


def _literal(value: Any) -> str:
    return orjson.dumps(value).decode()


def _union(types: Iterable[str]) -> str:
    return " | ".join(dict.fromkeys(types))


def _first(description: str) -> str:
    """The first paragraph, in one line."""
    return " ".join(description.split("\n\n", 1)[0].split()).replace("*/", "* /")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
