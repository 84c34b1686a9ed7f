"""How a tool's use is worded."""

from typing import Any

import pytest

from bridge.audit.records import phrase, quoted

SEARCH = "search/searched the vault[ for {pattern}][: {count:hit}]"
READ = "read/read {path|a file}"


@pytest.mark.parametrize(
    ("action", "values", "past", "words"),
    [
        (SEARCH, {"pattern": "TODO", "count": 14}, True, "searched the vault for “TODO”: 14 hits"),
        (SEARCH, {"pattern": "TODO", "count": 1}, True, "searched the vault for “TODO”: 1 hit"),
        (SEARCH, {"pattern": "TODO", "count": 0}, True, "searched the vault for “TODO”: 0 hits"),
        (SEARCH, {"pattern": "TODO"}, False, "search the vault for “TODO”"),
        (SEARCH, {}, False, "search the vault"),
        (READ, {"path": "Plans.md"}, True, "read “Plans.md”"),
        (READ, {}, True, "read a file"),
        ("use/used the tool", {}, True, "used the tool"),
        ("reindex", {}, True, "reindex"),
    ],
)
def test_a_use_is_worded_with_what_is_known(action: str, values: dict[str, Any], past: bool, words: str) -> None:
    assert phrase(action, values.get, past=past) == words


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("a\nb\t c", "“a b c”"),
        ("x”: 14 hits. You allowed “y", '“x": 14 hits. You allowed "y”'),
        ("n" * 200, f"“{'n' * 79}…”"),
        (["a", "b"], "“a”, “b”"),
        (["a", "b", "c", "d", "e"], "“a”, “b”, “c” and 2 more"),
    ],
)
def test_a_value_from_outside_is_one_short_line_that_cannot_end_its_own_quotation(value: Any, shown: str) -> None:
    assert quoted(value) == shown
