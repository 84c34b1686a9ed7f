"""The tools `merge_notes` and `split_note`: the text of notes goes into another, or sections become notes of their own.

Every link to what moves follows.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count, pairwise
from typing import Literal, NamedTuple

from pydantic import Field

from bridge.contract.consent import ConsentClass
from bridge.errors import Conflict, InvalidParameters, NotFound
from bridge.notes.frontmatter import find_frontmatter
from bridge.notes.names import link_path
from bridge.notes.note import Heading, ParsedNote
from bridge.notes.parts import Outline, block_keys
from bridge.notes.properties import merge_properties
from bridge.notes.rewriting import LinkTarget, Redirection
from bridge.notes.syntax import encode_destination, fits_wikilink
from bridge.toolkit.tool import CallContext, Output
from bridge.tools.everyday.places import RelocatingTool, heading_number, line_number
from bridge.tools.files.link_keeping import KeptLinks, broken_data, broken_sentence
from bridge.tools.formatting import some
from bridge.tools.joining import appended, body_of, check_joined, ending_of, free_block, parsed, with_blocks
from bridge.tools.kinds import LONGEST_PATH, NoteName, SnakeCaseParams, write_spec
from bridge.tools.notes.lookup import decoded, encoded
from bridge.tools.paths import NOTE, name_after, vault_path
from bridge.tools.storage import exists
from bridge.vault.paths import VaultPath, fold, parse_path
from bridge.vault.plan import Applied, ChangeKind, ChangePlan
from bridge.vault.text import counted, note_name

MOST_SOURCES = 50


class MergeNotesParams(SnakeCaseParams):
    """The notes to merge, and the note that they go into."""

    sources: list[NoteName] = Field(min_length=1, max_length=MOST_SOURCES, description="Notes that go into the target")
    target: NoteName = Field(description="Which stays")
    headings: bool = Field(default=False, description="Each text below a heading of its name")


@dataclass(slots=True)
class _Source:
    """A note that goes into another one.

    Attributes:
        path: Where it is.
        data: Its bytes.
        note: What it says.
        heading: The heading that its text gets; empty for none.
        blocks: Its block ids that get others, because they are taken, with what they become.
    """

    path: str
    data: bytes
    note: ParsedNote
    heading: str
    blocks: dict[str, str]


class MergeNotesTool(RelocatingTool[MergeNotesParams]):
    """The tool that merges notes."""

    spec = write_spec(
        name="merge_notes",
        action="merge/merged {sources|notes} into {target|a note}",
        description="Append notes to another, make all links lead there, and delete them.",
        icon="merge",
        parameters=MergeNotesParams,
        consent_class=ConsentClass.NEVER,
        id_prefix="merge",
        timeout=300.0,
    )

    def prepare(self, params: MergeNotesParams, context: CallContext) -> ChangePlan:
        """Plan the text, the links that follow, and the deletions."""
        target, data = self._note(params.target)
        sources = self._sources(params, target)
        moving = self._moving(target, parsed(decoded(data)), sources)
        kept, builder = KeptLinks(), self._storage.plan()
        merged, left_out = self._text(target, data, sources, moving, kept)
        builder.modify(parse_path(target), data, encoded(merged))
        for source in sources:
            builder.delete(parse_path(source.path), source.data)
        own = {target, *(source.path for source in sources)}
        warnings = [
            f"{path!r} has other values than {target!r} for some properties, and they will be lost: {', '.join(names)}"
            for path, names in left_out.items()
        ]
        summary = f"Merge {some([source.path for source in sources])} into {target}"
        return self._relocation(builder, moving, own, kept, context, summary=summary, warnings=warnings)

    def report(self, params: MergeNotesParams, applied: Applied) -> Output:
        """Report what went where, and which notes changed for it."""
        plan = applied.plan
        merged = [change.path for change in plan.changes if change.kind is ChangeKind.DELETE]
        updated = [change.path for change in plan.changes if change.path in plan.follows]
        modified = [change.path for change in plan.changes if change.kind is ChangeKind.MODIFY]
        own = [path for path in modified if path not in updated]
        target = own[0] if own else self._notes.resolve(params.target).path  # sources that say nothing change nothing
        data = {"path": target, "merged": merged, "updated": updated} | broken_data(plan)
        said = plan.summary.replace("Merge", "Merged", 1)
        return Output(data, f"{said}.{broken_sentence(plan)} ({applied.execution_id})")

    # -- the texts ----------------------------------------------------------------------------------------------

    def _sources(self, params: MergeNotesParams, target: str) -> list[_Source]:
        """Return the notes that go, with the headings and block ids that they get."""
        found: dict[str, _Source] = {}
        for name in params.sources:
            path, data = self._note(name)
            if path == target:
                raise InvalidParameters(f"{path!r} cannot be merged into itself; leave it out of sources")
            text = decoded(data)
            note = parsed(text)
            block = find_frontmatter(text)
            if block and note.frontmatter is None and text[block.yaml_start : block.yaml_end].strip():
                raise Conflict(
                    f"The properties of {path!r} are broken YAML and would be lost; mend or remove them first",
                    code="properties",
                )
            found[path] = _Source(path, data, note, note_name(path) if params.headings else "", {})
        return list(found.values())

    def _moving(self, target: str, note: ParsedNote, sources: Sequence[_Source]) -> Redirection:
        """Return where each part of the notes goes."""
        outlines = {target: Outline.of(note)}
        headings, blocks = list(note.headings), set(outlines[target].blocks)
        parts: dict[LinkTarget, LinkTarget] = {}
        for source in sources:
            outlines[source.path] = Outline.of(source.note)
            if source.heading:
                parts[LinkTarget(source.path)] = LinkTarget(target, len(headings))
                headings.append(Heading(0, 0, _level(source), source.heading))
            for number, heading in enumerate(source.note.headings):
                parts[LinkTarget(source.path, number)] = LinkTarget(target, len(headings))
                headings.append(heading)
            for block in sorted(outlines[source.path].blocks):
                source.blocks[block] = free_block(block, blocks)
                blocks.add(source.blocks[block])
                parts[LinkTarget(source.path, block)] = LinkTarget(target, source.blocks[block])
        names = self._keeper.moving({}).before
        return Redirection(
            names,
            names.moved({source.path: None for source in sources}),
            {source.path: target for source in sources},
            self._storage.app_settings.new_link_format,
            outlines,
            {target: Outline(tuple(headings), frozenset(blocks))},
            parts,
        )

    def _text(
        self, target: str, data: bytes, sources: Sequence[_Source], moving: Redirection, kept: KeptLinks
    ) -> tuple[str, dict[str, tuple[str, ...]]]:
        """Return the target's text with those of the others, and the properties that it does not get."""
        text = self._rewritten(target, data, moving, kept)
        ending, left_out = ending_of(text), dict[str, tuple[str, ...]]()
        for source in sources:
            broken = len(kept.broken)
            own = with_blocks(self._rewritten(source.path, source.data, moving, kept), source.blocks)
            text, lost = merge_properties(text, own, ending)
            if lost:
                left_out[source.path] = lost
            body = body_of(own)
            title = f"{'#' * _level(source)} {source.heading}" if source.heading else ""
            joined = appended(appended(text, title, ending), body, ending)
            check_joined(
                parsed(joined),
                [parsed(text), parsed(f"\n{title}"), parsed(f"\n{body}")],
                f"The text of {source.path!r}",
            )
            above = joined.count("\n") - body.count("\n") - 1  # lines, whatever they end with
            shift = above - own.count("\n", 0, max(own.find(body), 0))
            kept.broken[broken:] = [each._replace(line=each.line + shift) for each in kept.broken[broken:]]
            text = joined
        return text, left_out


