"""A client whose own user may confirm what it reads: where the person has turned that on, once, and nothing else."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitResult

from tests.mcp.doors import Door, open_door
from tests.mcp.pipes import ENVELOPE, ERAS, Served, serve_robot
from tests.patience import PATIENCE

pytestmark = pytest.mark.slow

READ = ("read", {"path": "Ideas.md"})
NOBODYS = "00000000-0000-4000-8000-000000000000"
CAN_ASK = ENVELOPE | {"io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}}}


class User:
    """Whoever sits at the client: says one thing, whenever it is asked; None: nothing at all."""

    def __init__(self, action: str | None = "accept") -> None:
        self.action = action
        self.asked: list[str] = []
        self.news = asyncio.Event()

    async def __call__(self, _context: Any, params: Any) -> ElicitResult:
        self.asked.append(params.message)
        self.news.set()
        if self.action is None:
            await asyncio.Event().wait()
        return ElicitResult.model_validate({"action": self.action})


@pytest.fixture
async def served(vault: Path) -> AsyncIterator[Served]:
    async with serve_robot(vault, waitSeconds=300) as served:
        served.person.answer = None
        allow(served)
        yield served


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def allow(served: Served, *, elicitation: bool = True) -> None:
    """Turn it on for Robot, or off."""
    served.bridge.services.clients.choose(served.client.id, elicitation=elicitation)


async def test_its_users_yes_lets_one_call_go_on(served: Served, era: str) -> None:
    user = User()
    async with served.connected(era, user) as client:
        for count in (1, 2):
            result = await client.call_tool(*READ)
            assert result.structured_content["content"].startswith("# Ideas")
            assert len(user.asked) == count, "a yes is for one call"
    assert user.asked[0] == "Robot wants to read “Ideas.md” in your vault. Allow this once?"
    await served.person.until_asked(2)  # the person's screen shows the question at the same time
    decision = (await served.person.log("decision"))[0]
    assert (decision["decision"], decision["by"], decision["byId"]) == ("allow_once", "Robot", served.client.id)
    assert decision["elicited"] is True
    assert await served.person.host.request("consent.grants") == []


@pytest.mark.parametrize("era", ERAS)
async def test_it_works_over_http_too(vault: Path, era: str) -> None:
    user = User()
    async with open_door(vault) as door:
        door.person.answer = None
        door.bridge.services.clients.choose(door.clients["Robot"][0].client_id, elicitation=True)
        async with door.connected(era, elicit=user) as client:
            result = await client.call_tool(*READ)
        assert result.structured_content["content"].startswith("# Ideas")
        assert len(user.asked) == 1
        await nobody_else_is_asked(door, era)


async def nobody_else_is_asked(door: Door, era: str) -> None:
    """Of a client for which it is not turned on, the person alone is asked."""
    user = User()
    async with door.connected(era, "Android", elicit=user) as client:
        calling = asyncio.create_task(client.call_tool(*READ))
        asked = len(door.person.asked)
        await door.person.respond(await door.person.until_asked(asked + 1), "deny_once")
        assert (await calling).is_error
    assert user.asked == []


async def test_it_is_off_until_the_person_turns_it_on(served: Served, era: str) -> None:
    allow(served, elicitation=False)
    user = User()
    async with served.connected(era, user) as client:
        calling = asyncio.create_task(client.call_tool(*READ))
        await served.person.respond(await served.person.until_asked(), "allow_once")
        assert not (await calling).is_error
    assert user.asked == []
    assert "elicited" not in (await served.person.log("decision"))[0]


async def test_a_client_that_cannot_ask_is_not_asked(served: Served, era: str) -> None:
    async with served.connected(era) as client:
        calling = asyncio.create_task(client.call_tool(*READ))
        await served.person.respond(await served.person.until_asked(), "allow_once")
        assert not (await calling).is_error


@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_anything_but_a_yes_leaves_the_question_to_the_person(served: Served, era: str, action: str) -> None:
    user = User(action)
    async with served.connected(era, user) as client:
        calling = asyncio.create_task(client.call_tool(*READ))
        question = await served.person.until_asked()
        await asyncio.wait_for(user.news.wait(), PATIENCE)
        await served.person.host.request("ping")
        assert [one["requestId"] for one in await served.person.host.request("consent.pending")] == [
            question["requestId"]
        ]
        await served.person.respond(question, "allow_once")
        assert not (await calling).is_error
    assert len(user.asked) == 1


@pytest.mark.parametrize(("answer", "error"), [("allow_once", False), ("deny_once", True)])
async def test_the_first_answer_wins(served: Served, answer: str, *, error: bool) -> None:
    user = User(None)
    async with served.connected("legacy", user) as client:
        calling = asyncio.create_task(client.call_tool(*READ))
        question = await served.person.until_asked()
        await asyncio.wait_for(user.news.wait(), PATIENCE)
        await served.person.respond(question, answer)
        assert (await calling).is_error is error, "it does not wait for the client's user any more"


async def test_the_first_answer_wins_in_the_newer_era_too(served: Served) -> None:
    async with served.talk() as talk:
        call = {"name": READ[0], "arguments": READ[1], "_meta": CAN_ASK}
        interim = (await talk.ask(1, "tools/call", **call))["result"]
        assert interim["resultType"] == "input_required"
        assert interim["inputRequests"]["allow"]["method"] == "elicitation/create"
        await served.person.respond(await served.person.until_asked(), "deny_once")
        again = call | {"requestState": interim["requestState"], "inputResponses": {"allow": {"action": "accept"}}}
        for number in (2, 3):
            result = (await talk.ask(number, "tools/call", **again))["result"]
            assert result["isError"], "a yes that comes after the person's no is none, however often it comes"
            assert result["structuredContent"]["code"] == "denied_by_user"


@pytest.mark.parametrize(
    "call",
    [
        ("apply_patch", {"path": "Ideas.md", "patches": [{"startLine": 1, "endLine": 1, "newContent": "# Mine"}]}),
        ("create_note", {"path": "New.md", "content": "x"}),
        ("delete_note", {"path": "Ideas.md"}),
        ("delete_note", {"path": "There is none.md"}),
    ],
    ids=["edit", "create", "delete", "what would fail"],
)
async def test_what_does_more_than_read_is_for_the_person_alone(
    served: Served, era: str, call: tuple[str, dict[str, Any]]
) -> None:
    user = User()
    async with served.connected(era, user) as client:
        calling = asyncio.create_task(client.call_tool(*call))
        question = await served.person.until_asked()
        port = served.port()
        reply = await port.request("consent.confirm", requestId=question["requestId"])
        assert not reply["accepted"]
        port.close()
        await served.person.respond(question, "deny_once")
        assert (await calling).is_error
    assert user.asked == []
    assert (served.vault / "Ideas.md").read_text(encoding="utf-8").startswith("# Ideas")


async def test_a_closed_note_is_asked_about_nowhere(served: Served, era: str) -> None:
    (served.vault / ".vault-bridge" / "permissions.json").write_text('{"Ideas.md": "---"}', encoding="utf-8")
    user = User()
    async with served.connected(era, user) as client:
        assert (await client.call_tool(*READ)).is_error
    assert user.asked == []


async def test_turning_it_off_takes_a_yes_back_that_has_not_come_yet(served: Served) -> None:
    port = served.port()
    own: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
    port.listen(lambda event, params: own.set_result(params) if event == "consent.own" else None)
    calling = asyncio.create_task(port.request("tools.call", name=READ[0], arguments=READ[1], wait=300))
    question = await asyncio.wait_for(own, PATIENCE)
    assert set(question) == {"requestId", "callId", "message"}
    allow(served, elicitation=False)
    assert not (await port.request("consent.confirm", requestId=question["requestId"]))["accepted"]
    allow(served)
    other, _token = served.bridge.services.clients.add("Android")
    served.bridge.services.clients.choose(other.client_id, elicitation=True)
    robot, served.client = served.client, served.bridge.services.clients.authenticate(_token) or served.client
    stranger = served.port()
    reply = await stranger.request("consent.confirm", requestId=question["requestId"])
    assert not reply["accepted"], "another client's question, even where both may confirm their own"
    assert reply["outcome"] is None
    served.client = robot
    assert (await port.request("consent.confirm", requestId=question["requestId"]))["accepted"]
    assert (await calling)["success"]
    reply = await stranger.request("consent.confirm", requestId=question["requestId"])
    assert (reply["accepted"], reply["outcome"], reply["by"]) == (False, None, None), "nor how it ended"
    for one in (port, stranger):
        one.close()


async def test_the_message_says_nothing_that_the_client_has_not_said(served: Served) -> None:
    (served.vault / "Secret place").mkdir()
    (served.vault / "Secret place" / "Plans.md").write_text("x\n", encoding="utf-8")
    user = User()
    async with served.connected("legacy", user) as client:
        await client.call_tool("read", {"path": "[[Plans]]"})
    assert "Plans" in user.asked[0]
    assert "Secret" not in user.asked[0]


async def test_a_note_as_a_resource_is_confirmed_in_the_same_way(served: Served, era: str) -> None:
    user = User()
    async with served.connected(era, user) as client:
        (contents,) = (await client.read_resource("vault://Ideas.md")).contents
    assert contents.model_dump()["text"].startswith("# Ideas")
    assert len(user.asked) == 1


@pytest.mark.parametrize("state", ["", "x", f"{NOBODYS} c-1", f"{NOBODYS} c-0123456789ab-TAMPERED"])
async def test_a_state_that_was_never_sent_is_refused(served: Served, state: str) -> None:
    async with served.talk() as talk:
        call = {"name": READ[0], "arguments": READ[1], "_meta": CAN_ASK, "requestState": state}
        assert (await talk.ask(1, "tools/call", **call))["error"]["code"] == -32602
    assert served.person.asked == []


async def test_a_state_goes_with_the_call_it_was_sent_for(served: Served) -> None:
    async with served.talk() as talk:
        call = {"name": READ[0], "arguments": READ[1], "_meta": CAN_ASK}
        state = (await talk.ask(1, "tools/call", **call))["result"]["requestState"]
        other = {"arguments": {"path": "Todo.md"}, "requestState": state}
        answer = await talk.ask(2, "tools/call", **(call | other))
        assert answer["result"]["isError"]
        assert "used for another call" in answer["result"]["content"][0]["text"]


async def test_a_client_that_never_comes_back_leaves_no_question(served: Served) -> None:
    async with served.talk() as talk:
        call = {"name": READ[0], "arguments": READ[1], "_meta": CAN_ASK}
        await talk.ask(1, "tools/call", **call)
        question = await served.person.until_asked()
    assert await served.outcome(question) == "cancelled"


async def test_the_person_turns_it_on_on_a_screen_of_theirs(served: Served) -> None:
    allow(served, elicitation=False)
    host, client_id = served.person.host, served.client.id
    served.person.answer = "deny_once"
    with pytest.raises(Exception, match="Invalid params"):
        await host.request("clients.update", clientId=client_id, elicitation=True)
    served.person.answer = "allow_once"
    assert (await host.request("clients.update", clientId=client_id, elicitation=True))["elicitation"] is True
    assert served.person.asked[0]["summary"] == (
        "Let Robot ask its own user about single calls of it that only read notes"
    )
    explained = await host.request("policy.explain", name=READ[0], arguments=READ[1], client="Robot")
    assert (explained["outcome"], explained["elicitation"]) == ("ask", True)
    writing = {"path": "New.md", "content": "x"}
    explained = await host.request("policy.explain", name="create_note", arguments=writing, client="Robot")
    assert (explained["outcome"], explained["elicitation"]) == ("ask", False)
    asked = len(served.person.asked)
    assert (await host.request("clients.update", clientId=client_id, elicitation=False))["elicitation"] is False
    assert len(served.person.asked) == asked, "less is not asked about"
    assert [record["event"] for record in await served.person.log("client")] == ["updated", "widened"]


async def test_an_error_of_the_clients_own_leaves_the_question_to_the_person(served: Served) -> None:
    async def fail(_context: Any, _params: Any) -> ElicitResult:
        raise MCPError(-32603, "no window is open")

    async with served.connected("legacy", fail) as client:
        calling = asyncio.create_task(client.call_tool(*READ))
        await served.person.respond(await served.person.until_asked(), "allow_once")
        assert not (await calling).is_error
