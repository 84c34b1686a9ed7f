"""The outline of a canvas: what is on it, within a budget, and what is wrong with it."""

import json
from typing import Any

import pytest

from bridge.errors import InvalidParameters
from bridge.notes.canvas_board import MOST_CHARACTERS, outline_canvas, parse_board


def card(name: str, x: Any, y: Any, **more: Any) -> dict[str, Any]:
    return {"id": name, "type": "text", "text": name, "x": x, "y": y, "width": 250, "height": 60} | more


def canvas(*nodes: Any, edges: Any = ()) -> str:
    return json.dumps({"nodes": list(nodes), "edges": list(edges)})


BAD: list[Any] = ["1", None, True, 1e300, []]
GARDEN = canvas(
    card("outer", 0, 0, type="group", label="Garden", width=2000, height=2000),
    card("inner", 10, 10, type="group", label="Beds", width=900, height=900),
    card("a", 20, 20, text="\n## Tomatoes \nand basil"),
    card("b", 1000, 20, type="file", file="Notes/Soil #2.md", subpath="#When"),
    card("c", -900, 0, type="link", url="https://example.com/x"),
    card("d", -900, 300, text=""),
    edges=[
        {"id": "e", "fromNode": "a", "toNode": "b", "label": "needs\nmuch"},
        {"id": "f", "fromNode": "b", "toNode": "c", "toEnd": "none"},
        {"id": "g", "fromNode": "c", "toNode": "gone", "fromEnd": "arrow"},
    ],
)


def test_groups_hold_their_cards_and_connections_have_words() -> None:
    found = outline_canvas(GARDEN, 10_000)
    assert found.text.split("\n") == [
        "Cards: 4, groups: 2, connections: 3",
        "group Garden (outer) at 0,0 size 2000x2000",
        "  group Beds (inner) at 10,10 size 900x900",
        "    text Tomatoes (a) at 20,20 size 250x60",
        "  file Notes/Soil #2.md#When (b) at 1000,20 size 250x60",
        "link https://example.com/x (c) at -900,0 size 250x60",
        "text (empty) (d) at -900,300 size 250x60",
        '"Tomatoes" -> "Notes/Soil #2.md#When": needs (e)',
        '"Notes/Soil #2.md#When" -- "https://example.com/x" (f)',
        '"https://example.com/x" <-> (no card) (g)',
    ]
    assert {each["id"]: each["group"] for each in found.cards} == {
        name: {"inner": "outer", "a": "inner", "b": "outer"}.get(name) for name in ("outer", "inner", *"abcd")
    }
    assert found.next is None


@pytest.mark.parametrize("room", [150, 300, 450, 1000])
def test_an_outline_stays_within_its_room_and_says_what_is_missing(room: int) -> None:
    found = outline_canvas(GARDEN, room)
    assert len(found.text.encode()) <= room
    assert (found.next is not None) == (len(found.cards) < 6 or len(found.connections) < 3)
    assert (found.next is not None) == (f"[{6 - len(found.cards)} more cards and groups" in found.text)


@pytest.mark.parametrize("text", ["", " \n", "\ufeff", "{}", '{"nodes":[],"edges":[]}'])
def test_an_empty_canvas_is_one(text: str) -> None:
    assert outline_canvas(text, 1000).text == "Cards: 0, groups: 0, connections: 0"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not JSON"),
        ("[]", "not an object"),
        ('{"nodes":[NaN]}', "not JSON"),
        ('{"nodes":' + "[" * 5000 + "]" * 5000 + "}", "not JSON"),
        ('{"nodes":[]} {}', "not JSON"),
        ('{"nodes":"\udcff"}', "not JSON"),
        (" " * MOST_CHARACTERS + "{}", "characters"),
    ],
)
def test_what_is_no_canvas_is_refused(text: str, said: str) -> None:
    with pytest.raises(InvalidParameters, match=said):
        parse_board(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"nodes":{}}', "'nodes' is not a list"),
        ('{"edges":null}', "'edges' is not a list"),
        ('{"nodes":[1]}', "node 1 is not an object"),
        ('{"edges":[[]]}', "edge 1 is not an object"),
        ('{"edges":[{"id":"e","fromNode":"a"}]}', "edge 1 does not say which cards"),
        (canvas(card("a", 0, 0), card("a", 0, 0)), "several cards have the id 'a'"),
        (canvas(card("", 0, 0)), "node 1 has no id"),
        *((canvas(card("a", x, 0)), "node 1 has no place") for x in BAD),
        (canvas(card("a", 0, 0, width=-1)), "node 1 has no place"),
    ],
)
def test_what_is_damaged_is_outlined_and_said(text: str, said: str) -> None:
    assert f"Damaged: {said}" in outline_canvas(text, 1000).text


def test_a_line_of_an_outline_is_one_line_whatever_a_card_says() -> None:
    evil = canvas(card("i\nd", 0, 0, text="\u2028a\u202eb" + "x" * 100_000, type="te\nxt"))
    head, line = outline_canvas(evil, 10_000).text.split("\n")
    assert head == "Cards: 1, groups: 0, connections: 0"
    assert len(line) < 500
    assert line.isprintable()
