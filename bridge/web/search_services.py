"""The services that search the web, and their common interface: where one is, how it is asked, how its answer is read.

- Ollama: `POST /api/web_search` at ollama.com, with a key (https://docs.ollama.com/capabilities/web-search). A local
  server that is signed in passes searches on from `/api/experimental/web_search`. Recent pages alone cannot be had.
- SearXNG, a server that people run themselves: `GET /search?format=json`, https://docs.searxng.org/dev/search_api.html.
  It answers in JSON only where its settings list that format, and says 403 otherwise; its limiter says 429.
- Brave: `GET /res/v1/web/search`, with a key in `X-Subscription-Token`
  (https://api-dashboard.search.brave.com/app/documentation/web-search/get-started).
- DuckDuckGo has no API: its page for browsers without scripts is read. It slows programs down: a page with a riddle and
  status 202 is a limit, and so is one of status 200 with neither results nor the note that there are none. Nothing but
  that note says that nothing was found.
- Google: `GET /customsearch/v1`, with a key and the id of a search engine. The API is closed to new customers, and its
  old ones can use it until 1 January 2027 (https://developers.google.com/custom-search/v1/overview). It is here for
  them, and says so afterwards.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from html import unescape
from http import HTTPStatus
from typing import Any, ClassVar, Final, Literal, NamedTuple
from urllib.parse import parse_qs, urlsplit

import re2

from bridge.contract.keys import Provider, SearchService
from bridge.errors import InvalidParameters, NetworkFailure
from bridge.keys.store import BRAVE, GOOGLE
from bridge.settings.model import Settings
from bridge.web.door import WebRequest, WebResponse
from bridge.web.guard import Service, names_this_machine
from bridge.web.url import BadUrl, parse_url

Freshness = Literal["day", "week", "month", "year"]

LONGEST_TITLE: Final = 300
LONGEST_SNIPPET: Final = 2_000
"""Characters of a snippet. Ollama sends parts of the page, which may be much longer."""

LONGEST_PAGE: Final = 2 * 1024 * 1024
"""Bytes of DuckDuckGo's page of results, which usually has some ten thousand."""
END: Final = datetime(2027, 1, 1, tzinfo=UTC)
"""When Google's API ends."""
_TEN: Final = 10
_TWENTY: Final = 20
"""The most results that a service gives: ten for Ollama and Google, twenty for Brave."""
_JSON: Final = {"Accept": "application/json"}

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


class SearchFailure(NetworkFailure):
    """No results, and why; its subclasses say what kind of failure it is.

    Args:
        message: What is wrong, and what to do.
    """

    kind: ClassVar[str]

    def __init__(self, message: str) -> None:
        super().__init__(message, code=self.kind)


class NotReady(SearchFailure):
    """The service cannot be asked before the person has set something; the message says what."""

    kind = "not_ready"


class SaidNo(SearchFailure):
    """The service refuses: the key is wrong, or it is not for programs."""

    kind = "refused"


class TooMany(SearchFailure):
    """The service wants fewer requests: nothing is known about what it would have found."""

    kind = "throttled"


class NoSense(SearchFailure):
    """The answer is none of the service's: neither results, nor that there are none."""

    kind = "format"


def failure_of(message: str, code: str | None) -> NetworkFailure:
    """Return the failure that has a code; where there is none, the answer makes no sense."""
    known = next((one for one in (NotReady, SaidNo, TooMany, NoSense) if one.kind == (code or NoSense.kind)), None)
    return NetworkFailure(message, code=code) if known is None else known(message)


class WebSearchService:
    """A service that searches the web. It makes no request itself: the door does.

    Attributes:
        id: As `webSearchProviders` has it.
        title: Its name, for people.
        terms: The conditions of using it, for people.
        link: Where there is more about it, or where keys come from.
        address: Where it is, if that is not for the person to say.
        key: The API key it needs; None: none.
        has_freshness: Whether it can look for recent pages alone.
    """

    id: SearchService
    title: str
    terms: str
    link: str
    address: str = ""
    key: Provider | None = None
    has_freshness: bool = True

    def place(self, settings: Settings) -> Service:
        """Return where it is.

        Raises:
            NotReady: The person has not said where.
        """
        del settings
        return Service.of(self.title, self.address)

    def request(self, query: SearchQuery, settings: Settings, key: str | None) -> WebRequest:
        """Return the request that asks it.

        Args:
            query: The query.
            settings: The settings to ask it with.
            key: The API key, where there is one.

        Raises:
            NotReady: The person has to set something first.
        """
        raise NotImplementedError

    def read(self, response: WebResponse) -> list[Hit]:
        """Return the hits of a response, best first; none where it says so.

        Raises:
            SaidNo: It refuses.
            TooMany: It wants fewer requests.
            NoSense: The answer says neither what was found, nor that nothing was.
        """
        raise NotImplementedError


