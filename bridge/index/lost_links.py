"""Links that lead nowhere once a change is made that moves or deletes files and makes no link follow."""

from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from bridge.index.knowledge import Knowledge
from bridge.notes.markdown import parse_note
from bridge.notes.note import TooMuchWork, Work
from bridge.vault.plan import ChangeKind, ChangePlan
from bridge.vault.text import is_note


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
    moves: dict[str, str | None] = {}
    for change in plan.changes:
        if change.kind in {ChangeKind.MOVE, ChangeKind.DELETE}:
            moves[change.path] = change.new_path
    if not moves:
        return []
    before, after = knowledge.names, knowledge.names.moved(moves)
    for change in plan.changes:
        if change.kind is ChangeKind.CREATE:
            after.add(change.path)
    rewritten = {change.path for change in plan.changes if change.kind is ChangeKind.MODIFY}
    lost = []
    for source in sorted(_sources(moves, knowledge)):
        place = moves.get(source, source)
        if place is None:
            continue  # it is deleted itself
        written = set(_written(plan, place)) if place in rewritten else None
        for link in _links(source, knowledge):
            is_there = written is None or link in written
            if is_there and before.resolve(link, source) is not None and after.resolve(link, place) is None:
                lost.append(LostLink(place, link))
    return lost


def _sources(moves: dict[str, str | None], knowledge: Knowledge) -> set[str]:
    """Return the files with links that a move may break: to what moves, and in what moves."""
    leading = {link.source for path in moves for link in knowledge.backlinks(path)}
    return leading | {path for path, new in moves.items() if new is not None}


def _links(source: str, knowledge: Knowledge) -> Iterator[str]:
    return (link.linkpath for link in knowledge.links_from(source) if link.counts)


def _written(plan: ChangePlan, path: str) -> Iterator[str]:
    """Yield the links of a file as a plan leaves it."""
    data = next((plan.blobs.get(each.after or "") for each in plan.changes if each.path == path and each.after), None)
    if data is None or not is_note(path):
        return
    with suppress(TooMuchWork):  # nobody can say what such a note holds
        note = parse_note(data.decode("utf-8", "surrogateescape"), outline=False, work=Work.of_one_note())
        yield from (link.linkpath for link in note.all_links if link.counts)
