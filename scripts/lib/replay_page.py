"""The table of docs/performance.md that says how often a person is asked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scripts.lib.environment import ROOT
from scripts.lib.replay_run import AnswerSizes

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from scripts.lib.replay_run import Run

PAGE = ROOT / "docs" / "performance.md"
ANSWERS_PAGE = ROOT / "docs" / "mcp.md"
_ANSWERS = re.compile(r"(<!-- answers -->\n).*?(<!-- end of answers -->)", re.DOTALL)
_SHELL = re.compile(r"(<!-- shell -->\n).*?(<!-- end of shell -->)", re.DOTALL)
_JOBS = re.compile(r"(<!-- jobs -->\n).*?(<!-- end of jobs -->)", re.DOTALL)
_TABLE = re.compile(r"(<!-- asked -->\n).*?(<!-- end of asked -->)", re.DOTALL)


def table(runs: Mapping[str, Run]) -> str:
    """The table in Markdown.

    Args:
        runs: What was counted, by what the row says.
    """
    lines = [
        "| | calls | of them write | questions | asked | for each 100 calls | tokens |",
        "|---|---|---|---|---|---|---|",
    ]
    for title, run in runs.items():
        writing = sum(call.writes for call in run.calls)
        counts = (len(run.calls), writing, len(run.asked), run.times_asked)
        figures = (title, *map(str, counts), f"{run.per_hundred:.1f}", f"{round(run.tokens, -3):,}")
        lines.append(f"| {' | '.join(figures)} |")
    return "\n".join([*lines, ""])


def write(runs: Mapping[str, Run], page: Path = PAGE) -> None:
    """Put the table into the page, in place of the one before."""
    text = page.read_text(encoding="utf-8")
    page.write_text(_TABLE.sub(lambda found: found[1] + table(runs) + found[2], text), encoding="utf-8", newline="\n")


def written(page: Path = PAGE) -> str:
    """The table that the page has; empty if it has none."""
    found = _TABLE.search(page.read_text(encoding="utf-8"))
    return found[0].removeprefix("<!-- asked -->\n").removesuffix("<!-- end of asked -->") if found else ""


def answers_table(run: Run) -> str:
    """Return how long the answers of each tool were: their text, their data, and both.

    Args:
        run: What was counted.
    """
    lines = ["| tool | calls | text alone | data alone | both |", "|---|---|---|---|---|"]
    whole = AnswerSizes()
    for sizes in run.answers.values():
        whole.calls, whole.text, whole.data = (
            whole.calls + sizes.calls,
            whole.text + sizes.text,
            whole.data + sizes.data,
        )
    for name, sizes in [*((f"`{tool}`", run.answers[tool]) for tool in sorted(run.answers)), ("all", whole)]:
        lines.append(f"| {name} | {sizes.calls} | {sizes.text:,} | {sizes.data:,} | {sizes.text + sizes.data:,} |")
    return "\n".join([*lines, ""])


def write_answers(run: Run, page: Path = ANSWERS_PAGE) -> None:
    """Put that table into its page, in place of the one before."""
    text = page.read_text(encoding="utf-8")
    table_of = answers_table(run)
    page.write_text(_ANSWERS.sub(lambda found: found[1] + table_of + found[2], text), encoding="utf-8", newline="\n")


def write_shell(table_of: str, page: Path = PAGE) -> None:
    """Put the table of jobs done in a shell into its page, in place of the one before."""
    text = page.read_text(encoding="utf-8")
    page.write_text(_SHELL.sub(lambda found: found[1] + table_of + found[2], text), encoding="utf-8", newline="\n")


def write_jobs(table_of: str, page: Path = PAGE) -> None:
    """Put the table of ten jobs into its page, in place of the one before."""
    text = page.read_text(encoding="utf-8")
    page.write_text(_JOBS.sub(lambda found: found[1] + table_of + found[2], text), encoding="utf-8", newline="\n")


def written_jobs(page: Path = PAGE) -> str:
    """The table of ten jobs that the page has; empty if it has none."""
    found = _JOBS.search(page.read_text(encoding="utf-8"))
    return found[0].removeprefix("<!-- jobs -->\n").removesuffix("<!-- end of jobs -->") if found else ""
