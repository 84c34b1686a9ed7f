"""The services are asked in the order that was chosen, and a key goes to the server it was set for."""

from datetime import UTC, datetime
from typing import Any

import keyring.errors
import pytest

from bridge.contract.keys import Connection, Provider, SearchService
from bridge.errors import NetworkFailure
from bridge.web.search_services import NotReady
from tests.web.search.conftest import KEY, Searching, json_answer
from tests.web_servers import answer, redirect

BRAVE = "api.search.brave.com/res/v1/web/search"
SEARXNG = "searx.example/search"
FOUND = json_answer({"results": [{"title": "Tea", "url": "https://tea.example/", "content": "x"}]})


def chosen(searching: Searching, *services: str) -> None:
    searching.set(searxngEndpoint="https://searx.example", ollamaWebSearchEndpoint="https://ollama.com")
    searching.choose(*services)


async def test_nothing_is_chosen_by_default_and_nothing_is_asked(searching: Searching) -> None:
    with pytest.raises(NotReady, match="webSearchProviders"):
        await searching.find()
    assert searching.doorway.web.connected == []


async def test_where_the_first_fails_the_next_is_asked_and_that_is_said(searching: Searching) -> None:
    chosen(searching, "brave", "duckduckgo", "searxng")
    searching.give_key(Provider.BRAVE)
    searching.at(BRAVE, answer(status="401 Unauthorized"))
    searching.at("html.duckduckgo.com/html/", answer(status="202 Accepted"))
    searching.at(SEARXNG, FOUND)
    found = await searching.find()
    assert found.service is SearchService.SEARXNG
    assert [(one.title, one.code) for one in found.failed] == [("Brave Search", "refused"), ("DuckDuckGo", "throttled")]
    assert [seen.host for seen in searching.seen] == ["api.search.brave.com", "html.duckduckgo.com", "searx.example"]


async def test_where_all_fail_each_says_why(searching: Searching) -> None:
    chosen(searching, "brave", "ollama", "searxng")
    searching.give_key(Provider.BRAVE)
    searching.at(BRAVE, answer(status="429 Too Many Requests", Retry_After="90"))
    searching.doorway.web.names["searx.example"] = [["10.0.0.7"]]
    searching.doorway.web.unreachable.add("10.0.0.7")
    with pytest.raises(NetworkFailure) as failed:
        await searching.find()
    assert failed.value.data["services"] == [
        {"service": "Brave Search", "code": "throttled"},
        {"service": "Ollama", "code": "not_ready"},
        {"service": "SearXNG", "code": "connect"},
    ]
    for part in ("wants fewer searches", "keys set ollama", "SearXNG"):
        assert part in failed.value.message


@pytest.mark.parametrize(
    ("service", "settings", "missing"),
    [
        ("ollama", {"ollamaWebSearchEndpoint": "https://ollama.com"}, "keys set ollama"),
        ("searxng", {}, "searxngEndpoint"),
        ("brave", {}, "keys set brave"),
        ("google", {"googleSearchEngineId": "cx"}, "keys set google"),
        ("google", {}, "googleSearchEngineId"),
    ],
)
async def test_what_has_to_be_set_is_said_before_anything_is_asked(
    searching: Searching, service: str, settings: dict[str, Any], missing: str
) -> None:
    searching.set(**settings)
    searching.choose(service)
    with pytest.raises(NetworkFailure, match=missing):
        await searching.find()
    (info,) = [one for one in searching.search.infos(searching.settings.current) if one.service == service]
    assert missing in str(info.missing)
    assert searching.doorway.web.connected == []


async def test_google_says_that_it_has_ended_from_the_day_on(searching: Searching) -> None:
    searching.set(googleSearchEngineId="cx")
    searching.choose("google")
    searching.give_key(Provider.GOOGLE)
    searching.at("www.googleapis.com/customsearch/v1", json_answer({"kind": "customsearch#search"}))
    searching.now[0] = datetime(2026, 12, 31, 23, 59, tzinfo=UTC)
    await searching.find()
    searching.now[0] = datetime(2027, 1, 1, tzinfo=UTC)
    with pytest.raises(NetworkFailure, match="ended on 1 January 2027"):
        await searching.find()
    assert len(searching.seen) == 1


# -- the server at home -----------------------------------------------------------------------------------------------


async def test_a_server_on_this_computer_is_asked_without_a_key(searching: Searching) -> None:
    port = searching.doorway.web.plain_port
    searching.set(ollamaWebSearchEndpoint=f"http://127.0.0.1:{port}")
    searching.choose("ollama")
    searching.at("/api/experimental/web_search", FOUND)
    assert len((await searching.find()).hits) == 1
    assert "authorization" not in searching.seen[0].headers
    searching.at("/api/experimental/web_search", answer(status="404 Not Found"))
    with pytest.raises(NetworkFailure, match="does not search the web"):
        await searching.find()


