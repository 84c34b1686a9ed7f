"""A line that was written is read back, and a damaged one is never taken for something that happened."""

from zlib import crc32

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.contract.consent import Operation
from bridge.journal.journal import BeginRecord, Cause, JournalRecord, OutcomeRecord, check_id, decode, encode
from bridge.vault.plan import Change, ChangeKind

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
IDS = st.from_regex(r"[a-z][a-z0-9-]{0,20}", fullmatch=True)
MAYBE = st.none() | TEXT
CAUSES = st.builds(
    Cause,
    execution_id=IDS,
    tool=TEXT,
    client=TEXT,
    session_id=TEXT,
    call_id=MAYBE,
    arguments_hash=MAYBE,
    reverses=MAYBE,
    kind=st.sampled_from(["change", "undo", "redo"]),
)
CHANGES = st.builds(Change, kind=st.sampled_from(ChangeKind), path=TEXT, new_path=MAYBE, before=MAYBE, after=MAYBE)
STEPS = st.lists(st.tuples(CHANGES, st.none() | st.integers(0, 0o7777)), max_size=4)
BEGINS = st.builds(
    lambda steps, **facts: BeginRecord(
        changes=tuple(change for change, _mode in steps), modes=tuple(mode for _change, mode in steps), **facts
    ),
    STEPS,
    cause=CAUSES,
    time=TEXT,
    digest=TEXT,
    operation=st.sampled_from(Operation),
    summary=TEXT,
    added=st.integers(0, 10**6),
    removed=st.integers(0, 10**6),
    keep=st.booleans(),
    disposal=st.sampled_from([None, "system", "local"]),
    subjects=st.lists(TEXT, max_size=3).map(tuple),
)
MARKS = st.builds(
    OutcomeRecord, st.sampled_from(["done", "rolled_back", "conflicted", "dropped"]), execution_id=IDS, time=TEXT
)
MARK = OutcomeRecord("done", "change-1", "2026-01-02T03:04:05.000Z")


@pytest.mark.slow
@given(BEGINS | MARKS)
def test_what_is_written_is_read_back(line: JournalRecord) -> None:
    data = encode(line)
    assert decode(data) == line
    assert data.endswith(b"\n")
    assert b"\n" not in data[:-1]
    assert set(orjson.loads(data)) == {"sum", "line"}


@given(BEGINS | MARKS, st.data())
def test_a_line_with_one_byte_changed_is_refused(line: JournalRecord, data: st.DataObject) -> None:
    written = bytearray(encode(line)[:-1])
    position = data.draw(st.integers(0, len(written) - 1))
    written[position] ^= data.draw(st.integers(1, 255))
    if bytes(written).rstrip(b"\r\n") != bytes(written):
        return
    with pytest.raises(ValueError):  # noqa: PT011 (which of its kinds does not matter)
        decode(bytes(written))


@given(BEGINS | MARKS, st.data())
def test_a_line_that_was_cut_is_refused(line: JournalRecord, data: st.DataObject) -> None:
    written = encode(line)[:-1]
    with pytest.raises(ValueError):  # noqa: PT011 (as above)
        decode(written[: data.draw(st.integers(0, len(written) - 1))])


@pytest.mark.parametrize(
    "content",
    [{}, {"type": "begin"}, {"type": "moved", "id": "x", "time": ""}, [], 1, None, {"type": "begin", "id": "../x"}],
)
def test_a_whole_line_that_is_none_of_ours_is_refused(content: object) -> None:
    body = orjson.dumps(content)
    with pytest.raises(ValueError):  # noqa: PT011 (as above)
        decode(b'{"sum":"%08x","line":%s}\n' % (crc32(body), body))


@pytest.mark.parametrize("name", ["", "..", "a/b", ".x", "a b", "-x", "x" * 129, "a\n", "é"])
def test_an_id_that_cannot_name_a_folder_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="cannot name a change"):
        check_id(name)


def test_an_id_is_letters_digits_and_hyphens() -> None:
    assert check_id("patch-1f0c9a_2") == "patch-1f0c9a_2"
