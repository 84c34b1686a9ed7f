"""Tools over MCP: what they answer, while they run, while a person decides, and when they are given up."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from bridge.contract.events import ToolProgress
from bridge.mcp.calls import McpCalls
from bridge.mcp.port import Listener
from bridge.mcp.results import call_result
from bridge.toolkit.parameters import bounded
from tests.mcp.pipes import ENVELOPE, ERAS, Served, serve_robot
from tests.patience import PATIENCE

pytestmark = pytest.mark.slow

EDIT = {"path": "Ideas.md", "patches": [{"startLine": 1, "endLine": 1, "newContent": "# Better ideas"}]}
APPEND = {"path": "Ideas.md", "operation": "append", "content": "again"}


@pytest.fixture
async def served(vault: Path) -> AsyncIterator[Served]:
    async with serve_robot(vault, waitSeconds=300) as served:
        yield served


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def text_of(result: Any) -> str:
    return str(result.content[0].text)


async def test_tools_have_hints_that_say_what_they_may_do(served: Served, era: str) -> None:
    async with served.connected(era) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        reading, deleting = tools["read"].annotations, tools["delete_note"].annotations
        assert reading is not None
        assert reading.read_only_hint
        assert deleting is not None
        assert (deleting.read_only_hint, deleting.destructive_hint) == (False, True)


async def test_an_allowed_call_answers_with_text_and_data(served: Served, era: str) -> None:
    served.person.answer = "allow_once"
    async with served.connected(era) as client:
        result = await client.call_tool("read", {"path": "Ideas.md"})
        assert not result.is_error
        assert text_of(result).startswith("# Ideas")
        assert result.structured_content["content"].startswith("# Ideas")
        found = await client.call_tool("find", {"pattern": "ideas"})
        assert found.structured_content["result"][0]["path"] == "Ideas.md"


@pytest.mark.parametrize(
    ("call", "sentence", "code"),
    [
        (("read", {"path": "Ideas.md"}), "The user denied this call", "denied_by_user"),
        (("read", {"path": "../x"}), "outside", "outside_vault"),
        (("reed", {}), "Did you mean 'read'", None),
        (("read", {"pat": "x"}), "path", None),
    ],
)
async def test_a_failure_is_a_result_with_a_sentence_and_a_code(
    served: Served, era: str, call: tuple[str, dict[str, Any]], sentence: str, code: str | None
) -> None:
    async with served.connected(era) as client:
        result = await client.call_tool(*call)
        assert result.is_error
        assert sentence in text_of(result)
        if code is not None:
            assert f"({code})" in text_of(result)
            assert result.structured_content["code"] == code


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"path": ["x"] * 20_000}, "values"),
        ({"path": 2**70}, "JSON"),
    ],
)
async def test_arguments_that_the_bridge_could_not_read_are_refused(
    served: Served, arguments: dict[str, Any], why: str
) -> None:
    async with served.connected("legacy") as client:
        result = await client.call_tool("read", arguments)
        assert result.is_error
        assert why in text_of(result)


async def test_a_call_that_waits_for_a_person_answers_with_a_ticket(served: Served, era: str) -> None:
    served.bridge.settings.update({"waitSeconds": 1})
    served.person.answer = None
    async with served.connected(era) as client:
        result = await client.call_tool("apply_patch", EDIT)
        assert not result.is_error
        assert result.structured_content["status"] == "waiting_for_person"
        assert "await_decision" in text_of(result)
        question = await served.person.until_asked()
        await served.person.respond(question, "allow_once")
        port = served.port()
        done = await port.request("tools.result", callId=result.structured_content["ticket"])
        assert done["success"]
        port.close()
    assert (served.vault / "Ideas.md").read_text(encoding="utf-8").startswith("# Better ideas")


async def test_while_a_call_waits_its_progress_is_told_again_and_again(served: Served, era: str) -> None:
    served.person.answer = None
    heard: list[float] = []
    often = asyncio.Event()

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        del total, message
        heard.append(progress)
        if len(heard) == 3:
            often.set()

    async with served.connected(era, progress_seconds=0.05) as client:
        calling = asyncio.create_task(client.call_tool("apply_patch", EDIT, progress_callback=hear))
        async with asyncio.timeout(PATIENCE):
            await often.wait()
        await served.person.respond(await served.person.until_asked(), "deny_once")
        await calling
        assert heard == sorted(set(heard))


class QuickPort:
    """A bridge that tells of some progress and answers in the same instant."""

    is_there = True

    def __init__(self) -> None:
        self.listener: Listener | None = None

    async def request(self, method: str, /, **params: Any) -> Any:
        if method == "session.info":
            return {"waitSeconds": 1}
        for done in (1, 2, 3):
            await asyncio.sleep(0)
            assert self.listener is not None
            told = {"callId": params["callId"], "done": done, "total": 3, "message": "Reading"}
            self.listener(ToolProgress.event_name, told)
        return {"success": True}

    def listen(self, listener: Listener) -> Callable[[], None]:
        self.listener = listener
        return lambda: None

    def introduce(self, name: str) -> None:
        del name


@pytest.mark.parametrize("steps", range(4), ids=lambda steps: f"{steps} steps to send one")
async def test_progress_that_comes_with_the_answer_is_told_before_it(steps: int) -> None:
    heard: list[str | None] = []

    async def report(progress: float, total: float | None, message: str | None) -> None:
        del progress, total
        for _ in range(steps):
            await asyncio.sleep(0)
        heard.append(message)

    async def elicit(params: dict[str, Any]) -> None:
        del params

    answer = await McpCalls(QuickPort()).call("read", {}, report, elicit=elicit, call_id=None, ticket=False)
    assert answer == {"success": True}
    assert heard == ["Reading (1 of 3)", "Reading (2 of 3)", "Reading (3 of 3)"]


async def test_two_equal_calls_are_two_calls(served: Served) -> None:
    served.person.answer = "allow_once"
    async with served.connected("legacy") as client:
        for _ in range(2):
            result = await client.call_tool("modify_note", APPEND)
            assert not result.is_error, text_of(result)
    assert (served.vault / "Ideas.md").read_text(encoding="utf-8").count("again") == 2


async def test_a_call_that_is_given_up_before_its_ticket_is_withdrawn(served: Served, era: str) -> None:
    served.person.answer = None
    async with served.connected(era) as client:
        calling = asyncio.create_task(client.call_tool("apply_patch", EDIT))
        asked = await served.person.until_asked()
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
        assert await served.outcome(asked) == "cancelled"
        assert (await client.list_tools()).tools
    assert (served.vault / "Ideas.md").read_text(encoding="utf-8").startswith("# Ideas")


async def test_a_client_that_goes_leaves_no_question(served: Served) -> None:
    served.person.answer = None
    async with served.talk() as talk:
        params = {"name": "apply_patch", "arguments": EDIT, "_meta": ENVELOPE}
        await talk.say({"id": 1, "method": "tools/call", "params": params})
        asked = await served.person.until_asked()
    assert await served.outcome(asked) == "cancelled"


async def test_changed_tools_are_announced_in_both_eras(served: Served) -> None:
    async with served.talk() as talk:
        await talk.ask(
            1, "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "r", "version": "1"}
        )
        await talk.say({"method": "notifications/initialized"})
        wanted = {"notifications": {"toolsListChanged": True}, "_meta": ENVELOPE}
        await talk.say({"id": "listen", "method": "subscriptions/listen", "params": wanted})
        acknowledged = await talk.next("notifications/subscriptions/acknowledged")
        assert acknowledged["notifications"] == {"toolsListChanged": True}
        await served.bridge.services.registry.remove("notes")
        changed = [await talk.next("notifications/tools/list_changed") for _ in range(2)]
        subscriptions = {str(params.get("_meta")) for params in changed}
        assert len(subscriptions) == 2


def test_data_is_no_longer_than_text_may_be() -> None:
    data = {"hits": [{"path": f"Notes/{number}.md"} for number in range(1000)], "total": 1000}
    short = bounded(data, 2000)
    assert short["truncated"] is True
    assert short["total"] == 1000
    assert 50 < len(short["hits"]) < 100
    assert bounded(data, 100_000) is data
    assert len(bounded({"content": "x" * 9000}, 1000)["content"]) < 1000
    assert bounded({"a": {"b": {"c": "y" * 9000}}}, 500)["truncated"]


def test_data_with_very_many_members_does_not_take_long_to_shorten() -> None:
    began = time.thread_time()
    short = bounded({f"Notes/{number}.md": "x" * 50 for number in range(40_000)}, 20_000)
    assert len(orjson.dumps(short)) <= 20_000
    assert len(short) > 200
    assert time.thread_time() - began < 30


def test_parts_become_content() -> None:
    parts = [
        {"type": "image", "mimeType": "image/png", "data": "AAAA"},
        {"type": "note", "path": "My notes/Tea.md", "title": "Tea"},
    ]
    content = call_result({"success": True, "text": "", "data": None, "parts": parts}, 1000, structured=False)[
        "content"
    ]
    assert content[1] == {"type": "image", "data": "AAAA", "mimeType": "image/png"}
    assert content[2] == {"type": "resource_link", "uri": "vault://My%20notes/Tea.md", "name": "Tea"}
