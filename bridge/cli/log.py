"""`vault-bridge log`: what agents did and what was decided; the log exported, verified and cleared."""

import asyncio
import contextlib
import os
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Final, Literal

import typer
from rich.text import Text

from bridge.cli.arguments import BadArguments
from bridge.cli.connection import run_idempotent, run_once
from bridge.cli.exit_codes import FAILURE, fail
from bridge.cli.layout import draw_table, local_time, short_client
from bridge.cli.options import AsJson, Vault
from bridge.cli.printer import Printer
from bridge.cli.sanitize import sanitize
from bridge.client import Connection, connect, find_vault
from bridge.contract.events import AuditAppended

PAGE: Final = 1000
"""The most records that one query returns."""
NEW_FILE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
HEADINGS: Final = ("Time", "What", "Tool", "By", "Outcome")

Record = dict[str, Any]
RecordKind = Literal["execution", "decision", "limit", "settings", "grant", "bridge", "network", "log"]
ExportFormat = Literal["json", "csv"]


def log(
    *,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many.")] = 20,
    tool: Annotated[str | None, typer.Option(metavar="NAME", help="Only this tool.")] = None,
    client: Annotated[str | None, typer.Option(metavar="NAME", help="Only this client.")] = None,
    kind: Annotated[RecordKind | None, typer.Option(show_default=False, help="Only this kind of record.")] = None,
    text: Annotated[str | None, typer.Option(metavar="TEXT", help="Only records that contain this text.")] = None,
    since: Annotated[str | None, typer.Option(metavar="TIME", help="Only from this ISO 8601 time on.")] = None,
    until: Annotated[str | None, typer.Option(metavar="TIME", help="Only up to this ISO 8601 time.")] = None,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Show new records until Ctrl-C; with --json, one a line.")
    ] = False,
    export: Annotated[
        ExportFormat | None,
        typer.Option(show_default=False, help="Write all that match, oldest first, to standard output."),
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="With --export: write to a new file.")
    ] = None,
    verify: Annotated[bool, typer.Option("--verify", help="Check that nobody has changed the log.")] = False,
    clear: Annotated[bool, typer.Option("--clear", help="Remove every record.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="With --clear: do not ask.")] = False,
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """Show what agents did and what was decided.

    The newest is last. The log itself is .vault-bridge/logs/tools.log in the vault. With --verify, exit code 0 says
    that nobody has changed it, 1 that somebody has.

    Examples:
      vault-bridge log
      vault-bridge log --tool apply_patch --kind decision
      vault-bridge log --text Meeting.md --json
      vault-bridge log --follow                    show new records as they come; needs a running bridge
      vault-bridge log --verify                    was anything edited, removed or inserted?
      vault-bridge log --export csv --output log.csv --since 2026-01-01
      vault-bridge log --clear
    """
    if sum((follow, export is not None, verify, clear)) > 1:
        raise BadArguments("Use only one of --follow, --export, --verify and --clear")
    if file is not None and export is None:
        raise BadArguments("--output needs --export")
    printer = Printer(as_json=as_json)
    filters = {"tool": tool, "client": client, "kind": kind, "text": text, "since": since, "until": until}
    params = {name: value for name, value in filters.items() if value is not None}
    if verify:
        _verify(vault, printer)
    elif clear:
        _clear(vault, printer, sure=yes)
    elif export is not None:
        _export(vault, export, file, params)
    elif follow:
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(_follow(find_vault(vault), params, limit, printer))
    else:
        _query(vault, params, limit, printer)


def _query(vault: Path | None, params: dict[str, Any], limit: int, printer: Printer) -> None:
    """The newest records that fit."""
    found = run_idempotent(vault, lambda bridge: bridge.request("audit.query", limit=limit, **params))
    records = list(reversed(found))
    if printer.as_json:
        printer.json(records)
    elif records:
        printer.lines(draw_table(HEADINGS, [draw_record(record) for record in records], printer.width))
    else:
        printer.say("The log holds nothing like that.")


async def _follow(vault: Path, params: dict[str, Any], limit: int, printer: Printer) -> None:
    """The records there are, and then each new one that fits."""
    async with connect(vault, name="Log", role="host", can=[]) as bridge:
        heard = bridge.notifications()
        found = await bridge.request("audit.query", limit=limit, **params)
        last = found[0]["seq"] if found else 0
        while True:
            for record in reversed(found):
                _show(record, printer)
            async for notification in heard:
                if notification.method == AuditAppended.event_name:
                    break
            else:
                return
            found = await _since(bridge, params, last)
            last = max([last, *(record["seq"] for record in found)])


async def _since(bridge: Connection, params: dict[str, Any], last: int) -> list[dict[str, Any]]:
    """All the records that came after one, newest first: more than a page, when much happens at once."""
    found: list[dict[str, Any]] = []
    while True:
        before = {"before": str(found[-1]["seq"])} if found else {}
        page = await bridge.request("audit.query", limit=PAGE, **params, **before)
        fresh = [record for record in page if record["seq"] > last]
        found += fresh
        if len(fresh) < PAGE:
            return found


def _show(record: dict[str, Any], printer: Printer) -> None:
    if printer.as_json:
        printer.json(record, compact=True)
    else:
        printer.lines([Text("  ").join(cell for cell in draw_record(record) if cell.plain)])


def _export(vault: Path | None, form: ExportFormat, file: Path | None, params: dict[str, Any]) -> None:
    """Write the records that match. The bridge writes them into its own folder, and from there they are brought along.

    Args:
        vault: The vault's folder, where it was named.
        form: How they are written.
        file: Where to; it must not exist. None: standard output.
        params: The filters.
    """
    folder = find_vault(vault)
    name = f"log-{secrets.token_hex(8)}.{form}"
    answer = run_idempotent(folder, lambda bridge: bridge.request("audit.export", format=form, path=name, **params))
    written = folder / answer["path"]
    try:
        with written.open("rb") as source, _target(file) as target:
            shutil.copyfileobj(source, target)
    finally:
        written.unlink(missing_ok=True)
    Printer().say(f"{answer['records']:,} records" + (f" are in {file}" if file else ""))


@contextlib.contextmanager
def _target(file: Path | None) -> Iterator[BinaryIO]:
    if file is None:
        yield typer.get_binary_stream("stdout")
        return
    try:
        target = os.fdopen(os.open(file, NEW_FILE, 0o600), "wb")
    except FileExistsError:
        fail(f"{file} exists already. Name another file")
    except OSError as error:
        fail(f"{file} cannot be written: {error.strerror}")
    with target:
        yield target


def _verify(vault: Path | None, printer: Printer) -> None:
    """Say whether the log is as it was written, and where it is not; then the exit code is 1."""
    found = run_idempotent(vault, lambda bridge: bridge.request("audit.verify"))
    if printer.as_json:
        printer.json(found)
    else:
        for line in _sentences(found):
            printer.say(line)
    if not found["whole"]:
        raise typer.Exit(FAILURE)


def _clear(vault: Path | None, printer: Printer, *, sure: bool) -> None:
    """Remove every record, when the person is sure."""
    if not sure and not typer.confirm("Remove every record of the log? This cannot be undone", err=True):
        printer.say("Nothing was removed.")
        raise typer.Exit(FAILURE)
    answer = run_once(vault, lambda bridge: bridge.request("audit.clear"))
    if printer.as_json:
        printer.json(answer)
    else:
        printer.say(f"{answer['cleared']:,} records were removed. A record of that is the first of the log now.")


def _sentences(found: dict[str, Any]) -> list[str]:
    sentences = [fault["message"] for fault in found["faults"]]
    if found["faultCount"] > len(sentences):
        sentences.append(f"and {found['faultCount'] - len(sentences):,} faults more")
    if found["lost"]:
        sentences.append(f"{found['lost']:,} records could not be written at the time, such as on a full disk.")
    if found["unverified"]:
        sentences.append(
            f"{found['unverified']:,} records are from before there was a key here: nobody can vouch for them."
        )
    if found["whole"]:
        return [*sentences, f"The log is whole: {found['records']:,} records, none altered, removed or inserted."]
    return [
        *sentences,
        "The log is not as it was written. If you changed it yourself, begin anew: vault-bridge log --clear",
    ]


def draw_record(record: Record) -> list[Text]:
    """The cells of a row under `HEADINGS`."""
    outcome = {"execution": _execution, "decision": _decision}.get(str(record.get("kind")), _event)
    return [
        Text(local_time(str(record.get("timestamp", "")))),
        sanitize(str(record.get("kind", ""))),
        sanitize(str(record.get("tool") or ""), style="bold"),
        sanitize(short_client(str(record.get("client") or ""))),
        outcome(record),
    ]


def _execution(record: Record) -> Text:
    if record.get("success"):
        files = ", ".join(str(file.get("newPath") or file.get("path")) for file in record.get("files", ()))
        return Text.assemble(("done", "green"), sanitize(f" {files}" if files else ""))
    code = record.get("code")
    why = f"{record.get('errorType', 'failed')}{f' ({code})' if code else ''}"
    return sanitize(why.replace("_", " "), style="red")


def _decision(record: Record) -> Text:
    said = str(record.get("decision") or record.get("outcome") or "").replace("_", " ")
    by, rule = record.get("by"), record.get("rule")
    how = f" by {by}" if by else f" ({rule})" if rule else ""
    return Text.assemble(sanitize(said, style="green" if record.get("outcome") == "allow" else "red"), sanitize(how))


def _event(record: Record) -> Text:
    """Everything else the bridge notes: limits, settings, grants, its own life."""
    changes: Record = record.get("changes") or {}
    words = [
        record.get("event"),
        record.get("message"),
        *(f"{key} = {change['to']}" for key, change in changes.items()),
    ]
    said = ", ".join(str(word) for word in words if word)
    by = record.get("by")
    return sanitize(f"{said} by {by}" if by else said)
