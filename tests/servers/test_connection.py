"""A server is connected when it is needed, and whatever it does, it harms its own connection alone."""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from bridge.errors import DeadlineExceeded, ExecutionFailed, PermissionDenied
from bridge.servers import connection, streams
from bridge.servers.configuration import MOST_TOOLS, entry
from bridge.servers.connection import ServerConnection
from bridge.servers.servers import Opener
from bridge.servers.streams import Messages
from tests.patience import PATIENCE
from tests.servers.conftest import Connect

pytestmark = pytest.mark.slow


async def call(server: ServerConnection, name: str = "Ada", seconds: float = 60.0) -> dict[str, Any]:
    return await server.call("greet", {"name": name}, seconds, lambda *_said: None)


def text(answer: dict[str, Any]) -> str:
    return str(answer["content"][0]["text"])


async def test_it_is_connected_once_however_many_need_it(connect: Connect) -> None:
    server = connect("good")
    first, second, greeted = await asyncio.gather(server.connect(), server.connect(), call(server))
    assert [each.name for each in first] == [each.name for each in second] == ["greet"]
    assert text(greeted) == "hello Ada"
    states = [server.state]
    await server.stop()
    assert [*states, server.state] == ["ready", "off"]


async def test_one_that_was_stopped_is_connected_again(connect: Connect) -> None:
    server = connect("good")
    await server.connect()
    await server.stop()
    assert text(await call(server)) == "hello Ada"


async def test_one_that_was_let_go_is_not_connected_again(connect: Connect) -> None:
    server = connect("good")
    await server.connect()
    await server.stop(for_good=True)
    with pytest.raises(ExecutionFailed, match="changed or taken away"):
        await call(server)
    assert server.state == "off"


@pytest.mark.parametrize(
    ("mode", "said"),
    [("gone", "cannot be used"), ("chatty", ""), ("parts", ""), ("error", ""), ("shifting", "")],
)
async def test_how_it_starts_is_told_in_its_state(connect: Connect, mode: str, said: str) -> None:
    server = connect(mode)
    if said:
        with pytest.raises(ExecutionFailed, match=said):
            await server.connect()
        assert server.state == "failed"
        assert server.log.lines[-1] == "it will not start today"
    else:
        assert len(await server.connect()) == 1
        assert server.state == "ready"


async def test_malformed_tools_are_left_out_and_named_one_by_one_and_the_others_stay(connect: Connect) -> None:
    server = connect("malformed")
    assert [each.name for each in await server.connect()] == ["greet", "welcome"]
    assert text(await call(server)) == "hello Ada"
    told = "\n".join(server.faults)
    assert len(server.faults) == 7
    assert all(f"the tool {name!r} is left out" in told for name in ("typeless", "schemaless", "hinted", "listed"))
    assert "the tool without a usable name is left out" in told
    assert "'inputSchema.type' is missing" in told
    assert "pydantic" not in told


async def test_an_answer_that_is_no_list_is_told_in_plain_words(connect: Connect) -> None:
    server = connect("no tools")
    with pytest.raises(ExecutionFailed, match="cannot be used: it says what the protocol does not have"):
        await server.connect()


async def test_a_program_that_is_not_there_is_named(connect: Connect) -> None:
    server = connect("good")
    server.entry = server.entry.model_copy(update={"command": "no-such-program"})
    with pytest.raises(ExecutionFailed, match="no program 'no-such-program'"):
        await server.connect()


@pytest.mark.parametrize("mode", ["silent", "mute", "listless"])
async def test_one_that_hangs_in_any_phase_is_given_up_and_ended(
    connect: Connect, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "START_SECONDS", 3.0)
    monkeypatch.setattr(connection, "LIST_SECONDS", 3.0)
    server = connect(mode)
    with pytest.raises(DeadlineExceeded):
        await server.connect()
    assert server.state == "failed"


async def test_a_call_that_hangs_ends_at_its_time_and_the_server_goes_on(connect: Connect) -> None:
    server = connect("hang")
    await server.connect()
    with pytest.raises(DeadlineExceeded):
        await call(server, seconds=0.5)
    assert server.state == "ready"


async def test_one_that_crashes_in_a_call_fails_that_call_and_is_there_for_the_next(connect: Connect) -> None:
    server = connect("crash")
    with pytest.raises(ExecutionFailed):
        await call(server)
    await until(lambda: server.state == "failed")
    assert [each.name for each in await server.connect()] == ["greet"]


