"""Changes to a canvas: nothing else changes, cards that are placed overlap no other, and words say what was done."""

import json
import re
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.errors import Ambiguous, InvalidParameters, NotFound, ToolFailure
from bridge.notes.canvas_board import Box
from bridge.notes.canvas_edit import CanvasOperation, edit_canvas

OBSIDIAN = (
    '{\n\t"nodes":[\n'
    '\t\t{"id":"g","type":"group","x":-20,"y":-20,"width":600,"height":400,"label":"Garden"},\n'
    '\t\t{"id":"a","x":0,"y":0,"width":250,"height":60,"type":"text",'
    '"text":"# Tom\\u0061toes\\nred","own":[1, {"x":2}]},\n'
    '\t\t{"id":"b","type":"file","file":"Notes/Soil.md","subpath":"#When","x":700.5,"y":0,"width":400,"height":400}\n'
    '\t],\n\t"edges":[\n'
    '\t\t{"id":"e","fromNode":"a","fromSide":"right","toNode":"b","toSide":"left","label":"needs"}\n'
    '\t],\n\t"metadata":{"version":"1.0"}\n}\n'
)
COMPACT = json.dumps(json.loads(OBSIDIAN), separators=(",", ":"))
PRETTY = json.dumps(json.loads(OBSIDIAN), indent=4).replace("\n", "\r\n")
FORMS = {"obsidian": OBSIDIAN, "compact": COMPACT, "pretty": PRETTY, "bom": "\ufeff" + OBSIDIAN}


def done(text: str, *operations: dict[str, Any]) -> tuple[str, list[str]]:
    return edit_canvas(text, [CanvasOperation(**each) for each in operations])


