"""The guard of the network: decides from a URL and the settings alone, without asking anyone or anything.

    1. a service that the person has entered: exactly its scheme, host and port, and only for that service
    2. this machine (`localhost`, `127.0.0.1`, `[::1]`): any port but the bridge's own; never upgraded to https
    3. everything else is the public web: over https where `httpsOnly` is set, never at a port of another protocol

What is outside 1 needs consent besides; `Clearance.listed` says whether the site is one of `allowedDomains`, and where
`onlyAllowedDomains` is set, nothing else is reached. Which addresses a name leads to is checked afterwards, with
`Clearance.admits`, for every address that is connected to.

Which addresses are public is decided by a table of our own, as Python's `is_global` follows the registries of the
version that runs. It holds the special-purpose registries of IANA (RFC 6890 and its successors) as of November 2026. An
address of IPv6 is public only inside the one block that is handed out (2000::/3, RFC 4291), so whatever is added
elsewhere stays closed.
"""

import contextlib
import ipaddress
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import Final, NamedTuple
from urllib.parse import urlencode

from bridge.contract.consent import TargetKind
from bridge.errors import InvalidParameters, PermissionDenied
from bridge.policy.targets import Target
from bridge.settings.model import Settings
from bridge.web.url import DEFAULT_PORTS, Address, BadUrl, WebUrl, parse_host, parse_url

_CLOSED_FOUR: Final = tuple(
    ipaddress.IPv4Network(block)
    for block in (
        "0.0.0.0/8",  # this network (RFC 791)
        "10.0.0.0/8",  # private (RFC 1918)
        "100.64.0.0/10",  # shared by a provider's customers (RFC 6598); a cloud's metadata, too
        "127.0.0.0/8",  # this machine (RFC 1122)
        "169.254.0.0/16",  # link-local (RFC 3927); a cloud's metadata
        "172.16.0.0/12",  # private (RFC 1918)
        "192.0.0.0/24",  # protocol assignments (RFC 6890)
        "192.0.2.0/24",  # documentation (RFC 5737)
        "192.31.196.0/24",  # AS112 (RFC 7535)
        "192.52.193.0/24",  # multicast tunnels (RFC 7450)
        "192.88.99.0/24",  # 6to4 relays (RFC 7526)
        "192.168.0.0/16",  # private (RFC 1918)
        "192.175.48.0/24",  # AS112 (RFC 7534)
        "198.18.0.0/15",  # benchmarks (RFC 2544)
        "198.51.100.0/24",  # documentation (RFC 5737)
        "203.0.113.0/24",  # documentation (RFC 5737)
        "224.0.0.0/4",  # multicast (RFC 5771)
        "240.0.0.0/4",  # reserved, and broadcast (RFC 1112, RFC 919)
        "168.63.129.16/32",  # a cloud's own services for its machines (Azure)
    )
)
_OPEN_SIX: Final = ipaddress.IPv6Network("2000::/3")
_CLOSED_SIX: Final = tuple(
    ipaddress.IPv6Network(block)
    for block in (
        "2001::/23",  # protocol assignments, with Teredo and ORCHID (RFC 2928)
        "2001:db8::/32",  # documentation (RFC 3849)
        "2002::/16",  # 6to4: an address of IPv4 inside (RFC 3056)
        "2620:4f:8000::/48",  # AS112 (RFC 7534)
        "3fff::/20",  # documentation (RFC 9637)
    )
)

_TRANSLATED: Final = ipaddress.IPv6Network("64:ff9b::/96")
"""Addresses of IPv4 as networks that have only IPv6 write them (NAT64, RFC 6052)."""

HERE: Final[tuple[Address, ...]] = (ipaddress.IPv4Address("127.0.0.1"), ipaddress.IPv6Address("::1"))
"""The addresses of this machine that are used, in the order in which they are tried."""


