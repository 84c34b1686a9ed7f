"""`vault-bridge policy`: which rule decides a call, and what has been said before."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Any

import typer
from rich.text import Text

from bridge.cli.arguments import parse_arguments
from bridge.cli.connection import act, look
from bridge.cli.exit_codes import Commands, fail
from bridge.cli.line_wrapping import wrap
from bridge.cli.options import AsJson, Vault
from bridge.cli.output import READABLE, Output
from bridge.cli.sanitize import sanitize
from bridge.cli.schemas import schema_of
from bridge.cli.tables import draw_table
from bridge.client import Bridge

HELP = """Say which rule decides a call, and show and take back what was said before.

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


class Operations(StrEnum):
    """What can be approved without asking."""

    CREATE = "create"
    UPDATE = "update"


Client = Annotated[
    str | None, typer.Option("--client", metavar="NAME", show_default=False, help="As the agent of this name.")
]

app = typer.Typer(cls=Commands, no_args_is_help=True, rich_markup_mode=None)


@app.command("explain", help="Say what would become of a call, and which rule decides. Nothing is done.")
def explain(
    tool: Annotated[str, typer.Argument(metavar="TOOL", help="The tool's name.")],
    words: Annotated[
        list[str] | None, typer.Argument(metavar="KEY=VALUE", show_default=False, help="As for `call`.")
    ] = None,
    client: Client = None,
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """Explain a call."""
    output = Output(as_json=as_json)
    named = {"client": client} if client else {}

    async def ask(bridge: Bridge) -> dict[str, Any]:
        arguments = parse_arguments(words or [], await schema_of(bridge, tool), None)
        answer: dict[str, Any] = await bridge.request("policy.explain", name=tool, arguments=arguments, **named)
        return answer

    told = look(vault, ask)
    if as_json:
        output.json(told)
    else:
        output.lines(_draw(told, min(output.width, READABLE)))


@app.command("grants", help="List what was allowed and denied, and still holds.")
def grants(vault: Vault = None, as_json: AsJson = False) -> None:
    """List the answers that hold."""
    output = Output(as_json=as_json)
    held = look(vault, lambda bridge: bridge.request("consent.grants"))
    if as_json:
        output.json(held)
    elif held:
        headings = ("Id", "Said", "To", "About", "Holds")
        output.lines(draw_table(headings, [_row(grant) for grant in held], output.width))
    else:
        output.say("Nothing has been allowed or denied for longer than once.")


@app.command("revoke", help="Take back something that was allowed or denied.")
def revoke(
    grant_id: Annotated[str, typer.Argument(metavar="ID", help="As `policy grants` shows it.")],
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """Forget one answer."""
    output = Output(as_json=as_json)
    answer = act(vault, lambda bridge: bridge.request("consent.revoke", grantId=grant_id))
    if as_json:
        output.json(answer)
    if not answer["revoked"]:
        fail(f"There is nothing of the id {grant_id!r}; `vault-bridge policy grants` lists what there is.")
    if not as_json:
        output.say("Taken back.")


@app.command(
    "auto-approve",
    help="Let agents create or update without asking, until the bridge stops.\n\n"
    "This is for tools that ask once for each file. Those that ask every single time still do.",
)
def auto_approve(
    operation: Annotated[Operations, typer.Argument(metavar="create|update")],
    off: Annotated[bool, typer.Option("--off", help="Ask again.")] = False,
    client: Client = None,
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """Switch auto-approve."""
    output = Output(as_json=as_json)
    params = {"operation": operation.value, "enabled": not off} | ({"client": client} if client else {})
    answer = act(vault, lambda bridge: bridge.request("consent.autoApprove", **params))
    if as_json:
        output.json(answer)
    else:
        output.say("You are asked again." if off else "Not asked about until the bridge stops.")


def _draw(told: dict[str, Any], width: int) -> Iterator[Text]:
    sentence, style = _OUTCOMES[told["outcome"]]
    yield Text(sentence, f"bold {style}")
    rows = {"Rule": told["rule"], "Why": told["why"], "Call": told.get("summary")}
    if "class" in told:
        rows["Tool"] = f"{told['operation']}, class {told['class']}, mode {told['mode']}"
    if told.get("choices"):
        rows["Answers"] = ", ".join(told["choices"])
    for label, value in rows.items():
        if value:
            yield from wrap(Text.assemble((f"{label:<8}", "bold"), sanitize(value)), width, rest=" " * 8)


def _row(grant: dict[str, Any]) -> list[Text]:
    about = [grant["tool"], grant["operation"] and f"to {grant['operation']}", grant["target"]]
    holds = {"session": "this session", "call": "this session, this call", "auto": "until the bridge stops"}
    until = f"until {grant['expires'][:10]} if unused" if grant.get("expires") else "for good"
    return [
        sanitize(grant["grantId"], style="bold"),
        Text("denied" if grant["decision"].startswith("deny") else "allowed"),
        sanitize(grant["client"] or "everybody"),
        sanitize(" ".join(part for part in about if part)),
        Text(holds.get(grant["kind"], until)),
    ]
