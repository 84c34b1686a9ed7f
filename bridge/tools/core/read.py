"""The tool `read`: a file, whole or in part."""

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import Field, model_validator

from bridge.contract.base import Params
from bridge.errors import InvalidParameters, NotFound, ToolFailure
from bridge.index.file_texts import FileTexts
from bridge.index.knowledge import NoteResolver, asked_for, locate
from bridge.pdf.document import place_in
from bridge.pictures.reader import LARGEST, PictureReader
from bridge.toolkit.permitted import Screens
from bridge.toolkit.tool import AGENT, MINIMAL, VAULT, CallContext, Output, ReadEffect, in_vault
from bridge.tools.core.file_part import FilePart, file_facts, not_text, outlined
from bridge.tools.core.read_pdf import MOST, AskedPages, ShownPictures, asked_pages, pdf_path, read_pages, told
from bridge.tools.core.screen import SCREEN, ScreenReader
from bridge.tools.everyday.note_info import NoteInfoParams, NoteInfoTool
from bridge.tools.formatting import first_of, lines_shown, with_foot
from bridge.tools.kinds import LONGEST_PATH, CountingCursor, PathText, VaultReadTool, by_kind, read_spec
from bridge.tools.notes.lookup import NoteLookup
from bridge.tools.notes.reading import ReadNoteParams, ReadNoteTool
from bridge.tools.storage import Storage
from bridge.vault.files import FileStat

MOST_BYTES = 16 * 1024 * 1024
MOST_PATHS = 50
"""Files that one call reads."""
_ROOM = 300
"""Bytes of text kept free for the remark that says how to get the rest."""


class ReadParams(Params):
    """The file, and which of its lines to read."""

    path: str | None = Field(
        default=None,
        max_length=LONGEST_PATH,
        description="Path, name or wikilink; 'Note#Heading', 'Note#^block' or 'x.pdf#page=3-5' reads that part; "
        "'@screen': what the user looks at in Obsidian",
    )
    paths: list[PathText] | None = Field(
        default=None, min_length=1, max_length=MOST_PATHS, description="Instead of path"
    )
    start_line: int | None = Field(default=None, ge=1, description="First line, from 1")
    end_line: int | None = Field(default=None, ge=1, description="Last line")
    line_offset: int = Field(default=0, ge=0, description="An answer's nextLineOffset")
    max_bytes: int | None = Field(default=None, ge=1, le=MOST_BYTES, description="Default 1 MB")
    line_numbers: bool = Field(default=False, description="Before each line ('12: ...')")
    outline: bool = Field(default=False, description="Headings (canvas: cards) instead")
    show: bool = Field(default=False, description="Also offer to open it in the user's Obsidian")
    info: bool = Field(default=False, description="Properties, tags, headings, links, backlinks instead")
    cursor: CountingCursor | None = Field(default=None, description="From the last answer")

    @model_validator(mode="before")
    @classmethod
    def _list(cls, sent: Any) -> Any:
        """Accept a list of paths as `path`, too."""
        if isinstance(sent, dict) and isinstance(sent.get("path"), list) and "paths" not in sent:
            return {name: value for name, value in sent.items() if name != "path"} | {"paths": sent["path"]}
        return sent

    @model_validator(mode="after")
    def _one_way(self) -> "ReadParams":
        if (self.path is None) == (self.paths is None):
            raise ValueError("give path, or paths")
        if SCREEN in self.names and self.model_fields_set != {"path"}:
            raise ValueError(f"{SCREEN!r} is given as path, and nothing else")
        if self.paths is not None and (self.start_line or self.end_line or self.line_offset):
            raise ValueError("lines are read of one file; give path instead of paths")
        if self.show and self.paths is not None:
            raise ValueError("show goes with path, one file at a time")
        if self.info and (self.start_line or self.end_line or self.line_offset or self.outline or self.line_numbers):
            raise ValueError("info tells of a whole note; leave out lines and outline")
        if self.cursor is not None and (self.paths is not None or not (self.info or self.outline)):
            raise ValueError("cursor goes with path, and info or outline; text goes on at startLine")
        return self

    @property
    def names(self) -> list[str]:
        """Return the files, as the caller named them."""
        return self.paths or [self.path or ""]


def _acts(params: ReadParams, paths: Sequence[str]) -> Iterator[frozenset[str]]:
    if params.info:
        yield _INFO
        return
    parts = ["#" in name and asked_pages(name) is None for name in params.names]
    if any(parts):
        yield _PART
    if not all(parts):
        yield from by_kind(paths, _NOTE, _FILE)