def hits(found: Any, names: tuple[str, str, str], title: str) -> list[Hit]:
    """Return the results of a list that a service sent, in its order; what is no page of the web is left out.

    Args:
        found: The list.
        names: The members of a result that are its title, its URL and its snippet.
        title: The service's name, for people.

    Raises:
        NoSense: It is no list of objects.
    """
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise _no_list(title)
    return ranked([(one.get(names[0]), one.get(names[1]), one.get(names[2])) for one in found])


def ranked(found: list[tuple[Any, Any, Any]]) -> list[Hit]:
    """Return titles, URLs and snippets as results. Relevance is the reciprocal of the rank: 1, 1/2, 1/3 and so on."""
    kept: list[Hit] = []
    for title, url, snippet in found:
        if (address := page_url(url)) is not None:
            named, relevance = plain(title, LONGEST_TITLE) or address, round(1 / (len(kept) + 1), 3)
            kept.append(Hit(named, address, plain(snippet, LONGEST_SNIPPET), relevance))
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


class Ollama(WebSearchService):
    """The search with Ollama."""

    id = SearchService.OLLAMA
    title = "Ollama"
    terms = (
        "Needs an account at Ollama. Your queries go to ollama.com, also through a server on this computer, "
        "and its terms hold."
    )
    link = "https://ollama.com/settings/keys"
    key = Provider.OLLAMA
    has_freshness = False

    def place(self, settings: Settings) -> Service:
        """Return the address that is set."""
        return _entered(self.title, settings.ollama_web_search_endpoint)

    def request(self, query: SearchQuery, settings: Settings, key: str | None) -> WebRequest:
        """Return the request, with the key where there is one; only a server on this computer answers without."""
        place = self.place(settings)
        if key is None and not names_this_machine(place.base.host):
            raise NotReady("Ollama needs an API key: enter it in Obsidian, or with `vault-bridge keys set ollama`")
        path = "/api/experimental/web_search" if key is None else "/api/web_search"
        headers = _JSON | ({"Authorization": f"Bearer {key}"} if key is not None else {})
        return WebRequest.json(place.url(path), {"query": query.text, "max_results": min(query.most, _TEN)}, headers)

    def read(self, response: WebResponse) -> list[Hit]:
        """Read `{results: [{title, url, content}]}`; an error may come with status 200."""
        no_key = "Ollama does not accept the key, or nobody is signed in (`ollama signin`)"
        old = "This Ollama server does not search the web"
        what_to_do = "Update it, or set `https://ollama.com` as its address and a key"
        no = {401: no_key, 403: "Ollama does not allow this account to search the web", 404: f"{old}. {what_to_do}"}
        answer = _answer(response, self.title, no)
        if error := answer.get("error"):
            said = str(error).lower()
            if any(word in said for word in ("rate", "too many", "limit")):
                raise TooMany("Ollama wants fewer searches for now")
            if any(word in said for word in ("auth", "sign", "key")):
                raise SaidNo(no_key)
            raise NoSense("Ollama answered with an error")
        return hits(answer.get("results"), ("title", "url", "content"), self.title)


class SearXNG(WebSearchService):
    """The search with a SearXNG server."""

    id = SearchService.SEARXNG
    title = "SearXNG"
    terms = (
        "A server that you or somebody else runs. It passes your queries on to other search engines, and must "
        "allow answers in JSON."
    )
    link = "https://docs.searxng.org/"

    def place(self, settings: Settings) -> Service:
        """Return the address that is set; there is none by default."""
        if not settings.searxng_endpoint:
            raise NotReady("SearXNG needs the address of a server: the setting “SearXNG address” (`searxngEndpoint`)")
        return _entered(self.title, settings.searxng_endpoint)

    def request(self, query: SearchQuery, settings: Settings, key: str | None) -> WebRequest:
        """Return a GET, as a limiter may refuse others."""
        del key
        asked = {"q": query.text, "format": "json"} | ({"time_range": query.freshness} if query.freshness else {})
        return WebRequest(self.place(settings).url("/search", asked), headers=_JSON)

    def read(self, response: WebResponse) -> list[Hit]:
        """Read `{results: [{title, url, content, score}], unresponsive_engines: [[name, why]]}`."""
        no_json = (
            "This SearXNG server refuses JSON (403). Whoever runs it has to add `json` to `search: formats:` in its "
            "settings.yml; many public servers do not"
        )
        answer = _answer(response, self.title, {403: no_json})
        found = hits(answer.get("results"), ("title", "url", "content"), self.title)
        if not found and (unresponsive := answer.get("unresponsive_engines")):
            raise _silent_engines(unresponsive)
        return found


