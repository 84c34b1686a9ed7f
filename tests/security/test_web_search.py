"""A web search is asked about and logged, and goes only to the services that you chose."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import orjson
import pytest

from bridge.app import Bridge
from tests.people import Person, add_client, named
from tests.web_servers import LocalWeb, answer

FOUND = {"results": [{"title": "Tea", "url": "https://tea.example/", "content": "x"}]}


@pytest.fixture
async def web(bridge: Bridge, person: Person, vault: Path) -> AsyncIterator[LocalWeb]:
    """A search server on this computer, which the person has chosen and allows for a session."""
    async with LocalWeb().serve() as web:
        web.answers["/search"] = answer(orjson.dumps(FOUND), kind="application/json")
        bridge.settings.update(
            {
                "webSearchProviders": ["searxng"],
                "searxngEndpoint": f"http://127.0.0.1:{web.plain_port}",
                "consentMode": {"web_search": "session_allow"},
                "cacheEnabled": False,
            }
        )
        await add_client(person, vault, "Robot")
        person.answer = "allow_session"
        yield web


async def search(robot: Any, query: str) -> dict[str, Any]:
    raw: dict[str, Any] = (await robot.call("web_search", query=query)).raw
    return raw


async def test_words_of_a_note_are_asked_about_whatever_was_answered_before(
    person: Person, web: LocalWeb, vault: Path
) -> None:
    (vault / "Diary.md").write_text("On Tuesday the doctor said it is nothing serious.\n", encoding="utf-8")
    async with named(vault, "Robot") as robot:
        assert (await search(robot, "green tea"))["success"]
        person.answer = "allow_once"  # the second one is asked about because the first has brought something
        assert (await search(robot, "black tea"))["success"]
        assert len(person.asked) == 2
        person.answer = "deny_once"
        refused = await search(robot, "tuesday the doctor said it is nothing")
        assert refused["data"]["code"] == "denied_by_user"
    question = person.asked[-1]
    assert "also stands in Diary.md" in question["preview"]["warnings"][-1]
    assert question["choices"][0] == "allow_once"
    assert "allow_session" not in question["choices"]
    assert len(web.seen) == 2


async def test_a_preview_tells_nothing_of_the_notes(web: LocalWeb, vault: Path) -> None:
    (vault / "Diary.md").write_text("On Tuesday the doctor said it is nothing serious.\n", encoding="utf-8")
    arguments = {"query": "Tuesday the doctor said it is nothing"}
    async with named(vault, "Robot") as robot:
        for method in ("tools.preview", "policy.explain"):
            try:
                shown = await robot.request(method, name="web_search", arguments=arguments)
            except Exception as refused:  # noqa: BLE001 - whatever an agent gets, it must not say so
                shown = str(refused)
            assert "Diary" not in str(shown)
    assert web.seen == []


async def test_each_request_is_in_the_log_and_the_query_only_with_the_values(
    bridge: Bridge, person: Person, web: LocalWeb, vault: Path
) -> None:
    async with named(vault, "Robot") as robot:
        await search(robot, "rare words")
        (request,) = await person.log("network")
        assert (request["method"], request["status"], request["service"]) == ("GET", 200, "SearXNG")
        assert "rare" in request["url"]
        bridge.settings.update({"logParameterValues": False})
        person.answer = "allow_once"
        await search(robot, "other words")
    newest, _ = await person.log("network")
    assert "other" not in orjson.dumps(newest).decode()
    assert len(web.seen) == 2


async def test_no_service_leads_to_the_bridge_itself(bridge: Bridge, person: Person, web: LocalWeb) -> None:
    port = urlsplit(bridge.discovery.url).port
    for host in ("127.0.0.1", "localhost", "[::1]"):
        bridge.settings.update({"searxngEndpoint": f"http://{host}:{port}"})
        tested = await person.host.request("keys.test", provider="searxng")
        assert (tested["outcome"], "bridge itself" in tested["message"]) == ("refused", True)
    assert await person.log("network") == []
    assert web.seen == []
