"""The public addresses, by a table of our own.

Python's `is_global` follows the registries of the version that runs. This table is the same on every machine: the
special-purpose registries of IANA (RFC 6890 and its successors) as of November 2026. An address of IPv6 is public only
inside the one block that is handed out (2000::/3, RFC 4291), so whatever is added elsewhere stays closed.
"""

import ipaddress
from collections.abc import Sequence
from typing import Final

from bridge.web.url import Address

_CLOSED_FOUR: Final = tuple(
    map(
        ipaddress.IPv4Network,
        (
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
        ),
    )
)
_OPEN_SIX: Final = ipaddress.IPv6Network("2000::/3")
_CLOSED_SIX: Final = tuple(
    map(
        ipaddress.IPv6Network,
        (
            "2001::/23",  # protocol assignments, with Teredo and ORCHID (RFC 2928)
            "2001:db8::/32",  # documentation (RFC 3849)
            "2002::/16",  # 6to4: an address of IPv4 inside (RFC 3056)
            "2620:4f:8000::/48",  # AS112 (RFC 7534)
            "3fff::/20",  # documentation (RFC 9637)
        ),
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


_HOME: Final[Sequence[ipaddress.IPv4Network | ipaddress.IPv6Network]] = (
    ipaddress.IPv4Network("10.0.0.0/8"),
    ipaddress.IPv4Network("100.64.0.0/10"),
    ipaddress.IPv4Network("172.16.0.0/12"),
    ipaddress.IPv4Network("192.168.0.0/16"),
    ipaddress.IPv6Network("fc00::/7"),
)