def _silent_engines(unresponsive: Any) -> NetworkFailure:
    """Return why a server without results had none: its engines did not answer, which is not the same as no hits."""
    listed = [one for one in unresponsive if isinstance(one, list) and one] if isinstance(unresponsive, list) else []
    names = ", ".join(str(one[0])[:40] for one in listed[:5])
    said = " ".join(str(part).lower() for one in listed for part in one[1:])
    message = f"The search engines behind SearXNG did not answer: {names or 'all of them'}"
    limited = any(word in said for word in ("too many", "captcha", "suspended"))
    return TooMany(message) if limited else NetworkFailure(message, code="status")


class Brave(WebSearchService):
    """The search with Brave."""

    id = SearchService.BRAVE
    title = "Brave Search"
    terms = "Needs a key for Brave's search API. Your queries go to Brave, and its terms for the API hold."
    link = "https://brave.com/search/api/"
    address = BRAVE
    key = Provider.BRAVE

    def request(self, query: SearchQuery, settings: Settings, key: str | None) -> WebRequest:
        """Return a request with the key in a header, so that it is in no log of URLs."""
        if key is None:
            raise NotReady("Brave Search needs an API key: enter it in Obsidian, or with `vault-bridge keys set brave`")
        asked = {"q": query.text, "count": str(min(query.most, _TWENTY))}
        if query.freshness is not None:
            asked["freshness"] = f"p{query.freshness[0]}"
        headers = _JSON | {"X-Subscription-Token": key}
        return WebRequest(self.place(settings).url("/res/v1/web/search", asked), headers=headers)

    def read(self, response: WebResponse) -> list[Hit]:
        """Read `{web: {results: [{title, url, description}]}}`; without `web` where there is nothing."""
        no_key = "Brave does not accept the key"
        no = {401: no_key, 403: no_key, 422: f"{no_key}, or cannot search for this"}
        answer = _answer(response, self.title, no)
        if answer.get("type") == "ErrorResponse":  # with status 200
            error = answer.get("error")
            code = str(error.get("code", "")) if isinstance(error, dict) else ""
            if "RATE" in code or "QUOTA" in code:
                raise TooMany("Brave wants fewer searches for now")
            raise SaidNo(no_key) if "TOKEN" in code else NoSense("Brave Search answered with an error")
        if answer.get("type", "search") != "search":
            raise _no_list(self.title)
        web = answer.get("web", {"results": []})
        found = web.get("results") if isinstance(web, dict) else None
        return hits(found, ("title", "url", "description"), self.title)


class DuckDuckGo(WebSearchService):
    """The search with DuckDuckGo."""

    id = SearchService.DUCKDUCKGO
    title = "DuckDuckGo"
    terms = (
        "Has no API: the page for browsers is read, which DuckDuckGo may slow down or refuse at any time. "
        "Look at its terms before you choose it."
    )
    link = "https://duckduckgo.com/terms"
    address = "https://html.duckduckgo.com"

    def request(self, query: SearchQuery, settings: Settings, key: str | None) -> WebRequest:
        """Return a GET of the page."""
        del key
        asked = {"q": query.text} | ({"df": query.freshness[0]} if query.freshness else {})
        return WebRequest(self.place(settings).url("/html/", asked), headers={"Accept": "text/html"})

    def read(self, response: WebResponse) -> list[Hit]:
        """Return the results of the page, without advertisements."""
        limited = TooMany("DuckDuckGo wants fewer searches for now, and shows a riddle instead of results")
        if response.status == HTTPStatus.ACCEPTED:
            raise limited
        refused(response, self.title, no={403: "DuckDuckGo refuses programs from here (403)"})
        if len(response.body) > LONGEST_PAGE:
            raise NoSense("DuckDuckGo answered with a page that is too long for one of results")
        page = _parse(response.body)
        found = [] if page is None else [one for one in page.find_class("result") if not one.find_class("badge--ad")]
        results = ranked([_result(one) for one in found if "result--ad" not in one.classes])
        if results or (page is not None and page.find_class("no-results")):
            return results
        if b"anomaly" in response.body:
            raise limited
        raise NoSense("DuckDuckGo answered with a page that has no results and does not say that there are none")


