"""The piece of a note that shows why it was found."""

import re
import unicodedata
from collections.abc import Iterable, Sequence

from bridge.index.search.note_text import NoteText, folded
from bridge.index.store.letters import pattern_of
from bridge.index.texts.line_patterns import Span
from bridge.notes.frontmatter import find_frontmatter

BEFORE = 60
"""Characters before what was found."""
WIDTH = 220
"""Characters of an excerpt."""
CUT = "..."
_SNAP = 20
"""Characters by which a cut is moved, so as not to lie within a word."""
_MOST_JOINED = 40
"""Characters that may belong together to make what is seen as one."""
_UNACCENTED = 50_000
"""Characters of a note that are compared in their plainest form."""

_VIRAMA = 9
"""The class of the signs that join the consonants of Indian scripts."""
_ZWJ = "\u200d"
_SPACES = re.compile(r"\s+")
_REGIONAL = re.compile("[\U0001f1e6-\U0001f1ff]")
_MODIFIER = re.compile("[\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")


def excerpt(note: NoteText, places: Sequence[Iterable[Span]], width: int = WIDTH) -> str:
    """Return a line of text around the place where most of the query's words are close together.

    Args:
        note: The note.
        places: Where it is, for each thing that was asked for. Where there is nothing, the beginning is shown.
        width: About how many characters.
    """
    head = BEFORE * width // WIDTH
    body = _body(note)
    shown = _chosen(note, places, width)
    if shown is None:
        rest = note.text[body : body + 4 * width].lstrip()
        return _shown(rest, 0, _cut(rest, width)) if len(rest) > width else _line(rest)
    start, end = shown
    low = _cut(note.text, max(start - head, body if start >= body else 0), up_to=start)
    high = _cut(note.text, min(max(low + width, min(end, start + width)), len(note.text)))
    return _shown(note.text, low, max(high, min(end, start + width)))


def excerpt_place(note: NoteText, places: Sequence[Iterable[Span]], width: int = WIDTH) -> int:
    """Return where in a note the stretch begins that its excerpt shows; the arguments are those of `excerpt`."""
    shown = _chosen(note, places, width)
    return _body(note) if shown is None else shown[0]


def _body(note: NoteText) -> int:
    block = find_frontmatter(note.text)
    return block.end if block else 0


def _chosen(note: NoteText, places: Sequence[Iterable[Span]], width: int) -> Span | None:
    hits = sorted((start, end, which) for which, spans in enumerate(places) for start, end in spans)
    return _densest(note.text, hits, _body(note), width - BEFORE * width // WIDTH) if hits else None


def bare_places(note: NoteText, words: Iterable[str]) -> list[list[Span]]:
    """Return where words occur in other spellings: the full-text index finds these, a plain comparison does not."""
    text = note.bare_text[:_UNACCENTED]
    places = (re.search(pattern_of(folded(word)), text) for word in words)
    return [[] if place is None else [place.span()] for place in places]


def _densest(text: str, hits: Sequence[tuple[int, int, int]], body: int, room: int) -> Span:
    """Return the stretch of an excerpt's width that shows the most different things, preferably in the body."""
    best: tuple[int, bool, int] = (-1, False, 0)
    chosen: Span = hits[0][:2]
    last = 0
    for first, (start, end, _which) in enumerate(hits):
        last = max(last, first)
        while last + 1 < len(hits) and hits[last + 1][1] <= start + room:
            last += 1
        within = hits[first : last + 1]
        begun = sum(hit[0] == 0 or not text[hit[0] - 1].isalnum() for hit in within[:8])
        worth = len({hit[2] for hit in within}), start >= body, begun
        if worth > best:
            best = worth
            chosen = start, max(end, within[-1][1])
    return chosen


def _cut(text: str, at: int, *, up_to: int | None = None) -> int:
    """Return a place near one to cut at: between words, or at least not within what is seen as one character.

    Args:
        text: What is cut.
        at: About where.
        up_to: For a beginning: where it must have begun. None for an end.
    """
    if at <= 0 or at >= len(text):
        return max(0, min(at, len(text)))
    if up_to is not None:
        space = next((place for place in range(at, min(at + _SNAP, up_to)) if text[place - 1].isspace()), None)
    else:
        space = next((place for place in range(at, max(at - _SNAP, 1), -1) if text[place].isspace()), None)
    if space is not None:
        return space
    for _ in range(_MOST_JOINED):
        if at == 0 or not _joined(text, at):
            break
        at -= 1
    return at


def _joined(text: str, at: int) -> bool:
    """Return whether the characters before and after an offset are seen as one."""
    before, behind = text[at - 1], text[at]
    if _REGIONAL.match(before) and _REGIONAL.match(behind):
        run = at - 1
        while run > 0 and at - run < _MOST_JOINED and _REGIONAL.match(text[run - 1]):
            run -= 1
        return (at - run) % 2 == 1
    if _ZWJ in {before, behind} or unicodedata.combining(before) == _VIRAMA or _MODIFIER.match(behind):
        return True
    return unicodedata.category(behind) in {"Mn", "Me", "Mc"}


def _shown(text: str, low: int, high: int) -> str:
    head = CUT if text[:low][-_MOST_JOINED:].strip() else ""
    tail = CUT if text[high : high + _MOST_JOINED].strip() else ""
    return f"{head}{_line(text[low:high])}{tail}"


def _line(text: str) -> str:
    """Return text as one line; what is no Unicode is shown as such."""
    return _SPACES.sub(" ", text).strip().encode("utf-8", "surrogateescape").decode("utf-8", "replace")
