"""Bases and canvases built to use up time and memory: each call is answered, and nobody else waits for it.

As an agent makes them, over a real bridge; what is measured is what the event loop is held for, and what is kept.
"""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from bridge.app import Bridge
from bridge.errors import ToolFailure
from tests.people import Person, add_client, named
from tests.turns import measure, turns_measured

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="its clock is too coarse")]

MOST = 6
"""How many times as long as the fixed piece of work (some 40 ms) a turn may take."""
MOST_HELD = 150 << 20
NOTES = 300
VALUES = ["9", "'x'", "2026-01-01", "'99999-01-01'", "[1, [2, [3]]]", "{a: {b: 1}}", "true", "null", "1e400", ".nan"]
FIVE = [1, 2, 3, 4, 5]

BASES = {
    "a million characters": 'filters: "' + "true && " * 125_000 + 'true"',
    "nested deeply": "filters: " + "{and: [" * 1000 + '"true"' + "]}" * 1000,
    "brackets": 'filters: "' + "(" * 9000 + "1" + ")" * 9000 + '"',
    "a circle": "formulas:\n"
    + "".join(f"  f{number}: formula.f{(number + 1) % 200} + 1\n" for number in range(200))
    + "views: [{order: [formula.f0, formula.f100]}]",
    "patterns": "formulas:\n  a: '/(a+)+$/.matches(text)'\n  b: '/(a|aa)+$/.matches(text)'\n"
    "  c: 'text.replace(/(.*)*x/g, \"y\")'\n  d: '/(a{1,500}){1,500}/.matches(text)'\n"
    "views: [{order: [formula.a, formula.b, formula.c, formula.d]}]",
    "beyond the calendar": 'formulas:\n  a: date("9999-12-31") + "1M"\n  b: date("0001-01-01") - "1s"\n'
    '  c: now() + "99999999999999999y"\n  d: duration("1e999d")\n  e: date("99999-01-01")\n'
    "views: [{order: [formula.a, formula.b, formula.c, formula.d, formula.e]}]",
    "mixed types": "formulas:\n  s: mix + mix\n  l: list(mix).sort()\n  c: mix > 3\n"
    "views: [{order: [mix, formula.s, formula.l, formula.c], sort: [{property: mix}, {property: formula.s}], "
    "groupBy: mix, summaries: {mix: Sum, formula.s: Average, formula.l: Unique}}]",
    "an explosion": f"formulas: {{a: '{FIVE}.reduce([acc, acc, acc, acc], 1).map({FIVE}.map({FIVE}))'}}\n"
    "views: [{order: [formula.a], sort: [formula.a]}]",
    "links of links": "filters: 'file.links.map(value.asFile().links.map(value.asFile().links)).flat().length > -1'\n"
    "views: [{order: [file.backlinks]}]",
    "sorts": "views: [{order: [k], sort: [" + ",".join(["{property: text}"] * 5000) + "]}]",
    "aliases": "a: &a [x, x, x]\n"
    + "".join(f"{new}: &{new} [{','.join([f'*{old}'] * 9)}]\n" for old, new in zip("abcdefg", "bcdefgh", strict=True))
    + "filters: *h\n",
    "no text": 'filters: "\ud800\x00"',
}
"""Bases by what is wrong with them."""

CARD = {"type": "text", "x": 0, "y": 0, "width": 250, "height": 60}


def canvas(texts: list[str]) -> str:
    nodes = [CARD | {"id": f"{number:016x}", "text": text, "y": number * 100} for number, text in enumerate(texts)]
    return json.dumps({"nodes": nodes, "edges": []})


CANVASES = {
    "a hundred thousand cards": canvas(["x"] * 100_000),
    "brackets": '{"nodes":' + "[" * 100_000 + "]" * 100_000 + "}",
    "a member twice": '{"nodes":[],"nodes":[],"edges":[]}',
    "numbers without end": canvas(["x"]).replace('"x": 0', '"x": 1e400'),
}
"""Canvases that are not edited."""


