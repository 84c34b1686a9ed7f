"""Texts put together: the line ending that prevails, the space between, and what must come of it."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import count

from bridge.errors import Conflict
from bridge.notes.frontmatter import find_frontmatter
from bridge.notes.markdown import parse_note
from bridge.notes.note import ParsedNote, Work
from bridge.notes.rewriting import Edit, apply
from bridge.vault.paths import fold
from bridge.vault.text import prevailing_ending


def ending_of(text: str) -> str:
    """Return the line ending that prevails in a text."""
    head = text[:100_000].encode("utf-8", "surrogatepass")
    return (prevailing_ending(head, 0, len(head)) or b"\n").decode()


def with_ending(text: str, ending: str) -> str:
    """Return a text with this line ending throughout."""
    return text.replace("\r\n", "\n").replace("\n", ending)


def body_of(text: str) -> str:
    """Return a note without its properties, blank lines at both ends and the ending of its last line."""
    block = find_frontmatter(text)
    lines = (text[block.end :] if block else text.removeprefix("\ufeff")).split("\n")
    while lines and not lines[0].strip():
        del lines[0]
    while lines and not lines[-1].strip():
        del lines[-1]
    return "\n".join(lines).removesuffix("\r")


def appended(text: str, added: str, ending: str) -> str:
    """Return a text with another one below it, one blank line between.

    Args:
        text: The first.
        added: The second, without blank lines at its ends.
        ending: The line ending of the first.
    """
    if not added:
        return text
    last = text.rstrip(" \t\r\n")
    gap = ending * 2 if last and not text.endswith("\n") else "" if not last else ending
    if last and text[len(last) :].count("\n") > 1:
        gap = ""
    return f"{text}{gap}{with_ending(added, ending)}{ending}"


def parsed(text: str) -> ParsedNote:
    """Return the content of a note, as far as one note may take work."""
    return parse_note(text, outline=False, work=Work.of_one_note())


def check_joined(whole: ParsedNote, parts: Sequence[ParsedNote], what: str) -> None:
    """Refuse to join texts if one would be read differently than by itself, as below a code block that is left open.

    Args:
        whole: All of them together, parsed.
        parts: Each by itself, in order.
        what: Whose text it is, for people.

    Raises:
        Conflict: Headings, tags, blocks or links would be different.
    """
    if _said([whole]) != _said(parts):
        raise Conflict(
            f"{what} would be read differently than now, because a code block, comment or the like is left open before "
            "it; nothing was planned. Close that first",
            code="no_match",
        )


def _said(notes: Sequence[ParsedNote]) -> tuple[list[tuple[int, str]], list[str], list[str], list[str]]:
    """Return the content of several notes together."""
    return (
        [(each.level, each.heading) for note in notes for each in note.headings],
        [each.tag for note in notes for each in note.tags],
        [each.id for note in notes for each in note.blocks],
        [each.original for note in notes for each in note.all_links if not each.key],
    )


def with_blocks(text: str, ids: Mapping[str, str]) -> str:
    """Return a note in which some blocks have other ids.

    Args:
        text: The note.
        ids: The new id of each, by the old one, folded; those that stay are passed over.
    """
    edits = []
    for block in parsed(text).blocks:
        new = ids.get(fold(block.id), fold(block.id))
        if new != fold(block.id):
            mark = f"^{block.id}"
            start = text.rfind(mark, block.start, block.end)
            start = text.find(mark, block.end) if start < 0 else start  # on a line of its own below a list or table
            edits.append(Edit(start + 1, start + 1 + len(block.id), new))
    return apply(text, edits)


def free_block(block: str, taken: AbstractSet[str]) -> str:
    """Return a block's id, or a similar one, that no other block has.

    Args:
        block: The id.
        taken: Those that are taken.
    """
    names = (block if number == 1 else f"{block}-{number}" for number in count(1))
    return next(name for name in names if name not in taken)
