"""find: by glob or by a few words, in a stable order, honest about how many there are."""

from collections.abc import Callable
from typing import Any

import pytest

from bridge.errors import DeadlineExceeded, InvalidParameters
from bridge.settings.model import Settings
from bridge.toolkit.tool import ReadEffect, matching

Modified = Callable[[str], str]


def test_a_glob_lists_paths_and_times(disk_bench: Any, modified: Modified) -> None:
    output = disk_bench.read("find", pattern="**/*.md", maxResults=2)
    assert output.data == [
        {"path": "Ideas.md", "modified": modified("Ideas.md")},
        {"path": "Notes/Meeting.md", "modified": modified("Notes/Meeting.md")},
    ]
    assert output.metadata == {"total": 3, "truncated": True}
    assert output.text.splitlines()[:2] == ["Ideas.md", "Notes/Meeting.md"]
    assert "2 of 3" in output.text


@pytest.mark.parametrize(
    ("pattern", "paths"),
    [
        ("*.md", ["Ideas.md"]),
        ("Notes/*", ["Notes/Meeting.md", "Notes/Windows.md"]),
        ("**/[MI]*.md", ["Ideas.md", "Notes/Meeting.md"]),
        ("{Ideas,None}.md", ["Ideas.md"]),
        ("notes/*", []),
        ("meeting", ["Notes/Meeting.md"]),
        ("notes windows", ["Notes/Windows.md"]),
        ("meetnig", ["Notes/Meeting.md"]),
        ("Notes/Meeting.md", ["Notes/Meeting.md"]),
        ("nothing like it", []),
    ],
)
def test_globs_and_words_find_their_files(bench: Any, pattern: str, paths: list[str]) -> None:
    assert [entry["path"] for entry in bench.read("find", pattern=pattern).data] == paths


def test_hidden_files_are_listed_only_when_asked_for_and_dot_folders_never(bench: Any) -> None:
    bench.write(".draft.md", b"x")
    bench.write(".trash/old.md", b"x")
    assert ".draft.md" not in bench.read("find", pattern="**").text
    shown = bench.read("find", pattern="**", includeHidden=True).text.splitlines()
    assert ".draft.md" in shown
    assert not [path for path in shown if path.startswith((".trash", ".obsidian"))]


def test_what_the_user_ignores_is_not_listed(bench: Any) -> None:
    bench.write(".obsidian/app.json", b'{"userIgnoreFilters": ["Ideas"]}')
    bench.settings = Settings(ignore_patterns=("Windows.md",))
    assert bench.read("find", pattern="**/*.md").text == "Notes/Meeting.md"
    assert bench.read("find", pattern="windows").data == []


def test_the_users_setting_is_the_default_number_of_results(bench: Any) -> None:
    bench.settings = Settings(find_max_results=1)
    assert len(bench.read("find", pattern="**").data) == 1
    assert len(bench.read("find", pattern="**", maxResults=3).data) == 3


def test_an_answer_of_nothing_says_what_to_try(bench: Any) -> None:
    assert "'**/*.canvas'" in bench.read("find", pattern="*.canvas").text
    assert "**/*.md" in bench.read("find", pattern="qqqq").text
    assert bench.read("find", pattern="**/*.canvas").metadata == {"total": 0, "truncated": False}


def test_the_question_names_the_pattern(bench: Any) -> None:
    assert bench.prepare("find", pattern="**/*.md") == ReadEffect(
        matching("**/*.md"), "List the names of files that match '**/*.md'"
    )


@pytest.mark.parametrize(
    "arguments",
    [
        *({}, {"pattern": ""}, {"pattern": "*" * 1025}, {"pattern": "{a,b}" * 30}, {"pattern": 5}),
        *({"pattern": "a", "maxResults": 0}, {"pattern": "a", "maxResults": "5"}, {"pattern": "a", "depth": 1}),
        *({"pattern": "a", "maxResults": 10_001}, {"pattern": "a", "includeHidden": "yes"}),
    ],
)
def test_wrong_arguments_are_refused(bench: Any, arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameters):
        bench.prepare("find", **arguments)


@pytest.mark.parametrize("pattern", ["**", "meeting"])
def test_a_listing_that_takes_too_long_is_stopped(bench: Any, pattern: str) -> None:
    bench.seconds = -1
    with pytest.raises(DeadlineExceeded):
        bench.read("find", pattern=pattern)


def test_a_walk_finds_what_the_index_finds(bench: Any) -> None:
    for name in ("A/b.md", "A/C/d.txt", "Ü/ä.md"):
        bench.write(name, b"x")
    for pattern in ("**/*.md", "A/**", "*", "{Ü,A}/*", "b", "a d"):
        known = bench.read("find", pattern=pattern)
        walked = bench.read("find", pattern=pattern, includeHidden=True)
        assert (known.data, known.text, known.metadata) == (walked.data, walked.text, walked.metadata)


def test_what_changes_between_two_calls_is_found(disk_bench: Any) -> None:
    assert disk_bench.read("find", pattern="later").data == []
    disk_bench.write("Later.md", b"x")
    assert [entry["path"] for entry in disk_bench.read("find", pattern="later").data] == ["Later.md"]
    (disk_bench.folder / "Later.md").unlink()
    assert disk_bench.read("find", pattern="**/L*.md").data == []


@pytest.mark.parametrize("pattern", ["[[Meeting]]", "[[meeting|shown]]", "Standup", "Meeting"])
def test_a_note_is_found_by_its_name_wikilink_or_alias_first(bench: Any, pattern: str) -> None:
    bench.write("Notes/Meeting.md", b"---\naliases: [Standup]\n---\n")
    bench.write("A/Meeting notes.md", b"")
    found = [entry["path"] for entry in bench.read("find", pattern=pattern).data]
    assert found[0] == "Notes/Meeting.md"
