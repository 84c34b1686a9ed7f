"""`vault-bridge mcp`, the real program: it finds or starts a bridge, speaks MCP alone, and leaves nothing behind."""

import asyncio
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from mcp.client.client import Client as SdkClient
from mcp.client.stdio import StdioServerParameters

from bridge.app import Bridge
from bridge.cli.speaking import IDLE_SECONDS
from bridge.client import BridgeNotRunning, find_endpoint, find_vault
from bridge.client.token_storage import save_to_file
from bridge.records.folder import RunFolder
from bridge.server.lock import LOCK_FILE
from tests.mcp.pipes import ENVELOPE, ERAS, HANDSHAKE
from tests.patience import PATIENCE
from tests.people import Person, person_at

pytestmark = pytest.mark.slow

EDIT = {"path": "Ideas.md", "patches": [{"startLine": 1, "endLine": 1, "newContent": "# Better ideas"}]}
OURS = [sys.executable, "-m", "bridge"]
OPENINGS = 20


@pytest.fixture
def robot(vault: Path) -> Path:
    """A vault that Robot has a token for, and that nobody serves."""
    asyncio.run(add_robot(vault))
    return vault


async def add_robot(vault: Path) -> None:
    """Have the vault know Robot, whose token is kept on this machine."""
    async with Bridge(vault, brief=True) as bridge:
        bridge.settings.update({"enabledTools": ["*"]})
        _info, token = bridge.services.clients.add("Robot")
        save_to_file(find_vault(vault), "Robot", token)


def command(vault: Path) -> list[str]:
    return [*OURS, "mcp", "--vault", str(vault), "--client", "Robot"]


@asynccontextmanager
async def robot_at(vault: Path, era: str = "auto") -> AsyncIterator[SdkClient]:
    """The SDK's client, which starts the program."""
    first, *rest = command(vault)
    server = StdioServerParameters(command=first, args=rest, env=dict(os.environ))
    async with SdkClient(server, mode=era) as client:
        yield client


