"""Data from the web is parsed in separate processes: no page, robots.txt or search answer delays yours."""

import asyncio
import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import protego
import pytest

from bridge.clock import SystemClock
from bridge.contract.keys import SearchService
from bridge.errors import NetworkFailure, ToolFailure
from bridge.web.door import WebResponse
from bridge.web.extraction.reader import LARGEST_ANSWER, PageReader
from bridge.web.search_services import Hit, NoSense, SaidNo, TooMany
from bridge.web.services import FREE
from bridge.web.url import parse_url
from tests.web_servers import LocalWeb, answer, web_services

pytestmark = pytest.mark.slow

PAGE = parse_url("https://sea.example/private/5")
MANY = "".join(f"User-agent: agent{number}\n" for number in range(500))
ROBOTS = {
    "agents times rules": MANY + "".join(f"Disallow: /private/{number}\n" for number in range(6_000)),
    "rules for everybody": "User-agent: *\n" + "Disallow: /x*y\n" * 34_000,
    "one long line": "User-agent: *\nDisallow: /" + "*" * 500_000,
    "strange line breaks": "User-agent: *\x85Disallow: /\u2028" * 15_000,
}


@pytest.fixture(scope="module")
def reader() -> Iterator[PageReader]:
    reader = PageReader(SystemClock())
    yield reader
    reader.close()


def searched(body: bytes, status: int = 200) -> WebResponse:
    return WebResponse(parse_url("https://api.search.brave.com/x"), status, {}, body, len(body), 0.0)


@pytest.fixture
def _nothing_is_parsed_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def parse(*_text: Any) -> None:
        raise AssertionError("a stranger's text was parsed in the bridge")

    monkeypatch.setattr(protego.Protego, "parse", parse)
    monkeypatch.setattr(orjson, "loads", parse)


@pytest.mark.usefixtures("_nothing_is_parsed_here")
@pytest.mark.parametrize("robots", ROBOTS)
async def test_a_hostile_robots_txt_is_read_elsewhere_or_lets_nothing_be_read(tmp_path: Path, robots: str) -> None:
    async with LocalWeb().serve() as web:
        web.answers["/robots.txt"] = answer(ROBOTS[robots], kind="text/plain")
        services = web_services(web, tmp_path)
        for _ in range(FREE):
            await services.robots.check(PAGE, "session", asked=False)
        with contextlib.suppress(NetworkFailure):  # a file that takes too long lets nothing be read
            await services.robots.check(PAGE, "session", asked=False)
        services.reader.close()


def test_rules_for_many_programs_cost_no_more_than_for_one(reader: PageReader) -> None:
    rules = ROBOTS["agents times rules"].encode()
    assert reader.may_fetch(rules, str(PAGE), "vault-bridge")
    assert not reader.may_fetch(
        MANY.encode() + b"User-agent: Vault-Bridge\nDisallow: /private\n", str(PAGE), "vault-bridge"
    )
    assert not reader.may_fetch(rules + b"\nUser-agent: *\nDisallow: /private/\n", str(PAGE), "vault-bridge")


ANSWERS = {
    "nested": b"[" * 100 + b"]" * 100,
    "nested without end": b"[" * 3_000_000,
    "empty lists": b"[" + b"[]," * 1_200_000 + b"1]",
    "one string": b'{"web": {"results": [{"title": "' + b"x" * 3_000_000 + b'"}]}}',
    "too long": b" " * (LARGEST_ANSWER + 1),
    "no JSON": b"\xff\xfe" * 1000,
}


@pytest.mark.parametrize("body", ANSWERS)
async def test_a_hostile_answer_to_a_search_ends_as_a_failure_or_without_hits(
    reader: PageReader, monkeypatch: pytest.MonkeyPatch, body: str
) -> None:
    monkeypatch.setattr(orjson, "loads", pytest.fail)
    found: list[Hit] = []
    with contextlib.suppress(ToolFailure):
        found = await asyncio.to_thread(reader.hits, SearchService.BRAVE, "Brave Search", searched(ANSWERS[body]))
    assert found == []
    assert reader.hits(SearchService.BRAVE, "Brave Search", searched(b'{"type": "search"}')) == []


@pytest.mark.parametrize(("status", "kind"), [(401, SaidNo), (429, TooMany)])
def test_what_a_service_refuses_is_told_as_if_it_were_read_here(
    reader: PageReader, status: int, kind: type[NetworkFailure]
) -> None:
    with pytest.raises(kind):
        reader.hits(SearchService.BRAVE, "Brave Search", searched(b"{}", status))
    with pytest.raises(NoSense):
        reader.hits(SearchService.DUCKDUCKGO, "DuckDuckGo", searched(b"<p>x"))