def _level(source: _Source) -> int:
    """Return the level of a heading that the headings of a note are below, if there is one above theirs."""
    return max(1, min((heading.level for heading in source.note.headings), default=3) - 1)


MOST = 200
"""Sections that one call makes notes of."""

_FOOTNOTE = re.compile(r"\[\^([^\]\s]+)\](:?)")


class SplitNoteParams(SnakeCaseParams):
    """The note, and which of its sections to split off."""

    path: NoteName = Field(description="Note name, path or wikilink")
    headings: list[str] | None = Field(
        None, min_length=1, max_length=MOST, description="The headings whose sections become notes"
    )
    level: int | None = Field(None, ge=1, le=6, description="Instead of headings: all headings of this level")
    folder: str | None = Field(
        None, max_length=LONGEST_PATH, description="Folder of the new notes (default: the note's)"
    )
    leave: Literal["link", "embed", "nothing"] = Field("link", description="What takes the place of each section")


class _Section(NamedTuple):
    """One section that becomes a note.

    Attributes:
        first: The number of its heading.
        stop: The number of the first heading behind it.
        place: Where the note will lie.
    """

    first: int
    stop: int
    place: VaultPath


class _Note(NamedTuple):
    """The note that is split, as it is."""

    path: str
    data: bytes
    text: str
    parsed: ParsedNote


