"""Detection of text of the vault in what is sent out of it.

Texts are compared by their letters and digits alone, in one case and one Unicode form: white space and
punctuation make no difference. Recognised are:

- 20 letters or digits in a row that stand in a file, or in the text that was read of a PDF file or a picture;
- a code of a file, whole: 8 or more letters and digits of which some are digits, such as an IBAN, a key, or a password
  with a digit, also where blanks stand in it. Plain dates and times are none;
- the whole of a file that has 12 letters or digits at least.

What is shorter, and what was encoded in another way than by percent escapes or base64 (another alphabet, every second
letter), is not recognised.

The texts' fingerprints are in a table of fixed size (a Bloom filter), which says at once whether a text may hold a
piece, and never wrongly "no". The bits of one piece lie in two of its words, so that a look costs one access, or two.
"""

import base64
import binascii
import re
import threading
import unicodedata
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain
from typing import Final
from urllib.parse import unquote

from bridge.index.file_texts import AllFileTexts, FileTexts
from bridge.index.knowledge import ClosedRules
from bridge.index.texts.arena import LARGE, UNSEARCHED, Chunk, Stamp
from bridge.index.texts.grep import TextSource
from bridge.policy.risk import address_key, addresses, found_in

_ASCII_ALONE: Final = {number: None for number in range(128) if not chr(number).isalnum()}
_ASCII_BYTES: Final = bytes(_ASCII_ALONE)
_OTHERS: Final = re.compile(r"[\W_]+")
_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]{16,}")
_URL_SAFE: Final = str.maketrans("-_", "+/")
_AT_ONCE: Final = 1 << 16
"""Characters that one step of Python works on; more would hold up other threads."""
_BITS: Final = 24
"""Bits of the table for each fingerprint: of 10,000 pieces that are not there, about one is taken for one that is."""
_WORD: Final = 64
_SMALLEST: Final = 1 << 10
LENGTH: Final = 20
"""Letters and digits in a row that are the vault's own. Fewer are in too many texts."""
SHORTEST_CODE: Final = 8
"""Letters and digits of a code."""
SHORTEST_FILE: Final = 12
"""Letters and digits of a file that is recognised as a whole."""
# Of each file, a piece is taken in at every seventh place. In any 20 characters in a row one of them lies wholly, so
# what is sent is looked at in every place for such a piece.
_PIECE: Final = 14
_STEP: Final = LENGTH - _PIECE + 1
_CODE: Final = re.compile(r"(?<!\S)[^\s\d]*+\d\S*+(?>[ \t\u00a0][^\s\d]*+\d\S*+){0,50}+")
"""Words with digits, one after the other. Fifty are more than a code, so it does not matter where they are cut."""
_TIMES: Final = re.compile(
    r"\d{4}[-./]\d{1,2}(?:[-./]\d{1,2})?|\d{1,2}[-./]\d{1,2}[-./]\d{2,4}|\d{1,2}:\d{2}(?::\d{2})?"
)
_SPARE: Final = 20_000
"""Fingerprints that the table has room for besides those of the first texts."""
_LONGEST_CODE: Final = 1000
"""Characters of a code with all that stands between its letters and digits."""
_DIGIT: Final = re.compile(r"\d")
_LEAST_DIGITS: Final = 9
"""Digits of a code that has nothing else; eight are a date."""
# What else the table knows, by a character that no folded text has; an address twice, as nothing else is asked of it.
_CODES: Final = "\x00"
_FILES: Final = "\x01"
_ADDRESSES: Final = "\x02\x03"


