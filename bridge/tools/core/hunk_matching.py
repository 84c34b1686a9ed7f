"""The place of a hunk in a file: the one where all its old lines stand together, or none.

Of a hunk that fits nowhere, the likely place is for the failure's message, and never for the change.
"""

import dataclasses
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import re2

from bridge.errors import Conflict
from bridge.tools.core.patch_text import PatchHunk, PatchLine
from bridge.tools.formatting import shortened
from bridge.vault.edits import Edited, LineEdit, apply_edits
from bridge.vault.paths import nfc
from bridge.vault.text import Lines, encode

MOST_BYTES = 8 << 20
"""Of a longer file the beginning is searched."""
MOST_LINES = 200
"""Lines of a hunk that are looked for."""
LIKENESS = 60.0
"""Percent from which a line counts as nearly another."""

_MOST_PLACES = 50
_LONGEST = 500
_SPACE = re.compile(r"\s+")
_PLAIN = str.maketrans(
    {"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u2013": "-", "\u2014": "-", "\u2026": "..."}
)


class NearestPlace(NamedTuple):
    """The place, and the first line in which it differs.

    Attributes:
        first: The number of the place's first line.
        line: The number of the line that differs.
        there: What the file has in it; None behind its end.
        wanted: What was looked for.
    """

    first: int
    line: int
    there: str | None
    wanted: str


def nearest_place(lines: Lines, wanted: Sequence[str], check: Callable[[], None]) -> NearestPlace | None:
    """Return the place of a file that is most like some lines; None when none is like them, or one is them.

    Args:
        lines: The file.
        wanted: The lines.
        check: Called now and then; raises when the time is over.
    """
    data = lines.data[len(lines.bom) : MOST_BYTES]
    there = [line.removesuffix("\r") for line in data.removesuffix(b"\n").decode(errors="replace").split("\n")]
    check()
    folded = list(map(_folded, there))
    check()
    sought = list(map(_folded, wanted[:MOST_LINES]))
    first = _by_votes(folded, sought)
    if first is None:
        first = _by_likeness(folded, sought)
    if first is None:
        return None
    for offset, text in enumerate(wanted):
        found = there[first + offset] if first + offset < len(there) else None
        if found != text:
            return NearestPlace(first + 1, first + offset + 1, found, text)
    return None


def _by_votes(there: Sequence[str], sought: Sequence[str]) -> int | None:
    """Return where most lines stand as they do in the hunk, but for quotes, case and spaces."""
    places: dict[str, list[int]] = defaultdict(list)
    wanted = {text for text in sought if text}
    for number, text in enumerate(there):
        if text in wanted and len(places[text]) < _MOST_PLACES:
            places[text].append(number)
    votes = Counter(number - offset for offset, text in enumerate(sought) for number in places.get(text, ()))
    return max(max(votes, key=lambda first: (votes[first], -first)), 0) if votes else None


def _by_likeness(there: Sequence[str], sought: Sequence[str]) -> int | None:
    """Return where a line is most like the longest one of the hunk."""
    from rapidfuzz import fuzz, process  # noqa: PLC0415 - a start is faster without

    offset, longest = max(enumerate(sought), key=lambda each: len(each[1]), default=(0, ""))
    if not longest:
        return None
    best = process.extractOne(longest, there, scorer=fuzz.ratio, score_cutoff=LIKENESS)
    return None if best is None else max(best[2] - offset, 0)


def _folded(text: str) -> str:
    """Return a line without what differs when a model repeats it."""
    return _SPACE.sub(" ", nfc(text[:_LONGEST]).translate(_PLAIN)).strip().casefold()


MOST_CANDIDATES = 10
"""Places listed when a hunk fits in several."""
_MORE_CONTEXT = "Give the hunk more unchanged lines, so that it fits in one place"
_COPY = "Copy the unchanged and removed lines as the file has them, to the letter"
_QUOTED = 200
_PROBE = 500
"""Bytes of a hunk to search for; the rest is compared where they are found."""

Check = Callable[[], None]
"""Raises when the time is over."""


