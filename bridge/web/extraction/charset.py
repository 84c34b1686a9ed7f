"""Bytes of a page as text: by its byte order mark, its header, its own word, and else by what they look like."""

import codecs
import re
from typing import Final

_META: Final = re.compile(
    rb"<meta[^>]{0,200}?charset\s{0,9}=\s{0,9}[\"']?\s{0,9}([A-Za-z0-9_:.-]{2,40})", re.IGNORECASE
)
_HEAD: Final = 4096
"""Bytes at the beginning in which a page may name its encoding; browsers look through 1,024."""
_MARKS: Final = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_AS_BROWSERS_DO: Final = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "utf-7": "cp1252",
}
"""Encodings that a page names and those it is read in (the Encoding standard of WHATWG)."""
_TEXTS: Final = frozenset(
    (
        *("utf-8", "utf-16", "utf-16-le", "utf-16-be", "cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255"),
        *("cp1256", "cp1257", "cp1258", "cp866", "cp874", "cp932", "cp949", "big5", "big5hkscs", "gb18030", "euc_jp"),
        *("iso2022_jp", "koi8-r", "koi8-u", "mac-roman", "mac-cyrillic", *(f"iso8859-{part}" for part in range(2, 17))),
    )
)
"""Encodings of texts; Python knows others (zip, hex) that no page may have run."""
_SAMPLE: Final = 64 * 1024


def decode_text(data: bytes, named: str = "", *, html: bool = True) -> tuple[str, str]:
    """Return text, and the encoding it was in. What fits no encoding becomes replacement characters.

    Args:
        data: The bytes.
        named: The encoding that the header names; empty where it names none.
        html: Whether the bytes may name their encoding themselves, as HTML does.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace"), encoding
    found = _META.search(data, 0, _HEAD) if html else None
    said = _known(named) or (_known(found[1].decode("ascii")) if found else None)
    if found and not _known(named) and said is not None and said.startswith("utf-16"):
        said = "utf-8"  # it could not have been read as ASCII otherwise
    if said is not None:
        return data.decode(said, "replace"), said
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        guessed = _guessed(data[:_SAMPLE])
        return data.decode(guessed, "replace"), guessed


def _known(name: str) -> str | None:
    try:
        found = codecs.lookup(name.strip().strip("\"'")).name
    except (LookupError, ValueError):
        return None
    found = _AS_BROWSERS_DO.get(found, found)
    return found if found in _TEXTS else None


def _guessed(sample: bytes) -> str:
    from charset_normalizer import from_bytes  # noqa: PLC0415 - slow to import, seldom needed

    best = from_bytes(sample).best()
    return (_known(best.encoding) if best is not None else None) or "cp1252"
