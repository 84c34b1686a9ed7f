"""Where a hunk belongs in a file: in the one place where all its old lines stand, or nowhere."""

import dataclasses
from collections.abc import Callable, Iterator, Sequence

import re2

from bridge.errors import Conflict
from bridge.tools.core.unified import PatchHunk, PatchLine
from bridge.vault.edits import Edited, LineEdit, apply_edits
from bridge.vault.text import Lines

MOST_CANDIDATES = 10
"""Places listed when a hunk fits in several."""
_MORE_CONTEXT = "Give the hunk more unchanged lines, so that it fits in one place"
_PROBE = 500
"""Bytes of a hunk that are looked for; the rest is compared where they are found."""

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


def new_content(hunk: PatchHunk) -> bytes:
    """The bytes of a file that a hunk of added lines makes."""
    return "".join(line.text + "\n" * line.ended for line in hunk.lines).encode()


def _place(lines: Lines, hunk: PatchHunk, name: str, path: object, check: Check) -> int:
    """The line where a hunk begins."""
    old = hunk.old
    if not old:
        if lines.count == 0:
            return 1
        raise _no_match(
            f"{name} has no unchanged or removed line, so its place in {str(path)!r} is not certain", _MORE_CONTEXT
        )
    ends = not old[-1].ended, not hunk.new[-1].ended if hunk.new else False
    found: list[int] = []
    for first in _candidates(lines, old):
        check()
        at_end = first + len(old) - 1 == lines.count
        if (not any(ends) or at_end) and (not ends[0] or not lines.ends_with_break) and _stands(lines, first, old):
            found.append(first)
        if len(found) > MOST_CANDIDATES:
            break
    if not found:
        raise _no_match(
            f"{name} does not match {str(path)!r}: its unchanged and removed lines do not stand there together",
            "Read the file again, make the patch from what it says now",
        )
    if len(found) > 1:
        shown = ", ".join(map(str, found[:MOST_CANDIDATES])) + (", ..." if len(found) > MOST_CANDIDATES else "")
        raise _no_match(
            f"{name} fits in several places of {str(path)!r}, at lines {shown}", _MORE_CONTEXT, found[:MOST_CANDIDATES]
        )
    return found[0]


def _no_match(reason: str, advice: str, candidates: Sequence[int] = ()) -> Conflict:
    return Conflict(
        f"{reason}. Nothing was changed. {advice}, or use patches with line numbers",
        code="no_match",
        data={"candidates": list(candidates)},
    )


def _candidates(lines: Lines, old: Sequence[PatchLine]) -> Iterator[int]:
    """The lines where a file has a hunk's first old lines, as many of them as are quickly looked for."""
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
    """A pattern of RE2 for the first old lines, or of the first one's beginning when it is long."""
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
    """Whether exactly these lines stand in the file from there on."""
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
    """A hunk as edits of no more lines than it changes."""
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
    """The same without a line break at the end."""
    ending = b"\r\n" if edited.data.endswith(b"\r\n") else b"\n"
    if not edited.data.endswith(ending) or not edited.regions:
        return edited
    data = edited.data[: -len(ending)]
    last = dataclasses.replace(edited.regions[-1], new_end=len(data))
    return Edited(data, (*edited.regions[:-1], last))
