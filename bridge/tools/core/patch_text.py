"""The reading of a patch as coding agents write it: a unified diff, git's, or the form of `*** Begin Patch`.

A unified diff to the letter is read by `unidiff` (`strict_diff.py`). Any other patch is forgiven how it is dressed:
wrong or missing numbers in `@@`, missing `---` and `+++` lines, text around it.
The counts in `@@ -5,3 +5,4 @@` are believed when the hunk ends just there; otherwise it goes on to the next line that
cannot belong to it, because agents count badly, and the lines must fit the file anyway. What a patch would do is not
guessed: renames, deletions and changes of mode are refused.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from bridge.errors import InvalidParameters


class PatchLine(NamedTuple):
    """One line of a hunk.

    Attributes:
        sign: ` ` stays, `-` goes, `+` comes.
        text: Without its ending.
        ended: False when the patch says that the file ends with it, without a line break.
    """

    sign: str
    text: str
    ended: bool = True

    @property
    def data(self) -> bytes:
        """Return its text as bytes."""
        return self.text.encode("utf-8", "surrogatepass")


class PatchHunk(NamedTuple):
    """One hunk.

    Attributes:
        at: The line of the patch where it begins.
        lines: Its lines.
        heading: The line of the file below which it stands (`@@ ## Next`); empty where the patch names none.
        at_end: Whether the patch says that the file ends with it (`*** End of File`).
    """

    at: int
    lines: tuple[PatchLine, ...]
    heading: str = ""
    at_end: bool = False

    @property
    def old(self) -> list[PatchLine]:
        """Return the lines that it expects in the file."""
        return [line for line in self.lines if line.sign != "+"]

    @property
    def new(self) -> list[PatchLine]:
        """Return the lines that are there afterwards."""
        return [line for line in self.lines if line.sign != "-"]


@dataclass(slots=True)
class PatchSection:
    """The section of a patch about one file.

    Attributes:
        at: The line of the patch where it begins.
        source: The name before; None while there is none.
        target: The name afterwards; None while there is none.
        git: Whether it begins as git's do, so that the names have `a/` and `b/`.
        creates: Whether the file is new.
        hunks: Its hunks so far.
    """

    at: int
    source: str | None = None
    target: str | None = None
    git: bool = False
    creates: bool = False
    hunks: list[PatchHunk] = field(default_factory=list)

    @property
    def named(self) -> bool:
        """Return whether one of its names is known."""
        return self.source is not None or self.target is not None


class FilePatch(NamedTuple):
    """The part of a patch that is about one file.

    Attributes:
        names: Its path. Two when a new file's `b/` may be git's prefix (the first is without it) or a folder.
        creates: Whether the file is new.
        hunks: In the order of the patch; none for a new file that is empty.
    """

    names: tuple[str, ...]
    creates: bool
    hunks: tuple[PatchHunk, ...]


def malformed(line: int, reason: str) -> InvalidParameters:
    """Return the refusal of a patch.

    Args:
        line: The line of the patch that is wrong, from 1.
        reason: What is wrong with it.
    """
    return InvalidParameters(
        f"The patch is malformed in line {line}: {reason}. Send a unified diff, or use patches with line numbers",
        data={"line": line},
    )


NOWHERE = "/dev/null"

_PREFIXED = re.compile(r"[abciow12]/")
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_LETTERS = {b"n": b"\n", b"t": b"\t", b"r": b"\r"}


def path_in(line: str) -> str:
    """Return the path in a `---` or `+++` line, unquoted where git quoted it."""
    name = line[len("--- ") :].partition("\t")[0].rstrip(" ")
    if not (len(name) > 1 and name.startswith('"') and name.endswith('"')):
        return name
    quoted = name[1:-1].encode("utf-8", "surrogatepass")
    return _ESCAPE.sub(lambda escape: _unescape(escape[1]), quoted).decode("utf-8", "replace")


def is_prefixed(source: str, target: str) -> bool:
    """Return whether two names are those of one file as git writes them: `a/x` and `b/x`."""
    prefixed = _PREFIXED.match(source) and _PREFIXED.match(target)
    return bool(prefixed) and source != target and source[2:] == target[2:]


def _unescape(code: bytes) -> bytes:
    """Return the byte that one of git's escapes stands for."""
    return bytes([int(code, 8) & 0xFF]) if len(code) > 1 else _LETTERS.get(code, code)


END_OF_FILE = "*** End of File"

_COUNTS = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_SIGN = re.compile(r"\*\*\* (?:Begin Patch|End Patch|(?:Update|Add|Delete) File: |Move to: |End of File)")
_VERSION = re.compile(r"\d[\w.() -]*")
_SIGNS = ("+", "-", " ")


