"""`vault-bridge history` lists what was changed; `undo` and `redo` reverse a change and make it again."""

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import typer
from rich.text import Text

from bridge.cli.arguments import BadArguments
from bridge.cli.connection import ask, run_once, tell
from bridge.cli.diff import draw_changes, draw_counts
from bridge.cli.family import Column, Table, Thing, when
from bridge.cli.layout import SINCE_HELP, local_time, since_time, wrap
from bridge.cli.options import AsJson, Vault
from bridge.cli.printer import FAILURE, Printer, confirm_or_end, fail, show_result
from bridge.cli.sanitize import sanitize
from bridge.client import Connection, Result

OUTSIDE: Final = "outside-"
"""The prefix of the IDs of changes by other programs."""


class Origin(StrEnum):
    """The author of a change made without the bridge."""

    TYPED = "typed"
    OBSIDIAN = "obsidian"
    PROGRAM = "program"


MOST_LEFT: Final = 5
"""Files that stay as they are and are named with their change."""

LOOK_BACK: Final = 1000
"""Changes among which the one that was reversed is looked for, to say more about it."""

ChangeId = Annotated[
    str | None, typer.Argument(metavar="[ID]", show_default=False, help="As `vault-bridge history` shows it.")
]
Since = Annotated[str | None, typer.Option(metavar="TIME", help=SINCE_HELP)]
ClientOption = Annotated[str | None, typer.Option(metavar="NAME", help="Only changes by this client.")]
ToolOption = Annotated[str | None, typer.Option(metavar="NAME", help="Only changes with this tool.")]


def history(
    note: Annotated[
        str | None,
        typer.Argument(metavar="[NOTE]", help="Only changes to this note, file or folder.", show_default=False),
    ] = None,
    *,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many.")] = 20,
    before: Annotated[str | None, typer.Option(metavar="ID", help="Only changes older than this one.")] = None,
    since: Since = None,
    client: ClientOption = None,
    tool: ToolOption = None,
    outside: Annotated[bool, typer.Option("--outside", help="Only what was changed without the bridge.")] = False,
    origin: Annotated[
        Origin | None,
        typer.Option(help="Of that, only what you typed in Obsidian, what Obsidian did, or what another program did."),
    ] = None,
    diff: Annotated[str | None, typer.Option(metavar="ID", help="Show what this change did instead.")] = None,
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """Show what was changed, newest first.

    What was changed without the bridge is listed too, where it was recorded: what you typed in Obsidian (one entry a
    note and hour), what Obsidian did, and what other programs did. These IDs begin with "outside-".

    Examples:
      vault-bridge history
      vault-bridge history "Meeting notes"     what was changed in one note
      vault-bridge history --since 1h --client "Claude Code"
      vault-bridge history --diff patch-1f0c9a what one change did
      vault-bridge history --outside           what was done without the bridge
      vault-bridge history --origin program    what other programs did
      vault-bridge undo patch-1f0c9a           undo one of them
    """
    printer = Printer(as_json=as_json)
    if diff is not None:
        _show_diff(vault, diff, printer)
        return
    filters: dict[str, Any] = {"before": before, "path": note} | _filters(since, client, tool)
    if outside:
        filters["outside"] = True
    if origin is not None:
        filters["origin"] = origin.value
    params = {"limit": limit} | {name: value for name, value in filters.items() if value is not None}
    what = f"Nothing in {note} has" if note else "Nothing has"
    few = " like that" if since or client or tool or origin else " without the bridge" if outside else " yet"
    Table(_COLUMNS, f"{what} been changed{few}.").print(printer, ask(vault, "history.list", **params))


def undo(
    execution_ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ID]...", show_default=False, help="As `vault-bridge history` shows them."),
    ] = None,
    *,
    since: Since = None,
    client: ClientOption = None,
    tool: ToolOption = None,
    file: Annotated[
        list[str] | None,
        typer.Option("--file", metavar="PATH", help="Of a change by another program, only this file or folder."),
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="With several changes, or one by another program: do not ask.")
    ] = False,
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """Undo a change, or several as a whole.

    Without an ID, that is the newest one that is not undone yet. With several IDs, --since, --client or --tool, it is
    all that fit, newest first: they are listed, and you are asked. What was written elsewhere in a file since stays; a
    file that was edited in the same place stays as it is and is named, and the others are undone. Undo the change again
    for what was left. You are the user, so agents' questions are not asked again.

    Examples:
      vault-bridge undo
      vault-bridge undo patch-1f0c9a
      vault-bridge undo --since 1h --client "Claude Code"
      vault-bridge undo outside-12        what another program did, as `vault-bridge history` lists it
      vault-bridge redo                   make it again
    """
    named, filters = execution_ids or [], _filters(since, client, tool)
    if len(named) == 1 and named[0].startswith(OUTSIDE):
        _undo_outside(named[0], file, vault, Printer(as_json=as_json), sure=yes)
        return
    if file:
        raise BadArguments(f"--file goes with one ID that begins with {OUTSIDE!r}")
    if len(named) > 1 or any(value is not None for value in filters.values()):
        given = filters | {"executionIds": named or None}
        params = {name: value for name, value in given.items() if value is not None}
        _undo_all(vault, params, Printer(as_json=as_json), sure=yes)
    else:
        _reverse("undo", named[0] if named else None, vault, as_json=as_json)