@contextlib.contextmanager
def piped(vault: Path) -> Iterator["Piped"]:
    """The program, and the bare bytes of its pipes."""
    with subprocess.Popen(  # noqa: S603 - ours
        command(vault), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        pipe = Piped(process)
        try:
            yield pipe
        finally:
            process.kill()


class Piped:
    """Both pipes of a program."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        assert process.stdin is not None
        assert process.stdout is not None
        self.stdin, self.stdout = process.stdin, process.stdout

    def say(self, line: bytes | dict[str, Any]) -> None:
        self.stdin.write(line if isinstance(line, bytes) else json.dumps({"jsonrpc": "2.0"} | line).encode() + b"\n")
        self.stdin.flush()

    def ask(self, number: int | str, method: str, **params: Any) -> dict[str, Any]:
        self.say({"id": number, "method": method, "params": params})
        return self.answer(number)

    def answer(self, number: int | str) -> dict[str, Any]:
        for line in self.stdout:
            answer = json.loads(line)
            if answer.get("id") == number:
                return dict(answer)
        raise AssertionError("the program has closed its pipe")


def wait_until_nobody_serves(vault: Path) -> None:
    """Return when whoever serves a vault has ended. The system takes the lock from it then, however it ends."""
    with FileLock(RunFolder(vault).path / LOCK_FILE, timeout=IDLE_SECONDS + PATIENCE):
        pass


@pytest.mark.parametrize("era", ERAS)
async def test_the_sdks_client_reads_a_note_of_a_vault_that_is_served(robot: Path, era: str) -> None:
    async with Bridge(robot), person_at(robot) as person:
        person.answer = "allow_once"
        async with robot_at(robot, era) as client:
            result = await client.call_tool("read", {"path": "Ideas.md"})
            assert result.structured_content["content"].startswith("# Ideas")
            assert {tool.name for tool in (await client.list_tools()).tools} >= {"read", "apply_patch"}
        assert person.asked[0]["client"] == "Robot"
        assert person.asked[0]["verified"]


async def test_a_program_hears_that_the_person_looks_at_something_else_and_gets_what_they_send(robot: Path) -> None:
    def subscribe(pipe: Piped) -> None:
        pipe.ask(1, "initialize", **HANDSHAKE)
        pipe.say({"method": "notifications/initialized"})
        assert "result" in pipe.ask(2, "resources/subscribe", uri="vault://@screen")

    async with Bridge(robot), person_at(robot) as person:
        person.answer = "allow_once"
        (client,) = await person.host.request("clients.list")
        await person.host.request("clients.update", clientId=client["clientId"], looking="session")
        async with asyncio.timeout(PATIENCE):
            with piped(robot) as pipe:
                await asyncio.to_thread(subscribe, pipe)
                screen = {"open": {"path": "Ideas.md", "view": "source"}, "tabs": [], "recent": []}
                await person.host.request("screen.tell", screen=screen)
                told = json.loads(await asyncio.to_thread(pipe.stdout.readline))
                await person.host.request("screen.send", clientId=client["clientId"], open=screen["open"])
                call = partial(pipe.ask, name="await_decision", arguments={})
                answers = [await asyncio.to_thread(call, number, "tools/call") for number in (3, 4)]
    assert (told["method"], told["params"]["uri"]) == ("notifications/resources/updated", "vault://@screen")
    assert ["The user sent you this" in str(answer["result"]["content"]) for answer in answers] == [True, False]


async def test_two_programs_share_the_bridge_that_the_first_one_starts(robot: Path) -> None:
    async with robot_at(robot) as first, robot_at(robot) as second:
        await asyncio.gather(first.list_tools(), second.list_tools())
        await served_by_another_than(robot, 0)  # the list is known without a bridge
        pid = find_endpoint(robot).pid
        async with person_at(robot) as person:
            person.answer = "allow_once"
            for client in (first, second):
                assert not (await client.call_tool("read", {"path": "Ideas.md"})).is_error
        assert find_endpoint(robot).pid == pid
    await asyncio.to_thread(wait_until_nobody_serves, robot)


@pytest.mark.skipif(sys.platform == "win32", reason="has no SIGKILL")
@pytest.mark.parametrize("number", ["SIGKILL", "SIGTERM", "SIGINT"])
async def test_a_killed_program_leaves_no_question_no_change_and_no_process(robot: Path, number: str) -> None:
    with piped(robot) as pipe:
        await asyncio.to_thread(pipe.ask, 1, "tools/list", _meta=ENVELOPE)
        await served_by_another_than(robot, 0)
        async with person_at(robot) as person:
            person.answer = None
            ended = asyncio.Event()
            person.host.on("consent.resolved", lambda _params: ended.set())
            pipe.say(
                {
                    "id": 2,
                    "method": "tools/call",
                    "params": {"name": "apply_patch", "arguments": EDIT, "_meta": ENVELOPE},
                }
            )
            await person.until_asked()
            pipe.process.send_signal(getattr(signal, number))
            async with asyncio.timeout(PATIENCE):
                await ended.wait()
            assert await person.host.request("consent.pending") == []
        pipe.process.wait(PATIENCE)
    assert (robot / "Ideas.md").read_text(encoding="utf-8").startswith("# Ideas")
    await asyncio.to_thread(wait_until_nobody_serves, robot)


@pytest.mark.skipif(sys.platform == "win32", reason="has no SIGKILL")
async def test_a_bridge_that_is_killed_is_found_again_and_a_change_is_made_once(robot: Path) -> None:
    async with robot_at(robot) as client:
        await client.list_tools()
        await served_by_another_than(robot, 0)
        first = find_endpoint(robot).pid
        async with person_at(robot) as person:
            person.answer = None
            calling = asyncio.create_task(client.call_tool("apply_patch", EDIT))
            await person.until_asked()
            os.kill(first, signal.SIGKILL)
        await served_by_another_than(robot, first)
        async with person_at(robot) as person:
            person.answer = "allow_once"
            result = await calling
            assert not result.is_error, result
            history = await person.host.request("history.list")
            assert [change["tool"] for change in history] == ["apply_patch"]
    assert (robot / "Ideas.md").read_text(encoding="utf-8").startswith("# Better ideas")
    await asyncio.to_thread(wait_until_nobody_serves, robot)


async def test_a_bridge_that_moves_to_another_port_is_found_again(robot: Path) -> None:
    async with contextlib.AsyncExitStack() as stack:
        async with Bridge(robot) as before:
            client = await stack.enter_async_context(robot_at(robot))
            await client.list_tools(cache_mode="bypass")
        async with Bridge(robot) as after:
            assert after.discovery.url != before.discovery.url
            assert (await client.list_tools(cache_mode="bypass")).tools


async def test_a_revoked_client_is_told_so(robot: Path) -> None:
    async with Bridge(robot), person_at(robot) as person, robot_at(robot) as client:
        await client.list_tools()
        (robots,) = await person.host.request("clients.list")
        await person.host.request("clients.revoke", clientId=robots["clientId"])
        result = await client.call_tool("read", {"path": "Ideas.md"})
        assert result.is_error
        assert "not valid any more" in result.content[0].model_dump()["text"]


async def test_the_bridge_that_is_started_is_ours_wherever_the_client_is(robot: Path, tmp_path: Path) -> None:
    trap = tmp_path / "project" / "bridge"
    trap.mkdir(parents=True)
    (trap / "__init__.py").write_text("", encoding="utf-8")
    (trap / "__main__.py").write_text("raise SystemExit('not ours')", encoding="utf-8")
    server = StdioServerParameters(
        command=sys.executable, args=["-P", *command(robot)[1:]], env=dict(os.environ), cwd=trap.parent
    )
    async with SdkClient(server, mode="auto") as client:
        assert (await client.list_tools()).tools
    await asyncio.to_thread(wait_until_nobody_serves, robot)


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="has no SIGKILL")
@pytest.mark.parametrize("end", ["client", "bridge"])
async def test_whenever_either_end_is_killed_a_change_is_made_once_or_not_at_all(robot: Path, end: str) -> None:
    note = robot / "Ideas.md"
    before, made = note.read_text(encoding="utf-8"), 0
    for milliseconds in range(0, 60, 6):
        note.write_text(before, encoding="utf-8")
        with piped(robot) as pipe:
            await asyncio.to_thread(pipe.ask, 1, "tools/list", _meta=ENVELOPE)
            await served_by_another_than(robot, 0)
            served = find_endpoint(robot).pid
            async with person_at(robot) as person:
                person.answer = "allow_once"
                params = {"name": "apply_patch", "arguments": EDIT, "_meta": ENVELOPE}
                pipe.say({"id": 2, "method": "tools/call", "params": params})
                await asyncio.sleep(milliseconds / 1000)  # any moment will do
                os.kill(pipe.process.pid if end == "client" else served, signal.SIGKILL)
                if end == "client":
                    await until_robot_has_left(person)
            if end == "bridge":  # the program starts another, and asks it for the same call where that is not answered
                pipe.say({"id": 3, "method": "tools/list", "params": {"_meta": ENVELOPE}})
                await served_by_another_than(robot, served)
                async with person_at(robot) as person:
                    person.answer = "allow_once"
                    answer = await asyncio.to_thread(pipe.answer, 2)
                    assert "result" in answer
                    assert not answer["result"].get("isError"), answer
        # A change that was allowed is carried out although nobody waits for it. A bridge that has ended has done so.
        os.kill(find_endpoint(robot).pid, signal.SIGTERM)
        await asyncio.to_thread(wait_until_nobody_serves, robot)
        async with Bridge(robot, brief=True) as bridge:
            history = bridge.services.ledger.history()
        after = note.read_text(encoding="utf-8")
        assert after in {before, before.replace("# Ideas", "# Better ideas", 1)}
        assert len(history) - made == (after != before)
        made = len(history)


async def until_robot_has_left(person: Person) -> None:
    """Return when the bridge knows that Robot is gone: what it has not begun to write for Robot is withdrawn."""
    async with asyncio.timeout(PATIENCE):
        while (await person.host.request("clients.list"))[0]["connected"]:  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0.02)


async def served_by_another_than(vault: Path, pid: int) -> None:
    """Return when another process serves the vault."""
    async with asyncio.timeout(PATIENCE):
        while True:
            with contextlib.suppress(BridgeNotRunning):
                if find_endpoint(vault, "host").pid != pid:
                    return
            await asyncio.sleep(0.05)


def test_only_messages_are_on_standard_output_whatever_comes_in(robot: Path) -> None:
    with piped(robot) as pipe:
        pipe.say(b"hello\n\n\xff\xfe\n[]\n{}\n" + b'{"jsonrpc": "2.0", "id": 7, "method": 5}\n')
        assert "result" in pipe.ask("a", "initialize", **HANDSHAKE)
        pipe.say({"method": "notifications/initialized"})
        assert "result" in pipe.ask("b", "tools/list")
        pipe.stdin.close()
        assert pipe.process.wait(PATIENCE) == 0
        assert pipe.stdout.read() == b""


def test_what_is_no_message_is_answered_with_an_error(robot: Path) -> None:
    with piped(robot) as pipe:
        for line, code, number in ((b"{nonsense\n", -32700, None), (b'{"id": 7, "method": 5}\n', -32600, 7)):
            pipe.say(line)
            answer = json.loads(pipe.stdout.readline())
            assert (answer["error"]["code"], answer["id"]) == (code, number)


def test_no_opening_of_the_real_pipe_makes_it_useless(robot: Path) -> None:
    chance = random.Random(7)  # noqa: S311 - the same openings every time
    with contextlib.ExitStack() as stack:
        for _ in range(OPENINGS // 4):
            pipes = [stack.enter_context(piped(robot)) for _ in range(4)]
            for pipe in pipes:
                for _ in range(chance.randint(1, 6)):
                    pipe.say(chance.choice([*GARBAGE, chance.randbytes(30).replace(b"\n", b"") + b"\n"]))
                assert "result" in pipe.ask("d", "server/discover", _meta=ENVELOPE)
                assert "result" in pipe.ask("i", "initialize", **HANDSHAKE)
                assert "result" in pipe.ask("t", "tools/list")
                pipe.process.kill()


def test_without_a_token_it_says_what_to_do(vault: Path) -> None:
    done = subprocess.run(command(vault), capture_output=True, timeout=PATIENCE, check=False, stdin=subprocess.DEVNULL)  # noqa: S603 - ours
    assert done.returncode == 1
    assert b"clients add" in done.stderr
    assert done.stdout == b""


GARBAGE = [
    b"\n",
    b"null\n",
    b"{}\n",
    b'{"jsonrpc": "2.0", "id": null, "method": "ping"}\n',
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}\n',
    b'{"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": 5}}\n',
    b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}\n',
    b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n',
    b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": [1]}}\n',
    b'{"jsonrpc": "2.0", "id": 1, "result": {}}\n',
    b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]\n',
    b"\x00" * 100 + b"\n",
]