class SplitNoteTool(RelocatingTool[SplitNoteParams]):
    """The tool that splits a note."""

    spec = write_spec(
        name="split_note",
        action="split/split {path|a note}",
        description=(
            "Make notes of sections of a note, each named after its heading. Links to headings and blocks in them "
            "follow: one change, one undo."
        ),
        icon="split",
        parameters=SplitNoteParams,
        consent_class=ConsentClass.NEVER,
        id_prefix="split",
        timeout=300.0,
    )

    def prepare(self, params: SplitNoteParams, context: CallContext) -> ChangePlan:
        """Plan the notes, what is left, and the links that follow."""
        if (params.headings is None) == (params.level is None):
            raise InvalidParameters("Give either headings or level, and not both")
        path, data = self._note(params.path)
        text = decoded(data)
        note = _Note(path, data, text, parsed(text))
        sections = self._sections(params, note)
        _check_apart(note, sections)
        moving = self._moving(note, sections)
        kept, builder = KeptLinks(), self._storage.plan()
        builder.modify(parse_path(path), data, encoded(self._rest(params, note, sections, moving, kept)))
        for section in sections:
            builder.create(section.place, encoded(self._section(note, section, moving, kept)))
        places = [str(section.place) for section in sections]
        summary = f"Split {path}: {counted(len(sections), 'section')} to {some(places)}"
        warnings = _footnotes(note, sections)
        return self._relocation(builder, moving, [path, *places], kept, context, summary=summary, warnings=warnings)

    def report(self, _params: SplitNoteParams, applied: Applied) -> Output:
        """Report which notes there are now, and which changed for it."""
        plan = applied.plan
        created = [change.path for change in plan.changes if change.kind is ChangeKind.CREATE]
        path, *updated = [change.path for change in plan.changes if change.kind is ChangeKind.MODIFY]
        data = {"path": path, "created": created, "updated": updated} | broken_data(plan)
        return Output(data, f"{plan.summary}.{broken_sentence(plan)} ({applied.execution_id})")

    # -- what goes where ----------------------------------------------------------------------------------------

    def _sections(self, params: SplitNoteParams, note: _Note) -> list[_Section]:
        """Return the sections that become notes, in order, none within another."""
        headings = note.parsed.headings
        if params.headings is not None:
            wanted = sorted({heading_number(note.text, note.path, heading) for heading in params.headings})
        else:
            wanted = [number for number, heading in enumerate(headings) if heading.level == params.level]
        if not wanted:
            raise NotFound(f"{note.path!r} has no heading of level {params.level}")
        if len(wanted) > MOST:
            raise InvalidParameters(f"{note.path!r} has {len(wanted)} such sections; one call takes {MOST}")
        outline, taken = Outline.of(note.parsed), set[str]()
        given = params.folder
        folder = parse_path(note.path).parent if given is None else vault_path(given or "/", self._storage, "folder")
        found: list[_Section] = []
        for first in wanted:
            if found and first < found[-1].stop:
                inner, outer = headings[first].heading, headings[found[-1].first].heading
                raise InvalidParameters(f"The section {inner!r} is a part of {outer!r}; name one of them")
            found.append(
                _Section(first, outline.section_end(first), self._place(folder, headings[first].heading, taken))
            )
        return found

    def _place(self, folder: VaultPath, heading: str, taken: set[str]) -> VaultPath:
        """Return a free place for a note that is named after a heading."""
        name = name_after(heading)
        paths = (folder.child(f"{name} {number}{NOTE}" if number else f"{name}{NOTE}") for number in count())
        path = next(each for each in paths if fold(str(each)) not in taken and not exists(self._storage, each))
        taken.add(fold(str(path)))
        self._storage.check_new_name(path.name)
        return self._storage.resolve_new(path)

    def _moving(self, note: _Note, sections: Sequence[_Section]) -> Redirection:
        """Return where each part of the note goes."""
        headings, parts, after = note.parsed.headings, dict[LinkTarget, LinkTarget](), dict[str, Outline]()
        rest = list(range(len(headings)))
        for section in sections:
            start, end = _span(note, section)
            place = str(section.place)
            blocks = block_keys(block for block in note.parsed.blocks if start <= block.start < end)
            after[place] = Outline(headings[section.first : section.stop], blocks)
            for number in range(section.first, section.stop):
                rest.remove(number)
                parts[LinkTarget(note.path, number)] = LinkTarget(place, number - section.first)
            parts |= {LinkTarget(note.path, block): LinkTarget(place, block) for block in blocks}
        for number, old in enumerate(rest):
            parts[LinkTarget(note.path, old)] = LinkTarget(note.path, number)
        made: dict[str, str | None] = {place: place for place in after}
        moved = frozenset[str]().union(*(outline.blocks for outline in after.values()))
        before, whole = Outline.of(note.parsed), self._keeper.moving({})
        after[note.path] = Outline(tuple(headings[number] for number in rest), before.blocks - moved)
        names = whole.before
        return Redirection(names, names.moved(made), {}, whole.form, {note.path: before}, after, parts)

    # -- the texts ----------------------------------------------------------------------------------------------

    def _rest(
        self, params: SplitNoteParams, note: _Note, sections: Sequence[_Section], moving: Redirection, kept: KeptLinks
    ) -> str:
        """Return the note without the sections, with what takes their places."""
        spans = [_span(note, section) for section in sections]
        text = self._in_place(
            note, moving, kept, lambda at: not any(start <= at < end for start, end in spans), lambda line: line
        )
        pieces, at, ending = list[str](), 0, ending_of(note.text)
        rewritten = note._replace(text=text, parsed=parsed(text))
        for section in sections:
            start, end = _span(rewritten, section)
            left = self._left(params, note.path, section, moving)
            pieces += text[at:start], left + ending if left else ""
            pieces.append(ending if left and end < len(text) else "")
            at = end
        return "".join([*pieces, text[at:]])

    def _section(self, note: _Note, section: _Section, moving: Redirection, kept: KeptLinks) -> str:
        """Return a new note: the section with its heading."""
        start, end = _span(note, section)
        first = line_number(note.text, start)
        here = replace(moving, here={note.path: str(section.place)})
        text = self._in_place(note, here, kept, lambda at: start <= at < end, lambda line: line - first + 1)
        start, end = _span(note._replace(text=text, parsed=parsed(text)), section)
        return text[start:end].rstrip(" \t\r\n") + ending_of(note.text)

    def _in_place(
        self,
        note: _Note,
        moving: Redirection,
        kept: KeptLinks,
        inside: Callable[[int], bool],
        line: Callable[[int], int],
    ) -> str:
        """Return the whole note with its links as they must be in one place; what is noted is what stands there."""
        own = KeptLinks()
        text = self._rewritten(note.path, note.data, moving, own)
        starts = [0, *(match.end() for match in re.finditer("\n", note.text))]
        broken = [each for each in own.broken if inside(starts[each.line - 1])]
        if broken:
            kept.warnings += own.warnings
            kept.broken += [each._replace(line=line(each.line)) for each in broken]
        return text

    def _left(self, params: SplitNoteParams, source: str, section: _Section, moving: Redirection) -> str:
        """Return what takes the place of a section."""
        if params.leave == "nothing":
            return ""
        target, mark = str(section.place), "!" if params.leave == "embed" else ""
        wiki = link_path(target, source, moving.after, moving.form, markdown=False)
        if wiki and fits_wikilink(wiki) and not self._storage.app_settings.use_markdown_links:
            return f"{mark}[[{wiki}]]"
        path = link_path(target, source, moving.after, moving.form, markdown=True) or target
        return f"{mark}[{note_name(target)}]({encode_destination(path)})"


