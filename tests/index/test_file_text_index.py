"""The words of PDF files and pictures are found, as long as the files are there, open and unchanged."""

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bridge.clock import SystemClock
from bridge.errors import ExecutionFailed
from bridge.index.carried_text import CarriedText
from bridge.index.file_text_index import PDF_FILES, PICTURES, FileKind, FileTextIndex
from bridge.index.file_texts import FileTextStore, KnownText
from bridge.index.search.note_search import FoundNote, NoteQuery, NoteSearch
from bridge.index.search.text_session import SearchTexts
from bridge.index.store.fulltext import StoredWords
from bridge.pdf.document import FileText, PdfiumDocument, PdfRefused
from bridge.pdf.reader import PdfReader
from bridge.vault.files import VaultFiles
from bridge.vault.paths import known_path
from bridge.workers.pool import FILES_AT_ONCE
from tests.index.index_world import World
from tests.patience import PATIENCE
from tests.pdf import pdf_files

FILE = PDF_FILES.kept
MANUAL = pdf_files.pages("The boiler is in the cellar.", "Descale the boiler every spring.", "Warranty: ten years.")


class Reader(PdfReader):
    """Reads with the real engine, in this process; it counts the files."""

    def __init__(self) -> None:
        super().__init__(SystemClock(), lambda text: text)
        self.read_files = 0
        self.failing: Exception | None = None

    def read(self, data: bytes, deadline: float | None = None) -> FileText:
        del deadline
        if self.failing is not None:
            raise self.failing
        self.read_files += 1
        try:
            document = PdfiumDocument(data)
        except PdfRefused as refused:
            return FileText(why=f"refused: {refused}")
        return FileText(tuple(document.page(index) for index in range(document.count())), document.count())


class Seer(Reader):
    """Sees the text in pictures: what a file holds behind a NUL, without which it would be text itself."""

    def read(self, data: bytes, deadline: float | None = None) -> FileText:
        del deadline
        self.read_files += 1
        return FileText((data[1:].decode(),), 1)


@dataclass
class Shelf:
    """A vault with its index, and the texts of its files of a kind."""

    world: World
    reader: Reader = field(default_factory=Reader)
    closed: set[str] = field(default_factory=set)
    wanted: bool = True
    delay: float = 0.0
    kind: FileKind = PDF_FILES
    loaded: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.open()

    def open(self) -> None:
        files = VaultFiles(self.world.root)
        self.pdfs = FileTextIndex(
            self.kind,
            self.world.index,
            files,
            lambda: lambda path: "closed" if path in self.closed else None,
            clock=self.world.clock,
            reader=self.reader,
            folder=self.world.cache,
            wanted=lambda: self.wanted,
            delay=self.delay,
        )
        self.texts = SearchTexts(self.world.index.texts, files, self.world.clock, self.pdfs)
        self._search = NoteSearch(self.world.index, StoredWords(self.world.index.search), self.texts)

    def follow(self) -> None:
        self.world.index.refresh()
        self.pdfs.follow()

    def find(self, query: str) -> list[str]:
        return [result.place for result in self.results(query)]

    def results(self, query: str) -> tuple[FoundNote, ...]:
        return self._search.search(NoteQuery(query, SystemClock().monotonic() + PATIENCE)).results

    def read(self, path: str, load: Callable[[], bytes] | None = None) -> FileText:
        def from_disk() -> bytes:
            self.loaded.append(path)
            return (self.world.folder / path).read_bytes()

        file = VaultFiles(self.world.root).stat(known_path(path))
        return self.pdfs.read(file, load or from_disk, SystemClock().monotonic() + PATIENCE)

    def close(self) -> None:
        self.texts.close()
        self.pdfs.close()


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    (tmp_path / "vault").mkdir()
    world = World(tmp_path / "vault", tmp_path / "cache")
    world.write("Manuals/Boiler.pdf", MANUAL)
    world.write("Note.md", "The boiler was serviced.\n")
    shelf = Shelf(world)
    shelf.follow()
    yield shelf
    shelf.close()
    world.close()


