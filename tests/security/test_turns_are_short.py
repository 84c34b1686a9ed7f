"""No answer from a stranger, and no change of very many files, blocks the bridge for a noticeable moment.

What is measured is the processor's time that the event loop's thread takes in one turn, compared with a fixed piece of
work in the same run, and what the process holds afterwards.
"""

import asyncio
import contextlib
import gzip
import ssl
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import psutil
import pytest

from bridge.app import Bridge
from bridge.errors import ToolFailure
from bridge.notes.canvas import tokens
from bridge.testing import sandbox
from bridge.tools.web.web_fetch import WebFetchTool
from bridge.web.services import FREE
from bridge.web.url import parse_url
from tests.chat.conftest import Talk
from tests.chat.ollama_server import END, say
from tests.patience import PATIENCE
from tests.people import Person, add_client, named
from tests.security.test_strangers_text import ROBOTS
from tests.servers.conftest import Connect, connect, opener
from tests.turns import Turns, longest_hold, measure, turns_measured
from tests.web_servers import LocalWeb, Seen, answer, web_services

__all__ = ["connect", "opener"]  # fixtures
pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="its clock is too coarse")]

MOST = 6
"""How many times as long as the fixed piece of work (some 40 ms) a turn may take."""
MOST_HELD = 50 << 20
NOTES = 1_500


@pytest.fixture
def turns() -> Iterator[Turns]:
    """Every turn of the loop while the test runs, which must be short."""
    before = psutil.Process().memory_info().rss
    most = MOST * measure()
    with turns_measured() as turns:
        yield turns
    assert turns.longest < most, turns.where
    assert psutil.Process().memory_info().rss - before < MOST_HELD