def apply_hunks(data: bytes, hunks: Sequence[PatchHunk], path: object, check: Check) -> Edited:
    """Apply hunks to a file. Lines are compared without their endings, and the file keeps its own.

    What the patch says of a newline at the end is done; where it says nothing, a file without one stays so.

    Args:
        data: The file's bytes.
        hunks: All of them speak of the file as it is now.
        path: What the file is called in failures.
        check: Called before each place that is compared.

    Raises:
        Conflict: A hunk fits nowhere, or in several places (`no_match`).
        InvalidParameters: The file is binary or not UTF-8, or two hunks change the same lines.
    """
    lines = Lines(data)
    edits: list[LineEdit] = []
    for number, hunk in enumerate(hunks, 1):
        edits += _edits(hunk, _place(lines, hunk, f"Hunk {number} (line {hunk.at} of the patch)", path, check), lines)
    edited = apply_edits(data, edits, path)
    unended = any(not line.ended for hunk in hunks for line in hunk.new)
    return _without_final_break(edited) if unended else edited


def new_content(hunks: Sequence[PatchHunk]) -> bytes:
    """Return the bytes of a file that a hunk of added lines makes; none without a hunk."""
    return encode("".join(line.text + "\n" * line.ended for hunk in hunks for line in hunk.lines))


def _place(lines: Lines, hunk: PatchHunk, name: str, path: object, check: Check) -> int:
    """Return the line where a hunk begins."""
    old = hunk.old
    if not old:
        if lines.count == 0 or hunk.at_end:
            return lines.count + 1
        raise _no_match(
            f"{name} has no unchanged or removed line, so its place in {str(path)!r} is not certain", _MORE_CONTEXT
        )
    found: list[int] = []
    for first in _candidates(lines, old):
        check()
        if _ends_fit(lines, hunk, first + len(old) - 1) and _stands(lines, first, old):
            found.append(first)
        if len(found) > MOST_CANDIDATES:
            break
    if not found:
        raise _misfit(lines, old, name, path, check)
    if len(found) > 1 and hunk.heading:
        below = _below(lines, hunk.heading)
        found = [first for first in found if first in below] or found
    if len(found) > 1:
        shown = ", ".join(map(str, found[:MOST_CANDIDATES])) + (", ..." if len(found) > MOST_CANDIDATES else "")
        raise _no_match(
            f"{name} fits in several places of {str(path)!r}, at lines {shown}", _MORE_CONTEXT, found[:MOST_CANDIDATES]
        )
    return found[0]


def _ends_fit(lines: Lines, hunk: PatchHunk, last: int) -> bool:
    """Return whether the file ends after a line, with or without a line break, where the patch says so."""
    unended = not hunk.old[-1].ended
    at_end = hunk.at_end or unended or bool(hunk.new and not hunk.new[-1].ended)
    return (last == lines.count or not at_end) and not (unended and lines.ends_with_break)


def _below(lines: Lines, heading: str) -> range:
    """Return the lines below a line of the file, to the next heading of its level where it is a heading.

    They are all lines when it stands nowhere, or in several places: then it tells nothing.
    """
    texts = [line.strip() for line in lines.data[len(lines.bom) :].decode(errors="replace").split("\n")]
    places = [number for number, text in enumerate(texts, 1) if text == heading]
    if len(places) != 1:
        return range(1, lines.count + 1)
    level = len(heading) - len(heading.lstrip("#"))
    marks = tuple("#" * depth + " " for depth in range(1, level + 1))
    ends = (number for number, text in enumerate(texts[places[0] :], places[0] + 1) if marks and text.startswith(marks))
    return range(places[0] + 1, next(ends, lines.count + 1))


def _misfit(lines: Lines, old: Sequence[PatchLine], name: str, path: object, check: Check) -> Conflict:
    """Return the failure of a hunk that fits nowhere, with the place that was most likely meant."""
    reason = f"{name} does not match {str(path)!r}: its unchanged and removed lines do not stand there together"
    near = nearest_place(lines, [line.text for line in old], check)
    if near is None:
        return _no_match(reason, "Read the file again, and make the patch from what it says now")
    there = "the file ends before it" if near.there is None else f"the file has {_quoted(near.there)}"
    return _no_match(
        f"{reason}. The nearest place begins at line {near.first}; in line {near.line}, {there}, "
        f"and the patch {_quoted(near.wanted)}",
        _COPY,
        nearest={"line": near.line, "text": near.there and near.there[:_QUOTED]},
    )


