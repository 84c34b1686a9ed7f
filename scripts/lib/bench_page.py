"""The table and the picture of docs/performance.md, made from the figures that the bench put into performance.json."""

from __future__ import annotations

import json
import math
import os
import platform
import re
import subprocess
from typing import TYPE_CHECKING, NamedTuple
from xml.sax.saxutils import escape

from scripts.lib.environment import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

DOCS = ROOT / "docs"
_UNITS = ((1, "s"), (1e3, "ms"), (1e6, "µs"))
_TABLE = re.compile(r"(<!-- figures -->\n).*?(<!-- end of figures -->)", re.DOTALL)


class Row(NamedTuple):
    """A line of the table: what is done, and what that is compared with."""

    task: str
    reference: str


ROWS = {
    "grep": Row("Grep: the first 100 hits, with two lines around each", "ripgrep"),
    "grep.re2": Row("The same, where hyperscan is not installed", "ripgrep"),
    "glob": Row("List the files that match a glob", "ripgrep"),
    "names": Row("Find a note by half-remembered words", "fzf"),
    "ranked": Row("Ranked search: the ten best notes, with excerpts", "SQLite FTS5"),
    "question": Row("A question of some ten words, as an agent asks it", "SQLite FTS5"),
    "peer.search": Row("A search, as an agent sees it", "the fastest other MCP server"),
    "peer.tags": Row("All tags, as an agent sees it", "the fastest other MCP server"),
    "peer.read": Row("Reading a note, as an agent sees it", "the fastest other MCP server"),
    "call": Row("A call of a tool: rules, limits, log", "a bare WebSocket echo"),
    "server": Row("A call of another server's tool, asked, logged and wrapped", "the server alone"),
    "edit": Row("An edit: checked, backed up, journalled, durable", "a bare durable write"),
    "staged": Row("An edit in a draft of 500 files, with its preview", "the same outside of a draft"),
    "submit": Row("The one question about a draft of 500 files", "reading and hashing these files"),
    "undo_outside": Row("Undoing what another program did to 500 notes", "any plan of as many"),
    "change": Row("Noticing another program's change", "the file watcher alone"),
    "restart": Row("Restart: index loaded and compared with the disk", "one look at every file"),
    "build": Row("First index: links, tags, properties, words, texts", "SQLite FTS5 alone"),
}
"""By name, in the order of the page."""


class Figure(NamedTuple):
    """The measurement for a row, in seconds, with its commit and the kind of machine."""

    ours: float
    reference: float
    commit: str
    machine: str


def write(measured: Mapping[str, tuple[float, float]], docs: Path = DOCS) -> None:
    """Put new figures, ours and the reference's in seconds by row, beside those of earlier runs; then `draw`."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.strip()
    python = ".".join(platform.python_version_tuple()[:2])
    machine = f"{os.cpu_count()} CPUs, {platform.system()}, Python {python}"
    figures = read(docs)
    for name, (ours, reference) in measured.items():
        figures[name] = Figure(_rounded(ours), _rounded(reference), commit, machine)
    ordered = {name: figures[name]._asdict() for name in ROWS if name in figures}
    (docs / "performance.json").write_text(json.dumps(ordered, indent=2) + "\n", encoding="utf-8")
    draw(docs)


def draw(docs: Path = DOCS) -> None:
    """Make the page's table and its picture anew from the figures that are there."""
    figures = read(docs)
    page = docs / "performance.md"
    text = page.read_text(encoding="utf-8")
    page.write_text(_TABLE.sub(lambda found: found[1] + table(figures) + found[2], text), encoding="utf-8")
    (docs / "performance.svg").write_text(picture(figures), encoding="utf-8")


def read(docs: Path = DOCS) -> dict[str, Figure]:
    """The figures that are there, by row."""
    file = docs / "performance.json"
    known = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    return {name: Figure(**known[name]) for name in ROWS if name in known}


def table(figures: Mapping[str, Figure]) -> str:
    """The table in Markdown, and below it where its figures were measured."""
    lines = ["| | Vault Bridge | compared with | that takes | |", "|---|---|---|---|---|"]
    for name, figure in figures.items():
        row = ROWS[name]
        sides = f"{time(figure.ours)} | {row.reference} | {time(figure.reference)}"
        lines.append(f"| {row.task} | {sides} | {ratio(figure)} |")
    commits = ", ".join(dict.fromkeys(figure.commit for figure in figures.values()))
    machines = "; ".join(dict.fromkeys(figure.machine for figure in figures.values()))
    return "\n".join([*lines, "", f"Measured at {commits}, on a machine with {machines}.", ""])


