"""Parsing of a caller's reference to a note, as Obsidian parses links (docs/obsidian.md).

`Name`, `folder/Name`, `[[Name]]`, `Name#Heading`, `Name#H1#H2`, `Name#^block`, `Name|alias`, and combinations of them.
Nothing here looks at a vault; which note is meant is decided by `index/references.py`.
"""

import re
from typing import NamedTuple

from bridge.errors import InvalidParameters
from bridge.vault.text import note_name

LONGEST = 2000
"""Characters of a reference; a path and a heading are shorter."""

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_SHOWN = 100


class Reference(NamedTuple):
    """A reference, taken apart.

    Attributes:
        text: What was written, without spaces around it.
        path: The note's name, and the folders before it if any were written.
        headings: The way to a section of it, outermost heading first; empty for the whole note.
        block: The id of a block of it, without `^`.
        alias: The text that a link would show.
        bracketed: Whether it was written as a wikilink.
        rooted: Whether it began with `/`: then it is a path from the vault's top and nothing else (rule 41).
    """

    text: str
    path: str
    headings: tuple[str, ...] = ()
    block: str | None = None
    alias: str | None = None
    bracketed: bool = False
    rooted: bool = False

    @property
    def name(self) -> str:
        """Return the note's own name, without folders and extension."""
        return note_name(self.path)

    @property
    def folder(self) -> str:
        """Return the folders that were written before the name; empty when there are none."""
        return self.path.rpartition("/")[0]

    @property
    def part(self) -> str:
        """Return the part of the note that is meant, as a link would say it (`#Heading`); empty for the whole note."""
        headings = "".join(f"#{heading}" for heading in self.headings)
        return headings if self.block is None else f"{headings}#^{self.block}"


def parse_reference(text: str) -> Reference:
    """Take a reference apart: at the first `|`, then at the first `#` (rule 15).

    Args:
        text: What the caller wrote.

    Raises:
        InvalidParameters: It names no note (`invalid_format`).
    """
    whole = text.strip()
    if len(whole) > LONGEST:
        raise _invalid(whole, f"a reference has at most {LONGEST} characters")
    if _CONTROL.search(whole):
        raise _invalid(whole, "it holds a control character; remove it")
    inner, bracketed = _without_brackets(whole)
    target, bar, alias = inner.partition("|")
    if bar and target.endswith("\\"):
        target = target[:-1]  # as links are written in tables (rule 18)
    path, _, subpath = target.partition("#")
    headings, block = _subpath(subpath)
    path, rooted = _path(whole, path)
    return Reference(whole, path, headings, block, alias.strip() if bar else None, bracketed, rooted)


def _without_brackets(text: str) -> tuple[str, bool]:
    """Return the text between the brackets of a wikilink or an embed, and whether there are any."""
    opened = text.removeprefix("!") if text.startswith("![[") else text
    if not opened.startswith("[["):
        return text, False
    inner = opened[2:-2]
    if len(opened) < len("[[]]") or not opened.endswith("]]") or "]]" in inner or "[[" in inner:
        raise _invalid(text, "write one wikilink, such as [[Name]], or only the note's name")
    return inner, True


def _subpath(subpath: str) -> tuple[tuple[str, ...], str | None]:
    """Return the headings and the block id that a subpath names."""
    parts = [part.strip() for part in subpath.split("#") if part.strip()]
    block = parts.pop()[1:] if parts and parts[-1].startswith("^") and len(parts[-1]) > 1 else None
    return tuple(parts), block


def _path(text: str, path: str) -> tuple[str, bool]:
    """Return the path with single slashes between its parts, and whether it began with one."""
    parts = [part for part in path.strip().split("/") if part not in {"", "."}]
    if not parts:
        raise _invalid(text, "it names no note; give a name, such as 'My Note' or 'folder/My Note'")
    if ".." in parts:
        raise _invalid(text, "'..' has no folder to start from; give the note's name or its path in the vault")
    return "/".join(parts), path.strip().startswith("/")


def _invalid(text: str, why: str) -> InvalidParameters:
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
    shown = shown if shown.isprintable() else ascii(shown)
    return InvalidParameters(
        f"Invalid reference format: {shown} ({why})", code="invalid_format", data={"note_name": shown}
    )
