"""Changes to files, drawn: a heading each, and a unified diff with line numbers and the words that differ.

Every row is folded to the width of the screen and keeps its sign, so that nothing a note says can look like a line of
the screen itself.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from rapidfuzz.distance import Levenshtein
from rich.text import Text

from bridge.cli.layout import fold, wrap
from bridge.cli.sanitize import ESCAPE_STYLE, sanitize
from bridge.contract.consent import FilePreview

RowKind = Literal["context", "added", "removed", "hunk", "note"]

BOTH_NUMBERS_FROM = 60
"""Columns of screen from which old and new line numbers both have room."""
MOST_TOKENS = 4000
"""Words between the first and the last change of a block beyond which these are not compared word by word."""
REWRITTEN = 0.6
"""The part of a block's words that changed above which marking them would mark everything."""

LONG_LINE = 400
"""Characters from which a line is shortened, where that is wanted."""
SHOWN_AROUND = 60
"""Characters that stay on each side of a changed part."""
LEAST_GAP = 80
"""Characters that are worth leaving out."""
MOST_CHARACTERS = 20_000
"""Of a long line that has changed as a whole."""

_SIGN = {"context": " ", "added": "+", "removed": "-"}
_STYLE = {"context": "", "added": "green", "removed": "red"}
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_TOKEN = re.compile(r"\s+|\w+|[^\w\s]")
_TAB = "→   "


@dataclass(frozen=True, slots=True)
class DiffRow:
    """One line of a diff.

    Attributes:
        kind: Its kind.
        text: The line of the file, without sign and line feed; of a hunk or note the line itself.
        old: Its number before, where it has one.
        new: Its number after, where it has one.
        changed: The parts of `text`, as (start, end), that differ from the other side.
        spots: The same, and the places where only the other side has something; None: it was not compared.
        gaps: The parts that are not drawn, only counted.
    """

    kind: RowKind
    text: str
    old: int | None = None
    new: int | None = None
    changed: tuple[tuple[int, int], ...] = ()
    spots: tuple[tuple[int, int], ...] | None = None
    gaps: tuple[tuple[int, int], ...] = ()


def parse_diff(diff: str) -> list[DiffRow]:
    """Return the rows of one file's unified diff, with the words that differ marked.

    Only the counts of the hunk headers say what a line is, so a note that holds `--- a` or `@@` cannot confuse it.
    """
    rows: list[DiffRow] = []
    old = new = old_left = new_left = 0
    for line in diff.removesuffix("\n").split("\n"):
        inside = old_left > 0 or new_left > 0
        if line.startswith("\\"):
            rows.append(DiffRow("note", line.removeprefix("\\").strip()))
        elif inside and line.startswith("-"):
            rows.append(DiffRow("removed", line[1:], old=old))
            old, old_left = old + 1, old_left - 1
        elif inside and line.startswith("+"):
            rows.append(DiffRow("added", line[1:], new=new))
            new, new_left = new + 1, new_left - 1
        elif inside:
            rows.append(DiffRow("context", line[1:], old=old, new=new))
            old, new, old_left, new_left = old + 1, new + 1, old_left - 1, new_left - 1
        elif header := _HUNK.match(line):
            rows.append(DiffRow("hunk", line))
            old, new = int(header[1]), int(header[3])
            old_left, new_left = int(header[2] or 1), int(header[4] or 1)
        # Anything else is the file header, which the screen draws from the preview itself, as it does what is no text.
    return _mark_changed_words(rows)


def shorten(rows: Iterable[DiffRow]) -> list[DiffRow]:
    """Return the same rows, with only the changed parts of long lines and what is around them."""
    return [replace(row, gaps=tuple(_gaps(row))) for row in rows]


def draw_diff(rows: Sequence[DiffRow], width: int) -> Iterator[Text]:
    """Yield the lines to print for `rows`, none wider than `width` cells."""
    digits = max((len(str(number)) for row in rows for number in (row.old, row.new) if number), default=1)
    both = width >= BOTH_NUMBERS_FROM
    mixed_endings = len({row.text.endswith("\r") for row in rows if row.kind in _SIGN}) > 1
    for row in rows:
        if row.kind in {"hunk", "note"}:
            style = "cyan" if row.kind == "hunk" else "italic"
            yield from fold(sanitize(row.text, style=style), width, first=" " * 2)
            continue
        numbers = (row.old, row.new) if both else (row.new or row.old,)
        gutter = "".join(f" {number or '':>{digits}}" for number in numbers)
        sign, style = _SIGN[row.kind], _STYLE[row.kind]
        text = _draw_line(row, style, show_return=mixed_endings)
        rest = f"{' ' * len(gutter)} {sign} "
        yield from fold(text, width, first=f"{gutter} {sign} ", rest=rest, style=style, words=True)


def draw_heading(file: FilePreview, width: int, *, margin: str = "") -> Iterator[Text]:
    """Yield one file: what happens, where, and how many lines come and go.

    Args:
        file: The file.
        width: Cells a line may have.
        margin: What stands before it.
    """
    path = sanitize(file.path, style="bold")
    if file.new_path is not None:
        path = Text.assemble(path, " → ", sanitize(file.new_path, style="bold"))
    tail = Text.assemble("  ", draw_counts(file.added, file.removed)) if file.added or file.removed else Text()
    blank = " " * len(margin)
    yield from fold(Text.assemble(path, tail), width, first=f"{margin}{file.change} ", rest=f"{blank}  ")
    if file.yours:
        yield Text(f"{blank}  You edited this in the draft", "italic")
    if file.note:
        yield from fold(sanitize(file.note, style="bold"), width, first=f"{blank}  ")


def draw_counts(added: int, removed: int) -> Text:
    """Return how many lines come and go."""
    return Text.assemble((f"+{added}", "green"), " ", (f"-{removed}", "red"))


