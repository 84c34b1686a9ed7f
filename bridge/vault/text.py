"""Text as bytes: lines, line endings and encoding, for files of any size; and the characters that mislead people.

Nothing here splits, decodes or copies a large file in one go: a single call into C that takes long would hold up
every other thread of the bridge.
"""

import codecs
import mimetypes
import re
import unicodedata
from bisect import bisect_left
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from itertools import pairwise

from bridge.errors import InvalidParameters

BOM = codecs.BOM_UTF8
CHUNK = 1 << 20
"""Bytes looked at in one call: about a millisecond. At least 4, the longest character."""


class Lines:
    r"""The lines of some bytes, found without splitting them.

    A line ends at `\n`, or at `\r\n`, which is one ending; a lone `\r` is part of the line. A final line break
    ends the last line: `a\nb\n` has two lines, and so has `a\nb`. A byte order mark comes before line 1 and is no
    part of it.

    Args:
        data: The file's bytes.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.bom = BOM if data.startswith(BOM) else b""
        # How many line breaks lie before each chunk, and after the last one in all.
        self._breaks = [0]
        for start in range(0, len(data), CHUNK):
            self._breaks.append(self._breaks[-1] + data.count(b"\n", start, start + CHUNK))

    @property
    def count(self) -> int:
        """Return the number of lines; an empty file has none."""
        unended = len(self.data) > len(self.bom) and not self.ends_with_break
        return self._breaks[-1] + unended

    @property
    def ends_with_break(self) -> bool:
        """Return whether the last byte is a line break."""
        return self.data.endswith(b"\n")

    def start(self, number: int) -> int:
        """Return the offset of a line in bytes; for the line after the last one, the end of the file.

        Args:
            number: From 1 to `count + 1`.

        Raises:
            ValueError: There is no such line.
        """
        if not 1 <= number <= self.count + 1:
            raise ValueError(f"there is no line {number} of {self.count}")
        if number == 1:
            return len(self.bom)
        return self._after_break(number - 1) if number - 1 <= self._breaks[-1] else len(self.data)

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Return the offsets at which some lines begin and end, including their line breaks.

        Args:
            first: The first line, from 1.
            last: The last line, inclusive; `first - 1` means the empty place before `first`.

        Returns:
            Two offsets in bytes.
        """
        return self.start(first), self.start(last + 1)

    def line(self, number: int) -> bytes:
        """Return a line without its ending.

        Args:
            number: From 1 to `count`.
        """
        start, end = self.span(number, number)
        return self.data[start : end - len(self.ending(number))]

    def ending(self, number: int) -> bytes:
        r"""Return the line break of a line: `\r\n`, `\n`, or nothing at the end of the file.

        Args:
            number: From 1 to `count`.
        """
        start, end = self.span(number, number)
        if self.data[end - 1 : end] != b"\n":
            return b""
        return b"\r\n" if end - 2 >= start and self.data[end - 2 : end] == b"\r\n" else b"\n"

    def number_at(self, offset: int) -> int:
        """Return the number of a line, from 1.

        Args:
            offset: A byte of it.
        """
        chunk = min(offset // CHUNK, len(self._breaks) - 1)
        return 1 + self._breaks[chunk] + self.data.count(b"\n", chunk * CHUNK, offset)

    @cached_property
    def prevailing(self) -> bytes:
        r"""Return the ending most lines have; the one that comes first when it is a draw, `\n` when there is none."""
        return prevailing_ending(self.data, 0, len(self.data)) or b"\n"

    def _after_break(self, number: int) -> int:
        """Return the offset just behind the n-th line break: which chunk it is in, then by halves."""
        chunk = bisect_left(self._breaks, number) - 1
        low, high = chunk * CHUNK, min((chunk + 1) * CHUNK, len(self.data))
        wanted = number - self._breaks[chunk]
        while high - low > 1:
            middle = (low + high) // 2
            found = self.data.count(b"\n", low, middle)
            if found >= wanted:
                high = middle
            else:
                low, wanted = middle, wanted - found
        return high


def prevailing_ending(data: bytes, start: int, end: int) -> bytes:
    """Return the line ending most used in a stretch of bytes.

    Args:
        data: The bytes.
        start: The beginning of the stretch.
        end: Its end.

    Returns:
        The first one when it is a draw; empty when there is none.
    """
    breaks = windows = 0
    for low, high in pairwise([*range(start, end, CHUNK), end]):
        found = data.count(b"\n", low, high)
        breaks += found
        windows += data.count(b"\r\n", max(low - 1, start), high) if found else 0
    if not breaks:
        return b""
    if windows * 2 == breaks:
        first = data.find(b"\n", start, end)
        return b"\r\n" if data[max(first - 1, start) : first] == b"\r" else b"\n"
    return b"\r\n" if windows * 2 > breaks else b"\n"


def check_utf8(data: bytes, path: object) -> None:
    """Make sure that some bytes are UTF-8.

    Args:
        data: The bytes.
        path: What the file is called in the failure.

    Raises:
        InvalidParameters: They are not; it names the offset of the first byte that is wrong.
    """
    deque(_decoded(data, path), maxlen=0)


def encode(text: str, what: str = "The text") -> bytes:
    """Return the bytes of a text that a caller gave to be written.

    Args:
        text: The text.
        what: What it is called in the failure.

    Raises:
        InvalidParameters: It holds a NUL, or half of a surrogate pair: no text file does.
    """
    if "\x00" in text:
        raise InvalidParameters(f"{what} holds a NUL character, which makes a file binary; remove it")
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise InvalidParameters(f"{what} is not valid Unicode; remove the lone surrogate") from None


def decode(data: bytes, path: object) -> str:
    """Return the text of some bytes, strictly UTF-8, without a byte order mark. Raises what `check_utf8` raises.

    Args:
        data: The bytes.
        path: What the file is called in the failure.
    """
    text = data.decode() if len(data) <= CHUNK and data.isascii() else "".join(_decoded(data, path))
    return text.removeprefix("\ufeff")


def _decoded(data: bytes, path: object) -> Iterator[str]:
    start = 0
    while start < len(data):
        piece = data[start : start + CHUNK]
        try:
            text, used = codecs.utf_8_decode(piece, "strict", start + CHUNK >= len(data))
        except UnicodeDecodeError as error:
            offset = start + error.start
            raise InvalidParameters(
                f"{str(path)!r} is not UTF-8 text: byte 0x{data[offset]:02x} at offset {offset}. "
                "Convert it to UTF-8 first",
                data={"offset": offset},
            ) from None
        yield text
        start += used


NOTE_EXTENSION = ".md"
CANVAS_EXTENSION = ".canvas"

HEAD = 8192
"""Number of bytes of a file that are needed to judge it."""

_MAGIC: tuple[tuple[int, bytes, str, str], ...] = (
    (0, b"%PDF-", "PDF document", "application/pdf"),
    (0, b"\x89PNG\r\n\x1a\n", "image", "image/png"),
    (0, b"\xff\xd8\xff", "image", "image/jpeg"),
    (0, b"GIF87a", "image", "image/gif"),
    (0, b"GIF89a", "image", "image/gif"),
    (8, b"WEBP", "image", "image/webp"),
    (4, b"ftypavif", "image", "image/avif"),
    (4, b"ftyphei", "image", "image/heic"),
    (4, b"ftypmif1", "image", "image/heif"),
    (0, b"BM", "image", "image/bmp"),
    (8, b"WAVE", "audio", "audio/wav"),
    (0, b"ID3", "audio", "audio/mpeg"),
    (0, b"fLaC", "audio", "audio/flac"),
    (0, b"OggS", "audio", "audio/ogg"),
    (4, b"ftypM4A", "audio", "audio/mp4"),
    (4, b"ftyp", "video", "video/mp4"),
    (0, b"\x1aE\xdf\xa3", "video", "video/webm"),
    (0, b"PK\x03\x04", "archive", "application/zip"),
    (0, b"\x1f\x8b", "archive", "application/gzip"),
    (0, b"7z\xbc\xaf\x27\x1c", "archive", "application/x-7z-compressed"),
    (0, b"SQLite format 3\x00", "database", "application/vnd.sqlite3"),
    (0, b"wOF2", "font", "font/woff2"),
    (0, b"\xff\xfe", "text in UTF-16", "text/plain; charset=utf-16"),
    (0, b"\xfe\xff", "text in UTF-16", "text/plain; charset=utf-16"),
)
_ALSO_WITHOUT_NUL = ("application/pdf", "image/", "audio/", "video/", "application/zip", "application/gzip")

# The formats Obsidian opens (rule 5 of docs/obsidian.md); what `mimetypes` knows depends on the system it runs on.
_BY_NAME = (
    {".md": "text/markdown", ".canvas": "application/json", ".base": "application/yaml", ".pdf": "application/pdf"}
    | {".jpg": "image/jpeg", ".svg": "image/svg+xml"}
    | {f".{name}": f"image/{name}" for name in ("avif", "bmp", "gif", "jpeg", "png", "webp")}
    | {".3gp": "audio/3gpp", ".m4a": "audio/mp4", ".mp3": "audio/mpeg"}
    | {f".{name}": f"audio/{name}" for name in ("flac", "ogg", "wav")}
    | {".mkv": "video/x-matroska", ".mov": "video/quicktime", ".ogv": "video/ogg"}
    | {f".{name}": f"video/{name}" for name in ("mp4", "webm")}
)


def note_name(path: str) -> str:
    """Return the name of the note at a path: its last part, without `.md`.

    Args:
        path: A vault path.
    """
    name = path.rpartition("/")[2]
    return name[: -len(NOTE_EXTENSION)] if is_note(name) and len(name) > len(NOTE_EXTENSION) else name


def is_note(path: str) -> bool:
    """Return whether a path is that of a note: it ends with `.md`, in any case.

    Args:
        path: A vault path or a name.
    """
    return path[-len(NOTE_EXTENSION) :].lower() == NOTE_EXTENSION


def mime_type(name: str) -> str:
    """Return the MIME type of a file, by its name.

    Args:
        name: The name, or a path that ends with it.

    Returns:
        The type; `application/octet-stream` when the extension is unknown.
    """
    _stem, dot, extension = name.rpartition(".")
    known = _BY_NAME.get((dot + extension).lower())
    return known or mimetypes.guess_type(f"x{dot}{extension}")[0] or "application/octet-stream"


def is_text(data: bytes) -> bool:
    """Return whether a file is text, the same everywhere in the bridge: by its first 8 KiB, never by its name.

    They hold no NUL; and they are UTF-8, or at least do not begin as a format does that is never text. So a note that
    begins with `GIF89a` is text, and so is one in an older encoding.

    Args:
        data: The file's first bytes, `HEAD` of them or more, or all of them.
    """
    head = data[:HEAD]
    if b"\x00" in head:
        return False
    # "BM" and "ID3" may well begin a note: a format that short counts only with a NUL, which it then has.
    found = _by_content(head, shortest=4)
    return found is None or not found[1].startswith(_ALSO_WITHOUT_NUL) or _is_utf8(head)


def _is_utf8(head: bytes) -> bool:
    """Return whether some bytes are UTF-8; the last character may be incomplete."""
    with suppress(UnicodeDecodeError):
        codecs.utf_8_decode(head, "strict", len(head) < HEAD)
        return True
    return False


def describe_binary(data: bytes, name: str) -> tuple[str, str]:
    """Return the kind of a binary file.

    Args:
        data: Its first bytes, or all of them.
        name: Its name.

    Returns:
        The kind in words, such as `image`, and the MIME type. The bytes win over the name.
    """
    found = _by_content(data[:HEAD], shortest=2)
    mime = mime_type(name)
    # Many formats (docx, epub) are zip archives: there the name knows better.
    if (found is None or found[1] == "application/zip") and mime != "application/octet-stream":
        return _kind(mime), mime
    return found or ("binary data", mime)


def _by_content(head: bytes, *, shortest: int) -> tuple[str, str] | None:
    for offset, magic, kind, mime in _MAGIC:
        if len(magic) >= shortest and head.startswith(magic, offset):
            return kind, mime
    return None


def _kind(mime: str) -> str:
    """Return the kind in words, from the MIME type."""
    family = mime.partition("/")[0]
    if mime == "application/pdf":
        return "PDF document"
    return family if family in {"image", "audio", "video", "font"} else "binary data"


_ALWAYS = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # controls, but for tab and line breaks
    "\r"  # a carriage return inside a line overwrites it on a terminal
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_JOINERS = "\u200c\u200d"
_STEP = 100_000
"""Characters that are looked at without a turn for other threads."""
_HIDDEN = re.compile(f"[{_ALWAYS}]|(?<![^\x00-\x7f])[{_JOINERS}]|[{_JOINERS}](?![^\x00-\x7f])")


def hidden_characters(text: str) -> Iterator[tuple[int, str]]:
    """Yield each invisible character in a text: its offset, and its name such as `U+200B ZERO WIDTH SPACE`."""
    for start in range(0, len(text), _STEP):
        end = start + _STEP
        piece = text[start:end]
        if not (piece.isascii() and piece.isprintable()):  # most lines of most notes are
            for found in _HIDDEN.finditer(text, start, end + 1):  # what follows a joiner decides about it
                if found.start() < end:
                    yield found.start(), _name(found[0])


def without_hidden_characters(text: str) -> str:
    """Return a text as people see it."""
    return _HIDDEN.sub("", text)


def with_hidden_characters_shown(text: str) -> str:
    """Return a text in which each of them stands as its code point, such as `<U+001B>`, so that it does nothing."""
    return _HIDDEN.sub(lambda found: f"<U+{ord(found[0]):04X}>", text.replace("\r\n", "\n"))


def _name(character: str) -> str:
    code = f"U+{ord(character):04X}"
    try:
        return f"{code} {unicodedata.name(character)}"
    except ValueError:
        return code


_CYRILLIC = "асеорхуіјѕһԁԛԝАВЕКМНОРСТХУІЈЅԌ"  # noqa: RUF001 - these are the ones
_GREEK = "οΑΒΕΖΗΙΚΜΝΟΡΤΥΧ"  # noqa: RUF001 - these are the ones
AS_LATIN = str.maketrans(_CYRILLIC + _GREEK, "aceopxyijshdqwABEKMHOPCTXYIJSG" + "oABEZHIKMNOPTYX")
"""Each of these letters by the Latin one that it looks like, for `str.translate`."""
_LIKE_LATIN = frozenset(_CYRILLIC + _GREEK)
_ANY = re.compile(f"[{_CYRILLIC}{_GREEK}]")
_WORD = re.compile(r"[^\W\d_]+")


def lookalikes(text: str) -> Iterator[tuple[int, str]]:
    """Yield each such word in a text: the offset of its first letter that is not Latin, and a description.

    Args:
        text: One line, or a path.
    """
    if text.isascii() or _ANY.search(text) is None:
        return
    for word in _WORD.finditer(text):
        letters = word[0]
        if letters.isascii() or not any(map(_is_latin, letters)):
            continue
        foreign = [at for at, letter in enumerate(letters) if not _is_latin(letter)]
        if foreign and all(letters[at] in _LIKE_LATIN for at in foreign):
            letter = letters[foreign[0]]
            yield word.start() + foreign[0], f"U+{ord(letter):04X} {unicodedata.name(letter)} in {letters[:40]!r}"


def _is_latin(letter: str) -> bool:
    return letter.isascii() or "\u00c0" <= letter <= "\u024f" or "\u1e00" <= letter <= "\u1eff"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, such as `1 note` or `1,200 notes`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