HALF_A_MEGABYTE = 500_000
LONG = 20_000_000
PAGES = {
    "a deep page": ("text/html", b"<div>" * (HALF_A_MEGABYTE // 5)),
    "a page of attributes": ("text/html", b"<p " + b'a="b" ' * (HALF_A_MEGABYTE // 6) + b">x"),
    "a page of tables": ("text/html", b"<table><tr><td>" * (HALF_A_MEGABYTE // 15)),
    "a page of entities": ("text/html", b"&amp;&lt;" * (HALF_A_MEGABYTE // 9)),
    "a feed": ("application/rss+xml", b"<rss><channel>" + b"<item><title>x</title></item>" * 17_000),
    "JSON": ("application/json", b"[" + b"[1]," * 120_000 + b"1]"),
    "one line": ("text/plain", b"x " * 250_000),
}


@pytest.mark.parametrize("page", PAGES)
async def test_a_page_does_not(turns: Turns, tmp_path: Path, page: str) -> None:
    kind, body = PAGES[page]
    async with LocalWeb().serve() as web, sandbox(folder=tmp_path / "Vault") as vault:
        services = web_services(web, tmp_path, lambda: vault.settings.current, lambda _exchanged: None)
        await vault.add(WebFetchTool(services))
        web.answers["/a"] = answer(body, kind=kind)
        await vault.call("web_fetch", url="https://sea.example/a")
        services.reader.close()
    assert turns.longest > 0


LARGE_PIECE = b"<p>Some words of a paragraph.</p>\n" * 15_000
LARGE_PIECES = 100
"""Pieces of a page of 50 MB."""
LARGE_SIZE = len(LARGE_PIECE) * LARGE_PIECES
LARGE: dict[str, tuple[dict[str, str], int, dict[str, Any], str]] = {
    "said at once": (
        {"Content-Length": str(LARGE_SIZE)},
        1,
        {},
        "more than 10,485,760 bytes; setting `maxResponseSize`",
    ),
    "not said": ({}, 1, {}, "more than 10,485,760 bytes; setting `maxResponseSize`"),
    "packed": ({"Content-Encoding": "gzip"}, 1, {}, "more than 10,485,760 bytes once it is unpacked"),
    "allowed": ({}, 10, {}, "The page has more than 8,388,608 bytes; fetch it as `raw`"),
    "allowed, as it is": ({}, 10, {"format": "raw"}, ""),
}


@pytest.mark.parametrize("large", LARGE)
async def test_a_page_of_50_megabytes_does_not(turns: Turns, tmp_path: Path, large: str) -> None:
    headers, times, arguments, refused = LARGE[large]
    piece, pieces = LARGE_PIECE, LARGE_PIECES
    if "Content-Encoding" in headers:
        piece, pieces = await asyncio.to_thread(gzip.compress, LARGE_PIECE * LARGE_PIECES), 1

    async def sent(_seen: Seen, writer: asyncio.StreamWriter) -> None:
        head = {"Content-Type": "text/html", "Connection": "close"} | headers
        writer.write("".join(["HTTP/1.1 200 OK\r\n", *(f"{name}: {head[name]}\r\n" for name in head), "\r\n"]).encode())
        with contextlib.suppress(ConnectionError, ssl.SSLError):
            for _ in range(pieces):
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(0)  # to a connection that has just ended is written without a wait

    async with LocalWeb().serve() as web, sandbox(folder=tmp_path / "Vault") as vault:
        settings = vault.settings.current
        settings = settings.model_copy(update={"max_response_size": times * settings.max_response_size})
        services = web_services(web, tmp_path, lambda: settings, lambda _exchanged: None)
        await vault.add(WebFetchTool(services))
        web.answers["/a"] = sent
        found = await vault.call("web_fetch", url="https://sea.example/a", **arguments)
        services.reader.close()
    assert found.success == (not refused)
    if found.error is not None:
        assert refused in found.error
    else:
        assert found.metadata["total"] == LARGE_SIZE
        assert len(found.text) < HALF_A_MEGABYTE
    assert turns.longest > 0


@pytest.mark.parametrize("robots", ROBOTS)
async def test_a_robots_txt_does_not(turns: Turns, tmp_path: Path, robots: str) -> None:
    async with LocalWeb().serve() as web:
        web.answers["/robots.txt"] = answer(ROBOTS[robots], kind="text/plain")
        services = web_services(web, tmp_path)
        for _ in range(FREE + 1):
            with contextlib.suppress(ToolFailure):
                await services.robots.check(parse_url("https://sea.example/private/5"), "session", asked=False)
        services.reader.close()
    assert turns.longest > 0


@pytest.mark.parametrize("long", ['"' + "x" * LONG + '"', "[" + " " * LONG + "]", '""' + " " * LONG, "1" * LONG])
def test_a_canvas_with_something_long_in_it_does_not(long: str) -> None:
    canvas = f'{{"nodes": [{long}], "edges" : []}}'
    names = []
    assert longest_hold(lambda: names.append(sum(token.names for token in tokens(canvas)))) < measure()
    assert names == [2, 2, 2]


LINES = {
    "many values": orjson.dumps({"message": {"role": "assistant", "content": "x"}, "more": [[]] * 200_000}),
    "one text": orjson.dumps(say("x" * 4_000_000)),
    "escapes": b'{"message": {"role": "assistant", "content": "' + b"\\u00e4" * 600_000 + b'"}}',
    "numbers": b'{"message": {"role": "assistant", "content": "x"}, "n": [' + b"1e300," * 600_000 + b"1]}",
}


@pytest.mark.parametrize("line", LINES)
async def test_a_line_of_a_model_server_does_not(talk: Talk, turns: Turns, line: str) -> None:
    talk.ollama.script = lambda _asked: [LINES[line] + b"\n", END]
    assert (await talk.ask("Hello"))["end"] in {"failed", "answered"}
    assert turns.longest > 0


@pytest.mark.parametrize("mode", ["brackets", "many", "parts"])
async def test_an_answer_of_another_server_does_not(connect: Connect, turns: Turns, mode: str) -> None:
    server = connect(mode)
    with contextlib.suppress(ToolFailure):
        await server.call("greet", {"name": "Ada"}, PATIENCE, lambda *_said: None)
    assert turns.longest > 0


async def test_a_question_about_very_many_files_does_not(bridge: Bridge, person: Person, vault: Path) -> None:
    for number in range(NOTES):
        (vault / f"{number}.md").write_text(f"# {number}\n\n" + "some words #alpha\n" * 20, encoding="utf-8")
    del bridge
    await add_client(person, vault, "Robot")
    most = MOST * measure()
    async with named(vault, "Robot") as robot:
        while (await person.host.request("vault.status"))["indexing"]:
            pass
        moves = [{"source": "alpha", "destination": "beta"}]
        with turns_measured() as turns:
            await robot.call("move", moves=moves, what="tag")
    assert len(person.asked[-1]["preview"]["files"]) == NOTES
    assert turns.longest < most, turns.where
