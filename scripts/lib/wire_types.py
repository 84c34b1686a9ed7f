"""TypeScript types of what crosses the wire, from the JSON Schema of the bridge's models.

The plugin still reads every message as `unknown`; these types keep its readers to what the bridge sends. So every
member is there: the bridge leaves none out. (A ToolResult, which does, is not among them.)
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import orjson
from pydantic.json_schema import models_json_schema

from bridge.contract.consent import ConsentReply, ConsentRequest, Grant
from bridge.contract.discovery import Discovery, Endpoint
from bridge.contract.host_requests import (
    DirtyAnswer,
    DirtyQuestion,
    TrashAnswer,
    TrashQuestion,
    WriteAnswer,
    WriteQuestion,
)
from bridge.contract.index_comparison import IndexComparison, ObsidianFacts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pydantic import BaseModel

ROOT: Final = Path(__file__).resolve().parents[2]
TARGET: Final = ROOT / "obsidian-plugin" / "src" / "core" / "wire" / "contract.ts"
COMMAND: Final = "python3 scripts/generate-types"
_PLAIN: Final = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
}

MODELS: Final[tuple[type[BaseModel], ...]] = (
    Discovery,
    Endpoint,
    ConsentRequest,
    ConsentReply,
    Grant,
    DirtyQuestion,
    DirtyAnswer,
    WriteQuestion,
    WriteAnswer,
    TrashQuestion,
    TrashAnswer,
    ObsidianFacts,
    IndexComparison,
)
"""What these hold is written too."""


def render(models: Sequence[type[BaseModel]] = MODELS) -> str:
    """The whole file."""
    _, schema = models_json_schema([(model, "serialization") for model in models], by_alias=True)
    head = f"/** What crosses the wire. Written by `{COMMAND}` from the bridge's models; do not edit. */"
    blocks = ["\n".join(_block(name, found)) for name, found in sorted(schema["$defs"].items())]
    return "\n\n".join([head, *blocks]) + "\n"


def main(arguments: Sequence[str], target: Path = TARGET) -> int:
    """Write the file, or with `--check` say whether it is as it should be."""
    wanted = render()
    if "--check" not in arguments:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(wanted, encoding="utf-8", newline="\n")
        return 0
    if target.is_file() and target.read_text(encoding="utf-8") == wanted:
        return 0
    print(f"{target.name} of the plugin is not what the bridge's models say. Run: {COMMAND}", file=sys.stderr)
    return 1


def _block(name: str, schema: Mapping[str, Any]) -> Iterator[str]:
    """An interface; or for an enumeration its values, which the plugin needs when it reads, and their type."""
    if said := schema.get("description"):
        yield f"/** {_first(said)} */"
    if "enum" in schema:
        yield f"export const {name} = [{', '.join(map(_literal, schema['enum']))}] as const;"
        yield f"export type {name} = (typeof {name})[number];"
        return
    yield f"export interface {name} {{"
    for member, found in schema["properties"].items():
        if said := found.get("description"):
            yield f"\t/** {_first(said)} */"
        yield f"\t{member}: {_type(found)};"
    yield "}"


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
