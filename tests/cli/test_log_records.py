"""A row of the log for each kind of record."""

from typing import Any

import pytest

from bridge.cli.log import HEADINGS, draw_record

WHEN = "2026-01-02T03:04:05.000Z"


@pytest.mark.parametrize(
    ("record", "tool", "by", "outcome"),
    [
        (
            {
                "kind": "execution",
                "tool": "apply_patch",
                "client": "Robot",
                "success": True,
                "files": [{"path": "a.md"}],
            },
            "apply_patch",
            "Robot",
            "done a.md",
        ),
        (
            {"kind": "execution", "tool": "read", "client": "Robot", "success": False, "errorType": "not_found"},
            "read",
            "Robot",
            "not found",
        ),
        (
            {
                "kind": "decision",
                "tool": "read",
                "client": "R",
                "outcome": "allow",
                "decision": "allow_once",
                "by": "me",
            },
            "read",
            "R",
            "allow once by me",
        ),
        ({"kind": "bridge", "tool": None, "client": None, "event": "started"}, "", "", "started"),
        ({"kind": "execution", "tool": "\x1b[2J", "client": "[red]x", "success": True}, "␛[2J", "[red]x", "done"),
    ],
)
def test_each_kind_of_record_has_its_row(record: dict[str, Any], tool: str, by: str, outcome: str) -> None:
    cells = dict(zip(HEADINGS, (cell.plain for cell in draw_record({"timestamp": WHEN} | record)), strict=True))
    assert (cells["Tool"], cells["By"]) == (tool, by)
    assert outcome in cells["Outcome"]
