"""What an agent has learned of one tool it may say to its sibling: names and both cases of parameters are taken."""

from typing import Any

import pytest

from bridge.errors import InvalidParameters
from bridge.tools import specs

SPECS = {spec.name: spec for spec in specs()}


@pytest.mark.parametrize(
    ("tool", "sent", "parameter"),
    [
        ("read", {"path": "a.md", "start_line": 3}, "start_line"),
        ("read", {"path": "a.md", "start_line": 3, "end_line": 5.0}, "end_line"),
        ("read", {"name": "a"}, "path"),
        ("read_file", {"path": "a.md", "startLine": 3}, "start_line"),
        ("read_file", {"name": "a"}, "path"),
        ("edit_file", {"name": "a", "old_text": "x", "new_text": "y"}, "path"),
        ("modify_note", {"name": "a", "operation": "append", "content": "x"}, "path"),
        ("read_note", {"path": "a.md"}, "name"),
        ("update_note", {"path": "a.md", "content": "x"}, "name"),
        ("add_tag", {"path": "a.md", "tag": "x"}, "name"),
        ("grep", {"pattern": "x", "file_pattern": "*.md"}, "file_pattern"),
        ("search_files", {"pattern": "x", "filePattern": "*.md"}, "file_pattern"),
        ("grep", {"pattern": "x", "max_results": 5}, "max_matches"),
        ("search_files", {"pattern": "x", "limit": 5}, "max_results"),
        ("find", {"pattern": "x", "limit": 5}, "max_results"),
        ("list_files", {"maxResults": 5}, "max_results"),
        ("list_files", {"folder": "Notes"}, "path"),
        ("find_related", {"name": "a", "max_results": 5}, "limit"),
        ("apply_patch", {"name": "a", "patches": [{"start_line": 1, "end_line": 1, "content": "x"}]}, "patches"),
        ("edit_file", {"path": "a", "delete_lines": {"start_line": 1, "end_line": 2}}, "delete_lines"),
    ],
)
def test_a_siblings_spelling_is_taken(tool: str, sent: dict[str, Any], parameter: str) -> None:
    assert getattr(SPECS[tool].parameters.parse(sent), parameter)


@pytest.mark.parametrize("spec", SPECS.values(), ids=lambda spec: spec.name)
def test_the_schema_that_is_listed_has_one_spelling(spec: Any) -> None:
    names = list(spec.parameters.json_schema["properties"])
    assert len({name.replace("_", "").lower() for name in names}) == len(names)


def test_one_parameter_under_two_names_is_refused() -> None:
    with pytest.raises(InvalidParameters, match="Unknown parameter 'name'"):
        SPECS["read"].parameters.parse({"path": "a.md", "name": "b"})
