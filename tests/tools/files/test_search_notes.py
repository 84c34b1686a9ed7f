"""search_notes as an agent calls it (rules 80 and 90 to 92 of docs/obsidian.md)."""

import json
from typing import Any

import pytest

from bridge.errors import ErrorType
from tests.tools.files.conftest import text_of

ALPHA, BETA = "Projects/Alpha.md", "Projects/Beta.md"


@pytest.fixture
def alpha(disk_vault: Any) -> Any:
    """A vault with two projects."""
    disk_vault.write(ALPHA, "# Alpha Project\n\nThe project timeline is set for Q2. #work/plan\n", 1_700_000_000)
    disk_vault.write(BETA, "---\nstatus: draft\n---\n# Beta\n\n- [ ] ask for the timeline\n", 1_700_000_000)
    return disk_vault


async def test_the_result_has_its_exact_shape(alpha: Any) -> None:
    result = await alpha.succeed("search_notes", query="project timeline")
    excerpts = [
        "# Alpha Project The project timeline is set for Q2. #work/plan",
        "...# Beta - [ ] ask for the timeline",
    ]
    assert result.data == {
        "results": [{"path": ALPHA, "excerpt": excerpts[0]}, {"path": BETA, "excerpt": excerpts[1]}],
    }
    assert (result.metadata["total"], result.metadata["withAllWords"], result.metadata["truncated"]) == (2, 1, False)
    assert result.text == (
        "Found 1 note with all the words:\n"
        "\n"
        f"1. {ALPHA}\n"
        f"   {excerpts[0]}\n"
        "\n"
        "With some of the words:\n"
        "\n"
        f"2. {BETA}\n"
        f"   {excerpts[1]}"
    )


async def test_the_content_of_the_notes_is_given_on_request(alpha: Any) -> None:
    result = await alpha.succeed("search_notes", query="timeline project", read_content=True)
    assert [entry["content"] for entry in result.data["results"]] == [
        "# Alpha Project\n\nThe project timeline is set for Q2. #work/plan\n",
        "---\nstatus: draft\n---\n# Beta\n\n- [ ] ask for the timeline\n",
    ]
    assert "# Alpha Project\n\nThe project timeline is set for Q2. #work/plan\n" in result.text


async def test_content_that_has_no_room_is_cut_at_a_line_and_says_where_to_go_on(alpha: Any) -> None:
    alpha.settings.update({"maxOutputBytes": 2048})
    alpha.write("Long.md", "timeline of everything\n" * 1000)
    result = await alpha.succeed("search_notes", query="timeline", read_content=True)
    entries = {entry["path"]: entry for entry in result.data["results"]}
    long = entries["Long.md"]
    assert long["content_truncated"] is True
    lines = long["content"].count("\n")
    assert long["content"] == "timeline of everything\n" * lines
    assert 0 < lines < 100
    assert "content_truncated" not in entries[ALPHA]
    assert f"[Cut here. For the rest, read_file 'Long.md' with start_line {lines + 1}.]" in result.text
    assert len(result.text.encode()) <= 2048
    assert result.metadata["truncated"] is True


@pytest.mark.parametrize(
    ("query", "paths"),
    [
        ('"timeline is"', [ALPHA]),
        ("tag:#work", [ALPHA]),
        ("[status:draft]", [BETA]),
        ("task-todo:timeline", [BETA]),
        ("path:projects -line:(project timeline)", [BETA]),
        (r"/Q\d/", [ALPHA]),
        ("file:app.json", []),
    ],
)
async def test_operators_are_exact(alpha: Any, query: str, paths: list[str]) -> None:
    result = await alpha.succeed("search_notes", query=query)
    assert [entry["path"] for entry in result.data["results"]] == paths
    assert result.metadata["total"] == len(paths)
    assert result.text.startswith("Found 1 result:" if paths else "No results. Operators are exact")


