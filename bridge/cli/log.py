"""`vault-bridge log` and `stats`: what agents did and what was decided, one by one and counted.

The log is also exported, verified and cleared here.
"""

import asyncio
import contextlib
import secrets
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import typer
from rich.text import Text

from bridge.cli.arguments import BadArguments
from bridge.cli.family import CommandLine, Table, command
from bridge.cli.layout import SINCE_HELP, draw_table, local_time, since_time, took_words, wrap
from bridge.cli.options import option
from bridge.cli.printer import FAILURE
from bridge.cli.sanitize import sanitize
from bridge.cli.text_files import new_file
from bridge.client import Connection, connect
from bridge.client.connection import given_of
from bridge.contract.events import AuditAppended

PAGE: Final = 1000
"""The most records that one query returns."""

HEADINGS: Final = ("Time", "What happened")

LogRecord = dict[str, Any]
RecordKind = Literal[
    "execution", "decision", "count", "limit", "settings", "grant", "client", "delivery", "bridge", "network", "log"
]
ExportFormat = Literal["json", "csv"]


@command
def log(
    cli: CommandLine,
    *,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many.")] = 20,
    tool: Annotated[str | None, option("NAME", "Only this tool.")] = None,
    client: Annotated[str | None, option("NAME", "Only this client.")] = None,
    kind: Annotated[RecordKind | None, option("Only this kind of record.")] = None,
    code: Annotated[str | None, option("CODE", "Only calls that ended with this code, such as timed_out.")] = None,
    text: Annotated[str | None, option("TEXT", "Only records that contain this text.")] = None,
    since: Annotated[str | None, option("TIME", SINCE_HELP)] = None,
    until: Annotated[str | None, option("TIME", "Only up to this ISO 8601 time.")] = None,
    follow: Annotated[
        bool, option("--follow", "-f", "Show new records until Ctrl-C; with --json, one a line.")
    ] = False,
    export: Annotated[ExportFormat | None, option("Write all that match, oldest first, to standard output.")] = None,
    file: Annotated[Path | None, option("--output", "-o", "FILE", "With --export: write to a new file.")] = None,
    verify: Annotated[bool, option("--verify", "Check that nobody has changed the log.")] = False,
    clear: Annotated[bool, option("--clear", "Remove every record.")] = False,
    yes: Annotated[bool, option("--yes", "With --clear: do not ask.")] = False,
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
    params = given_of(tool=tool, client=client, kind=kind, code=code, text=text, since=since_time(since), until=until)
    if verify:
        _verify(cli)
    elif clear:
        _clear(cli, sure=yes)
    elif export is not None:
        _export(cli, export, file, params)
    elif follow:
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(_follow(cli, params, limit))
    else:  # for programs each record as it is, for people one line for each action
        found = cli.ask("audit.query", limit=limit, actions=not cli.as_json, **params)
        _RECORDS.print(cli, list(reversed(found)))


async def _follow(cli: CommandLine, params: dict[str, Any], limit: int) -> None:
    """Print the records there are, and then each new one that fits."""
    async with connect(cli.folder, name="Log", role="host", can=[]) as bridge:
        heard = bridge.notifications()
        found = await bridge.request("audit.query", limit=limit, **params)
        last = found[0]["seq"] if found else 0
        while True:
            for record in reversed(found):
                _show(record, cli)
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


def _show(record: dict[str, Any], cli: CommandLine) -> None:
    if cli.as_json:
        cli.json(record, compact=True)
    elif not _is_silent(record):
        cli.lines(wrap(Text("  ").join(draw_record(record)), cli.width, rest="  "))


def _is_silent(record: dict[str, Any]) -> bool:
    """Return whether a record says nothing that the record of its call does not say as well."""
    return record.get("kind") == "decision" and record.get("outcome") == "allow" and not record.get("decision")


def _export(cli: CommandLine, form: ExportFormat, file: Path | None, params: dict[str, Any]) -> None:
    """Write the records that match. The bridge writes them into its own folder, and from there they are brought along.

    Args:
        cli: The command line.
        form: How they are written.
        file: Where to; it must not exist. None: standard output.
        params: The filters.
    """
    answer = cli.ask("audit.export", format=form, path=f"log-{secrets.token_hex(8)}.{form}", **params)
    written = cli.folder / answer["path"]
    place = contextlib.nullcontext(typer.get_binary_stream("stdout")) if file is None else new_file(file)
    try:
        with written.open("rb") as source, place as target:
            shutil.copyfileobj(source, target)
    finally:
        written.unlink(missing_ok=True)
    cli.say(f"{answer['records']:,} records" + (f" are in {file}" if file else ""))


def _verify(cli: CommandLine) -> None:
    """Say whether the log is as it was written, and where it is not; then the exit code is 1."""
    found = cli.ask("audit.verify")
    cli.answer(found, "\n".join(_sentences(found)))
    if not found["whole"]:
        raise typer.Exit(FAILURE)


def _clear(cli: CommandLine, *, sure: bool) -> None:
    """Remove every record, when the person is sure."""
    cli.confirm_or_end("Remove every record of the log? This cannot be undone", "Nothing was removed.", sure=sure)
    answer = cli.tell("audit.clear")
    said = f"{answer['cleared']:,} records were removed. A record of that is the first of the log now."
    cli.answer(answer, said)


def _sentences(found: dict[str, Any]) -> Iterator[str]:
    yield from (fault["message"] for fault in found["faults"])
    if (more := found["faultCount"] - len(found["faults"])) > 0:
        yield f"and {more:,} more faults"
    if found["lost"]:
        yield f"{found['lost']:,} records could not be written at the time, such as on a full disk."
    if found["unverified"]:
        yield f"{found['unverified']:,} records are from before there was a key here: nobody can vouch for them."
    if early := found.get("droppedEarly"):
        yield (
            f"{early['records']:,} records of calls that changed nothing, from {local_time(early['since'])} to "
            f"{local_time(early['until'])}, were removed early to make room. No decision and no change is among them."
        )
    if found["whole"]:
        yield f"The log is whole: {found['records']:,} records, none altered, removed or inserted."
    else:
        yield "The log is not as it was written. If you changed it yourself, begin anew: vault-bridge log --clear"


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


MOST_ROWS: Final = 31
"""Days that have a row each; of more, every seven have one."""
WEEK: Final = 7
LONGEST: Final = 16
"""Cells of the longest bar."""
CHANGES: Final = ("created", "modified", "deleted", "moved", "unlisted")

_EIGHTHS: Final = " ▏▎▍▌▋▊▉"
_FULL: Final = "█"
_PLAIN: Final = "#"

Counts = dict[str, Any]


@command
def stats(
    cli: CommandLine, *, days: Annotated[int, typer.Option(min=1, max=90, help="How many days, with today.")] = 7
) -> None:
    """Show how much agents did, by day, client and tool.

    It says how many calls there were, how you answered, what was changed, and how long it took. It is counted from the
    vault's log, on this machine; nothing is sent anywhere. Days begin at midnight here.

    Examples:
      vault-bridge stats
      vault-bridge stats --days 30
      vault-bridge stats --json
    """
    found = cli.ask("audit.activity", days=days)
    if cli.as_json:
        cli.json(found)
    elif not found["clients"]:
        cli.say(
            f"The log has no activity of agents since {found['days'][0]['day']}. This will show how many calls they "
            "made, how you answered, what they changed, and how long it took."
        )
    else:
        cli.lines(draw_activity(found, cli.readable, blocks=_has_blocks()))
    if not cli.as_json:
        for remark in _remarks(found):
            cli.say(remark)


def draw_activity(found: Counts, width: int, *, blocks: bool = True) -> Iterator[Text]:
    """Yield the lines of the whole page.

    Args:
        found: The result of `audit.activity`.
        width: Cells a line may have.
        blocks: Whether the screen can draw block characters; else bars are of `#`.
    """
    days = found["days"]
    period = days[0]["day"] if len(days) == 1 else f"{days[0]['day']} to {days[-1]['day']}"
    yield from wrap(Text(f"What agents did, {period} ({found['zone']})", "bold"), width)
    for sentence in _totals(found):
        yield from wrap(Text(sentence), width, rest="  ")
    yield Text()
    yield from draw_table(("Day", "Calls", "Changes"), _day_rows(days, blocks=blocks), width)
    others = [found["others"]] if found["others"] else []
    yield Text()
    headings = ("Calls", "Failed", "Refused", "Changes", "Client")
    yield from draw_table(headings, _client_rows([*found["clients"], *others], blocks=blocks), width)
    if found["tools"]:
        yield Text()
        rows = _tool_rows(found["tools"], blocks=blocks)
        yield from draw_table(("Calls", "Half took", "95% took", "Tool"), rows, width)


def bar(number: float, most: float, *, blocks: bool = True) -> str:
    """Return a bar in proportion to a number, `LONGEST` cells for the greatest, and never empty for more than 0.

    Args:
        number: The number that it stands for.
        most: The greatest number of the plot.
        blocks: Whether the screen can draw block characters.
    """
    if number <= 0 or most <= 0:
        return ""
    if not blocks:
        return _PLAIN * max(round(number / most * LONGEST), 1)
    full, part = divmod(max(round(number / most * LONGEST * len(_EIGHTHS)), 1), len(_EIGHTHS))
    return _FULL * full + _EIGHTHS[part].strip()


def _totals(found: Counts) -> Iterator[str]:
    """Yield the whole period in words."""
    total = {name: sum(day[name] for day in found["days"]) for name in found["days"][0] if name != "day"}
    yield _listed(total, "call", ("succeeded", "failed", "refused"), total["calls"])
    words = {"timedOut": "not answered in time"}
    answers = ("allowed", "denied", "timedOut", "withdrawn")
    questions = sum(total[name] for name in answers)
    took = found["answers"]
    if questions:
        said = _listed(total, "question", answers, questions, words)
        if took["count"]:
            said += f". Half of your answers took at most {took_words(took['median'])}"
            said += f", nine of ten at most {took_words(took['p90'])}"
        yield said
    yield _listed(total, "file change", CHANGES, sum(total[name] for name in CHANGES), {"unlisted": "others"})
    web = total["cacheHits"] + total["cacheMisses"]
    if web:
        yield f"{total['cacheHits']:,} of {web:,} calls to the web were answered from the cache"


def _listed(total: Counts, noun: str, names: Sequence[str], number: int, words: dict[str, str] | None = None) -> str:
    parts = [f"{total[name]:,} {(words or {}).get(name, name)}" for name in names if total[name]]
    said = f"{number:,} {noun}{'' if number == 1 else 's'}"
    return f"{said}: {', '.join(parts)}" if parts else said


def _day_rows(days: Sequence[Counts], *, blocks: bool) -> list[list[Text]]:
    step = WEEK if len(days) > MOST_ROWS else 1
    # The last row ends today; the first may be of fewer days.
    groups = [days[max(end - step, 0) : end] for end in range(len(days), 0, -step)][::-1]
    calls = _plot([sum(day["calls"] for day in group) for group in groups], "cyan", blocks=blocks)
    changes = _plot([_changes(*group) for group in groups], "green", blocks=blocks)
    names = (group[0]["day"] if len(group) == 1 else f"{group[0]['day']} to {group[-1]['day'][5:]}" for group in groups)
    return [[Text(name), *plots] for name, *plots in zip(names, calls, changes, strict=True)]


def _client_rows(clients: Sequence[Counts], *, blocks: bool) -> list[list[Text]]:
    calls = _plot([client["calls"] for client in clients], "cyan", blocks=blocks)
    numbers = (map(_number, (client["failed"], client["refused"], _changes(client))) for client in clients)
    names = (sanitize(client["name"]) for client in clients)
    return [[plot, *counts, name] for plot, counts, name in zip(calls, numbers, names, strict=True)]


def _tool_rows(tools: Sequence[Counts], *, blocks: bool) -> list[list[Text]]:
    calls = _plot([tool["calls"] for tool in tools], "cyan", blocks=blocks)
    return [
        [plot, Text(took_words(tool["p50"])), Text(took_words(tool["p95"])), sanitize(tool["tool"])]
        for plot, tool in zip(calls, tools, strict=True)
    ]


def _plot(numbers: Sequence[int], style: str, *, blocks: bool) -> list[Text]:
    """Return the cells of a column: each number, and its bar."""
    shown = [_number(number).plain for number in numbers]
    size, bars = max(map(len, shown)), (bar(number, max(numbers), blocks=blocks) for number in numbers)
    return [Text.assemble(f"{each:>{size}} ", (drawn, style)) for each, drawn in zip(shown, bars, strict=True)]


def _changes(*counts: Counts) -> int:
    return sum(each[name] for each in counts for name in CHANGES)


def _number(number: int) -> Text:
    return Text(f"{number:,}" if number else "-")


def _remarks(found: Counts) -> Iterator[str]:
    """Yield what is not in the figures."""
    if not found["complete"]:
        yield "The log is very large: of the oldest of these days, not everything could be counted."
    if found["damaged"]:
        yield f"{found['damaged']:,} lines of the log could not be read: vault-bridge log --verify says where."


def _has_blocks() -> bool:
    """Return whether standard output can say block characters."""
    try:
        (_FULL + _EIGHTHS).encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
