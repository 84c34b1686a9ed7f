"""`vault-bridge drafts`: what agents have staged and nobody has written."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from bridge.cli.connection import run_idempotent, run_once
from bridge.cli.diff import draw_changes
from bridge.cli.exit_codes import FAILURE, fail
from bridge.cli.layout import local_time, wrap
from bridge.cli.options import AsJson, Vault
from bridge.cli.printer import Printer
from bridge.cli.sanitize import sanitize
from bridge.client import Connection

HELP = """Look into the drafts of agents, and discard them.

What an agent stages in a draft is written nowhere until it submits the draft and you allow it.

\b
Examples:
  vault-bridge drafts list
  vault-bridge drafts show draft-1f0c9a2b       its steps, and the diff of each file
  vault-bridge drafts discard draft-1f0c9a2b
"""

app = typer.Typer(help=HELP, add_completion=False, no_args_is_help=True, rich_markup_mode=None)

DraftId = Annotated[str, typer.Argument(metavar="ID", help="As `vault-bridge drafts list` shows it.")]


@app.command("list")
def list_drafts(vault: Vault = None, as_json: AsJson = False) -> None:
    """List the drafts, oldest first."""
    printer = Printer(as_json=as_json)
    drafts = run_idempotent(vault, lambda bridge: bridge.request("drafts.list"))
    headings = ("Draft", "Of", "Since", "Last change", "Steps", "Files", "State")
    printer.listed(drafts, headings, _row, "No agent is drafting.")


@app.command("show")
def show(draft_id: DraftId, vault: Vault = None, as_json: AsJson = False) -> None:
    """Show the steps of a draft, and what taking it would do to each file."""
    printer = Printer(as_json=as_json)

    async def work(bridge: Connection) -> tuple[dict[str, Any], dict[str, Any]]:
        return await _find(bridge, draft_id), await bridge.request("drafts.preview", draftId=draft_id)

    draft, preview = run_idempotent(vault, work)
    if as_json:
        printer.json(draft | {"preview": preview})
        return
    printer.lines(_draw(draft, printer.width))
    if preview["conflict"] is not None:
        printer.lines(
            wrap(Text.assemble(("It cannot be taken as it is: ", "bold"), sanitize(preview["conflict"])), printer.width)
        )
        return
    for warning in preview["warnings"]:
        printer.lines(wrap(Text.assemble(("Warning  ", "bold"), sanitize(warning)), printer.width, rest=" " * 9))
    printer.lines(draw_changes(preview["files"], printer.width))
    if draft["steps"] and not preview["files"]:
        printer.say("Nothing of it differs from the vault any more.")


@app.command("discard")
def discard(
    draft_id: DraftId,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """End a draft. Nothing of it is written, and it cannot be brought back."""
    printer = Printer(as_json=as_json)
    if not yes:
        _confirm(vault, draft_id, printer)
    ended = run_once(vault, lambda bridge: bridge.request("drafts.discard", draftId=draft_id))
    if as_json:
        printer.json(ended)
    else:
        printer.say(f"{ended['draftId']} is discarded. Nothing of it was written.")


def _confirm(vault: Path | None, draft_id: str, printer: Printer) -> None:
    """Say what would be lost, and end unless the person says so."""
    draft = run_idempotent(vault, lambda bridge: _find(bridge, draft_id))
    if not printer.as_json:
        printer.lines(_draw(draft, printer.width))
    if not typer.confirm("Discard it?", err=True):
        printer.say("It stays.")
        raise typer.Exit(FAILURE)


async def _find(bridge: Connection, draft_id: str) -> dict[str, Any]:
    drafts: list[dict[str, Any]] = await bridge.request("drafts.list")
    found = next((draft for draft in drafts if draft["draftId"] == draft_id), None)
    return found or fail(f"There is no draft {draft_id!r}; `vault-bridge drafts list` lists those there are.")


def _draw(draft: dict[str, Any], width: int) -> Iterator[Text]:
    """Whose a draft is, since when, and its steps."""
    since = Text(f", since {local_time(draft['created'])}")
    yield from wrap(
        Text.assemble(sanitize(draft["draftId"], style="bold"), " of ", sanitize(draft["client"]), since), width
    )
    for number, step in enumerate(draft["steps"], 1):
        said = Text.assemble(
            f"{number}. ", sanitize(" ".join(step["summary"].split())), " (", sanitize(step["tool"]), ")"
        )
        yield from wrap(said, width, first="  ", rest="     ")
    if not draft["steps"]:
        yield Text("  Nothing is staged yet.")
    yield Text()


def _row(draft: dict[str, Any]) -> list[Text]:
    return [
        sanitize(draft["draftId"], style="bold"),
        sanitize(draft["client"]),
        Text(local_time(draft["created"])),
        Text(local_time(draft["touched"]) if draft["steps"] else ""),
        Text(str(len(draft["steps"]))),
        Text(str(len(draft["files"]))),
        Text(draft["state"].replace("_", " ")),
    ]
