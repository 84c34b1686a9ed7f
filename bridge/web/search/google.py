"""Google's Custom Search JSON API: `GET /customsearch/v1`, with a key and the id of a search engine.

https://developers.google.com/custom-search/v1/overview says that it is closed to new customers, and that those it has
can use it until 1 January 2027. It is here for them, and says so afterwards.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Final

from bridge.contract.keys import Provider
from bridge.contract.search import SearchService
from bridge.keys.servers import GOOGLE
from bridge.settings.model import Settings
from bridge.web.door import WebRequest, WebResponse
from bridge.web.guard import Service
from bridge.web.search.service import Freshness, Hit, NoSense, NotReady, SaidNo, SearchQuery, TooMany, hits, refused

END: Final = datetime(2027, 1, 1, tzinfo=UTC)
_MOST: Final = 10
_FRESHNESS: Final[dict[Freshness, str]] = {"day": "d1", "week": "w1", "month": "m1", "year": "y1"}
_NO_KEY: Final = "Google does not accept the key, or the API is not enabled for it"


class Google:
    """The search with Google. It has the members of `WebSearchService`.

    Args:
        now: The time, which tells whether there still is such an API.
    """

    id = SearchService.GOOGLE
    title = "Google"
    terms = "Only for those who have a key already: the API takes no new customers and ends on 1 January 2027."
    link = "https://developers.google.com/custom-search/v1/overview"
    key: Provider | None = Provider.GOOGLE
    freshness = True

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now

    def place(self, settings: Settings) -> Service:
        """Return the address, which is always the same, until the service ends."""
        if self._now() >= END:
            raise NotReady("Google's search API ended on 1 January 2027. Choose another service for web searches")
        if not settings.google_search_engine_id:
            raise NotReady(
                "Google needs the id of a search engine: the setting “Google search engine” (`googleSearchEngineId`)"
            )
        return Service.of(self.title, GOOGLE)

    def request(self, query: SearchQuery, settings: Settings, key: str | None) -> WebRequest:
        """Return a request with the key in a header, so that it is in no log of URLs."""
        place = self.place(settings)
        if key is None:
            raise NotReady("Google needs an API key: enter it in Obsidian, or with `vault-bridge keys set google`")
        asked = {"cx": settings.google_search_engine_id, "q": query.text, "num": str(min(query.most, _MOST))}
        if query.freshness is not None:
            asked["dateRestrict"] = _FRESHNESS[query.freshness]
        headers = {"Accept": "application/json", "X-Goog-Api-Key": key}
        return WebRequest(place.url("/customsearch/v1", asked), headers=headers)

    def read(self, response: WebResponse) -> list[Hit]:
        """Read `{items: [{title, link, snippet}]}`; without `items` where there is nothing."""
        gone = "Google's search API does not answer any more. Choose another service for web searches"
        refused(response, self.title, no={400: _NO_KEY, 401: _NO_KEY, 403: _NO_KEY, 404: gone, 410: gone})
        answer = response.json()
        error = answer.get("error") if isinstance(answer, dict) else None
        if isinstance(error, dict):
            throttled = error.get("code") == HTTPStatus.TOO_MANY_REQUESTS
            raise TooMany("Google wants fewer searches for now") if throttled else SaidNo(_NO_KEY)
        if not isinstance(answer, dict) or answer.get("kind", "customsearch#search") != "customsearch#search":
            raise NoSense("Google answered with something that is no list of results")
        return hits(
            answer.get("items", []), lambda one: (one.get("title"), one.get("link"), one.get("snippet")), self.title
        )