def ratio(figure: Figure) -> str:
    """Say how ours compares."""
    faster = figure.reference / figure.ours
    if 1 / 1.1 < faster < 1.1:  # noqa: PLR2004 - a tenth is noise
        return "the same"
    return f"{_digits(faster)} times faster" if faster > 1 else f"{_digits(1 / faster)} times as long"


def time(seconds: float) -> str:
    """Seconds in the unit that fits, with two digits that count."""
    factor, unit = next((factor, unit) for factor, unit in _UNITS if seconds * factor >= 1 or unit == "µs")
    return f"{_digits(seconds * factor)} {unit}"


def _digits(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}"  # noqa: PLR2004 - two digits either way


def _rounded(seconds: float) -> float:
    return float(f"{seconds:.3g}")


WIDTH = 880
LEFT, RIGHT = 400, 800
TOP, STEP = 76, 38
FIRST, LAST = -4, 1
"""The axis goes from 10^FIRST to 10^LAST seconds."""

_STYLE = """
  .ground { fill: #ffffff } text { fill: #1f2328; font: 13px system-ui, sans-serif } .grid { stroke: #d1d9e0 }
  .small { fill: #59636e; font-size: 11px } .ours { fill: #6d28d9; stroke: #6d28d9 }
  .reference { fill: #ffffff; stroke: #59636e } .between { stroke: #8c959f }
  circle, .between { stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117 } text { fill: #f0f6fc } .grid { stroke: #3d444d } .small { fill: #9198a1 }
    .ours { fill: #a78bfa; stroke: #a78bfa } .reference { fill: #0d1117; stroke: #9198a1 } .between { stroke: #656c76 }
  }
"""


def picture(figures: Mapping[str, Figure]) -> str:
    """An SVG: a line for each row, on a logarithmic axis, from our dot to the reference's ring."""
    height = TOP + STEP * len(figures) + 14
    legend = "what it is compared with; each line of the grid is ten times the one before"
    title = "How long Vault Bridge takes, and what it is compared with"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
        f"<title>{title}</title>",
        f"<style>{_STYLE}</style>",
        f'<rect class="ground" width="{WIDTH}" height="{height}"/>',
        f'{_dot("ours", 24, 24)}<text x="36" y="28">Vault Bridge</text>',
        f'{_dot("reference", 140, 24)}<text x="152" y="28">{legend}</text>',
    ]
    for power in range(FIRST, LAST + 1):
        x = _x(10.0**power)
        parts.append(f'<line class="grid" x1="{x}" y1="{TOP - 14}" x2="{x}" y2="{height - 14}"/>')
        parts.append(f'<text class="small" x="{x}" y="{TOP - 20}" text-anchor="middle">{time(10.0**power)}</text>')
    for number, (name, figure) in enumerate(figures.items()):
        parts.append(_line(ROWS[name], figure, TOP + STEP * number + 14))
    return "\n".join([*parts, "</svg>", ""])


def _line(row: Row, figure: Figure, y: int) -> str:
    """One row: its words, the two ends, and a value outside each of them."""
    ours, reference = _x(figure.ours), _x(figure.reference)
    (least, fewest), (most, many) = sorted([(ours, figure.ours), (reference, figure.reference)])
    return "\n".join(
        [
            f'<text x="16" y="{y - 2}">{escape(row.task)}</text>',
            f'<text class="small" x="16" y="{y + 13}">{escape(_sentence(row, figure))}</text>',
            f'<line class="between" x1="{least}" y1="{y}" x2="{most}" y2="{y}"/>',
            _dot("reference", reference, y) + _dot("ours", ours, y),
            f'<text class="small" x="{least - 10}" y="{y + 4}" text-anchor="end">{time(fewest)}</text>',
            f'<text class="small" x="{most + 10}" y="{y + 4}">{time(many)}</text>',
        ]
    )


def _sentence(row: Row, figure: Figure) -> str:
    words = ratio(figure)
    return f"{words} {'than' if words.endswith('faster') else 'as'} {row.reference}"


def _dot(kind: str, x: float, y: float) -> str:
    return f'<circle class="{kind}" cx="{x}" cy="{y}" r="5"/>'


def _x(seconds: float) -> float:
    """Return where a time is on the axis; one beyond an end is at that end."""
    share = (math.log10(seconds) - FIRST) / (LAST - FIRST)
    return round(LEFT + (RIGHT - LEFT) * min(max(share, 0.0), 1.0), 1)
