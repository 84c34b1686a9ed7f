"""The tables of docs/agents.md about the programs, made from what the tests have found.

`VAULT_BRIDGE_WRITE_PROGRAMS=1 .venv/bin/python -m pytest tests/programs` runs all of it and writes both the figures
(docs/programs.json) and the tables. Without the variable nothing is written, and what is found must be what is there.
"""

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from bridge.agents.table import BY_ID
from tests.programs.programs import PROGRAMS, Program

DOCS: Final = Path(__file__).resolve().parents[2] / "docs"
FILE: Final = DOCS / "programs.json"
WRITES: Final = bool(os.environ.get("VAULT_BRIDGE_WRITE_PROGRAMS"))
BEGIN, END = "<!-- programs: made by tests/programs -->", "<!-- /programs -->"

ROWS: Final = {
    "first": "Our tools are in its model's first request, while no bridge runs yet",
    "search": "Search",
    "read": "Read, with line numbers",
    "edit": "An edit that you allow, with the id to undo it by",
    "refusal": "A refusal, with what you said",
    "draft": "A draft: staged, submitted, taken",
    "late": "An answer after more than 90 seconds",
    "restart": "The bridge is killed between two calls, and another is found",
    "cancelled": "The program is ended while you are asked: the question is withdrawn",
}
"""What is tried with every program."""
FORMS: Final = {
    "text_alone": "text",
    "texts": "two texts",
    "structured_alone": "structured content",
    "both": "text and structured content",
    "both_with_schema": "text and structured content, with `outputSchema`",
    "failure_in_text": "a failure with a text",
    "failure_in_both": "a failure with both",
}
"""In which forms a server may answer, by the tool that does."""

_found: Final[dict[str, dict[str, Any]]] = {}


def known() -> dict[str, Any]:
    """What was written down by the last run that did."""
    found: dict[str, Any] = json.loads(FILE.read_bytes())
    return found


def note(program: Program, kind: str, name: str, value: Any) -> None:
    """Keep what was found of a program, to be written; or compare it with what was written.

    Args:
        program: The program.
        kind: The table.
        name: The row.
        value: What it does.
    """
    if WRITES:
        _found.setdefault(program.id, {}).setdefault(kind, {})[name] = value
    else:
        assert known()["programs"][program.id][kind][name] == value, "run with VAULT_BRIDGE_WRITE_PROGRAMS=1"


def write() -> None:
    """Write what was found into the figures and the tables. What was not run stays as it was."""
    if not _found:
        return
    figures = known() if FILE.exists() else {"programs": {}}
    for program in PROGRAMS:
        if found := _found.get(program.id):
            date = datetime.now(UTC).date().isoformat()
            before = figures["programs"].get(program.id, {})
            kinds = {kind: {**before.get(kind, {}), **rows} for kind, rows in found.items()}
            figures["programs"][program.id] = before | {"version": program.version, "ran": date} | kinds
    FILE.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    page = DOCS / "agents.md"
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    page.write_text(before + tables(figures) + rest.partition(END)[2], encoding="utf-8")


def tables(figures: dict[str, Any]) -> str:
    """The tables of the page, with what marks their beginning and end."""
    of = {program: figures["programs"][program.id] for program in PROGRAMS}
    titles = [BY_ID[program.id].title for program in PROGRAMS]
    tried = [
        ["", *titles],
        ["version", *(one["version"] for one in of.values())],
        ["run on", *(one["ran"] for one in of.values())],
        *([said, *(one.get("work", {}).get(row, "not run") for one in of.values())] for row, said in ROWS.items()),
    ]
    shown = [
        ["what a server answers with", *titles],
        *([said, *(one.get("forms", {}).get(form, "not run") for one in of.values())] for form, said in FORMS.items()),
        ["what the program adds to a tool's parameters", *(one.get("forms", {}).get("adds", "not run") for one in of.values())],
    ]
    told = "What of an answer each shows its model:"
    return "\n".join([BEGIN, *_table(tried), "", told, "", *_table(shown), END])


def _table(rows: list[list[str]]) -> list[str]:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return [lines[0], "|---" * len(rows[0]) + "|", *lines[1:]]