_INFO = frozenset({"read", "note_info", "get_metadata"})
_PART = frozenset({"read", "read_note"})
_NOTE = frozenset({"read", "read_note", "read_file"})
_FILE = frozenset({"read", "read_file"})


class ReadFileTool(VaultReadTool[ReadParams]):
    """The tool that reads a file of the vault.

    Args:
        storage: The vault.
        file_texts: The texts of files that are not notes.
        pictures: Makes pictures ready to be shown.
        screens: The person's screen in Obsidian.
    """

    spec = read_spec(
        name="read",
        action="read/read {path|a file}",
        description="Read files or notes, whole or in part.",
        icon="file-text",
        parameters=ReadParams,
        presets=frozenset({MINIMAL, AGENT, VAULT}),
        replaces=frozenset({"read_file", "read_note", "note_info", "get_metadata"}),
        acts=_acts,
    )

    def __init__(
        self, storage: Storage, file_texts: FileTexts, pictures: PictureReader | None, screens: Screens | None
    ) -> None:
        super().__init__(storage)
        self._file_texts = file_texts
        self._pictures = pictures
        self._screen = ScreenReader(screens, storage)
        self._resolver = NoteResolver(storage.knowledge)
        notes = NoteLookup(storage)
        self._notes, self._info = ReadNoteTool(notes), NoteInfoTool(notes)

    def prepare(self, params: ReadParams, context: CallContext) -> ReadEffect:
        """Check the path and the range; whether the file exists is said only after consent."""
        if params.path == SCREEN:
            return self._screen.prepare(context.caller)
        if params.info:
            told = [self._info.prepare(self._info_of(name, params), context) for name in params.names]
            named = first_of([effect.targets[0].label for effect in told])
            targets = dict.fromkeys(target for effect in told for target in effect.targets)
            return ReadEffect(tuple(targets), f"Look at the links and properties of {named}")
        paths = [self._asked_for(name) for name in params.names]
        first, last = params.start_line or 1, params.end_line
        if last is not None and last < first:
            raise InvalidParameters(f"endLine {last} is before startLine {first}; swap them or leave one out")
        return ReadEffect(in_vault(*dict.fromkeys(paths)), f"Read {first_of(paths)}")

    def run(self, params: ReadParams, context: CallContext) -> Output:
        """Read, keeping no more of the files than is asked for."""
        if params.path == SCREEN:
            return self._screen.run(context.caller)
        shown = ShownPictures(self._pictures, context.deadline, len(params.names))
        if params.paths is None:
            output = self._read(params.path or "", params, context, shown)
            if params.show:
                output = self._screen.show(output, params.path or "", params.start_line, context.caller)
        else:
            output = self._several(params.paths, params, context, shown)
        return dataclasses.replace(output, parts=tuple(shown.parts)) if shown.parts else output

    def _info_of(self, name: str, params: ReadParams) -> NoteInfoParams:
        """Return the facts of a note as they are asked for. Raises InvalidParameters where it is not a name."""
        asked: NoteInfoParams = self._info.spec.parameters.parse({"path": name, "cursor": params.cursor})
        return asked

    def _asked_for(self, name: str) -> str:
        """Return the name of a file in a question; for a part of a note, the note."""
        if (asked := asked_pages(name)) is not None:
            try:
                name = pdf_path(self._storage, asked)
            except NotFound:
                name = asked.path
        try:
            return str(locate(self._storage, self._resolver, name))
        except InvalidParameters as error:
            if error.data.get("part"):
                return self._resolver.resolve(name).path
        except ToolFailure:
            pass
        return asked_for(self._storage, self._resolver, name)

    def _several(self, names: list[str], params: ReadParams, context: CallContext, shown: ShownPictures) -> Output:
        """Read several files one after the other, each with its share of the room."""
        settings = context.settings
        share = max(settings.max_output_bytes // len(names) - _ROOM, _ROOM)
        less = settings.model_copy(update={"max_output_bytes": share})
        files: list[Any] = []
        texts: list[str] = []
        for name in names:
            try:
                found = self._read(name, params, dataclasses.replace(context, settings=less), shown)
            except ToolFailure as failure:
                if len(names) == 1:
                    raise
                files.append({"path": name, "error": failure.message})
                texts.append(f"== {name} ==\nError: {failure.message}")
                continue
            files.append(found.data | found.metadata)
            texts.append(f"== {found.data['path']} ==\n{found.text}")
        return Output({"files": files}, "\n".join(texts), {"truncated": any(file.get("truncated") for file in files)})

    def _read(self, name: str, params: ReadParams, context: CallContext, shown: ShownPictures) -> Output:
        """Read one file, or the part of a note that its name means."""
        if params.info:
            return self._info.run(self._info_of(name, params), context)
        if (asked := asked_pages(name)) is not None:
            return self._read_pdf(asked, params, context, shown)
        try:
            file = self._storage.stat(locate(self._storage, self._resolver, name))
        except InvalidParameters as error:
            if not error.data.get("part") or params.start_line or params.end_line or params.outline:
                raise
            return self._notes.run(ReadNoteParams(name=name, line_numbers=params.line_numbers), context)
        if params.outline:
            return outlined(self._storage, file, int(params.cursor or 0), _limits(params, context)[1])
        return self._read_lines(file, params, context, shown)

    def _read_pdf(self, asked: AskedPages, params: ReadParams, context: CallContext, shown: ShownPictures) -> Output:
        """Read pages of a PDF file."""
        if params.start_line or params.end_line or params.line_offset or params.outline or params.line_numbers:
            raise InvalidParameters(
                f"A PDF is read by its pages, not by lines: give the path as {place_in(asked.path, asked.first)!r}"
            )
        file = self._storage.stat(locate(self._storage, self._resolver, pdf_path(self._storage, asked)))
        if shown.expected == 1:
            shown.expected = min((asked.last or asked.first + MOST - 1) - asked.first + 1, MOST)
        return read_pages(self._storage, self._file_texts, file, asked, shown, room=_limits(params, context)[0])

    def _read_lines(self, file: FileStat, params: ReadParams, context: CallContext, shown: ShownPictures) -> Output:
        """Read lines of a text file."""
        limit, room = _limits(params, context)
        part = FilePart(params.start_line or 1, params.end_line, limit, params.line_offset)
        head = part.read(self._storage, file)
        if head is not None:
            return self._shown(file, head, context, shown, limit)
        if part.first > max(part.total_lines, 1):
            raise InvalidParameters(
                f"startLine {part.first} is beyond the end: {str(file.path)!r} has {part.total_lines} lines",
                data={"totalLines": part.total_lines},
            )
        return _text(file, part, part.fit(room, numbered=params.line_numbers))

    def _shown(self, file: FileStat, head: bytes, context: CallContext, shown: ShownPictures, limit: int) -> Output:
        """Return a picture as one, with the text in it, and of any other file that is not text what it is."""
        output = not_text(file, head, str(file.path), f"{file.size} bytes")
        if self._pictures is None or not output.data["mimeType"].startswith("image/"):
            return output

        def load() -> bytes:
            return self._storage.read(file.path, limit=LARGEST + 1)[0]

        facts = output.data | shown.show(load)
        if "picture" in facts:
            size = f"{facts['width']} by {facts['height']} pixels, {file.size} bytes"
            text = f"{file.path} is a picture ({facts['mimeType']}, {size}). {told(facts)}"
        else:
            text = f"{output.text} {told(facts)}"
        if context.settings.search_pictures and self._file_texts.reads(str(file.path)):
            found = self._file_texts.read(file, load, context.deadline)
            drawn = found.text.encode()[: max(limit - len(text.encode()), 0)].decode(errors="ignore")
            if drawn.strip():
                facts["recognisedText"] = drawn
                text += f"\nText that was recognised in it, which may have mistakes:\n{drawn}"
            elif found.why:
                facts["whyNoText"] = found.why
                text += f"\nIts text was not recognised: {found.why}."
        return Output(facts, text)


def _limits(params: ReadParams, context: CallContext) -> tuple[int, int]:
    """Return how many bytes of a file are read, and how many of text an answer has room for."""
    room = context.settings.max_output_bytes - _ROOM
    return min(params.max_bytes or context.settings.read_max_bytes, room), room


def _text(file: FileStat, part: FilePart, numbered: str | None = None) -> Output:
    """Return the answer for a text file.

    Args:
        file: The file.
        part: Of it.
        numbered: The part's lines with their numbers, where these are wanted.
    """
    content, invalid_at = part.text(file.path)
    metadata: dict[str, Any] = {
        "startLine": part.first,
        "endLine": part.last_taken,
        "totalLines": part.total_lines,
        "truncated": part.truncated,
    }
    metadata |= part.next_place()
    if invalid_at is not None:
        metadata["invalidUtf8At"] = invalid_at
    foot = lines_shown(part.first, part.last_taken, part.total_lines, following=part.next_place())
    text = with_foot(content if numbered is None else numbered, foot)
    return Output(file_facts(file) | {"content": content}, text, metadata)
