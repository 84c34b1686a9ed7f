"""An edit of what the person has selected: bound to the text that was selected when the caller was told of it."""

from itertools import islice
from typing import Final

from bridge.contract.hosts import Place, Selection
from bridge.errors import Conflict, InvalidParameters
from bridge.tools.files.replacing import find_text
from bridge.tools.formatting import shortened
from bridge.vault.text import Lines, encode

_MOST_PLACES: Final = 5
_LONGEST_NOW: Final = 1_000
_UTF16: Final = "utf-16-le"


def with_selection(path: str, data: bytes, selection: Selection, content: str) -> tuple[int, int, str]:
    """Return the lines to replace, first and last, and what replaces them, so that a text is where the selected one is.

    Args:
        path: What the file is called in failures.
        data: Its bytes.
        selection: What was selected.
        content: What is to be there.

    Raises:
        Conflict: Something else is there now (`stale`).
        InvalidParameters: Where the selection is, or all of its text, is not known.
    """
    start, end = selection.start, selection.end
    if start is None or end is None or selection.cut:
        why = "more is selected than you were told" if selection.cut else "the note is open for reading"
        raise InvalidParameters(f"What is selected cannot be replaced as such, as {why}; edit {path!r} by its text")
    lines = Lines(data)
    now = _between(lines, start, end)
    if now != selection.text:
        raise _changed(path, data, selection, start=start, now=now)
    head = _cut(_line(lines, start.line), start.column)[0]
    if end.column == 0 and end.line > start.line:
        return start.line, end.line - 1, head + content
    text = head + content + _cut(_line(lines, end.line), end.column)[1]
    return start.line, end.line, text or ("\n" if lines.ending(end.line) else "")


def _changed(path: str, data: bytes, selection: Selection, *, start: Place, now: str | None) -> Conflict:
    found = find_text(data, encode(selection.text))
    lines = Lines(data)
    places = [lines.number_at(span[0]) for span in islice(found, _MOST_PLACES)]
    there = "the file ends before" if now is None else f"now there is {shortened(now, _LONGEST_NOW)!r}"
    where = f"that text is now in line {', '.join(map(str, places))}" if places else "that text is nowhere in the file"
    return Conflict(
        f"What was selected in {path!r} from line {start.line} on is not there any more: {there}; {where}. "
        "Perhaps the editor has not saved yet. Nothing was changed: look at '@screen' again, or edit the text itself",
        code="stale",
        data={"lines": places, "now": now},
    )


def _between(lines: Lines, start: Place, end: Place) -> str | None:
    r"""Return the text between two places, its line breaks as `\n`; None where the file ends before."""
    if end.line > lines.count + 1 or (end.line, end.column) < (start.line, start.column):
        return None
    whole = [_line(lines, number) for number in range(start.line, end.line + 1)]
    whole[-1] = _cut(whole[-1], end.column)[0]
    whole[0] = _cut(whole[0], start.column)[1]
    return "\n".join(whole)


def _line(lines: Lines, number: int) -> str:
    """Return a line without its ending. Behind a final line break, editors show one more, which is empty."""
    return lines.line(number).decode() if number <= lines.count else ""


def _cut(line: str, column: int) -> tuple[str, str]:
    """Return a line before and after a column."""
    units = line.encode(_UTF16, "surrogatepass")
    return units[: column * 2].decode(_UTF16, "replace"), units[column * 2 :].decode(_UTF16, "replace")
