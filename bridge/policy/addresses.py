"""Addresses of the web in texts, each as one key: what an address in a note and a request for it have in common."""

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import quote

_ADDRESS: Final = re.compile(r"https?://([^\s<>\"'`|\\\]}]{3,8192})", re.IGNORECASE)
_ENDS: Final = ".,;:!?*_)"
_KEPT: Final = "%/:=&?~#+!$,;@()*[]'"


def address_key(address: str) -> str:
    """Return an address as it is compared: without its scheme and fragment, its host in lower case.

    Args:
        address: It all, or what follows the scheme.
    """
    rest = address.partition("://")[2] or address
    rest = rest.partition("#")[0]
    if not rest.isascii():
        rest = quote(rest, safe=_KEPT)
    end = next((at for at, character in enumerate(rest) if character in "/?"), len(rest))
    host, target = rest[:end].lower(), rest[end:]
    return f"{host}{target}" if target.startswith("/") else f"{host}/{target}"


def addresses(text: str) -> Iterator[str]:
    """Yield the keys of all addresses in a text; where punctuation may end one, with it and without it.

    Args:
        text: Of a note or an answer.
    """
    for found in _ADDRESS.finditer(text):
        whole = found[1]
        for form in {whole, whole.rstrip(_ENDS), whole.partition(")")[0]}:
            yield address_key(form)
