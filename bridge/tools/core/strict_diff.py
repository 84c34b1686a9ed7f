"""A unified diff to the letter, as git and `diff -u` write it, read by `unidiff`.

unidiff lets some things pass that matter when lines are written: lines after a hunk whose header counts too few, and
everything that is said about a file besides its lines. A patch with such lines is not read here.
"""

import re
from collections.abc import Sequence

from unidiff.errors import UnidiffParseError
from unidiff.patch import Hunk, PatchedFile, PatchSet

from bridge.tools.core.patch_text import NOWHERE, PatchHunk, PatchLine, PatchSection, checked_hunk, path_in

_HUNK_HEADER = re.compile(r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@")
_GIT = "diff --git "
_NEW_FILE = "new file mode "
_ABOUT_FILES = re.compile(rf"{_GIT}|index [0-9a-f]+\.\.|{_NEW_FILE}|--- |\+\+\+ |\\ No newline|$")


def read_strictly(lines: Sequence[str]) -> list[PatchSection] | None:
    """Return the files of a diff, in order; None when it is not a diff to the letter.

    Args:
        lines: The diff, without line endings.
    """
    try:
        files = PatchSet(line + "\n" for line in lines)
    except UnidiffParseError:
        return None
    taken = {line.diff_line_no for file in files for hunk in file for line in hunk}
    outside = [line for number, line in enumerate(lines, 1) if number not in taken]
    headers = [line for line in outside if line.startswith("@@")]
    if len(headers) != sum(map(len, files)) or not all(map(_HUNK_HEADER.match, headers)):
        return None
    if not all(_ABOUT_FILES.match(line) for line in outside if not line.startswith("@@")):
        return None
    sections: list[PatchSection] = []
    end = 0
    for file in files:
        section = _section(file, lines, end)
        if section is None:
            return None
        sections.append(section)
        end = max(line.diff_line_no or 0 for line in file[-1])
    return sections


def _section(file: PatchedFile, lines: Sequence[str], before: int) -> PatchSection | None:
    """Return one file; None when its names are not where they belong.

    Args:
        file: What unidiff made of it.
        lines: The whole diff.
        before: How many of the lines belong to the files before it.
    """
    if not all(file) or not len(file):
        return None
    first = _header_of(file[0]) - 1  # the index of the first `@@`
    about = lines[before:first]
    if [line[:4] for line in about[-2:]] != ["--- ", "+++ "] or sum(line.startswith("--- ") for line in about) > 1:
        return None
    source, target = path_in(about[-2]), path_in(about[-1])
    creates = source == NOWHERE or any(line.startswith(_NEW_FILE) for line in about)
    by_git = any(line.startswith(_GIT) for line in about)
    return PatchSection(first - 1, source, target, git=by_git, creates=creates, hunks=[_hunk(hunk) for hunk in file])


def _header_of(hunk: Hunk) -> int:
    """Return the number of the `@@` line, from 1."""
    return min(line.diff_line_no for line in hunk if line.diff_line_no) - 1


def _hunk(hunk: Hunk) -> PatchHunk:
    lines: list[PatchLine] = []
    for line in hunk:
        if line.line_type in {" ", "+", "-"}:
            lines.append(PatchLine(line.line_type, line.value.removesuffix("\n")))
        elif line.line_type == "\\" and lines:
            lines[-1] = PatchLine(lines[-1].sign, lines[-1].text, ended=False)
    return checked_hunk(PatchHunk(_header_of(hunk), tuple(lines)))