async def test_an_endless_answer_ends_it(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "LONGEST_LINE", 2_000_000)
    server = connect("huge")
    with pytest.raises(ExecutionFailed):
        await call(server)
    assert "more than" in server.log.lines[-1]


async def test_an_answer_of_very_many_values_ends_it_unparsed(connect: Connect) -> None:
    server = connect("brackets")
    with pytest.raises(ExecutionFailed):
        await call(server)
    assert "more than 200,000 values" in server.log.lines[-1]


EVENT = "event: message\r\ndata: {}\r\n\r\n"
SENT: dict[str, Callable[[str], web.Response]] = {
    "JSON": lambda body: web.Response(text=body, content_type="application/json"),
    "JSON with empty lines": lambda body: web.Response(
        text=body.replace("], ", "],\n\n"), content_type="application/json"
    ),
    "an event": lambda body: web.Response(text=EVENT.format(body), content_type="text/event-stream"),
    "an event with a quote in its name": lambda body: web.Response(
        text=f'event: "\n{EVENT.format(body)}', content_type="text/event-stream"
    ),
    "an event in several lines": lambda body: web.Response(
        text=EVENT.format(body.replace("], ", "],\ndata: ")), content_type="text/event-stream"
    ),
}


@pytest.mark.parametrize("sent", SENT)
@pytest.mark.parametrize(("lists", "connected"), [(100, True), (250_000, False)])
async def test_over_http_too_however_it_is_sent(opener: Opener, sent: str, lists: int, connected: bool) -> None:
    """The reply would be a good one but for the number of its values."""
    async with answering(opener, SENT[sent], lists) as server:
        with nullcontext() if connected else pytest.raises(ExecutionFailed):
            await server.connect()


@pytest.mark.parametrize(
    "headers", [{"Content-Encoding": "gzip"}, {"Content-Type": "text/event-stream; charset=utf-7"}]
)
async def test_what_hides_the_text_from_the_count_is_not_read(opener: Opener, headers: dict[str, str]) -> None:
    def packed(body: str) -> web.Response:
        if "Content-Encoding" in headers:
            return web.Response(body=gzip.compress(body.encode()), headers=headers, content_type="application/json")
        return web.Response(body=EVENT.format(body).encode("utf-7"), headers=headers)

    async with answering(opener, packed, 100) as server:
        with pytest.raises(ExecutionFailed):
            await server.connect()