def read(text: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(text.removeprefix("\ufeff"))
    return value


def box(node: dict[str, Any]) -> Box:
    return Box(*(node[name] for name in ("x", "y", "width", "height")))


@pytest.mark.parametrize(
    ("operations", "deeds"),
    [
        ([{"action": "add", "text": "Basil\nx"}], ['adds the card "Basil"']),
        ([{"action": "add", "text": "Basil", "group": "Garden"}], ['adds the card "Basil" in the group "Garden"']),
        ([{"action": "add", "label": "Herbs"}], ['adds the group "Herbs"']),
        (
            [
                {"action": "add", "url": "https://example.com", "beside": "Tomatoes", "name": "page"},
                {"action": "connect", "from_card": "page", "to_card": "Soil", "label": "says"},
                {"action": "connect", "from_card": "a", "to_card": "page"},
            ],
            [
                (
                    'adds the card of the page "https://example.com" beside the card "Tomatoes" (the group "Garden" '
                    'becomes larger), connected to the card of the file "Notes/Soil.md#When" with the label "says", '
                    'connected from the card "Tomatoes"'
                )
            ],
        ),
        (
            [{"action": "connect", "from_card": "soil.md", "to_card": "garden"}],
            ['connects the card of the file "Notes/Soil.md#When" to the group "Garden"'],
        ),
        (
            [{"action": "change", "card": "tomatoes", "text": "Beans", "color": "4"}],
            ['changes the card "Tomatoes": its text becomes "Beans", its color becomes 4'],
        ),
        (
            [{"action": "change", "card": "b", "file": "Other.md"}],
            ['changes the card of the file "Notes/Soil.md#When": its file becomes "Other.md"'],
        ),
        (
            [{"action": "change", "card": "e", "label": ""}],
            [
                (
                    'changes the connection from the card "Tomatoes" to the card of the file "Notes/Soil.md#When": '
                    "its label goes"
                )
            ],
        ),
        ([{"action": "remove", "card": "a"}], ['removes the card "Tomatoes" and its 1 connection']),
        ([{"action": "remove", "card": "Garden"}], ['removes the group "Garden" (its cards stay)']),
        (
            [{"action": "remove", "card": "e"}],
            ['removes the connection from the card "Tomatoes" to the card of the file "Notes/Soil.md#When"'],
        ),
        (
            [{"action": "arrange", "cards": ["a", "b"]}],
            ["arranges 2 cards so that they do not overlap"],
        ),
        (
            [{"action": "add", "text": "x", "group": "g", "height": 400}],
            ['adds the card "x" in the group "Garden" (the group "Garden" becomes larger)'],
        ),
        ([{"action": "change", "card": "a", "text": "# Tomatoes\nred"}], []),
    ],
)
@pytest.mark.parametrize("form", FORMS)
def test_each_change_is_said_in_words_in_every_form_of_the_file(form: str, operations: Any, deeds: list[str]) -> None:
    text, said = done(FORMS[form], *operations)
    assert said == deeds
    assert (text == FORMS[form]) == (not deeds)
    assert "\n" in text or form == "compact"
    assert text.startswith("\ufeff") == (form == "bom")
    assert text == done(FORMS[form], *operations)[0], "the same call makes the same file"


def test_a_new_card_is_written_as_obsidian_writes_it_and_the_rest_stays() -> None:
    text, _deeds = done(
        OBSIDIAN,
        {"action": "add", "text": 'say "hi"\n', "beside": "b", "side": "left"},
        {"action": "connect", "from_card": "a", "to_card": "b", "label": "again"},
    )
    added = re.findall(r'\t\t\{"id":"[0-9a-f]{16}".*', text)
    assert len(added) == 2
    assert added[0].endswith(',"type":"text","text":"say \\"hi\\"\\n","x":410,"y":420,"width":250,"height":60}')
    rest = text
    for line in added:
        rest = rest.replace(f",\n{line}", "")
    assert rest == OBSIDIAN


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("", '{\n\t"nodes":[\n\t\t{NODE}\n\t],\n\t"edges":[]\n}'),
        ("\n", '{\n\t"nodes":[\n\t\t{NODE}\n\t],\n\t"edges":[]\n}\n'),
        ("{}", '{\n\t"nodes":[\n\t\t{NODE}\n\t],\n\t"edges":[]\n}'),
        ('{"edges":[]}', '{"edges":[],"nodes":[{NODE}]}'),
        ('{"nodes":[],"edges":[]}', '{"nodes":[{NODE}],"edges":[]}'),
        ('{\n\t"nodes":[],\n\t"edges":[]\n}', '{\n\t"nodes":[\n\t\t{NODE}\n\t],\n\t"edges":[]\n}'),
    ],
)
def test_an_empty_canvas_gets_its_first_card(text: str, whole: str) -> None:
    new, _deeds = done(text, {"action": "add", "text": "x"})
    (node,) = read(new)["nodes"]
    written = f'{{"id":"{node["id"]}","type":"text","text":"x","x":-125,"y":-30,"width":250,"height":60}}'
    assert new == whole.replace("{NODE}", written)


@pytest.mark.parametrize("form", FORMS)
def test_what_was_added_and_is_removed_leaves_the_file_as_it_was(form: str) -> None:
    add: list[dict[str, Any]] = [
        {"action": "add", "text": "x", "name": "n"},
        {"action": "connect", "from_card": "n", "to_card": "a"},
    ]
    text, _deeds = done(FORMS[form], *add)
    assert text != FORMS[form]
    assert done(text, {"action": "remove", "card": "x"})[0] == FORMS[form]
    for name in ("label", "color"):
        text, _deeds = done(FORMS[form], {"action": "change", "card": "e", name: "1"})
        gone, _deeds = done(text, {"action": "change", "card": "e", name: ""})
        assert '"color"' not in gone
        assert gone.count("label") == FORMS[form].count("label") - (name == "label")