def test_words_are_found_with_their_page_and_what_stands_there(shelf: Shelf) -> None:
    assert shelf.find("descale") == ["Manuals/Boiler.pdf#page=2"]
    (found,) = shelf.results("warranty years")
    assert found.page == 3
    assert found.excerpt.endswith("Descale the boiler every spring. Warranty: ten years.")
    assert sorted(shelf.find("boiler")) == ["Manuals/Boiler.pdf#page=1", "Note.md"]


@pytest.mark.parametrize("query", ['"every spring"', "/desc\\w+/", "path:Manuals descale", "line:(boiler spring)"])
def test_operators_look_into_them_too(shelf: Shelf, query: str) -> None:
    assert [result.path for result in shelf.results(query)] == ["Manuals/Boiler.pdf"]


def test_passages_name_their_page(shelf: Shelf) -> None:
    passages = shelf._search.passages("when is the boiler descaled", SystemClock().monotonic() + PATIENCE)
    assert "Manuals/Boiler.pdf#page=1" in [passage.place for passage in passages]


def test_a_file_is_read_once_whatever_it_is_called(shelf: Shelf) -> None:
    assert shelf.reader.read_files == 1
    shelf.follow()
    old = shelf.world.folder / "Manuals" / "Boiler.pdf"
    old.rename(shelf.world.folder / "Heating.pdf")
    shelf.world.write("Copy.pdf", MANUAL)
    shelf.follow()
    assert sorted(shelf.find("descale")) == ["Copy.pdf#page=2", "Heating.pdf#page=2"]
    assert shelf.reader.read_files == 1


def test_a_change_is_read_and_nothing_of_the_old_text_is_found(shelf: Shelf) -> None:
    shelf.world.write("Manuals/Boiler.pdf", pdf_files.pages("Now about the roof."))
    shelf.world.index.refresh()
    assert shelf.find("descale") == []
    assert shelf.find('"every spring"') == []
    shelf.pdfs.follow()
    assert shelf.find("roof") == ["Manuals/Boiler.pdf#page=1"]


def test_a_deleted_file_is_found_no_more_and_its_text_is_forgotten(shelf: Shelf) -> None:
    (shelf.world.folder / "Manuals" / "Boiler.pdf").unlink()
    shelf.follow()
    assert shelf.find("descale") == []
    with sqlite3.connect(shelf.world.folder.parent / "cache" / FILE) as connection:
        assert connection.execute("SELECT count(*) FROM files JOIN texts").fetchone() == (0,)
        assert connection.execute("SELECT count(*) FROM texts").fetchone() == (0,)
    connection.close()


def test_a_restart_reads_nothing_again(shelf: Shelf) -> None:
    shelf.close()
    shelf.world.reopen()
    shelf.open()
    shelf.follow()
    assert shelf.reader.read_files == 1
    assert shelf.find("descale") == ["Manuals/Boiler.pdf#page=2"]


def test_texts_outlive_the_index_of_notes(shelf: Shelf) -> None:
    shelf.close()
    shelf.world.index.close()
    (shelf.world.folder.parent / "cache" / "index.sqlite").unlink()
    shelf.world.open()
    shelf.open()
    shelf.follow()
    assert shelf.find("descale") == ["Manuals/Boiler.pdf#page=2"]
    assert shelf.reader.read_files == 1


def test_a_closed_file_is_not_opened_and_one_that_is_closed_later_is_forgotten(shelf: Shelf) -> None:
    shelf.closed = {"Private.pdf"}
    shelf.world.write("Private.pdf", pdf_files.pages("A private matter."))
    shelf.follow()
    assert shelf.reader.read_files == 1
    assert shelf.find("private matter") == []
    shelf.closed = set()
    shelf.follow()
    assert shelf.find("private matter") == ["Private.pdf#page=1"]
    shelf.closed = {"Private.pdf"}
    shelf.follow()
    assert shelf.find("private matter") == []
    assert shelf.pdfs.text("Private.pdf") is None


def test_what_nobody_wants_is_forgotten(shelf: Shelf) -> None:
    shelf.wanted = False
    shelf.follow()
    assert shelf.find("descale") == []
    assert shelf.pdfs.known() == {}
    assert not (shelf.world.folder.parent / "cache" / FILE).exists()
    shelf.wanted = True
    shelf.follow()
    assert shelf.find("descale") == ["Manuals/Boiler.pdf#page=2"]


