"""Ollama's web search: `POST /api/web_search` at ollama.com, with a key; at home through the server that runs there.

https://docs.ollama.com/capabilities/web-search. A local server that is signed in passes searches on from
`/api/experimental/web_search`. There is no way to ask for recent pages alone.
"""

from typing import Final

from bridge.contract.keys import Provider
from bridge.contract.search import SearchService
from bridge.errors import InvalidParameters
from bridge.settings.model import Settings
from bridge.web.door import WebRequest, WebResponse
from bridge.web.guard import Service, names_this_machine
from bridge.web.search.service import Hit, NoSense, NotReady, SaidNo, SearchQuery, TooMany, hits, refused

_MOST: Final = 10
_NOT_THERE: Final = 404


class Ollama:
    """The search with Ollama. It has the members of `WebSearchService`."""

    id = SearchService.OLLAMA
    title = "Ollama"
    terms = (
        "Needs an account at Ollama. Your queries go to ollama.com, also through a server on this computer, "
        "and its terms hold."
    )
    link = "https://ollama.com/settings/keys"
    key: Provider | None = Provider.OLLAMA
    freshness = False

    def place(self, settings: Settings) -> Service:
        """Return the address that is set."""
        try:
            return Service.of(self.title, settings.ollama_web_search_endpoint)
        except InvalidParameters as error:
            raise NotReady(error.message) from None

    def request(self, query: SearchQuery, settings: Settings, key: str | None) -> WebRequest:
        """Return the request, with the key where there is one; only a server on this computer answers without."""
        place = self.place(settings)
        here = names_this_machine(place.base.host)
        if key is None and not here:
            raise NotReady("Ollama needs an API key: enter it in Obsidian, or with `vault-bridge keys set ollama`")
        path = "/api/experimental/web_search" if here and key is None else "/api/web_search"
        headers = {"Accept": "application/json"} | ({"Authorization": f"Bearer {key}"} if key is not None else {})
        return WebRequest.json(place.url(path), {"query": query.text, "max_results": min(query.most, _MOST)}, headers)

    def read(self, response: WebResponse) -> list[Hit]:
        """Read `{results: [{title, url, content}]}`; an error may come with status 200."""
        refused(
            response,
            self.title,
            no={
                401: "Ollama does not accept the key, or nobody is signed in (`ollama signin`)",
                403: "Ollama does not allow this account to search the web",
                _NOT_THERE: "This Ollama server does not search the web. Update it, or set `https://ollama.com` as its "
                "address and a key",
            },
        )
        answer = response.json()
        if not isinstance(answer, dict):
            raise NoSense("Ollama answered with something that is no list of results")
        error = answer.get("error")
        if error:
            said = str(error).lower()
            if "rate" in said or "too many" in said or "limit" in said:
                raise TooMany("Ollama wants fewer searches for now")
            if "auth" in said or "sign" in said or "key" in said:
                raise SaidNo("Ollama does not accept the key, or nobody is signed in (`ollama signin`)")
            raise NoSense("Ollama answered with an error")
        return hits(
            answer.get("results"), lambda one: (one.get("title"), one.get("url"), one.get("content")), self.title
        )
