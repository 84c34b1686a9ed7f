"""grep: its parameters and shape, and text that reads like grep's."""

from typing import Any

import pytest

from bridge.errors import InvalidParameters
from bridge.settings.model import Settings
from bridge.toolkit.tool import ReadEffect, matching


def test_a_hit_has_file_line_match_and_context(disk_bench: Any) -> None:
    disk_bench.write(
        "src/editing.ts", b"import x\n\nfunction applyPatch() {\n  // TODO: Add validation\n  return patch;\n}\n"
    )
    output = disk_bench.read("grep", pattern="TODO|FIXME", filePattern="src/**/*.ts", contextLines=1)
    assert output.data == [
        {
            "file": "src/editing.ts",
            "line": 4,
            "match": "  // TODO: Add validation",
            "context": "function applyPatch() {\n  // TODO: Add validation\n  return patch;",
        }
    ]
    assert output.metadata == {"truncated": False, "limit": 100, "filesSearched": 1, "total": 1}
    assert output.text == (
        "src/editing.ts\n3-function applyPatch() {\n4:  // TODO: Add validation\n5-  return patch;\n"
    )


def test_context_that_neighbouring_hits_share_is_shown_once(disk_bench: Any) -> None:
    disk_bench.write("a.md", b"x1\nx2\nb\nc\nd\ne\nx3\n")
    assert disk_bench.read("grep", pattern="x", filePattern="a.md", contextLines=1).text == (
        "a.md\n1:x1\n2:x2\n3-b\n--\n6-e\n7:x3\n"
    )


def test_without_context_only_the_hits_are_listed(disk_bench: Any) -> None:
    output = disk_bench.read("grep", pattern="TODO", contextLines=0)
    assert output.text == "Notes/Meeting.md\n3:- TODO: call Ada\n\nNotes/Windows.md\n3:TODO: ship\n"
    assert [hit["context"] for hit in output.data] == [hit["match"] for hit in output.data]


def test_settings_are_the_defaults(disk_bench: Any) -> None:
    disk_bench.write("many.md", b"needle\n" * 20)
    disk_bench.settings = Settings(grep_context_lines=0, grep_max_matches=3)
    output = disk_bench.read("grep", pattern="needle")
    assert [hit["context"] for hit in output.data] == ["needle"] * 3
    assert output.metadata == {"truncated": True, "limit": 3, "filesSearched": 2}
    assert "raise maxMatches" in output.text
    assert len(disk_bench.read("grep", pattern="needle", maxMatches=5).data) == 5


def test_what_the_user_ignores_is_not_searched(disk_bench: Any) -> None:
    disk_bench.settings = Settings(ignore_patterns=("Notes/",))
    assert disk_bench.read("grep", pattern="TODO").data == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"pattern": "nowhere"}, "No matches for 'nowhere' in 3 files"),
        ({"pattern": "a", "filePattern": "*.none"}, "No text file matches filePattern '*.none'"),
    ],
)
def test_an_answer_of_nothing_says_what_was_searched(disk_bench: Any, arguments: dict[str, Any], said: str) -> None:
    assert said in disk_bench.read("grep", **arguments).text


def test_an_answer_that_would_be_too_long_is_cut(disk_bench: Any) -> None:
    disk_bench.write("long.md", (b"y" * 400 + b"\n") * 5000)
    output = disk_bench.read("grep", pattern="y", filePattern="long.md", contextLines=50, maxMatches=10_000)
    assert output.metadata["truncated"]
    assert "fewer contextLines" in output.text


def test_the_question_says_what_is_searched_where(disk_bench: Any) -> None:
    assert disk_bench.prepare("grep", pattern="a") == ReadEffect(matching("**"), "Search the text of all files for 'a'")
    assert disk_bench.prepare("grep", pattern="a", filePattern="*.md") == ReadEffect(
        matching("*.md"), "Search the text of files matching '*.md' for 'a'"
    )


@pytest.mark.parametrize(
    "arguments",
    [
        *({}, {"pattern": ""}, {"pattern": "("}, {"pattern": "a", "filePattern": "{a,b}" * 30}),
        *(
            {"pattern": "a", "contextLines": -1},
            {"pattern": "a", "contextLines": 51},
            {"pattern": "a", "maxMatches": 0},
        ),
        *({"pattern": "a", "maxMatches": 10_001}, {"pattern": "a", "path": "x"}, {"pattern": "a", "contextLines": 2.5}),
    ],
)
def test_wrong_arguments_are_refused_before_anyone_is_asked(disk_bench: Any, arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameters):
        disk_bench.prepare("grep", **arguments)
