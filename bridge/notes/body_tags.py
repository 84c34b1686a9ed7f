"""Tags in the text of a note: added at its end, or removed, without changing what else the text says."""

import re
from collections.abc import Sequence

from bridge.errors import InvalidParameters
from bridge.notes.markdown import parse_note
from bridge.notes.note import ParsedNote, Tag
from bridge.notes.work import Work
from bridge.vault.paths import fold

_WORD = re.compile(r"\w")


def tag_places(note: ParsedNote, tag: str) -> Sequence[Tag]:
    """Return where a tag occurs in a note's text; nested tags are others.

    Args:
        note: The parsed note.
        tag: The tag, without `#`.
    """
    return [each for each in note.tags if fold(each.tag.removeprefix("#")) == fold(tag)]


def append_tag(text: str, tag: str) -> str:
    """Return the note with a tag at its end: in a last line of tags, else in a paragraph of its own.

    Args:
        text: The whole note.
        tag: The tag, without `#`.

    Raises:
        InvalidParameters: The text ends with something that would swallow it, such as a code block left open.
    """
    ending = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
    body = text.rstrip(" \t\r\n")
    last = body[body.rfind("\n") + 1 :].split()
    before = parse_note(text, work=Work.of_one_note())
    if last and all(f"#{word.removeprefix('#')}" == word for word in last) and _are_tags(before, body, last):
        added = f"{body} #{tag}{text[len(body) :]}"
    else:
        kept = text if text.endswith("\n") or not text else text + ending
        gap = ending if body and not kept.endswith(ending * 2) else ""
        added = f"{kept}{gap}#{tag}{ending}"
    after = parse_note(added, work=Work.of_one_note())
    if [each.tag for each in after.tags] != [*(each.tag for each in before.tags), f"#{tag}"] or not _alike(
        before, after
    ):
        raise _refused("its text ends with something that the tag would become a part of")
    return added


def remove_tags(text: str, tag: str) -> str:
    """Return the note without a tag in its text; the same text when it is not there.

    A line that held nothing else is removed with it; otherwise one space beside the tag is.

    Args:
        text: The whole note.
        tag: The tag, without `#`.

    Raises:
        InvalidParameters: Without it the text would say something else.
    """
    before = parse_note(text, work=Work.of_one_note())
    places = tag_places(before, tag)
    if not places:
        return text
    pieces: list[str] = []
    at = 0
    for place in places:
        start, end = _cut(text, place, at)
        pieces.append(text[at:start])
        at = end
    removed = "".join([*pieces, text[at:]])
    after = parse_note(removed, work=Work.of_one_note())
    gone = {place.start for place in places}
    left = [each.tag for each in before.tags if each.start not in gone]
    if [each.tag for each in after.tags] != left or not _alike(before, after):
        raise _refused(f"without #{tag} its text would say something else")
    return removed


def _cut(text: str, place: Tag, after: int) -> tuple[int, int]:
    """Return the range to remove with a tag: its whole line, or one space next to it, or the tag alone."""
    start = max(text.rfind("\n", 0, place.start) + 1, after)
    found = text.find("\n", place.end)
    end = len(text) if found < 0 else found + 1
    before, behind = text[start : place.start], text[place.end : end]
    if not before.strip() and not behind.strip():
        return start, end
    spaced = before.endswith((" ", "\t"))
    if spaced and not behind[:1].strip() and (behind.strip() or _WORD.search(before)):
        return place.start - 1, place.end
    return place.start, place.end + (not spaced and behind.startswith((" ", "\t")))


def _are_tags(note: ParsedNote, body: str, words: Sequence[str]) -> bool:
    """Return whether the last line's words are tags to Obsidian too."""
    start = body.rfind("\n") + 1
    return [each.tag for each in note.tags if each.start >= start] == list(words)


def _alike(before: ParsedNote, after: ParsedNote) -> bool:
    """Return whether two texts have the same properties, links, headings (except tags in them) and blocks."""
    return (
        before.frontmatter == after.frontmatter
        and [link.original for link in before.all_links] == [link.original for link in after.all_links]
        and [heading.level for heading in before.headings] == [heading.level for heading in after.headings]
        and [block.id for block in before.blocks] == [block.id for block in after.blocks]
    )


def _refused(why: str) -> InvalidParameters:
    return InvalidParameters(f"The note's text was left as it is: {why}. Edit it by hand, or with apply_patch")