class CarriedText:
    """A comparison of what is sent with the texts of the vault.

    Nothing is kept before the first question; from then on a table of a third of the texts' size, which is
    brought up to date with every question.

    Args:
        source: The texts.
        closed: What the user has closed for reading. No agent can have read that, and a question would tell of it.
        large: Reads a file that is too large to be held in memory; None if it cannot.
        file_texts: The texts of files that are no notes, such as PDF files.
    """

    def __init__(
        self,
        source: TextSource,
        closed: ClosedRules = lambda: None,
        large: Callable[[str], bytes | None] = lambda _path: None,
        file_texts: FileTexts | None = None,
    ) -> None:
        self._source = source
        self._closed = closed
        self._large = large
        self._file_texts = file_texts or AllFileTexts()
        self._read: dict[str, bytes] = {}
        """Of each file that is no note, the hash of what its text was read from."""
        self._lock = threading.Lock()
        self._known: dict[str, Stamp] = {}
        self._chunks: dict[int, tuple[str, ...]] = {}
        self._table = Fingerprints()
        self._needed = 0
        """Fingerprints of all texts when they were last taken in: more than their size says, if they are addresses."""

    def find(self, *sent: str) -> str | None:
        """Return the path of a file whose text is in what is sent; None if there is none. Blocks.

        Args:
            sent: The parts that are sent: the query, the path, the body.
        """
        if not any(sent):
            return None
        chunks = self._taken_in()
        for form in {form for part in sent if part for form in forms(part)}:
            wanted = _Wanted(form, self._table)
            if wanted and (found := self._place(chunks, wanted)) is not None:
                return found
        return None

    def holds(self, address: str) -> bool:
        """Return whether a whole address is in the vault, such as one that a note links to. Blocks."""
        self._taken_in()
        key = address_key(address)
        return all(self._table.has(mark + key) for mark in _ADDRESSES)

    # -- the table ----------------------------------------------------------------------------------------------

    def _taken_in(self) -> Sequence[Chunk]:
        """Return all texts, after adding what is new to the table."""
        chunks = self._source.texts.chunks()
        with self._lock:
            new = [chunk for chunk in chunks if self._chunks.get(id(chunk.paths)) is not chunk.paths]
            anew = bool(new and not self._known) or self._table.is_full
            if anew:
                expected = sum(len(chunk.text) for chunk in chunks) // _STEP
                self._table, self._known, self._read = Fingerprints(max(expected, self._needed) + _SPARE), {}, {}
                new = list(chunks)
            if new:
                self._chunks = {id(chunk.paths): chunk.paths for chunk in chunks}
                for chunk in new:
                    self._take_in(chunk)
            self._take_in_read()
            if anew:
                self._needed = self._table.count
        return chunks

    def _take_in(self, chunk: Chunk) -> None:
        known, table = self._known, self._table
        for index, (path, stamp) in enumerate(zip(chunk.paths, chunk.stamps, strict=True)):
            if known.get(path) != stamp:
                known[path] = stamp
                for text in self._texts(chunk, index):
                    table.add(chain(_fingerprints(text), _addresses(text)))

    def _take_in_read(self) -> None:
        """Take in the texts of files that are no notes, but for the addresses in them: those are a stranger's."""
        for path, known in self._file_texts.known().items():
            if self._read.get(path) != known.digest and (text := self._file_texts.text(path)) is not None:
                self._read[path] = known.digest
                self._table.add(_fingerprints(text))

    def _texts(self, chunk: Chunk, index: int) -> Iterator[str]:
        """Yield the text of a file; one that is too large to be held comes from the disk."""
        flags = chunk.flags[index]
        if flags & LARGE:
            if (data := self._large(chunk.paths[index])) is not None:
                yield data.decode("utf-8", "ignore")
        elif not flags & UNSEARCHED:
            yield bytes(chunk.text[chunk.starts[index] : chunk.starts[index + 1]]).decode("utf-8", "ignore")

    def _place(self, chunks: Sequence[Chunk], wanted: "_Wanted") -> str | None:
        """Return the first file that contains what is wanted. Slow: the table says that there most likely is one."""
        denial = self._closed()

        def may_be_told(path: str) -> bool:
            return denial is None or (denial(path) is None and denial(path.rpartition("/")[0]) is None)

        for chunk in chunks:
            for index, path in enumerate(chunk.paths):
                if may_be_told(path) and any(map(wanted.is_in, self._texts(chunk, index))):
                    return path
        for path in self._file_texts.known():
            if may_be_told(path) and (text := self._file_texts.text(path)) is not None and wanted.is_in(text):
                return path
        return None


