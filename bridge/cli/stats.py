"""`vault-bridge stats`: what agents did in the last days, counted from the log and drawn as plots of characters."""

import sys
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Final

import typer
from rich.text import Text

from bridge.cli.connection import run_idempotent
from bridge.cli.layout import draw_table, wrap
from bridge.cli.options import AsJson, Vault
from bridge.cli.printer import READABLE, Printer
from bridge.cli.sanitize import sanitize
from bridge.cli.times import took_words

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


def stats(
    *,
    days: Annotated[int, typer.Option(min=1, max=90, help="How many days, with today.")] = 7,
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """Show how much agents did, by day, client and tool.

    It says how many calls there were, how you answered, what was changed, and how long it took. It is counted from the
    vault's log, on this machine; nothing is sent anywhere. Days begin at midnight here.

    Examples:
      vault-bridge stats
      vault-bridge stats --days 30
      vault-bridge stats --json
    """
    printer = Printer(as_json=as_json)
    found = run_idempotent(vault, lambda bridge: bridge.request("audit.activity", days=days))
    if as_json:
        printer.json(found)
    elif not found["clients"]:
        printer.say(
            f"The log says of no agent that it did anything since {found['days'][0]['day']}. Here will be how many "
            "calls they made, how you answered, what they changed, and how long it took."
        )
    else:
        printer.lines(draw_activity(found, min(printer.width, READABLE), blocks=_has_blocks()))
    if not as_json:
        for remark in _remarks(found):
            printer.say(remark)


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
    for sentence in _sentences(found):
        yield from wrap(Text(sentence), width, rest="  ")
    yield Text()
    yield from draw_table(("Day", "Calls", "Changes"), _day_rows(days, blocks=blocks), width)
    others = [found["others"]] if found["others"] else []
    yield Text()
    headings = ("Calls", "Failed", "Refused", "Changes", "Client")
    yield from draw_table(headings, _client_rows([*found["clients"], *others], blocks=blocks), width)
    if found["tools"]:
        yield Text()
        yield from draw_table(
            ("Calls", "Half took", "95% took", "Tool"), _tool_rows(found["tools"], blocks=blocks), width
        )


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


def _sentences(found: Counts) -> Iterator[str]:
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
    return [
        [
            plot,
            _number(client["failed"]),
            _number(client["refused"]),
            _number(_changes(client)),
            sanitize(client["name"]),
        ]
        for plot, client in zip(calls, clients, strict=True)
    ]


def _tool_rows(tools: Sequence[Counts], *, blocks: bool) -> list[list[Text]]:
    calls = _plot([tool["calls"] for tool in tools], "cyan", blocks=blocks)
    return [
        [plot, Text(took_words(tool["p50"])), Text(took_words(tool["p95"])), sanitize(tool["tool"])]
        for plot, tool in zip(calls, tools, strict=True)
    ]


def _plot(numbers: Sequence[int], style: str, *, blocks: bool) -> list[Text]:
    """Return the cells of a column: each number, and its bar."""
    shown = [_number(number).plain for number in numbers]
    size, most = max(map(len, shown)), max(numbers)
    return [
        Text.assemble(f"{each:>{size}} ", (bar(number, most, blocks=blocks), style))
        for each, number in zip(shown, numbers, strict=True)
    ]


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
