"""A patch as coding agents write it: a unified diff, git's, or the form of `*** Begin Patch`.

A unified diff to the letter is read by `unidiff`. Of any other patch it is forgiven how it is dressed: wrong or missing
numbers in `@@`, missing `---` and `+++` lines, text around it. What it would do is not guessed: renames, deletions and
changes of mode are refused.
"""

import re
from collections.abc import Sequence

from bridge.errors import InvalidParameters
from bridge.tools.core.hunk_lines import read_hunk
from bridge.tools.core.patch_names import NOWHERE, is_prefixed, path_in
from bridge.tools.core.patch_parts import FilePatch, Section, malformed

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


def read_forgivingly(lines: Sequence[str]) -> list[Section]:
    """Return the files of a patch, in order; none when it has no hunk and names no file.

    Args:
        lines: The patch, without line endings.

    Raises:
        InvalidParameters: A line is none of a patch, or asks for more than changing lines.
    """
    sections: list[Section] = []
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
                section = Section(index + 1)
                sections.append(section)
            hunk, end = read_hunk(lines, index)
            section.hunks.append(hunk)
            taken = end - index
        index += taken
    return sections


def _beginning(lines: Sequence[str], index: int) -> tuple[Section | None, int]:
    """Return the file that begins in a line, if one does; and how many lines that takes."""
    line, following = lines[index], "".join(lines[index + 1 : index + 2])
    if line.startswith("diff --git "):
        return Section(index + 1, git=True), 1
    if line.startswith("--- ") and following.startswith("+++ "):
        source, target = path_in(line), path_in(following)
        return Section(index + 1, source, target, creates=source == NOWHERE), 2
    if line.startswith(("--- ", "+++ ")) and following.startswith("@@"):
        name = path_in(line)
        by_git = name.startswith("a/" if line[0] == "-" else "b/")
        return Section(index + 1, f"a/{name[2:]}" if by_git else name, f"b/{name[2:]}" if by_git else name), 1
    marker = _MARKER.match(line)
    if marker is None:
        return None, 1
    name = marker[2].strip()
    if marker[1] == "Delete File":
        raise _deletes(name)
    if marker[1] == "Move to":
        raise _renames(f"Line {index + 1} of the patch renames a file to {name!r}")
    return Section(index + 1, name, name, creates=marker[1] == "Add File"), 1


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


def _file(section: Section, path: str | None) -> FilePatch:
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
