"""`vault-bridge drafts`: what agents have staged and nobody has written."""

from collections.abc import Iterator
from typing import Annotated, Any, Final

import typer
from rich.text import Text

from bridge.cli.connection import run_idempotent, tell
from bridge.cli.diff import draw_changes
from bridge.cli.family import Family, Table, when
from bridge.cli.layout import local_time, wrap
from bridge.cli.options import AsJson, Vault, Yes
from bridge.cli.printer import Printer, confirm_or_end
from bridge.cli.proposal_parts import draw_conflicts
from bridge.cli.sanitize import sanitize
from bridge.client import Connection
from bridge.contract.consent import MergePlace

HELP = """Look into the drafts of agents, and discard them.

What an agent stages in a draft is not written into the vault until the draft is handed in and you take it.

\b
Examples:
  vault-bridge drafts list
  vault-bridge drafts show draft-1f0c9a2b       its steps, and the diff of each file
  vault-bridge drafts discard draft-1f0c9a2b
"""

DraftId = Annotated[str, typer.Argument(metavar="ID", help="As `vault-bridge drafts list` shows it.")]
_FAMILY: Final = Family(
    "drafts",
    HELP,
    name=DraftId,
    thing="draft",
    key="draftId",
    table=Table(
        (
            ("Draft", "draftId", "bold"),
            ("Of", "client"),
            ("Since", when("created")),
            ("Last change", lambda draft: local_time(draft["touched"]) if draft["steps"] else ""),
            ("Steps", lambda draft: str(len(draft["steps"]))),
            ("Files", lambda draft: str(len(draft["files"]))),
            ("State", lambda draft: draft["state"].replace("_", " ")),
        ),
        "No agent is drafting.",
    ),
)
app = _FAMILY.app
_FAMILY.list("List the drafts, oldest first.")


@app.command("show")
def show(draft_id: DraftId, vault: Vault = None, as_json: AsJson = False) -> None:
    """Show the steps of a draft, and what taking it would do to each file."""
    printer = Printer(as_json=as_json)

    async def work(bridge: Connection) -> tuple[dict[str, Any], dict[str, Any]]:
        draft = _FAMILY.find_in(await bridge.request("drafts.list"), draft_id)
        return draft, await bridge.request("drafts.preview", draftId=draft_id)

    draft, preview = run_idempotent(vault, work)
    if as_json:
        printer.json(draft | {"preview": preview})
        return
    printer.lines(_draw(draft, printer.width))
    conflicts = [MergePlace.model_validate(place) for place in preview["conflicts"]]
    if conflicts:
        printer.lines(wrap(Text("Others changed the same. When it is put to you, you choose:", "bold"), printer.width))
        printer.lines(draw_conflicts(conflicts, printer.width))
    for warning in preview["warnings"]:
        printer.lines(wrap(Text.assemble(("Warning  ", "bold"), sanitize(warning)), printer.width, rest=" " * 9))
    printer.lines(draw_changes(preview["files"], printer.width))
    if draft["steps"] and not preview["files"]:
        printer.say("Nothing of it differs from the vault any more.")


@app.command("discard")
def discard(draft_id: DraftId, yes: Yes = False, vault: Vault = None, as_json: AsJson = False) -> None:
    """End a draft. Nothing of it is written, and it cannot be brought back."""
    printer = Printer(as_json=as_json)
    if not yes:
        draft = _FAMILY.find(vault, draft_id)
        if not as_json:
            printer.lines(_draw(draft, printer.width))
    confirm_or_end(printer, "Discard it?", "It stays.", sure=yes)
    ended = tell(vault, "drafts.discard", draftId=draft_id)
    printer.answer(ended, f"{ended['draftId']} is discarded. Nothing of it was written.")


def _draw(draft: dict[str, Any], width: int) -> Iterator[Text]:
    """Yield whose a draft is, since when, and its steps."""
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
    if draft["state"] == "sent_back":
        yield from wrap(Text.assemble("You sent it back: ", sanitize(draft["words"] or "without a word")), width)
    for comment in draft["comments"]:
        where = comment["path"] if comment["line"] is None else f"{comment['path']}:{comment['line']}"
        yield from wrap(sanitize(f"{where}: {comment['text']}"), width, first="  ", rest="    ")
    yield Text()
