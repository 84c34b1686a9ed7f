"""From a name to addresses, once for each connection: what is checked is what is connected to."""

import asyncio
import ipaddress
import socket
from typing import Protocol

from bridge.errors import NetworkFailure
from bridge.web.url import Address

MOST_ADDRESSES = 16
"""Addresses of one name that are looked at."""


class Resolver(Protocol):
    """The interface that finds the addresses of a host."""

    async def resolve(self, host: str, port: int) -> tuple[Address, ...]:
        """Return the addresses of a name, best first; at least one.

        Args:
            host: A host name in ASCII; never an address.
            port: The port that is to be connected to.

        Raises:
            NetworkFailure: There is none.
        """
        ...


class SystemResolver:
    """The system's own resolver, in a thread."""

    async def resolve(self, host: str, port: int) -> tuple[Address, ...]:
        """Return the addresses that the system gives for a name."""
        try:
            found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            raise NetworkFailure(f"There is no host {host!r}", code="dns") from None
        addresses = dict.fromkeys(_address(str(entry[4][0])) for entry in found)
        known = tuple(address for address in addresses if address is not None)[:MOST_ADDRESSES]
        if not known:
            raise NetworkFailure(f"There is no host {host!r}", code="dns")
        return known


def _address(text: str) -> Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None
