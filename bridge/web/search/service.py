"""The interface of a search service: where it is, how it is asked, and how its answer is read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import unescape
from http import HTTPStatus
from typing import Any, Final, Literal, NamedTuple, Protocol

import re2

from bridge.contract.keys import Provider
from bridge.contract.search import SearchService
from bridge.errors import NetworkFailure
from bridge.settings.model import Settings
from bridge.web.door import WebRequest, WebResponse
from bridge.web.guard import Service
from bridge.web.url import BadUrl, parse_url

Freshness = Literal["day", "week", "month", "year"]

LONGEST_TITLE: Final = 300
LONGEST_SNIPPET: Final = 2_000
"""Characters of a snippet. Ollama sends parts of the page, which may be much longer."""

_TAG = re2.compile(r"</?[a-zA-Z][^>]*>")
_SPACES = re2.compile(r"[\s\pZ\pC]+")


class SearchQuery(NamedTuple):
    """A search query.

    Attributes:
        text: The words.
        most: The most results.
        freshness: How old they may be; None: any age.
    """

    text: str
    most: int
    freshness: Freshness | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """One result.

    Attributes:
        title: Plain text in one line.
        url: Of `http` or `https`.
        snippet: Plain text in one line.
        relevance: Above 0 and at most 1; see `ranked`.
    """

    title: str
    url: str
    snippet: str
    relevance: float


class NotReady(NetworkFailure):
    """The service cannot be asked before the person has set something; the message says what."""

    def __init__(self, message: str) -> None:
        super().__init__(message, code="not_ready")


class SaidNo(NetworkFailure):
    """The service refuses: the key is wrong, or it is not for programs.

    Args:
        message: What it refuses, and what to do.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message, code="refused")


class TooMany(NetworkFailure):
    """The service wants fewer requests: nothing is known about what it would have found.

    Args:
        message: What it said.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message, code="throttled")


class NoSense(NetworkFailure):
    """The answer is none of the service's: neither results, nor that there are none.

    Args:
        message: What came instead.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message, code="format")


_FAILURES: Final[dict[str, Callable[[str], NetworkFailure]]] = {
    "not_ready": NotReady,
    "refused": SaidNo,
    "throttled": TooMany,
    "format": NoSense,
}


def failure_of(message: str, code: str | None) -> NetworkFailure:
    """Return the failure that has a code; where there is none, the answer makes no sense."""
    make = _FAILURES.get(code or "format")
    return NetworkFailure(message, code=code) if make is None else make(message)


class WebSearchService(Protocol):
    """A service that searches the web. It makes no request itself: the door does.

    Attributes:
        id: As `webSearchProviders` has it.
        title: Its name, for people.
        terms: The conditions of using it, for people.
        link: Where there is more about it, or where keys come from.
        key: The API key it needs; None: none.
        freshness: Whether it can look for recent pages alone.
    """

    id: SearchService
    title: str
    terms: str
    link: str
    key: Provider | None
    freshness: bool

    def place(self, settings: Settings) -> Service:
        """Return where it is.

        Raises:
            NotReady: The person has not said where.
        """
        ...

    def request(self, query: SearchQuery, settings: Settings, key: str | None) -> WebRequest:
        """Return the request that asks it.

        Args:
            query: The query.
            settings: With which it is asked.
            key: The API key, where there is one.

        Raises:
            NotReady: The person has to set something first.
        """
        ...

    def read(self, response: WebResponse) -> list[Hit]:
        """Return the hits of a response, best first; none where it says so.

        Raises:
            SaidNo: It refuses.
            TooMany: It wants fewer requests.
            NoSense: The answer says neither what was found, nor that nothing was.
        """
        ...


Read = Callable[[Mapping[str, Any]], tuple[Any, Any, Any]]
"""The title, the URL and the snippet of one result as the service has it."""


def hits(found: Any, read: Read, title: str) -> list[Hit]:
    """Return the results of a list that a service sent, in its order; what is no page of the web is left out.

    Args:
        found: The list.
        read: Takes one of its members apart.
        title: The service's name, for people.

    Raises:
        NoSense: It is no list of objects.
    """
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise NoSense(f"{title} answered with something that is no list of results")
    return ranked([read(one) for one in found])


def ranked(found: list[tuple[Any, Any, Any]]) -> list[Hit]:
    """Return titles, URLs and snippets as results. Relevance is the reciprocal of the rank: 1, 1/2, 1/3 and so on."""
    kept: list[Hit] = []
    for title, url, snippet in found:
        address = page_url(url)
        if address is not None:
            kept.append(
                Hit(
                    plain(title, LONGEST_TITLE) or address,
                    address,
                    plain(snippet, LONGEST_SNIPPET),
                    round(1 / (len(kept) + 1), 3),
                )
            )
    return kept


def page_url(url: Any) -> str | None:
    """Return a URL of the web in its one spelling; None for anything else, such as `javascript:`."""
    try:
        return str(parse_url(url.strip())) if isinstance(url, str) else None
    except BadUrl:
        return None


def plain(text: Any, longest: int) -> str:
    """Return text without tags, entities, control characters and line breaks, cut at a word."""
    if not isinstance(text, str):
        return ""
    valid = text[: 4 * longest].encode("utf-8", "ignore").decode()
    line = str(_SPACES.sub(" ", unescape(str(_TAG.sub("", valid))))).strip()
    return line if len(line) <= longest else line[:longest].rsplit(" ", 1)[0] + "…"


def refused(response: WebResponse, title: str, *, no: Mapping[int, str]) -> None:
    """Return where a response is one of success.

    Args:
        response: The response.
        title: The service's name, for people.
        no: What a status means besides the usual: a sentence for each.

    Raises:
        TooMany: It wants fewer requests (429).
        SaidNo: It refuses.
        NetworkFailure: It failed.
    """
    status = response.status
    if response.is_success:
        return
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        raise TooMany(f"{title} wants fewer searches for now (429)")
    if status in no:
        raise SaidNo(no[status])
    if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        raise SaidNo(f"{title} refuses the request ({status})")
    raise NetworkFailure(f"{title} failed with status {status}", code="status")
