"""PDF files are found by what they mean, page by page, behind the notes and by the rules that notes have."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from bridge.clock import SystemClock
from bridge.index.search.note_search import NoteSearch
from bridge.index.store.fulltext import StoredWords
from bridge.vault.files import VaultFiles
from tests.index.index_world import World
from tests.index.test_file_text_index import MANUAL, Shelf
from tests.patience import PATIENCE
from tests.pdf import pdf_files

pytest.importorskip("numpy", reason="comes with the extra `semantic`")

from bridge.index.vectors.vectors import Vectors
from tests.index.vectors.conftest import WordModel

BOILER = "Manuals/Boiler.pdf"


class MeantShelf(Shelf):
    """A vault with PDF files and both kinds of vectors."""

    quick: WordModel
    better: WordModel

    def __post_init__(self) -> None:
        super().__post_init__()
        self.quick, self.better = WordModel(), WordModel()
        self.quick.portion = self.better.portion = 1
        files = VaultFiles(self.world.root)
        self.vectors = Vectors(
            self.world.index,
            files,
            lambda: lambda path: "closed" if path in self.closed else None,
            SystemClock(),
            folder=self.world.cache,
            mode=lambda: "on",
            model=lambda: self.quick,
            better_mode=lambda: "on",
            better_model=lambda: self.better,
            strained=lambda: None,
            delay=0,
            file_texts=self.pdfs,
        )
        self._meant = NoteSearch(
            self.world.index, StoredWords(self.world.index.search), self.texts, lambda: self.vectors
        )

    def embedded(self) -> set[str]:
        store = self.vectors._better._store
        return set(store.stamps()) if store is not None else set()

    def until_embedded(self, *paths: str) -> None:
        latest, pause = SystemClock().monotonic() + PATIENCE, threading.Event()
        while self.embedded() != set(paths) or self.vectors.status().state != "ready":
            assert SystemClock().monotonic() < latest, (self.embedded(), self.vectors.status())
            self.vectors.changed()
            pause.wait(0.01)

    def near(self, text: str) -> list[str]:
        found = self._meant.near(text, 9, SystemClock().monotonic() + PATIENCE)
        return [passage.place for passage in found or ()]

    def close(self) -> None:
        self.vectors.close()
        super().close()


@pytest.fixture
def meant(tmp_path: Path) -> Iterator[MeantShelf]:
    (tmp_path / "vault").mkdir()
    world = World(tmp_path / "vault", tmp_path / "cache")
    world.write("Note.md", "The boiler was serviced.\n")
    world.write(BOILER, MANUAL)
    shelf = MeantShelf(world)
    shelf.follow()
    yield shelf
    shelf.close()
    world.close()


def test_a_passage_is_embedded_with_its_files_name_and_found_with_its_page(meant: MeantShelf) -> None:
    meant.vectors.start()
    meant.until_embedded("Note.md", BOILER)
    assert meant.better.embedded == [
        "Note\nThe boiler was serviced.\n",
        "Boiler.pdf\nThe boiler is in the cellar.",
        "Boiler.pdf\nDescale the boiler every spring.",
        "Boiler.pdf\nWarranty: ten years.",
    ]
    assert meant.near("every spring descale")[0] == f"{BOILER}#page=2"
    assert meant.near("ten years warranty")[0] == f"{BOILER}#page=3"


def test_the_better_model_answers_when_it_has_read_the_notes_and_not_yet_the_pdf_files(meant: MeantShelf) -> None:
    meant.world.write("Newest.pdf", pdf_files.pages("It is newer than every note."))
    meant.follow()
    held = _HeldAtPdfs()
    held.portion = 1
    meant.better = held
    meant.vectors.start()
    assert held.reached.wait(PATIENCE)
    assert meant.vectors._answering() is meant.vectors._better
    assert meant.near("serviced") == ["Note.md:1-1"]
    held.go_on.set()
    meant.until_embedded("Note.md", BOILER, "Newest.pdf")


class _HeldAtPdfs(WordModel):
    """It waits before the first passage of a PDF file."""

    def __init__(self) -> None:
        super().__init__()
        self.reached, self.go_on = threading.Event(), threading.Event()

    def embed(self, texts: list[str]) -> object:  # type: ignore[override] # as few words as the test needs
        if any(text.startswith(("Boiler", "Newest")) for text in texts):
            self.reached.set()
            assert self.go_on.wait(PATIENCE)
        return super().embed(texts)

    def close(self) -> None:
        self.go_on.set()


def test_what_is_closed_is_not_embedded_and_what_is_closed_later_is_forgotten(meant: MeantShelf) -> None:
    meant.world.write("Secret.pdf", pdf_files.pages("The code is hidden."))
    meant.closed.add("Secret.pdf")
    meant.follow()
    meant.vectors.start()
    meant.until_embedded("Note.md", BOILER)
    assert not any("hidden" in text for text in meant.quick.embedded + meant.better.embedded)
    meant.closed.add(BOILER)
    meant.world.write("Other.md", "Another note.\n")
    meant.follow()
    meant.until_embedded("Note.md", "Other.md")
    assert meant.near("descale every spring") == []


def test_a_file_that_changed_is_embedded_anew_once_it_was_read_anew(meant: MeantShelf) -> None:
    meant.vectors.start()
    meant.until_embedded("Note.md", BOILER)
    meant.world.write(BOILER, pdf_files.pages("Now about the roof."))
    meant.world.index.refresh()
    meant.until_embedded("Note.md")
    meant.follow()
    meant.until_embedded("Note.md", BOILER)
    assert meant.near("roof") == [f"{BOILER}#page=1"]


def test_nothing_is_kept_when_the_person_wants_no_pdf_files(meant: MeantShelf) -> None:
    meant.vectors.start()
    meant.until_embedded("Note.md", BOILER)
    meant.wanted = False
    meant.follow()
    meant.until_embedded("Note.md")


def test_a_long_page_is_cut_and_no_passage_is_on_two_pages(meant: MeantShelf) -> None:
    long = "\n".join(f"line {number} of a dense page with many words in it" for number in range(50))
    meant.world.write("Long.pdf", pdf_files.pages(long, "The end."))
    meant.follow()
    meant.vectors.start()
    meant.until_embedded("Note.md", BOILER, "Long.pdf")
    texts = [text for text in meant.better.embedded if text.startswith("Long.pdf\n")]
    assert len(texts) > 2
    assert texts[-1] == "Long.pdf\nThe end."
    assert meant.near("the end")[0] == "Long.pdf#page=2"
