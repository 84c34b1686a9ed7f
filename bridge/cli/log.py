"""`vault-bridge log`: what agents did and what was decided."""

import asyncio
import contextlib
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from bridge.cli.options import AsJson, Vault
from bridge.cli.output import Output
from bridge.cli.reach import look
from bridge.cli.records import HEADINGS, draw_record
from bridge.cli.tables import draw_table
from bridge.client import connect, find_vault

HELP = """Show what agents did and what was decided.

The newest is last. The log itself is .vault-bridge/logs/tools.log in the vault.

\b
Examples:
  vault-bridge log
  vault-bridge log --tool apply_patch --kind decision
  vault-bridge log --text Meeting.md --json
  vault-bridge log --follow                    go on with what happens now; needs a running bridge
"""


class Kind(StrEnum):
    """What a record tells of."""

    EXECUTION = "execution"
    DECISION = "decision"
    LIMIT = "limit"
    SETTINGS = "settings"
    GRANT = "grant"
    BRIDGE = "bridge"
    NETWORK = "network"
    LOG = "log"


def command(
    *,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many.")] = 20,
    tool: Annotated[str | None, typer.Option(metavar="NAME", help="Only this tool.")] = None,
    client: Annotated[str | None, typer.Option(metavar="NAME", help="Only this client.")] = None,
    kind: Annotated[Kind | None, typer.Option(show_default=False, help="Only this kind of record.")] = None,
    text: Annotated[str | None, typer.Option(metavar="TEXT", help="Only records that hold this text.")] = None,
    since: Annotated[str | None, typer.Option(metavar="TIME", help="Not older than this ISO 8601 time.")] = None,
    until: Annotated[str | None, typer.Option(metavar="TIME", help="Not newer than this ISO 8601 time.")] = None,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Go on until Ctrl-C; with --json, a line each.")
    ] = False,
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """Query the audit log."""
    output = Output(as_json=as_json)
    wishes = {"tool": tool, "client": client, "kind": kind and kind.value, "text": text, "since": since, "until": until}
    params = {name: wish for name, wish in wishes.items() if wish is not None}
    if follow:
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(_follow(find_vault(vault), params | {"limit": limit}, output))
        return
    found = look(vault, lambda bridge: bridge.request("audit.query", limit=limit, **params))
    records = list(reversed(found))
    if as_json:
        output.json(records)
    elif records:
        output.lines(draw_table(HEADINGS, [draw_record(record) for record in records], output.width))
    else:
        output.say("The log holds nothing like that.")


async def _follow(vault: Path, params: dict[str, Any], output: Output) -> None:
    """The records there are, and then each new one that fits."""
    async with connect(vault, name="Log", role="host") as bridge:
        heard = bridge.notifications()
        shown: set[int] = set()
        found = await bridge.request("audit.query", **params)
        while True:
            for record in reversed(found):
                if record["seq"] not in shown:
                    shown.add(record["seq"])
                    _show(record, output)
            async for notification in heard:
                if notification.method == "audit.appended":
                    break
            else:
                return
            found = await bridge.request("audit.query", **params)


def _show(record: dict[str, Any], output: Output) -> None:
    if output.as_json:
        output.json(record, compact=True)
    else:
        output.lines([Text("  ").join(cell for cell in draw_record(record) if cell.plain)])
