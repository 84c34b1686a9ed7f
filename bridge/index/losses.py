"""Losses by a change that its diff does not show: headings and blocks that links name, properties, links, bases' rows.

They are found whatever tool makes the change. A heading also goes if it is no longer read as one, and properties if one
line too many is above them: then Obsidian shows none (rules 46 to 49 of docs/obsidian.md). Notes of which only links
follow another change are not looked at.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from bridge.clock import Clock
from bridge.errors import InvalidParameters
from bridge.index.knowledge import Knowledge, NoteFacts
from bridge.notes.frontmatter import find_frontmatter, read_properties
from bridge.notes.markdown import base_blocks, parse_note
from bridge.notes.names import LinkFormat, link_key
from bridge.notes.note import BlockId, ParsedNote, TooMuchWork, Work
from bridge.notes.parts import NoteReference, has_part, parse_reference, strip_heading
from bridge.notes.rewriting import Relocation
from bridge.vault.diff import parse_hunks
from bridge.vault.paths import fold
from bridge.vault.plan import Change, ChangeKind, ChangePlan
from bridge.vault.text import counted, is_note
from bridge.versions.states import Effect

if TYPE_CHECKING:
    from bridge.index.base_rows import BaseWarnings


_NAMED_PARTS: Final = 5
"""Headings and blocks of one note that are named; the others are only counted."""
_LONGEST: Final = 80
_NAMED_PROPERTIES: Final = 10
"""Properties that are named; the others are only counted."""
EXTENSION: Final = ".base"
_LOOKED_AT: Final = 3
"""Bases of a note that a question says something about: each takes up to some seconds."""


def lost_parts(plan: ChangePlan, knowledge: Knowledge) -> Iterator[str]:
    """Yield a sentence for each heading or block that other notes link to and that a change takes away.

    Args:
        plan: The change.
        knowledge: The knowledge about all notes, those that the user has closed included: only their number is told.
    """
    written = {path: data for change, path, data in _notes_written(plan) if change.kind is ChangeKind.MODIFY}
    follows = plan.follows
    for path in written:
        if path not in follows:
            with suppress(TooMuchWork):  # nobody can say what such a note holds
                yield from _lost_of(path, written, knowledge)


def _notes_written(plan: ChangePlan) -> Iterator[tuple[Change, str, bytes]]:
    """Yield each note that a plan writes: the change, the path that the note has now, and its bytes afterwards."""
    left = {change.new_path: change.path for change in plan.changes if change.kind is ChangeKind.MOVE}
    for change in plan.changes:
        if change.kind in {ChangeKind.CREATE, ChangeKind.MODIFY} and is_note(change.path):
            yield change, left.get(change.path, change.path), plan.blobs[change.after or ""]


def _lost_of(path: str, written: Mapping[str, bytes], knowledge: Knowledge) -> Iterator[str]:
    links = [(link.source, link.subpath) for link in knowledge.backlinks(path) if link.subpath]
    facts = knowledge.note(path)
    if not links or facts is None:
        return
    before = ParsedNote(headings=facts.headings, blocks=tuple(BlockId(0, 0, name) for name in facts.block_ids))
    after = _parsed(written[path])
    sources = defaultdict[str, list[str]](list)
    for source, subpath in _as_written(path, links, written, knowledge):
        reference = _reference(subpath)
        if reference is not None and has_part(before, reference) and not has_part(after, reference):
            sources[_named(reference, facts)].append(source)
    for name, places in list(sources.items())[:_NAMED_PARTS]:
        notes = len(set(places))
        yield (
            f"{counted(len(places), 'link')} in {counted(notes, 'note')} to the {name} of {path!r} will lead nowhere"
        )
    if rest := sum(map(len, list(sources.values())[_NAMED_PARTS:])):
        yield f"{counted(rest, 'more link')} to other headings and blocks of {path!r} will lead nowhere"


def _as_written(
    path: str, links: list[tuple[str, str]], written: Mapping[str, bytes], knowledge: Knowledge
) -> Iterator[tuple[str, str]]:
    """Yield each link to a note, after the change: the note that contains it, and the part that it names."""
    for source, subpath in links:
        if source not in written:
            yield source, subpath
    for source in dict.fromkeys(source for source, _subpath in links if source in written):
        for each in _parsed(written[source]).all_links:
            if each.counts and knowledge.names.resolve(each.linkpath, source) == path:
                yield source, each.subpath


def _parsed(data: bytes) -> ParsedNote:
    return parse_note(data.decode("utf-8", "surrogateescape"), outline=False, work=Work.of_one_note())


def _reference(subpath: str) -> NoteReference | None:
    """Return the part of a note that a link names; None if it names none."""
    try:
        reference = parse_reference(f"note{subpath}")
    except InvalidParameters:
        return None
    return reference if reference.part else None


def _named(reference: NoteReference, facts: NoteFacts) -> str:
    """Return what a link leads to now, as the note spells it."""
    if reference.block is not None:
        key = fold(reference.block)
        return f"block {'^' + next(name for name in facts.block_ids if fold(name) == key)!r}"
    key = strip_heading(reference.headings[-1])
    heading = next(each.heading for each in facts.headings if strip_heading(each.heading) == key)
    return f"heading {heading[:_LONGEST]!r}"


def lost_properties(plan: ChangePlan, knowledge: Knowledge) -> Iterator[str]:
    """Yield a sentence for each note whose properties will be fewer, or no properties that Obsidian can read.

    Args:
        plan: The change.
        knowledge: The knowledge about all notes.
    """
    follows = plan.follows
    for change, path, data in _notes_written(plan):
        if path in follows:
            continue
        facts = knowledge.note(path) if change.kind is ChangeKind.MODIFY else None
        text = data.decode("utf-8", "surrogateescape")
        properties = _properties(text)
        if properties is None and (facts is None or facts.properties or _touches_properties(plan, change.path, text)):
            yield f"The properties of {path!r} will be no YAML that Obsidian can read: it shows none"
        gone = [name for name in (facts.properties if facts else {}) if name not in (properties or {})]
        gone = [name for name in gone if name.lower() != plan.renamed_property]
        if gone:
            more = f" and {len(gone) - _NAMED_PROPERTIES} more" if len(gone) > _NAMED_PROPERTIES else ""
            yield f"{path!r} loses properties: {', '.join(gone[:_NAMED_PROPERTIES])}{more}"


def _properties(text: str) -> Mapping[str, Any] | None:
    """Return the properties of a note; None when they are broken."""
    block = find_frontmatter(text)
    if block is None or not text[block.yaml_start : block.yaml_end].strip():
        return {}
    return read_properties(text[block.yaml_start : block.yaml_end])


def _touches_properties(plan: ChangePlan, path: str, text: str) -> bool:
    """Return whether a change adds lines to the properties: if they were broken before, that is not new."""
    block = find_frontmatter(text)
    end = text.count("\n", 0, block.end) + 1 if block else 0
    return any(
        shown.truncated or any(line <= end for hunk in parse_hunks(shown.diff) for line, _text in hunk.added())
        for shown in plan.shown.get(path, ())
    )


class ChangedBases:
    """The bases that changes touch; what they would show is worked out by code that a start need not import.

    Args:
        knowledge: The knowledge about the vault, as far as agents may see it.
        clock: The time.
    """

    def __init__(self, knowledge: Knowledge, clock: Clock) -> None:
        self._knowledge = knowledge
        self._clock = clock

    def of(self, plan: ChangePlan) -> Iterator[str]:
        """Yield a sentence for each mistake, and for each view how many rows it would have, if no other file changes.

        Args:
            plan: The change.
        """
        follows = plan.follows
        places = {change.path for change in plan.changes if change.kind not in {ChangeKind.MKDIR, ChangeKind.RMDIR}}
        others = {path for path in places if not path.lower().endswith(EXTENSION)}
        for change in plan.changes:
            if change.kind not in {ChangeKind.CREATE, ChangeKind.MODIFY} or change.path in follows:
                continue
            of_base = change.path.lower().endswith(EXTENSION)
            if not of_base and not is_note(change.path):
                continue
            text = plan.blobs[change.after or ""].decode("utf-8", "surrogateescape")
            bases = [text] if of_base else _changed_blocks(plan, change.path, text)
            for base in bases[:_LOOKED_AT]:
                # What is in the rows is known as it is, and not as the same change would make it.
                yield from self._warnings.of(change.path, base, rows=others <= {change.path})
            if (more := len(bases) - _LOOKED_AT) > 0:
                yield f"{more} more bases in {change.path!r} change; what they would show was not looked at"

    @cached_property
    def _warnings(self) -> "BaseWarnings":
        from bridge.index.base_rows import BaseWarnings  # noqa: PLC0415 - a start is faster without

        return BaseWarnings(self._knowledge, self._clock)


def _changed_blocks(plan: ChangePlan, path: str, text: str) -> Sequence[str]:
    """Return the bases of a note in which the change adds or changes a line."""
    shown = plan.shown.get(path, ())
    cut = any(each.truncated for each in shown)
    found: list[str] = []
    added: set[int] | None = None
    for block in base_blocks(text):
        if added is None:
            added = {line for each in shown for hunk in parse_hunks(each.diff) for line, _text in hunk.added()}
        first = text.count("\n", 0, block.start) + 1
        last = text.count("\n", 0, block.end) + 1
        if cut or any(first <= line <= last for line in added):
            found.append(block.text)
    return found


class LostLink(NamedTuple):
    """A link that leads nowhere.

    Attributes:
        path: The file that it is in, if that is after the change.
        link: Its path, as it is written there.
    """

    path: str
    link: str


def lost_links(plan: ChangePlan, knowledge: Knowledge) -> list[LostLink]:
    """Return the links that lead somewhere now, and nowhere once a change is made, each as often as it is written.

    Links that the change writes itself do not count: nobody can tell whether they are meant to lead somewhere.

    Args:
        plan: The change, which is not made yet.
        knowledge: The knowledge about all notes.
    """
    moves = {each.path: each.new_path for each in plan.changes if each.kind in {ChangeKind.MOVE, ChangeKind.DELETE}}
    if not moves:
        return []
    before, after = knowledge.names, knowledge.names.moved(moves)
    for change in plan.changes:
        if change.kind is ChangeKind.CREATE:
            after.add(change.path)
    rewritten = {change.path for change in plan.changes if change.kind is ChangeKind.MODIFY}
    # What a move may break: links to what moves, and links in what moves.
    sources = {link.source for path in moves for link in knowledge.backlinks(path)}
    sources.update(path for path, new in moves.items() if new is not None)
    lost = []
    for source in sorted(sources):
        place = moves.get(source, source)
        if place is None:
            continue  # it is deleted itself
        written = set(_written(plan, place)) if place in rewritten else None
        for link in (link.linkpath for link in knowledge.links_from(source) if link.counts):
            is_there = written is None or link in written
            if is_there and before.resolve(link, source) is not None and after.resolve(link, place) is None:
                lost.append(LostLink(place, link))
    return lost


def _written(plan: ChangePlan, path: str) -> Iterator[str]:
    """Yield the links of a file as a plan leaves it."""
    data = next((plan.blobs.get(each.after or "") for each in plan.changes if each.path == path and each.after), None)
    if data is None or not is_note(path):
        return
    with suppress(TooMuchWork):  # nobody can say what such a note holds
        yield from (link.linkpath for link in _parsed(data).all_links if link.counts)


class LinksOfMove(NamedTuple):
    """The links that a move broke.

    Attributes:
        moving: The move, as the rewriting of links takes it.
        sources: The files that hold such links, sorted, each with its former path.
        links: Number of such links.
    """

    moving: Relocation
    sources: dict[str, str]
    links: int


def broken_links(effects: Iterable[Effect], knowledge: Knowledge, form: LinkFormat = "shortest") -> LinksOfMove:
    """Return the links that lead elsewhere or nowhere since files were moved, and that still need repair.

    Args:
        effects: What was done, with where each moved file is now.
        knowledge: The knowledge about all files, as they are now.
        form: How the user wants links to be written.
    """
    moves: dict[str, str | None] = {}
    undone: dict[str, str | None] = {}
    for effect in effects:
        here = knowledge.file(effect.path) is not None
        if effect.new_path is not None:
            if not here and knowledge.file(effect.new_path) is not None:
                moves[effect.path], undone[effect.new_path] = effect.new_path, effect.path
        elif effect.before is None and here:
            undone[effect.path] = None
        elif effect.after is None and not here:
            moves[effect.path], undone[effect.path] = None, effect.path
    back = {new: old for old, new in moves.items() if new is not None}
    moving = Relocation(knowledge.names.moved(undone), knowledge.names, moves, form)
    if not back:
        return LinksOfMove(moving, {}, 0)
    perhaps = {
        *knowledge.links_named({link_key(path) for pair in back.items() for path in pair}),
        *(link for new in back for link in knowledge.links_from(new)),
    }
    links = [link for link in perhaps if moving.wanted(link, back.get(link.source, link.source)) is not None]
    sources = {link.source: back.get(link.source, link.source) for link in links}
    return LinksOfMove(moving, dict(sorted(sources.items())), len(links))