def _pattern(number: int) -> int:
    """Return four different bits of a word."""
    at = number % _WORD
    bits = 1 << at
    for turn in range(3):
        at += 1 + (number // _WORD * (2 * turn + 1) + number % _WORD * turn) % 21
        bits |= 1 << at % _WORD
    return bits


@cache
def _patterns() -> tuple[int, ...]:
    """Return the bits of all numbers. They are made when a text is first noted: a start does without."""
    return tuple(map(_pattern, range(4096)))


class Fingerprints:
    """A set of fingerprints that forgets none and may know a few too many.

    Args:
        expected: How many there will be.
    """

    def __init__(self, expected: int = 0) -> None:
        self._length = max(expected * _BITS // _WORD, _SMALLEST) | 1
        self._words = array("Q", bytes(8 * self._length))
        self.count = 0

    @property
    def is_full(self) -> bool:
        """Return whether it has more than it was made for."""
        return self.count * _BITS > self._length * _WORD

    def add(self, pieces: Iterable[str]) -> None:
        """Take in pieces of a text."""
        words, length, patterns, count = self._words, self._length, _patterns(), 0
        for value in map(hash, pieces):
            words[value % length] |= patterns[value >> 32 & 4095]
            words[(value >> 20) % length] |= patterns[value >> 50 & 4095]
            count += 1
        self.count += count

    def has(self, piece: str) -> bool:
        """Return whether a piece may have been added."""
        value, patterns = hash(piece), _patterns()
        first = patterns[value >> 32 & 4095]
        if self._words[value % self._length] & first != first:
            return False
        second = patterns[value >> 50 & 4095]
        return self._words[(value >> 20) % self._length] & second == second


class _Wanted:
    """The parts of a folded text that may be in the vault, as the table says; false if there are none."""

    def __init__(self, text: str, table: Fingerprints) -> None:
        has = table.has
        self._text = text
        places = [at for at in range(len(text) - _PIECE + 1) if has(text[at : at + _PIECE])]
        self._windows = {
            text[start : start + LENGTH]
            for at in places
            for start in range(max(at + _PIECE - LENGTH, 0), min(at, len(text) - LENGTH) + 1)
        }
        starts = {
            at
            for found in _DIGIT.finditer(text)
            for at in range(max(found.start() - SHORTEST_CODE + 1, 0), found.end())
        }
        self._codes = any(
            has(_CODES + text[at : at + SHORTEST_CODE]) for at in starts if at + SHORTEST_CODE <= len(text)
        )
        ends = range(SHORTEST_FILE, len(text) + 1)
        self._files = any(has(_FILES + text[end - SHORTEST_FILE : end]) for end in ends)

    def __bool__(self) -> bool:
        return bool(self._windows) or self._codes or self._files

    def is_in(self, text: str) -> bool:
        """Return whether a file contains any of it."""
        whole = folded(text)
        return (
            any(window in whole for window in self._windows)
            or (self._files and SHORTEST_FILE <= len(whole) < LENGTH and whole in self._text)
            or (self._codes and any(code in self._text for code in _codes(text)))
        )


def _fingerprints(text: str) -> Iterator[str]:
    """Yield the table's entries for one file."""
    whole = folded(text)
    yield from (whole[at : at + _PIECE] for at in range(0, len(whole) - _PIECE + 1, _STEP))
    if SHORTEST_FILE <= len(whole) < LENGTH:
        yield _FILES + whole[:SHORTEST_FILE]
    for code in set(_codes(text)):
        yield _CODES + code[:SHORTEST_CODE]


def _addresses(text: str) -> Iterator[str]:
    """Yield the entries of the table for the addresses in one file."""
    for address in set(addresses(text)):
        for key in {address, address.partition("?")[0], address.partition("/")[0] + "/"}:
            yield from (mark + key for mark in _ADDRESSES)


def _codes(text: str) -> Iterator[str]:
    """Yield the codes of a text, folded: words with digits, joined with following ones that have some too."""
    for found in found_in(_CODE, text):
        for part in (found[0], *found[0].split()):
            if len(part) > _LONGEST_CODE:
                continue
            code = folded(_TIMES.sub(" ", part))
            if SHORTEST_CODE <= len(code) < LENGTH and (not code.isdigit() or len(code) >= _LEAST_DIGITS):
                yield code


def folded(text: str) -> str:
    """Return the letters and digits of a text in one case and one Unicode form (NFKC)."""
    return "".join(map(_folded, _portions(text)))


def _portions(text: str) -> Iterator[str]:
    """Yield a text in portions; each but the last ends with a blank, where it has one, so no letter is cut."""
    start = 0
    while start < len(text):
        end = start + _AT_ONCE
        if end < len(text):
            end = text.rfind("\n", start, end) + 1 or text.rfind(" ", start, end) + 1 or end
        yield text[start:end]
        start = end


def _folded(text: str) -> str:
    if text.isascii():
        return text.lower().translate(_ASCII_ALONE)
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    # Most of what goes is ASCII, and goes faster as bytes.
    plain = plain.encode("utf-8", "ignore").translate(None, _ASCII_BYTES).decode()
    return plain if plain.isascii() else _OTHERS.sub("", plain)


def forms(text: str) -> Iterator[str]:
    """Yield a text folded, as it is written and with one layer of percent escapes or base64 taken off."""
    written = list(dict.fromkeys((text, unquote(text))))
    for one in written:
        yield folded(one)
    for one in written:
        for run in _BASE64.findall("".join(one.split())):
            for start in range(4):  # it may begin in the middle of a longer run
                yield folded(_from_base64(run[start:]))


def _from_base64(run: str) -> str:
    try:
        data = base64.b64decode(run[: len(run) - len(run) % 4].translate(_URL_SAFE))
    except binascii.Error:
        return ""
    return data.decode("utf-8", "ignore")
