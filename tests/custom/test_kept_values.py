"""What browser tools keep: theirs alone, in bounds, and gone with them."""

import pytest

from bridge.custom.custom_tools import LARGEST, MOST_KEYS, KeptValues
from bridge.errors import ExecutionFailed, InvalidParameters
from tests.identities import PrivateFiles


@pytest.fixture
def files() -> PrivateFiles:
    return PrivateFiles()


@pytest.fixture
def kept(files: PrivateFiles) -> KeptValues:
    return KeptValues(files)


def test_values_are_set_read_listed_and_removed(kept: KeptValues) -> None:
    assert kept.do("one", "get", "a", None) is None
    kept.do("one", "set", "a", "1")
    kept.do("one", "set", "b", "ä\u2028")
    assert kept.do("one", "keys", None, None) == ["a", "b"]
    assert kept.do("one", "get", "b", None) == "ä\u2028"
    kept.do("one", "remove", "a", None)
    assert kept.do("one", "keys", None, None) == ["b"]
    kept.do("one", "clear", None, None)
    assert kept.do("one", "keys", None, None) == []


def test_each_tool_has_its_own_also_where_names_differ_in_case_alone(kept: KeptValues) -> None:
    kept.do("one", "set", "a", "1")
    for other in ("One", "two", "../one"):
        assert kept.do(other, "get", "a", None) is None
        kept.do(other, "set", "a", "2")
    assert kept.do("one", "get", "a", None) == "1"


def test_they_are_still_there_after_a_restart_and_gone_with_the_tool(files: PrivateFiles, kept: KeptValues) -> None:
    kept.do("one", "set", "a", "1")
    assert KeptValues(files).do("one", "get", "a", None) == "1"
    kept.forget("one")
    assert KeptValues(files).do("one", "keys", None, None) == []


@pytest.mark.parametrize(
    ("operation", "key", "value"),
    [("get", None, None), ("set", "a", None), ("set", None, "1"), ("set", "a", "\ud800"), ("set", "a", "x" * LARGEST)],
)
def test_what_cannot_be_kept_is_refused_and_changes_nothing(
    kept: KeptValues, operation: str, key: str | None, value: str | None
) -> None:
    kept.do("one", "set", "first", "1")
    with pytest.raises(InvalidParameters):
        kept.do("one", operation, key, value)
    assert kept.do("one", "keys", None, None) == ["first"]


def test_there_are_only_so_many(kept: KeptValues, files: PrivateFiles) -> None:
    for number in range(MOST_KEYS):
        kept.do("one", "set", str(number), "")
    with pytest.raises(InvalidParameters, match="remove some"):
        kept.do("one", "set", "more", "")
    assert all(len(data) <= LARGEST for data in files.held.values())


def test_a_full_disk_is_said_and_what_is_damaged_begins_anew(kept: KeptValues, files: PrivateFiles) -> None:
    kept.do("one", "set", "a", "1")
    files.full = True
    with pytest.raises(ExecutionFailed, match="Make room on the disk"):
        kept.do("one", "set", "b", "2")
    assert kept.do("one", "keys", None, None) == ["a"]
    files.full = False
    for damaged in (b"{", b"[]", b'{"a": 5}'):
        for name in files.held:
            files.held[name] = damaged
        assert kept.do("one", "keys", None, None) == []
