"""The web as the wire shows it: what is kept of it, who has read from it, and which sites are allowed."""

from typing import Annotated

from pydantic import Field

from bridge.contract.base import Params, Wire


class CacheState(Wire):
    """How full the cache of web results is.

    Attributes:
        entries: How many results it has.
        size: Bytes that they take.
        hits: How often one of them was used since the bridge started.
        misses: How often there was none.
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
    """Which client."""

    client_id: Annotated[str, Field(min_length=1, max_length=100)]


class WebCleared(Wire):
    """Whether the client was marked."""

    cleared: bool


class AllowedSite(Wire):
    """A site of the web that is allowed.

    Attributes:
        site: The site or the page, as the permission file writes it, or the entry of `allowedDomains`.
        allowed_by: The id of the answer, by which it is taken back; None: it is in the setting `allowedDomains`.
        client: Whom the answer was given to, by name; None: everybody.
        sentence: What holds, for people.
        last_used: When it was fetched last since the bridge started (ISO 8601 UTC); None: not since then.
    """

    site: str
    allowed_by: str | None
    client: str | None
    sentence: str
    last_used: str | None
