"""The parts of the reference pages that are made from the code: `python3 scripts/write-reference [--check]`.

In `docs/protocol.md`: the parameters of each method, its text (what follows the first line of the handler's docstring,
where there is more of it), the codes of errors, and which notifications there are with which parameters. In
`docs/tools.md`: the two tables with which a tool's section begins. In `docs/settings.md`: the rows of the settings.
Everything else on these pages is written by hand.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bridge.contract.base import Event, SparseEvent
from bridge.contract.consent import ConsentRequest
from bridge.contract.events import ToolStarted
from bridge.contract.every_event import EVENTS
from bridge.rpc.frames import CODES
from bridge.rpc.methods import METHODS
from bridge.settings.model import Settings, schema
from bridge.tools import specs
from bridge.tools.servers import McpLoaderTool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bridge.rpc.dispatch import Method
    from bridge.toolkit.tool import ToolSpec

DOCS: Final = Path(__file__).resolve().parents[2] / "docs"
COMMAND: Final = "python3 scripts/write-reference"


def protocol_page(page: str) -> str:
    """Return the page of the protocol with the parts that are made.

    Raises:
        ValueError: A method has no section, or the page has no table of notifications.
    """
    for method in METHODS.values():
        page = _replaced(page, rf"(?<=^### `{re.escape(method.name)}`\n\n)Parameters: .*?(?=^##)", _section(method))
    codes = "".join(f"| {code} | {when} |\n" for code, when in CODES.items())
    page = _replaced(page, r"(?<=^\| code \| when \|\n\|---\|---\|\n)(\| -\d+[^\n]*\n)+", lambda _: codes)
    return _replaced(page, r"(?<=^\| method \| to \| parameters \|\n\|---\|---\|---\|\n).*?(?=\n\n)", _notifications)


def tools_page(page: str) -> str:
    """Return the page of the tools with the parts that are made.

    Raises:
        ValueError: A section of a tool does not begin with its tables.
    """
    found = {spec.name: spec for spec in [*specs(), McpLoaderTool.spec]}
    for name in re.findall(r"^## `(\w+)`$", page, re.MULTILINE):
        spec = found[name]
        page = _replaced(page, rf"(?<=^## `{name}`\n\n).*?(?=^## |\Z)", partial(_tool, spec))
    return page


def settings_page(page: str) -> str:
    """Return the page of the settings with the parts that are made.

    Raises:
        ValueError: The page has no table for a section of the settings.
    """
    properties: dict[str, dict[str, Any]] = schema()["properties"]
    offered = schema(offered=True)["properties"]
    sections: dict[str, list[str]] = {}
    for key, described in properties.items():
        section = rf"\(`{described['section']}`\)" if key in offered else "without effect in this version"
        sections.setdefault(section, []).append(_setting(key, described))
    for section, rows in sections.items():
        page = _replaced(page, rf"^## [^\n]*{section}$.*?(?=^## |\Z)", partial(_with_rows, rows))
    return page


PAGES: Final[dict[str, Callable[[str], str]]] = {
    "protocol.md": protocol_page,
    "settings.md": settings_page,
    "tools.md": tools_page,
}


def parameters(method: Method) -> str:
    """Return the line with the parameters of a method."""
    names = [
        f"`{field.alias or name}{'' if field.is_required() else '?'}`"
        for name, field in method.params.model_fields.items()
    ]
    return f"Parameters: {', '.join(names) or 'none'}"


def described(documented: object) -> str:
    """Return what a docstring says after its first line and before its sections, with a line for each paragraph."""
    lines = (inspect.getdoc(documented) or "").split("\n")[1:]
    end = next((at for at, line in enumerate(lines) if _SECTION.fullmatch(line)), len(lines))
    text: list[str] = []
    for line in lines[:end]:
        begins = not line or not text or not text[-1] or line.startswith("- ")
        text[len(text) if begins else -1 :] = [line if begins else f"{text[-1]} {line.strip()}"]
    return "\n".join(text).strip()


_SECTION: Final = re.compile(r"(Args|Attributes|Raises|Returns|Yields):")


def _section(method: Method) -> Callable[[str], str]:
    """Make the section of a method: its parameters, and its text where the handler's docstring has it."""

    def section(old: str) -> str:
        text = described(method.handler) or old.partition("\n")[2].strip()
        return f"{parameters(method)}\n\n{text}\n\n"

    return section


def _notifications(old: str) -> str:
    """Make the rows of the notifications: the parameters are the event's, the other words are kept."""
    rows = {row.split("`")[1]: row for row in old.splitlines()}
    missing = [event.event_name for event in EVENTS if event.event_name not in rows]
    if missing:
        raise ValueError(f"the table of notifications needs rows for {', '.join(missing)}")
    return "\n".join(_notification(event, rows[event.event_name]) for event in EVENTS)


