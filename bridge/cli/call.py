"""`vault-bridge call`: calls a tool as an agent does."""

import asyncio
import secrets
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from bridge.cli.arguments import BadArguments, parse_arguments
from bridge.cli.connection import NAME
from bridge.cli.exit_codes import FAILURE
from bridge.cli.options import AsJson, Vault
from bridge.cli.output import Output, quoted
from bridge.cli.results import show_result
from bridge.cli.schemas import schema_of
from bridge.client import Bridge, Result, connect, find_vault

HELP = """Call a tool as an agent does.

It waits for the answer. The call has to be approved, as any agent's.

Values are read by the type of their parameter: numbers, true and false, and JSON for lists and objects. KEY=@FILE
takes the text of a file, KEY=- standard input, and KEY=@@text is a text that begins with @.

\b
Examples:
  vault-bridge call grep pattern=TODO contextLines=0
  vault-bridge call read path=Ideas.md startLine=1 endLine=5
  vault-bridge call apply_patch path=Ideas.md 'patches=[{"startLine":3,"endLine":3,"newContent":"## New"}]'
  vault-bridge call apply_patch patch=@change.diff --reason "fix the heading"
  vault-bridge call apply_patch patch=@change.diff --wait 5 --call-id c1
  vault-bridge call --call-id c1                   what became of that call
"""

SOON: Final = 0.7
"""Seconds after which a call that a person has to decide on says so."""
A_WHILE: Final = 60.0
"""Seconds of one wait for a decision; then it is waited for again."""


def command(
    tool: Annotated[str | None, typer.Argument(metavar="TOOL", show_default=False, help="The tool's name.")] = None,
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="KEY=VALUE", show_default=False, help="Its arguments."),
    ] = None,
    *,
    arguments: Annotated[
        str | None, typer.Option(metavar="JSON", help="All arguments as one JSON object, or @FILE, or -.")
    ] = None,
    reason: Annotated[str | None, typer.Option(metavar="TEXT", help="Shown to the person who is asked.")] = None,
    call_id: Annotated[
        str | None, typer.Option(metavar="ID", help="Names the call: the same id again finds it, and does it once.")
    ] = None,
    wait: Annotated[
        float | None, typer.Option(min=0, metavar="SECONDS", help="Return a ticket if nobody has decided by then.")
    ] = None,
    client: Annotated[str, typer.Option(metavar="NAME", help="What to call ourselves.")] = NAME,
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """Call a tool, or fetch the result of an earlier call."""
    if tool is None and call_id is None:
        raise BadArguments("Name a tool; `vault-bridge tools` lists them. Or --call-id, to fetch an earlier call.")
    output = Output(as_json=as_json)
    folder = find_vault(vault)

    async def run() -> Result:
        async with connect(folder, name=client, role="agent") as bridge:
            if tool is None:
                return await bridge.result(call_id or "", wait)
            parsed = parse_arguments(words or [], await schema_of(bridge, tool), arguments)
            if wait is not None or not output.watched:
                return await bridge.call(tool, parsed, call_id=call_id, wait=wait, reason=reason)
            return await _watch(bridge, tool, parsed, output, call_id=call_id, reason=reason)

    result = asyncio.run(run())
    if result.pending:
        _show_ticket(result, folder, output)
        raise typer.Exit(FAILURE)
    show_result(result, output)


async def _watch(
    bridge: Bridge, tool: str, arguments: dict[str, Any], output: Output, *, call_id: str | None, reason: str | None
) -> Result:
    """Call, and tell the person who is looking what is waited for; also for a consent screen that is yet to come."""
    name = call_id or f"call-{secrets.token_hex(8)}"
    try:
        result = await bridge.call(tool, arguments, call_id=name, wait=SOON, reason=reason)
        while result.pending:
            info = await bridge.request("session.info")
            with output.waiting(_who_decides(connected=info["hostConnected"])):
                result = await bridge.result(name, wait=A_WHILE)
    except asyncio.CancelledError:
        if call_id is None:  # nobody else knows this id
            await bridge.request("tools.cancel", callId=name)
        raise
    return result


def _who_decides(*, connected: bool) -> str:
    if connected:
        return "Waiting for consent: answer in Obsidian or in `vault-bridge approve`"
    return "Waiting for consent, but nobody can be asked yet: open Obsidian, or run `vault-bridge approve` elsewhere"


def _show_ticket(result: Result, vault: Path, output: Output) -> None:
    if output.as_json:
        output.json(result.raw)
        return
    output.say("Nobody has decided yet; the question stays open, and the call goes on.")
    output.say(f"Fetch the result with: vault-bridge call --call-id {result.call_id} --vault {quoted(vault)}")
