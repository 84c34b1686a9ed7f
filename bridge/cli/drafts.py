"""`vault-bridge drafts`: what agents have staged and nobody has written."""

from collections.abc import Iterator
from typing import Annotated, Any, Final

from rich.text import Text

from bridge.cli.diff import draw_changes
from bridge.cli.family import CommandLine, Family, Table, when
from bridge.cli.layout import local_time, wrap
from bridge.cli.options import Yes, argument
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

DraftId = Annotated[str, argument("ID", "As `vault-bridge drafts list` shows it.")]
app: Final = Family(
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
app.list_all("List the drafts, oldest first.")


@app.add("show")
def show(cli: CommandLine, draft_id: DraftId) -> None:
    """Show the steps of a draft, and what taking it would do to each file."""

    async def work(bridge: Connection) -> tuple[dict[str, Any], dict[str, Any]]:
        draft = app.find_in(await bridge.request("drafts.list"), draft_id)
        return draft, await bridge.request("drafts.preview", draftId=draft_id)

    draft, preview = cli.ask_with(work)
    if cli.as_json:
        cli.json(draft | {"preview": preview})
        return
    cli.lines(_draw(draft, cli.width))
    conflicts = [MergePlace.model_validate(place) for place in preview["conflicts"]]
    if conflicts:
        cli.lines(
            wrap(Text("Other changes conflict with it. You choose when you are asked about it:", "bold"), cli.width)
        )
        cli.lines(draw_conflicts(conflicts, cli.width))
    for warning in preview["warnings"]:
        cli.lines(wrap(Text.assemble(("Warning  ", "bold"), sanitize(warning)), cli.width, rest=" " * 9))
    cli.lines(draw_changes(preview["files"], cli.width))
    if draft["steps"] and not preview["files"]:
        cli.say("Nothing of it differs from the vault any more.")


@app.add("discard")
def discard(cli: CommandLine, draft_id: DraftId, yes: Yes = False) -> None:
    """End a draft. Nothing of it is written, and it cannot be brought back."""
    if not yes and (draft := app.find(cli, draft_id)) and not cli.as_json:
        cli.lines(_draw(draft, cli.width))
    cli.confirm_or_end("Discard it?", "It stays.", sure=yes)
    ended = cli.tell("drafts.discard", draftId=draft_id)
    cli.answer(ended, f"{ended['draftId']} is discarded. Nothing of it was written.")


def _draw(draft: dict[str, Any], width: int) -> Iterator[Text]:
    """Yield whose a draft is, since when, and its steps."""
    whose = sanitize(f" of {draft['client']}, since {local_time(draft['created'])}")
    yield from wrap(Text.assemble(sanitize(draft["draftId"], style="bold"), whose), width)
    for number, step in enumerate(draft["steps"], 1):
        said = f"{number}. {' '.join(step['summary'].split())} ({step['tool']})"
        yield from wrap(sanitize(said), width, first="  ", rest="     ")
    if not draft["steps"]:
        yield Text("  Nothing is staged yet.")
    if draft["state"] == "sent_back":
        yield from wrap(Text.assemble("You sent it back: ", sanitize(draft["words"] or "without a word")), width)
    for comment in draft["comments"]:
        where = comment["path"] if comment["line"] is None else f"{comment['path']}:{comment['line']}"
        yield from wrap(sanitize(f"{where}: {comment['text']}"), width, first="  ", rest="    ")
    yield Text()
