"""An index that follows the disk by itself: through the system's reports, and without them."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import watchfiles

from bridge.clock import SystemClock
from bridge.index import index_thread
from bridge.index.index_thread import Watcher
from bridge.index.indexer import Indexer
from bridge.index.vault_index import VaultIndex
from bridge.vault.files import VaultFiles
from bridge.vault.root import VaultRoot
from tests.patience import PATIENCE


class Heard:
    """The changes that are reported, to be waited for."""

    def __init__(self) -> None:
        self.changes: list[tuple[str, str]] = []
        self._new = threading.Condition()

    def __call__(self, path: str, change: str) -> None:
        with self._new:
            self.changes.append((path, change))
            self._new.notify_all()

    def wait_for(self, change: tuple[str, str]) -> None:
        with self._new:
            assert self._new.wait_for(lambda: change in self.changes, PATIENCE), self.changes


def put(place: Path, text: str) -> None:
    """Let a file appear with all its text at once."""
    draft = place.with_name(".draft")
    draft.write_text(text, encoding="utf-8")
    draft.rename(place)


@pytest.fixture(autouse=True)
def _swept_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is found just because the disk is compared every minute."""
    monkeypatch.setattr(index_thread, "SWEEP_SECONDS", 1e6)


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest.fixture
def index(vault: Path, tmp_path: Path, heard: Heard) -> Iterator[VaultIndex]:
    """Not started yet."""
    (tmp_path / "cache").mkdir()
    with VaultRoot(vault) as root:
        index = VaultIndex(VaultFiles(root), SystemClock(), folder=tmp_path / "cache", on_change=heard)
        yield index
        index.close()


@pytest.fixture
def watched(index: VaultIndex, vault: Path) -> Iterator[VaultIndex]:
    """Following the disk, by the system's reports."""
    began = threading.Event()
    watcher = Watcher(vault.resolve(), index.changed, index.unwatched, began.set)
    watcher.start()
    index.start()
    assert began.wait(PATIENCE)
    assert index._indexer.built.wait(PATIENCE)
    yield index
    watcher.stop()


def test_right_after_the_start_of_a_small_vault_everything_is_known(index: VaultIndex) -> None:
    index.start()
    assert len(list(index.notes())) == 3
    assert index.ready


def test_a_change_is_reported_when_the_answers_have_it(watched: VaultIndex, vault: Path, heard: Heard) -> None:
    answers: list[Any] = []

    def ask(path: str, change: str) -> None:
        answers.append(watched.tagged("new"))
        heard(path, change)

    watched._indexer._on_change = ask
    put(vault / "New.md", "#new")
    heard.wait_for(("New.md", "created"))
    assert answers[-1] == ["New.md"]
    (vault / "Notes").rename(vault / "Old notes")
    heard.wait_for(("Old notes/Meeting.md", "created"))
    heard.wait_for(("Notes/Meeting.md", "deleted"))
    assert watched.folders() == ("Old notes",)
    (vault / "New.md").unlink()
    heard.wait_for(("New.md", "deleted"))
    assert watched.tagged("new") == []


def test_files_in_a_folder_made_a_moment_before_are_not_missed(watched: VaultIndex, vault: Path, heard: Heard) -> None:
    for number in range(20):
        (vault / f"Folder {number}" / "Deep").mkdir(parents=True)
        put(vault / f"Folder {number}" / "Deep" / "Note.md", "#deep")
    for number in range(20):
        heard.wait_for((f"Folder {number}/Deep/Note.md", "created"))
    assert len(watched.tagged("deep")) == 20


