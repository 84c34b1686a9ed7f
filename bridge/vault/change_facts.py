"""The parts of a diff that are easily overlooked, in words: links, properties, binary content, invisible characters."""

import re
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Final

from bridge.vault.diff import Diff, DiffHunk, parse_hunks
from bridge.vault.text import BOM, describe_binary, is_text, without_hidden_characters

MOST_FACTS: Final = 30
"""A change with more facts than this is a rewrite; the diff says it better."""
_LONGEST: Final = 40_000
"""Characters of lines that follow each other beyond which no links are looked for in them."""
_WIKILINK: Final = re.compile(r"\[\[([^\[\]|\n]{1,500})(?:\|([^\[\]\n]{0,500}))?\]\]")
_MARKDOWN_LINK: Final = re.compile(r"\[([^\[\]\n]{0,500})\]\(<?([^()<>\n]{1,2000})>?\)")
_PROPERTY: Final = re.compile(r"(\w[^:#\n]{0,200}?):(?:\s+(.*))?")

Fact = tuple[str, ...]
"""A sentence in pieces: words of ours and text of the note in turns."""
_Row = tuple[str, str]
"""A line of a diff: its sign and its text."""
_Link = tuple[str, str]
"""A link: its target, and the words that stand for it."""
_Pair = tuple[_Link, _Link]
_UNSEEN: Final[dict[str, Callable[[str], str]]] = {
    "line endings": lambda line: line.removesuffix("\r"),
    "spaces at the ends of lines": lambda line: _inside(line, lambda text: text.rstrip(" \t")),
    "characters that cannot be seen": lambda line: _inside(line, without_hidden_characters),
}


def change_facts(diff: str) -> tuple[tuple[Fact, ...], int]:
    """Return what a diff does to links and properties, and how many links lead elsewhere after it.

    Args:
        diff: A unified diff, whole.

    Returns:
        The facts, none where there are too many; and the links, 0 where not each of them has one that it came from.
    """
    facts: list[Fact] = []
    moved = gone = come = 0
    for hunk in parse_hunks(diff):
        rows = [(sign, line.rstrip("\r\n")) for sign, line in hunk.lines()]
        properties = _properties(hunk, rows)
        for removed, added in _blocks(rows):
            before, after = (
                {name: value for at in side if (pair := properties.get(at)) for name, value in [pair]}
                for side in (removed, added)
            )
            facts += _property_facts(before, after)
            turned, lost, new = _links("\n".join(rows[at][1] for at in removed), "\n".join(rows[at][1] for at in added))
            facts += [("Link now points to ", to, " instead of ", was) for was, to in turned]
            facts += [("Link to ", target, " removed") for target in lost]
            facts += [("New link to ", target) for target in new]
            moved, gone, come = moved + len(turned), gone + len(lost), come + len(new)
            if len(facts) > MOST_FACTS:
                return (), 0
    return tuple(facts), moved + come if come == gone else 0