def redo(execution_id: ChangeId = None, vault: Vault = None, as_json: AsJson = False) -> None:
    """Make an undone change again.

    Without an ID, that is the one undone last.

    Examples:
      vault-bridge redo
      vault-bridge redo patch-1f0c9a
    """
    _reverse("redo", execution_id, vault, as_json=as_json)


def _filters(since: str | None, client: str | None, tool: str | None) -> dict[str, str | None]:
    return {"since": since_time(since), "client": client, "tool": tool}


def _show_diff(vault: Path | None, execution_id: str, printer: Printer) -> None:
    """Show what a change did to each file."""
    found = ask(vault, "history.diff", executionId=execution_id)
    if printer.as_json:
        printer.json(found)
        return
    printer.lines(draw_changes(found["files"], printer.width))
    if found["lost"]:
        printer.say(f"Not kept: what {', '.join(found['lost'])} held before or after this change.")


def _undo_all(vault: Path | None, params: dict[str, Any], printer: Printer, *, sure: bool) -> None:
    """List what would be undone, ask, and undo exactly that."""
    shown = ask(vault, "history.undoAll", preview=True, **params)
    wanted = [change["executionId"] for change in shown["changes"] if change["undone"]]
    if not printer.as_json:
        printer.lines(line for change in shown["changes"] for line in _draw_fate(change, printer.width))
        printer.say(f"{shown['text']}.")
    if not wanted:
        raise typer.Exit(FAILURE)
    confirm_or_end(printer, "Undo them?", "Nothing was undone.", sure=sure)
    answer = tell(vault, "history.undoAll", executionIds=wanted)
    if printer.as_json:
        printer.json(answer)
    else:
        failed = [change for change in answer["changes"] if change["left"] or not change["undone"]]
        printer.lines(line for change in failed for line in _draw_fate(change, printer.width))
        printer.text(f"{answer['text']}.")
    if answer["skipped"] or any(change["left"] for change in answer["changes"]):
        raise typer.Exit(FAILURE)


def _undo_outside(
    execution_id: str, files: list[str] | None, vault: Path | None, printer: Printer, *, sure: bool
) -> None:
    """Show what another program did, ask, and take it back."""
    files = [path.strip("/") for path in files or ()]
    if not sure:
        found = ask(vault, "history.diff", executionId=execution_id)
        shown = [one for one in found["files"] if not files or _is_within(one, files)]
        if not printer.as_json:
            printer.lines(draw_changes(shown, printer.width))
            printer.say("Other devices get this too, if the vault is synced.")
        confirm_or_end(printer, "Undo this?", "Nothing was undone.", sure=False)
    params: dict[str, Any] = {"executionId": execution_id} | ({"paths": files} if files else {})
    show_result(Result(tell(vault, "history.undo", **params)), printer)


