"""Servers of the revision 2026-07-28, on their pipes and over HTTP: what they want beyond the call, they do not get."""

import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from bridge.errors import ExecutionFailed, ToolFailure
from bridge.servers import connection
from bridge.servers.configuration import MOST_TOOLS, entry
from bridge.servers.connection import ServerConnection
from bridge.servers.servers import Opener
from tests.servers import modern_stranger

pytestmark = pytest.mark.slow

SECONDS = 60.0
PROGRAM = Path(modern_stranger.__file__)


class Stranger:
    """A connection to a server, and what the server was asked."""

    def __init__(self, server: ServerConnection, seen: Callable[[], list[dict[str, Any]]]) -> None:
        self.server = server
        self._seen = seen

    async def call(self, seconds: float = SECONDS) -> str:
        """The text of its answer."""
        answer = await self.server.call("greet", {"name": "Ada"}, seconds, lambda *_said: None)
        return str(answer["content"][0]["text"])

    def asked(self, method: str) -> list[dict[str, Any]]:
        """The parameters of all requests of a method that the server has got."""
        return [each.get("params") or {} for each in self._seen() if each.get("method") == method]


Meet = Callable[..., Awaitable[Stranger]]


@pytest.fixture(params=["pipes", "http"])
async def meet(request: pytest.FixtureRequest, opener: Opener, tmp_path: Path) -> AsyncIterator[Meet]:
    """Makes connections to servers that misbehave, over one of the transports."""
    async with AsyncExitStack() as stack:

        async def one(mode: str, elsewhere: str = "") -> Stranger:
            if request.param == "http":
                heard: list[dict[str, Any]] = []
                url = await stack.enter_async_context(modern_stranger.served(mode, heard, elsewhere))
                members: dict[str, Any] = {"url": url}
                made = Stranger(ServerConnection("stranger", entry("stranger", members), opener), lambda: heard)
            else:
                folder = tmp_path / "log"
                folder.mkdir()
                log = folder / "log"
                log.touch()
                members = {"command": sys.executable, "args": [str(PROGRAM), mode, str(log)], "folders": [str(folder)]}
                made = Stranger(
                    ServerConnection("stranger", entry("stranger", members), opener),
                    lambda: [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()],
                )
            stack.push_async_callback(made.server.stop)
            return made

        yield one


async def test_one_that_behaves_is_called_without_a_handshake(meet: Meet) -> None:
    stranger = await meet("good")
    assert [each.name for each in await stranger.server.connect()] == ["greet"]
    assert await stranger.call() == "hello Ada"
    assert (len(stranger.asked("server/discover")), stranger.asked("initialize")) == (1, [])


@pytest.mark.parametrize("mode", ["elicits", "samples", "roots", "state", "large state"])
async def test_who_asks_for_an_answer_of_the_person_or_of_a_model_gets_none_and_is_not_called_again(
    meet: Meet, mode: str
) -> None:
    stranger = await meet(mode)
    with pytest.raises(ExecutionFailed, match=r"asked for an answer|exceeded the \d+ byte limit"):
        await stranger.call()
    (call,) = stranger.asked("tools/call")
    assert not {"inputResponses", "requestState"} & set(call)
    assert stranger.server.state == "ready"


async def test_no_call_offers_to_ask_the_person_or_a_model_or_names_folders(meet: Meet) -> None:
    stranger = await meet("good")
    await stranger.call()
    for method in ("server/discover", "tools/list", "tools/call"):
        (params,) = stranger.asked(method)
        offered = params["_meta"]["io.modelcontextprotocol/clientCapabilities"]
        assert not {"elicitation", "sampling", "roots"} & set(offered)


async def test_what_it_asks_beside_its_answer_is_not_answered_by_anybody(meet: Meet) -> None:
    stranger = await meet("asks beside")
    assert await stranger.call() == "hello Ada"
    assert not any("result" in each for each in stranger._seen())


async def test_an_answer_of_a_kind_that_nobody_knows_is_a_failed_call(meet: Meet) -> None:
    stranger = await meet("other kind")
    with pytest.raises(ExecutionFailed, match="what is no result"):
        await stranger.call()


@pytest.mark.parametrize("mode", ["nonsense", "future"])
async def test_one_that_says_nonsense_of_itself_cannot_be_used(meet: Meet, mode: str) -> None:
    stranger = await meet(mode)
    with pytest.raises(ToolFailure, match="stranger"):
        await stranger.server.connect()
    assert stranger.server.state == "failed"
    assert stranger.asked("tools/call") == []


async def test_what_it_claims_of_itself_changes_nothing_and_its_instructions_reach_nobody(meet: Meet) -> None:
    stranger = await meet("lies")
    (tool,) = await stranger.server.connect()
    assert (tool.name, tool.description) == ("greet", "Greets somebody.")
    assert await stranger.call() == "hello Ada"
    assert not stranger.asked("resources/list")
    assert not stranger.asked("prompts/list")
    kept = [str(value) for value in vars(stranger.server).values()]
    assert not any("Read the note Secrets" in each for each in kept)


async def test_one_that_never_says_what_it_is_is_given_up(meet: Meet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "START_SECONDS", 3.0)
    stranger = await meet("mute")
    with pytest.raises(ToolFailure):
        await stranger.server.connect()
    assert stranger.server.state == "failed"


@pytest.mark.parametrize("mode", ["empty pages", "same page", "new pages", "long cursor"])
async def test_a_list_without_an_end_is_cut(meet: Meet, mode: str) -> None:
    stranger = await meet(mode)
    assert len(await stranger.server.connect()) <= MOST_TOOLS
    assert len(stranger.asked("tools/list")) <= 50


async def test_an_answer_that_does_not_end_is_given_up(meet: Meet) -> None:
    stranger = await meet("endless")
    await stranger.server.connect()
    with pytest.raises(ToolFailure, match="did not answer within"):
        await stranger.call(seconds=1.0)


async def test_an_answer_without_bounds_fails_its_call(meet: Meet) -> None:
    stranger = await meet("large")
    with pytest.raises(ToolFailure):
        await stranger.call()


async def test_one_that_is_cut_off_in_its_answer_fails_that_call(meet: Meet) -> None:
    stranger = await meet("cut")
    with pytest.raises(ToolFailure):
        await stranger.call()


async def test_a_redirect_leads_to_no_other_server(opener: Opener) -> None:
    heard: list[dict[str, Any]] = []
    other: list[dict[str, Any]] = []
    async with (
        modern_stranger.served("good", other) as elsewhere,
        modern_stranger.served("redirects", heard, elsewhere) as url,
    ):
        server = ServerConnection("stranger", entry("stranger", {"url": url}), opener)
        try:
            with pytest.raises(ToolFailure):
                await server.call("greet", {"name": "Ada"}, SECONDS, lambda *_said: None)
        finally:
            await server.stop()
    assert [each["method"] for each in heard if each["method"] == "tools/call"] == ["tools/call"]
    assert other == []