def is_public(address: Address) -> bool:
    """Return whether an address is one of the public internet."""
    if isinstance(address, ipaddress.IPv4Address):
        return not any(address in block for block in _CLOSED_FOUR)
    if address.scope_id is not None:
        return False
    if address in _TRANSLATED:
        return is_public(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return address in _OPEN_SIX and not any(address in block for block in _CLOSED_SIX)


def is_here(address: Address) -> bool:
    """Return whether an address is this machine."""
    return address.is_loopback


def is_for_services(address: Address) -> bool:
    """Return whether a service that the person entered may have this address: here, at home, or public.

    Link-local, multicast and reserved addresses are none: a cloud's metadata are there.
    """
    return is_public(address) or address in HERE or any(address in block for block in _HOME)


_HOME: Final = tuple(
    map(ipaddress.ip_network, ("10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"))
)


THIS_MACHINE: Final = "localhost"
"""The name of this machine. Its names in `.localhost` are it too (RFC 6761), and no resolver is asked for them."""

CLOSED_PORTS: Final = frozenset(
    (
        *(1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109),
        *(110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526),
        *(530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659),
        *(4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080),
        # What a browser's list lacks: databases and other services whose text protocols a request could speak.
        *(873, 1433, 2375, 3306, 3389, 5432, 5900, 6379, 9200, 11211, 27017),
    )
)
"""Ports of other protocols: the Fetch standard's list of bad ports, and some databases."""


class RequestRefused(PermissionDenied):
    """A URL that may not be reached, whoever asks.

    Args:
        message: Why, and what would have to change.
        code: `domain`, or `blocked` where external requests are blocked altogether.
    """

    def __init__(self, message: str, *, code: str = "domain") -> None:
        super().__init__(message, code=code)


class UrlPlace(StrEnum):
    """The place that a URL leads to, as far as it can be told before any look-up."""

    SERVICE = "service"
    HERE = "here"
    PUBLIC = "public"


class Service(NamedTuple):
    """A service of the person's: what they entered is the consent to reach exactly that.

    Attributes:
        name: Its name for people.
        base: The URL that was entered.
    """

    name: str
    base: WebUrl

    @classmethod
    def of(cls, name: str, text: str) -> "Service":
        """Return the service at a URL that the person has entered.

        Raises:
            InvalidParameters: It is no URL.
        """
        try:
            return cls(name, parse_url(text))
        except BadUrl as error:
            raise InvalidParameters(f"The address of {name} cannot be used. {error.message}") from None

    def url(self, path: str = "", query: Mapping[str, str] | Sequence[tuple[str, str]] | None = None) -> WebUrl:
        """Return a URL of the service.

        Args:
            path: What comes after the address that was entered, with its slash.
            query: The members of the query.
        """
        asked = f"?{urlencode(query)}" if query else ""
        return parse_url(f"{self.base.origin}{self.base.path.rstrip('/')}{path or '/'}{asked}")

    def holds(self, url: WebUrl) -> bool:
        """Return whether a URL is one of this service: the same scheme, host and port."""
        return url.origin == self.base.origin


class Rules(NamedTuple):
    """The rules for the network.

    Attributes:
        settings: The settings that make them.
        own_ports: The ports at which the bridge itself listens.
    """

    settings: Settings
    own_ports: frozenset[int]


class Clearance(NamedTuple):
    """The permission to connect, as far as the URL says.

    Attributes:
        url: What to connect to; over https where that was asked for.
        place: Where it leads.
        listed: Whether the site is in `allowedDomains`. That is no consent: the tool's mode still decides.
        admits: Whether an address that the host leads to may be connected to.
        unsigned: Whether the server's certificate is not checked.
    """

    url: WebUrl
    place: UrlPlace
    listed: bool
    admits: Callable[[Address], bool]
    unsigned: bool = False


def check(url: WebUrl, rules: Rules, service: Service | None = None) -> Clearance:
    """Decide about one URL. Every hop of a redirect is decided about anew.

    Args:
        url: Where a request would go.
        rules: The settings' rules.
        service: The service on whose behalf it is made; it reaches nothing else.

    Raises:
        RequestRefused: It may not be reached.
    """
    here = names_this_machine(url.host)
    if here and url.port in rules.own_ports:
        raise RequestRefused("That is the bridge itself, which no tool can reach")
    if service is not None:
        return _service(url, rules, service, here=here)
    if url.port in CLOSED_PORTS:
        raise RequestRefused(f"Port {url.port} belongs to another protocol than the web's")
    if here:
        unsigned = rules.settings.allow_self_signed_localhost and url.scheme == "https"
        # An entry of the list means this machine at Ollama's port alone.
        at_ollama = url.port in _ports_here(rules.settings.ollama_web_search_endpoint)
        listed = at_ollama and url.host in _entries(rules.settings.allowed_domains)
        return _if_reached(Clearance(url, UrlPlace.HERE, listed, is_here, unsigned), rules)
    if rules.settings.block_external_requests:
        raise RequestRefused("The user has blocked requests that leave this computer", code="blocked")
    address = url.address
    if address is not None and not is_public(address):
        raise RequestRefused(f"{url.host} is no public address; only services that the user has entered can have one")
    if "." not in url.host and address is None:
        raise RequestRefused(
            f"{url.host!r} is a name of a local network; only services that the user has entered can be there"
        )
    passed = url.upgraded() if rules.settings.https_only and url.scheme == "http" else url
    return _if_reached(Clearance(passed, UrlPlace.PUBLIC, _is_listed(passed, rules), is_public), rules)


def _if_reached(passage: Clearance, rules: Rules) -> Clearance:
    """Return a clearance. Raises RequestRefused where its site is none of those that alone are reached."""
    if rules.settings.only_allowed_domains and not passage.listed:
        raise RequestRefused(
            f"{passage.url.origin} is none of the sites that the user allows: setting `onlyAllowedDomains` is on, so "
            "nothing is reached but the sites of `allowedDomains`"
        )
    return passage


def all_listed(targets: Iterable[Target], settings: Settings) -> bool:
    """Return whether every page that a call touches is of a site in `allowedDomains`; see `Clearance.listed`.

    Args:
        targets: The things that it touches.
        settings: The settings.
    """
    rules = Rules(settings, frozenset())
    for target in targets:
        if target.kind is not TargetKind.URL:
            continue
        try:
            if not check(parse_url(target.place.key), rules).listed:
                return False
        except (BadUrl, RequestRefused):
            return False
    return True


def names_this_machine(host: str) -> bool:
    """Return whether a host is a name or an address of this machine, without asking a resolver."""
    return host == THIS_MACHINE or host.endswith(f".{THIS_MACHINE}") or host in {str(address) for address in HERE}


def _service(url: WebUrl, rules: Rules, service: Service, *, here: bool) -> Clearance:
    if not service.holds(url):
        raise RequestRefused(
            f"{service.name} leads to {url.origin}, which is not the address that the user has entered"
        )
    if here:
        unsigned = rules.settings.allow_self_signed_localhost and url.scheme == "https"
        return Clearance(url, UrlPlace.SERVICE, listed=True, admits=is_here, unsigned=unsigned)
    if rules.settings.block_external_requests:
        raise RequestRefused("The user has blocked requests that leave this computer", code="blocked")
    plain = url.scheme == "http" and rules.settings.https_only

    # What is sent in the clear stays at home: a key must not cross the internet unencrypted.
    def admits(address: Address) -> bool:
        return is_for_services(address) and not (plain and is_public(address))

    return Clearance(url, UrlPlace.SERVICE, listed=True, admits=admits)


def _is_listed(url: WebUrl, rules: Rules) -> bool:
    """Return whether a public site is in the list. Another port than the scheme's own is a site of its own."""
    if rules.settings.allow_all_domains:
        return True
    if url.port != DEFAULT_PORTS[url.scheme]:
        return False
    allowed = _entries(rules.settings.allowed_domains)
    if url.host in allowed:
        return True
    if url.address is not None:
        return False
    labels = url.host.split(".")
    return any(f"*.{'.'.join(labels[start:])}" in allowed for start in range(1, len(labels)))


@lru_cache(maxsize=8)  # the settings are the same for many calls
def _entries(entries: tuple[str, ...]) -> frozenset[str]:
    """Return the entries of `allowedDomains` that a host can be, in one spelling each: `*.` means its subdomains."""
    spelled = set()
    for entry in entries:
        wild, name = (entry[:2], entry[2:]) if entry.startswith("*.") else ("", entry)
        with contextlib.suppress(BadUrl):
            spelled.add(wild + parse_host(f"[{name}]" if ":" in name and not name.startswith("[") else name))
    return frozenset(spelled)


@lru_cache(maxsize=8)
def _ports_here(endpoint: str) -> frozenset[int]:
    """Return the port of an endpoint on this machine; none of one elsewhere."""
    try:
        url = parse_url(endpoint)
    except BadUrl:
        return frozenset()
    return frozenset({url.port} if names_this_machine(url.host) else ())
