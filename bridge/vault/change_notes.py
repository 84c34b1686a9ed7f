"""What the diff of one file does not show at a glance, in a sentence: what is not text, and what nobody sees."""

from collections.abc import Callable
from typing import Final

from bridge.vault.diff import Diff, parse_hunks
from bridge.vault.misleading_characters import without_hidden_characters
from bridge.vault.text import BOM, describe_binary, is_text

_UNSEEN: Final[dict[str, Callable[[str], str]]] = {
    "line endings": lambda line: line.removesuffix("\r"),
    "spaces at the ends of lines": lambda line: _inside(line, lambda text: text.rstrip(" \t")),
    "characters that cannot be seen": lambda line: _inside(line, without_hidden_characters),
}


def change_note(path: str, old: bytes | None, new: bytes | None, shown: Diff) -> str:
    """The sentence for one file's change; empty when the diff says it all.

    Args:
        path: The file.
        old: Its bytes before; None when there are none.
        new: Its bytes after; None when there are none.
        shown: Its diff.
    """
    if old is not None and not is_text(old):
        return lost_note(binary_kind(path, old, len(old)), deleted=new is None)
    if new is not None and not is_text(new):
        return f"The file becomes {binary_kind(path, new, len(new))}, which cannot be shown as text"
    if old is None or new is None or shown.truncated or shown.added != shown.removed:
        return ""
    unseen = _unseen(old, new, shown.text)
    return f"Nothing that can be read changes, only {' and '.join(unseen)}" if unseen else ""


def binary_kind(path: str, head: bytes, size: int) -> str:
    """What a file is that is not text, and how large.

    Args:
        path: The file.
        head: Its first bytes.
        size: All its bytes.
    """
    return f"{describe_binary(head, path)[0]} ({size:,} bytes)"


def lost_note(kind: str, *, deleted: bool) -> str:
    """What is said of a file that is lost and was not text.

    Args:
        kind: What it was, as `binary_kind` says it.
        deleted: Whether the file goes; else it gets other content.
    """
    return f"What is {'deleted' if deleted else 'replaced'} is no text and cannot be shown: {kind}"


def _unseen(old: bytes, new: bytes, diff: str) -> list[str]:
    """What alone makes the removed lines of a diff differ from the added ones; nothing when words do."""
    hunks = [list(hunk.lines()) for hunk in parse_hunks(diff)]
    removed, added = ([line for lines in hunks for sign, line in lines if sign == side] for side in "-+")
    found: list[str] = []
    if not removed:
        return found
    if old.startswith(BOM) != new.startswith(BOM):
        found.append("the byte order mark at the beginning")
        removed[0], added[0] = removed[0].removeprefix("\ufeff"), added[0].removeprefix("\ufeff")
    if old.endswith(b"\n") != new.endswith(b"\n"):
        found.append("the line break at the end")
        removed[-1], added[-1] = (line.removesuffix("\n").removesuffix("\r") for line in (removed[-1], added[-1]))
    pairs = [(one.removesuffix("\n"), other.removesuffix("\n")) for one, other in zip(removed, added, strict=True)]
    if any(_without(one) != _without(other) for one, other in pairs):
        return []
    return found + [
        name for name in _UNSEEN if any(_without(one, name) != _without(other, name) for one, other in pairs)
    ]


def _without(line: str, but: str = "") -> str:
    """A line without what nobody sees, but for one kind of it."""
    for name, remove in _UNSEEN.items():
        if name != but:
            line = remove(line)
    return line


def _inside(line: str, change: Callable[[str], str]) -> str:
    """A line that is changed but for its ending."""
    text = line.removesuffix("\r")
    return change(text) + line[len(text) :]
