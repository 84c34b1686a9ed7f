"""The journal file: appended to, cut where a crash tore it, read past what is damaged."""

import errno
from collections.abc import Iterator
from pathlib import Path

import pytest

from bridge.errors import ExecutionFailed
from bridge.journal.journal import NAME, Journal, JournalRecord, OutcomeRecord, encode
from bridge.vault.root import VaultRoot
from tests.journal.small_vault import SHAPES, HookedDisk, SmallVault, posix_only


def mark(number: int) -> OutcomeRecord:
    return OutcomeRecord("done", f"change-{number}", "2026-01-02T03:04:05.000Z")


class Book:
    """A journal file that can be opened again and again."""

    def __init__(self, folder: Path) -> None:
        self.disk = HookedDisk()
        self.root = VaultRoot(folder, self.disk)
        self.path = folder / ".vault-bridge" / "journal" / NAME
        self.log = self.open()

    def open(self) -> Journal:
        return Journal(self.root)

    def lines(self) -> tuple[list[JournalRecord], int]:
        """What a new start reads."""
        log = self.open()
        entries, damaged = log.load()
        return [entry.record for entry in entries], damaged


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Book]:
    book = Book(tmp_path)
    yield book
    book.root.close()


def test_lines_are_read_in_the_order_they_were_written(book: Book) -> None:
    for number in range(5):
        book.log.append(mark(number), sync=number % 2 == 0)
    assert book.lines() == ([mark(number) for number in range(5)], 0)


def test_a_journal_that_is_not_there_is_empty_and_not_made_by_reading(book: Book) -> None:
    assert book.lines() == ([], 0)
    assert not book.path.exists()


@posix_only
def test_the_journal_is_for_its_user_only(book: Book) -> None:
    book.log.append(mark(1), sync=True)
    assert book.path.stat().st_mode & 0o777 == 0o600
    assert book.path.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("tail", [b"{", encode(mark(2))[:-1], encode(mark(2))[:40], b"\0" * 100, b"\xff\xfe"])
def test_a_torn_end_is_cut_off_and_the_next_line_is_whole(book: Book, tail: bytes) -> None:
    book.log.append(mark(1), sync=True)
    book.path.write_bytes(book.path.read_bytes() + tail)
    log = book.open()
    assert [entry.record for entry in log.load()[0]] == [mark(1)]
    log.append(mark(3), sync=True)
    assert book.lines() == ([mark(1), mark(3)], 0)


@pytest.mark.parametrize("garbage", [b"hello\n", b"\0\0\0\n", encode(mark(9)).replace(b"9", b"8"), b"{}\n", b"\xff\n"])
def test_a_damaged_line_in_the_middle_is_counted_and_passed_over(book: Book, garbage: bytes) -> None:
    book.path.parent.mkdir(parents=True)
    book.path.write_bytes(encode(mark(1)) + garbage + encode(mark(2)))
    assert book.lines() == ([mark(1), mark(2)], 1)


def test_empty_lines_are_nothing(book: Book) -> None:
    book.path.parent.mkdir(parents=True)
    book.path.write_bytes(encode(mark(1)) + b"\n\r\n" + encode(mark(2)))
    assert book.lines() == ([mark(1), mark(2)], 0)


@pytest.mark.parametrize("operation", ["write", "fsync"])
@pytest.mark.parametrize("cutting", [True, False])
def test_a_line_that_could_not_be_written_leaves_the_others_whole(book: Book, operation: str, *, cutting: bool) -> None:
    book.log.append(mark(1), sync=True)

    def hook(_number: int, done: str, _name: str) -> None:
        if done == operation or (done == "truncate" and not cutting):
            raise OSError(errno.ENOSPC, "full")

    book.disk.hook = hook
    with pytest.raises(OSError, match="full"):
        book.log.append(mark(2), sync=True)
    book.disk.hook = lambda _number, _operation, _name: None
    book.log.append(mark(3), sync=True)
    assert book.lines() == ([mark(1), mark(3)], 0)


def test_a_line_of_which_only_half_could_be_written_is_cut_off(book: Book) -> None:
    book.log.append(mark(1), sync=True)
    writes = 0

    class ShortDisk(HookedDisk):
        def write(self, fd: int, data: memoryview) -> int:
            nonlocal writes
            writes += 1
            if writes > 1:
                raise OSError(errno.ENOSPC, "full")
            return super().write(fd, data[: len(data) // 2])

    book.root = VaultRoot(book.path.parents[2], ShortDisk())
    log = book.open()
    log.load()
    with pytest.raises(OSError, match="full"):
        log.append(mark(2), sync=True)
    assert book.lines() == ([mark(1)], 0)


@posix_only
def test_a_journal_that_someone_removed_is_begun_anew(book: Book) -> None:
    book.log.append(mark(1), sync=True)
    book.path.unlink()
    book.log.append(mark(2), sync=True)
    assert book.lines() == ([mark(2)], 0)


def test_a_place_that_holds_no_beginning_any_more_is_an_answer(book: Book) -> None:
    offset = book.log.append(mark(1), sync=True)
    for place in (offset, 7, 10_000):
        with pytest.raises(ExecutionFailed, match="no longer holds"):
            book.log.read(place)


def test_damaged_lines_are_reported_at_the_start(small: SmallVault) -> None:
    with small.ledger() as ledger:
        small.apply(ledger, *SHAPES["modify"])
        small.apply(ledger, *SHAPES["create with new parents"])
    lines = small.journal.read_bytes().splitlines(keepends=True)
    lines[0] = lines[0].replace(b"apply_patch", b"apply_match")
    small.journal.write_bytes(b"".join(lines))
    with small.ledger(recover=False) as ledger:
        assert ledger.recover().messages == ("1 lines of the journal are damaged and were passed over",)
        assert [entry.execution_id for entry in ledger.history()] == ["change-2"]


@posix_only
def test_a_journal_that_is_a_link_is_refused(small: SmallVault, tmp_path: Path) -> None:
    (tmp_path / "Outside").mkdir()
    (small.folder / ".vault-bridge").mkdir()
    (small.folder / ".vault-bridge" / "journal").symlink_to(tmp_path / "Outside")
    with small.ledger(recover=False) as ledger, pytest.raises(ExecutionFailed):
        ledger.recover()
    assert list((tmp_path / "Outside").iterdir()) == []
