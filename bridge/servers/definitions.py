"""A server's definition of one of its tools, bounded and made plain before anybody looks at it.

The SDK refuses a list of tools as a whole when one of them is malformed, so those are taken out first, one by one.
"""

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


_METHOD: Final = "tools/list"
_SHOWN: Final = 100


def take_out_malformed(result: dict[str, Any], version: str | None) -> list[str]:
    """Take the malformed tools out of a result, where it is a list of tools; return a sentence for each.

    Args:
        result: What the server answered. It is changed.
        version: The revision of the protocol that is spoken; None: none has been agreed on.
    """
    tools = result.get("tools")
    if not isinstance(tools, list) or version is None:
        return []
    del tools[MOST + 1 :]  # more are left out anyway
    if _fault(result, version) is None:
        return []
    found = [(tool, _fault({**result, "tools": [tool]}, version)) for tool in tools]
    # Where nothing but the rest of the answer is wrong, it is not the tools' fault.
    if _fault({**result, "tools": []}, version) is not None:
        return []
    result["tools"] = [tool for tool, fault in found if fault is None]
    return [f"the tool {_name(tool)} is left out: {fault}" for tool, fault in found if fault is not None]


def _fault(result: Mapping[str, Any], version: str) -> str | None:
    """Return what of a list is not as the protocol has it."""
    import mcp_types as types  # noqa: PLC0415 - heavy, and only where servers are used
    from mcp_types import methods  # noqa: PLC0415 - the same
    from pydantic import ValidationError  # noqa: PLC0415 - beside them

    try:
        methods.validate_server_result(_METHOD, version, result)
        types.ListToolsResult.model_validate(result, by_name=False)
    except ValidationError as error:
        place = [str(step) for step in error.errors(include_url=False, include_input=False)[0]["loc"][2:]]
        return (
            f"its {'.'.join(place)[:_SHOWN]!r} is missing or not as the protocol has it" if place else "it is no tool"
        )
    except KeyError:
        return None  # a revision without tools, about which the SDK says more
    return None


def _name(tool: object) -> str:
    name = tool.get("name") if isinstance(tool, dict) else None
    usable = isinstance(name, str) and 0 < len(name) <= LONGEST_NAME and name.isprintable()
    return repr(name) if usable else "without a usable name"
