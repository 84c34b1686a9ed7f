"""Links follow the parts of notes that they name: when a heading is renamed, and when text goes into another note."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from bridge.notes.outline import Outline, Part
from bridge.notes.rewriting import Relocation, Resolvable


class LinkTarget(NamedTuple):
    """A file, or a part of it; the whole of it where the part is None."""

    path: str
    part: Part | None = None


@dataclass(frozen=True)
class Redirection(Relocation):
    """Parts of notes that get another name or another note, and what links are to follow.

    Every link is resolved twice, in the notes as they are and as they will be, with the part that it names. Only those
    that would lead elsewhere are rewritten.

    Attributes:
        outlines: The notes that change, as they are.
        outlines_after: The notes that change, as they will be, by where they are then.
        parts: Where each of their parts goes, as far as it goes anywhere; and the whole of a note, for links that name
            no part.
        here: Where the text that is being rewritten will be, if not in its own file: the text of a note that goes into
            another one.
    """

    outlines: Mapping[str, Outline] = field(default_factory=dict)
    outlines_after: Mapping[str, Outline] = field(default_factory=dict)
    parts: Mapping[LinkTarget, LinkTarget] = field(default_factory=dict)
    here: Mapping[str, str] = field(default_factory=dict)

    def place(self, path: str) -> str:
        """Return the future path of a file, or of its text that is being rewritten."""
        return self.here.get(path) or super().place(path)

    def wanted(self, link: Resolvable, source: str) -> str | None:
        """Return the file that a link must be made to lead to; None when it needs no change."""
        now = self.before.resolve(link.linkpath, source)
        if now is None or now not in self.outlines:
            return super().wanted(link, source)
        goal, subpath = self._goal(link, now)
        leads = self.after.resolve(link.linkpath, self.place(source)) == goal.path
        if link.kind == "node":
            leads = now == goal.path
        return None if leads and subpath == link.subpath else goal.path

    def subpath(self, link: Resolvable, source: str) -> str | None:
        """Return the part of that file that the link must name; None when no link can."""
        now = self.before.resolve(link.linkpath, source)
        return link.subpath if now is None or now not in self.outlines else self._goal(link, now)[1]

    def _goal(self, link: Resolvable, now: str) -> tuple[LinkTarget, str | None]:
        """Return the place that a link must lead to, and its new subpath; None if none can be written."""
        outline, subpath = self.outlines[now], link.subpath
        part = outline.find(subpath)
        stays = LinkTarget(self.moves.get(now, now) or now, part)
        goal = self.parts.get(LinkTarget(now, part), stays)
        if part is None and (subpath or link.kind == "node"):
            return stays, subpath  # of a part that is not there nobody knows where it goes
        if goal.part is None:
            return goal, subpath
        after = self.outlines_after[goal.path]
        if part is not None and after.find(subpath) == goal.part:
            return goal, subpath
        names = [name for name in subpath.split("#") if name.strip()]
        like = [self.parts.get(LinkTarget(now, each), LinkTarget(now, each)) for each in outline.chain(names)]
        kept = [each.part for each in like if each.path == goal.path and isinstance(each.part, int)]
        return goal, after.subpath(goal.part, kept)
