"""Links that broke because another program moved files and did not take the links along."""

from collections.abc import Iterable
from typing import NamedTuple

from bridge.index.knowledge import Knowledge
from bridge.notes.names import LinkFormat, link_key
from bridge.notes.rewriting import Relocation
from bridge.versions.states import Effect


class BrokenLinks(NamedTuple):
    """The links that a move broke.

    Attributes:
        moving: The move, as the rewriting of links takes it.
        sources: The files that hold such links, sorted, each with its former path.
        links: Number of such links.
    """

    moving: Relocation
    sources: dict[str, str]
    links: int


def broken_links(effects: Iterable[Effect], knowledge: Knowledge, form: LinkFormat = "shortest") -> BrokenLinks:
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
        return BrokenLinks(moving, {}, 0)
    perhaps = {
        *knowledge.links_named({link_key(path) for pair in back.items() for path in pair}),
        *(link for new in back for link in knowledge.links_from(new)),
    }
    links = [link for link in perhaps if moving.wanted(link, back.get(link.source, link.source)) is not None]
    sources = {link.source: back.get(link.source, link.source) for link in links}
    return BrokenLinks(moving, dict(sorted(sources.items())), len(links))
