"""Links that would lead nowhere, because a change takes away the heading or block that they name.

Whatever tool makes the change, and whatever makes the heading go: that it is rewritten, removed, or no longer read as a
heading. Notes of which only links follow another change are not looked at.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Final

from bridge.errors import InvalidParameters
from bridge.index.knowledge import Knowledge, NoteFacts
from bridge.notes.markdown import parse_note
from bridge.notes.note import BlockId, ParsedNote
from bridge.notes.parts import has_part, strip_heading
from bridge.notes.reference import Reference, parse_reference
from bridge.notes.work import TooMuchWork, Work
from bridge.vault.name_folding import fold
from bridge.vault.plan import ChangeKind, ChangePlan
from bridge.vault.text import is_note

NAMED: Final = 5
"""Headings and blocks of one note that are named; the others are only counted."""
_LONGEST: Final = 80


def lost_parts(plan: ChangePlan, knowledge: Knowledge) -> Iterator[str]:
    """A sentence for each heading or block that other notes link to and that a change takes away.

    Args:
        plan: The change.
        knowledge: What is known of all notes, those that the user has closed included: only their number is told.
    """
    left = {change.new_path: change.path for change in plan.changes if change.kind is ChangeKind.MOVE}
    written = {
        left.get(change.path, change.path): plan.blobs[change.after or ""]
        for change in plan.changes
        if change.kind is ChangeKind.MODIFY and is_note(change.path)
    }
    follows = plan.follows
    for path in written:
        if path not in follows:
            with suppress(TooMuchWork):  # nobody can say what such a note holds
                yield from _lost_of(path, written, knowledge)


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
    for name, places in list(sources.items())[:NAMED]:
        notes = len(set(places))
        yield (
            f"{_counted(len(places), 'link')} in {_counted(notes, 'note')} to the {name} of {path!r} will lead nowhere"
        )
    if rest := sum(map(len, list(sources.values())[NAMED:])):
        yield f"{_counted(rest, 'more link')} to other headings and blocks of {path!r} will lead nowhere"


def _as_written(
    path: str, links: list[tuple[str, str]], written: Mapping[str, bytes], knowledge: Knowledge
) -> Iterator[tuple[str, str]]:
    """The note that each link to a note is in, and what part it names, as they are after the change."""
    for source, subpath in links:
        if source not in written:
            yield source, subpath
    for source in dict.fromkeys(source for source, _subpath in links if source in written):
        for each in _parsed(written[source]).all_links:
            if each.counts and knowledge.names.resolve(each.linkpath, source) == path:
                yield source, each.subpath


def _parsed(data: bytes) -> ParsedNote:
    return parse_note(data.decode("utf-8", "surrogateescape"), outline=False, work=Work.of_one_note())


def _reference(subpath: str) -> Reference | None:
    """What part of a note a link names; None when it names none."""
    try:
        reference = parse_reference(f"note{subpath}")
    except InvalidParameters:
        return None
    return reference if reference.part else None


def _named(reference: Reference, facts: NoteFacts) -> str:
    """What a link leads to now, as the note spells it."""
    if reference.block is not None:
        key = fold(reference.block)
        return f"block {'^' + next(name for name in facts.block_ids if fold(name) == key)!r}"
    key = strip_heading(reference.headings[-1])
    heading = next(each.heading for each in facts.headings if strip_heading(each.heading) == key)
    return f"heading {heading[:_LONGEST]!r}"


def _counted(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
