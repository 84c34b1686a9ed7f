"""`vault-bridge log`: what agents did and what was decided."""

import asyncio
import contextlib
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from bridge.cli.arguments import BadArguments
from bridge.cli.connection import look
from bridge.cli.log_export import export_log
from bridge.cli.log_upkeep import clear_log, verify_log
from bridge.cli.options import AsJson, Vault
from bridge.cli.output import Output
from bridge.cli.records import HEADINGS, draw_record
from bridge.cli.tables import draw_table
from bridge.client import Bridge, connect, find_vault
from bridge.contract.events import AuditAppended

HELP = """Show what agents did and what was decided.

The newest is last. The log itself is .vault-bridge/logs/tools.log in the vault. With --verify, exit code 0 says that
it is as it was written, 1 that it is not.

\b
Examples:
  vault-bridge log
  vault-bridge log --tool apply_patch --kind decision
  vault-bridge log --text Meeting.md --json
  vault-bridge log --follow                    go on with what happens now; needs a running bridge
  vault-bridge log --verify                    was anything edited, removed or inserted?
  vault-bridge log --export csv --output log.csv --since 2026-01-01
  vault-bridge log --clear
"""


PAGE = 1000
"""The most records that one query gives."""


class Form(StrEnum):
    """What an export is written as."""

    JSON = "json"
    CSV = "csv"


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
    export: Annotated[
        Form | None, typer.Option(show_default=False, help="Write all that fit, oldest first, to standard output.")
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="With --export: into a new file.")
    ] = None,
    verify: Annotated[bool, typer.Option("--verify", help="Check that the log is as it was written.")] = False,
    clear: Annotated[bool, typer.Option("--clear", help="Remove every record.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="With --clear: without asking.")] = False,
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """Query the audit log, or look after it."""
    if sum((follow, export is not None, verify, clear)) > 1:
        raise BadArguments("Only one of --follow, --export, --verify and --clear at a time")
    if file is not None and export is None:
        raise BadArguments("--output goes with --export")
    output = Output(as_json=as_json)
    wishes = {"tool": tool, "client": client, "kind": kind and kind.value, "text": text, "since": since, "until": until}
    params = {name: wish for name, wish in wishes.items() if wish is not None}
    if verify:
        verify_log(vault, output)
    elif clear:
        clear_log(vault, output, sure=yes)
    elif export is not None:
        export_log(vault, export.value, file, params)
    elif follow:
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(_follow(find_vault(vault), params, limit, output))
    else:
        _query(vault, params, limit, output)


def _query(vault: Path | None, params: dict[str, Any], limit: int, output: Output) -> None:
    """The newest records that fit."""
    found = look(vault, lambda bridge: bridge.request("audit.query", limit=limit, **params))
    records = list(reversed(found))
    if output.as_json:
        output.json(records)
    elif records:
        output.lines(draw_table(HEADINGS, [draw_record(record) for record in records], output.width))
    else:
        output.say("The log holds nothing like that.")


async def _follow(vault: Path, params: dict[str, Any], limit: int, output: Output) -> None:
    """The records there are, and then each new one that fits."""
    async with connect(vault, name="Log", role="host", can=[]) as bridge:
        heard = bridge.notifications()
        found = await bridge.request("audit.query", limit=limit, **params)
        last = found[0]["seq"] if found else 0
        while True:
            for record in reversed(found):
                _show(record, output)
            async for notification in heard:
                if notification.method == AuditAppended.event_name:
                    break
            else:
                return
            found = await _since(bridge, params, last)
            last = max([last, *(record["seq"] for record in found)])


async def _since(bridge: Bridge, params: dict[str, Any], last: int) -> list[dict[str, Any]]:
    """All the records that came after one, newest first: more than a page, when much happens at once."""
    found: list[dict[str, Any]] = []
    while True:
        before = {"before": str(found[-1]["seq"])} if found else {}
        page = await bridge.request("audit.query", limit=PAGE, **params, **before)
        fresh = [record for record in page if record["seq"] > last]
        found += fresh
        if len(fresh) < PAGE:
            return found


def _show(record: dict[str, Any], output: Output) -> None:
    if output.as_json:
        output.json(record, compact=True)
    else:
        output.lines([Text("  ").join(cell for cell in draw_record(record) if cell.plain)])
