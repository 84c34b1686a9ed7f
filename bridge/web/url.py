"""URLs of the web, read once: what is checked is what is connected to.

The rules are narrower than a browser's, because every spelling that two programs could read differently is a way
around a check. A host has one spelling: lower case, other scripts by UTS 46 in their ASCII form (`xn--`), an address
as four decimal numbers or as RFC 5952 writes it. User names, backslashes, control and invisible characters, numeric
spellings of addresses (`0x7f.1`, `2130706433`) and escapes in the host are refused, each with its reason.
"""

import ipaddress
import re
import unicodedata
from dataclasses import dataclass, replace
from typing import Final, Literal
from urllib.parse import quote

import idna

from bridge.errors import InvalidParameters
from bridge.policy.targets import normal_path

LONGEST: Final = 8_192
"""Characters of a URL. Browsers take more, servers rarely do (RFC 9110, 4.1, asks for 8,000)."""
LONGEST_HOST: Final = 253
"""Octets of a host name in ASCII (RFC 1035)."""
DEFAULT_PORTS: Final = {"http": 80, "https": 443}

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_PORT = re.compile(r"[0-9]{1,5}")
_ESCAPE_BROKEN = re.compile(r"%(?![0-9A-Fa-f]{2})")
_IN_PATH: Final = "/%:@!$&'()*+,;=~"
_IN_QUERY: Final = _IN_PATH + "?[]|"
_REFUSED: Final = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
"""Unicode categories that no URL holds: control, format and private characters, surrogates, line separators."""
_PLAIN_SCRIPTS: Final = (
    *("CJK UNIFIED", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "ARABIC", "HEBREW", "DEVANAGARI", "BENGALI"),
    *("TAMIL", "TELUGU", "THAI"),
)
"""Scripts whose letters nobody takes for Latin ones, by the beginning of their letters' names."""


class BadUrl(InvalidParameters):
    """A URL that cannot be read in exactly one way.

    Args:
        why: The fault, and what to write instead.
    """

    def __init__(self, why: str) -> None:
        super().__init__(f"This URL cannot be used: {why}", code="bad_url")


@dataclass(frozen=True, slots=True)
class WebUrl:
    """One place on the web, in its one spelling. Made by `parse_url`.

    Attributes:
        scheme: `http` or `https`.
        host: The host in ASCII: a name in lower case, or an address; one of IPv6 without brackets.
        port: The port, also where it is the scheme's own.
        path: The path with its slash, in ASCII.
        query: What follows the `?`, in ASCII; None when there is no `?`.
    """

    scheme: Literal["http", "https"]
    host: str
    port: int
    path: str
    query: str | None = None

    def __post_init__(self) -> None:
        if len(str(self)) > LONGEST:  # also of what a reference leads to, or is written with escapes
            raise BadUrl(f"it has more than {LONGEST:,} characters")

    @property
    def address(self) -> Address | None:
        """Return the host, where it is an address."""
        try:
            return ipaddress.ip_address(self.host)
        except ValueError:
            return None

    @property
    def netloc(self) -> str:
        """Return the host and, where it is not the scheme's own, the port: what the header `Host` says."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def origin(self) -> str:
        """Return the scheme, host and port."""
        return f"{self.scheme}://{self.netloc}"

    @property
    def target(self) -> str:
        """Return the request's target for the server: path and query."""
        return self.path if self.query is None else f"{self.path}?{self.query}"

    @property
    def page(self) -> str:
        """Return the URL without its query."""
        return f"{self.origin}{self.path}"

    def __str__(self) -> str:
        return f"{self.origin}{self.target}"

    @property
    def written(self) -> str | None:
        """Return the host in its own script, where it has one whose letters nobody could take for others; else None."""
        if "xn--" not in self.host:
            return None
        try:
            host = idna.decode(self.host)
        except idna.IDNAError:
            return None
        return host if all(map(_is_plain, host.split("."))) else None

    def upgraded(self) -> "WebUrl":
        """Return the same page over https: at 443 instead of 80, at any other port as it is."""
        return replace(self, scheme="https", port=443 if self.port == DEFAULT_PORTS["http"] else self.port)

    def joined(self, reference: str) -> "WebUrl":
        """Return where a reference of this page leads, such as the header `Location` of a redirect (RFC 3986, 5.2).

        Raises:
            BadUrl: The result is no URL that can be used.
        """
        reference = reference.strip(" ").partition("#")[0]
        if _SCHEME.match(reference):
            return parse_url(reference)
        _refuse_characters(reference)
        if reference.startswith("//"):
            return parse_url(f"{self.scheme}:{reference}")
        if not reference:
            return self
        path, mark, query = reference.partition("?")
        if not path:
            path = self.path
        elif not path.startswith("/"):
            path = self.path[: self.path.rindex("/") + 1] + path
        return replace(self, path=_path(path), query=_query(query) if mark else None)


