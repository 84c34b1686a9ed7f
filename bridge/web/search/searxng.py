"""SearXNG, a search server that people run themselves: `GET /search?format=json`.

https://docs.searxng.org/dev/search_api.html. A server answers in JSON only where its settings list that format, and
says 403 otherwise; a server's limiter says 429.
"""

from typing import Any

from bridge.contract.keys import Provider
from bridge.contract.search import SearchService
from bridge.errors import InvalidParameters, NetworkFailure
from bridge.settings.model import Settings
from bridge.web.door import WebRequest, WebResponse
from bridge.web.guard import Service
from bridge.web.search.service import Hit, NoSense, NotReady, SearchQuery, TooMany, hits, refused

_NO_JSON = (
    "This SearXNG server refuses JSON (403). Whoever runs it has to add `json` to `search: formats:` in its "
    "settings.yml; many public servers do not"
)


class SearXNG:
    """The search with a SearXNG server. It has the members of `WebSearchService`."""

    id = SearchService.SEARXNG
    title = "SearXNG"
    terms = (
        "A server that you or somebody else runs. It passes your queries on to other search engines, and must "
        "allow answers in JSON."
    )
    link = "https://docs.searxng.org/"
    key: Provider | None = None
    freshness = True

    def place(self, settings: Settings) -> Service:
        """Return the address that is set; there is none by default."""
        if not settings.searxng_endpoint:
            raise NotReady("SearXNG needs the address of a server: the setting “SearXNG address” (`searxngEndpoint`)")
        try:
            return Service.of(self.title, settings.searxng_endpoint)
        except InvalidParameters as error:
            raise NotReady(error.message) from None

    def request(self, query: SearchQuery, settings: Settings, key: str | None) -> WebRequest:
        """Return a GET, as a limiter may refuse others."""
        del key
        asked = {"q": query.text, "format": "json"} | ({"time_range": query.freshness} if query.freshness else {})
        return WebRequest(self.place(settings).url("/search", asked), headers={"Accept": "application/json"})

    def read(self, response: WebResponse) -> list[Hit]:
        """Read `{results: [{title, url, content, score}], unresponsive_engines: [[name, why]]}`."""
        refused(response, self.title, no={403: _NO_JSON})
        answer = response.json()
        if not isinstance(answer, dict):
            raise NoSense("SearXNG answered with something that is no list of results")
        results = answer.get("results")
        found = hits(results, lambda one: (one.get("title"), one.get("url"), one.get("content")), self.title)
        if not found and answer.get("unresponsive_engines"):
            raise _engines(answer["unresponsive_engines"])
        return found


def _engines(unresponsive: Any) -> NetworkFailure:
    """Return why a server without results had none: its engines did not answer, which is not the same as no hits."""
    listed = [one for one in unresponsive if isinstance(one, list) and one] if isinstance(unresponsive, list) else []
    names = ", ".join(str(one[0])[:40] for one in listed[:5])
    said = " ".join(str(part).lower() for one in listed for part in one[1:])
    message = f"The search engines behind SearXNG did not answer: {names or 'all of them'}"
    if "too many" in said or "captcha" in said or "suspended" in said:
        return TooMany(message)
    return NetworkFailure(message, code="status")
