"""Each service is asked and read as its documentation says, and its refusals are never taken for "no results"."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

import orjson
import pytest

from bridge.contract.keys import Provider
from bridge.errors import NetworkFailure
from tests.web.search.conftest import KEY, Searching, json_answer
from tests.web_servers import Responder, Seen, answer

PAGES = (
    ("Green tea & you", "https://tea.example/green", "How to <b>brew</b> it"),
    ("Black tea", "https://tea.example/black?x=1", "Second"),
)
EXPECTED = [
    ("Green tea & you", "https://tea.example/green", "How to brew it", 1.0),
    ("Black tea", "https://tea.example/black?x=1", "Second", 0.5),
]


def ddg_page(*results: str, more: str = "") -> str:
    return f"<!DOCTYPE html><html><body><div id='links' class='results'>{''.join(results)}{more}</div></body></html>"


def ddg_result(title: str, url: str, snippet: str, kind: str = "") -> str:
    counted = f"//duckduckgo.com/l/?uddg={url.replace(':', '%3A').replace('/', '%2F').replace('?', '%3F')}&amp;rut=0a"
    return (
        f'<div class="result results_links results_links_deep {kind}web-result"><div class="links_main result__body">'
        f'<h2 class="result__title"><a rel="nofollow" class="result__a" href="{counted}">{title}</a></h2>'
        f'<a class="result__snippet" href="{counted}">{snippet}</a></div></div>'
    )


DDG_NONE = ddg_page(more='<div class="no-results">No results found for <b>zxqv</b></div>')
DDG_RIDDLE = '<html><body><div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div></body></html>'


def listed(*names: str) -> list[dict[str, str]]:
    return [dict(zip(names, page, strict=True)) for page in PAGES]


@dataclass(frozen=True)
class Case:
    """One service: where it is, what it answers, and how it says no."""

    name: str
    place: str
    found: Responder
    none: Responder
    key: Provider | None = None
    settings: tuple[tuple[str, Any], ...] = ()


CASES = [
    Case(
        "ollama",
        "ollama.com/api/web_search",
        json_answer({"results": listed("title", "url", "content")}),
        json_answer({"results": []}),
        Provider.OLLAMA,
        (("ollamaWebSearchEndpoint", "https://ollama.com"),),
    ),
    Case(
        "searxng",
        "searx.example/base/search",
        json_answer({"query": "tea", "results": listed("title", "url", "content"), "unresponsive_engines": []}),
        json_answer({"query": "tea", "results": [], "unresponsive_engines": []}),
        None,
        (("searxngEndpoint", "https://searx.example/base/"),),
    ),
    Case(
        "brave",
        "api.search.brave.com/res/v1/web/search",
        json_answer({"type": "search", "web": {"type": "search", "results": listed("title", "url", "description")}}),
        json_answer({"type": "search", "query": {"original": "tea"}}),
        Provider.BRAVE,
    ),
    Case(
        "duckduckgo",
        "html.duckduckgo.com/html/",
        answer(
            ddg_page(
                ddg_result("An advertisement", "https://ads.example/", "Buy", "result--ad "),
                *(ddg_result(title.replace("&", "&amp;"), url, snippet) for title, url, snippet in PAGES),
            )
        ),
        answer(DDG_NONE),
    ),
    Case(
        "google",
        "www.googleapis.com/customsearch/v1",
        json_answer({"kind": "customsearch#search", "items": listed("title", "link", "snippet")}),
        json_answer({"kind": "customsearch#search", "searchInformation": {"totalResults": "0"}}),
        Provider.GOOGLE,
        (("googleSearchEngineId", "cx-1"),),
    ),
]
BY_NAME = {case.name: case for case in CASES}


def begin(searching: Searching, name: str) -> Case:
    case = BY_NAME[name]
    searching.set(**dict(case.settings))
    searching.choose(name)
    if case.key is not None:
        searching.give_key(case.key)
    return case


@pytest.mark.parametrize("name", BY_NAME)
async def test_what_a_service_finds_is_read(searching: Searching, name: str) -> None:
    case = begin(searching, name)
    searching.at(case.place, case.found)
    found = await searching.find()
    assert [(hit.title, hit.url, hit.snippet, hit.relevance) for hit in found.hits] == EXPECTED
    assert (found.service, found.fresh, found.failed) == (name, None, ())


@pytest.mark.parametrize("name", BY_NAME)
async def test_that_nothing_was_found_is_an_answer(searching: Searching, name: str) -> None:
    case = begin(searching, name)
    searching.at(case.place, case.none)
    assert (await searching.find()).hits == ()


@pytest.mark.parametrize("name", BY_NAME)
async def test_no_more_results_are_returned_than_were_asked_for(searching: Searching, name: str) -> None:
    case = begin(searching, name)
    searching.at(case.place, case.found)
    assert len((await searching.find(most=1)).hits) == 1


ASKED: dict[str, Callable[[Seen], Any]] = {
    "ollama": lambda seen: (seen.method, orjson.loads(seen.body), seen.headers.get("authorization")),
    "searxng": lambda seen: (seen.method, parse_qs(urlsplit(seen.target).query), seen.headers.get("authorization")),
    "brave": lambda seen: (
        seen.method,
        parse_qs(urlsplit(seen.target).query),
        seen.headers.get("x-subscription-token"),
    ),
    "duckduckgo": lambda seen: (seen.method, parse_qs(urlsplit(seen.target).query), seen.headers.get("authorization")),
    "google": lambda seen: (seen.method, parse_qs(urlsplit(seen.target).query), seen.headers.get("x-goog-api-key")),
}


@pytest.mark.parametrize(
    ("name", "request_"),
    [
        ("ollama", ("POST", {"query": "green tea", "max_results": 10}, f"Bearer {KEY}")),
        ("searxng", ("GET", {"q": ["green tea"], "format": ["json"], "time_range": ["week"]}, None)),
        ("brave", ("GET", {"q": ["green tea"], "count": ["20"], "freshness": ["pw"]}, KEY)),
        ("duckduckgo", ("GET", {"q": ["green tea"], "df": ["w"]}, None)),
        ("google", ("GET", {"cx": ["cx-1"], "q": ["green tea"], "num": ["10"], "dateRestrict": ["w1"]}, KEY)),
    ],
)
async def test_a_service_is_asked_as_it_says_and_a_key_is_in_no_url(
    searching: Searching, name: str, request_: Any
) -> None:
    case = begin(searching, name)
    searching.at(case.place, case.none)
    found = await searching.find("green tea", most=50, freshness="week")
    (seen,) = searching.seen
    assert ASKED[name](seen) == request_
    assert KEY not in seen.target
    assert KEY not in str(searching.doorway.log)
    assert found.fresh is (name != "ollama"), "Ollama has no filter by age, and that is said"


# -- what is no answer ------------------------------------------------------------------------------------------------

THROTTLED: list[tuple[str, Responder]] = [
    *((name, answer("slow down", status="429 Too Many Requests", Retry_After="60")) for name in BY_NAME),
    ("duckduckgo", answer(DDG_RIDDLE, status="202 Accepted")),
    ("duckduckgo", answer(DDG_RIDDLE)),
    ("duckduckgo", answer(status="202 Accepted")),
    ("ollama", json_answer({"error": "rate limit exceeded"})),
    ("brave", json_answer({"type": "ErrorResponse", "error": {"status": 429, "code": "RATE_LIMITED"}})),
    ("google", json_answer({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED"}})),
    ("searxng", json_answer({"results": [], "unresponsive_engines": [["google", "Suspended: too many requests"]]})),
    ("searxng", json_answer({"results": [], "unresponsive_engines": [["duckduckgo", "CAPTCHA"]]})),
]
REFUSED: list[tuple[str, Responder, str]] = [
    ("ollama", json_answer({"error": "unauthorized"}, status="401 Unauthorized"), "does not accept the key"),
    ("ollama", json_answer({"error": "unauthorized"}), "does not accept the key"),
    ("searxng", answer("Forbidden", status="403 Forbidden"), "refuses JSON"),
    ("brave", json_answer({"type": "ErrorResponse"}, status="401 Unauthorized"), "does not accept the key"),
    ("brave", json_answer({"type": "ErrorResponse"}, status="422 Unprocessable Entity"), "does not accept the key"),
    (
        "brave",
        json_answer({"type": "ErrorResponse", "error": {"code": "SUBSCRIPTION_TOKEN_INVALID"}}),
        "does not accept the key",
    ),
    ("duckduckgo", answer("no", status="403 Forbidden"), "refuses programs"),
    ("google", json_answer({"error": {"code": 400, "message": "API key not valid"}}, status="400 Bad Request"), "key"),
    ("google", json_answer({"error": {"code": 403}}, status="403 Forbidden"), "key"),
    ("google", json_answer({"error": {"code": 403}}), "key"),
    ("google", answer("gone", status="404 Not Found"), "does not answer any more"),
]
SENSELESS: list[tuple[str, Responder]] = [
    *((name, json_answer(["what"])) for name in BY_NAME if name != "duckduckgo"),
    *((name, answer("<html>Welcome to the airport's wifi</html>")) for name in BY_NAME),
    *((name, answer(b"\xff\xfe\x00" * 50)) for name in BY_NAME),
    *((name, answer(b"")) for name in BY_NAME),
    ("ollama", json_answer({"results": "none"})),
    ("ollama", json_answer({"results": [1, 2]})),
    ("ollama", json_answer({"error": "internal"})),
    ("ollama", json_answer({})),
    ("searxng", json_answer({})),
    ("brave", json_answer({"type": "search", "web": []})),
    ("brave", json_answer({"type": "news"})),
    ("google", json_answer({"kind": "customsearch#search", "items": {}})),
]


@pytest.mark.parametrize(("name", "response"), THROTTLED)
async def test_a_service_that_slows_us_down_has_not_found_nothing(
    searching: Searching, name: str, response: Responder
) -> None:
    case = begin(searching, name)
    searching.at(case.place, response)
    with pytest.raises(NetworkFailure) as failed:
        await searching.find()
    assert failed.value.code == "throttled"


@pytest.mark.parametrize(("name", "response", "says"), REFUSED)
async def test_a_refusal_is_explained(searching: Searching, name: str, response: Responder, says: str) -> None:
    case = begin(searching, name)
    searching.at(case.place, response)
    with pytest.raises(NetworkFailure, match=says) as failed:
        await searching.find()
    assert failed.value.code == "refused"


@pytest.mark.parametrize(("name", "response"), SENSELESS)
async def test_an_answer_that_makes_no_sense_has_not_found_nothing(
    searching: Searching, name: str, response: Responder
) -> None:
    case = begin(searching, name)
    searching.at(case.place, response)
    with pytest.raises(NetworkFailure) as failed:
        await searching.find()
    assert failed.value.code == "format"


@pytest.mark.parametrize("name", BY_NAME)
async def test_a_service_that_fails_is_asked_again_and_then_given_up(searching: Searching, name: str) -> None:
    case = begin(searching, name)
    searching.at(case.place, answer("down", status="503 Service Unavailable"))
    with pytest.raises(NetworkFailure, match="503"):
        await searching.find()
    assert len(searching.seen) == 3


async def test_engines_that_did_not_answer_are_named(searching: Searching) -> None:
    case = begin(searching, "searxng")
    searching.at(case.place, json_answer({"results": [], "unresponsive_engines": [["qwant", "timeout"]]}))
    with pytest.raises(NetworkFailure, match="qwant"):
        await searching.find()


# -- hostile results --------------------------------------------------------------------------------------------------


async def test_of_hostile_results_only_plain_text_and_pages_of_the_web_are_left(searching: Searching) -> None:
    case = begin(searching, "ollama")
    bad = [
        {"title": "x", "url": "javascript:alert(1)", "content": "x"},
        {"title": "x", "url": "file:///etc/passwd", "content": "x"},
        {"title": "x", "url": "https://user:pass@tea.example/", "content": "x"},
        {"title": "x", "url": None, "content": "x"},
        {"title": 5, "url": "https://tea.example/a", "content": ["x"]},
        {
            "title": "a\n# b\u202e\u200b\x1b[31m",
            "url": "HTTPS://Tea.Example/b c",
            "content": "<script>x</script>\r\n> y",
        },
        {"title": "<img src=x onerror=y>" * 50, "url": "https://tea.example/c", "content": "word " * 5_000},
        {},
    ]
    searching.at(case.place, json_answer({"results": bad}))
    hits = (await searching.find(most=50)).hits
    assert [hit.url for hit in hits] == ["https://tea.example/a", "https://tea.example/b%20c", "https://tea.example/c"]
    assert [hit.relevance for hit in hits] == [1.0, 0.5, 0.333]
    assert (hits[0].title, hits[0].snippet) == ("https://tea.example/a", "")
    assert (hits[1].title, hits[1].snippet) == ("a # b [31m", "x > y")
    assert len(hits[2].snippet) <= 2_001
    for hit in hits:
        assert (hit.title + hit.snippet).isprintable()


async def test_a_key_that_is_sent_back_is_not_in_the_results(searching: Searching) -> None:
    case = begin(searching, "brave")
    quoted = KEY.replace("/", "%2F").replace("+", "%2B")
    echo = {"title": f"got {KEY}", "url": f"https://tea.example/?key={quoted}", "description": f"{quoted} {KEY}"}
    searching.at(case.place, json_answer({"type": "search", "web": {"results": [echo]}}))
    (hit,) = (await searching.find()).hits
    for text in (hit.title, hit.url, hit.snippet):
        assert KEY not in text
        assert quoted not in text
        assert "[REDACTED]" in text


async def test_a_page_of_results_that_is_a_bomb_is_given_up(searching: Searching) -> None:
    case = begin(searching, "duckduckgo")
    searching.at(case.place, answer("<div class=result>" * 200_000))
    with pytest.raises(NetworkFailure) as failed:
        await searching.find()
    assert failed.value.code == "format"
