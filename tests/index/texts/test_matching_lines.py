"""Every line that is found has its file, its number and its text."""

from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.clock import SystemClock
from bridge.index.texts.arena import Stamp, TextArena, text_entry
from bridge.index.texts.grep import WIDTH, GrepHit, GrepResult, HitCollector, search_run
from bridge.index.texts.patterns import Patterns, pattern_workers

LINES = st.lists(st.text("abé😀", max_size=5), max_size=6)
Found = Callable[[list[bytes], str], GrepResult]


@pytest.fixture(scope="module")
def search() -> Iterator[Found]:
    pool = pattern_workers(SystemClock())
    patterns = Patterns(pool)

    def search(files: list[bytes], pattern: str) -> GrepResult:
        arena, collector, far = TextArena(), HitCollector(1000, 0), float("inf")
        for number, data in enumerate(files):
            arena.put(text_entry(f"{number:02}.md", data, Stamp(0, 0)))
        with patterns.search(patterns.compile(pattern, far), far) as lines:
            for chunk in arena.chunks():
                for run in chunk.runs(None, ()):
                    search_run(chunk, run, lines, collector)
        return collector.result

    yield search
    pool.close()


@given(files=st.lists(LINES, max_size=5))
@settings(max_examples=100, deadline=None)
def test_every_line_has_its_file_its_number_and_its_text(search: Found, files: list[list[str]]) -> None:
    found = search(["".join(f"{line}\n" for line in lines).encode() for lines in files], "^a")
    assert found.hits == [
        GrepHit(f"{number:02}.md", line, text)
        for number, lines in enumerate(files)
        for line, text in enumerate(lines, 1)
        if text.startswith("a")
    ]
    assert found.size == sum(hit.size for hit in found.hits)


def test_a_long_line_is_cut_around_its_match(search: Found) -> None:
    line = "a" + "x" * WIDTH + "!" + "y" * WIDTH
    ((_file, number, text, *_),) = search([f"b\n{line}".encode()], "!").hits
    assert number == 2
    assert "!" in text
    assert len(text) < WIDTH + 10


def test_broken_bytes_at_a_lines_end_do_not_reach_the_next(search: Found) -> None:
    assert [hit.match for hit in search([b"a\xe2\x82\na\xac\n"], "^a").hits] == ["a\ufffd", "a\ufffd"]