def test_a_file_that_cannot_be_read_is_not_tried_again(shelf: Shelf) -> None:
    shelf.world.write("Broken.pdf", b"%PDF-1.7 and then nothing")
    shelf.follow()
    shelf.follow()
    assert shelf.reader.read_files == 2
    assert shelf.pdfs.known().keys() == {"Manuals/Boiler.pdf", "Broken.pdf"}
    assert shelf.read("Broken.pdf").why == "refused: damaged"
    assert shelf.loaded == []


def test_a_file_that_is_known_is_not_opened_to_be_read_and_one_that_changed_is(shelf: Shelf) -> None:
    assert shelf.read("Manuals/Boiler.pdf").count == 3
    assert shelf.loaded == []
    shelf.world.write("Manuals/Boiler.pdf", pdf_files.pages("One page."))
    assert shelf.read("Manuals/Boiler.pdf").pages == ("One page.",)
    shelf.world.write("New.pdf", MANUAL)
    assert shelf.read("New.pdf").count == 3, "its bytes are known"
    assert shelf.loaded == ["Manuals/Boiler.pdf", "New.pdf"]
    assert shelf.reader.read_files == 2
    shelf.wanted = False
    assert shelf.read("New.pdf").count == 3
    assert shelf.loaded[2:] == ["New.pdf"]


def test_few_files_are_in_memory_at_a_time(shelf: Shelf) -> None:
    for name in "abcdef":
        shelf.world.write(f"{name}.pdf", pdf_files.pages(name))
    held, most = [0], [0]
    lock, both = threading.Lock(), threading.Barrier(FILES_AT_ONCE)

    def load(name: str) -> bytes:
        with lock:
            held[0] += 1
            most[0] = max(most[0], held[0])
        both.wait(PATIENCE)  # two are loaded side by side, and a third one would be counted
        with lock:
            held[0] -= 1
        return pdf_files.pages(name)

    with ThreadPoolExecutor(6) as threads:
        found = list(threads.map(lambda name: shelf.read(f"{name}.pdf", lambda: load(name)).pages, "abcdef"))
    assert found == [(name,) for name in "abcdef"]
    assert most == [FILES_AT_ONCE]


def test_a_process_that_cannot_start_says_nothing_about_the_file(shelf: Shelf) -> None:
    shelf.reader.failing = ExecutionFailed("The process for this PDF cannot start", code="worker_not_started")
    shelf.world.write("New.pdf", pdf_files.pages("Something new."))
    shelf.world.index.refresh()
    with pytest.raises(ExecutionFailed):
        shelf.pdfs.follow()
    shelf.reader.failing = None
    shelf.follow()
    assert shelf.find("something new") == ["New.pdf#page=1"]


def test_it_follows_in_a_thread(shelf: Shelf) -> None:
    shelf.world.write("Later.pdf", pdf_files.pages("It came later."))
    shelf.world.index.refresh()
    shelf.pdfs.start()
    latest = SystemClock().monotonic() + PATIENCE
    while set(shelf.pdfs.known()) != {"Later.pdf", "Manuals/Boiler.pdf"} and SystemClock().monotonic() < latest:
        shelf.pdfs.changed()
    shelf.pdfs.close()
    assert shelf.world.index.with_text(".pdf") == {"Later.pdf", "Manuals/Boiler.pdf"}


@pytest.mark.parametrize("damage", [b"no database", b""])
def test_a_damaged_store_is_made_anew(tmp_path: Path, damage: bytes) -> None:
    store = FileTextStore(tmp_path / FILE)
    store.put_text(b"d", FileText(("text",), 1))
    store.put_file("a.pdf", KnownText(1, 2, b"d"))
    store.close()
    (tmp_path / FILE).write_bytes(damage)
    again = FileTextStore(tmp_path / FILE)
    assert again.files == {}
    again.close()


def test_a_store_of_another_form_is_made_anew(tmp_path: Path) -> None:
    FileTextStore(tmp_path / FILE).close()
    with sqlite3.connect(tmp_path / FILE) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    store = FileTextStore(tmp_path / FILE)
    assert store.text(b"d") is None
    store.close()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
def test_only_the_user_can_read_the_store(tmp_path: Path) -> None:
    FileTextStore(tmp_path / FILE).close()
    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600


