"""Text that is put below a heading of a note, or at its end."""

from collections import Counter

from bridge.errors import Conflict
from bridge.notes.markdown import parse_note
from bridge.notes.note import Work
from bridge.notes.parts import Outline
from bridge.tools.everyday.rename_heading import heading_number
from bridge.tools.joining import appended, ending_of, parsed, with_ending


def with_text_below(text: str, path: str, added: str, heading: str | None) -> str:
    """Return a note with more text, in lines of its own.

    A list goes on where the section ends with one; other text begins a paragraph of its own.

    Args:
        text: The note.
        path: Where it is, for failures.
        added: The text.
        heading: The heading below which it goes; None for the end of the note.

    Raises:
        NotFound: The note has no such heading.
        Ambiguous: It has several.
        Conflict: The text, or what follows it, would be read otherwise than by itself.
    """
    ending, note = ending_of(text or added), parsed(text)
    end = len(text)
    if heading is not None:
        stop = Outline.of(note).section_end(heading_number(text, path, heading))
        end = len(text) if stop >= len(note.headings) else text.rfind("\n", 0, note.headings[stop].start) + 1
    head, tail = text[:end], text[end:]
    body = head.rstrip(" \t\r\n")
    new = added.strip("\r\n")
    if _goes_on(body, new):
        kept = head if not tail else head[: len(body)]
        kept = kept if kept.endswith("\n") else kept + ending
        joined = f"{kept.rstrip(' ')}{with_ending(new, ending)}{ending}"
    else:
        joined = appended(head if not tail else body + ending, new, ending)
    whole = joined + (ending + tail if tail else "")
    if _said(whole) != _said(text) + _said(f"\n{new}"):
        raise Conflict(
            f"What is added to {path!r} would be read otherwise there, or what follows it, because a code block, "
            "comment or the like is left open; nothing was planned. Close that first, or name another heading",
            code="no_match",
        )
    return whole


def _said(text: str) -> Counter[str]:
    """Return the content of a note, in any order: its headings, tags, blocks, links and tasks."""
    note = parse_note(text, work=Work.of_one_note())
    return Counter(
        [
            *(f"h {each.level} {each.heading}" for each in note.headings),
            *(each.tag for each in note.tags),
            *(f"^{each.id}" for each in note.blocks),
            *(each.original for each in note.all_links),
            *(f"task {each.task}" for each in note.list_items if each.task is not None),
        ]
    )


def _goes_on(body: str, added: str) -> bool:
    """Return whether both are lists, so that one continues in the other."""
    last = body[body.rfind("\n") + 1 :]
    return _is_item(last) and _is_item(added)


def _is_item(line: str) -> bool:
    return line.lstrip().startswith(("- ", "* ", "+ "))
