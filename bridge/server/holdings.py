"""What clients have begun to send: the bytes that nobody has taken yet, for the message is not complete or has to wait.

One message has a bound of its own, but a client may have many connections, and need never end what it begins.
"""

import asyncio
from collections import defaultdict
from typing import Final

MOST_HELD: Final = 64 * 1024 * 1024
"""Bytes of one client, over all its connections."""
SLACK: Final = 64 * 1024
"""Bytes of one connection that are not reckoned with when a message was taken: the heads of frames, pings, and what
has come of the next message."""


class Holdings:
    """How many bytes each connection holds.

    Args:
        most: Bytes that the connections of one client may hold together.
    """

    def __init__(self, most: int = MOST_HELD) -> None:
        self._most = most
        self._clients: dict[asyncio.BaseTransport, str] = {}
        self._held: dict[str, dict[asyncio.BaseTransport, int]] = defaultdict(dict)
        """By client, the connection that began first to hold something first."""

    def admit(self, transport: asyncio.BaseTransport, client_id: str) -> None:
        """From now on, what comes over a connection is a client's."""
        self._clients[transport] = client_id

    def came(self, transport: asyncio.BaseTransport, count: int) -> asyncio.BaseTransport | None:
        """Bytes have come over a connection.

        Args:
            transport: The connection; one of nobody known is not reckoned with.
            count: How many bytes.

        Returns:
            The connection that must be cut, as its client holds too much: of those that hold more than little, the one
            that has done so for the longest time.
        """
        client_id = self._clients.get(transport)
        if client_id is None:
            return None
        held = self._held[client_id]
        held[transport] = held.get(transport, 0) + count
        if sum(held.values()) <= self._most:
            return None
        return next((other for other, bytes_ in held.items() if bytes_ > SLACK), transport)

    def taken(self, transport: asyncio.BaseTransport, count: int | None = None) -> None:
        """A message of a connection was taken.

        Args:
            transport: The connection.
            count: The message's bytes; None: all that came.
        """
        held = self._held.get(self._clients.get(transport, ""), {})
        rest = 0 if count is None else held.get(transport, 0) - count
        held.pop(transport, None)
        if rest > SLACK:
            held[transport] = rest

    def went(self, transport: asyncio.BaseTransport) -> None:
        """A connection is closed."""
        client_id = self._clients.pop(transport, None)
        if client_id is not None:
            self._held[client_id].pop(transport, None)
            if not self._held[client_id]:
                del self._held[client_id]
