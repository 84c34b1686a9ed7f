"""The connections: who may connect, from where, how many there may be, and how long one may stay without a token.

Host and Origin are checked, against web pages and DNS rebinding; the token says which client it is. Any program of this
machine can connect. One that shows no token is closed after a short time, and sooner when many others come, so that
descriptors are left for those who show one, and for the files of the vault.
"""

import asyncio
import hmac
import logging
import sys
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from aiohttp import web
from multidict import CIMultiDictProxy

from bridge.contract.discovery import SUBPROTOCOL
from bridge.identity.caller import Client
from bridge.identity.store import ClientStore

MOST_HELD: Final = 64 * 1024 * 1024
"""Bytes of one client, over all its connections."""
SLACK: Final = 64 * 1024
"""Bytes of one connection that are not counted once a message was taken: the heads of frames, pings, and the beginning
of the next message."""


class Holdings:
    """The number of bytes that each connection holds.

    Args:
        most: Bytes that the connections of one client may hold together.
    """

    def __init__(self, most: int = MOST_HELD) -> None:
        self._most = most
        self._clients: dict[asyncio.BaseTransport, str] = {}
        self._held: dict[str, dict[asyncio.BaseTransport, int]] = defaultdict(dict)
        """By client, the connection that began first to hold something first."""

    def admit(self, transport: asyncio.BaseTransport, client_id: str) -> None:
        """Count what comes over a connection from now on as a client's."""
        self._clients[transport] = client_id

    def came(self, transport: asyncio.BaseTransport, count: int) -> asyncio.BaseTransport | None:
        """Count bytes that have come over a connection.

        Args:
            transport: The connection; one that has shown no token is not counted.
            count: The number of bytes.

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
        """Stop counting a message of a connection that was taken.

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
        """Forget a connection that is closed."""
        client_id = self._clients.pop(transport, None)
        if client_id is not None:
            self._held[client_id].pop(transport, None)
            if not self._held[client_id]:
                del self._held[client_id]


if sys.platform != "win32":
    import resource

logger = logging.getLogger(__name__)

SECONDS: Final = 10.0
"""Seconds within which a connection must show a token."""
MOST_WAITING: Final = 64
"""Connections without a token; one more, and the oldest is cut."""
MOST_OF_ONE: Final = 256
"""Connections of one client."""
BACKLOG: Final = 64
"""Connections that the system accepts for us at once."""
WANTED: Final = 4096
"""Descriptors to ask the system for, where it gives that many."""
UNLIMITED: Final = 2048
"""Descriptors to count on where the system sets no limit."""
QUIET_SECONDS: Final = 60.0
"""Seconds between two warnings that the descriptors have run out."""