def read_hunk(lines: Sequence[str], start: int) -> tuple[PatchHunk, int]:
    """Return a hunk of a patch.

    Args:
        lines: The patch, without line endings.
        start: The index of its `@@` line, or of its first line where it has none.

    Returns:
        The hunk, and the index of the line after it.

    Raises:
        InvalidParameters: A line cannot be part of a hunk, the hunk has no lines, or a line that is not the last says
            that the file ends with it.
    """
    headed = lines[start].startswith("@@")
    counts = _COUNTS.match(lines[start])
    first = start + headed
    end = None
    if counts:
        old, new = (1 if count is None else int(count) for count in counts.groups())
        end = _counted_end(lines, first, old, new)
    if end is None:
        end = _open_end(lines, first)
    at_end = end < len(lines) and lines[end] == END_OF_FILE
    heading = lines[start][2:].strip().removesuffix("@@").strip(" .") if headed and not counts else ""
    hunk = PatchHunk(start + 1, tuple(_hunk_lines(lines, first, end)), heading, at_end)
    if not hunk.lines:
        raise malformed(start + 1, "the hunk has no lines")
    return checked_hunk(hunk), end + at_end


def checked_hunk(hunk: PatchHunk) -> PatchHunk:
    """Return a hunk that a file can have.

    Raises:
        InvalidParameters: A line that is not the last says that the file ends with it.
    """
    if not all(line.ended for side in (hunk.old, hunk.new) for line in side[:-1]):
        raise malformed(hunk.at, "only the last line of a file can have no newline")
    return hunk


def _begins_file(lines: Sequence[str], index: int) -> bool:
    """Return whether a `--- ` line and the two after it are the beginning of a file in a unified diff."""
    if not lines[index].startswith("--- ") or not "".join(lines[index + 1 : index + 2]).startswith("+++ "):
        return False
    return index + 2 >= len(lines) or lines[index + 2].startswith("@@")


def _ends(lines: Sequence[str], index: int) -> bool:
    """Return whether a hunk cannot go on with this line: another one or another file begins, or the patch is over."""
    if index >= len(lines):
        return True
    line = lines[index]
    if line.startswith(("@@", "diff --git ")) or _SIGN.match(line) or _begins_file(lines, index):
        return True
    rest = [
        other for other in lines[index + 1 : index + 4] if other.strip()
    ]  # `git format-patch` signs with its version
    return line == "-- " and index + 4 >= len(lines) and len(rest) == 1 and bool(_VERSION.fullmatch(rest[0]))


def _counted_end(lines: Sequence[str], first: int, old: int, new: int) -> int | None:
    """Return where a hunk ends by its counts; None when it does not end there."""
    index = first
    while (old > 0 or new > 0) and index < len(lines):
        sign = lines[index][:1] or " "
        if sign not in {*_SIGNS, "\\"}:
            return None
        old -= sign in {" ", "-"}
        new -= sign in {" ", "+"}
        index += 1
    while index < len(lines) and lines[index].startswith("\\"):
        index += 1
    after = index
    while after < len(lines) and not lines[after]:
        after += 1
    goes_on = not _ends(lines, after) and lines[after].startswith((*_SIGNS, "\\"))
    return None if old or new or goes_on else index


def _open_end(lines: Sequence[str], first: int) -> int:
    """Return where a hunk with wrong or missing counts ends. Empty lines at its end belong to what follows."""
    end = first
    while not _ends(lines, end):
        if lines[end] and not lines[end].startswith((*_SIGNS, "\\")):
            raise malformed(end + 1, "a line of a hunk begins with ' ', '-' or '+'")
        end += 1
    while end > first and not lines[end - 1]:
        end -= 1
    return end


def _hunk_lines(lines: Sequence[str], first: int, end: int) -> Iterator[PatchLine]:
    for index in range(first, end):
        line = lines[index]
        if not line.startswith("\\"):
            yield PatchLine(line[:1] or " ", line[1:], ended=index + 1 == end or not lines[index + 1].startswith("\\"))


_FENCE = re.compile(r"`{3,}\w*")
_NOT_BY_HUNKS = re.compile(r"(?:rename|copy) (?:from|to) |(?:old|new) mode |GIT binary patch|Binary files ")
_MARKER = re.compile(r"\*\*\* (Update File|Add File|Delete File|Move to): (.*)")


def parse_patch(text: str, path: str | None) -> list[FilePatch]:
    """Read a patch.

    Args:
        text: The patch of one or several files.
        path: The file meant when the patch is of hunks alone.

    Raises:
        InvalidParameters: It is malformed (says in which line), or renames, deletes or changes a mode.
    """
    from bridge.tools.core.strict_diff import read_strictly  # noqa: PLC0415 - slow to import, and only patches need it

    lines = [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]
    sections = read_strictly(lines) or read_forgivingly(_without_fence(lines))
    if not sections:
        raise malformed(1, "it has no hunk, which begins with a line such as '@@ -5,3 +5,4 @@'")
    by_git = any(section.git or is_prefixed(section.source or "", section.target or "") for section in sections)
    files = [_file(section, path) for section in sections]
    return [file._replace(names=file.names[:1]) for file in files] if by_git else files


