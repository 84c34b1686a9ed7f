"""The tool `read_file`: lines with their numbers, and the outline."""

from dataclasses import dataclass
from typing import Any

from pydantic import AliasChoices, Field

from bridge.errors import InvalidParameters
from bridge.toolkit.tool import CallContext, Output, ReadEffect, ReadTool, in_vault
from bridge.tools.core.file_part import FilePart, binary_facts, file_facts, read_part
from bridge.tools.files.line_numbers import MOST_OUTLINED, OutlineEntry, number_lines, outline, outline_text
from bridge.tools.files.paths import NOTE, not_found_as, vault_path
from bridge.tools.formatting import counted, size
from bridge.tools.kinds import read_spec
from bridge.tools.parameters import RequiredPath, SnakeCaseParams
from bridge.tools.services import Handed
from bridge.tools.storage import Storage
from bridge.vault.files import FileStat

MOST_LINES = 2000
MOST_BYTES = 100 * 1024
MOST_BYTES_OF_ALL = 16 << 20
"""Of a file that is read whole."""

MOST_HEADINGS = 1000
"""Headings of the outline in `data`."""

_FOOT = 400
"""Bytes of text kept for what is said below the lines."""
_REFUSED = (
    "[read_entire_file is for files that this session has written or that the user attached, and this is neither. "
    "Read on with start_line.]"
)


class ReadFileParams(SnakeCaseParams):
    """Which lines of which file."""

    path: RequiredPath = Field(
        validation_alias=AliasChoices("path", "file_path"),
        description="File path (also taken: file_path); upper and lower case do not matter",
    )
    start_line: int | None = Field(default=None, ge=1, description="First line to read (the first is 1)")
    end_line: int | None = Field(default=None, ge=1, description="Last line to read, inclusive")
    read_entire_file: bool | None = Field(
        default=None,
        description="Read all of a large file. Only for files that this session has written or that the user attached",
    )


class ReadVaultFileTool(ReadTool[ReadFileParams]):
    """Reads a file of the vault, line by line.

    Args:
        storage: The vault.
        handed: Which files may be read whole.
    """

    spec = read_spec(
        name="read_file",
        title="Read File",
        description=(
            "Read a file with its lines numbered, and its outline. Large files are cut at 2000 lines or "
            "about 100 KB; the "
            "last line of the answer says which lines are shown and how many there are. If what you need "
            "may be in lines "
            "not shown, call again with start_line and end_line."
        ),
        icon="file-text",
        parameters=ReadFileParams,
    )

    def __init__(self, storage: Storage, handed: Handed) -> None:
        self._storage = storage
        self._handed = handed

    def prepare(self, params: ReadFileParams, context: CallContext) -> ReadEffect:
        """Check the path and the range; whether the file exists is said only after consent."""
        del context
        path = vault_path(params.path, self._storage)
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
        path = vault_path(params.path, self._storage)
        with not_found_as(f'File not found: "{path}"'):
            file = self._storage.stat(path)
        whole = bool(params.read_entire_file) and self._handed(context.caller.session_id, str(file.path))
        part = _part(params, whole=whole)
        is_note = file.path.suffix.lower() == NOTE and file.size <= MOST_OUTLINED
        kept: list[bytes] = []
        head = read_part(self._storage, file, part, kept.append if is_note else lambda _block: None)
        if head is not None:
            return _binary(file, head)
        if part.first > max(part.total_lines, 1):
            raise InvalidParameters(
                f"Line {part.first} does not exist in file with {counted(part.total_lines, 'line')}.",
                data={"totalLines": part.total_lines},
            )
        headings = outline(b"".join(kept)) if is_note else []
        wanted = min(params.end_line or part.total_lines, part.total_lines)
        foot = _REFUSED if params.read_entire_file and not whole else ""
        return _text(_Read(file, part, headings, wanted), foot, context.settings.max_output_bytes)


def _part(params: ReadFileParams, *, whole: bool) -> FilePart:
    """What is wanted of the file, within the limits."""
    first = params.start_line or 1
    if whole:
        return FilePart(first, params.end_line, MOST_BYTES_OF_ALL)
    last = first + MOST_LINES - 1
    return FilePart(first, min(last, params.end_line or last), MOST_BYTES)


def _binary(file: FileStat, head: bytes) -> Output:
    """The answer for a file that is not text."""
    data = binary_facts(file, head)
    what = f"{data['kind']}, {data['mimeType']}, {size(file.size)}"
    return Output(data, f'"{file.path}" is not text: {what}. Its bytes are not shown.')


@dataclass(frozen=True, slots=True)
class _Read:
    """What was read.

    Attributes:
        file: The file.
        part: The lines of it that the limits allow.
        headings: Its outline.
        wanted: The last line that was asked for.
    """

    file: FileStat
    part: FilePart
    headings: list[OutlineEntry]
    wanted: int


def _text(read: _Read, foot: str, limit: int) -> Output:
    """The answer for a text file.

    Args:
        read: What was read.
        foot: What else is to be said when not all is shown.
        limit: Bytes of text.
    """
    file, part, headings, wanted = read.file, read.part, read.headings, read.wanted
    content, invalid_at = part.text(file.path)
    numbered = number_lines(content, part.first, limit - _FOOT)
    cut = numbered.cut or (part.cut_inside_line and numbered.last == part.last_taken)
    truncated = cut or numbered.last < wanted
    if truncated and headings:
        numbered = number_lines(content, part.first, limit - _FOOT - limit // 8)
    first = part.first if part.total_lines else 0
    shown = f"{first}-{numbered.last}"
    lines = [numbered.text, ""] if numbered.text else []
    if truncated:
        lines.append(f"[... truncated, showing lines {shown}, total lines in file: {part.total_lines}]")
        lines += [f"[Line {numbered.last} is not shown to its end.]"] if cut else []
        lines += [foot] if foot else []
        outlined = outline_text(headings, limit // 8)
        lines += ["", outlined] if outlined else []
    else:
        lines.append(f"[Showing lines {shown} of {part.total_lines} total]")
    metadata: dict[str, Any] = {
        "startLine": first,
        "endLine": numbered.last,
        "totalLines": part.total_lines,
        "truncated": truncated,
    }
    if truncated and numbered.last < part.total_lines:
        metadata["nextStartLine"] = numbered.last + 1
    if invalid_at is not None:
        metadata["invalidUtf8At"] = invalid_at
    data = file_facts(file) | {
        "content": content,
        "startLine": first,
        "endLine": part.last_taken,
        "totalLines": part.total_lines,
        "truncated": part.last_taken < wanted or part.cut_inside_line,
        "headings": len(headings),
        "outline": [entry._asdict() for entry in headings[:MOST_HEADINGS]],
    }
    return Output(data, "\n".join(lines), metadata)