def raise_descriptor_limit() -> None:
    """Ask for as many descriptors as the system lets this process have, within reason. macOS begins with 256."""
    if sys.platform != "win32":
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = WANTED if hard == resource.RLIM_INFINITY else min(WANTED, hard)
        if soft != resource.RLIM_INFINITY and soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _most_inside() -> int:
    """Return how many connections all agents may have: with those that wait, half of the descriptors there are."""
    limit = UNLIMITED
    if sys.platform != "win32":
        soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        limit = UNLIMITED if soft == resource.RLIM_INFINITY else soft
    return max(16, limit // 2 - MOST_WAITING)


class Door:
    """The door: makes the protocol of each new connection, and knows who is behind it.

    Args:
        serve: Makes the protocol that answers a connection.

    Attributes:
        holdings: What clients have begun to send.
    """

    def __init__(self, serve: Callable[[], asyncio.Protocol]) -> None:
        self._serve = serve
        self._waiting: dict[asyncio.BaseTransport, asyncio.TimerHandle] = {}
        self._inside: dict[str, set[asyncio.BaseTransport]] = defaultdict(set)
        self._most_inside = _most_inside()
        self.holdings = Holdings()

    def __call__(self) -> asyncio.Protocol:
        """Return the protocol of a new connection."""
        return _Guest(self, self._serve())

    def let_in(self, transport: asyncio.BaseTransport | None, client: Client) -> None:
        """Let in a connection that has shown a client's token.

        Args:
            transport: The connection; None when it is gone.
            client: Whose token.

        Raises:
            web.HTTPTooManyRequests: This client has too many connections, or all agents have. The person's own programs
                are let in whatever the others have.
        """
        if transport is None or transport in self._inside[client.id]:
            return
        agents = sum(len(connections) for connections in self._inside.values())
        crowded = agents >= self._most_inside and not client.is_person
        if crowded or len(self._inside[client.id]) >= MOST_OF_ONE:
            raise web.HTTPTooManyRequests(text="Too many connections are open; close some of yours, or use one for all")
        if (timer := self._waiting.pop(transport, None)) is not None:
            timer.cancel()
            self._inside[client.id].add(transport)
            self.holdings.admit(transport, client.id)

    def came(self, transport: asyncio.Transport) -> None:
        """Watch a connection that is open, until it is let in."""
        self._waiting[transport] = asyncio.get_running_loop().call_later(SECONDS, self._cut, transport)
        if len(self._waiting) > MOST_WAITING:
            self._cut(next(iter(self._waiting)))

    def went(self, transport: asyncio.BaseTransport) -> None:
        """Forget a connection that is closed."""
        if (timer := self._waiting.pop(transport, None)) is not None:
            timer.cancel()
        for connections in self._inside.values():
            connections.discard(transport)
        self.holdings.went(transport)

    def received(self, transport: asyncio.BaseTransport | None, count: int) -> None:
        """Count bytes that have come over a connection. If its client has begun too much, one connection is cut."""
        if transport is not None and (too_much := self.holdings.came(transport, count)) is not None:
            self.went(too_much)
            if isinstance(too_much, asyncio.Transport):
                too_much.abort()

    def _cut(self, transport: asyncio.BaseTransport) -> None:
        if (timer := self._waiting.pop(transport, None)) is not None and isinstance(transport, asyncio.Transport):
            timer.cancel()
            transport.abort()


class _Guest(asyncio.Protocol):
    """One connection: everything goes on to the protocol that answers it."""

    def __init__(self, door: Door, inner: asyncio.Protocol) -> None:
        self._door = door
        self._inner = inner
        self._transport: asyncio.BaseTransport | None = None
        self._feed = inner.data_received
        self.eof_received = inner.eof_received  # type: ignore[method-assign] # straight through
        self.pause_writing = inner.pause_writing  # type: ignore[method-assign]
        self.resume_writing = inner.resume_writing  # type: ignore[method-assign]

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._inner.connection_made(transport)
        if isinstance(transport, asyncio.Transport):
            self._door.came(transport)

    def data_received(self, data: bytes) -> None:
        self._feed(data)
        self._door.received(self._transport, len(data))

    def connection_lost(self, exc: Exception | None) -> None:
        if self._transport is not None:
            self._door.went(self._transport)
        self._inner.connection_lost(exc)


class QuietAccept:
    """An exception handler of the event loop: when descriptors run out, one line a minute and no traceback."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._before = self._loop.get_exception_handler()
        self._said = -QUIET_SECONDS
        self._loop.set_exception_handler(self._handle)

    def restore(self) -> None:
        """Leave errors to whoever handled them before."""
        self._loop.set_exception_handler(self._before)

    def _handle(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        if isinstance(context.get("exception"), OSError) and "accept" in str(context.get("message", "")).lower():
            if loop.time() - self._said >= QUIET_SECONDS:
                self._said = loop.time()
                logger.warning("New connections wait: the system gives no more descriptors or memory")
        elif self._before is not None:
            self._before(loop, context)
        else:
            loop.default_exception_handler(context)


OBSIDIAN: Final = "app://obsidian.md"
LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")

Headers = CIMultiDictProxy[str]


class Authenticator:
    """The check of every request, before anything of it is looked at.

    Args:
        tokens: The tokens of this run: the person's own programs', and the shared one.
        clients: Knows the tokens of clients with a name of their own.
        origins: Browser origins that may connect besides Obsidian's, as the settings have them now.
    """

    def __init__(
        self, tokens: Mapping[Client, str], clients: ClientStore, origins: Callable[[], Collection[str]]
    ) -> None:
        self._tokens = {client: token.encode() for client, token in tokens.items()}
        self._clients = clients
        self._origins = origins
        self._hosts: frozenset[str] = frozenset()

    def listen(self, port: int) -> None:
        """Set the port that is listened on; every request is refused before that."""
        self._hosts = frozenset(f"{name}:{port}" for name in LOOPBACK)

    def check_origin(self, headers: Headers) -> None:
        """Let through what was sent to this machine's own name, by no page or one that is allowed.

        Raises:
            web.HTTPForbidden: Otherwise.
        """
        hosts = headers.getall("Host", [])
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            raise web.HTTPForbidden(text="Connect to 127.0.0.1 with the port that bridge.json names")
        origins = headers.getall("Origin", [])
        if origins and (len(origins) > 1 or not self.allows(origins[0])):
            raise web.HTTPForbidden(text="This page may not connect; the setting `allowedOrigins` names those that may")

    def allows(self, origin: str) -> bool:
        """Return whether pages of this origin may connect."""
        return origin == OBSIDIAN or origin in self._origins()

    def check_client(self, headers: Headers) -> Client:
        """Return the client whose token the request shows.

        Raises:
            web.HTTPUnauthorized: It shows none, or a wrong one.
        """
        text = _token(headers)
        shown = text.encode("utf-8", "surrogateescape")
        found = self._clients.authenticate(text)
        for client, token in self._tokens.items():  # every token is compared, so that time tells nothing
            if hmac.compare_digest(shown, token):
                found = client
        if found is None:
            raise web.HTTPUnauthorized(
                text="Send `Authorization: Bearer TOKEN` with a client's own token (`vault-bridge clients add NAME`), "
                "or with the one in agent.json in the run folder",
                headers={"WWW-Authenticate": "Bearer"},
            )
        return found


def offered_protocols(headers: Headers) -> list[str]:
    """Return the WebSocket subprotocols the client offers."""
    return [offer.strip() for value in headers.getall("Sec-WebSocket-Protocol", []) for offer in value.split(",")]


def _token(headers: Headers) -> str:
    """Return the token a request shows: in the usual header or, as browsers cannot set that, its subprotocols."""
    authorization = headers.getall("Authorization", [])
    if authorization:
        scheme, _, token = authorization[0].partition(" ")
        return token.strip() if scheme.lower() == "bearer" and len(authorization) == 1 else ""
    offers = offered_protocols(headers)
    if SUBPROTOCOL not in offers:
        return ""
    return next((offer.removeprefix("bearer.") for offer in offers if offer.startswith("bearer.")), "")
