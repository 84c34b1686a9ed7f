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
from bridge.cli.connection import ask, tell
from bridge.cli.exit_codes import FAILURE, confirm_or_end, fail
from bridge.cli.family import Table
from bridge.cli.layout import local_time, wrap
from bridge.cli.options import AsJson, Vault
from bridge.cli.printer import Printer
from bridge.cli.sanitize import sanitize
from bridge.cli.times import SINCE_HELP, since_time
from bridge.client import Connection, connect, find_vault
from bridge.contract.events import AuditAppended

PAGE: Final = 1000
"""The most records that one query returns."""
NEW_FILE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)

HEADINGS: Final = ("Time", "What happened")

LogRecord = dict[str, Any]
RecordKind = Literal[
    "execution", "decision", "count", "limit", "settings", "grant", "client", "delivery", "bridge", "network", "log"
]
ExportFormat = Literal["json", "csv"]


def log(
    *,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many.")] = 20,
    tool: Annotated[str | None, typer.Option(metavar="NAME", help="Only this tool.")] = None,
    client: Annotated[str | None, typer.Option(metavar="NAME", help="Only this client.")] = None,
    kind: Annotated[RecordKind | None, typer.Option(show_default=False, help="Only this kind of record.")] = None,
    code: Annotated[
        str | None, typer.Option(metavar="CODE", help="Only calls that ended with this code, such as timed_out.")
    ] = None,
    text: Annotated[str | None, typer.Option(metavar="TEXT", help="Only records that contain this text.")] = None,
    since: Annotated[str | None, typer.Option(metavar="TIME", help=SINCE_HELP)] = None,
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

    The newest is last. A call and the decisions about it are one line; --json shows every record. The log itself is
    .vault-bridge/logs/tools.log in the vault. With --verify, exit code 0 says that nobody has changed it, 1 that
    somebody has.

    Examples:
      vault-bridge log
      vault-bridge log --since 1h --client "Claude Code"
      vault-bridge log --code timed_out            what was refused because nobody answered
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
    filters = {"tool": tool, "client": client, "kind": kind, "code": code, "text": text, "until": until}
    filters["since"] = since_time(since)
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
    """Print the newest records that fit: for programs each as it is, for people one line for each action."""
    actions = not printer.as_json
    found = ask(vault, "audit.query", limit=limit, actions=actions, **params)
    _RECORDS.print(printer, list(reversed(found)))


async def _follow(vault: Path, params: dict[str, Any], limit: int, printer: Printer) -> None:
    """Print the records there are, and then each new one that fits."""
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
    """Return all the records that came after one, newest first: more than a page, when much happens at once."""
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
    elif not _is_silent(record):
        printer.lines(wrap(Text("  ").join(draw_record(record)), printer.width, rest="  "))


def _is_silent(record: dict[str, Any]) -> bool:
    """Return whether a record says nothing that the record of its call does not say as well."""
    return record.get("kind") == "decision" and record.get("outcome") == "allow" and not record.get("decision")


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
    answer = ask(folder, "audit.export", format=form, path=name, **params)
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
    found = ask(vault, "audit.verify")
    printer.answer(found, "\n".join(_sentences(found)))
    if not found["whole"]:
        raise typer.Exit(FAILURE)


def _clear(vault: Path | None, printer: Printer, *, sure: bool) -> None:
    """Remove every record, when the person is sure."""
    question = "Remove every record of the log? This cannot be undone"
    confirm_or_end(printer, question, "Nothing was removed.", sure=sure)
    answer = tell(vault, "audit.clear")
    said = f"{answer['cleared']:,} records were removed. A record of that is the first of the log now."
    printer.answer(answer, said)


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
    if early := found.get("droppedEarly"):
        sentences.append(
            f"{early['records']:,} records of calls that changed nothing, from {local_time(early['since'])} to "
            f"{local_time(early['until'])}, were removed early to make room. No decision and no change is among them."
        )
    if found["whole"]:
        return [*sentences, f"The log is whole: {found['records']:,} records, none altered, removed or inserted."]
    return [
        *sentences,
        "The log is not as it was written. If you changed it yourself, begin anew: vault-bridge log --clear",
    ]


def draw_record(record: LogRecord) -> list[Text]:
    """Return when a record was made, and the bridge's sentence, which holds words from outside."""
    return [Text(_time(record)), _sentence(record)]


def _time(record: LogRecord) -> str:
    return local_time(str(record.get("timestamp", "")))


def _sentence(record: LogRecord) -> Text:
    failed = record.get("success") is False or record.get("outcome") == "deny"
    said = str(record.get("sentence") or record.get("kind") or "")
    return sanitize(" ".join(said.split()), style="red" if failed else "")


_RECORDS: Final = Table(tuple(zip(HEADINGS, (_time, _sentence), strict=True)), "The log holds nothing like that.")
