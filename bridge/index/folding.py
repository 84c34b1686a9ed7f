"""Texts as they are compared: the letters and digits alone, in one case and one Unicode form."""

import base64
import binascii
import re
import unicodedata
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote

_ASCII_ALONE: Final = {number: None for number in range(128) if not chr(number).isalnum()}
_ASCII_BYTES: Final = bytes(_ASCII_ALONE)
_OTHERS: Final = re.compile(r"[\W_]+")
_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]{16,}")
_URL_SAFE: Final = str.maketrans("-_", "+/")
_AT_ONCE: Final = 1 << 16
"""Characters that one step of Python works on; more would hold up other threads."""


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