def draw_changes(files: Iterable[dict[str, Any]], width: int) -> Iterator[Text]:
    """Yield every file with its whole diff, from the wire form."""
    for wire in files:
        file = FilePreview.model_validate(wire)
        yield from draw_heading(file, width)
        yield from draw_diff(parse_diff(file.diff), width)
        if file.truncated:
            yield from draw_truncation(width)


def draw_truncation(width: int) -> Iterator[Text]:
    """Say that the bridge did not send a diff whole."""
    said = "This diff is too long to be sent whole: the rest of the change is NOT shown here."
    yield from wrap(Text(said, "bold red"), width, first="  ")


def _draw_line(row: DiffRow, style: str, *, show_return: bool) -> Text:
    """Return the line of the file: inert, with the changed words and trailing spaces to be seen."""
    text = row.text if show_return else row.text.removesuffix("\r")
    bare = len(text.rstrip(" "))
    drawn = Text()
    start = 0
    for gap, end in (*row.gaps, (len(text), len(text))):
        stop = min(gap, bare)
        marks = [(max(at, start) - start, min(to, stop) - start) for at, to in row.changed if at < stop and to > start]
        drawn.append_text(sanitize(text[start:stop], style=style, tab=_TAB, marks=marks, mark_style="bold reverse"))
        if gap < end:
            drawn.append(f" [… {end - gap:,} characters …] ", ESCAPE_STYLE)
        start = end
    if row.kind != "context" and not (row.gaps and row.gaps[-1][1] >= len(text)):
        drawn.append("·" * (len(text) - bare), ESCAPE_STYLE)
    return drawn


def _gaps(row: DiffRow) -> Iterator[tuple[int, int]]:
    """Yield what of a long line is neither changed nor beside a change; of one that is new as a whole, its end."""
    length = len(row.text)
    if row.kind not in _SIGN or length < LONG_LINE:
        return
    if row.kind != "context" and row.spots is None:
        shown = [(0, MOST_CHARACTERS)]
    else:
        shown = [(0, SHOWN_AROUND), *((at - SHOWN_AROUND, to + SHOWN_AROUND) for at, to in row.spots or ())]
    end = 0
    for start, stop in (*shown, (length, length)):
        if start - end >= LEAST_GAP:
            yield end, start
        end = max(end, stop)


def _mark_changed_words(rows: list[DiffRow]) -> list[DiffRow]:
    """Return each block of removed lines that added lines follow, compared word by word."""
    marked: list[DiffRow] = []
    at = 0
    while at < len(rows):
        removed = _run(rows, at, "removed")
        added = _run(rows, at + len(removed), "added")
        if removed and added:
            marked += _compare(removed, added)
        else:
            marked += [*removed, *added] or [rows[at]]
        at += max(1, len(removed) + len(added))
    return marked


def _run(rows: list[DiffRow], start: int, kind: RowKind) -> list[DiffRow]:
    end = start
    while end < len(rows) and rows[end].kind == kind:
        end += 1
    return rows[start:end]


def _compare(removed: list[DiffRow], added: list[DiffRow]) -> list[DiffRow]:
    old, new = _tokens(removed), _tokens(added)
    same, same_end = _common(old, new)
    inner_old, inner_new = old[same : len(old) - same_end], new[same : len(new) - same_end]
    inner = len(inner_old) + len(inner_new)
    if inner > MOST_TOKENS:
        if inner > REWRITTEN * (len(old) + len(new)):
            return [*removed, *added]
        codes = [(0, len(inner_old), 0, len(inner_new))]
    else:
        found = (code for code in Levenshtein.opcodes(inner_old, inner_new) if code.tag != "equal")
        codes = [(code.src_start, code.src_end, code.dest_start, code.dest_end) for code in found]
    touched = [inner_old[start:end] + inner_new[at:to] for start, end, at, to in codes]
    if sum(map(_words, touched)) > REWRITTEN * (_words(old) + _words(new)):
        return [*removed, *added]
    return [
        *_with_marks(removed, old, ((same + start, same + end) for start, end, _, _ in codes)),
        *_with_marks(added, new, ((same + at, same + to) for _, _, at, to in codes)),
    ]


def _common(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """Return how many tokens are the same at the beginning, and how many of the others at the end."""
    most = min(len(old), len(new))
    start = next((at for at in range(most) if old[at] != new[at]), most)
    return start, next((at for at in range(most - start) if old[-1 - at] != new[-1 - at]), most - start)


def _tokens(rows: list[DiffRow]) -> list[str]:
    """Return the words, runs of blanks and single signs; the line feeds between rows are tokens too."""
    return [token for row in rows for token in (*_TOKEN.findall(row.text), "\n")]


def _words(tokens: Sequence[str]) -> int:
    return sum(not token.isspace() for token in tokens)


def _with_marks(rows: list[DiffRow], tokens: list[str], spans: Iterable[tuple[int, int]]) -> Iterator[DiffRow]:
    spans = list(spans)
    changed = {at for start, end in spans for at in range(start, end)}
    missing = {start for start, end in spans if start == end}
    at = 0
    for row in rows:
        marks: list[tuple[int, int]] = []
        places: list[tuple[int, int]] = []
        column = 0
        while True:
            if at in missing:
                places.append((column, column))
            if tokens[at] == "\n":
                break
            end = column + len(tokens[at])
            if at in changed and marks and marks[-1][1] == column:
                marks[-1] = (marks[-1][0], end)  # a changed phrase reads as one
            elif at in changed:
                marks.append((column, end))
            column, at = end, at + 1
        at += 1
        yield replace(row, changed=tuple(marks), spots=tuple(sorted([*marks, *places])))
