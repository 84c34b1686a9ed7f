"""The web as the wire shows it: what is kept of it, who has read from it, and which sites are allowed."""

from typing import Annotated

from pydantic import Field

from bridge.contract.base import Params, Wire


class CacheState(Wire):
    """The state of the cache of web results.

    Attributes:
        entries: The number of its results.
        size: Bytes that they take.
        hits: The number of times one of them was used since the bridge started.
        misses: The number of times there was none.
    """

    entries: int
    size: int
    hits: int
    misses: int


class WebReaderInfo(Wire):
    """A client that has read from the web, so that more of what it does is asked about.

    Attributes:
        client_id: Its id.
        client: Its name.
        since: When it read first (ISO 8601 UTC).
        sites: The sites that it has read, the latest last.
    """

    client_id: str
    client: str
    since: str
    sites: tuple[str, ...]


class WebClearParams(Params):
    """The client to clear of having read from the web."""

    client_id: Annotated[str, Field(min_length=1, max_length=100)]


class WebCleared(Wire):
    """The result of clearing: whether the client had been marked as a reader of the web."""

    cleared: bool


class AllowedSite(Wire):
    """A site of the web that is allowed.

    Attributes:
        site: The site or the page, as the permission file writes it, or the entry of `allowedDomains`.
        allowed_by: The id of the answer, by which it is taken back; None: it is in the setting `allowedDomains`.
        client: The client that the answer was given to, by name; None: everybody.
        sentence: The permission, for people.
        last_used: When it was fetched last since the bridge started (ISO 8601 UTC); None: not since then.
    """

    site: str
    allowed_by: str | None
    client: str | None
    sentence: str
    last_used: str | None