def test_what_changes_before_the_system_begins_to_report_is_found(
    index: VaultIndex, vault: Path, heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = watchfiles.watch

    def late(*folders: Any, **options: Any) -> Iterator[Any]:
        assert index._indexer.built.wait(PATIENCE)
        put(vault / "Early.md", "#early")
        yield from watch(*folders, **options)

    monkeypatch.setattr(watchfiles, "watch", late)
    watcher = Watcher(vault.resolve(), index.changed, index.unwatched, index.watched)
    watcher.start()
    index.start()
    heard.wait_for(("Early.md", "created"))
    assert index.tagged("early") == ["Early.md"]
    watcher.stop()


def test_without_reports_an_old_answer_is_checked_first(index: VaultIndex, vault: Path) -> None:
    index._stale = 0
    index.start()
    index.unwatched()
    (vault / "Unseen.md").write_text("#unseen", encoding="utf-8")
    assert index.tagged("unseen") == ["Unseen.md"]
    assert "#unseen" in [count.tag for count in index.tags()]
    (vault / "Unseen.md").unlink()
    assert "#unseen" not in [count.tag for count in index.tags()]
    assert index.tagged("unseen") == []


def test_a_watcher_that_cannot_start_says_so(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(*_arguments: Any, **_options: Any) -> Any:
        raise OSError("OS file watch limit reached")

    monkeypatch.setattr("watchfiles.watch", refusing)
    trouble = threading.Event()
    watcher = Watcher(vault, lambda _paths: None, trouble.set)
    watcher.start()
    assert trouble.wait(PATIENCE)
    watcher.stop()


def test_that_the_watcher_looks_for_changes_is_not_work(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    noted = threading.Event()
    monkeypatch.setattr("bridge.index.index_thread.note_waiting", noted.set)
    watcher = Watcher(vault.resolve(), lambda _paths: None)
    watcher.start()
    assert noted.wait(PATIENCE)
    noted.clear()
    assert noted.wait(PATIENCE), "it is told again and again"
    watcher.stop()


def test_many_changes_at_once_are_found_by_one_sweep(
    index: VaultIndex, vault: Path, heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_thread, "MANY", 3)
    index.start()
    assert index._indexer.built.wait(PATIENCE)
    put(vault / "Unreported.md", "#unreported")
    index.changed(f"made up {number}.md" for number in range(9))
    heard.wait_for(("Unreported.md", "created"))
    assert index.tagged("unreported") == ["Unreported.md"]


def test_what_was_read_in_the_instant_of_its_change_is_looked_at_again(
    index: VaultIndex, vault: Path, heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bridge.index.indexer.RACY_SECONDS", 0.01)
    monkeypatch.setattr("bridge.index.tree.RACY_SECONDS", 1000.0)
    (vault / "Racy.md").write_text("#before", encoding="utf-8")
    index.start()
    assert index._indexer.built.wait(PATIENCE)
    with (vault / "Racy.md").open("r+b") as racy:  # in one step: it is looked at all the time
        racy.write(b"#after!")
    heard.wait_for(("Racy.md", "modified"))
    assert index.tagged("after!") == index.tagged("before") == []
    assert index.tagged("after") == ["Racy.md"]


def test_while_it_is_built_it_answers_from_what_is_there_and_says_so(
    index: VaultIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bridge.index.vault_index.BUILD_SECONDS", 0.0)
    go_on = threading.Event()
    batches = Indexer._batches

    def waiting(ingest: Indexer, *arguments: Any) -> Iterator[Any]:
        assert go_on.wait(PATIENCE)
        yield from batches(ingest, *arguments)

    monkeypatch.setattr(Indexer, "_batches", waiting)
    index.start()
    assert [file.path for file in index.files()] == ["Ideas.md", "Notes/Meeting.md", "Notes/Windows.md"]
    assert index.names.resolve("meeting", "Ideas.md") == "Notes/Meeting.md"
    assert index.note("Ideas.md") is None
    assert index.incomplete_answers
    assert not index.ready
    status = index.status()
    assert (status.notes, status.indexed, status.indexing, status.last_sweep) == (3, 0, True, None)
    go_on.set()
    assert index._indexer.built.wait(PATIENCE)
    before = index.incomplete_answers
    assert index.note("Ideas.md") is not None
    assert index.incomplete_answers == before


def test_it_goes_on_after_a_failure(
    index: VaultIndex, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(index_thread, "FAILED_SECONDS", 0.01)
    sweep: Callable[..., bool] = index._indexer.sweep
    failed: list[bool] = []

    def failing(**options: Any) -> bool:
        if not failed:
            failed.append(True)
            raise ZeroDivisionError
        return sweep(**options)

    monkeypatch.setattr(index._indexer, "sweep", failing)
    index.start()
    assert index._indexer.built.wait(PATIENCE)
    assert "tried again" in caplog.text
    assert index.ready


def test_stopping_in_the_middle_of_a_build_is_no_loss(
    index: VaultIndex, vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = threading.Event()
    batches = Indexer._batches

    def slow(ingest: Indexer, paths: Any, *rest: Any) -> Iterator[Any]:
        for path in paths:
            yield from batches(ingest, [path], *rest)
            begun.set()
            assert index._thread._stopping or threading.Event().wait(0.01) is False

    with monkeypatch.context() as slowly:
        slowly.setattr(Indexer, "_batches", slow)
        index.start()
        assert begun.wait(PATIENCE)
        index.close()
    with VaultRoot(vault) as root:
        again = VaultIndex(VaultFiles(root), SystemClock(), folder=tmp_path / "cache")
        again.refresh()
        assert len(list(again.notes())) == 3
        again.close()
