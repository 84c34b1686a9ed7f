"""A unified diff as coding agents emit it, read strictly: what is not certain is refused, not guessed.

`unidiff` parses. What it would let pass is refused here: lines it drops after a hunk whose header counts too few,
hunk headers that are none, renames, deletions, and changes of mode.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from unidiff.errors import UnidiffParseError
from unidiff.patch import Hunk as ParsedHunk
from unidiff.patch import PatchedFile, PatchSet

from bridge.errors import InvalidParameters

NOWHERE = "/dev/null"

_HUNK_HEADER = re.compile(r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@")
_NOT_BY_HUNKS = re.compile(r"(?:rename|copy) (?:from|to) |(?:old|new) mode |GIT binary patch|Binary files ")
_PREFIXED = re.compile(r"[abciow12]/")
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_LETTERS = {b"n": b"\n", b"t": b"\t", b"r": b"\r"}
_SIGNATURE = "-- "
"""What `git format-patch` writes before its version."""


@dataclass(frozen=True, slots=True)
class PatchLine:
    """One line of a hunk.

    Attributes:
        sign: ` ` stays, `-` goes, `+` comes.
        text: Without its ending.
        ended: False when the patch says that the file ends with it, without a line break.
    """

    sign: str
    text: str
    ended: bool = True


@dataclass(frozen=True, slots=True)
class PatchHunk:
    """One hunk.

    Attributes:
        at: The line of the patch where it begins.
        lines: Its lines.
    """

    at: int
    lines: tuple[PatchLine, ...]

    @property
    def old(self) -> list[PatchLine]:
        """What it expects in the file."""
        return [line for line in self.lines if line.sign != "+"]

    @property
    def new(self) -> list[PatchLine]:
        """What is there afterwards."""
        return [line for line in self.lines if line.sign != "-"]


@dataclass(frozen=True, slots=True)
class FilePatch:
    """What a patch says of one file.

    Attributes:
        names: Its path. Two when a new file's `b/` may be git's prefix (the first is without it) or a folder.
        creates: Whether the file is new.
        hunks: In the order of the patch.
    """

    names: tuple[str, ...]
    creates: bool
    hunks: tuple[PatchHunk, ...]


def parse_patch(text: str, path: str | None) -> list[FilePatch]:
    """Read a unified diff.

    Args:
        text: The diff of one or several files.
        path: The file meant when the diff is of hunks alone.

    Raises:
        InvalidParameters: It is malformed (says in which line), or renames, deletes or changes a mode.
    """
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    first = next((index for index, line in enumerate(lines) if line.startswith("@@")), None)
    if first is None:
        for number, line in enumerate(lines, 1):
            _check_only_lines(number, line)
        raise malformed(1, "it has no hunk, which begins with a line such as '@@ -5,3 +5,4 @@'")
    supplied = 0
    if path is not None and not any(line.startswith("--- ") for line in lines[:first]):
        lines[first:first] = [f"--- {path}", f"+++ {path}"]
        supplied = 2
    files = _parse(lines, supplied)
    _check_rest(lines, files, supplied)
    return [_file(file, lines, supplied) for file in files]


def malformed(line: int, reason: str) -> InvalidParameters:
    """The refusal of a patch."""
    return InvalidParameters(
        f"The patch is malformed in line {line}: {reason}. Send a unified diff, or use patches with line numbers",
        data={"line": line},
    )


def _parse(lines: Sequence[str], supplied: int) -> PatchSet:
    """What unidiff makes of the lines."""
    rest = iter(lines)
    try:
        return PatchSet(line + "\n" for line in rest)
    except UnidiffParseError as error:
        reached = len(lines) - sum(1 for _line in rest)
        reason = str(error).partition(":")[0].strip()
        raise malformed(max(reached - supplied, 1), f"{reason[:1].lower()}{reason[1:]}") from None


def _check_rest(lines: Sequence[str], files: PatchSet, supplied: int) -> None:
    """Refuse a patch with lines that no hunk took and that look as if one should have."""
    taken = {line.diff_line_no for file in files for hunk in file for line in hunk if line.diff_line_no}
    after_hunk = False
    for number, line in enumerate(lines, 1):
        if number in taken:
            after_hunk = True
            continue
        where = max(number - supplied, 1)
        if line.startswith("@@") and not _HUNK_HEADER.match(line):
            raise malformed(where, "a hunk begins with its line numbers, such as '@@ -5,3 +5,4 @@'")
        _check_only_lines(where, line)
        if after_hunk and line[:1] in {"+", "-", " "} and not _begins_file(lines, number) and line != _SIGNATURE:
            raise malformed(where, "it lies beyond the lines that the '@@' line before it counts; correct the counts")
        after_hunk = after_hunk and (line.startswith("\\") or not line.strip())


def _check_only_lines(number: int, line: str) -> None:
    """Refuse a line that asks for more than changed lines."""
    if _NOT_BY_HUNKS.match(line):
        raise InvalidParameters(
            f"Line {number} of the patch renames, copies, changes a mode or is binary; apply_patch only changes lines. "
            "Leave that file out of the patch"
        )


def _begins_file(lines: Sequence[str], number: int) -> bool:
    """Whether the line with this number and the next one are the names of a file."""
    return lines[number - 1].startswith("--- ") and number < len(lines) and lines[number].startswith("+++ ")


def _file(file: PatchedFile, lines: Sequence[str], supplied: int) -> FilePatch:
    """One file of the patch."""
    if not file:
        raise InvalidParameters(f"The patch has no hunk for {file.path!r}; leave that file out of it")
    first = _header_of(file[0])
    if first < len(("---", "+++", "@@")) or not _begins_file(lines, first - 2):
        raise malformed(max(first - supplied, 1), "the lines '--- path' and '+++ path' come before a file's first hunk")
    source, target = _name(lines[first - 3], "--- "), _name(lines[first - 2], "+++ ")
    if target == NOWHERE:
        raise InvalidParameters(
            f"The patch deletes {source!r}, which apply_patch does not do. Use a tool that deletes files"
        )
    hunks = tuple(_hunk(hunk, supplied) for hunk in file)
    creates = source == NOWHERE
    if creates and (len(hunks) != 1 or hunks[0].old):
        raise malformed(hunks[0].at, "a new file has one hunk, of added lines alone")
    return FilePatch(_names(source, target), creates, hunks)


def _header_of(hunk: ParsedHunk) -> int:
    """The number of the `@@` line."""
    return min(line.diff_line_no for line in hunk if line.diff_line_no) - 1


def _hunk(hunk: ParsedHunk, supplied: int) -> PatchHunk:
    lines: list[PatchLine] = []
    at = max(_header_of(hunk) - supplied, 1)
    for line in hunk:
        if line.line_type in {" ", "+", "-"}:
            lines.append(PatchLine(line.line_type, line.value.removesuffix("\n").removesuffix("\r")))
        elif line.line_type == "\\" and lines:
            lines[-1] = PatchLine(lines[-1].sign, lines[-1].text, ended=False)
    made = PatchHunk(at, tuple(lines))
    if not all(line.ended for side in (made.old, made.new) for line in side[:-1]):
        raise malformed(at, "only the last line of a file can have no newline")
    return made


def _name(line: str, mark: str) -> str:
    """The path in a `---` or `+++` line, unquoted where git quoted it."""
    name = line.removeprefix(mark).partition("\t")[0].removesuffix("\r").rstrip(" ")
    if not (len(name) > 1 and name.startswith('"') and name.endswith('"')):
        return name
    quoted = name[1:-1].encode("utf-8", "surrogatepass")
    return _ESCAPE.sub(lambda escape: _unescape(escape[1]), quoted).decode("utf-8", "replace")


def _unescape(code: bytes) -> bytes:
    """One of git's escapes."""
    return bytes([int(code, 8) & 0xFF]) if len(code) > 1 else _LETTERS.get(code, code)


def _names(source: str, target: str) -> tuple[str, ...]:
    """What the path may be, git's `a/` and `b/` taken off."""
    if source == NOWHERE:
        return (target[2:], target) if target.startswith("b/") else (target,)
    if source == target:
        return (source,)
    if _PREFIXED.match(source) and _PREFIXED.match(target) and source[2:] == target[2:]:
        return (source[2:],)
    raise InvalidParameters(
        f"The patch renames {source!r} to {target!r}, which apply_patch does not do. Name one file in both lines, "
        "and use a tool that moves files"
    )