def _is_within(file: dict[str, Any], paths: list[str]) -> bool:
    """Return whether a file is one of these, or lies in one of them."""
    places = [place for place in (file["path"], file.get("newPath")) if place]
    return any(place == path or place.startswith(f"{path}/") for place in places for path in paths)


def _draw_fate(change: dict[str, Any], width: int) -> Iterator[Text]:
    """Yield one change that is to be undone, and why it cannot be, where it cannot."""
    mark = Text("  undo  ", "green") if change["undone"] else Text("  keep  ", "yellow")
    what = Text.assemble(f"{local_time(change['time'])}  ", sanitize(change["who"]), ": ")
    why = Text.assemble(" (", sanitize(change["why"]), ")") if change["why"] else _but(change["left"])
    yield from wrap(Text.assemble(mark, what, _summary(change), why), width, rest=" " * 8)


def _summary(entry: dict[str, Any]) -> Text:
    files = entry["files"]
    return sanitize(" ".join(str(entry.get("summary") or (files[0] if files else entry["tool"])).split()))


def _reverse(kind: Literal["undo", "redo"], execution_id: str | None, vault: Path | None, *, as_json: bool) -> None:
    """Undo or redo a change, and say which that was."""
    printer = Printer(as_json=as_json)
    named = {} if execution_id is None else {"executionId": execution_id}

    async def work(bridge: Connection) -> tuple[Result, list[dict[str, Any]]]:
        reversed_ = Result(await bridge.request(f"history.{kind}", **named))
        return reversed_, await bridge.request("history.list", limit=LOOK_BACK)

    result, changes = run_once(vault, work)
    if not as_json and execution_id is None and result.error_type == "not_found":
        fail(f"Nothing to {kind}.")
    show_result(result, printer)
    if not isinstance(result.data, dict):
        return
    reversed_id = result.data.get("undone") or result.data.get("redone")
    for entry in changes:
        if entry["executionId"] == reversed_id and not as_json:
            said = _describe(entry, "undone" if kind == "undo" else "made again")
            printer.lines(wrap(said, printer.width, first="  ", rest="  "))
    if result.data.get("left"):
        raise typer.Exit(FAILURE)


def _what(entry: Thing) -> Text:
    state = "" if entry["state"] == "applied" else f" ({entry['state']}{_but(entry['left']).plain})"
    backup = "" if entry.get("canUndo", True) else " (no backup)"
    return Text.assemble(_summary(entry), (state, "yellow"), (backup, "red"))


def _but(left: list[dict[str, Any]]) -> Text:
    """Return which files stay as they are, and why, as it goes on after a word."""
    named = "; ".join(f"{one['path']} stays: {one['why']}" for one in left[:MOST_LEFT])
    more = f"; {len(left) - MOST_LEFT:,} more" if len(left) > MOST_LEFT else ""
    return sanitize(f", but {named}{more}") if left else Text()


_COLUMNS: Final[tuple[Column, ...]] = (
    ("Change", "executionId", "bold"),
    ("Time", when("time")),
    ("By", "who"),
    ("Lines", lambda entry: draw_counts(entry["added"], entry["removed"])),
    ("What", _what),
)


def _describe(entry: dict[str, Any], what: str) -> Text:
    counts = draw_counts(entry["added"], entry["removed"])
    who = Text.assemble(sanitize(entry["tool"]), " by ", sanitize(entry["client"]), f" of {local_time(entry['time'])}")
    return Text.assemble(who, ", ", counts, f", {what}")
