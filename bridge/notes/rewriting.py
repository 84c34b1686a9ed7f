"""Links follow the files and parts that they lead to: what changes in one note or canvas when those move.

Every link is resolved twice, in the vault as it is and as it will be. Only those that would lead elsewhere are
rewritten (rule 88 of docs/obsidian.md); all other text stays as it is, byte for byte. What was written is read again
before it is believed: a link that would not lead where it should is left as it was, and reported.
"""

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

from bridge.notes import syntax
from bridge.notes.canvas import node_subpaths, parse_canvas
from bridge.notes.canvas_board import CANVAS
from bridge.notes.markdown import parse_note
from bridge.notes.names import LinkFormat, Names, link_path
from bridge.notes.note import Link, LinkKind, ParsedNote, Work
from bridge.notes.parts import Outline, PartKey
from bridge.vault.paths import nfc


class Edit(NamedTuple):
    """One replacement: `text[start:end]` becomes `new`."""

    start: int
    end: int
    new: str


def apply(text: str, edits: Iterable[Edit]) -> str:
    """Return the text with every replacement made, all of them counted in the text as it was.

    Args:
        text: The text.
        edits: The replacements, which must not overlap.
    """
    pieces, place = list[str](), 0
    for edit in sorted(edits):
        pieces += text[place : edit.start], edit.new
        place = edit.end
    return "".join([*pieces, text[place:]])


def overlap(edits: Sequence[Edit]) -> bool:
    """Return whether two replacements touch the same characters."""
    ordered = sorted(edits)
    return any(first.end > second.start for first, second in pairwise(ordered))


def smallest(start: int, old: str, new: str) -> Edit:
    """Return the replacement of what differs between two texts: what they begin and end with stays.

    Args:
        start: Where the old text stands.
        old: The old text.
        new: The new text.
    """
    most = min(len(old), len(new))
    head = next((place for place in range(most) if old[place] != new[place]), most)
    tail = next((place for place in range(most - head) if old[-1 - place] != new[-1 - place]), most - head)
    return Edit(start + head, start + len(old) - tail, new[head : len(new) - tail])


