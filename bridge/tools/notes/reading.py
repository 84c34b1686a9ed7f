"""The tools that resolve, read and describe one note.

They are `resolve_note`, `is_available`, `read_note` and `get_metadata`.
"""

from collections.abc import Sequence
from typing import Any

from pydantic import Field
from pydantic.alias_generators import to_snake

from bridge.contract.consent import RiskLevel
from bridge.errors import InvalidParameters
from bridge.notes.parts import WholeLines, find_part
from bridge.toolkit.parameters import ANY_OBJECT, TEXT, TEXTS, WHOLE, YES_OR_NO, a_list, members
from bridge.toolkit.tool import CallContext, Output, ReadEffect, in_vault
from bridge.tools.core.file_part import FilePart, in_lines
from bridge.tools.formatting import UNLINKABLE, lines_shown, value_text, with_foot
from bridge.tools.joining import parsed
from bridge.tools.kinds import NoteName, SnakeCaseParams, read_spec
from bridge.tools.notes.lookup import NoteReadTool, decoded, note_wire
from bridge.vault.paths import check_new_name, parse_path
from bridge.vault.text import CHUNK, NOTE_EXTENSION, is_note, is_text

MOST_MATCHES = 50


class ResolveNoteParams(SnakeCaseParams):
    """The name."""

    name: NoteName = Field(
        description="Note name, wikilink, or path-qualified name, such as 'My Note', '[[My Note]]', 'projects/My Note'"
    )


class ResolveNoteTool(NoteReadTool[ResolveNoteParams]):
    """The tool that tells which note is meant, or which ones might be."""

    spec = read_spec(
        name="resolve_note",
        action="look/looked for {name|a note}",
        description="Find the one note that a name, wikilink or alias means. When several fit, they are listed and "
        "none is chosen.",
        icon="locate",
        parameters=ResolveNoteParams,
        risk=RiskLevel.SAFE,
    )

    asks = "Find the note"

    def run(self, params: ResolveNoteParams, _context: CallContext) -> Output:
        """Resolve it."""
        note = self._notes.resolve(params.name)
        matches = self._notes.find_matches(params.name)
        others = [match.path for match in matches if match.path != note.path]
        data = note_wire(note) | {
            "via": note.via,
            "part": note.reference.part or None,
            "matches": [match.to_wire() for match in matches[:MOST_MATCHES]],
        }
        lines = [note.path]
        if others:
            named = ", ".join(repr(other) for other in others[:MOST_MATCHES])
            lines.append(f"[Found by its {note.via}. The name also fits {named}.]")
        return Output(data, "\n".join(lines), {"total": len(matches)})


class IsAvailableParams(SnakeCaseParams):
    """The name, and where."""

    name: NoteName = Field(description="Note name (without extension)")
    folder: str | None = Field(
        default=None, max_length=2000, description="Folder for the note (default: the whole vault is searched)"
    )


class IsAvailableTool(NoteReadTool[IsAvailableParams]):
    """The tool that tells whether no note has a name yet."""

    spec = read_spec(
        name="is_available",
        action="check/checked whether {name|a name} is free",
        description="Check whether a note name is still free, in a folder or in the whole vault, before creating a "
        "note.",
        icon="circle-check",
        parameters=IsAvailableParams,
        output=members(available=YES_OR_NO, name=TEXT, path=TEXT, matches=a_list(members(name=TEXT, path=TEXT))),
        risk=RiskLevel.SAFE,
    )

    def prepare(self, params: IsAvailableParams, context: CallContext) -> ReadEffect:
        """Check the name."""
        path = _new_path(params, portable=context.settings.portable_names)
        return ReadEffect(in_vault(path), f"Check whether {path!r} is free")

    def run(self, params: IsAvailableParams, context: CallContext) -> Output:
        """Look."""
        path = _new_path(params, portable=context.settings.portable_names)
        name = path.rpartition("/")[2][: -len(NOTE_EXTENSION)]
        free = self._notes.is_available(params.name, params.folder)
        taken = [] if free else [match.to_wire() for match in self._notes.find_matches(params.name)[:50]]
        where = "in the vault"
        if params.folder is not None:
            where = f"in {folder!r}" if (folder := params.folder.strip("/")) else "in the top folder"
        text = f"{name!r} is available {where}." if free else f"{name!r} is taken {where}."
        if free and any(character in name for character in UNLINKABLE):
            text += " Links will not work with a name that contains # ^ [ ] |."
        return Output({"available": free, "name": name, "path": path, "matches": taken}, text)


def _new_path(params: IsAvailableParams, *, portable: bool) -> str:
    """Return where the note would be.

    Raises:
        InvalidParameters: No note can be there.
    """
    name = params.name.strip().strip("/")
    if not name:
        raise InvalidParameters("name is empty; give the new note's name, such as 'My Note'")
    name = name if is_note(name) else name + NOTE_EXTENSION
    path = parse_path(f"{(params.folder or '').strip('/')}/{name}", strip_slashes=True)
    check_new_name(path.name, portable=portable)
    return str(path)


