"""What is shown of a hit is the same however the file was cut into pieces."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.index.texts.grep import CUT, WIDTH, GrepHit, HitCollector, shown


def gather(lines: list[str], hits: set[int], around: int, cuts: set[int]) -> list[GrepHit]:
    """The hits of a file whose pieces end after the lines numbered in `cuts`."""
    collector = HitCollector(1000, around)
    collector.begin("a.md")
    piece, spans = b"", []
    for number, line in enumerate(lines, 1):
        if number in hits:
            spans.append((len(piece), len(piece)))
        piece += line.encode() + b"\n"
        if number in cuts or number == len(lines):
            collector.add(piece, spans)
            piece, spans = b"", []
    collector.end()
    return collector.result.hits


@given(
    lines=st.lists(st.text("abé", max_size=5), min_size=1, max_size=12),
    hits=st.sets(st.integers(1, 12)),
    around=st.integers(0, 4),
    cuts=st.sets(st.integers(1, 12)),
)
@settings(max_examples=200, deadline=None)
def test_every_hit_has_its_number_its_text_and_the_lines_around_it(
    lines: list[str], hits: set[int], around: int, cuts: set[int]
) -> None:
    assert gather(lines, hits, around, cuts) == [
        GrepHit(
            "a.md",
            number,
            lines[number - 1],
            lines[max(number - 1 - around, 0) : number - 1] if around else (),
            lines[number : number + around] if around else (),
        )
        for number in sorted(hits)
        if number <= len(lines)
    ]


def test_the_context_is_the_lines_with_the_hit_among_them() -> None:
    (hit,) = gather(["a", "b", "c", "d"], {2}, 1, set())
    assert hit.context == "a\nb\nc"


def test_hits_stop_when_they_are_too_long_to_return(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.index.texts.grep.MOST_TEXT", 100)
    collector = HitCollector(1000, 0)
    collector.begin("a.md")
    collector.add(b"0123456789\n" * 50, [(11 * number, 11 * number) for number in range(50)])
    assert collector.wanted == 0
    collector.end()
    assert collector.result.full
    assert len(collector.result.hits) == 5


def test_a_last_line_without_a_line_feed_is_shown() -> None:
    collector = HitCollector(1000, 1)
    collector.begin("a.md")
    collector.add(b"a\nb", [(2, 3)])
    collector.end()
    assert collector.result.hits == [GrepHit("a.md", 2, "b", ["a"], [])]


@pytest.mark.parametrize("at", [0, 1, 4999, 5000, 9999])
def test_a_long_line_is_cut_around_its_match(at: int) -> None:
    line = b"x" * at + b"!" + b"y" * (9999 - at)
    text = shown(b"before\n" + line + b"\n", 7, 7 + len(line), 7 + at)
    assert "!" in text
    assert len(text) <= WIDTH + 2 * len(CUT)
    assert text.startswith(CUT) == (at > WIDTH // 5)
    assert text.endswith(CUT) == (at < 9999 - WIDTH)


@given(line=st.text("aé€😀", min_size=200, max_size=400), at=st.integers(0, 190))
@settings(max_examples=100, deadline=None)
def test_a_cut_never_splits_a_character(line: str, at: int) -> None:
    data = line.encode()
    assert "\ufffd" not in shown(data, 0, len(data), len(line[:at].encode()))


def test_a_long_row_of_broken_bytes_is_cut_too() -> None:
    assert len(shown(b"\x80" * 5000, 0, 5000, 2500)) <= WIDTH + 8
