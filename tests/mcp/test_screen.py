"""What the person looks at: a resource for whom they let see it, with news for those who subscribed; and sent."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from mcp_types import ElicitResult

from bridge.contract.events import ToolsChanged
from tests.mcp.pipes import ENVELOPE, ERAS, HANDSHAKE, Served, Talk, serve_robot

pytestmark = pytest.mark.slow

URI = "vault://@screen"


@pytest.fixture
async def served(vault: Path) -> AsyncIterator[Served]:
    (vault / ".vault-bridge").mkdir()
    (vault / ".vault-bridge" / "permissions.json").write_text('{"Notes/": "---"}', encoding="utf-8")
    async with serve_robot(vault) as served:
        yield served


async def share(served: Served) -> None:
    served.person.answer = "allow_once"
    await served.person.host.request("clients.update", clientId=served.client.id, looking="session")


async def look_at(served: Served, path: str) -> None:
    screen = {"open": {"path": path, "view": "source"}, "tabs": [path], "recent": []}
    await served.person.host.request("screen.tell", screen=screen)


async def subscribe(talk: Talk, era: str) -> None:
    if era == "auto":
        wanted = {"_meta": ENVELOPE, "notifications": {"resourceSubscriptions": [URI, "vault://Ideas.md"]}}
        await talk.say({"id": "listen", "method": "subscriptions/listen", "params": wanted})
        acknowledged = await talk.next("notifications/subscriptions/acknowledged")
        assert acknowledged["notifications"]["resourceSubscriptions"] == [URI]
        return
    await talk.ask(1, "initialize", **HANDSHAKE)
    await talk.say({"method": "notifications/initialized"})
    assert "error" in await talk.ask(2, "resources/subscribe", uri="vault://Ideas.md")
    assert "result" in await talk.ask(3, "resources/subscribe", uri=URI)


@pytest.mark.parametrize("era", ERAS)
async def test_it_is_listed_and_read_only_where_the_person_allowed_that(served: Served, era: str) -> None:
    async with served.connected(era) as client:
        assert URI in {resource.uri for resource in (await client.list_resources()).resources}
        (content,) = (await client.read_resource(URI)).contents
        refused: Any = content
        assert "has not allowed Robot to see" in refused.text
        await share(served)
        await look_at(served, "Ideas.md")
        (content,) = (await client.read_resource(URI)).contents
        told: Any = content
        assert told.text.startswith("Open in Obsidian: Ideas.md (for editing)")
    assert [question["tool"]["name"] for question in served.person.asked] == ["clients.allow"]


@pytest.mark.parametrize("era", ERAS)
async def test_whoever_subscribed_hears_when_it_is_something_else(served: Served, era: str) -> None:
    await share(served)
    async with served.talk() as talk:
        await subscribe(talk, era)
        await look_at(served, "Ideas.md")
        assert (await talk.next("notifications/resources/updated"))["uri"] == URI
        await look_at(served, "Ideas.md")
        await look_at(served, "Notes/Meeting.md")  # closed: as if nothing was open
        assert (await talk.next("notifications/resources/updated"))["uri"] == URI
        await look_at(served, "Notes/Other.md")
        served.bridge.services.hub.notify_everyone(ToolsChanged())
        if era == "legacy":
            assert (await talk.heard())["method"] == "notifications/tools/list_changed", "no news of a closed note"
            assert "result" in await talk.ask(4, "resources/unsubscribe", uri=URI)
            await look_at(served, "Ideas.md")
            served.bridge.services.hub.notify_everyone(ToolsChanged())
            assert (await talk.heard())["method"] == "notifications/tools/list_changed", "it wants to hear no more"


@pytest.mark.parametrize("era", ERAS)
async def test_what_the_person_sends_comes_with_the_next_result_also_where_its_user_is_asked_meanwhile(
    served: Served, era: str
) -> None:
    async def yes(_context: Any, _params: Any) -> ElicitResult:
        return ElicitResult.model_validate({"action": "accept"})

    served.person.answer = None
    served.bridge.services.clients.choose(served.client.id, elicitation=True)
    async with served.connected(era, yes) as client:
        await client.list_tools()
        shown = {"path": "Ideas.md", "view": "source"}
        sent = await served.person.host.request("screen.send", clientId=served.client.id, open=shown)
        await client.list_resources()
        for there in (True, False):
            content: Any = (await client.call_tool("read", {"path": "Ideas.md"})).content[0]
            assert content.text.startswith(sent["text"]) is there
            assert "Old content here." in content.text
