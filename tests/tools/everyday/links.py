"""Where every link of a vault leads, worked out anew from the texts, to check that none was lost.

Files are found by a resolver of its own, written from docs/obsidian.md (rules 31 to 41), not by the bridge's.
"""

import posixpath
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from bridge.notes.canvas import parse_canvas
from bridge.notes.markdown import parse_note
from bridge.notes.note import Link
from bridge.notes.parts import strip_heading


class Led(NamedTuple):
    """What one link leads to: a file, and the text of the heading or block that it names there."""

    path: str | None
    part: str = ""


class Links:
    """The links of a vault.

    Args:
        files: What every file holds, by path.
    """

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = files
        self._named: dict[str, list[str]] = defaultdict(list)
        self._parts: dict[str, list[tuple[list[str], str]]] = {}
        for path in files:
            if not any(part.startswith(".") for part in path.split("/")):
                self._named[_key(path).rpartition("/")[2]].append(path)
        self.of = {path: [self._led(path, link) for link in _links(path, data)] for path, data in files.items()}

    def counted(self) -> Counter[Led]:
        """How often each thing is linked to in the whole vault."""
        return Counter(led for links in self.of.values() for led in links)

    def resolve(self, linkpath: str, source: str) -> str | None:
        """The file that a link leads to."""
        if not linkpath:
            return source
        wanted = _key(linkpath.strip())
        folder = posixpath.dirname(source)
        whole = wanted.startswith(("/", "./", "../"))
        if wanted.startswith(("./", "../")):
            wanted = posixpath.normpath(posixpath.join(_key(folder), wanted))
        wanted = wanted.removeprefix("/")
        forms = [wanted, f"{wanted}.md"]
        fitting = [path for form in forms for path in self._named.get(form.rpartition("/")[2], ())]
        for form in forms:
            for path in fitting:
                if _key(path) == form:
                    return path
        if whole:
            return None
        for form in forms:
            found = [path for path in fitting if f"/{_key(path)}".endswith(f"/{form}")]
            if found:
                return min(found, key=lambda path: (posixpath.dirname(path) != folder, _length(path), _key(path)))
        return None

    def _led(self, source: str, link: Link) -> Led:
        target = self.resolve(link.linkpath, source)
        if target is None or not link.subpath or not target.endswith(".md"):
            return Led(target, link.subpath)
        if target not in self._parts:
            self._parts[target] = list(_parts(self._files[target].decode("utf-8", "surrogateescape")))
        names = [name for name in link.subpath.split("#") if name]
        wanted = [name.lower() if name.startswith("^") else strip_heading(name) for name in names]
        for way, text in self._parts[target]:
            rest = iter(way[:-1])
            if wanted and way[-1] == wanted[-1] and all(any(name == above for above in rest) for name in wanted[:-1]):
                return Led(target, text)
        return Led(target, f"missing {link.subpath}")


def _links(path: str, data: bytes) -> Iterator[Link]:
    text = data.decode("utf-8", "surrogateescape")
    if path.endswith(".canvas"):
        yield from parse_canvas(text)
    elif path.endswith(".md"):
        yield from (link for link in parse_note(text).all_links if link.counts)


def _parts(text: str) -> Iterator[tuple[list[str], str]]:
    """The way to each heading and block, and its text."""
    note = parse_note(text)
    for block in note.blocks:
        yield [f"^{block.id.lower()}"], text[block.start : block.end].partition("^")[0].strip()
    way: list[tuple[int, str]] = []
    for heading in note.headings:
        while way and way[-1][0] >= heading.level:
            way.pop()
        way.append((heading.level, strip_heading(heading.heading)))
        yield [name for _level, name in way], heading.heading


def _key(path: str) -> str:
    return unicodedata.normalize("NFC", path).lower().replace("ς", "σ")  # noqa: RUF001 (Greek is meant)


def _length(path: str) -> int:
    return len(unicodedata.normalize("NFC", path).encode("utf-16-le"))
