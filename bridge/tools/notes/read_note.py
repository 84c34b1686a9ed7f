"""The tool `read_note`: a note by name, whole or one section or block of it."""

from typing import Any

from pydantic import Field
from pydantic.alias_generators import to_snake

from bridge.errors import InvalidParameters
from bridge.index.references import ResolvedNote
from bridge.notes.markdown import parse_note
from bridge.notes.note import Work
from bridge.notes.parts import Part, find_part
from bridge.toolkit.output_schema import TEXT, WHOLE, members
from bridge.toolkit.tool import CallContext, Output, ReadEffect
from bridge.tools.core.file_part import FilePart
from bridge.tools.files.line_numbers import number_lines
from bridge.tools.formatting import lines_shown
from bridge.tools.kinds import read_spec
from bridge.tools.notes.lookup import NoteReadTool, note_wire
from bridge.tools.parameters import NoteName, SnakeCaseParams
from bridge.vault.text import CHUNK, is_text

NEWLINE = "\n"
_ROOM = 300
"""Bytes kept free for the remark that says how to get the rest."""


class ReadNoteParams(SnakeCaseParams):
    """The note, or part of one, to read."""

    name: NoteName = Field(
        description="Note name, wikilink, or path-qualified name; "
        "'Name#Heading' reads only that section, 'Name#^block' only that block"
    )
    line_numbers: bool = Field(default=False, description="Put its number before each line of the text ('12: ...')")


class ReadNoteTool(NoteReadTool[ReadNoteParams]):
    """The tool that reads a note."""

    spec = read_spec(
        name="read_note",
        title="Read note",
        action="read/read {name|a note}",
        description=(
            "Read a note by name: all of it, properties included, or only a section (#Heading) or block (#^id)."
        ),
        icon="book-open",
        parameters=ReadNoteParams,
        output=members(name=TEXT, path=TEXT, size_bytes=WHOLE, created=TEXT, modified=TEXT, content=TEXT),
    )

    def prepare(self, params: ReadNoteParams, context: CallContext) -> ReadEffect:
        """Check the reference; whether there is such a note is said only after consent."""
        del context
        return self._effect(params.name, "Read")

    def run(self, params: ReadNoteParams, context: CallContext) -> Output:
        """Read."""
        note = self._notes.resolve(params.name)
        data = self._notes.read(note)
        if not is_text(data):
            raise InvalidParameters(f"{note.path!r} is not text, although its name says so; its bytes are not shown")
        section = _part(note, data) if note.reference.part else None
        room = max(context.settings.max_output_bytes - _ROOM, _ROOM)
        part = _taken(data, section, min(context.settings.read_max_bytes, room))
        numbered = None
        if params.line_numbers:
            numbered = number_lines(part.data, part.first, room)
            part.keep(numbered.taken)
        else:
            part.fit(room)
        content, invalid_at = part.text(note.path)
        following = part.next_place() if part.truncated else {}
        facts: dict[str, Any] = note_wire(note) | {
            "content": content,
            "part": section and section.to_wire(),
            "start_line": part.first,
            "end_line": part.last_taken,
            "total_lines": part.total_lines,
        }
        last = section.last_line if section else part.total_lines
        metadata: dict[str, Any] = {"truncated": part.truncated, "total": last - part.first + 1}
        metadata |= {to_snake(name): value for name, value in following.items()}
        if invalid_at is not None:
            metadata["invalid_utf8"] = True
        shown = lines_shown(part.first, part.last_taken, part.total_lines, of=note.path, following=following)
        more = f". Go on with read, or read a part: {note.name}#Heading." if following else ""
        text = content if numbered is None else numbered.text
        return Output(facts, f"{text}{NEWLINE if text and not text.endswith(NEWLINE) else ''}[{shown}{more}]", metadata)


def _part(note: ResolvedNote, data: bytes) -> Part:
    text = data.decode("utf-8", "surrogateescape")
    return find_part(text, parse_note(text, outline=False, work=Work.of_one_note()), note.reference)


def _taken(data: bytes, section: Part | None, limit: int) -> FilePart:
    """Return as much of a note, or of a part of it, as the limit allows."""
    part = FilePart(section.first_line, section.last_line, limit) if section else FilePart(1, None, limit)
    for start in range(0, len(data), CHUNK):
        part.take(data[start : start + CHUNK])
    return part