def _span(note: _Note, section: _Section) -> tuple[int, int]:
    """Return where a section begins and ends: whole lines."""
    headings, text = note.parsed.headings, note.text
    start = text.rfind("\n", 0, headings[section.first].start) + 1
    if section.stop >= len(headings):
        return start, len(text)
    return start, text.rfind("\n", 0, headings[section.stop].start) + 1


def _check_apart(note: _Note, sections: Sequence[_Section]) -> None:
    """Refuse to part what is read otherwise when it stands by itself."""
    ends = [0, *(end for section in sections for end in _span(note, section)), len(note.text)]
    pieces = [note.text[start:end] for start, end in pairwise(ends)]
    alone = [parsed(pieces[0]), *(parsed(f"\n{piece}") for piece in pieces[1:])]  # what begins with --- is no YAML
    check_joined(note.parsed, alone, "A section")


def _footnotes(note: _Note, sections: Sequence[_Section]) -> Sequence[str]:
    """Return a sentence for each section with footnotes whose text stands elsewhere."""
    found = []
    for section in sections:
        start, end = _span(note, section)
        marks = _FOOTNOTE.findall(note.text[start:end])
        defined = {name for name, colon in marks if colon}
        lost = list(dict.fromkeys(name for name, colon in marks if not colon and name not in defined))
        if lost:
            found.append(
                f"The text of these footnotes of {str(section.place)!r} stays in {note.path!r}: {', '.join(lost)}"
            )
    return found
