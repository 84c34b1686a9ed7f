"""Names a note that was given no name, after its heading or first line.

The name is one that every system and every link can have (rules 6 to 8 of docs/obsidian.md).
"""

import re
from collections.abc import Iterator

from bridge.vault.paths import nfc, unsafe_name
from bridge.vault.text import without_hidden_characters

UNTITLED = "Untitled"

_MOST_LOOKED_AT = 65_536
_MOST_CHARACTERS = 100
_MOST_BYTES = 200
_LONGEST_LINE = 1000
_HEADING = re.compile(r" {0,3}#([ \t].*)?")
_UNDERLINE = re.compile(r" {0,3}=+[ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_MARKS = re.compile(r"\s*(?:(?:>|#+(?=\s)|[-*+](?=\s)|\d+[.)](?=\s)|\[.\](?=\s))\s*)*")
_WIKILINK = re.compile(r"!?\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")
_EMPHASIS = re.compile(r"\*\*|__|~~|==|`+")
_NOT_IN_NAMES = re.compile(
    r'[*"\\/<>:|?#^\[\]\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]|%%'
)


def title_of(content: str) -> str:
    """Return the first heading of the first level, else the first line that says something; without its marks.

    Args:
        content: A note's text. Its frontmatter and what is in code fences are passed over when looking for a heading.
    """
    lines = list(_body(content[:_MOST_LOOKED_AT]))
    fence = ""
    for number, line in enumerate(lines):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line[mark.end() :].strip():
                fence = ""
        elif mark:
            fence = mark[1]
        elif heading := _HEADING.fullmatch(line):
            if text := _plain(_open_end(heading[1] or "")):
                return text
        elif line.strip() and number + 1 < len(lines) and _UNDERLINE.fullmatch(lines[number + 1]):
            return _plain(line)
    return next((plain for line in lines if not _FENCE.match(line) and (plain := _plain(line))), "")


def note_name(title: str) -> str:
    """Return a title as a note's name, without `.md`: what files or links cannot have is left out (rules 6 to 8)."""
    name = _tidy(without_hidden_characters(_NOT_IN_NAMES.sub(" ", nfc(title))))
    if len(name) > _MOST_CHARACTERS or len(name.encode()) > _MOST_BYTES:
        cut = name[:_MOST_CHARACTERS].encode()[:_MOST_BYTES].decode(errors="ignore")
        whole, space, _rest = cut.rpartition(" ")
        name = _tidy(whole if space and len(whole) > len(cut) // 2 else cut)
    if not name:
        return UNTITLED
    return name if unsafe_name(f"{name}.md") is None else f"_{name}"


def _body(content: str) -> Iterator[str]:
    """Return the lines behind the frontmatter."""
    lines = content.removeprefix("\ufeff").split("\n")
    first = 0
    if lines[0].rstrip() == "---":
        first = next((number for number, line in enumerate(lines[1:], 2) if line.rstrip() == "---"), 0)
    return (line[:_LONGEST_LINE].rstrip("\r") for line in lines[first:])


def _open_end(heading: str) -> str:
    """Return a heading's text without the number signs that may close it."""
    text = heading.strip()
    opened = text.rstrip("#")
    return opened if not opened or opened[-1] in " \t" else text


def _plain(line: str) -> str:
    """Return a line without the marks of Markdown."""
    text = line[found.end() :] if (found := _MARKS.match(line)) else line
    text = _LINK.sub(r"\1", _WIKILINK.sub(r"\1", text))
    return _tidy(_EMPHASIS.sub("", text)) if text.strip("-*_=~` \t") else ""


def _tidy(text: str) -> str:
    """Return a text with single spaces, and none at the ends, where no dot is either."""
    return " ".join(text.split()).strip(" .\u200d\u2024\ufe52\uff0e")
