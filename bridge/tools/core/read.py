"""The tool `read`: a file, whole or in part."""

from typing import Any

from pydantic import Field

from bridge.contract.base import Params
from bridge.errors import InvalidParameters
from bridge.index.references import NoteResolver, asked_for, locate
from bridge.toolkit.tool import MINIMAL, VAULT, CallContext, Output, ReadEffect, ReadTool, in_vault
from bridge.tools.core.file_part import FilePart, binary_facts, file_facts, read_part
from bridge.tools.kinds import read_spec
from bridge.tools.storage import Storage
from bridge.vault.files import FileStat

MOST_BYTES = 16 * 1024 * 1024
NEWLINE = "\n"


class ReadParams(Params):
    """Which lines of which file."""

    path: str = Field(
        description="File path relative to vault root, or a note's name or wikilink ('My Note', '[[My Note]]')"
    )
    start_line: int | None = Field(default=None, ge=1, description="Start reading from this line (the first is 1)")
    end_line: int | None = Field(default=None, ge=1, description="Stop reading after this line")
    max_bytes: int | None = Field(
        default=None, ge=1, le=MOST_BYTES, description="Maximum bytes to read (default 1 MB, or the user's setting)"
    )


class ReadFileTool(ReadTool[ReadParams]):
    """Reads a file of the vault.

    Args:
        storage: The vault.
    """

    spec = read_spec(
        name="read",
        title="Read",
        description="Retrieve full or partial file contents.",
        icon="file-text",
        parameters=ReadParams,
        presets=frozenset({MINIMAL, VAULT}),
    )

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._resolver = NoteResolver(storage.knowledge)

    def prepare(self, params: ReadParams, context: CallContext) -> ReadEffect:
        """Check the path and the range; whether the file exists is said only after consent."""
        del context
        path = asked_for(self._storage, self._resolver, params.path)
        first, last = params.start_line or 1, params.end_line
        if last is not None and last < first:
            raise InvalidParameters(f"endLine {last} is before startLine {first}; swap them or leave one out")
        return ReadEffect(in_vault(path), f"Read {path}")

    def run(self, params: ReadParams, context: CallContext) -> Output:
        """Read, keeping no more of the file than is asked for."""
        file = self._storage.stat(locate(self._storage, self._resolver, params.path))
        part = FilePart(params.start_line or 1, params.end_line, params.max_bytes or context.settings.read_max_bytes)
        head = read_part(self._storage, file, part, lambda _block: None)
        if head is not None:
            return _binary(file, head)
        if part.first > max(part.total_lines, 1):
            raise InvalidParameters(
                f"startLine {part.first} is beyond the end: {str(file.path)!r} has {part.total_lines} lines",
                data={"totalLines": part.total_lines},
            )
        return _text(file, part)


def _binary(file: FileStat, head: bytes) -> Output:
    """The answer for a file that is not text."""
    data = binary_facts(file, head)
    what = f"{data['kind']}, {data['mimeType']}, {file.size} bytes"
    return Output(data, f"{file.path} is not text: {what}. Its bytes are not shown.")


def _text(file: FileStat, part: FilePart) -> Output:
    """The answer for a text file."""
    content, invalid_at = part.text(file.path)
    metadata: dict[str, Any] = {
        "startLine": part.first,
        "endLine": part.last_taken,
        "totalLines": part.total_lines,
        "truncated": part.truncated,
    }
    text = content
    if part.truncated:
        metadata["nextStartLine"] = part.last_taken + 1
        text = f"{content}{'' if content.endswith(NEWLINE) else NEWLINE}{_note(part)}"
    if invalid_at is not None:
        metadata["invalidUtf8At"] = invalid_at
    data = file_facts(file) | {"content": content}
    return Output(data, text, metadata)


def _note(part: FilePart) -> str:
    """How to get the rest."""
    shown = f"[Truncated: lines {part.first} to {part.last_taken} of {part.total_lines} shown"
    if part.cut_inside_line:
        return f"{shown}, the last one not to its end. Raise maxBytes, or continue with the next line.]"
    return f"{shown}. Continue with startLine {part.last_taken + 1}.]"
