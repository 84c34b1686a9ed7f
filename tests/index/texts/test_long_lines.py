"""A line that is searched in several parts is one line: one match, the right number, the right lines around it."""

from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bridge.clock import SystemClock
from bridge.index.texts import grep as grep_module
from bridge.index.texts import line_patterns
from bridge.index.texts.grep import WIDTH, Grep, GrepQuery
from bridge.vault.files import VaultFiles
from bridge.vault.root import VaultRoot


def _search(vault: Path, *, around: int = 0, limit: int = 1000) -> list[tuple[int, int, int]]:
    """The number of each line that holds a `y`, and how many lines are shown before and after it."""
    clock = SystemClock()
    with VaultRoot(vault) as root:
        grep = Grep(VaultFiles(root), clock)
        try:
            deadline = clock.monotonic() + 60
            query = GrepQuery(grep.compile("y", deadline), None, (), around, limit, deadline)
            found = [(hit.line, len(hit.before), len(hit.after)) for hit in grep.search(query).hits]
            assert grep.count(query).counts == ([("A.md", len(found))] if found else [])
            return found
        finally:
            grep.close()


@given(
    lines=st.lists(st.text("xy", max_size=200) | st.integers(0, 300).map("x".__mul__), min_size=1, max_size=12),
    around=st.integers(0, 3),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
def test_every_matching_line_is_found_once(
    vault: Path, monkeypatch: pytest.MonkeyPatch, lines: list[str], around: int
) -> None:
    monkeypatch.setattr(line_patterns, "LONGEST_LINE", 32)
    monkeypatch.setattr(grep_module, "PIECE", 16)
    monkeypatch.setattr(grep_module, "pieces", partial(line_patterns.pieces, size=16))
    (vault / "A.md").write_bytes("\n".join(lines).encode())
    count = len(lines) - (not lines[-1])  # what follows the last line break is no line
    expected = [
        (number, min(around, number - 1), min(around, count - number))
        for number, line in enumerate(lines, 1)
        if "y" in line
    ]
    assert _search(vault, around=around) == expected


@pytest.mark.slow
def test_a_line_of_many_megabytes_is_one_match_in_line_one(vault: Path) -> None:
    (vault / "A.md").write_bytes(b"xy" * (12 << 20) + b"\nend\n")
    assert _search(vault, around=2) == [(1, 0, 1)]
    assert WIDTH < 1000  # what is shown of it stays short