@pytest.fixture
async def robot(bridge: Bridge, person: Person, vault: Path) -> AsyncIterator[Any]:
    """An agent in a vault of many notes, whose every question is answered with yes; no turn is long."""
    del bridge
    person.answer = "allow_once"
    for number in range(NOTES):
        mix = VALUES[number % len(VALUES)]
        links = f"[[n{number * 7 % NOTES}]] [[n{number * 3 % NOTES}]]"
        text = f"---\nmix: {mix}\nk: {number}\ntext: {'a' * 40}b\n---\n{links}\n"
        (vault / f"n{number}.md").write_text(text, encoding="utf-8")
    await person.host.request("settings.update", patch={"rateLimits": {"query": 1000, "edit_canvas": 1000}})
    await add_client(person, vault, "Robot")
    most = MOST * measure()
    async with named(vault, "Robot") as robot:
        while (await person.host.request("vault.status"))["indexing"]:
            pass
        before = psutil.Process().memory_info().rss
        with turns_measured() as turns:
            yield robot
        assert turns.longest < most, turns.where
        assert psutil.Process().memory_info().rss - before < MOST_HELD


async def _said(robot: Any, tool: str, **arguments: Any) -> str:
    try:
        result = await robot.call(tool, **arguments)
    except ToolFailure as error:
        return str(error)
    return str(result.raw.get("text") or result.raw.get("error"))


@pytest.mark.parametrize("kind", BASES)
async def test_a_hostile_base_is_answered(robot: Any, vault: Path, kind: str) -> None:
    (vault / "Hostile.base").write_text(BASES[kind], encoding="utf-8", errors="surrogatepass")
    said = await _said(robot, "query", base="Hostile.base")
    assert "files" in said or "cannot be shown" in said, said
    assert "internal" not in said.lower()


@pytest.mark.parametrize("kind", CANVASES)
async def test_a_hostile_canvas_is_refused_and_stays(robot: Any, vault: Path, kind: str) -> None:
    (vault / "Hostile.canvas").write_text(CANVASES[kind], encoding="utf-8")
    said = await _said(robot, "edit_canvas", path="Hostile.canvas", operations=[{"action": "add", "text": "x"}])
    assert "damaged" in said or "2,000,000" in said, said
    assert (vault / "Hostile.canvas").read_text(encoding="utf-8") == CANVASES[kind]


async def test_text_of_cards_is_text_whatever_it_looks_like(robot: Any, person: Person, vault: Path) -> None:
    texts = [
        '"}],"edges":[{"id":"x"}]}',
        "<img src=x onerror=alert(1)>",
        "```base\nfilters: k\n```",
        "\\",
        "\u2028\x7f",
    ]
    before = canvas(texts)
    (vault / "Board.canvas").write_text(before, encoding="utf-8")
    operations = [{"action": "add", "text": text} for text in texts]
    await robot.call("edit_canvas", path="Board.canvas", operations=operations)
    after = json.loads((vault / "Board.canvas").read_text(encoding="utf-8"))
    assert [node["text"] for node in after["nodes"]] == texts * 2
    assert after["nodes"][: len(texts)] == json.loads(before)["nodes"]
    assert after["edges"] == []
    assert len({node["id"] for node in after["nodes"]}) == 2 * len(texts)
    assert "<img" in person.asked[-1]["summary"], "the person reads what is added, as text"


async def test_edits_that_meet_each_other_lose_no_card(robot: Any, person: Person, vault: Path) -> None:
    (vault / "Board.canvas").write_text(canvas(["one"]), encoding="utf-8")
    person.answer = None
    calls = [
        asyncio.ensure_future(
            _said(robot, "edit_canvas", path="Board.canvas", operations=[{"action": "add", "text": text}])
        )
        for text in ("left", "right")
    ]
    await person.until_asked(2)
    for question in person.asked:
        await person.respond(question, "allow_once")
    answers = await asyncio.gather(*calls)
    texts = [node["text"] for node in json.loads((vault / "Board.canvas").read_text(encoding="utf-8"))["nodes"]]
    done = [text for text, said in zip(("left", "right"), answers, strict=True) if said.startswith("Done")]
    assert texts == ["one", *done]
    assert done, answers
