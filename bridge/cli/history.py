"""`vault-bridge history` lists what was changed; `undo` and `redo` reverse a change and make it again."""

from pathlib import Path
from typing import Annotated, Any, Final, Literal

import typer
from rich.text import Text

from bridge.cli.connection import run_idempotent, run_once
from bridge.cli.diff import draw_counts
from bridge.cli.exit_codes import fail, show_result
from bridge.cli.layout import draw_table, local_time, short_client, wrap
from bridge.cli.options import AsJson, Vault
from bridge.cli.printer import Printer
from bridge.cli.sanitize import sanitize
from bridge.client import Connection, Result

LOOK_BACK: Final = 1000
"""Changes among which the one that was reversed is looked for, to say more about it."""

ChangeId = Annotated[
    str | None, typer.Argument(metavar="[ID]", show_default=False, help="As `vault-bridge history` shows it.")
]


def history(
    note: Annotated[
        str | None,
        typer.Argument(metavar="[NOTE]", help="Only changes to this note, file or folder.", show_default=False),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many.")] = 20,
    before: Annotated[str | None, typer.Option(metavar="ID", help="Only changes older than this one.")] = None,
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """Show what was changed, newest first.

    Examples:
      vault-bridge history
      vault-bridge history "Meeting notes"     what was changed in one note
      vault-bridge history --limit 5 --json
      vault-bridge undo patch-1f0c9a           undo one of them
    """
    printer = Printer(as_json=as_json)
    params = {"limit": limit} | ({"before": before} if before else {}) | ({"path": note} if note else {})
    entries = run_idempotent(vault, lambda bridge: bridge.request("history.list", **params))
    if as_json:
        printer.json(entries)
    elif entries:
        headings = ("Change", "Time", "Tool", "By", "Lines", "Files")
        printer.lines(draw_table(headings, [_row(entry) for entry in entries], printer.width))
    else:
        what = f"Nothing in {note} has" if note else "Nothing has"
        printer.say(f"{what} been changed through the bridge yet.")


def undo(execution_id: ChangeId = None, vault: Vault = None, as_json: AsJson = False) -> None:
    """Undo a change.

    Without an ID, that is the newest one that is not undone yet. A change is not undone when one of its files was
    edited since. You are the user, so you are not asked again.

    Examples:
      vault-bridge undo
      vault-bridge undo patch-1f0c9a
      vault-bridge redo                   make it again
    """
    _reverse("undo", execution_id, vault, as_json=as_json)


def redo(execution_id: ChangeId = None, vault: Vault = None, as_json: AsJson = False) -> None:
    """Make an undone change again.

    Without an ID, that is the one undone last.

    Examples:
      vault-bridge redo
      vault-bridge redo patch-1f0c9a
    """
    _reverse("redo", execution_id, vault, as_json=as_json)


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
    if as_json or not isinstance(result.data, dict):
        return
    reversed_id = result.data.get("undone") or result.data.get("redone")
    for entry in changes:
        if entry["executionId"] == reversed_id:
            said = _describe(entry, "undone" if kind == "undo" else "made again")
            printer.lines(wrap(said, printer.width, first="  ", rest="  "))


def _row(entry: dict[str, Any]) -> list[Text]:
    files = entry["files"]
    more = f" and {len(files) - 1} more" if len(files) > 1 else ""
    state = "" if entry["state"] == "applied" else f" ({entry['state']})"
    backup = "" if entry.get("canUndo", True) else " (no backup)"
    return [
        sanitize(entry["executionId"], style="bold"),
        Text(local_time(entry["time"])),
        sanitize(entry["tool"]),
        sanitize(short_client(entry["client"])),
        draw_counts(entry["added"], entry["removed"]),
        Text.assemble(sanitize(files[0] if files else ""), more, (state, "yellow"), (backup, "red")),
    ]


def _describe(entry: dict[str, Any], what: str) -> Text:
    counts = draw_counts(entry["added"], entry["removed"])
    who = Text.assemble(sanitize(entry["tool"]), " by ", sanitize(entry["client"]), f" of {local_time(entry['time'])}")
    return Text.assemble(who, ", ", counts, f", {what}")