def _notification(event: type[Event], row: str) -> str:
    if issubclass(event, ConsentRequest):
        return row  # the whole question
    begun = issubclass(event, ToolStarted) and event is not ToolStarted
    names = [
        f"{field.alias or name}{'' if field.is_required() or not issubclass(event, SparseEvent) else '?'}"
        for name, field in event.model_fields.items()
        if not (begun and name in ToolStarted.model_fields)
    ]
    before, _, rest = row.partition(" `{")
    before = before.removesuffix(" those of `tool.started` and")
    return (
        f"{before}{' those of `tool.started` and' if begun else ''} `{{{', '.join(names)}}}`{rest.partition('}`')[2]}"
    )


def _tool(spec: ToolSpec, old: str) -> str:
    """Make the two tables of a tool, and keep the words before and after them."""
    before, facts, after = old.partition("| operation | risk |")
    if not facts:
        raise ValueError(f"the section of {spec.name} needs its table")
    _, _, after = after.partition("\n\n")
    if after.startswith("| parameter |"):
        after = after.partition("\n\n")[2]
    can = "yes" if spec.can_bypass else "no"
    kind = f"`{spec.default_mode.value}` | {spec.consent_class.value}"
    made = [
        "| operation | risk | default mode | class | can bypass | calls a minute |",
        "|---|---|---|---|---|---|",
        f"| {spec.operation.value} | {spec.risk.value} | {kind} | {can} | {spec.default_rate} |",
        "",
    ]
    if rows := list(_rows(spec.parameters.json_schema)):
        made += ["| parameter | | |", "|---|---|---|", *rows, ""]
    return before + "\n".join([*made, after])


def _rows(schema: dict[str, Any], prefix: str = "") -> Iterator[str]:
    """Yield a row for each parameter, nested ones by their path."""
    for name, member in schema.get("properties", {}).items():
        need = "required" if name in schema.get("required", []) else "optional"
        yield f"| `{prefix}{name}` | {member['type']}, {need} | {member.get('description', '')} |"
        yield from _rows(member.get("items", {}), f"{prefix}{name}[].")


def _with_rows(rows: list[str], section: str) -> str:
    """Return a section of the settings with other rows in its table."""
    head = "| setting | default | values | meaning |\n|---|---|---|---|\n"
    before, found, after = section.partition(head)
    if not found:
        raise ValueError(f"this section needs a table of settings: {section.partition(chr(10))[0]}")
    rest = re.sub(r"\A(\|[^\n]*\n)*", "", after)
    return before + head + "".join(f"{row}\n" for row in rows) + rest


def _setting(key: str, described: dict[str, Any]) -> str:
    """Return the row of a setting."""
    kinds = [described, *described.get("anyOf", [])]
    low, high, options = (
        next((kind[name] for kind in kinds if name in kind), None) for name in ("minimum", "maximum", "enum")
    )
    if options:
        bounds = ", ".join(json.dumps(option) for option in options)
    elif low is None and high is None:
        bounds = ""
    else:
        bounds = f"{low:,} to {high:,}" if high is not None else f"{low:,} or more"
    bounds = f"{bounds} {described.get('unit', '')}".strip()
    if none := described.get("none"):
        bounds = f"{bounds}; null: {none.lower()}".removeprefix("; ")
    default = json.dumps(Settings().to_wire()[key])
    return f"| `{key}` | `{default}` | {bounds} | {described['description']} |"


def _replaced(page: str, place: str, make: Callable[[str], str]) -> str:
    """Return a page with the text of one place made anew.

    Raises:
        ValueError: The page does not have the place once.
    """
    made, count = re.subn(place, lambda found: make(found[0]), page, flags=re.MULTILINE | re.DOTALL)
    if count != 1:
        raise ValueError(f"the page needs this place once, and has it {count} times: {place}")
    return made


def main(arguments: Sequence[str], docs: Path = DOCS) -> int:
    """Write the pages, or those that are named; with `--check`, say whether they are up to date."""
    stale = []
    for name, make in PAGES.items():
        if PAGES.keys() & set(arguments) and name not in arguments:
            continue
        before = (docs / name).read_text(encoding="utf-8")
        try:
            after = make(before)
        except ValueError as error:
            sys.stderr.write(f"{name}: {error}\n")
            return 1
        if after != before:
            stale.append(name)
            if "--check" not in arguments:
                (docs / name).write_text(after, encoding="utf-8", newline="\n")
    if stale and "--check" in arguments:
        sys.stderr.write(
            f"{', '.join(stale)}: not as the code says. Change the docstring, the description or the model that the "
            f"words come from, then run `{COMMAND}`\n"
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
