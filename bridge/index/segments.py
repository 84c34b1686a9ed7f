"""A segment: the texts of some files back to back, in walk order, never changed once made.

Text is kept as it is searched: no byte order mark, line feeds alone, and each text that is not empty ended by one.
"""

import mmap
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple, TypeVar

from bridge.vault.text import BOM

T = TypeVar("T")
Text = bytes | mmap.mmap

UNENDED = 1
"""Flag: the file's last line has no line break; the one that the text ends with is ours."""
NOT_UTF8 = 2
"""Flag: some bytes are no UTF-8."""


class Stamp(NamedTuple):
    """What tells that a file is still the one that was read.

    Attributes:
        size: Bytes.
        mtime_ns: When its bytes changed last.
    """

    size: int
    mtime_ns: int


class Document(NamedTuple):
    """One file's text.

    Attributes:
        path: Its vault path.
        stamp: Of the file.
        flags: `UNENDED`, `NOT_UTF8`.
        text: As it is searched.
    """

    path: str
    stamp: Stamp
    flags: int
    text: bytes | memoryview


class Breaks(NamedTuple):
    """How many line breaks of a segment stand before some places.

    Attributes:
        blocks: Before each block.
        files: Before each file.
    """

    blocks: "array[int]"
    files: "array[int]"


def document(path: str, data: bytes, stamp: Stamp) -> Document:
    """A file's bytes as they are searched."""
    text = data.removeprefix(BOM)
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n")
    flags = 0
    if text and not text.endswith(b"\n"):
        text += b"\n"
        flags |= UNENDED
    if not text.isascii():
        try:
            text.decode()
        except UnicodeDecodeError:
            flags |= NOT_UTF8
    return Document(path, stamp, flags, text)


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Segment:
    """Some texts. Two segments are the same only when they are one object.

    Attributes:
        number: Its name on the disk; 0 when it has no place there.
        text: All the texts.
        paths: Whose they are, in walk order.
        starts: Where each begins, and behind the last one where all end.
        sizes: Of the stamps.
        times: Of the stamps, `mtime_ns`.
        flags: A byte for each.
        breaks: Once that was worth counting, one: the line breaks before places of the text.
    """

    number: int
    text: Text
    paths: tuple[str, ...]
    starts: "array[int]"
    sizes: "array[int]"
    times: "array[int]"
    flags: bytes
    breaks: list[Breaks] = field(default_factory=list, repr=False)

    @property
    def size(self) -> int:
        """Bytes of text."""
        return self.starts[-1]

    def stamp(self, index: int) -> Stamp:
        """A file's stamp."""
        return Stamp(self.sizes[index], self.times[index])

    def stamps(self) -> Iterator[tuple[int, int]]:
        """The files' stamps, one after the other, as bare pairs: of all files, making more of them would take long."""
        return zip(self.sizes, self.times, strict=True)

    def length(self, index: int) -> int:
        """Bytes of a text."""
        return self.starts[index + 1] - self.starts[index]

    def document(self, index: int) -> Document:
        """One file's text, without a copy."""
        return Document(self.paths[index], self.stamp(index), self.flags[index], self.view(index))

    def view(self, index: int) -> memoryview:
        """One file's text as it is searched, without a copy."""
        return memoryview(self.text)[self.starts[index] : self.starts[index + 1]]


def build(number: int, documents: Iterable[Document]) -> Segment:
    """Make a segment.

    Args:
        number: Its name on the disk.
        documents: In walk order.
    """
    held = list(documents)
    return Segment(
        number,
        b"".join(document.text for document in held),
        tuple(document.path for document in held),
        array("q", accumulate((len(document.text) for document in held), initial=0)),
        array("q", (document.stamp.size for document in held)),
        array("q", (document.stamp.mtime_ns for document in held)),
        bytes(document.flags for document in held),
    )


@dataclass(frozen=True, slots=True)
class View:
    """A segment, and which of its texts count no more.

    Attributes:
        segment: The segment.
        dead: Their places in it.
    """

    segment: Segment
    dead: frozenset[int] = frozenset()

    def by_path(self, values: Iterable[T]) -> Iterator[tuple[str, T]]:
        """Of what there is for each of the texts, that of those that still count, by path."""
        pairs = zip(self.segment.paths, values, strict=False)
        if not self.dead:
            return pairs
        return (pair for index, pair in enumerate(pairs) if index not in self.dead)

    @property
    def dead_size(self) -> int:
        """Bytes of text that count no more."""
        return sum(map(self.segment.length, self.dead))

    def documents(self) -> Iterator[Document]:
        """What still counts, in walk order."""
        for index in range(len(self.segment.paths)):
            if index not in self.dead:
                yield self.segment.document(index)