async def test_a_server_at_home_may_be_in_a_private_network_and_the_bridge_itself_may_not(searching: Searching) -> None:
    searching.set(searxngEndpoint="http://searx.home:8080")
    searching.choose("searxng")
    searching.doorway.web.names["searx.home"] = [["192.168.1.7"]]
    searching.at("searx.home:8080/search", FOUND)
    assert len((await searching.find()).hits) == 1
    assert searching.doorway.web.connected == [("192.168.1.7", 8080)]
    searching.set(searxngEndpoint="http://127.0.0.1:9999")
    searching.doorway.own_ports = frozenset({9999})
    with pytest.raises(NetworkFailure, match="bridge itself"):
        await searching.find()


async def test_a_service_leads_nowhere_else(searching: Searching) -> None:
    chosen(searching, "searxng")
    searching.at(SEARXNG, redirect("https://evil.example/search"))
    searching.at("evil.example/search", FOUND)
    with pytest.raises(NetworkFailure):
        await searching.find()
    assert [seen.host for seen in searching.seen] == ["searx.example"]


async def test_where_external_requests_are_blocked_only_this_computer_is_asked(searching: Searching) -> None:
    chosen(searching, "brave", "searxng")
    searching.give_key(Provider.BRAVE)
    searching.set(blockExternalRequests=True, searxngEndpoint=f"http://127.0.0.1:{searching.doorway.web.plain_port}")
    searching.at("/search", FOUND)
    found = await searching.find()
    assert [one.code for one in found.failed] == ["blocked"]
    assert found.service is SearchService.SEARXNG
    assert {host for host, _ in searching.doorway.web.connected} == {"127.0.0.1"}


# -- keys -------------------------------------------------------------------------------------------------------------


async def test_a_key_is_sent_to_the_server_it_was_set_for_and_to_no_other(searching: Searching) -> None:
    chosen(searching, "ollama")
    searching.give_key(Provider.OLLAMA)
    searching.at("/api/web_search", FOUND)
    await searching.find()
    searching.set(ollamaWebSearchEndpoint="https://evil.example")
    with pytest.raises(NetworkFailure, match="no other server"):
        await searching.find()
    assert [seen.host for seen in searching.seen] == ["ollama.com"]


async def test_a_locked_keyring_is_said_and_the_next_service_is_asked(searching: Searching) -> None:
    chosen(searching, "brave", "searxng")
    searching.give_key(Provider.BRAVE)
    searching.ring.fault = keyring.errors.KeyringLocked()
    searching.at(SEARXNG, FOUND)
    found = await searching.find()
    assert [one.code for one in found.failed] == ["keyring_locked"]
    assert "Unlock it" in found.failed[0].why


# -- tests of a service -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("response", "outcome", "says"),
    [
        (FOUND, Connection.CONNECTED, "answers"),
        (answer(status="429 Too Many Requests", Retry_After="60"), Connection.CONNECTED, "fewer searches"),
        (answer(status="403 Forbidden"), Connection.REFUSED, "settings.yml"),
        (answer(status="500 Oops"), Connection.UNREACHABLE, "500"),
    ],
)
async def test_a_test_says_how_a_service_stands(
    searching: Searching, response: bytes, outcome: Connection, says: str
) -> None:
    chosen(searching)
    searching.at(SEARXNG, response)
    tested = await searching.search.test(SearchService.SEARXNG, searching.settings.current)
    assert (tested.outcome, tested.provider) == (outcome, SearchService.SEARXNG)
    assert says in tested.message


async def test_a_test_of_what_cannot_be_asked_says_why(searching: Searching) -> None:
    searching.set(searxngEndpoint="https://searx.example", ollamaWebSearchEndpoint="http://127.0.0.1:1")
    searching.doorway.web.unreachable.add("93.184.216.34")
    outcomes = {}
    for service in SearchService:
        tested = await searching.search.test(service, searching.settings.current)
        outcomes[service.value] = tested.outcome.value
    assert outcomes == {
        "ollama": "unreachable",
        "searxng": "unreachable",
        "brave": "refused",
        "duckduckgo": "unreachable",
        "google": "refused",
    }


async def test_what_is_said_of_a_service_holds_no_key(searching: Searching) -> None:
    searching.give_key(Provider.BRAVE)
    infos = searching.search.infos(searching.settings.current)
    assert [info.missing is None for info in infos] == [True, False, True, True, False]
    assert all(info.terms.endswith(".") and info.link.startswith("https://") for info in infos)
    assert KEY not in str(infos)
