"""The right to connect: from where (Host and Origin, against web pages and DNS rebinding), and as whom (the token)."""

import hmac
from collections.abc import Callable, Collection, Mapping
from typing import Final

from aiohttp import web
from multidict import CIMultiDictProxy

from bridge.contract.discovery import SUBPROTOCOL
from bridge.identity.caller import Client
from bridge.identity.store import ClientStore

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
