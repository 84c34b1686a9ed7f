"""get_metadata, find_related and the searches by tags and properties, on either storage."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bridge.clock import SystemClock
from bridge.errors import InvalidParameters
from bridge.identity.caller import PERSON
from bridge.index.search.passages import NearPassage
from bridge.index.vault_index import VaultIndex
from bridge.settings.model import Settings
from bridge.toolkit.tool import CallContext
from bridge.tools.notes.lookup import NoteLookup
from bridge.tools.notes.related import LEAST_LIKENESS, FindRelatedParams, FindRelatedTool
from bridge.tools.storage import VaultStorage
from bridge.vault.files import VaultFiles
from bridge.vault.root import VaultRoot
from tests.tools.notes.conftest import NOTES, Notes

World = Callable[[dict[str, bytes]], Notes]


def paths(output: Any) -> list[str]:
    return [each["path"] for each in output.data]


# -- get_metadata -----------------------------------------------------------------------------------------------------


def test_metadata_is_all_that_is_known_without_the_text(notes: World) -> None:
    texts = {name: text for name, text in NOTES.items() if name != "projects/old/Plan.md"}
    output = notes(texts).read("get_metadata", name="Home")
    data = {name: value for name, value in output.data.items() if name not in {"created", "modified"}}
    assert data == {
        "name": "Home",
        "path": "Home.md",
        "size_bytes": len(NOTES["Home.md"]),
        "aliases": ["Start"],
        "tags": ["#hub"],
        "properties": {"tags": ["hub"], "aliases": ["Start"]},
        "backlinks": ["Broken"],
        "forwardlinks": ["Plan", "Tea"],
        "unresolved": ["Nowhere"],
        "headings": [{"level": 1, "heading": "Home", "line": 5}],
    }
    assert output.data["modified"].endswith("Z")
    assert output.metadata == {
        "totals": {"backlinks": 1, "forwardlinks": 2, "unresolved": 1, "headings": 1},
        "truncated": False,
    }
    assert "forwardlinks (2): Plan, Tea" in output.text


def test_metadata_is_written_as_people_write_it(notes: World) -> None:
    text = "---\ntags: [x, y]\ndone: true\ndue:\nn: 2\ns: it's\n---\n# A\n\n\n## B ü\n"
    shown = notes({"A.md": text.encode()}).read("get_metadata", name="A").text.split("\n")
    assert shown[-3:] == ["headings (2):", "8: # A", "11: ## B ü"]
    wanted = {'property tags: ["x", "y"]', "property done: true", "property due: null", "property n: 2"}
    assert wanted | {"property s: it's"} <= set(shown)


def test_a_link_to_a_name_that_several_notes_have_is_listed_by_its_path(world: Notes) -> None:
    assert world.read("get_metadata", name="Home").data["forwardlinks"][0] == "projects/Plan.md"


def test_rule_49_a_note_with_broken_properties_has_none_and_its_text_counts(world: Notes) -> None:
    data = world.read("get_metadata", name="Broken").data
    assert (data["properties"], data["tags"], data["forwardlinks"]) == ({}, ["#hub"], ["Home"])


def test_very_many_links_are_counted_and_the_first_are_listed(notes: World) -> None:
    many = "".join(f"[[x{number}]]\n" for number in range(1500)).encode()
    output = notes({"Many.md": many}).read("get_metadata", name="Many")
    assert len(output.data["unresolved"]) == 1000
    assert output.metadata["totals"]["unresolved"] == 1500
    assert output.metadata["truncated"] is True


# -- find_related -----------------------------------------------------------------------------------------------------


def test_related_notes_are_those_that_link_or_are_linked_or_share_tags(world: Notes) -> None:
    output = world.read("find_related", name="projects/Plan")
    assert [(each["path"], each["relationship"]) for each in output.data] == [
        ("Home.md", "backlink_from"),
        ("projects/old/Plan.md", "shared_tag"),
    ]
    assert [relation.get("tag") for relation in output.data[1]["relations"]] == ["#rare"]
    assert output.metadata == {"total": 2, "truncated": False}


def test_several_relations_count_together_and_rare_tags_more_than_common_ones(notes: World) -> None:
    texts = {f"common {number}.md": b"#common\n" for number in range(8)}
    texts |= {"Me.md": b"#common #seldom [[Both]]\n", "Both.md": b"[[Me]]\n", "Tagged.md": b"#seldom\n"}
    output = notes(texts).read("find_related", name="Me", limit=4)
    assert paths(output) == ["Both.md", "Tagged.md", "common 0.md", "common 1.md"]
    scores = [each["score"] for each in output.data]
    assert scores[0] > scores[1] > scores[2] == scores[3] > 0
    assert scores[0] == 0.8
    assert output.metadata == {"total": 10, "truncated": True}
    assert output.text.splitlines()[0] == "Both.md (links to it, is linked from it)"


def test_a_canvas_is_related_as_a_note_is(notes: World) -> None:
    board = b'{"nodes": [{"id": "1", "type": "file", "file": "Me.md", "x": 0, "y": 0, "width": 1, "height": 1}]}'
    world = notes({"Me.md": b"[[Next.canvas]] ![[a.png]]\n", "Board.canvas": board, "Next.canvas": b"{}", "a.png": b""})
    assert [(each["path"], each["relationship"]) for each in world.read("find_related", name="Me").data] == [
        ("Board.canvas", "backlink_from"),
        ("Next.canvas", "forwardlink_to"),
    ]


def test_notes_about_the_same_are_related_beside_links(tmp_path: Path) -> None:
    for name, text in {"Tea.md": "See [[Cup]].", "Cup.md": "", "Leaves.md": "", "Far.md": "", "Skipped.md": ""}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    near = [("Cup.md", 0.8), ("Leaves.md", 0.75), ("Skipped.md", 0.7), ("Far.md", LEAST_LIKENESS - 0.01)]
    asked: list[str] = []

    def meaning(path: str, count: int) -> list[NearPassage]:
        asked.append(path)
        return [NearPassage(path, 0, 0, likeness) for path, likeness in near][:count]

    with VaultRoot(tmp_path) as root:
        files = VaultFiles(root)
        index = VaultIndex(files, SystemClock())
        index.refresh()
        tool = FindRelatedTool(NoteLookup(VaultStorage(files, index)), meaning)
        context = CallContext(PERSON, Settings(ignore_patterns=("Skipped.md",)), 1e12)
        output = tool.run(FindRelatedParams(name="Tea"), context)
        index.close()
    assert asked == ["Tea.md"]
    assert paths(output) == ["Cup.md", "Leaves.md"]
    assert [relation["relationship"] for relation in output.data[0]["relations"]] == [
        "forwardlink_to",
        "semantically_related",
    ]
    assert output.data[1]["relationship"] == "semantically_related"
    assert output.data[1]["score"] == 0.25
    assert "is about something similar" in output.text
    assert output.metadata["byMeaning"] is True


def test_a_note_alone_is_related_to_nothing(world: Notes) -> None:
    output = world.read("find_related", name="Empty")
    assert (output.data, output.metadata["total"]) == ([], 0)
    assert "No note is related" in output.text


# -- search_by_tags ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"tags": ["work"]}, ["Tea.md", "projects/Plan.md", "projects/old/Plan.md"]),
        ({"tags": ["#WORK"]}, ["Tea.md", "projects/Plan.md", "projects/old/Plan.md"]),
        ({"tags": ["work/urgent"]}, ["projects/Plan.md"]),
        ({"tags": ["work", "rare"]}, ["projects/Plan.md", "projects/old/Plan.md"]),
        ({"tags": ["work/later", "hub"], "match": "any"}, ["Broken.md", "Home.md", "Tea.md"]),
        ({"tags": ["wor"]}, []),
    ],
)
def test_rule_63_tags_find_nested_ones_in_any_case(world: Notes, arguments: dict[str, Any], found: list[str]) -> None:
    assert paths(world.read("search_by_tags", **arguments)) == found


def test_what_cannot_be_a_tag_is_refused(world: Notes) -> None:
    with pytest.raises(InvalidParameters, match="cannot be a tag"):
        world.read("search_by_tags", tags=["a b"])


def test_results_come_in_pages(world: Notes) -> None:
    first = world.read("search_by_tags", tags=["work"], limit=2)
    assert (paths(first), first.metadata) == (
        ["Tea.md", "projects/Plan.md"],
        {"total": 3, "truncated": True, "cursor": "projects/Plan.md"},
    )
    assert "[2 of 3 shown. For the next, set cursor to 'projects/Plan.md'.]" in first.text
    second = world.read("search_by_tags", tags=["work"], limit=2, cursor=first.metadata["cursor"])
    assert (paths(second), second.metadata) == (["projects/old/Plan.md"], {"total": 3, "truncated": False})
    with pytest.raises(InvalidParameters, match="begin again"):
        world.read("search_by_tags", tags=["work"], cursor="gone")


def test_rule_80_what_the_user_keeps_out_of_searches_is_not_found(world: Notes) -> None:
    world.settings = Settings.parse({"ignorePatterns": ["projects/"]})
    assert paths(world.read("search_by_tags", tags=["work"])) == ["Tea.md"]
    assert paths(world.read("search_by_properties", having=["status"])) == []
    counts = {each["tag"]: each["count"] for each in world.read("list_tags").data}
    assert (counts["#work"], counts.get("#rare")) == (1, None)


# -- search_by_properties ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"properties": {"status": "draft"}}, ["projects/Plan.md"]),
        ({"properties": {"STATUS": "done"}}, ["projects/old/Plan.md"]),
        ({"properties": {"status": ["draft", "done"]}}, ["projects/Plan.md", "projects/old/Plan.md"]),
        ({"properties": {"priority": 4}}, ["projects/Plan.md"]),
        ({"properties": {"priority": ">3"}}, ["projects/Plan.md"]),
        ({"properties": {"priority": ">=2", "status": "done"}}, ["projects/old/Plan.md"]),
        ({"properties": {"due": ">2024-01-01"}}, ["projects/Plan.md"]),
        ({"properties": {"due": None}}, ["projects/old/Plan.md"]),
        ({"properties": {"list": "b"}}, ["projects/old/Plan.md"]),
        ({"having": ["due"]}, ["projects/Plan.md", "projects/old/Plan.md"]),
        ({"having": ["due", "list"], "properties": {"priority": "<3"}}, ["projects/old/Plan.md"]),
        ({"properties": {"nothing": None}}, []),
        ({"properties": {"priority": True}}, []),
    ],
)
def test_rule_92_properties_are_compared_as_obsidian_does(
    world: Notes, arguments: dict[str, Any], found: list[str]
) -> None:
    assert paths(world.read("search_by_properties", **arguments)) == found


def test_the_values_that_matched_are_returned(world: Notes) -> None:
    output = world.read("search_by_properties", properties={"Priority": ">3"}, having=["due"])
    assert output.data == [
        {"name": "projects/Plan.md", "path": "projects/Plan.md", "properties": {"Priority": 4, "due": "2024-07-21"}}
    ]
    assert output.text == "projects/Plan.md (Priority: 4, due: 2024-07-21)"


def test_nothing_asked_and_nesting_without_end_are_refused(world: Notes) -> None:
    with pytest.raises(InvalidParameters, match="give properties"):
        world.read("search_by_properties")
    deep: Any = "x"
    for _ in range(500):
        deep = [deep]
    with pytest.raises(InvalidParameters, match="nested"):
        world.read("search_by_properties", properties={"a": deep})


# -- list_tags --------------------------------------------------------------------------------------------------------


def test_tags_are_listed_with_their_parents_and_counts(world: Notes) -> None:
    output = world.read("list_tags")
    found = {each["tag"].lower(): (each["count"], each["own"], each["uses"], each["parent"]) for each in output.data}
    assert found == {
        "#work": (3, 1, 1, None),
        "#work/urgent": (1, 1, 1, "#work"),
        "#work/later": (1, 1, 1, "#work"),
        "#hub": (2, 2, 2, None),
        "#rare": (2, 2, 2, None),
        "#inline": (1, 1, 1, None),
    }
    assert [each["count"] for each in output.data] == [3, 2, 2, 1, 1, 1]
    assert output.text.splitlines()[0] == "#work (3)"


def test_a_parent_that_no_note_has_itself_is_listed_all_the_same(notes: World) -> None:
    output = notes({"a.md": b"#one/two/three\n", "b.md": b"#one/two\n"}).read("list_tags")
    assert [(each["tag"], each["count"], each["own"], each["parent"]) for each in output.data] == [
        ("#one", 2, 0, None),
        ("#one/two", 2, 1, "#one"),
        ("#one/two/three", 1, 1, "#one/two"),
    ]


def test_tags_come_in_pages(world: Notes) -> None:
    first = world.read("list_tags", limit=4)
    rest = world.read("list_tags", limit=4, cursor=first.metadata["cursor"])
    assert [each["tag"] for each in first.data + rest.data] == [each["tag"] for each in world.read("list_tags").data]
    assert (first.metadata["total"], rest.metadata) == (6, {"total": 6, "truncated": False})