def _without_fence(lines: list[str]) -> list[str]:
    """Return the lines of a patch that was put into a code block, the fences left empty."""
    filled = [index for index, line in enumerate(lines) if line.strip()]
    if len(filled) > 1 and _FENCE.fullmatch(lines[filled[0]].strip()) and lines[filled[-1]].strip("`") == "":
        lines[filled[0]] = lines[filled[-1]] = ""
    return lines


def read_forgivingly(lines: Sequence[str]) -> list[PatchSection]:
    """Return the files of a patch, in order; none when it has no hunk and names no file.

    Args:
        lines: The patch, without line endings.

    Raises:
        InvalidParameters: A line cannot be part of a patch, or asks for more than changing lines.
    """
    sections: list[PatchSection] = []
    index = 0
    while index < len(lines):
        line = lines[index]
        _check_only_lines(index + 1, line)
        section = sections[-1] if sections else None
        begun, taken = _beginning(lines, index)
        if begun is not None:
            if section is not None and section.git and not section.named and not begun.git:
                begun.git, begun.creates = True, section.creates or begun.creates
                sections.pop()
            sections.append(begun)
        elif section is not None and section.git and not section.hunks and line.startswith("new file mode "):
            section.creates = True
        elif line.startswith("@@") or (
            section and section.named and not section.hunks and line.startswith(("+", "-", " "))
        ):
            if section is None:
                section = PatchSection(index + 1)
                sections.append(section)
            hunk, end = read_hunk(lines, index)
            section.hunks.append(hunk)
            taken = end - index
        index += taken
    return sections


def _beginning(lines: Sequence[str], index: int) -> tuple[PatchSection | None, int]:
    """Return the file that begins in a line, if one does; and how many lines that takes."""
    line, following = lines[index], "".join(lines[index + 1 : index + 2])
    if line.startswith("diff --git "):
        return PatchSection(index + 1, git=True), 1
    if line.startswith("--- ") and following.startswith("+++ "):
        source, target = path_in(line), path_in(following)
        return PatchSection(index + 1, source, target, creates=source == NOWHERE), 2
    if line.startswith(("--- ", "+++ ")) and following.startswith("@@"):
        name = path_in(line)
        by_git = name.startswith("a/" if line[0] == "-" else "b/")
        return PatchSection(index + 1, f"a/{name[2:]}" if by_git else name, f"b/{name[2:]}" if by_git else name), 1
    marker = _MARKER.match(line)
    if marker is None:
        return None, 1
    name = marker[2].strip()
    if marker[1] == "Delete File":
        raise _deletes(name)
    if marker[1] == "Move to":
        raise _renames(f"Line {index + 1} of the patch renames a file to {name!r}")
    return PatchSection(index + 1, name, name, creates=marker[1] == "Add File"), 1


def _check_only_lines(number: int, line: str) -> None:
    """Refuse a line that asks for more than changing lines."""
    if line.startswith("deleted file mode "):
        raise _deletes("a file")
    if _NOT_BY_HUNKS.match(line):
        raise _renames(f"Line {number} of the patch renames, copies, changes a mode or is binary")


def _deletes(name: str) -> InvalidParameters:
    return InvalidParameters(
        f"The patch deletes {name!r}, which apply_patch does not do. Leave that file out, and use delete_file"
    )


def _renames(what: str) -> InvalidParameters:
    return InvalidParameters(
        f"{what}, which apply_patch does not do: it only changes lines. Leave that file out; move_file renames"
    )


def _file(section: PatchSection, path: str | None) -> FilePatch:
    """Return one file of the patch."""
    source, target = section.source, section.target
    if target == NOWHERE:
        raise _deletes(source or "")
    if not section.hunks and not (section.creates and section.named):
        raise InvalidParameters(
            f"The patch has no hunk for {(target or 'a file')!r}, in line {section.at}; leave that file out of it"
        )
    if source is None or target is None:
        if path is None:
            raise malformed(section.at, "the lines '--- path' and '+++ path' come before a file's first hunk")
        source = target = path
    hunks = tuple(section.hunks)
    if section.creates and (len(hunks) > 1 or any(hunk.old for hunk in hunks)):
        raise malformed(hunks[0].at, "a new file has one hunk, of added lines alone")
    return FilePatch(_names(source, target), section.creates, hunks)


def _names(source: str, target: str) -> tuple[str, ...]:
    """Return what the path may be, without git's `a/` and `b/`."""
    if source == NOWHERE:
        return (target[2:], target) if target.startswith("b/") else (target,)
    if source == target:
        return (source,)
    if is_prefixed(source, target):
        return (source[2:],)
    raise _renames(f"The patch renames {source!r} to {target!r}")