def _quoted(text: str) -> str:
    return f"`{shortened(text, _QUOTED)}`"


def _no_match(
    reason: str, advice: str, candidates: Sequence[int] = (), nearest: dict[str, Any] | None = None
) -> Conflict:
    return Conflict(
        f"{reason}. Nothing was changed. {advice}, or use patches with line numbers",
        code="no_match",
        data={"candidates": list(candidates)} | ({"nearest": nearest} if nearest else {}),
    )


def _candidates(lines: Lines, old: Sequence[PatchLine]) -> Iterator[int]:
    """Yield the numbers of the lines where a hunk's first old lines occur."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    text = memoryview(lines.data)[len(lines.bom) :]
    probe = re2.compile(_probe(old), options)
    position = 0
    while position <= len(text):
        match = probe.search(text, position)
        if match is None or match.start() == len(text):
            return
        yield lines.number_at(len(lines.bom) + match.start())
        end = lines.data.find(b"\n", len(lines.bom) + match.start())
        if end < 0:
            return
        position = end + 1 - len(lines.bom)


def _probe(old: Sequence[PatchLine]) -> bytes:
    """Return a pattern of RE2 for the first old lines, or of the first one's beginning when it is long."""
    sources: list[bytes] = []
    for line in old:
        text = line.text.encode("utf-8", "surrogatepass")
        if sum(map(len, sources)) + len(text) > _PROBE:
            break
        sources.append(re2.escape(text))
    if not sources:
        sources.append(re2.escape(old[0].text.encode("utf-8", "surrogatepass")[:_PROBE]))
        return b"(?m)^" + sources[0]
    joined: bytes = b"\r?\n".join(sources)
    return b"(?m)^" + joined + b"\r?$"


def _stands(lines: Lines, first: int, old: Sequence[PatchLine]) -> bool:
    """Return whether the file has exactly these lines from this one on."""
    last = first + len(old) - 1
    if last > lines.count:
        return False
    start, end = lines.span(first, last)
    wanted = [line.text.encode("utf-8", "surrogatepass") for line in old]
    if not 0 <= end - start - sum(map(len, wanted)) <= 2 * len(wanted):
        return False
    block = lines.data[start:end]
    ended = block.endswith(b"\n")
    there = block.removesuffix(b"\n").split(b"\n")
    return [
        line.removesuffix(b"\r") if ended or index < len(there) - 1 else line for index, line in enumerate(there)
    ] == wanted


def _edits(hunk: PatchHunk, first: int, lines: Lines) -> Iterator[LineEdit]:
    """Yield a hunk as edits that touch only the lines that it changes."""
    next_line = first
    removed = 0
    added: list[PatchLine] = []
    knows_end = not all(line.ended for line in hunk.lines)

    def edit() -> LineEdit:
        text = "".join(line.text + "\n" for line in added)
        ends_file = next_line - 1 == lines.count
        silent = not knows_end and lines.count > 0 and not lines.ends_with_break
        if ends_file and added and (silent or not added[-1].ended):
            text = text[:-1]
        return LineEdit(next_line - removed, next_line - 1, text)

    for line in hunk.lines:
        if line.sign == " ":
            if removed or added:
                yield edit()
            next_line, removed, added = next_line + 1, 0, []
        elif line.sign == "-":
            next_line, removed = next_line + 1, removed + 1
        else:
            added.append(line)
    if removed or added:
        yield edit()


def _without_final_break(edited: Edited) -> Edited:
    """Return the same without a line break at the end."""
    ending = b"\r\n" if edited.data.endswith(b"\r\n") else b"\n"
    if not edited.data.endswith(ending) or not edited.regions:
        return edited
    data = edited.data[: -len(ending)]
    last = dataclasses.replace(edited.regions[-1], new_end=len(data))
    return Edited(data, (*edited.regions[:-1], last))
