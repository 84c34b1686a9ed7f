"""Both kinds of vectors of a vault together: passages first, then what notes are about."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from bridge.clock import SystemClock
from bridge.contract.session import SemanticStatus
from bridge.index.vault_index import VaultIndex
from bridge.index.vectors.vectors import Vectors
from bridge.vault.files import VaultFiles
from bridge.vault.root import VaultRoot
from tests.index.vectors.conftest import WordModel
from tests.patience import PATIENCE

if TYPE_CHECKING:
    from bridge.index.vectors.vector_index import Mode

pytest.importorskip("numpy", reason="comes with the extra `semantic`")


class Place:
    """A vault with both kinds of vectors.

    Attributes:
        quick: The quick model; None where there is none.
        better: The better one.
    """

    def __init__(self, folder: Path, cache: Path) -> None:
        self.folder, self.cache = folder, cache
        self.quick: WordModel | None = WordModel()
        self.better: WordModel | None = WordModel()
        self.mode: Mode = "on"
        self.better_mode: Mode = "on"
        self.closed: Any = None
        self.root = VaultRoot(folder)
        self.index = VaultIndex(VaultFiles(self.root), SystemClock())
        self.vectors = self._made()

    def _made(self) -> Vectors:
        return Vectors(
            self.index,
            VaultFiles(self.root),
            lambda: self.closed,
            SystemClock(),
            folder=self.cache,
            mode=lambda: self.mode,
            model=lambda: self.quick,
            better_mode=lambda: self.better_mode,
            better_model=lambda: self.better,
            strained=lambda: None,
            delay=0,
        )

    def put(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")

    def start(self) -> SemanticStatus:
        self.index.refresh()
        self.vectors.start()
        return self.until(lambda status: status.state == "ready")

    def until(self, done: Callable[[SemanticStatus], bool]) -> SemanticStatus:
        end, pause = SystemClock().monotonic() + PATIENCE, threading.Event()
        while not done(status := self.vectors.status()):
            assert SystemClock().monotonic() < end, status
            pause.wait(0.01)
        return status

    def beginning(self, question: str) -> list[str] | None:
        files = {file.path: file for file in self.index.files()}
        found = self.vectors.openings(question, files)
        return None if found is None else [near.path for near in found]

    def near(self, question: str) -> list[str] | None:
        files = {file.path: file for file in self.index.files()}
        found = self.vectors.nearest(question, files, 9)
        return None if found is None else [near.path for near in found]

    def close(self) -> None:
        self.vectors.close()
        self.index.close()
        self.root.close()


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    (tmp_path / "Notes").mkdir()
    place = Place(tmp_path / "Notes", tmp_path / "cache")
    yield place
    place.close()


def test_both_models_read_all_passages_and_the_first_of_each_note_is_compared_by_itself(place: Place) -> None:
    place.put("Tea.md", "---\ntags: x\n---\nGreen leaves.\n\n" + "Something else at length. " * 80)
    place.put("Rope.md", "Knots.")
    place.put("Call the plumber.md", "")
    place.put("Only properties.md", "---\na: b\n---\n")
    status = place.start()
    assert place.quick is not None
    assert place.better is not None
    assert sorted(place.better.embedded) == sorted(place.quick.embedded)
    assert status.passages == len(place.better.embedded) > 4
    assert any(text.startswith("Tea\n\nGreen leaves.") for text in place.better.embedded)
    assert (place.beginning("plumber") or [])[0] == "Call the plumber.md"
    assert sorted(place.beginning("else") or []) == sorted(path.name for path in place.folder.glob("*.md"))


def test_the_better_model_answers_once_it_has_read_nearly_all_notes(place: Place) -> None:
    place.put("Tea.md", "Green leaves.")
    assert place.better is not None
    place.better.hold.clear()
    place.index.refresh()
    place.vectors.start()
    assert place.better.waiting.wait(PATIENCE)
    assert place.vectors._answering() is place.vectors._quick
    place.better.hold.set()
    place.until(lambda status: status.state == "ready")
    assert place.vectors._answering() is place.vectors._better
    assert place.near("leaves") == ["Tea.md"]


def test_the_better_model_reads_after_the_quick_one_and_a_note_is_half_done_between(place: Place) -> None:
    for number in range(6):
        place.put(f"{number}.md", f"text {number}")
    assert place.quick is not None
    assert place.better is not None
    place.quick.hold.clear()
    place.index.refresh()
    place.vectors.start()
    assert place.quick.waiting.wait(PATIENCE)
    assert place.better.embedded == []
    place.better.hold.clear()
    place.quick.hold.set()
    assert place.better.waiting.wait(PATIENCE)
    status = place.vectors.status()
    assert (status.state, status.done, status.total, status.passages) == ("embedding", 3, 6, 6)
    assert place.near("text 3") is not None
    place.better.hold.set()
    status = place.until(lambda status: status.state == "ready")
    assert (status.done, status.model) == (6, "words and words")


@pytest.mark.parametrize("why", ["missing", "off"])
def test_without_the_better_model_the_quick_one_answers(place: Place, why: str) -> None:
    place.put("Tea.md", "Green leaves.")
    if why == "missing":
        place.better = None
    else:
        place.better_mode = "off"
    status = place.start()
    assert (status.done, status.total, status.model) == (1, 1, "words")
    assert place.near("leaves") == ["Tea.md"]
    assert place.beginning("leaves") is None


def test_where_only_the_better_model_is_there_it_answers(place: Place) -> None:
    place.put("Tea.md", "Green leaves.")
    place.quick = None
    status = place.start()
    assert (status.done, status.total) == (1, 1)
    assert place.vectors.state().why_not == ""
    assert place.near("leaves") == ["Tea.md"]


def test_switched_off_nothing_of_either_is_kept(place: Place) -> None:
    place.put("Tea.md", "Green leaves.")
    place.start()
    assert (place.cache / "better").is_dir()
    place.mode = place.better_mode = "off"
    place.vectors.changed()
    end, pause = SystemClock().monotonic() + PATIENCE, threading.Event()
    while any(place.cache.iterdir()):
        assert SystemClock().monotonic() < end
        pause.wait(0.01)
    assert place.vectors.status().state == "off"
    assert place.beginning("leaves") is None


def test_of_a_note_that_is_closed_nothing_stays_even_while_others_are_embedded(place: Place) -> None:
    place.put("Tea.md", "Green leaves.")
    place.put("Rope.md", "Knots.")
    place.start()
    assert place.quick is not None
    place.quick.hold.clear()
    place.put("New.md", "New.")
    place.index.refresh()
    place.vectors.changed()
    assert place.quick.waiting.wait(PATIENCE)
    place.closed = lambda path: "closed" if path == "Tea.md" else None
    place.vectors.changed()
    store = place.vectors._better._store
    assert store is not None
    end, pause = SystemClock().monotonic() + PATIENCE, threading.Event()
    while "Tea.md" in store.stamps():
        assert SystemClock().monotonic() < end
        pause.wait(0.01)
    place.quick.hold.set()


def test_rebuilding_embeds_both_again(place: Place) -> None:
    place.put("Tea.md", "Green leaves.")
    place.start()
    assert place.quick is not None
    assert place.better is not None
    place.vectors.rebuild()
    end, pause = SystemClock().monotonic() + PATIENCE, threading.Event()
    while (len(place.quick.embedded), len(place.better.embedded)) != (2, 2):
        assert SystemClock().monotonic() < end
        pause.wait(0.01)