def body_edits(text: str, link: Link, edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """Return the replacements in the note, for those in the link alone; none when the link is not where it should be.

    Args:
        text: The note.
        link: The link as it is, with its place.
        edits: What changes in it, counted from its beginning.
    """
    start = link.start
    if text[start : link.end] != link.original:
        return ()
    return tuple(Edit(start + edit.start, start + edit.end, edit.new) for edit in edits)


def property_edits(text: str, link: Link, edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """Return the same for a property's link, which may stand in quotes; none when its place is not clear.

    What comes of it must be read again: a block scalar that is folded, for one, may say it differently.
    """
    start, end = link.start, link.end
    if not 0 <= start < end <= len(text):
        return ()
    quote = _quote_around(text, start, end)
    raw, wanted = text[start:end], in_yaml_quotes(apply(link.original, edits), quote)
    if raw == in_yaml_quotes(link.original, quote):
        return (smallest(start, raw, wanted),)
    return (Edit(start, end, wanted),) if quote else ()


def canvas_edits(text: str, link: Link, edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """Return the same for what stands in a string of JSON."""
    wanted = json.dumps(apply(link.original, edits), ensure_ascii=False)[1:-1]
    return (smallest(link.start, text[link.start : link.end], wanted),)


def _quote_around(text: str, start: int, end: int) -> str:
    while text[start - 1 : start].isspace():
        start -= 1
    while text[end : end + 1].isspace():
        end += 1
    before = text[start - 1 : start]
    return before if before in ("'", '"') and text[end : end + 1] == before else ""


def in_yaml_quotes(value: str, quote: str) -> str:
    """Return a string as it stands in YAML between these quotes, or without any."""
    if quote == "'":
        return value.replace("'", "''")
    if quote == '"':
        return value.replace("\\", "\\\\").replace('"', '\\"')
    return value


class Resolvable(Protocol):
    """A link, as a file holds it or as the index does."""

    @property
    def kind(self) -> LinkKind:
        """Return the kind of link."""

    @property
    def original(self) -> str:
        """Return the link as written."""

    @property
    def linkpath(self) -> str:
        """Return the path to resolve."""

    @property
    def subpath(self) -> str:
        """Return the part of the file that it names."""


@dataclass(frozen=True, slots=True)
class Relocation:
    """Files that move, and what links are to follow.

    Attributes:
        before: The vault's files as they are.
        after: The vault's files as they will be.
        moves: Where each file that moves goes; None for one that goes away, whose links are left.
        form: How the user wants links to be written.
        folders: Where each folder goes that moves with all that is in it.
    """

    before: Names
    after: Names
    moves: Mapping[str, str | None]
    form: LinkFormat = "shortest"
    folders: Mapping[str, str] = field(default_factory=dict, kw_only=True)

    def place(self, path: str) -> str:
        """Return the future path of a file.

        Args:
            path: Its path now.
        """
        return self.moves.get(path) or path

    def wanted(self, link: Resolvable, source: str) -> str | None:
        """Return the file that a link must be made to lead to; None when it needs no change.

        The node of a canvas must be spelled as the file is, when that moves: it is compared with case (rule 94).

        Args:
            link: The link.
            source: The file it is in, before the move.
        """
        linkpath = link.linkpath
        now = self.before.resolve(linkpath, source) if linkpath else None
        target = self.moves.get(now, now) if now is not None else None
        if target is None or self.after.resolve(linkpath, self.place(source)) == target:
            respelled = link.kind == "node" and now in self.moves and nfc(link.original) != nfc(target or "")
            return target if respelled else None
        return target

    def subpath(self, link: Resolvable, source: str) -> str | None:
        """Return the part of that file that the link must name; when files move, the same as before.

        Args:
            link: The link.
            source: The file it is in, before the move.

        Returns:
            The subpath with `#`; None when no link can name the part.
        """
        del source
        return link.subpath


class RewrittenText(NamedTuple):
    """The result of rewriting one text.

    Attributes:
        text: The text as it will be.
        edits: The replacements in it, in order.
        links: Number of links that were rewritten.
        left: Links that should be rewritten but cannot; and those that lead to the file and not to the part.
        targets: The files that both kinds lead to, by their new paths.
    """

    text: str
    edits: tuple[Edit, ...]
    links: int
    left: tuple[Link, ...]
    targets: frozenset[str] = frozenset()


_MOST_READINGS = 64
"""Limit on readings of one text to find the links in it that cannot be written; lower for a long one."""
_MOST_READ = 50_000_000
_NOT_IN_TEXT = frozenset("`<\n\r")
_ESCAPED = re.compile(r"\\([\[\]\\])")


def rewrite(text: str, source: str, moving: Relocation) -> RewrittenText:
    """Return a note or canvas as it must be after files move, perhaps itself among them.

    Args:
        text: Its text, decoded so that it can be encoded again to the same bytes (`surrogateescape`).
        source: Its path before the move.
        moving: The move.

    Raises:
        TooMuchWork: The text is nested too deeply or holds too much.
    """
    return _Rewriter(text, source, moving).rewritten()


class _Proposal(NamedTuple):
    """One link that is to be rewritten.

    Attributes:
        target: The file it must lead to.
        subpath: The part of it that it must name.
        original: What is to be written, as the reader of the file sees it.
        edits: The replacements that do it; empty when it cannot be written.
        astray: Whether it leads to the file, but no link can name the part of it that it should.
    """

    target: str
    subpath: str
    original: str
    edits: tuple[Edit, ...]
    astray: bool = False


class _Rewriter:
    """One text with the links in it."""

    def __init__(self, text: str, path: str, moving: Relocation) -> None:
        self._text, self._path, self._moving = text, path, moving
        self._place = moving.place(path)
        self._canvas = path.lower().endswith(CANVAS)
        self._note, self._links = self._read(text)
        self._proposals: dict[int, _Proposal] = {}
        self._readings = min(_MOST_READINGS, max(4, _MOST_READ // (len(text) + 1)))

    def rewritten(self) -> RewrittenText:
        """Return the text with every link rewritten that can be."""
        for number, link in enumerate(self._links):
            target = self._moving.wanted(link, self._path)
            if target is not None:
                self._proposals[number] = self._propose(link, target)
        if not self._proposals:
            return RewrittenText(self._text, (), 0, ())
        done = self._with(set(), [number for number, proposal in self._proposals.items() if proposal.edits])
        edits = self._edits(done)
        astray = {number for number in done if self._proposals[number].astray}
        left = tuple(self._links[number] for number in sorted((self._proposals.keys() - done) | astray))
        targets = frozenset(proposal.target for proposal in self._proposals.values())
        return RewrittenText(apply(self._text, edits), edits, len(done), left, targets)

    def _read(self, text: str) -> tuple[ParsedNote, tuple[Link, ...]]:
        if self._canvas:
            return ParsedNote(), parse_canvas(text, Work.of_one_note())
        note = parse_note(text, outline=False, work=Work.of_one_note())
        return note, note.all_links

    # -- writing ------------------------------------------------------------------------------------------------

    def _propose(self, link: Link, target: str) -> _Proposal:
        subpath = self._moving.subpath(link, self._path)
        if subpath is None:
            if link.kind != "node" and self._leads(link, target):
                return _Proposal(target, link.subpath, link.original, ())
            return self._proposed(link, target, link.subpath)._replace(astray=True)
        return self._proposed(link, target, subpath)

    def _proposed(self, link: Link, target: str, subpath: str) -> _Proposal:
        if link.kind == "node":
            return self._propose_node(link, target, subpath)
        inner = self._edits_in(link, target, subpath)
        if not inner:
            return _Proposal(target, subpath, link.original, ())
        where = canvas_edits if self._canvas else property_edits if link.key else body_edits
        return _Proposal(target, subpath, apply(link.original, inner), where(self._text, link, inner))

    def _propose_node(self, link: Link, target: str, subpath: str) -> _Proposal:
        """Return a new spelling of a canvas node's file, and of its subpath, which stands apart (rule 94)."""
        edits = canvas_edits(self._text, link, (Edit(0, len(link.original), target),))
        if subpath != link.subpath:
            place = node_subpaths(self._text).get(link.start)
            if place is None:
                return _Proposal(target, subpath, target, ())
            edits += (Edit(*place, json.dumps(subpath, ensure_ascii=False)[1:-1]),)
        return _Proposal(target, subpath, target, edits)

    def _edits_in(self, link: Link, target: str, subpath: str) -> tuple[Edit, ...]:
        """Return the replacements inside one link as it is written; none when it cannot be done."""
        original = link.original
        in_markdown = syntax.markdown_link_parts if link.counts else syntax.address_parts
        parts = in_markdown(original) if link.markdown else syntax.wikilink_parts(original)
        if parts is not None and subpath != link.subpath and self._leads(link, target):
            # Only the part is another; a link to a heading of its own note never gets the file's name (rule 86).
            return (Edit(*parts.subpath, syntax.encode_subpath(subpath) if link.markdown else subpath),)
        path = self._path_to(target, markdown=link.markdown)
        if parts is None or path is None:  # a name with `#`, which no link can hold (rule 7)
            return ()
        if not link.markdown:
            if not syntax.fits_wikilink(path):
                return self._as_markdown(link, parts, target, subpath)
            part = (Edit(*parts.subpath, subpath),) if subpath != link.subpath else ()
            return (Edit(*parts.path, path), *part)
        destination = syntax.encode_destination(path, angles=parts.angles)
        edits = [Edit(*parts.path, destination)]
        if syntax.decode_destination(destination + original[slice(*parts.subpath)]) != path + subpath:
            edits.append(Edit(*parts.subpath, syntax.encode_subpath(subpath)))
        old = self._moving.before.resolve(link.linkpath, self._path) or ""
        if parts.text and (text := _renamed_text(original[slice(*parts.text)], old, target, subpath)) is not None:
            edits.append(Edit(*parts.text, text))
        return tuple(edits)

    def _as_markdown(self, link: Link, parts: syntax.LinkParts, target: str, subpath: str) -> tuple[Edit, ...]:
        """Return a wikilink as a Markdown link, because its new path cannot stand in a wikilink."""
        path = self._path_to(target, markdown=True)
        if path is None:
            return ()
        if parts.text is not None:
            text = link.original[slice(*parts.text)]
        else:
            text = _escaped(syntax.without_extension(target.rpartition("/")[2]) + _shown_part(subpath))
        destination = syntax.encode_destination(path) + syntax.encode_subpath(subpath)
        return (Edit(0, len(link.original), f"{'!' * link.embed}[{text}]({destination})"),)

    def _leads(self, link: Link, target: str) -> bool:
        """Return whether a link, as it is written, leads to a file afterwards."""
        return self._moving.after.resolve(link.linkpath, self._place) == target

    def _path_to(self, target: str, *, markdown: bool) -> str | None:
        return link_path(target, self._place, self._moving.after, self._moving.form, markdown=markdown)

    # -- reading what was written -------------------------------------------------------------------------------

    def _with(self, done: set[int], wished: Sequence[int]) -> set[int]:
        """Return what is done, with as many of the wished links as possible."""
        if not wished or not self._readings:
            return done
        self._readings -= 1
        if self._is_right(done.union(wished)):
            return done.union(wished)
        if len(wished) == 1:
            return done
        middle = len(wished) // 2
        return self._with(self._with(done, wished[:middle]), wished[middle:])

    def _is_right(self, done: Collection[int]) -> bool:
        """Return whether each of these links leads where it should, and nothing else changes its meaning."""
        edits = self._edits(done)
        if overlap(edits):
            return False
        note, links = self._read(apply(self._text, edits))
        if len(links) != len(self._links) or [tag.tag for tag in note.tags] != [tag.tag for tag in self._note.tags]:
            return False
        return all(
            self._follows(old, new, number) if number in done else _is_same(old, new)
            for number, (old, new) in enumerate(zip(self._links, links, strict=True))
        ) and _leaves(note.frontmatter) == self._expected(done)

    def _edits(self, done: Collection[int]) -> tuple[Edit, ...]:
        """Return all replacements, in order; links written in one place, through a YAML alias, are replaced once."""
        return tuple(sorted({edit for number in done for edit in self._proposals[number].edits}))

    def _follows(self, old: Link, new: Link, number: int) -> bool:
        wished = self._proposals[number]
        if (old.embed, old.key, old.kind, wished.subpath) != (new.embed, new.key, new.kind, new.subpath):
            return False
        if new.kind == "node":
            return new.original == wished.target
        return bool(new.link) and self._leads(new, wished.target)

    def _expected(self, done: Collection[int]) -> dict[str, Any]:
        """Return what the properties must be: the same, except for the links in them."""
        leaves = _leaves(self._note.frontmatter)
        for number in done:
            link = self._links[number]
            if link.key and link.key in leaves:
                leaves[link.key] = str(leaves[link.key]).replace(link.original, self._proposals[number].original)
        return leaves


def _renamed_text(text: str, old: str, new: str, subpath: str) -> str | None:
    """Return a Markdown link's new text, if it shows the name of the file that it leads to (rule 87).

    The name may be followed by the part of the file, as wikilinks show it (rule 19).
    """
    old_name, new_name = old.rpartition("/")[2], new.rpartition("/")[2]
    if _NOT_IN_TEXT & set(new_name):
        return None
    said, part = _ESCAPED.sub(r"\1", text), _shown_part(subpath)
    for before, after in (
        (old_name, new_name),
        (syntax.without_extension(old_name), syntax.without_extension(new_name)),
    ):
        if before != after and said in {before, before + part}:
            return _escaped(after + said[len(before) :])
    return None


def _shown_part(subpath: str) -> str:
    """Return the rest of a link's text, after the file's name: ` > Heading` (rule 19)."""
    return "".join(f" > {part}" for part in subpath.split("#") if part)


def _escaped(text: str) -> str:
    """Return a text as it stands between the brackets of a Markdown link."""
    return "".join("\\" + character if character in "[]\\" else character for character in text)


def _is_same(old: Link, new: Link) -> bool:
    same = (old.link, old.embed, old.markdown, old.key, old.kind)
    return same == (new.link, new.embed, new.markdown, new.key, new.kind)


def _leaves(properties: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return every value by its key, as links in properties are named: `list.0`."""
    leaves: dict[str, Any] = {}
    pending: list[tuple[str, Any]] = [("", properties)]
    while pending:
        key, value = pending.pop()
        if value and isinstance(value, Mapping | list):
            named = value.items() if isinstance(value, Mapping) else enumerate(value)
            pending.extend((f"{key}.{name}" if key else str(name), inner) for name, inner in named)
        else:
            leaves[key] = value
    return leaves


class LinkTarget(NamedTuple):
    """A file, or a part of it; the whole of it where the part is None."""

    path: str
    part: PartKey | None = None


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
