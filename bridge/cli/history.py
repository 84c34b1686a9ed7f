"""`vault-bridge history`: what was changed, newest first."""

from typing import Annotated, Any

import typer
from rich.text import Text

from bridge.cli.changes import draw_counts
from bridge.cli.connection import look
from bridge.cli.options import AsJson, Vault
from bridge.cli.output import Output
from bridge.cli.sanitize import sanitize
from bridge.cli.tables import draw_table
from bridge.cli.times import local

HELP = """Show what was changed, newest first.

\b
Examples:
  vault-bridge history
  vault-bridge history "Meeting notes"     what was changed in one note
  vault-bridge history --limit 5 --json
  vault-bridge undo patch-1f0c9a      take one of them back
"""


def command(
    note: Annotated[
        str | None,
        typer.Argument(metavar="[NOTE]", help="Only changes to this note, file or folder.", show_default=False),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many.")] = 20,
    before: Annotated[str | None, typer.Option(metavar="ID", help="Only changes older than this one.")] = None,
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """List the changes."""
    output = Output(as_json=as_json)
    params = {"limit": limit} | ({"before": before} if before else {}) | ({"path": note} if note else {})
    entries = look(vault, lambda bridge: bridge.request("history.list", **params))
    if as_json:
        output.json(entries)
    elif entries:
        headings = ("Change", "Time", "Tool", "By", "Lines", "Files")
        output.lines(draw_table(headings, [_row(entry) for entry in entries], output.width))
    else:
        what = f"Nothing in {note} has" if note else "Nothing has"
        output.say(f"{what} been changed through the bridge yet.")


def _row(entry: dict[str, Any]) -> list[Text]:
    files = entry["files"]
    more = f" and {len(files) - 1} more" if len(files) > 1 else ""
    state = "" if entry["state"] == "applied" else f" ({entry['state']})"
    backup = "" if entry.get("canUndo", True) else " (no backup)"
    return [
        sanitize(entry["executionId"], style="bold"),
        Text(local(entry["time"])),
        sanitize(entry["tool"]),
        sanitize(entry["client"]),
        draw_counts(entry["added"], entry["removed"]),
        Text.assemble(sanitize(files[0] if files else ""), more, (state, "yellow"), (backup, "red")),
    ]