@pytest.fixture
def album(tmp_path: Path) -> Iterator[Shelf]:
    """A vault with pictures, of which one has no words."""
    (tmp_path / "vault").mkdir()
    world = World(tmp_path / "vault", tmp_path / "cache")
    world.write("Holiday/Ticket.PNG", b"\0Ferry to Norderney\nleaves at nine")
    world.write("Holiday/Beach.jpg", b"\0 ")
    world.write("Note.md", "The ferry was late.\n")
    shelf = Shelf(world, Seer(), kind=PICTURES)
    shelf.follow()
    yield shelf
    shelf.close()
    world.close()


def test_pictures_are_found_by_the_words_in_them_and_one_without_words_by_its_name(album: Shelf) -> None:
    assert album.find("norderney") == ["Holiday/Ticket.PNG (text recognised in the picture)"]
    (found,) = album.results('"leaves at nine"')
    assert (found.path, found.excerpt, found.page) == ("Holiday/Ticket.PNG", "Ferry to Norderney leaves at nine", None)
    assert album.find("beach") == ["Holiday/Beach.jpg"]
    passage, *_ = album._search.passages("when leaves the ferry to norderney", SystemClock().monotonic() + PATIENCE)
    assert passage.place == "Holiday/Ticket.PNG (text recognised in the picture)"


def test_a_picture_without_words_is_looked_at_once(album: Shelf) -> None:
    album.world.write("Other.md", "More.\n")
    album.follow()
    assert album.reader.read_files == 2
    album.world.write("Holiday/Beach.jpg", b"\0No bathing today")
    album.follow()
    assert album.find('"no bathing"') == ["Holiday/Beach.jpg (text recognised in the picture)"]
    album.world.write("Holiday/Beach.jpg", b"\0\n")
    album.follow()
    assert album.find('"no bathing"') == []
    assert (album.reader.read_files, len(album.pdfs.known())) == (4, 2)


def test_pictures_that_nobody_wants_are_forgotten_in_the_middle_of_reading(album: Shelf) -> None:
    for number in range(9):
        album.world.write(f"{number}.png", f"\0page {number}".encode())
    album.world.index.refresh()
    album.pdfs.changed()
    album.pdfs.follow()
    assert album.reader.read_files == 3, "it looks again as soon as something may have changed"
    album.wanted = False
    album.follow()
    assert album.find("norderney") == []
    assert not (album.world.folder.parent / "cache" / PICTURES.kept).exists()


def test_what_was_read_is_recognised_where_it_leaves_and_no_address_in_it_is_the_user_s(album: Shelf) -> None:
    closed: set[str] = set()
    carried = CarriedText(
        album.world.index,
        lambda: lambda path: "closed" if path in closed else None,
        file_texts=album.pdfs,
    )
    assert carried.find("Ferry-to-Norderney, leaves at 9") == "Holiday/Ticket.PNG"
    assert carried.find("Ferries to Norderney leave at nine") is None
    album.world.write("Poster.png", b"\0See https://sea.example/poster for everything that is on this week")
    album.follow()
    assert carried.find("everything that is on this week") == "Poster.png"
    assert not carried.holds("https://sea.example/poster")
    closed.add("Poster.png")
    assert carried.find("everything that is on this week") is None


def test_room_is_made_for_texts_that_are_long(album: Shelf) -> None:
    album.world.write("Book.png", b"\0" + " ".join(f"{number:x}" for number in range(60_000)).encode())
    album.follow()
    carried = CarriedText(album.world.index, file_texts=album.pdfs)
    for _ in range(3):
        assert carried.find("ea51 ea52 ea53 ea54 ea55 ea56") == "Book.png"
    assert not carried._table.is_full


def test_room_is_made_for_notes_of_nothing_but_addresses_so_that_they_are_taken_in_once(album: Shelf) -> None:
    album.world.write("Links.md", " ".join(f"http://{number:x}.example" for number in range(20_000)).encode())
    album.world.index.refresh()
    carried = CarriedText(album.world.index)
    for _ in range(2):
        assert carried.find("nothing of this stands in any note") is None
    assert not carried._table.is_full
    assert carried.holds("http://4e1f.example")
