"""The files of a vault as bases see them, and the values of their properties.

A row holds what is known of one file. What is worked out of that is worked out once, when it is asked for: reading a
slot that is not filled yet calls `__getattr__`, so what is filled costs no call.

Rules are those of docs/obsidian.md.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol
from urllib.parse import urlsplit

from bridge.bases.dates import Zone, read_date
from bridge.bases.numbers import tame
from bridge.notes.names import split_link
from bridge.vault.text import is_note

Value = Any
"""A value of an expression: None, a boolean, a number, a text, a `Date`, a `Duration`, a list, a mapping, a `Link`, a
`Row` (a file), a `TextPattern`, or a text with a meaning (`Tag`, `Url`, `Html`, `Icon`, `Image`)."""

_URL_SCHEMES = frozenset({"http", "https", "ftp", "file", "mailto", "obsidian", "tel", "data"})
_TAGS = "tags"


class Tag(str):
    """A tag, without `#`."""

    __slots__ = ()


class Url(str):
    """An address."""

    __slots__ = ()


class Html(str):
    """A piece of HTML, which a view would draw."""

    __slots__ = ()


class Icon(str):
    """The name of an icon."""

    __slots__ = ()


class Image(str):
    """The location of an image."""

    __slots__ = ()


class Tags(list[Value]):
    """A list of tags: it contains a tag, too, that one of its tags is nested in."""

    __slots__ = ()


class Vault(Protocol):
    """The vault as expressions see it."""

    @property
    def zone(self) -> Zone:
        """Return the time zone of its dates."""

    def rows(self) -> Sequence["Row"]:
        """Return every file, by path."""

    def row(self, path: str) -> "Row | None":
        """Return one file by its exact path; None if there is none that may be seen."""

    def resolve(self, linkpath: str, source: str) -> str | None:
        """Return the file that a link leads to; None if it leads nowhere."""

    def links(self, path: str) -> Iterable[tuple[str, str, bool]]:
        """Return the links of a file, in order: those of its properties, those of its text, and its embeds.

        Each has its path and subpath, the text that is shown, and whether it is an embed.
        """

    def backlinks(self, path: str) -> Iterable[str]:
        """Return the files that link to a file, each once."""


class Link:
    """A link: a text with a place that it leads to.

    Args:
        path: Path and subpath, as written.
        display: What is shown; None if nothing else is.
        source: The file it is in.
        vault: Says where it leads.

    Attributes:
        target: The path of the file that it leads to; None if it leads nowhere.
    """

    __slots__ = ("display", "path", "source", "target", "vault")

    target: str | None

    def __init__(self, path: str, display: str | None, source: str, vault: Vault) -> None:
        self.path, self.display, self.source, self.vault = path, display, source, vault

    def __getattr__(self, name: str) -> Any:
        """Find where it leads when that is asked for the first time."""
        if name != "target":
            raise AttributeError(name)
        path = split_link(self.path)[0]
        self.target = found = self.vault.resolve(path, self.source) if path else None
        return found

    def file(self) -> "Row | None":
        """Return the file that it leads to; None if there is none that may be seen."""
        return None if self.target is None else self.vault.row(self.target)

    def __str__(self) -> str:
        return f"[[{self.path}]]" if self.display is None else f"[[{self.path}|{self.display}]]"


class Row:
    """One file.

    Args:
        path: Its path.
        size: Bytes.
        times: When it was made and changed last, in milliseconds since 1970.
        properties: Its frontmatter.
        tags: Its tags, with or without `#`.
        vault: What else is known.

    Attributes:
        name: Its name; that of a note without `.md`.
        cells: Its properties as values, by their names in lower case.
        home: The folder that it is in.
        targets: The paths of the files that it links to.
        unresolved: What its links that lead nowhere say.
        links: Its links, embeds last; duplicates kept.
        embeds: Its embeds.
        backlinks: A link to each file that links to it.
    """

    __slots__ = (
        *("backlinks", "embeds", "links", "cells", "ctime", "home", "mtime", "name", "path", "properties", "size"),
        *("tags_written", "targets", "unresolved", "vault"),
    )

    name: str
    cells: dict[str, Value]
    home: str
    targets: frozenset[str]
    unresolved: frozenset[str]
    links: list[Link]
    embeds: list[Link]
    backlinks: list[Link]

    def __init__(  # noqa: PLR0917 (ten thousand are made at once, and names cost time)
        self,
        path: str,
        size: int,
        times: tuple[int, int],
        properties: Mapping[str, Any],
        tags: Sequence[str],
        vault: Vault,
    ) -> None:
        self.path, self.size, self.vault = path, size, vault
        self.ctime, self.mtime = times
        self.properties, self.tags_written = properties, tags

    def __getattr__(self, name: str) -> Any:
        """Fill a slot that is asked for the first time."""
        if name == "cells":
            self.cells = {key.lower(): self._cell(key, value) for key, value in self.properties.items()}
        elif name == "name":
            self.name = _short_name(self.path)
        elif name == "home":
            self.home = self.path.rpartition("/")[0]
        elif name == "backlinks":
            self.backlinks = [Link(path, _short_name(path), "", self.vault) for path in self.vault.backlinks(self.path)]
        elif name in {"links", "embeds", "targets", "unresolved"}:
            self._fill_links()
        else:
            raise AttributeError(name)
        return getattr(self, name)

    @property
    def tags(self) -> Tags:
        """Return its tags, each once."""
        return Tags(dict.fromkeys(Tag(tag.removeprefix("#")) for tag in self.tags_written))

    @property
    def basename(self) -> str:
        """Return its name without its extension."""
        last = self.path.rpartition("/")[2]
        stem, dot, _extension = last.rpartition(".")
        return stem if dot and stem else last

    @property
    def ext(self) -> str:
        """Return its extension, without the dot."""
        last = self.path.rpartition("/")[2]
        stem, _dot, extension = last.rpartition(".")
        return extension if stem else ""

    def values(self) -> dict[str, Value]:
        """Return its properties as one value, by their names as written."""
        return {key: self.cells[key.lower()] for key in self.properties}

    def has_link(self, link: str) -> bool:
        """Return whether it links to what a text names, as seen from it; a subpath does not matter."""
        path = split_link(link)[0].strip()
        target = self.vault.resolve(path, self.path) if path else None
        return path in self.unresolved if target is None else target in self.targets

    def as_link(self, display: str | None = None) -> Link:
        """Return a link to it."""
        return Link(self.path, display, "", self.vault)

    def _cell(self, key: str, value: Any) -> Value:
        if key.lower() == _TAGS:
            named = [value] if isinstance(value, str) else value
            if isinstance(named, list) and all(each is None or isinstance(each, str) for each in named):
                return Tags(Tag(each.removeprefix("#")) for each in named if each is not None)
        return self._value(value)

    def _value(self, value: Any) -> Value:
        """Return a value of the frontmatter: a text may be a link, an address or a date."""
        kind = type(value)
        if kind is str:
            return self._text(value)
        if kind is list:
            return [self._value(each) for each in value]
        if kind is dict:
            return {str(key): self._value(each) for key, each in value.items()}
        return tame(value) if kind is int else value

    def _text(self, text: str) -> Value:
        if text[:2] == "[[" and text[-2:] == "]]" and len(text) >= len("[[]]"):
            return read_link(text, self.path, self.vault)
        if ":" in text and is_url(text):
            return Url(text)
        if text[4:5] == "-" and text[7:8] == "-":
            return read_date(text, self.vault.zone) or text
        return text

    def _fill_links(self) -> None:
        links: list[Link] = []
        embeds: list[Link] = []
        for link, display, embed in self.vault.links(self.path):
            (embeds if embed else links).append(Link(link, display, self.path, self.vault))
        links += embeds
        targets: set[str] = set()
        unresolved: set[str] = set()
        for each in links:
            if each.target is None:
                unresolved.add(split_link(each.path)[0])
            else:
                targets.add(each.target)
        self.links, self.embeds = links, embeds
        self.targets, self.unresolved = frozenset(targets), frozenset(unresolved)

    def __str__(self) -> str:
        return self.path


def read_link(text: str, source: str, vault: Vault) -> Link:
    """Return the link that a text in double square brackets is.

    Args:
        text: The text, brackets included.
        source: The file it is in.
        vault: Says where it leads.
    """
    path, bar, display = text[2:-2].rpartition("|")
    return Link(path if bar else display, display if bar else None, source, vault)


def is_url(text: str) -> bool:
    """Return whether a text is an address: of a scheme that is in use, and without spaces."""
    if " " in text or len(text) > 2048:  # noqa: PLR2004 (no address is longer)
        return False
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in _URL_SCHEMES and bool(parts.netloc or parts.path)


def _short_name(path: str) -> str:
    last = path.rpartition("/")[2]
    return last[:-3] if is_note(last) else last