def parse_url(text: str) -> WebUrl:
    """Read a URL. Its fragment is dropped, as it is never sent.

    Args:
        text: An absolute URL of `http` or `https`.

    Raises:
        BadUrl: It is none, or could be read in more than one way.
    """
    if len(text) > LONGEST:
        raise BadUrl(f"it has more than {LONGEST:,} characters")
    _refuse_characters(text)
    if text != text.strip():
        raise BadUrl("there is white space around it")
    found = _SCHEME.match(text)
    scheme = found[1].lower() if found else ""
    if scheme not in DEFAULT_PORTS:
        raise BadUrl("it must begin with `https://` or `http://`")
    rest = text[len(scheme) + 1 :]
    if not rest.startswith("//") or rest.startswith("///"):
        raise BadUrl(f"after `{scheme}:` there must be two slashes and a host")
    rest = rest[2:].partition("#")[0]
    end = next((at for at, character in enumerate(rest) if character in "/?"), len(rest))
    host, port = _authority(rest[:end], DEFAULT_PORTS[scheme])
    path, mark, query = rest[end:].partition("?")
    return WebUrl(
        "https" if scheme == "https" else "http", host, port, _path(path or "/"), _query(query) if mark else None
    )


def parse_host(text: str) -> str:
    """Return the one spelling of a host name or address, as `WebUrl.host` has it.

    Raises:
        BadUrl: It is none.
    """
    if text.startswith("["):
        return _address_six(text)
    if "%" in text:
        raise BadUrl("its host holds an escape; write the host itself")
    name = text.lower() if text.isascii() else _mapped(text)
    name = name.removesuffix(".")
    labels = name.split(".")
    if _NUMBER.fullmatch(labels[-1]):
        try:
            return str(ipaddress.IPv4Address(name))
        except ValueError:
            raise BadUrl("an address is written as four decimal numbers, such as 192.0.2.1") from None
    if not name or len(name) > LONGEST_HOST:
        raise BadUrl("its host is empty or too long")
    return ".".join(map(_label, labels))


def _refuse_characters(text: str) -> None:
    for character in text:
        if character == "\\":
            raise BadUrl("it holds a backslash, which some programs read as a slash")
        if unicodedata.category(character) in _REFUSED:
            raise BadUrl(f"it holds the character U+{ord(character):04X}, which cannot be seen")


def _authority(text: str, default: int) -> tuple[str, int]:
    """Return the host and port."""
    if "@" in text:
        raise BadUrl("it has a user name before the host; leave out everything up to the `@`")
    host, colon, port = text.partition(":")
    if text.startswith("["):
        inside, end, after = text.partition("]")
        host, colon, port = inside + end, after[:1], after[1:]
        if colon not in {"", ":"}:
            raise BadUrl("after the `]` of an address there is only a port")
    if not colon:
        return parse_host(host), default
    if not _PORT.fullmatch(port) or not 0 < int(port) < 1 << 16:
        raise BadUrl("its port must be a number from 1 to 65535")
    return parse_host(host), int(port)


def _address_six(text: str) -> str:
    try:
        address = ipaddress.IPv6Address(text[1:-1] if text.endswith("]") else "")
    except ValueError:
        raise BadUrl("in brackets there must be an address of IPv6") from None
    if address.scope_id is not None:
        raise BadUrl("an address names no zone")
    if address.ipv4_mapped is not None:
        raise BadUrl("an address of IPv4 is written as four decimal numbers, not inside one of IPv6")
    return address.compressed


def _mapped(text: str) -> str:
    """Return the name as UTS 46 maps it: compatibility forms and other dots become what they stand for."""
    try:
        return idna.uts46_remap(text, std3_rules=True, transitional=False)
    except idna.IDNAError:
        raise BadUrl("its host holds characters that no host name has") from None


def _label(label: str) -> str:
    try:
        if not label.isascii():
            label = idna.alabel(label).decode("ascii")
        elif label.startswith("xn--") and idna.alabel(idna.ulabel(label)).decode("ascii") != label:
            raise BadUrl("its host is no valid name in the form `xn--`")
    except UnicodeError:  # IDNAError is one
        raise BadUrl("its host is no valid name in another script") from None
    if not _LABEL.fullmatch(label):
        raise BadUrl("a host name has letters, digits and hyphens between its dots, at most 63 of them")
    return label


def _path(path: str) -> str:
    return normal_path(quote(_ESCAPE_BROKEN.sub("%25", path), safe=_IN_PATH))


def _query(query: str) -> str:
    return quote(_ESCAPE_BROKEN.sub("%25", query), safe=_IN_QUERY)


def _is_plain(label: str) -> bool:
    """Return whether an internationalized label can be shown as it is: Latin with marks, or one script unlike Latin."""
    if label.isascii():
        return True
    base = unicodedata.normalize("NFD", label)
    if all(letter.isascii() or unicodedata.combining(letter) == _ABOVE or letter in "ßæøœ" for letter in base):
        return True
    return all(
        letter in "-0123456789" or unicodedata.name(letter, "").startswith(_PLAIN_SCRIPTS) or letter in "ー々"
        for letter in label
    )


_ABOVE: Final = 230
"""The combining class of marks above a letter, which are seen; those below or through it are easily overlooked."""
