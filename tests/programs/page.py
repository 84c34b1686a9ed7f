"""The tables of docs/agents.md about programs and of docs/mcp.md about SDKs, made from what the tests have found.

`VAULT_BRIDGE_WRITE_PROGRAMS=1 .venv/bin/python -m pytest tests/programs` runs all of it and writes both the figures
(docs/programs.json) and the tables. Without the variable nothing is written, and what is found must be what is there.
"""

import json
import os
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from filelock import FileLock

from bridge.agents.table import BY_ID
from tests.programs.programs import PROGRAMS, Program
from tests.programs.sdk_clients import SDKS, Sdk

DOCS: Final = Path(__file__).resolve().parents[2] / "docs"
FILE: Final = DOCS / "programs.json"
WRITES: Final = bool(os.environ.get("VAULT_BRIDGE_WRITE_PROGRAMS"))
BEGIN, END = "<!-- programs: made by tests/programs -->", "<!-- /programs -->"
BEGIN_SDKS, END_SDKS = "<!-- SDKs: made by tests/programs -->", "<!-- /SDKs -->"

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
    "alone": "What lets it change notes without a terminal",
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
PROTECTS: Final = {
    "asked": "Its editor changes a note: you are asked, and a yes lets it",
    "denied": "A no, and what you said, reaches its model",
    "silent": "You do not answer in time",
    "patch": "Its shell is given a patch for `apply_patch`: you are asked",
    "shell": "Its shell changes a note otherwise",
    "switches": "Its editor overwrites the settings that have the hook, or those of the vault",
    "elsewhere": "Its editor changes a file elsewhere",
    "alone": "No bridge runs",
    "killed": "The hook is killed while you are asked",
    "broken": "The hook cannot be started",
}
"""What is tried with every program that was told to ask."""
ADDS: Final = {"adds": "what the program adds to the parameters of every tool"}

SDK_ROWS: Final = {
    "list": "lists the tools",
    "call": "calls one",
    "progress": "hears that a call still waits for you",
    "ticket": "is answered later, by the ticket",
    "cancelled": "gives a call up: the question is withdrawn",
    "restart": "goes on when the bridge is started anew",
}
"""What is tried with every SDK, over a pipe and over HTTP."""
SDK_WAYS: Final = ("stdio", "http")

Subject = Program | Sdk
_KINDS: Final = {"programs": ("work", "forms", "protect"), "sdks": SDK_WAYS}
_SUBJECTS: Final[dict[str, tuple[Subject, ...]]] = {"programs": PROGRAMS, "sdks": SDKS}
_found: Final[dict[str, dict[str, Any]]] = {}


def known() -> dict[str, Any]:
    """Return what the last run that wrote has found."""
    found: dict[str, Any] = json.loads(FILE.read_bytes())
    return found


def note(subject: Subject, kind: str, name: str, value: Any) -> None:
    """Keep what was found of a program or an SDK, to be written; or compare it with what was written.

    Args:
        subject: The program or SDK.
        kind: The table.
        name: The row.
        value: What it does.
    """
    section = "programs" if isinstance(subject, Program) else "sdks"
    if WRITES:
        _found.setdefault(subject.id, {}).setdefault(kind, {})[name] = value
    else:
        assert known()[section][subject.id][kind][name] == value, "run with VAULT_BRIDGE_WRITE_PROGRAMS=1"


def write() -> None:
    """Write what was found into the figures and the tables. What was not run with this version stays as it was."""
    if not _found:
        return
    with FileLock(Path(tempfile.gettempdir()) / "vault-bridge-programs.lock"):  # other processes run other tests
        _write()


def _write() -> None:
    before = known() if FILE.exists() else {}
    figures = {
        section: {one.id: _figures(one, before.get(section, {}).get(one.id, {}), _KINDS[section]) for one in subjects}
        for section, subjects in _SUBJECTS.items()
    }
    FILE.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    _put("agents.md", tables(figures))
    _put("mcp.md", sdk_table(figures))


def _put(name: str, table: str) -> None:
    """Put tables between their marks into a page."""
    page, (begin, *_rows, end) = DOCS / name, table.split("\n")
    before, _, rest = page.read_text(encoding="utf-8").partition(begin)
    page.write_text(before + table + rest.partition(end)[2], encoding="utf-8")


def _figures(subject: Subject, before: dict[str, Any], kinds: tuple[str, ...]) -> dict[str, Any]:
    """Return the figures of one program or SDK."""
    found = _found.get(subject.id)
    if found is None:
        return before
    kept = before if before.get("version") == subject.version else {}
    rows = {kind: {**kept.get(kind, {}), **found.get(kind, {})} for kind in kinds}
    today = datetime.now(UTC).date().isoformat()
    ran = {**kept.get("ran", {}), **dict.fromkeys(found, today)}  # each table has the date of its own run
    return {"version": subject.version, "ran": ran, **rows}


def tables(figures: dict[str, Any]) -> str:
    """Return the tables of the page, with what marks their beginning and end."""
    programs = [figures["programs"][program.id] for program in PROGRAMS]
    titles = [BY_ID[program.id].title for program in PROGRAMS]

    def rows(kind: str, said: dict[str, str]) -> list[list[str]]:
        return [[words, *(one.get(kind, {}).get(row, "not run") for one in programs)] for row, words in said.items()]

    def ran(kind: str) -> list[str]:
        return ["run on", *(str(one.get("ran", {}).get(kind, "not run")) for one in programs)]

    version = ["version", *(str(one.get("version")) for one in programs)]
    tried = _table([["", *titles], version, ran("work"), *rows("work", ROWS)])
    shown = _table([["what a server answers with", *titles], ran("forms"), *rows("forms", FORMS | ADDS)])
    asks = _table([["", *titles], ran("protect"), *rows("protect", PROTECTS)])
    told = "Told to ask by [`vault-bridge protect`](protect.md):"
    return "\n".join(
        [BEGIN, *tried, "", "What of an answer each shows its model:", "", *shown, "", told, "", *asks, END]
    )


def sdk_table(figures: dict[str, Any]) -> str:
    """Return the table of the SDKs, with what marks its beginning and end."""
    table = [["SDK", "version", "run on", *SDK_ROWS.values()]]
    for sdk in SDKS:
        found = figures["sdks"].get(sdk.id, {})
        cells = [[found.get(way, {}).get(row, "not run") for way in SDK_WAYS] for row in SDK_ROWS]
        both = [one if one == other else f"{one}; over HTTP: {other}" for one, other in cells]
        table.append(
            [sdk.title, str(found.get("version")), ", ".join(sorted(set(found.get("ran", {}).values()))), *both]
        )
    return "\n".join([BEGIN_SDKS, *_table(table), END_SDKS])


def _table(rows: list[list[str]]) -> list[str]:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return [lines[0], "|---" * len(rows[0]) + "|", *lines[1:]]
