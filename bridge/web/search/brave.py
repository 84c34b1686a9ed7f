"""Brave's search API: `GET /res/v1/web/search`, with a key in `X-Subscription-Token`.

https://api-dashboard.search.brave.com/app/documentation/web-search/get-started
"""

from typing import Final

from bridge.contract.keys import Provider
from bridge.contract.search import SearchService
from bridge.keys.servers import BRAVE
from bridge.settings.model import Settings
from bridge.web.door import WebRequest, WebResponse
from bridge.web.guard import Service
from bridge.web.search.service import Freshness, Hit, NoSense, NotReady, SaidNo, SearchQuery, TooMany, hits, refused

_MOST: Final = 20
_FRESHNESS: Final[dict[Freshness, str]] = {"day": "pd", "week": "pw", "month": "pm", "year": "py"}
_NO_KEY: Final = "Brave does not accept the key"


class Brave:
    """The search with Brave. It has the members of `WebSearchService`."""

    id = SearchService.BRAVE
    title = "Brave Search"
    terms = "Needs a key for Brave's search API. Your queries go to Brave, and its terms for the API hold."
    link = "https://brave.com/search/api/"
    key: Provider | None = Provider.BRAVE
    freshness = True

    def place(self, settings: Settings) -> Service:
        """Return the address, which is always the same."""
        del settings
        return Service.of(self.title, BRAVE)

    def request(self, query: SearchQuery, settings: Settings, key: str | None) -> WebRequest:
        """Return a request with the key in a header, so that it is in no log of URLs."""
        if key is None:
            raise NotReady("Brave Search needs an API key: enter it in Obsidian, or with `vault-bridge keys set brave`")
        asked = {"q": query.text, "count": str(min(query.most, _MOST))}
        if query.freshness is not None:
            asked["freshness"] = _FRESHNESS[query.freshness]
        headers = {"Accept": "application/json", "X-Subscription-Token": key}
        return WebRequest(self.place(settings).url("/res/v1/web/search", asked), headers=headers)

    def read(self, response: WebResponse) -> list[Hit]:
        """Read `{web: {results: [{title, url, description}]}}`; without `web` where there is nothing."""
        refused(response, self.title, no={401: _NO_KEY, 403: _NO_KEY, 422: f"{_NO_KEY}, or cannot search for this"})
        answer = response.json()
        if isinstance(answer, dict) and answer.get("type") == "ErrorResponse":
            raise _error(answer.get("error"))
        if not isinstance(answer, dict) or answer.get("type", "search") != "search":
            raise NoSense("Brave Search answered with something that is no list of results")
        web = answer.get("web", {"results": []})
        found = web.get("results") if isinstance(web, dict) else None
        return hits(found, lambda one: (one.get("title"), one.get("url"), one.get("description")), self.title)


def _error(error: object) -> Exception:
    """Translate an error in an answer of status 200."""
    code = str(error.get("code", "")) if isinstance(error, dict) else ""
    if "RATE" in code or "QUOTA" in code:
        return TooMany("Brave wants fewer searches for now")
    return SaidNo(_NO_KEY) if "TOKEN" in code else NoSense("Brave Search answered with an error")
