"""Links follow the files they lead to: what changes in one note or canvas when files move.

Every link is resolved twice, in the vault as it is and as it will be. Only those that would lead elsewhere are
rewritten (rule 88 of docs/obsidian.md); all other text stays as it is, byte for byte. What was written is read again
before it is believed: a link that would not lead where it should is left as it was, and reported.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from bridge.notes.canvas import FILE_KEY, parse_canvas
from bridge.notes.edits import Edit, apply, body_edits, canvas_edits, overlap, property_edits
from bridge.notes.linktext import (
    LinkFormat,
    LinkParts,
    encode_destination,
    encode_subpath,
    fits_wikilink,
    link_path,
    markdown_link_parts,
    wikilink_parts,
    without_extension,
)
from bridge.notes.markdown import parse_note
from bridge.notes.names import Names, split_link
from bridge.notes.note import Link, ParsedNote
from bridge.notes.syntax import decode_destination


@dataclass(frozen=True, slots=True)
class Relocation:
    """Files that move, and what links are to follow.

    Attributes:
        before: The vault's files as they are.
        after: The vault's files as they will be.
        moves: Where each file that moves goes; None for one that goes away, whose links are left.
        form: How the user wants links to be written.
    """

    before: Names
    after: Names
    moves: Mapping[str, str | None]
    form: LinkFormat = "shortest"

    def place(self, path: str) -> str:
        """Where a file will be.

        Args:
            path: Where it is.
        """
        return self.moves.get(path) or path

    def wanted(self, linkpath: str, source: str) -> str | None:
        """The file that a link must be made to lead to; None when it needs no change.

        Args:
            linkpath: The link without its subpath, decoded.
            source: The file it is in, before the move.
        """
        now = self.before.resolve(linkpath, source) if linkpath else None
        target = self.moves.get(now, now) if now is not None else None
        if target is None or self.after.resolve(linkpath, self.place(source)) == target:
            return None
        return target


class RewrittenText(NamedTuple):
    """What becomes of one text.

    Attributes:
        text: The text as it will be.
        edits: What is replaced in it, in order.
        links: How many links are rewritten.
        left: Links that would have to be but cannot, as they are written.
    """

    text: str
    edits: tuple[Edit, ...]
    links: int
    left: tuple[str, ...]


CANVAS = ".canvas"

_MOST_READINGS = 64
"""How often one text is read again to find the links in it that cannot be written; a long one less often."""
_MOST_READ = 50_000_000
_NOT_IN_TEXT = frozenset("[]\\`<\n\r")


def rewrite(text: str, source: str, moving: Relocation) -> RewrittenText:
    """What becomes of a note or canvas when files move, itself perhaps among them.

    Args:
        text: Its text, decoded so that it can be encoded again to the same bytes (`surrogateescape`).
        source: Where it is before the move.
        moving: What moves.
    """
    return _Rewriter(text, source, moving).rewritten()


class _Proposal(NamedTuple):
    """One link that is to be rewritten.

    Attributes:
        target: The file it must lead to.
        original: What is to be written, as the reader of the file sees it.
        edits: The replacements that do it; empty when it cannot be written.
    """

    target: str
    original: str
    edits: tuple[Edit, ...]


class _Rewriter:
    """One text with the links in it."""

    def __init__(self, text: str, path: str, moving: Relocation) -> None:
        self._text = text
        self._path = path
        self._place = moving.place(path)
        self._moving = moving
        self._canvas = path.lower().endswith(CANVAS)
        self._note = self._read(text)
        self._links = self._of(text, self._note)
        self._proposals: dict[int, _Proposal] = {}
        self._readings = min(_MOST_READINGS, max(4, _MOST_READ // (len(text) + 1)))

    def rewritten(self) -> RewrittenText:
        """The text with every link rewritten that can be."""
        for number, link in enumerate(self._links):
            target = self._moving.wanted(self._linkpath(link), self._path)
            if target is not None:
                self._proposals[number] = self._propose(link, target)
        if not self._proposals:
            return RewrittenText(self._text, (), 0, ())
        done = self._with(set(), [number for number, proposal in self._proposals.items() if proposal.edits])
        edits = self._edits(done)
        left = tuple(self._links[number].original for number in sorted(self._proposals.keys() - done))
        return RewrittenText(apply(self._text, edits), edits, len(done), left)

    def _read(self, text: str) -> ParsedNote:
        return ParsedNote() if self._canvas else parse_note(text, outline=False)

    def _of(self, text: str, note: ParsedNote) -> tuple[Link, ...]:
        return parse_canvas(text) if self._canvas else note.all_links

    def _linkpath(self, link: Link) -> str:
        """What a link is resolved by. A canvas' node names a whole path, in which `#` has no meaning (rule 94)."""
        return "/" + link.original if self._names_path(link) else split_link(link.link)[0]

    def _names_path(self, link: Link) -> bool:
        return self._canvas and link.key == FILE_KEY

    # -- writing ------------------------------------------------------------------------------------------------

    def _propose(self, link: Link, target: str) -> _Proposal:
        if self._names_path(link):
            inner: tuple[Edit, ...] = (Edit(0, len(link.original), target),)
        else:
            inner = self._edits_in(link, target)
        if not inner:
            return _Proposal(target, link.original, ())
        where = canvas_edits if self._canvas else property_edits if link.key else body_edits
        return _Proposal(target, apply(link.original, inner), where(self._text, link, inner))

    def _edits_in(self, link: Link, target: str) -> tuple[Edit, ...]:
        """The replacements inside one link as it is written; none when it cannot be done."""
        original = link.original
        parts = markdown_link_parts(original) if link.markdown else wikilink_parts(original)
        path = self._path_to(target, markdown=link.markdown)
        if parts is None or path is None or "#" in path:  # which no link can hold (rule 7)
            return ()
        if not link.markdown:
            return (Edit(*parts.path, path),) if fits_wikilink(path) else self._as_markdown(link, parts, target)
        destination = encode_destination(path, angles=parts.angles)
        edits = [Edit(*parts.path, destination)]
        subpath = split_link(link.link)[1]
        if decode_destination(destination + original[slice(*parts.subpath)]) != path + subpath:
            edits.append(Edit(*parts.subpath, encode_subpath(subpath)))
        old = self._moving.before.resolve(split_link(link.link)[0], self._path) or ""
        text = None if parts.text is None else _renamed_text(original[slice(*parts.text)], old, target)
        if text is not None and parts.text is not None:
            edits.append(Edit(*parts.text, text))
        return tuple(edits)

    def _as_markdown(self, link: Link, parts: LinkParts, target: str) -> tuple[Edit, ...]:
        """A wikilink as a Markdown link, because its new path cannot stand in a wikilink."""
        path = self._path_to(target, markdown=True)
        if path is None:
            return ()
        subpath = split_link(link.link)[1]
        if parts.text is not None:
            text = link.original[slice(*parts.text)]
        else:
            names = [without_extension(target.rpartition("/")[2]), *filter(None, subpath.split("#"))]
            text = "".join("\\" + character if character in "[]\\" else character for character in " > ".join(names))
        destination = encode_destination(path) + encode_subpath(subpath)
        return (Edit(0, len(link.original), f"{'!' * link.embed}[{text}]({destination})"),)

    def _path_to(self, target: str, *, markdown: bool) -> str | None:
        return link_path(target, self._place, self._moving.after, self._moving.form, markdown=markdown)

    # -- reading what was written -------------------------------------------------------------------------------

    def _with(self, done: set[int], wished: Sequence[int]) -> set[int]:
        """What is done, and as much of what is wished as can be."""
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
        """Whether each of these links leads where it should, and nothing else means anything else than before."""
        edits = self._edits(done)
        if overlap(edits):
            return False
        text = apply(self._text, edits)
        note = self._read(text)
        links = self._of(text, note)
        if len(links) != len(self._links) or [tag.tag for tag in note.tags] != [tag.tag for tag in self._note.tags]:
            return False
        for number, (old, new) in enumerate(zip(self._links, links, strict=True)):
            if not (self._follows(old, new, number) if number in done else _is_same(old, new)):
                return False
        return _leaves(note.frontmatter) == self._expected(done)

    def _edits(self, done: Collection[int]) -> tuple[Edit, ...]:
        """All replacements, in order; links that are written at one place, by an alias of YAML, are replaced once."""
        return tuple(sorted({edit for number in done for edit in self._proposals[number].edits}))

    def _follows(self, old: Link, new: Link, number: int) -> bool:
        target = self._proposals[number].target
        if (old.embed, old.key) != (new.embed, new.key):
            return False
        if self._names_path(new):
            return new.original == target
        path, subpath = split_link(new.link)
        leads = self._moving.after.resolve(path, self._place) if path else None
        return leads == target and subpath == split_link(old.link)[1]

    def _expected(self, done: Collection[int]) -> dict[str, Any]:
        """What the properties must be: as before, but for the links in them."""
        leaves = _leaves(self._note.frontmatter)
        for number in done:
            link = self._links[number]
            if link.key and link.key in leaves:
                leaves[link.key] = str(leaves[link.key]).replace(link.original, self._proposals[number].original)
        return leaves


def _renamed_text(text: str, old: str, new: str) -> str | None:
    """What a Markdown link says instead, when it says the name of the file that it leads to (rule 87)."""
    old_name, new_name = old.rpartition("/")[2], new.rpartition("/")[2]
    if old_name == new_name or _NOT_IN_TEXT & set(new_name):
        return None
    if text == old_name:
        return new_name
    return without_extension(new_name) if text == without_extension(old_name) != without_extension(new_name) else None


def _is_same(old: Link, new: Link) -> bool:
    return (old.link, old.embed, old.markdown, old.key) == (new.link, new.embed, new.markdown, new.key)


def _leaves(properties: Mapping[str, Any] | None) -> dict[str, Any]:
    """Every value by its key, as links in properties are named: `list.0`."""
    leaves: dict[str, Any] = {}
    pending: list[tuple[str, Any]] = [("", properties)]
    while pending:
        key, value = pending.pop()
        before = key + "." if key else ""
        if isinstance(value, Mapping) and value:
            pending.extend((f"{before}{name}", inner) for name, inner in value.items())
        elif isinstance(value, list) and value:
            pending.extend((f"{before}{number}", inner) for number, inner in enumerate(value))
        else:
            leaves[key] = value
    return leaves
