"""Whether a change to a note only adds: nothing that is there is changed, lost, hidden or read as something else.

What is allowed for additions holds for such changes and no others, so everything that is not understood for certain
counts as more than an addition.

Obsidian reads a line by what stands around it: a fence, a comment or an underline further up makes code, nothing or a
heading of text that did not change. So it is not enough that every old line is still there. The note is parsed before
and after, and every section, list item, heading, link, tag and block id must be found again, at the same line, of the
same kind, with the same text, under the same heading.
"""

from bridge.contract.consent import Addition
from bridge.notes.added_properties import added_properties, may_load
from bridge.notes.added_text import adds_text
from bridge.notes.frontmatter import find_frontmatter
from bridge.vault.file_types import is_note
from bridge.vault.plan import is_hidden

MOST_BYTES = 1 << 18
"""A note of more bytes is not judged: that would take longer than planning its change. Nor is a new file of more."""


def judge(path: str, old: bytes | None, new: bytes) -> frozenset[Addition] | None:
    """What a change to a file adds, when it does nothing else.

    Args:
        path: The file. Only notes can be added to.
        old: Its bytes now; None when it is created.
        new: Its bytes afterwards.

    Returns:
        The kinds of what is added; None when the change does anything else, or may do.
    """
    if is_hidden(path) or max(len(old or b""), len(new)) > MOST_BYTES:
        return None
    return _created(path, new) if old is None else _added(path, old, new)


def _created(path: str, new: bytes) -> frozenset[Addition] | None:
    loads = is_note(path) and may_load(new.decode(errors="replace"))
    return None if loads else frozenset({Addition.CREATE})


def _added(path: str, old: bytes, new: bytes) -> frozenset[Addition] | None:
    if not is_note(path) or b"\0" in new:
        return None
    try:
        before, after = old.decode(), new.decode()
    except UnicodeDecodeError:
        return None
    if before.startswith("\ufeff") != after.startswith("\ufeff"):
        return None
    found = added_properties(before, find_frontmatter(before), after, find_frontmatter(after))
    if found is None:
        return None
    text = adds_text(before, after)
    if text is None:
        return None
    return (found | {Addition.APPEND} if text else found) or None
