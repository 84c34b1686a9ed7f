"""`hunks` of `consent.respond` may be written in two ways."""

from typing import Any

import pytest

from bridge.errors import InvalidParameters
from bridge.rpc.methods.consent import METHODS

(RESPOND,) = (method for method in METHODS if method.name == "consent.respond")


@pytest.mark.parametrize(
    ("hunks", "kept"),
    [
        (None, None),
        ({"A.md": [0, 2], "B.md": []}, {"A.md": [0, 2], "B.md": []}),
        ([{"path": "A.md", "keep": [0, 2]}, {"path": "B.md", "keep": []}], {"A.md": [0, 2], "B.md": []}),
        ([], {}),
    ],
)
def test_both_ways_of_writing_hunks_mean_the_same(hunks: Any, kept: Any) -> None:
    params: Any = RESPOND.bind([], {"requestId": "c-1", "decision": "allow_once", "hunks": hunks})
    assert params.kept == kept


@pytest.mark.parametrize(
    "hunks", [["A.md"], {"A.md": [-1]}, {"A.md": 0}, {"A.md": ["0"]}, [{"path": "A.md"}], [{"keep": [0]}], "A.md"]
)
def test_anything_else_is_refused(hunks: Any) -> None:
    with pytest.raises(InvalidParameters):
        RESPOND.bind([], {"requestId": "c-1", "decision": "allow_once", "hunks": hunks})
