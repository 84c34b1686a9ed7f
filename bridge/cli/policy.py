"""`vault-bridge policy`: which rule decides a call, and what has been said before."""

from collections.abc import Iterator
from typing import Annotated, Any, Final, Literal

import typer
from rich.text import Text

from bridge.cli.answer_keys import LABELS
from bridge.cli.connection import ask, run_idempotent, tell, tool_arguments
from bridge.cli.family import Table, Thing, when
from bridge.cli.layout import wrap
from bridge.cli.options import AsJson, Vault
from bridge.cli.printer import READABLE, Printer, fail, own_words
from bridge.cli.sanitize import sanitize
from bridge.client import Connection

HELP = """Say which rule decides a call, and list and revoke remembered answers.

\b
Examples:
  vault-bridge policy explain apply_patch path=Ideas.md 'patches=[{"startLine":1,"endLine":1,"newContent":"x"}]'
  vault-bridge policy explain read path=Journal/Today.md --client "Claude Code"
  vault-bridge policy grants
  vault-bridge policy revoke s-1f0c9a
  vault-bridge policy auto-approve create --client "Claude Code"
"""

_OUTCOMES = {
    "allow": ("It would run without a question.", "green"),
    "ask": ("You would be asked.", "yellow"),
    "deny": ("It would be refused.", "red"),
    "fail": ("It would fail.", "red"),
}


WIDEST = 160
"""Columns beyond which the table of answers does not grow."""

Client = Annotated[
    str | None, typer.Option("--client", metavar="NAME", show_default=False, help="As the agent of this name.")
]

app = typer.Typer(help=HELP, add_completion=False, no_args_is_help=True, rich_markup_mode=None)


@app.command("explain")
def explain(
    tool: Annotated[str, typer.Argument(metavar="TOOL", help="The tool's name.")],
    words: Annotated[
        list[str] | None, typer.Argument(metavar="KEY=VALUE", show_default=False, help="As for `call`.")
    ] = None,
    client: Client = None,
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """Say what would become of a call, and which rule decides. Nothing is done."""
    printer = Printer(as_json=as_json)
    named = {"client": client} if client else {}

    async def explain_it(bridge: Connection) -> dict[str, Any]:
        arguments = await tool_arguments(bridge, tool, words)
        answer: dict[str, Any] = await bridge.request("policy.explain", name=tool, arguments=arguments, **named)
        return answer

    explained = run_idempotent(vault, explain_it)
    printer.answer(explained, _draw(explained, min(printer.width, READABLE)))


@app.command("grants")
def grants(vault: Vault = None, as_json: AsJson = False) -> None:
    """List what was allowed and denied, and still holds.

    One row is one answer, and `vault-bridge policy revoke ID` takes it back as a whole.
    """
    _GRANTS.print(Printer(as_json=as_json), ask(vault, "consent.grants"))


@app.command("sites")
def sites(vault: Vault = None, as_json: AsJson = False) -> None:
    """List what of the web is allowed, and when it was fetched last.

    `vault-bridge policy revoke ID` takes an answer back, and `vault-bridge settings set allowedDomains=…` changes the
    list.
    """
    _SITES.print(Printer(as_json=as_json), ask(vault, "web.sites"))


@app.command("revoke")
def revoke(
    grant_id: Annotated[str, typer.Argument(metavar="ID", help="As `policy grants` shows it.")],
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """Revoke something that was allowed or denied."""
    printer = Printer(as_json=as_json)
    answer = tell(vault, "consent.revoke", grantId=grant_id)
    if as_json:
        printer.json(answer)
    if not answer["revoked"]:
        fail(f"There is no answer {grant_id!r}; `vault-bridge policy grants` lists those there are.")
    if not as_json:
        printer.say("Taken back.")


@app.command("auto-approve")
def auto_approve(
    operation: Annotated[Literal["create", "update"], typer.Argument(metavar="create|update")],
    off: Annotated[bool, typer.Option("--off", help="Ask again.")] = False,
    client: Annotated[
        str | None, typer.Option(metavar="NAME", show_default=False, help="Only the agent of this name; else: all.")
    ] = None,
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """Let agents create or update files without asking, until the bridge stops.

    That is any file in the vault, with any content, and you are not shown the change before it is made. Tools that ask
    every time (apply_patch, moves, deletions) still do. A question offers narrower answers: for one folder, or for
    changes that only add.
    """
    params = {"operation": operation, "enabled": not off} | ({"client": client} if client else {})
    answer = tell(vault, "consent.autoApprove", **params)
    said: str | Text = "You are asked again."
    if (grant := answer["grant"]) is not None:
        back = f" `vault-bridge policy revoke {grant['grantId']}` takes it back."
        said = Text.assemble(sanitize(grant["sentence"]), " Tools that ask every time still do.", back)
    Printer(as_json=as_json).answer(answer, said)


def _draw(explained: dict[str, Any], width: int) -> Iterator[Text]:
    sentence, style = _OUTCOMES[explained["outcome"]]
    yield Text(sentence, f"bold {style}")
    rows = {"Rule": explained["rule"], "Why": own_words(explained["why"]), "Call": explained.get("summary")}
    if "class" in explained:
        rows["Tool"] = f"{explained['operation']}, class {explained['class']}, mode {explained['mode']}"
    if explained.get("choices"):
        rows["Answers"] = ", ".join(LABELS.get(choice, choice) for choice in explained["choices"])
    if explained.get("elicitation"):
        rows["Or"] = "its own user says yes in the client itself, once (elicitation)"
    for label, value in rows.items():
        if value:
            yield from wrap(Text.assemble((f"{label:<8}", "bold"), sanitize(value)), width, rest=" " * 8)


def _used(grant: Thing) -> str:
    return "" if grant["mostFiles"] is None else f"{grant['usedFiles'] or 0} of {grant['mostFiles']}"


_GRANTS: Final = Table(
    (
        ("Id", "grantId", "bold"),
        ("Said", lambda grant: "denied" if grant["decision"].startswith("deny") else "allowed"),
        ("Files", _used),
        ("Ends", when("expires")),
        ("What holds", "sentence"),
    ),
    "Nothing has been allowed or denied for longer than once.",
    widest=WIDEST,
)
_SITES: Final = Table(
    (
        ("Site", "site", "bold"),
        ("Id", lambda site: site["allowedBy"] or "setting"),
        ("For", lambda site: site["client"] or "everybody"),
        ("Last used", when("lastUsed")),
    ),
    "Nothing of the web is allowed for longer than once.",
    widest=WIDEST,
)
