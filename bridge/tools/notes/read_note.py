"""The tool `read_note`: a note by name, whole or one section or block of it."""

from typing import Any, NamedTuple

from pydantic import Field

from bridge.errors import InvalidParameters
from bridge.index.references import ResolvedNote
from bridge.notes.markdown import parse_note
from bridge.notes.parts import Part, find_part
from bridge.toolkit.tool import CallContext, Output, ReadEffect
from bridge.tools.kinds import read_spec
from bridge.tools.notes.lookup import NoteReadTool, note_wire
from bridge.tools.parameters import NoteName, SnakeCaseParams
from bridge.vault.file_types import is_binary
from bridge.vault.text import BOM, CHUNK, Lines

_ROOM = 300
"""Bytes kept free for the remark that says how to get the rest."""


class ReadNoteParams(SnakeCaseParams):
    """Which note, or part of one."""

    name: NoteName = Field(
        description="Note name, wikilink, or path-qualified name; "
        "'Name#Heading' reads only that section, 'Name#^block' only that block"
    )


class ReadNoteTool(NoteReadTool[ReadNoteParams]):
    """Reads a note."""

    spec = read_spec(
        name="read_note",
        title="Read Note",
        description=(
            "Read a note by name: all of it, properties included, or only a section (#Heading) or block (#^id)."
        ),
        icon="book-open",
        parameters=ReadNoteParams,
    )

    def prepare(self, params: ReadNoteParams, context: CallContext) -> ReadEffect:
        """Check the reference; whether there is such a note is said only after consent."""
        del context
        return self._effect(params.name, "Read")

    def run(self, params: ReadNoteParams, context: CallContext) -> Output:
        """Read."""
        note = self._notes.resolve(params.name)
        data = self._notes.read(note)
        if is_binary(data[:CHUNK]):
            raise InvalidParameters(f"{note.path!r} is not text, although its name says so; its bytes are not shown")
        lines = Lines(data)
        part = _part(note, data) if note.reference.part else None
        first, last = (part.first_line, part.last_line) if part else (1, lines.count)
        start, end = lines.span(first, last)
        wanted = data[start:end]
        settings = context.settings
        kept = _cut(wanted, settings.read_max_bytes)
        shown = _cut(kept, max(settings.max_output_bytes - _ROOM, _ROOM)) if len(wanted) > _ROOM else kept
        content = kept.decode(errors="replace")
        facts: dict[str, Any] = note_wire(note) | {
            "content": content,
            "part": part and part.to_wire(),
            "start_line": first,
            "end_line": _next(kept, first) - 1,
            "total_lines": lines.count,
        }
        metadata: dict[str, Any] = {"truncated": len(shown) < len(wanted), "total": last - first + 1}
        if metadata["truncated"]:
            metadata["next_start_line"] = _next(shown, first)
        if content.encode() != kept:
            metadata["invalid_utf8"] = True
        return Output(facts, _text(note, _Shown(shown, wanted, part, first, lines.count)), metadata)


class _Shown(NamedTuple):
    """What is shown of what was wanted."""

    data: bytes
    wanted: bytes
    part: Part | None
    first: int
    total: int


def _part(note: ResolvedNote, data: bytes) -> Part:
    text = data.decode("utf-8", "surrogateescape")
    return find_part(text, parse_note(text, outline=False), note.reference)


def _text(note: ResolvedNote, shown: _Shown) -> str:
    """The content, and a remark where it is not the whole note."""
    text = shown.data.decode(errors="replace")
    last = _next(shown.data, shown.first) - 1
    if len(shown.data) < len(shown.wanted):
        remark = (
            f"[Truncated: lines {shown.first} to {last} of {shown.total} of {note.path} shown. "
            f"Continue with read, startLine {last + 1}, or read a part: {note.name}#Heading.]"
        )
    elif shown.part is not None:
        remark = f"[Lines {shown.first} to {last} of {shown.total} of {note.path}.]"
    else:
        return text
    return f"{text}{'' if text.endswith(chr(10)) or not text else chr(10)}{remark}"


def _next(data: bytes, first: int) -> int:
    """The number of the line after some lines."""
    return first + data.count(b"\n") + (not data.endswith(b"\n") and data not in {b"", BOM})


def _cut(data: bytes, limit: int) -> bytes:
    """The whole lines that fit; of a first line that does not, as much as fits."""
    if len(data) <= limit:
        return data
    whole = data.rfind(b"\n", 0, limit) + 1
    return data[:whole] if whole else data[:limit].decode(errors="ignore").encode()