@pytest.mark.parametrize(
    ("operations", "kind", "said"),
    [
        ([{"action": "remove", "card": "Tomato"}], NotFound, "there are: 'Tomatoes' \\(a\\)"),
        ([{"action": "remove", "card": "A"}], NotFound, "no card 'A'"),  # an id is compared with case
        ([{"action": "remove", "card": "\u0430"}], NotFound, "no card"),
        ([{"action": "add", "text": "x", "file": "y"}], InvalidParameters, "exactly one"),
        ([{"action": "add"}], InvalidParameters, "exactly one"),
        ([{"action": "add", "text": "x", "group": "a"}], InvalidParameters, "not a group"),
        ([{"action": "add", "text": "x", "group": "g", "beside": "a"}], InvalidParameters, "not both"),
        ([{"action": "add", "text": "x", "beside": "e"}], InvalidParameters, "connection"),
        ([{"action": "change", "card": "a", "file": "x"}], InvalidParameters, "does not go with"),
        ([{"action": "change", "card": "a", "subpath": "#x"}], InvalidParameters, "does not go with"),
        ([{"action": "change", "card": "a", "beside": "a"}], InvalidParameters, "beside itself"),
        ([{"action": "change", "card": "a", "width": 1000}], InvalidParameters, "would overlap the group"),
        (
            [{"action": "add", "text": "x", "beside": "b"}, {"action": "change", "card": "b", "width": 900}],
            InvalidParameters,
            'would overlap the card "x"',
        ),
        ([{"action": "change", "card": "g", "width": 1000}], InvalidParameters, "in its way"),
        ([{"action": "change", "card": "g", "beside": "b"}], InvalidParameters, "move its cards"),
        ([{"action": "add", "text": "x", "group": "g", "width": 900}], InvalidParameters, "There is no room"),
        ([{"action": "connect", "from_card": "a"}], InvalidParameters, "to_card"),
        ([{"action": "connect", "from_card": "a", "to_card": "b", "label": "needs"}], InvalidParameters, "already"),
        ([{"action": "arrange"}], InvalidParameters, "needs cards"),
        ([{"action": "arrange", "cards": ["g"]}], InvalidParameters, "arrange its cards"),
        (
            [{"action": "add", "text": "x"}] * 2 + [{"action": "remove", "card": "x"}],
            Ambiguous,
            "Operation 3: 'x' means",
        ),
        ([{"action": "add", "text": "x", "name": "n"}] * 2, InvalidParameters, "have the name"),
    ],
)
def test_what_cannot_be_done_is_refused_with_what_could_be(operations: Any, kind: type, said: str) -> None:
    with pytest.raises(kind, match=said):
        done(OBSIDIAN, *operations)


def test_several_cards_of_one_name_or_id_are_told_apart_by_their_places() -> None:
    node = {"id": "a", "type": "text", "text": "same", "x": 0, "y": 0, "width": 10, "height": 10}
    text = json.dumps({"nodes": [node, node | {"x": 50}, node | {"id": "c", "x": 100, "text": "other"}]})
    for name in ("same", "a"):
        with pytest.raises(Ambiguous) as refused:
            done(text, {"action": "remove", "card": name})
        assert refused.value.data["candidates"] == ['the card "same" (a) at 0,0', 'the card "same" (a) at 50,0']
    assert done(text, {"action": "remove", "card": "other"})[1] == ['removes the card "other"']


@pytest.mark.parametrize(
    "text",
    [
        *("{", "[]", '{"nodes":[1]}', '{"nodes":{}}', '{"nodes":[],"nodes":[]}'),
        OBSIDIAN.replace('"y":0', '"y":1e999'),
        OBSIDIAN.replace('"id":"a"', '"id":7'),
        OBSIDIAN.replace('"id":"a"', '"\\u0069d":"a","text":"","id":"a","text":""').replace('"text":"# T', '"q":"# T'),
    ],
)
def test_a_damaged_canvas_stays_as_it_is(text: str) -> None:
    with pytest.raises(InvalidParameters, match="damaged"):
        done(text, {"action": "add", "text": "x"}, {"action": "change", "card": "a", "text": "y"})


