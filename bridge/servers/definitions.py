"""A server's definition of one of its tools, bounded and made plain before anybody looks at it."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

import orjson

from bridge.vault.text import without_hidden_characters

MOST: Final = 200
"""Tools of one server."""
LONGEST_NAME: Final = 128
"""Characters, as the protocol has it."""
LONGEST_DESCRIPTION: Final = 2_000
_LONGEST_TOOL: Final = 64
_OTHER: Final = re.compile(r"[^A-Za-z0-9_-]")
_HASHED: Final = 6


class Definition(NamedTuple):
    """A tool of a server, as the server describes it.

    Attributes:
        name: What the server calls it.
        title: For people.
        description: For models, in the server's words.
        schema: What it takes.
        read_only: Whether it says that it changes nothing.
        destructive: Whether it says that it destroys.
        idempotent: Whether it says that a second call does nothing more.
    """

    name: str
    title: str
    description: str
    schema: Mapping[str, Any]
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False

    @property
    def text(self) -> str:
        """Return all of it as text, the same for the same definition: what is compared, and what a diff shows."""
        says = [name for name in ("read_only", "destructive", "idempotent") if getattr(self, name)]
        head = [f"name: {self.name}", f"title: {self.title}", f"says of itself: {', '.join(says) or 'nothing'}"]
        return "\n".join([*head, self.description, self.takes]) + "\n"

    @property
    def takes(self) -> str:
        """Return its schema as people read it, the same for the same schema."""
        return orjson.dumps(self.schema, option=orjson.OPT_SORT_KEYS | orjson.OPT_INDENT_2).decode()

    @property
    def fingerprint(self) -> str:
        """Return a hash of all of it."""
        return hashlib.sha256(self.text.encode(errors="surrogatepass")).hexdigest()


def accepted(tools: Iterable[Mapping[str, Any]]) -> tuple[list[Definition], list[str]]:
    """Return the definitions that can be used, and a sentence for each that cannot.

    Args:
        tools: What the server listed, as JSON.
    """
    from bridge.toolkit.json_schema import DEEPEST_SCHEMA, LARGEST_SCHEMA, is_bounded  # noqa: PLC0415 - heavy, and only for foreign tools

    found: dict[str, Definition] = {}
    faults = []
    for tool in tools:
        name, schema = tool.get("name"), tool.get("inputSchema")
        if len(found) == MOST:
            faults.append(f"it has more than {MOST} tools; the others are left out")
            break
        if not isinstance(name, str) or not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
            faults.append("a tool without a usable name is left out")
        elif name in found:
            faults.append(f"it has two tools {name!r}; the second is left out")
        elif not isinstance(schema, dict) or not is_bounded(schema):
            bounds = f"larger than {LARGEST_SCHEMA:,} bytes, or deeper than {DEEPEST_SCHEMA} levels"
            faults.append(f"the tool {name!r} is left out: its schema is none, {bounds}")
        else:
            found[name] = _definition(name, schema, tool)
    return list(found.values()), faults


def tool_name(server: str, name: str) -> str:
    """Return the name of a server's tool among ours: `mcp__server__tool`.

    A name that holds other characters, or is too long, ends in a hash of itself, so that no two become one.

    Args:
        server: The server's name.
        name: What the server calls the tool.
    """
    plain = _OTHER.sub("_", name)
    whole = f"mcp__{server}__{plain}"
    if plain == name and len(whole) <= _LONGEST_TOOL:
        return whole
    tail = hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()[:_HASHED]
    return f"{whole[: _LONGEST_TOOL - _HASHED - 1]}_{tail}"


def _definition(name: str, schema: dict[str, Any], tool: Mapping[str, Any]) -> Definition:
    hints = tool.get("annotations")
    hints = hints if isinstance(hints, dict) else {}
    title = tool.get("title") or hints.get("title") or name
    return Definition(
        name=name,
        title=_shown(title, LONGEST_NAME).replace("\n", " "),
        description=_shown(tool.get("description"), LONGEST_DESCRIPTION),
        schema=schema,
        read_only=hints.get("readOnlyHint") is True,
        destructive=hints.get("destructiveHint") is True,
        idempotent=hints.get("idempotentHint") is True,
    )


def _shown(text: object, most: int) -> str:
    """Return text of the server's as people and models see it, without characters that only one of them sees."""
    return without_hidden_characters(text if isinstance(text, str) else "")[:most].strip()
