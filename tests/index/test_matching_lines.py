"""Lines told many at once are the lines one by one, however their numbers are counted."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.index import matching_lines
from bridge.index.excerpts import WIDTH, Hit
from bridge.index.matching_lines import Run, hits_without_context
from bridge.index.segments import Segment, Stamp, build, document

LINES = st.lists(st.text("abé😀", max_size=5), max_size=6)


def segment_of(files: list[list[str]]) -> Segment:
    return build(
        0,
        [
            document(f"{number:02}.md", "".join(f"{line}\n" for line in lines).encode(), Stamp(0, 0))
            for number, lines in enumerate(files)
        ],
    )


def a_run(segment: Segment, *, at_end: bool) -> Run:
    """Every line of a segment that begins with `a`, told by its beginning or its end."""
    text = bytes(segment.text)
    begins = [at for at in range(len(text)) if text[at : at + 1] == b"a" and text[at - 1 : at] in {b"", b"\n"}]
    return Run(segment, [text.find(b"\n", at) for at in begins] if at_end else begins, lambda place: place)


@pytest.mark.parametrize("many", [0, 1000], ids=["counted once", "counted from the line before"])
@given(files=st.lists(LINES, max_size=5), at_end=st.booleans())
@settings(max_examples=100, deadline=None)
def test_every_line_has_its_file_its_number_and_its_text(many: int, files: list[list[str]], at_end: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matching_lines, "MANY", many)
        patch.setattr(matching_lines, "BLOCK", 7)
        hits, size = hits_without_context(a_run(segment_of(files), at_end=at_end))
    assert hits == [
        Hit(f"{number:02}.md", line, text)
        for number, lines in enumerate(files)
        for line, text in enumerate(lines, 1)
        if text.startswith("a")
    ]
    assert size == sum(hit.size for hit in hits)


def test_a_long_line_is_cut_around_its_match() -> None:
    line = "a" + "x" * WIDTH + "!" + "y" * WIDTH
    run = a_run(segment_of([["b", line]]), at_end=True)._replace(locate=lambda _place: 2 + line.index("!"))
    ((_file, number, text, *_),) = hits_without_context(run)[0]
    assert number == 2
    assert "!" in text
    assert len(text) < WIDTH + 10


def test_broken_bytes_at_a_lines_end_do_not_reach_the_next() -> None:
    segment = build(0, [document("a.md", b"a\xe2\x82\na\xac\n", Stamp(0, 0))])
    assert [hit.match for hit in hits_without_context(a_run(segment, at_end=False))[0]] == ["a\ufffd", "a\ufffd"]