_REST = 300
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
        action="read/read {name|a note}",
        description="Read a note by name: all of it, properties included, or only a section (#Heading) or block "
        "(#^id).",
        icon="book-open",
        parameters=ReadNoteParams,
        output=members(name=TEXT, path=TEXT, size_bytes=WHOLE, created=TEXT, modified=TEXT, content=TEXT),
    )

    def run(self, params: ReadNoteParams, context: CallContext) -> Output:
        """Read."""
        note = self._notes.resolve(params.name)
        data = self._notes.read(note)
        if not is_text(data):
            raise InvalidParameters(f"{note.path!r} is not text, although its name says so; its bytes are not shown")
        section = None
        if note.reference.part:
            text = decoded(data)
            section = find_part(text, parsed(text), note.reference)
        room = max(context.settings.max_output_bytes - _REST, _REST)
        part = _taken(data, section, min(context.settings.read_max_bytes, room))
        numbered = part.fit(room, numbered=params.line_numbers)
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
        text = with_foot(content if numbered is None else numbered, f"{shown}{more}")
        return Output(facts, text, metadata)


def _taken(data: bytes, section: WholeLines | None, limit: int) -> FilePart:
    """Return as much of a note, or of a part of it, as the limit allows."""
    part = FilePart(section.first_line, section.last_line, limit) if section else FilePart(1, None, limit)
    for start in range(0, len(data), CHUNK):
        part.take(data[start : start + CHUNK])
    return part


MOST_OF_A_KIND = 1000
"""Links, backlinks and headings that are listed, each."""

_MOST_IN_TEXT = 50


class GetMetadataParams(SnakeCaseParams):
    """The note to describe."""

    name: NoteName = Field(description="Note name or wikilink")


class GetMetadataTool(NoteReadTool[GetMetadataParams]):
    """The tool that lists what is known of a note without its text."""

    spec = read_spec(
        name="get_metadata",
        action="look/looked at the properties and links of {name|a note}",
        description="A note's tags, properties, aliases, headings, links, backlinks and times, without its text.",
        icon="info",
        parameters=GetMetadataParams,
        output=members(name=TEXT, path=TEXT, aliases=TEXTS, tags=TEXTS, properties=ANY_OBJECT, backlinks=TEXTS),
    )

    asks = "Read the metadata of"

    def run(self, params: GetMetadataParams, _context: CallContext) -> Output:
        """Gather."""
        note = self._notes.resolve(params.name)
        facts = self._notes.facts(note)
        links, unresolved = self._notes.links(note)
        text = decoded(self._notes.read(note)) if facts.headings else ""
        lists: dict[str, list[Any]] = {
            "backlinks": [self._notes.short_name(path) for path in self._notes.backlinks(note)],
            "forwardlinks": [self._notes.short_name(path) for path in links],
            "unresolved": unresolved,
            "headings": [entry._asdict() for entry in in_lines(text, facts.headings)],
        }
        data: dict[str, Any] = note_wire(note) | {
            "aliases": list(facts.aliases),
            "tags": list(dict.fromkeys(facts.tags)),
            "properties": dict(facts.properties),
        }
        totals = {name: len(items) for name, items in lists.items()}
        truncated = any(total > MOST_OF_A_KIND for total in totals.values())
        data |= {name: items[:MOST_OF_A_KIND] for name, items in lists.items()}
        return Output(data, "\n".join(_metadata_lines(data, totals)), {"totals": totals, "truncated": truncated})


def _metadata_lines(data: dict[str, Any], totals: dict[str, int]) -> Sequence[str]:
    """Return the same for a model."""
    lines = [f"{data['path']} ({data['size_bytes']} bytes, modified {data['modified']}, created {data['created']})"]
    lines += [f"{name}: {_joined(data[name])}" for name in ("aliases", "tags") if data[name]]
    lines += [f"property {name}: {value_text(value)}" for name, value in data["properties"].items()]
    for name in ("backlinks", "forwardlinks", "unresolved"):
        if totals[name]:
            lines.append(f"{name} ({totals[name]}): {_joined(data[name])}")
    if totals["headings"]:
        lines.append(f"headings ({totals['headings']}):")
        listed = data["headings"][:_MOST_IN_TEXT]
        lines += [f"{each['line']}: {'#' * each['level']} {each['heading']}" for each in listed]
        more = totals["headings"] - len(listed)
        lines += [f"[{more} more headings]"] if more else []
    if any(total > _MOST_IN_TEXT for total in totals.values()):
        lines.append("[note_info lists more of them.]")
    return lines


def _joined(items: Sequence[str]) -> str:
    more = f", and {len(items) - _MOST_IN_TEXT} more" if len(items) > _MOST_IN_TEXT else ""
    return ", ".join(items[:_MOST_IN_TEXT]) + more
