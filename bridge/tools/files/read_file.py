"""The tool `read_file`: lines with their numbers, and the outline."""

from collections.abc import Sequence
from typing import Any

from pydantic import AliasChoices, Field

from bridge.errors import InvalidParameters
from bridge.toolkit.tool import CallContext, Output, ReadEffect, ReadTool, in_vault
from bridge.tools.core.file_part import (
    MOST_HEADINGS,
    MOST_OUTLINED,
    FilePart,
    OutlineEntry,
    file_facts,
    not_text,
    number_lines,
    outline,
    outline_lines,
)
from bridge.tools.formatting import next_words, size
from bridge.tools.kinds import RequiredPath, SnakeCaseParams, read_spec
from bridge.tools.paths import NOTE, asked_path, existing_path, not_found_as
from bridge.tools.services import Handed
from bridge.tools.storage import Storage
from bridge.vault.files import FileStat
from bridge.vault.text import counted

MOST_LINES = 2000
MOST_BYTES = 100 * 1024
MOST_BYTES_OF_ALL = 16 << 20
"""Of a file that is read whole."""

_FOOT = 400
"""Bytes of text kept for what is said below the lines."""
_REFUSED = (
    "[read_entire_file is for files that this session has written or that the user attached, and this is neither. "
    "Read on with start_line.]"
)

_CUT = "[Text is cut at {:,} bytes, the user's setting maxOutputBytes. Read on with start_line; data holds all lines.]"


class ReadFileParams(SnakeCaseParams):
    """The file, and which of its lines to read."""

    path: RequiredPath = Field(
        validation_alias=AliasChoices("path", "file_path"),
        description="File path (also taken: file_path); upper and lower case do not matter",
    )
    start_line: int | None = Field(default=None, ge=1, description="First line to read (the first is 1)")
    end_line: int | None = Field(default=None, ge=1, description="Last line to read, inclusive")
    line_offset: int = Field(
        default=0, ge=0, description="Go on inside start_line after so many bytes of it: an answer's nextLineOffset"
    )
    read_entire_file: bool | None = Field(
        default=None,
        description="Read all of a large file. Only for files that this session has written or that the user attached",
    )


class ReadVaultFileTool(ReadTool[ReadFileParams]):
    """The tool that reads a file of the vault, line by line.

    Args:
        storage: The vault.
        handed: The files that may be read whole.
    """

    spec = read_spec(
        name="read_file",
        action="read/read {path|a file}",
        description="Read a file with its lines numbered. Large files are cut at 2000 lines or about 100 KB. Below "
        "the lines stands which they are, how many there are, and, when these are not all lines of a note, its "
        "outline: the headings with their lines. Call again with start_line and end_line for lines not shown.",
        icon="file-text",
        parameters=ReadFileParams,
    )

    def __init__(self, storage: Storage, handed: Handed) -> None:
        self._storage = storage
        self._handed = handed

    def prepare(self, params: ReadFileParams, _context: CallContext) -> ReadEffect:
        """Check the path and the range; whether the file exists is said only after consent."""
        path = asked_path(params.path, self._storage)
        first, last = params.start_line, params.end_line
        if first is not None and last is not None and last < first:
            raise InvalidParameters(f"end_line {last} is before start_line {first}; swap them or leave one out.")
        if params.read_entire_file:
            return ReadEffect(in_vault(str(path)), f"Read entire file '{path}'?")
        if last is not None:
            return ReadEffect(in_vault(str(path)), f"Read file '{path}' (lines {first or 1}-{last})?")
        lines = f" (from line {first})" if first is not None else ""
        return ReadEffect(in_vault(str(path)), f"Read file '{path}'{lines}?")

    def run(self, params: ReadFileParams, context: CallContext) -> Output:
        """Read, keeping no more of the file than is asked for."""
        path = existing_path(params.path, self._storage)
        with not_found_as(f'File not found: "{path}"'):
            file = self._storage.stat(path)
        whole = bool(params.read_entire_file) and self._handed(context.caller.session_id, str(file.path))
        part = _part(params, whole=whole)
        is_note = file.path.suffix.lower() == NOTE and file.size <= MOST_OUTLINED
        kept: list[bytes] = []
        head = part.read(self._storage, file, kept if is_note else None)
        if head is not None:
            return not_text(file, head, f'"{file.path}"', size(file.size))
        if part.first > max(part.total_lines, 1):
            raise InvalidParameters(
                f"Line {part.first} does not exist in file with {counted(part.total_lines, 'line')}.",
                data={"totalLines": part.total_lines},
            )
        headings = outline(b"".join(kept)) if is_note else []
        wanted = min(params.end_line or part.total_lines, part.total_lines)
        most = context.settings.max_output_bytes
        foot = ""
        if params.read_entire_file:
            foot = _CUT.format(most) if whole else _REFUSED
        return _text(file, part, headings, wanted, foot=foot, limit=most)


def _part(params: ReadFileParams, *, whole: bool) -> FilePart:
    """Return the part of the file that is wanted, within the limits."""
    first = params.start_line or 1
    if whole:
        return FilePart(first, params.end_line, MOST_BYTES_OF_ALL, params.line_offset)
    last = first + MOST_LINES - 1
    return FilePart(first, min(last, params.end_line or last), MOST_BYTES, params.line_offset)


def _text(
    file: FileStat, part: FilePart, headings: Sequence[OutlineEntry], wanted: int, *, foot: str, limit: int
) -> Output:
    """Return the answer for a text file.

    Args:
        file: The file.
        part: The lines of it that the limits allow.
        headings: Its outline.
        wanted: The last line that was asked for.
        foot: What else is to be said when not all is shown.
        limit: Bytes of text.
    """
    content, invalid_at = part.text(file.path)
    room = limit - _FOOT
    numbered = number_lines(part.data, part.first, room)
    partly = part.first > 1 or bool(part.next_place(numbered.taken))
    if partly and headings:
        numbered = number_lines(part.data, part.first, room - limit // 8)
    cut = numbered.cut or (part.cut_inside_line and numbered.last == part.last_taken)
    truncated = cut or numbered.last < wanted
    following = part.next_place(numbered.taken)
    first = part.first if part.total_lines else 0
    shown = f"{first}-{numbered.last}"
    more = next_words(following, ("start_line", "line_offset"))
    lines = [numbered.text, ""] if numbered.text else []
    if truncated:
        lines.append(f"[... truncated, showing lines {shown}, total lines in file: {part.total_lines}{more}]")
        lines += [f"[Line {numbered.last} is not shown to its end.]"] if cut else []
        lines += [foot] if foot else []
    else:
        lines.append(f"[Showing lines {shown} of {part.total_lines} total{more}]")
    if partly and (shown_headings := outline_lines(headings, limit // 8)):
        left = len(headings) - len(shown_headings)
        lines += ["", "Outline:", *shown_headings, *([f"[{left} more headings]"] if left else [])]
    metadata: dict[str, Any] = {
        "startLine": first,
        "endLine": numbered.last,
        "totalLines": part.total_lines,
        "truncated": truncated,
    }
    metadata |= following
    if invalid_at is not None:
        metadata["invalidUtf8At"] = invalid_at
    data = file_facts(file) | {
        "content": content,
        "startLine": first,
        "endLine": part.last_taken,
        "totalLines": part.total_lines,
        "truncated": part.last_taken < wanted or part.cut_inside_line,
        **part.next_place(),
        "headings": len(headings),
        "outline": [entry._asdict() for entry in headings[:MOST_HEADINGS]],
    }
    return Output(data, "\n".join(lines), metadata)