def _blocks(rows: Sequence[_Row]) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the places of removed lines, with those of the added lines that follow; one of both may be empty."""
    for changed, group in groupby(enumerate(rows), lambda row: row[1][0] in "+-"):
        removed: list[int] = []
        added: list[int] = []
        for at, (sign, _text) in group if changed else ():
            if sign == "-" and added:
                yield removed, added
                removed, added = [], []
            (removed if sign == "-" else added).append(at)
        if removed or added:
            yield removed, added


def _links(before: str, after: str) -> tuple[list[tuple[str, str]], list[str], list[str]]:
    """Return the links that lead elsewhere, those that go and those that come; one that only moves is none of them."""
    _kept, gone, come = _paired(_links_of(before), _links_of(after), by=0)
    if len(gone) == len(come) == 1:  # there is nothing else that it could lead to now
        return [(gone[0][0], come[0][0])], [], []
    turned, lost, new = _paired(gone, come, by=1)
    return [(was[0], now[0]) for was, now in turned], [target for target, _ in lost], [target for target, _ in new]


def _paired(gone: list[_Link], come: list[_Link], *, by: int) -> tuple[list[_Pair], list[_Link], list[_Link]]:
    """Return the links on both sides that have the target (0) or the words (1) in common, and the rest of each side."""
    waiting: dict[str, deque[int]] = defaultdict(deque)
    for number, link in enumerate(come):
        waiting[link[by]].append(number)
    pairs: list[_Pair] = []
    rest: list[_Link] = []
    taken: set[int] = set()
    for link in gone:
        if same := waiting[link[by]]:
            taken.add(same[0])
            pairs.append((link, come[same.popleft()]))
        else:
            rest.append(link)
    return pairs, rest, [link for number, link in enumerate(come) if number not in taken]


def _links_of(text: str) -> list[_Link]:
    """Return each link with the words that stand for it."""
    if "[" not in text or len(text) > _LONGEST:
        return []
    wiki = [(found[1], found[2] or found[1]) for found in _WIKILINK.finditer(text)]
    return [*wiki, *((found[2], found[1]) for found in _MARKDOWN_LINK.finditer(text))]


def _property_facts(before: dict[str, str], after: dict[str, str]) -> Iterator[Fact]:
    for name, value in before.items():
        if name not in after:
            yield "Property ", name, " removed, it was ", value
        elif after[name] != value:
            yield "Property ", name, " changed from ", value, " to ", after[name]
    for name, value in after.items():
        if name not in before:
            yield "Property ", name, " set to ", value


def _properties(hunk: DiffHunk, rows: Sequence[_Row]) -> dict[int, tuple[str, str]]:
    """Return the lines of a hunk that are properties: between the two `---`, of which it shows one.

    Returns:
        Name and value by the line's place in the hunk.
    """
    fences = [at for at, (_sign, text) in enumerate(rows) if text.rstrip() == "---"]
    opening = 0 if fences[:1] == [0] and min(hunk.old_line, hunk.new_line) <= 1 else -1
    closing = next((at for at in fences if at > opening), -1)
    if opening < 0 and (closing < 0 or not all(_looks_like_yaml(text) for _sign, text in rows[:closing])):
        return {}
    inside = range(opening + 1, closing if closing >= 0 else len(rows))
    found = ((at, _PROPERTY.fullmatch(rows[at][1].rstrip())) for at in inside)
    return {at: (match[1], match[2] or "") for at, match in found if match}


def _looks_like_yaml(text: str) -> bool:
    return _PROPERTY.fullmatch(text.rstrip()) is not None or re.match(r"\s+\S|- |#", text) is not None


def change_note(path: str, old: bytes | None, new: bytes | None, shown: Diff) -> str:
    """Return the sentence for one file's change; empty when the diff says it all.

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
    """Return the kind and size of a file that is not text.

    Args:
        path: The file.
        head: Its first bytes.
        size: All its bytes.
    """
    return f"{describe_binary(head, path)[0]} ({size:,} bytes)"


def lost_note(kind: str, *, deleted: bool) -> str:
    """Return what a preview says of a lost file that was not text.

    Args:
        kind: What it was, as `binary_kind` says it.
        deleted: Whether the file is deleted; otherwise its content is replaced.
    """
    return f"What is {'deleted' if deleted else 'replaced'} is no text and cannot be shown: {kind}"


def _unseen(old: bytes, new: bytes, diff: str) -> list[str]:
    """Return the invisible differences, if they alone tell removed lines from added ones; nothing if words differ."""
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
    """Return a line without what nobody sees, but for one kind of it."""
    for name, remove in _UNSEEN.items():
        if name != but:
            line = remove(line)
    return line


def _inside(line: str, change: Callable[[str], str]) -> str:
    """Return a line changed by a function, with its ending unchanged."""
    text = line.removesuffix("\r")
    return change(text) + line[len(text) :]
