"""Searching the web, as the wire shows it: the services that can do it, and what came of testing one."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from bridge.contract.base import ANY_TEXT, Params, Wire


class SearchService(StrEnum):
    """A service that searches the web."""

    OLLAMA = "ollama"
    SEARXNG = "searxng"
    BRAVE = "brave"
    DUCKDUCKGO = "duckduckgo"
    GOOGLE = "google"


class Connection(StrEnum):
    """The outcome of a test: it answered (`connected`), declined (`refused`) or did not answer (`unreachable`)."""

    CONNECTED = "connected"
    REFUSED = "refused"
    UNREACHABLE = "unreachable"


class SearchServiceInfo(Wire):
    """A service that can search the web.

    Attributes:
        service: Its id, as `webSearchProviders` has it.
        title: Its name, for people.
        terms: The conditions of using it, in a sentence or two.
        link: Where there is more about it, or where keys come from.
        needs_key: Whether it wants an API key.
        has_freshness: Whether it can look for recent pages alone.
        missing: The setting it needs before it can be used, as a sentence; None when nothing is missing.
    """

    service: Annotated[SearchService, ANY_TEXT]
    title: str
    terms: str
    link: str
    needs_key: bool
    has_freshness: bool
    missing: str | None = None


class KeyTestParams(Params):
    """A search service; also one that needs no key."""

    provider: Annotated[SearchService, Field(strict=False)]


class KeyTest(Wire):
    """The result of a test.

    Attributes:
        provider: The service.
        outcome: How it ended.
        message: An explanation, and what to do, as a sentence.
    """

    provider: Annotated[SearchService, ANY_TEXT]
    outcome: Annotated[Connection, ANY_TEXT]
    message: str
