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
    """What came of a test: it answered (`connected`), it said no (`refused`), or it did not answer (`unreachable`)."""

    CONNECTED = "connected"
    REFUSED = "refused"
    UNREACHABLE = "unreachable"


class SearchServiceInfo(Wire):
    """A service that can search the web.

    Attributes:
        service: Its id, as `webSearchProviders` has it.
        title: What people call it.
        terms: What using it means, in a sentence or two.
        link: Where there is more about it, or where keys come from.
        needs_key: Whether it wants an API key.
        has_freshness: Whether it can look for recent pages alone.
        missing: What has to be set before it can be used, as a sentence; None when nothing is missing.
    """

    service: Annotated[SearchService, ANY_TEXT]
    title: str
    terms: str
    link: str
    needs_key: bool
    has_freshness: bool
    missing: str | None = None


class KeyTestParams(Params):
    """Which service; also one that wants no key."""

    provider: Annotated[SearchService, Field(strict=False)]


class KeyTest(Wire):
    """What came of a test.

    Attributes:
        provider: Which service.
        outcome: How it ended.
        message: What that was, and what to do, as a sentence.
    """

    provider: Annotated[SearchService, ANY_TEXT]
    outcome: Annotated[Connection, ANY_TEXT]
    message: str
