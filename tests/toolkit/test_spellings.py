"""A parameter is taken under its sibling's name too, and never under two at once."""

from typing import Any

import pytest
from pydantic import Field

from bridge.contract.base import Params
from bridge.toolkit.parameters import respelled


class Edit(Params):
    start_line: int
    new_content: str


class Model(Params):
    path: str
    max_results: int | None = None
    ratio: float | None = None
    edits: list[Edit] | None = Field(default=None)
    span: list[int] | None = None
    values: dict[str, Any] | None = None


@pytest.mark.parametrize(
    ("sent", "taken"),
    [
        ({"name": "a"}, {"path": "a"}),
        ({"file_path": "a"}, {"path": "a"}),
        ({"filePath": "a"}, {"path": "a"}),
        ({"max_results": 3}, {"maxResults": 3}),
        ({"limit": 3}, {"maxResults": 3}),
        ({"maxMatches": 3}, {"maxResults": 3}),
        ({"max_results": 3.0}, {"maxResults": 3}),
        ({"max_results": 3.5}, {"maxResults": 3.5}),
        ({"ratio": 3.0}, {"ratio": 3.0}),
        ({"span": [1.0, 2]}, {"span": [1, 2]}),
        ({"edits": [{"start_line": 2.0, "content": "x"}]}, {"edits": [{"startLine": 2, "newContent": "x"}]}),
        ({"edits": [{"start": 2}, 5]}, {"edits": [{"startLine": 2}, 5]}),
        ({"values": {"max_results": 2.0, "name": "x"}}, {"values": {"max_results": 2.0, "name": "x"}}),
        ({"path": "a", "name": "b"}, {"path": "a", "name": "b"}),
        ({"name": "a", "path": "b"}, {"name": "a", "path": "b"}),
        ({"name": "a", "file": "b"}, {"path": "a", "file": "b"}),
        ({"unheard_of": 1}, {"unheard_of": 1}),
        ({5: 1}, {5: 1}),
    ],
)
def test_arguments_are_given_under_the_names_of_the_model(sent: Any, taken: Any) -> None:
    made = respelled(Model, sent)
    assert made == taken
    assert repr(made) == repr(taken)  # 3 and 3.0 are equal
