"""`vault-bridge stats`: what is drawn of what agents did."""

import asyncio
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from typer.testing import CliRunner, Result

from bridge.app import Bridge
from bridge.cli.layout import took_words
from bridge.cli.log import LONGEST, _has_blocks, _remarks, bar, draw_activity
from bridge.cli.main import app
from bridge.client import connect
from bridge.contract.audit import ActivityAnswers, ActivityClient, ActivityDay, ActivityTool, AuditActivity

HOSTILE = "“Robot\x1b[2J\u202e” (not verified)"


def wire(days: int = 7, **changes: Any) -> dict[str, Any]:
    """What the bridge answers."""
    of_days = tuple(
        ActivityDay(
            day=f"2026-{1 + number // 28:02d}-{1 + number % 28:02d}",
            calls=number * 10,
            succeeded=number * 9,
            failed=number,
            allowed=1,
            timed_out=number % 2,
            created=number,
            cache_hits=1,
            cache_misses=3,
        )
        for number in range(days)
    )
    nothing = (0,) * days
    clients = (
        ActivityClient(
            name="Claude Code", calls=1_234, failed=3, created=12, calls_by_day=nothing, changes_by_day=nothing
        ),
        ActivityClient(
            name=HOSTILE + " and so on" * 12, calls=1, refused=1, calls_by_day=nothing, changes_by_day=nothing
        ),
    )
    found = AuditActivity(
        days=of_days,
        clients=clients,
        others=ActivityClient(name="Others", calls=5, calls_by_day=nothing, changes_by_day=nothing),
        tools=(
            ActivityTool(tool="grep", calls=900, succeeded=900, p50=12.4, p95=4_200.0),
            ActivityTool(tool="e" * 90, calls=1, succeeded=0, p50=None, p95=None),
        ),
        answers=ActivityAnswers(count=7, median=4_000.0, p90=200_000.0),
        zone="UTC+01:00",
        records=2_000,
        damaged=0,
        complete=True,
    )
    return found.to_wire() | changes


def drawn(found: dict[str, Any], width: int = 80, *, blocks: bool = True) -> list[str]:
    return [line.plain for line in draw_activity(found, width, blocks=blocks)]


@pytest.mark.parametrize("width", [80, 100, 40, 20])
@pytest.mark.parametrize("days", [1, 7, 31, 32, 90])
def test_no_line_is_wider_than_the_screen(width: int, days: int) -> None:
    assert max(cell_len(line) for line in drawn(wire(days), width)) <= width


def test_the_period_its_answers_and_its_changes_are_said_in_words() -> None:
    page = " ".join(" ".join(drawn(wire())).split())
    assert "What agents did, 2026-01-01 to 2026-01-07 (UTC+01:00)" in page
    assert "210 calls: 189 succeeded, 21 failed" in page
    assert "10 questions: 7 allowed, 3 not answered in time. Half of your answers took at most 4.0 s" in page
    assert "nine of ten at most 3 min" in page
    assert "21 file changes: 21 created" in page
    assert "7 of 28 calls to the web were answered from the cache" in page


def test_each_day_has_a_bar_and_of_many_days_each_week() -> None:
    rows = [line for line in drawn(wire(31)) if line.startswith("2026-")]
    assert len(rows) == 31
    assert rows[-1].split()[:3] == ["2026-02-03", "300", "█" * LONGEST]
    weeks = [line for line in drawn(wire(90)) if line.startswith("2026-")]
    assert len(weeks) == 13
    assert weeks[0].startswith("2026-01-01 to 01-06")
    assert weeks[-1].startswith("2026-03-28 to 04-06")


def test_names_that_programs_give_themselves_are_drawn_as_text() -> None:
    page = "\n".join(drawn(wire()))
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert "␛[2J<U+202E>" in page


@pytest.mark.parametrize(
    ("number", "most", "blocks", "plain"),
    [
        (0, 10, "", ""),
        (10, 10, "█" * LONGEST, "#" * LONGEST),
        (1, 10_000, "▏", "#"),
        (5, 10, "█" * 8, "#" * 8),
        (1, 0, "", ""),
    ],
)
def test_a_bar_is_as_long_as_its_number_is_great(number: int, most: int, blocks: str, plain: str) -> None:
    assert bar(number, most) == blocks
    assert bar(number, most, blocks=False) == plain
    assert "█" not in "\n".join(drawn(wire(), blocks=False))


@pytest.mark.parametrize(
    ("milliseconds", "words"),
    [
        (None, "-"),
        (0, "0 ms"),
        (12.4, "12 ms"),
        (999.4, "999 ms"),
        (4_230, "4.2 s"),
        (180_000, "3 min"),
        (9e6, "2.5 h"),
    ],
)
def test_durations_are_said_as_people_say_them(milliseconds: float | None, words: str) -> None:
    assert took_words(milliseconds) == words


@pytest.mark.slow
class TestOnAVaultThatNobodyServes:
    """The command itself, with a bridge of its own."""

    @staticmethod
    def run(vault: Path, *words: str) -> Result:
        result = CliRunner().invoke(app, ["stats", *words, "--vault", str(vault)])
        assert result.exit_code == 0, result.output
        return result

    def test_of_an_empty_log_it_says_what_will_be_here(self, vault: Path) -> None:
        result = self.run(vault)
        assert result.stdout == ""
        assert "This will show how many calls they made" in " ".join(result.stderr.split())

    async def test_it_draws_what_was_logged_and_says_the_same_as_json(self, vault: Path) -> None:
        async with Bridge(vault), connect(vault, name="Robot") as agent:
            await agent.call("find", pattern="*.md")
            await agent.call("nosuch")
        result = await asyncio.to_thread(self.run, vault)
        assert "2 calls: " in result.stdout
        assert "Robot" in result.stdout
        found = json.loads((await asyncio.to_thread(self.run, vault, "--json", "--days", "3")).stdout)
        assert (len(found["days"]), found["days"][-1]["calls"]) == (3, 2)

    def test_it_draws_no_blocks_where_the_screen_has_none(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="cp1252"))
        assert not _has_blocks()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
        assert _has_blocks()


@pytest.mark.parametrize(
    ("changes", "said"),
    [({"complete": False}, "of the oldest of these days, not everything"), ({"damaged": 2}, "2 lines of the log")],
)
def test_what_is_not_in_the_figures_is_said(changes: dict[str, Any], said: str) -> None:
    assert any(said in remark for remark in _remarks(wire(**changes)))
