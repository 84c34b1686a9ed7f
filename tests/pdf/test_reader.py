"""The text of PDF files is read page by page in a process of its own, within bounds."""

from collections.abc import Iterator

import pytest

from bridge.clock import SystemClock
from bridge.errors import ExecutionFailed
from bridge.pdf import reader as reading
from bridge.pdf.document import (
    DAMAGED,
    PASSWORD,
    Document,
    FileText,
    PdfiumDocument,
    PdfRefused,
    PdfSession,
    PypdfDocument,
    cleaned,
    page_at,
    page_start,
    place_in,
)
from bridge.pdf.reader import PdfReader
from bridge.workers.pool import Job
from tests.pdf import pdf_files

ENGINES = [pytest.param(PdfiumDocument, id="pdfium"), pytest.param(PypdfDocument, id="pypdf")]


@pytest.fixture
def reader() -> Iterator[PdfReader]:
    reader = PdfReader(SystemClock(), lambda text: text)
    yield reader
    reader.close()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("data", "pages"),
    [
        (pdf_files.pages("Hello (world)\\ 1\nsecond line", "Page two"), ["Hello (world)\\ 1\nsecond line", "Page two"]),
        (pdf_files.pages("Größe und Œuvre".replace("Œ", "O"), ""), ["Größe und Ouvre", ""]),
        (pdf_files.locked(pdf_files.pages("An empty password"), ""), ["An empty password"]),
    ],
)
def test_both_engines_read_the_same_pages(engine: type[Document], data: bytes, pages: list[str]) -> None:
    session = PdfSession(engine)
    assert session.answer({}, data) == ({"pages": len(pages)}, b"")
    assert [session.answer({"page": index}, b"")[1].decode() for index in range(len(pages))] == pages


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("data", "why"),
    [
        (pdf_files.locked(pdf_files.pages("secret"), "a password"), PASSWORD),
        (b"no PDF at all", DAMAGED),
        (b"", DAMAGED),
    ],
)
def test_both_engines_say_why_a_file_cannot_be_opened(engine: type[Document], data: bytes, why: str) -> None:
    with pytest.raises(PdfRefused, match=why):
        engine(data)
    assert PdfSession(engine).answer({}, data) == ({"failed": why}, b"")


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (pdf_files.locked(pdf_files.pages("secret"), "a password"), "The file is protected by a password"),
        (b"no PDF at all", "The file is damaged or is no PDF"),
        (pdf_files.pages("cut off", "in the middle")[:300], "The file is damaged or is no PDF"),
        (pdf_files.document([b"[" * 200_000]), "The file is damaged or is no PDF"),
        (pdf_files.pages("", ""), "No page has text; the pages are pictures, as in a scanned document"),
        (
            pdf_files.mapless("Signs, without a meaning."),
            "1 of 1 pages have a font that does not say which letters it shows; they can only be seen as pictures",
        ),
    ],
)
def test_a_file_without_text_says_why(reader: PdfReader, data: bytes, why: str) -> None:
    found = reader.read(data)
    assert found.why == why
    assert found.text.strip("\n\f") == ""


def test_pages_are_joined_by_form_feeds_and_counted(reader: PdfReader) -> None:
    found = reader.read(pdf_files.pages("one", "two", "three"))
    assert found == FileText(("one", "two", "three"), 3)
    text = found.text
    for number, word in enumerate(found.pages, 1):
        place = text.index(word)
        assert page_at(text, place) == number
        assert page_start(text, place) == place
    assert place_in("a/b.pdf", 3) == "a/b.pdf#page=3"


@pytest.mark.long
@pytest.mark.parametrize("data", [pdf_files.laughing(), pdf_files.swollen(100)], ids=["laughing", "swollen"])
def test_a_hostile_file_costs_only_its_own_process(reader: PdfReader, data: bytes) -> None:
    found = reader.read(data)
    assert found.why
    assert reader.read(pdf_files.pages("the next one")).pages == ("the next one",)


def test_what_was_read_before_the_time_was_over_is_kept(reader: PdfReader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MOST_PAGES", 2)
    found = reader.read(pdf_files.pages("one", "two", "three"))
    assert found.pages == ("one", "two")
    assert found.why == "The file has more than 2 pages; 2 of 3 pages were read"
    monkeypatch.setattr(reading, "MOST_CHARACTERS", 4)
    assert reader.read(pdf_files.pages("one", "two", "three")).text.replace("\n\n\f", "|") == "one|t"


def test_a_file_that_is_too_large_is_not_given_to_a_process(reader: PdfReader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LARGEST", 1 << 20)
    assert reader.read(b"%PDF-" + b"\0" * (1 << 20)).why == "The file has more than 1 MB"


@pytest.mark.slow
def test_a_file_of_50_megabytes_is_read_or_refused(reader: PdfReader) -> None:
    unseen = b"<< /Length 50000000 >>\nstream\n%" + b"x" * 49_999_999 + b"\nendstream"
    book = pdf_files.with_contents(pdf_files.stream(pdf_files.operators("Before it")), unseen)
    assert reader.read(book) == FileText(("Before it", ""), 2)
    assert reader.read(b"%PDF-1.7\n" + b"\0" * 50_000_000).why == "The file is damaged or is no PDF"


def test_a_deadline_that_is_over_ends_the_process(reader: PdfReader) -> None:
    assert reader.read(pdf_files.pages("late"), deadline=0.0).why == "Reading took too long"


def test_a_process_that_cannot_start_is_a_failure_and_no_empty_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PdfReader, "job", Job("bridge.pdf.no_such_worker", "PDF", "try again"))
    broken = PdfReader(SystemClock(), lambda text: text)
    with pytest.raises(ExecutionFailed, match="cannot start") as failed:
        broken.read(pdf_files.pages("text"))
    assert failed.value.code == "worker_not_started"
    broken.close()


@pytest.mark.parametrize("engine", ENGINES)
def test_the_numbers_of_signs_are_no_text(engine: type[Document]) -> None:
    session = PdfSession(engine)
    session.answer({}, pdf_files.mapless("Signs, without a meaning."))
    assert session.answer({"page": 0}, b"") == ({"unmapped": True}, b"")


@pytest.mark.parametrize(
    ("raw", "kept"),
    [
        ("a\r\nb\rc", "a\nb\nc"),
        ("exam\ufffe\r\nple", "example"),
        ("a\fb\0c\vd", "a b c d"),
        ("\n\ntext\n", "text"),
        ("half \ud800 pair", "half ? pair"),
    ],
)
def test_text_is_cleaned(raw: str, kept: str) -> None:
    assert cleaned(raw) == kept
