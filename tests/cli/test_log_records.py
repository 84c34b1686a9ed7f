"""A row of the log."""

from typing import Any

import pytest

from bridge.cli.log import HEADINGS, draw_record

WHEN = "2026-01-02T03:04:05.000Z"


@pytest.mark.parametrize(
    ("record", "words", "red"),
    [
        ({"success": True, "sentence": "Robot edited “a.md”"}, "Robot edited “a.md”", False),
        ({"success": False, "sentence": "Robot wanted it"}, "Robot wanted it", True),
        ({"kind": "decision", "outcome": "deny", "sentence": "You denied it"}, "You denied it", True),
        ({"kind": "bridge", "sentence": "The bridge started"}, "The bridge started", False),
        ({"kind": "bridge"}, "bridge", False),
        ({"success": True, "sentence": "“\x1b[2J[red]x\n\ny”"}, "“␛[2J[red]x y”", False),
    ],
)
def test_a_record_has_its_row(record: dict[str, Any], words: str, red: bool) -> None:
    cells = dict(zip(HEADINGS, draw_record({"timestamp": WHEN} | record), strict=True))
    assert cells["What happened"].plain == words
    assert ("red" in str(cells["What happened"].style)) == red