def test_a_canvas_of_a_million_characters_is_edited() -> None:
    node = {"type": "text", "text": "x", "width": 250, "height": 60}
    nodes = [node | {"id": f"{at}", "x": at % 100 * 300, "y": at // 100 * 100} for at in range(10_000)]
    text = json.dumps({"nodes": nodes, "edges": []})
    assert len(text) > 900_000
    new, _deeds = done(text, {"action": "add", "text": "new", "beside": "0"})
    assert new.startswith(text[: len(text) - len('], "edges": []}')])
    last = read(new)["nodes"][-1]
    assert not any(box(last).overlaps(box(each)) for each in nodes)


NAMES = st.sampled_from(["b", "a", "g", "n0", "n1", "n2", "e", "nobody"])
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
SIZES = st.none() | st.integers(20, 300) | st.integers(20, 900)
PLACES: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.just({}),
    st.fixed_dictionaries({"beside": NAMES, "side": st.sampled_from(["right", "left", "top", "bottom"])}),
    st.fixed_dictionaries({"group": NAMES}),
)


@st.composite
def operations(draw: st.DrawFn) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    for number in range(draw(st.integers(3, 8))):
        action = draw(st.sampled_from(["add", "add", "change", "remove", "connect", "arrange"]))
        size = {"width": draw(SIZES), "height": draw(SIZES)}
        if action == "add":
            what = draw(st.sampled_from(["text", "file", "url", "label"]))
            named = f"https://n{number}" if what == "url" else f"n{number}"  # by which the later ones find it
            about = draw(st.just(named) | TEXTS if what in {"text", "label"} else st.just(named))
            made.append({"action": action, what: about} | size | draw(PLACES))
        elif action == "change":
            new: list[dict[str, Any]] = [{}, {"text": draw(TEXTS)}, {"label": draw(TEXTS)}, {"color": "2"}]
            made.append({"action": action, "card": draw(NAMES)} | draw(st.sampled_from(new)) | size | draw(PLACES))
        elif action == "remove":
            made.append({"action": action, "card": draw(NAMES)})
        elif action == "connect":
            made.append({"action": action, "from_card": draw(NAMES), "to_card": draw(NAMES), "label": draw(TEXTS)})
        else:
            made.append({"action": action, "cards": draw(st.lists(NAMES, max_size=4))} | draw(PLACES))
    return made


def changed(before: dict[str, Any], after: dict[str, Any]) -> set[str]:
    """The ids of the cards that are new or have another place or size."""
    old = {node["id"]: node for node in before["nodes"]}
    return {node["id"] for node in after["nodes"] if node["id"] not in old or box(old[node["id"]]) != box(node)}


@settings(max_examples=150, deadline=None)
@given(operations(), st.sampled_from(sorted(FORMS)))
def test_after_any_operations_it_is_a_canvas_in_which_nothing_else_changed(todo: Any, form: str) -> None:
    text = FORMS[form]
    placed = set[str]()
    for operation in todo:  # one after the other, so that one that is refused does not keep the others
        try:
            new, deeds = done(text, operation)
        except ToolFailure:
            continue
        before, after = read(text), read(new)
        assert (new == text) or deeds
        moved = changed(before, after)
        placed |= {node["id"] for node in after["nodes"] if node["id"] in moved and node["type"] != "group"}
        ids = [each["id"] for each in (*after["nodes"], *after["edges"])]
        assert len(ids) == len(set(ids))
        assert all({edge["fromNode"], edge["toNode"]} <= {*ids} for edge in after["edges"])
        kept = [node for node in before["nodes"] if node in after["nodes"]]
        for node in kept:
            raw = raw_of(text, node["id"])
            assert raw in new
        assert [node["id"] for node in after["nodes"] if node in kept] == [node["id"] for node in kept]
        assert after["metadata"] == before["metadata"]
        assert new.endswith(text[text.rindex("metadata") :])
        text = new
    cards = [node for node in read(text)["nodes"] if node["type"] != "group"]
    for one, other in combinations(cards, 2):
        if {one["id"], other["id"]} & placed:
            assert not box(one).overlaps(box(other)), (one, other)


def raw_of(text: str, id_: str) -> str:
    """The object of a node as it is written."""
    at = text.rindex("{", 0, text.index(json.dumps(id_)))
    value, length = json.JSONDecoder().raw_decode(text[at:])
    assert value["id"] == id_
    return text[at : at + length]
