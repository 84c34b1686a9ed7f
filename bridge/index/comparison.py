"""Obsidian's own index beside ours: where they do not say the same of a note, one of the rules is read wrongly.

Counted is what Obsidian counts: links, embeds and links in properties together, by the file they lead to or by the
path at which no file is (rule 44 of docs/obsidian.md), and tags with their duplicates, in order (rule 57). Only notes
are compared; what Obsidian counts in a canvas differs from version to version (rule 58).
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from bridge.contract.session import (
    MOST_DIFFERENCES,
    DifferenceKind,
    IndexComparison,
    IndexDifference,
    ObsidianFacts,
    UncomparedNote,
)
from bridge.index.knowledge import Knowledge
from bridge.vault.paths import nfc
from bridge.vault.text import is_note

_MILLISECOND = 1_000_000


class NoteCounts(NamedTuple):
    """The index's counts of one note, as Obsidian would count.

    Attributes:
        resolved: Number of links to each file.
        unresolved: Number of links to each path without a file.
        tags: Its tags, in order.
    """

    resolved: Counter[str]
    unresolved: Counter[str]
    tags: Sequence[str]


def counts(knowledge: Knowledge, path: str) -> NoteCounts | None:
    """Return the index's counts of a note; None if it has not been read yet."""
    note = knowledge.note(path)
    if note is None:
        return None
    resolved, unresolved = Counter[str](), Counter[str]()
    for link in knowledge.links_from(path):
        linkpath = link.linkpath
        target = knowledge.names.resolve(linkpath, path)
        if target is None:
            unresolved[linkpath] += 1
        else:
            resolved[target] += 1
    return NoteCounts(resolved, unresolved, note.tags)


def compare(
    knowledge: Knowledge,
    files: Mapping[str, ObsidianFacts],
    *,
    unsaved: Collection[str] = (),
    known: Iterable[str] | None = None,
) -> IndexComparison:
    """Compare some notes. Blocks.

    Args:
        knowledge: All of the index.
        files: What Obsidian says of each.
        unsaved: Notes that are open with text that is not on disk yet.
        known: The paths of all notes that Obsidian knows, to find those that only one of the two knows; None when
            that is not asked.
    """
    behind = [path for path in files if path not in unsaved and not _same_time(knowledge, path, files[path])]
    if behind or known is not None:
        knowledge.refresh()
    compared: list[NoteCounts] = []
    uncompared: list[UncomparedNote] = []
    differences: list[IndexDifference] = []
    for path, facts in files.items():
        if not is_note(path) or knowledge.file(path) is None:
            continue  # one that only Obsidian knows is listed with all notes, if it is no matter of moments
        ours = counts(knowledge, path)
        reason: Literal["unsaved", "changed", "unread"] | None = None
        if path in unsaved:
            reason = "unsaved"
        elif ours is None or facts.tags is None:
            reason = "unread"
        elif not _same_time(knowledge, path, facts):
            reason = "changed"
        if reason is not None:
            uncompared.append(UncomparedNote(path=path, reason=reason))
        elif ours is not None:
            compared.append(ours)
            differences += _of_note(path, facts, ours)
    if known is not None:
        differences += _known_to_one(knowledge, known)
    return IndexComparison(
        compared=len(compared),
        links=sum(ours.resolved.total() + ours.unresolved.total() for ours in compared),
        tags=sum(len(ours.tags) for ours in compared),
        differences=tuple(differences[:MOST_DIFFERENCES]),
        more=max(0, len(differences) - MOST_DIFFERENCES),
        uncompared=tuple(uncompared),
    )


def _known_to_one(knowledge: Knowledge, known: Iterable[str]) -> Iterator[IndexDifference]:
    """Yield notes that only one of the two knows."""
    theirs = {nfc(path): path for path in known}
    ours = {nfc(file.path): file.path for file in knowledge.files() if is_note(file.path)}
    for key in sorted(theirs.keys() ^ ours.keys()):
        by_obsidian = key in theirs
        path = theirs[key] if by_obsidian else ours[key]
        yield IndexDifference(path=path, kind="note", obsidian=int(by_obsidian), bridge=int(not by_obsidian))


def _same_time(knowledge: Knowledge, path: str, facts: ObsidianFacts) -> bool:
    """Return whether both read the same version of a file. Obsidian's times are rounded to milliseconds somehow."""
    file = knowledge.file(path)
    return file is not None and file.size == facts.size and abs(file.mtime_ns / _MILLISECOND - facts.mtime) <= 1


def _of_note(path: str, facts: ObsidianFacts, ours: NoteCounts) -> Iterator[IndexDifference]:
    """Yield the differences in one note."""
    yield from _between(path, "link", Counter(facts.resolved), ours.resolved)
    yield from _between(path, "unresolved", Counter(facts.unresolved), ours.unresolved)
    their_tags, our_tags = list(map(nfc, facts.tags or ())), list(map(nfc, ours.tags))
    in_tags = list(_between(path, "tag", Counter(their_tags), Counter(our_tags)))
    yield from in_tags
    if not in_tags and their_tags != our_tags:
        count = len(our_tags)
        yield IndexDifference(path=path, kind="tag_order", obsidian=count, bridge=count)


def _between(path: str, kind: DifferenceKind, theirs: Counter[str], ours: Counter[str]) -> Iterator[IndexDifference]:
    """Yield what is counted differently, by name. Names that differ in Unicode form only are the same."""
    their_names, our_names = _composed(theirs), _composed(ours)
    for name in sorted(their_names.keys() | our_names.keys()):
        if their_names[name] != our_names[name]:
            yield IndexDifference(path=path, kind=kind, target=name, obsidian=their_names[name], bridge=our_names[name])


def _composed(counted: Counter[str]) -> Counter[str]:
    composed = Counter[str]()
    for name, count in counted.items():
        composed[nfc(name)] += count
    return composed