@asynccontextmanager
async def answering(
    opener: Opener, respond: Callable[[str], web.Response], lists: int
) -> AsyncIterator[ServerConnection]:
    """A server over HTTP whose first answer holds so many empty lists more than it needs."""

    async def handle(request: web.Request) -> web.Response:
        asked = await request.json() if request.method == "POST" else {}
        if asked.get("method") != "initialize":
            return web.json_response({"jsonrpc": "2.0", "id": asked.get("id", 0), "result": {"tools": []}})
        info = {"name": "s", "version": "1"}
        shook = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}
        shook["_meta"] = {"all": [[]] * lists}
        return respond(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": shook}))

    app = web.Application()
    app.router.add_route("*", "/mcp", handle)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    port = runner.addresses[0][1]
    server = ServerConnection("s", entry("s", {"url": f"http://127.0.0.1:{port}/mcp"}), opener)
    try:
        yield server
    finally:
        await server.stop()
        await runner.cleanup()


@given(st.lists(st.integers(0, 12), min_size=1, max_size=12), st.lists(st.integers(1, 9), min_size=1, max_size=9))
def test_each_message_of_a_stream_counts_by_itself_however_it_comes(counts: list[int], sizes: list[int]) -> None:
    for end in (b"\n", b"\r\n", b"\r"):
        stream = b"".join(b"data: [" + b"[]," * each + b"1]" + end * 2 for each in counts)
        for most, exceeds in ((2 * max(counts) + 2, False), (2 * max(counts) + 1, True)):
            messages, at, found = Messages(most, stream=True), 0, False
            for size in sizes * len(stream):
                found = found or messages.exceed(stream[at : at + size])
                at += size
            assert found is exceeds


@pytest.mark.parametrize("mode", ["endless", "many"])
async def test_an_endless_list_is_cut(connect: Connect, mode: str) -> None:
    server = connect(mode)
    assert len(await server.connect()) <= MOST_TOOLS


@pytest.mark.parametrize(
    ("mode", "said"),
    [("nonsense", "what is no result"), ("wants", "what is no result")],
)
async def test_an_answer_that_is_none_is_a_failed_call(connect: Connect, mode: str, said: str) -> None:
    with pytest.raises(ExecutionFailed, match=said):
        await call(connect(mode))


async def test_nobody_lends_it_a_model(connect: Connect) -> None:
    assert "Sampling not supported" in text(await call(connect("asks")))


async def test_its_environment_holds_nothing_of_ours(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VAULT_BRIDGE_SECRET_OF_TEST", "s3cr3t")
    answer = text(await call(connect("environment", env={"ITS_OWN": "yes"})))
    assert "s3cr3t" not in answer
    there = json.loads(answer)
    assert there["ITS_OWN"] == "yes"
    assert Path(there["HOME"]).parts[-2:] == ("servers", "stranger")


async def test_it_reads_neither_the_vault_nor_what_is_ours_where_a_sandbox_works(
    connect: Connect, opener: Any, tmp_path: Path
) -> None:
    if not opener._programs.sandbox.confines:
        pytest.skip("no sandbox works here")
    secret = tmp_path / "state" / "host.json"
    secret.write_text("s3cr3t", encoding="utf-8")
    note = tmp_path / "Vault" / "Ideas.md"
    assert text(await call(connect("file"), str(secret))).startswith("cannot")
    assert text(await call(connect("file"), str(note))).startswith("cannot")
    assert text(await call(connect("file", folders=[str(tmp_path)]), str(note))).startswith("cannot")


@pytest.mark.parametrize("given", ["Vault", "Vault/Private", "link"])
async def test_one_that_is_given_the_vault_is_not_started(connect: Connect, tmp_path: Path, given: str) -> None:
    (tmp_path / "Vault" / "Private").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "Vault")
    with pytest.raises(PermissionDenied, match="in the vault"):
        await connect("good", folders=[str(tmp_path / given)]).connect()


async def test_a_child_that_it_leaves_behind_ends_with_it(connect: Connect, tmp_path: Path) -> None:
    place = tmp_path / "child"
    place.mkdir()
    server = connect("child", str(place / "pid"), folders=[str(place)])
    await server.connect()
    child = int((place / "pid").read_text(encoding="utf-8"))
    await server.stop()
    # In a namespace of its own it has another id; what it holds open is looked for instead.
    assert not any(str(STRANGE_CHILD) in line for line in running()), child


STRANGE_CHILD = "import time; time.sleep(600)"


def running() -> list[str]:
    """The command lines of all processes."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:
            continue
    return found


async def test_its_words_are_kept_for_the_person_and_bounded(connect: Connect) -> None:
    server = connect("chatty")
    await server.connect()
    await server.stop()
    assert len(server.log.lines) == 200
    assert any("no message" in line or "starting" in line for line in server.log.lines)


async def test_tools_that_change_while_it_runs_are_looked_at_again_until_none_is_announced(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "FIRST_PAUSE", 0.001)
    server = connect("restless")
    assert [each.name for each in await server.connect()] == ["greet", "t1"]
    await until(lambda: int(server.definitions[-1].name.removeprefix("t")) > 5)


async def test_one_that_announces_other_tools_without_end_is_listed_less_and_less(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "FIRST_PAUSE", 3600.0)
    monkeypatch.setattr(connection, "LONGEST_PAUSE", 7200.0)
    changes: list[str] = []
    server = connect("restless")
    server._on_change = lambda: changes.append(server.definitions[-1].name if server.definitions else "")
    await server.connect()
    await until(lambda: server.definitions[-1].name == "t2")
    heard = len(changes)
    lists = {text(await call(server)) for _number in range(20)}
    assert lists == {"2"}
    assert len(changes) == heard, "nobody is told to look again"


async def test_what_is_announced_and_is_the_same_is_told_to_nobody(connect: Connect) -> None:
    changes: list[str] = []
    server = connect("shifting")
    server._on_change = lambda: changes.append(server.state)
    await server.connect()
    heard = len(changes)
    await call(server)
    await until(lambda: server._listed > 0)
    assert len(changes) == heard
    assert [each.name for each in server.definitions] == ["greet"]


async def until(condition: Any) -> None:
    """Return when something is so."""
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0.01)
