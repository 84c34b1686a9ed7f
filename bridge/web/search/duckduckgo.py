"""DuckDuckGo's page for browsers without scripts, read as a page: there is no API.

It slows programs down: a page with a riddle and status 202 is a limit, and so is one of status 200 with neither results
nor the note that there are none. Nothing but that note says that nothing was found.
"""

from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from bridge.contract.keys import Provider
from bridge.contract.search import SearchService
from bridge.settings.model import Settings
from bridge.web.door import WebRequest, WebResponse
from bridge.web.guard import Service
from bridge.web.search.service import Freshness, Hit, NoSense, SearchQuery, TooMany, ranked, refused

ADDRESS: Final = "https://html.duckduckgo.com"
LONGEST_PAGE: Final = 2 * 1024 * 1024
"""Bytes; the page of results has some ten thousand."""
_RIDDLE: Final = 202
_FRESHNESS: Final[dict[Freshness, str]] = {"day": "d", "week": "w", "month": "m", "year": "y"}


class DuckDuckGo:
    """The search with DuckDuckGo. It has the members of `WebSearchService`."""

    id = SearchService.DUCKDUCKGO
    title = "DuckDuckGo"
    terms = (
        "Has no API: the page for browsers is read, which DuckDuckGo may slow down or refuse at any time. "
        "Look at its terms before you choose it."
    )
    link = "https://duckduckgo.com/terms"
    key: Provider | None = None
    freshness = True

    def place(self, settings: Settings) -> Service:
        """Return the address, which is always the same."""
        del settings
        return Service.of(self.title, ADDRESS)

    def request(self, query: SearchQuery, settings: Settings, key: str | None) -> WebRequest:
        """Return a GET of the page."""
        del key
        asked = {"q": query.text} | ({"df": _FRESHNESS[query.freshness]} if query.freshness else {})
        return WebRequest(self.place(settings).url("/html/", asked), headers={"Accept": "text/html"})

    def read(self, response: WebResponse) -> list[Hit]:
        """Return the results of the page, without advertisements."""
        limited = TooMany("DuckDuckGo wants fewer searches for now, and shows a riddle instead of results")
        if response.status == _RIDDLE:
            raise limited
        refused(response, self.title, no={403: "DuckDuckGo refuses programs from here (403)"})
        if len(response.body) > LONGEST_PAGE:
            raise NoSense("DuckDuckGo answered with a page that is too long for one of results")
        page = _parse(response.body)
        found = [] if page is None else [one for one in page.find_class("result") if not one.find_class("badge--ad")]
        organic = [one for one in found if "result--ad" not in one.classes]
        results = ranked([_result(one) for one in organic])
        if results:
            return results
        if page is not None and page.find_class("no-results"):
            return []
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
