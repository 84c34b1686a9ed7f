"""Links in a canvas (rules 58 and 94)."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.notes.canvas import MOST_VALUES, parse_canvas
from bridge.notes.note import TooMuchWork, Work

CANVAS = """{
	"nodes":[
		{"id":"1","type":"file","file":"A/B.md","subpath":"#H","x":0,"meta":{"type":"text","text":"[[no]]"}},
		{"text":"x \\ud83d\\ude00 [[No\\u00e9|x]]\\n![[i.png]] [a](c%20d.md)","type":"text"},
		{"type":"link","url":"[[no]]"}, {"type":"group","label":"[[no]]"}
	],
	"edges":[{"type":"text","text":"[[no]]","label":"[[no]]"}],
	"text":"[[no]]"
}"""


def test_file_nodes_and_text_cards_hold_links() -> None:
    links = parse_canvas(CANVAS)
    assert [(link.key, link.link, link.display, link.original) for link in links] == [
        ("file", "A/B.md#H", "A/B.md > H", "A/B.md"),
        ("text", "Noé", "x", "[[Noé|x]]"),
        ("text", "i.png", "i.png", "![[i.png]]"),
        ("text", "c d.md", "a", "[a](c%20d.md)"),
    ]
    assert [(link.kind, link.linkpath, link.subpath) for link in links[:2]] == [
        ("node", "/A/B.md", "#H"),
        ("link", "Noé", ""),
    ]
    assert [(link.embed, link.markdown) for link in links] == [
        (False, False),
        (False, False),
        (True, False),
        (False, True),
    ]


def test_links_stand_where_they_are_written_in_the_json() -> None:
    written = [CANVAS[link.start : link.end] for link in parse_canvas(CANVAS)]
    assert written == ["A/B.md", "[[No\\u00e9|x]]", "![[i.png]]", "[a](c%20d.md)"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"nodes":[[[{"type":"file","file":"a"}]]]}',
        '{"nodes":{"a":{"type":"file","file":"a"}}}',
        '{"a":{"nodes":[{"type":"file","file":"a"}]}}',
        '{"nodes":[{"type":"file","file":1},{"type":"text","text":["[[a]]"]},{"type":"text"}]}',
        '{"nodes":[{"type":"file","file":"a"}]',
        "[" * 100_000,
    ],
    ids=["empty", "broken", "list", "null", "lists", "map", "deeper", "other values", "cut off", "deep"],
)
def test_what_is_no_canvas_has_no_links(text: str) -> None:
    assert parse_canvas(text) == ()


def test_of_members_with_one_name_the_last_counts() -> None:
    (link,) = parse_canvas('{"nodes":[{"type":"text","type":"file","file":"a","file":"b"}]}')
    assert (link.original, link.key) == ("b", "file")
    assert parse_canvas('{"nodes":[{"type":"file","file":"a","file":null}]}') == ()


def test_a_byte_order_mark_and_bytes_that_are_no_utf_8_do_not_matter() -> None:
    text = '\ufeff{"nodes":[{"type":"text","text":"\udcff [[a]]"}]}'
    (link,) = parse_canvas(text)
    assert text[link.start : link.end] == link.original == "[[a]]"


_CARDS = st.text(alphabet=st.sampled_from('ab[]|"\\\n é\U0001f600!()#'), max_size=30)


@settings(max_examples=100)
@given(st.lists(_CARDS, max_size=3), st.booleans(), st.sampled_from([None, 2]))
def test_a_link_put_in_place_of_another_is_read_there(cards: list[str], escaped: bool, indent: int | None) -> None:
    """Whatever JSON's spelling: replacing what stands between `start` and `end` changes that link and nothing else."""
    canvas: dict[str, Any] = {"nodes": [{"type": "text", "text": f"{card} [[x]] {card}"} for card in cards]}
    text = json.dumps(canvas, ensure_ascii=escaped, indent=indent)
    for link in parse_canvas(text):
        assert json.loads(f'"{text[link.start : link.end]}"') == link.original
        changed = text[: link.start] + "NEW" + text[link.end :]
        before, after = json.dumps(json.loads(text)), json.dumps(json.loads(changed))
        assert len(before) - len(json.dumps(link.original)) == len(after) - len('"NEW"')


@pytest.mark.parametrize("subpath", ["", "#Head", "#A#B"])
def test_in_a_nodes_path_a_hash_is_an_ordinary_character_rule_94(subpath: str) -> None:
    node = {"type": "file", "file": "C# x/D#.md"} | ({"subpath": subpath} if subpath else {})
    (link,) = parse_canvas(json.dumps({"nodes": [node]}))
    assert (link.original, link.linkpath, link.subpath) == ("C# x/D#.md", "/C# x/D#.md", subpath)


def test_a_canvas_of_too_many_values_is_too_much_work_and_none_of_them_are_made() -> None:
    text = CANVAS.replace('"edges":[', '"edges":[' + "1000000000," * MOST_VALUES)
    with pytest.raises(TooMuchWork):
        parse_canvas(text, Work.of_one_note())
    assert len(parse_canvas(text)) == 4
