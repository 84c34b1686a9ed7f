"""A file of records is written whole, read with care, and never lost where it is damaged."""

import logging
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.errors import ExecutionFailed
from bridge.records.folder import DAMAGED, RecordStore, UserFolder
from tests.identities import PrivateFiles


@dataclass(frozen=True, slots=True)
class Cup:
    """A record."""

    tea: str
    size: int = 1


def cups(files: PrivateFiles, *, replace_damaged: bool = False, largest: int = 1000) -> RecordStore[list[Cup]]:
    return RecordStore(
        files,
        "cups.json",
        list[Cup],
        member="cups",
        fault="No cups: {why}",
        replace_damaged=replace_damaged,
        largest=largest,
    )


DAMAGE = {
    "empty": b"",
    "cut": b'{"version": 1, "cups": [{"tea": "Gre',
    "binary": b"\xff\xfe\x00",
    "no object": b"[]",
    "no version": b'{"cups": []}',
    "another version": b'{"version": 2, "cups": []}',
    "no list": b'{"version": 1}',
    "not a list": b'{"version": 1, "cups": {"tea": "Green"}}',
    "a member is missing": b'{"version": 1, "cups": [{"size": 1}]}',
    "a member is of another type": b'{"version": 1, "cups": [{"tea": 1}]}',
    "deeply nested": b'{"version": 1, "cups": ' + b"[" * 600,
    "too large": b'{"version": 1, "cups": []}' + b" " * 1000,
}


@given(st.lists(st.builds(Cup, st.text(max_size=5), st.integers(0, 9)), max_size=5))
def test_what_was_saved_is_read_again(content: list[Cup]) -> None:
    files = PrivateFiles()
    cups(files).save(content)
    assert cups(files).load([]) == content


def test_a_file_that_is_missing_is_empty_and_no_fault() -> None:
    store = cups(PrivateFiles())
    assert store.load([Cup("none")]) == [Cup("none")]
    assert store.fault is None


@pytest.mark.parametrize("data", DAMAGE.values(), ids=DAMAGE.keys())
def test_a_damaged_file_is_empty_is_said_and_is_not_overwritten(data: bytes, caplog: pytest.LogCaptureFixture) -> None:
    files = PrivateFiles()
    files.held["cups.json"] = data
    store = cups(files)
    with caplog.at_level(logging.WARNING):
        assert store.load([]) == []
    assert store.fault is not None
    assert store.fault.startswith("No cups: ")
    assert "\n" not in store.fault
    assert caplog.messages == [store.fault]
    with pytest.raises(ExecutionFailed, match="No cups"):
        store.save([Cup("Green")])
    assert files.held == {"cups.json": data}


@pytest.mark.parametrize("data", DAMAGE.values(), ids=DAMAGE.keys())
def test_a_damaged_file_that_may_be_replaced_is_kept_beside_the_new_one(data: bytes) -> None:
    files = PrivateFiles()
    files.held["cups.json"] = data
    store = cups(files, replace_damaged=True)
    assert store.load([]) == []
    store.save([Cup("Green")])
    assert files.held["cups.json" + DAMAGED] == data
    assert store.fault is None
    assert cups(files).load([]) == [Cup("Green")]


def test_a_repaired_file_is_used_again() -> None:
    files = PrivateFiles()
    files.held["cups.json"] = b"{"
    store = cups(files)
    store.load([])
    files.held["cups.json"] = b'{"version": 1, "cups": [{"tea": "Green"}]}'
    assert store.load([]) == [Cup("Green")]
    assert store.fault is None


def test_a_value_of_a_damaged_file_is_not_in_its_fault() -> None:
    files = PrivateFiles()
    files.held["cups.json"] = b'{"version": 1, "cups": [{"tea": ["secret"], "size": "secret"}]}'
    store = cups(files)
    store.load([])
    assert "secret" not in (store.fault or "")
    assert "0.tea" in (store.fault or "")


def test_what_is_too_large_is_not_written() -> None:
    files = PrivateFiles()
    store = cups(files, largest=60)
    store.save([])
    with pytest.raises(ExecutionFailed, match="larger than 60 bytes"):
        store.save([Cup("x" * 60)])
    assert cups(files).load([Cup("x")]) == []


def test_a_full_disk_is_said_and_leaves_what_there_was() -> None:
    files = PrivateFiles()
    cups(files).save([Cup("Green")])
    files.full = True
    with pytest.raises(ExecutionFailed, match=r"cups\.json cannot be written: No space left"):
        cups(files).save([])
    assert cups(files).load([]) == [Cup("Green")]


def test_a_full_disk_keeps_a_damaged_file_that_may_be_replaced() -> None:
    files = PrivateFiles()
    files.held["cups.json"] = b"{"
    store = cups(files, replace_damaged=True)
    store.load([])
    files.full = True
    with pytest.raises(ExecutionFailed):
        store.save([])
    assert files.held == {"cups.json": b"{"}


def test_half_characters_are_no_text() -> None:
    with pytest.raises(ValueError, match=r"surrogates|str is not valid"):
        cups(PrivateFiles()).encoded([Cup("\ud800")])


def test_a_file_that_cannot_be_read_is_a_fault(tmp_path: Path) -> None:
    folder = UserFolder(tmp_path / "state" / "x" / "y")
    (folder.path / "cups.json").mkdir()
    store = RecordStore(folder, "cups.json", list[Cup], member="cups")
    assert store.load([]) == []
    assert store.fault is not None
    with pytest.raises(ExecutionFailed):
        store.save([])
