"""The application of patches in the form of `*** Begin Patch`, by the rules of the clients that write them.

Those look for the lines of a hunk from where the one before ended: to the letter, then without blanks at the ends of
lines, then without those at both ends. Only what is found in one of these ways is known for certain.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from bridge.errors import Conflict, InvalidParameters
from bridge.tools.formatting import shortened
from bridge.vault.text import encode

_MOST_COMPARED = 5_000_000
"""Lines that are compared for one patch."""

_WAYS: tuple[Callable[[str], str], ...] = (lambda line: line, str.rstrip, str.strip)


@dataclass(slots=True)
class _Hunk:
    """Lines that are looked for, and what comes in their place.

    Attributes:
        context: A line above them that is looked for first.
        old: The lines.
        new: What comes.
        at_end: Whether they are the last of the file.
    """

    context: str | None = None
    old: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    at_end: bool = False


def patched(data: bytes, patch: str, path: object) -> bytes:
    """Return a file after the hunks of a patch, which always ends with a line break then.

    Args:
        data: Its bytes, which are UTF-8.
        patch: The lines of the patch between the file's marker and the next one.
        path: What the file is called in failures.

    Raises:
        Conflict: A hunk does not fit (`no_match`).
        InvalidParameters: It is no patch.
    """
    lines = data.decode().split("\n")
    if lines[-1] == "":
        lines.pop()
    search = _Search(lines, path)
    for hunk in _hunks(patch):
        search.take(hunk)
    result = search.result()
    if not result or result[-1] != "":
        result.append("")
    return encode("\n".join(result))


class _Search:
    """The search for the places of hunks, one after the other.

    Args:
        lines: The file's.
        path: What it is called in failures.
    """

    def __init__(self, lines: list[str], path: object) -> None:
        self._lines, self._path = lines, path
        self._at = self._compared = 0
        self._found: list[tuple[int, int, list[str]]] = []

    def take(self, hunk: _Hunk) -> None:
        """Find the next hunk. Raises Conflict."""
        if hunk.context is not None:
            self._at = self._seek([hunk.context], at_end=False) + 1
        if not hunk.old:
            before_blank = bool(self._lines) and self._lines[-1] == ""
            self._found.append((len(self._lines) - before_blank, 0, hunk.new))
            return
        old, new = hunk.old, hunk.new
        try:
            place = self._seek(old, at_end=hunk.at_end)
        except Conflict:
            if old[-1] != "":
                raise
            old = old[:-1]  # an empty last line stands for the end of the file
            new = new[:-1] if new and new[-1] == "" else new
            place = self._seek(old, at_end=hunk.at_end)
        self._found.append((place, len(old), new))
        self._at = place + len(old)

    def result(self) -> list[str]:
        """Return the file's lines then."""
        lines = list(self._lines)
        for place, count, new in sorted(self._found, key=lambda one: one[0], reverse=True):
            lines[place : place + count] = new
        return lines

    def _seek(self, wanted: Sequence[str], *, at_end: bool) -> int:
        """Return where lines stand together, from where the last ones ended. Raises Conflict."""
        last = len(self._lines) - len(wanted)
        places = range(max(last, 0) if at_end else self._at, last + 1)
        for way in _WAYS:
            plain = [way(line) for line in wanted]
            for place in places:
                if self._fits(place, plain, way):
                    return place
        shown = shortened("\n".join(wanted))
        raise Conflict(f"The patch does not fit {str(self._path)!r}: it has no lines '{shown}'", code="no_match")

    def _fits(self, place: int, plain: Sequence[str], way: Callable[[str], str]) -> bool:
        for number, line in enumerate(plain):
            self._compared += 1
            if self._compared > _MOST_COMPARED:
                raise Conflict(f"The patch of {str(self._path)!r} takes too long to be looked for", code="no_match")
            if way(self._lines[place + number]) != line:
                return False
        return True


def _hunks(patch: str) -> Iterator[_Hunk]:
    """Yield the hunks of one file. Raises InvalidParameters."""
    hunk: _Hunk | None = None
    for line in (line.removesuffix("\r") for line in patch.removesuffix("\n").split("\n")):
        if line.startswith("@@"):
            if hunk is not None:
                yield hunk
            hunk = _Hunk(context=line[3:] if line.startswith("@@ ") else None)
        elif line == "*** End of File" and hunk is not None:
            hunk.at_end = True
            yield hunk
            hunk = None
        elif line.strip() or hunk is not None:
            hunk = hunk or _Hunk()
            mark, text = line[:1], line[1:]
            if mark not in {"", " ", "+", "-"}:
                raise InvalidParameters(f"The patch has a line that belongs to no hunk: '{shortened(line)}'")
            if mark != "+":
                hunk.old.append(text)
            if mark != "-":
                hunk.new.append(text)
    if hunk is not None:
        yield hunk