def _parse(body: bytes) -> Any:
    """Return the page as a tree; None where it is none."""
    from lxml import etree, html  # noqa: PLC0415 - heavy, and needed by this service alone

    try:
        return html.document_fromstring(body, parser=html.HTMLParser(encoding="utf-8", huge_tree=False))
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return None


def _result(result: Any) -> tuple[Any, Any, Any]:
    links, snippets = result.find_class("result__a"), result.find_class("result__snippet")
    if not links:
        return None, None, None
    snippet = snippets[0].text_content() if snippets else ""
    return links[0].text_content(), _target(links[0].get("href")), snippet


def _target(href: str | None) -> str | None:
    """Return where a result leads: its own address, or the one inside the click-counting address (`/l/?uddg=`)."""
    if href is None:
        return None
    address = f"https:{href}" if href.startswith("//") else href
    try:
        parts = urlsplit(address)
        counted = parse_qs(parts.query).get("uddg") if parts.path == "/l/" else None
    except ValueError:
        return None
    return counted[0] if counted else address


class Google(WebSearchService):
    """The search with Google.

    Args:
        now: The time, which tells whether there still is such an API.
    """

    id = SearchService.GOOGLE
    title = "Google"
    terms = "Only for those who have a key already: the API takes no new customers and ends on 1 January 2027."
    link = "https://developers.google.com/custom-search/v1/overview"
    address = GOOGLE
    key = Provider.GOOGLE

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
        return super().place(settings)

    def request(self, query: SearchQuery, settings: Settings, key: str | None) -> WebRequest:
        """Return a request with the key in a header, so that it is in no log of URLs."""
        place = self.place(settings)
        if key is None:
            raise NotReady("Google needs an API key: enter it in Obsidian, or with `vault-bridge keys set google`")
        asked = {"cx": settings.google_search_engine_id, "q": query.text, "num": str(min(query.most, _TEN))}
        if query.freshness is not None:
            asked["dateRestrict"] = f"{query.freshness[0]}1"
        return WebRequest(place.url("/customsearch/v1", asked), headers=_JSON | {"X-Goog-Api-Key": key})

    def read(self, response: WebResponse) -> list[Hit]:
        """Read `{items: [{title, link, snippet}]}`; without `items` where there is nothing."""
        no_key = "Google does not accept the key, or the API is not enabled for it"
        gone = "Google's search API does not answer any more. Choose another service for web searches"
        answer = _answer(response, self.title, {400: no_key, 401: no_key, 403: no_key, 404: gone, 410: gone})
        if isinstance(error := answer.get("error"), dict):
            throttled = error.get("code") == HTTPStatus.TOO_MANY_REQUESTS
            raise TooMany("Google wants fewer searches for now") if throttled else SaidNo(no_key)
        if answer.get("kind", "customsearch#search") != "customsearch#search":
            raise _no_list(self.title)
        return hits(answer.get("items", []), ("title", "link", "snippet"), self.title)


def search_services(now: Callable[[], datetime]) -> tuple[WebSearchService, ...]:
    """Return every service that there is, in the order in which they are listed.

    Args:
        now: The time.
    """
    return Ollama(), SearXNG(), Brave(), DuckDuckGo(), Google(now)


def search_reader(service: str) -> Callable[[WebResponse], list[Hit]]:
    """Return the function that reads a service's answers; in the worker process, which reads and does not ask."""
    return next(one.read for one in search_services(lambda: datetime.now(UTC)) if one.id.value == service)


def _entered(title: str, address: str) -> Service:
    """Return the service at an address that the person has entered. Raises NotReady where it is no URL."""
    try:
        return Service.of(title, address)
    except InvalidParameters as error:
        raise NotReady(error.message) from None


def _answer(response: WebResponse, title: str, no: Mapping[int, str]) -> dict[str, Any]:
    """Return the object with which a service answers; raises what `refused` raises, and NoSense where it is none."""
    refused(response, title, no=no)
    answer = response.json()
    if not isinstance(answer, dict):
        raise _no_list(title)
    return answer


def _no_list(title: str) -> NoSense:
    return NoSense(f"{title} answered with something that is no list of results")
