"""`vault-bridge history` lists what was changed; `undo` and `redo` reverse a change and make it again."""

from collections.abc import Iterator
from typing import Annotated, Any, Final, Literal

import typer
from rich.text import Text

from bridge.cli.arguments import BadArguments
from bridge.cli.diff import draw_changes, draw_counts
from bridge.cli.family import Column, CommandLine, Table, Thing, command, when
from bridge.cli.layout import SINCE_HELP, local_time, since_time, wrap
from bridge.cli.options import argument, option
from bridge.cli.printer import FAILURE, fail
from bridge.cli.sanitize import sanitize
from bridge.client import Connection, Result
from bridge.client.connection import given_of

OUTSIDE: Final = "outside-"
"""The prefix of the IDs of changes by other programs."""


Origin = Literal["typed", "obsidian", "program"]
"""The author of a change made without the bridge."""
MOST_LEFT: Final = 5
"""Files that stay as they are and are named with their change."""

LOOK_BACK: Final = 1000
"""Changes among which the one that was reversed is looked for, to say more about it."""

ChangeId = Annotated[str | None, argument("[ID]", "As `vault-bridge history` shows it.")]
Since = Annotated[str | None, option("TIME", SINCE_HELP)]
ClientOption = Annotated[str | None, option("NAME", "Only changes by this client.")]
ToolOption = Annotated[str | None, option("NAME", "Only changes with this tool.")]


@command
def history(
    cli: CommandLine,
    note: Annotated[str | None, argument("[NOTE]", "Only changes to this note, file or folder.")] = None,
    *,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many.")] = 20,
    before: Annotated[str | None, option("ID", "Only changes older than this one.")] = None,
    since: Since = None,
    client: ClientOption = None,
    tool: ToolOption = None,
    outside: Annotated[bool, option("--outside", "Only what was changed without the bridge.")] = False,
    origin: Annotated[
        Origin | None,
        option("Of that, only what you typed in Obsidian, what Obsidian did, or what another program did."),
    ] = None,
    diff: Annotated[str | None, option("ID", "Show what this change did instead.")] = None,
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
    if diff is not None:
        _show_diff(cli, diff)
        return
    filters = {"since": since_time(since), "client": client, "tool": tool, "origin": origin}
    found = cli.ask("history.list", limit=limit, before=before, path=note, outside=outside or None, **filters)
    what = f"Nothing in {note} has" if note else "Nothing has"
    few = " like that" if since or client or tool or origin else " without the bridge" if outside else " yet"
    Table(_COLUMNS, f"{what} been changed{few}.").print(cli, found)


@command
def undo(
    cli: CommandLine,
    execution_ids: Annotated[list[str] | None, argument("[ID]...", "As `vault-bridge history` shows them.")] = None,
    *,
    since: Since = None,
    client: ClientOption = None,
    tool: ToolOption = None,
    file: Annotated[
        list[str] | None, option("--file", "PATH", "Of a change by another program, only this file or folder.")
    ] = None,
    yes: Annotated[bool, option("--yes", "With several changes, or one by another program: do not ask.")] = False,
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
    named, filters = execution_ids or [], given_of(since=since_time(since), client=client, tool=tool)
    if len(named) == 1 and named[0].startswith(OUTSIDE):
        _undo_outside(cli, named[0], file, sure=yes)
    elif file:
        raise BadArguments(f"--file goes with one ID that begins with {OUTSIDE!r}")
    elif len(named) > 1 or filters:
        _undo_all(cli, filters | {"executionIds": named or None}, sure=yes)
    else:
        _reverse(cli, "undo", *named)


@command
def redo(cli: CommandLine, execution_id: ChangeId = None) -> None:
    """Make an undone change again.

    Without an ID, that is the one undone last.

    Examples:
      vault-bridge redo
      vault-bridge redo patch-1f0c9a
    """
    _reverse(cli, "redo", execution_id)


def _show_diff(cli: CommandLine, execution_id: str) -> None:
    """Show what a change did to each file."""
    found = cli.ask("history.diff", executionId=execution_id)
    if cli.as_json:
        cli.json(found)
        return
    cli.lines(draw_changes(found["files"], cli.width))
    if found["lost"]:
        cli.say(f"Not kept: what {', '.join(found['lost'])} held before or after this change.")


def _undo_all(cli: CommandLine, params: dict[str, Any], *, sure: bool) -> None:
    """List what would be undone, ask, and undo exactly that."""
    shown = cli.ask("history.undoAll", preview=True, **params)
    wanted = [change["executionId"] for change in shown["changes"] if change["undone"]]
    if not cli.as_json:
        cli.lines(line for change in shown["changes"] for line in _draw_fate(change, cli.width))
        cli.say(f"{shown['text']}.")
    if not wanted:
        raise typer.Exit(FAILURE)
    cli.confirm_or_end("Undo them?", "Nothing was undone.", sure=sure)
    answer = cli.tell("history.undoAll", executionIds=wanted)
    if cli.as_json:
        cli.json(answer)
    else:
        failed = [change for change in answer["changes"] if change["left"] or not change["undone"]]
        cli.lines(line for change in failed for line in _draw_fate(change, cli.width))
        cli.text(f"{answer['text']}.")
    if answer["skipped"] or any(change["left"] for change in answer["changes"]):
        raise typer.Exit(FAILURE)


def _undo_outside(cli: CommandLine, execution_id: str, files: list[str] | None, *, sure: bool) -> None:
    """Show what another program did, ask, and take it back."""
    files = [path.strip("/") for path in files or ()]
    if not sure:
        found = cli.ask("history.diff", executionId=execution_id)
        shown = [one for one in found["files"] if not files or _is_within(one, files)]
        if not cli.as_json:
            cli.lines(draw_changes(shown, cli.width))
            cli.say("Other devices get this too, if the vault is synced.")
        cli.confirm_or_end("Undo this?", "Nothing was undone.", sure=False)
    cli.result(Result(cli.tell("history.undo", executionId=execution_id, paths=files or None)))


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


def _reverse(cli: CommandLine, kind: Literal["undo", "redo"], execution_id: str | None = None) -> None:
    """Undo or redo a change, and say which that was."""
    named = given_of(executionId=execution_id)

    async def work(bridge: Connection) -> tuple[Result, list[dict[str, Any]]]:
        reversed_ = Result(await bridge.request(f"history.{kind}", **named))
        return reversed_, await bridge.request("history.list", limit=LOOK_BACK)

    result, changes = cli.tell_with(work)
    if not cli.as_json and execution_id is None and result.error_type == "not_found":
        fail(f"Nothing to {kind}.")
    cli.result(result)
    if not isinstance(result.data, dict):
        return
    reversed_id = result.data.get("undone") or result.data.get("redone")
    for entry in changes:
        if entry["executionId"] == reversed_id and not cli.as_json:
            said = _describe(entry, "undone" if kind == "undo" else "made again")
            cli.lines(wrap(said, cli.width, first="  "))
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