async def test_as_many_notes_come_as_are_asked_for(disk_vault: Any) -> None:
    for number in range(13):
        disk_vault.write(f"Note {number:02}.md", "zebra", 1_700_000_000 + number)
    few = await disk_vault.succeed("search_notes", query="zebra", limit=2)
    rest = await disk_vault.succeed("search_notes", query="zebra", limit=50, cursor=few.metadata["cursor"])
    assert [len(page.data["results"]) for page in (few, rest)] == [2, 11]
    assert (few.metadata["total"], rest.metadata["total"], "cursor" in rest.metadata) == (13, 13, False)


async def test_the_next_page_is_asked_for_with_the_cursor(disk_vault: Any) -> None:
    for number in range(13):
        disk_vault.write(f"Note {number:02}.md", "zebra", 1_700_000_000 + number)
    first = await disk_vault.succeed("search_notes", query="zebra")
    assert (first.metadata["total"], first.metadata["truncated"]) == (13, True)
    assert first.text.endswith("[1-10 of 13 shown. For the next, set cursor to '10'.]")
    second = await disk_vault.succeed("search_notes", query="zebra", cursor=first.metadata["cursor"])
    paths = [entry["path"] for page in (first, second) for entry in page.data["results"]]
    assert paths == [f"Note {number:02}.md" for number in reversed(range(13))]
    assert "cursor" not in second.metadata
    assert "11. Note 02.md" in second.text
    beyond = await disk_vault.call("search_notes", query="zebra", cursor="20")
    assert beyond.error_type is ErrorType.INVALID_PARAMETERS


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({}, "query is required and must be a non-empty string."),
        ({"query": ""}, "query is required and must be a non-empty string."),
        ({"query": "  \n"}, "query is required and must be a non-empty string."),
        ({"query": "()"}, "asks for nothing"),
        ({"query": "x" * 10_001}, "at most 10000 characters"),
        ({"query": "(" * 40 + "x"}, "nested more than 32 deep"),
        ({"query": "/a(/"}, "Invalid pattern at position"),
        ({"query": "x", "cursor": "-1"}, "cursor"),
    ],
)
async def test_a_faulty_query_is_refused(disk_vault: Any, arguments: dict[str, Any], says: str) -> None:
    result = await disk_vault.call("search_notes", **arguments)
    assert result.error_type is ErrorType.INVALID_PARAMETERS
    assert says in result.text


async def test_what_obsidian_excludes_and_what_is_ignored_never_appears(alpha: Any) -> None:
    alpha.write("Archive/Old.md", "timeline")
    alpha.write("Logs/Log.md", "timeline")
    excluded = json.dumps({"userIgnoreFilters": ["Archive/"]})
    (alpha.folder / ".obsidian" / "app.json").write_text(excluded, encoding="utf-8")
    alpha.settings.update({"ignorePatterns": ["Logs/**"]})
    for query in ("timeline", '"timeline"', "file:.md timeline"):
        result = await alpha.succeed("search_notes", query=query)
        assert {entry["path"] for entry in result.data["results"]} == {ALPHA, BETA}
        assert result.metadata["total"] == 2


async def test_a_closed_note_is_in_no_answer_and_no_number(alpha: Any) -> None:
    alpha.write("Private/Diary.md", "---\nstatus: secret\n---\n# Diary\ntimeline zebra #hidden\n- [ ] task\n")
    alpha.close_path("Private/")
    for query in ("zebra", "zebr", "ebra", '"zebra"', "tag:#hidden", "[status:secret]", "path:Private", "file:diary"):
        result = await alpha.succeed("search_notes", query=query)
        assert (result.data, result.metadata["total"]) == ({"results": []}, 0), query
    for query in ("timeline", "/timeline/", "line:timeline", "-xyz timeline"):
        assert (await alpha.succeed("search_notes", query=query)).metadata["total"] == 2, query


async def test_a_change_is_found_at_once(alpha: Any) -> None:
    await alpha.succeed("create_note", content="# New\n\na quokka appears\n", path="New.md")
    assert "New.md" in await text_of(alpha, "search_notes", query="quokka")
    await alpha.undo()
    assert (await text_of(alpha, "search_notes", query="quokka")).startswith("No results.")


async def test_when_nothing_is_found_it_says_what_to_try(alpha: Any) -> None:
    assert await text_of(alpha, "search_notes", query="xylophone zither") == (
        "No results. Try other words, or fewer letters of them."
    )
