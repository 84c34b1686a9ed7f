"""The lines wanted of a file are the same however its bytes arrive."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.tools.core.file_part import LONGEST_CHARACTER, FilePart
from bridge.vault.text import Lines


@given(
    data=st.text("aé\r\n", max_size=40).map(str.encode),
    cuts=st.lists(st.integers(0, 60), max_size=4),
    first=st.integers(1, 8),
    count=st.none() | st.integers(0, 8),
    limit=st.integers(1, 50),
)
@settings(max_examples=400, deadline=None)
def test_a_part_is_the_lines_asked_for_up_to_the_limit(
    data: bytes, cuts: list[int], first: int, count: int | None, limit: int
) -> None:
    limit = max(limit, LONGEST_CHARACTER)
    last = None if count is None else first + count
    part = FilePart(first, last, limit)
    bounds = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    for start, end in pairwise(bounds):
        if end > start:
            part.take(data[start:end])
    lines = Lines(data)
    assert part.total_lines == lines.count
    if first > max(lines.count, 1):
        return
    start, end = lines.span(first, lines.count if last is None else min(last, lines.count)) if lines.count else (0, 0)
    wanted = data[start:end]
    text, invalid_at = part.text("a.md")
    assert invalid_at is None
    assert part.truncated == (len(wanted) > limit)
    assert wanted.startswith(text.encode())
    assert len(text.encode()) <= limit
    if part.truncated:
        cut = wanted[:limit]
        assert text.encode() == (cut[: cut.rfind(b"\n") + 1] or cut.decode(errors="ignore").encode())
    else:
        assert text.encode() == wanted
    assert part.last_taken == first - 1 + Lines(text.encode()).count
