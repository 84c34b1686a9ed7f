"""The text of one PDF file, and the worker process in which it is read.

Whatever the file does to the engine, it does to this process. PDFium is used where it is installed (the package
`pypdfium2`), else `pypdf`, which is slower but needs no build for the system. The first request has the file's bytes
and is answered with the number of its pages; each further request names a page and is answered with that page's text,
so that the pages before a crash are not lost. An answer has `failed` where that is not possible, and `unmapped` where
the page's font does not say which letters it shows. The process ends when its standard input does, or when it takes
more memory than it may.
"""

import io
import logging
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from bridge.workers.frames import LATER, answer_requests, limit_address_space, step_back, watch_resident_memory

PAGE_BREAK: Final = "\n\n\f"
"""Separator of a text's pages: a form feed, as usual, after the end of a paragraph."""
_MARK: Final = PAGE_BREAK[-1]
EXTENSION: Final = ".pdf"
_NO_LETTER: Final = re.compile(r"[\x01\x03-\x08\x0e-\x1f\x7f-\x9f\ue000-\uf8ff\ufffd]")
_SOME: Final = 100
"""One of so many characters, and the page is no text: commas and figures have such numbers in most fonts."""
ADDRESS_SPACE: Final = 1536 * 1024 * 1024
RESIDENT: Final = 512 * 1024 * 1024
"""Bytes that the process may take. A book of 400 pages takes less than 50 MB."""
MOST_OF_A_PAGE: Final = 200_000
"""Characters of a page that are kept; a dense one has about 6,000."""
PASSWORD: Final = "password"  # noqa: S105 - the name of a failure
DAMAGED: Final = "damaged"
Answer = tuple[dict[str, Any], bytes]


@dataclass(frozen=True, slots=True)
class FileText:
    """The pages of a PDF file that could be read.

    Attributes:
        pages: The text of each page, from the first.
        count: How many pages the file has; 0 where that is not known.
        why: Why text is missing, as a sentence without its full stop; empty where all pages were read.
    """

    pages: tuple[str, ...] = ()
    count: int = 0
    why: str = ""

    @property
    def characters(self) -> int:
        """Return the number of characters on the pages."""
        return sum(map(len, self.pages))

    @property
    def text(self) -> str:
        """Return all pages as one text, separated by `PAGE_BREAK`."""
        return PAGE_BREAK.join(self.pages)


def is_pdf(path: str) -> bool:
    """Return whether a file is a PDF by its name."""
    return path[-len(EXTENSION) :].lower() == EXTENSION


def page_at(text: str, place: int) -> int:
    """Return the number of the page, from 1, on which a place of a joined text is.

    Args:
        text: The text of all pages, as `FileText.text` joins them.
        place: In characters.
    """
    return text.count(_MARK, 0, place) + 1


def place_in(path: str, page: int | None) -> str:
    """Return a file with one of its pages, as a link of Obsidian's names it: `file.pdf#page=3`."""
    return path if page is None else f"{path}#page={page}"


def page_start(text: str, place: int) -> int:
    """Return where the page begins on which a place of a joined text is; both in characters."""
    return text.rfind(_MARK, 0, place) + 1


def cleaned(text: str) -> str:
    r"""Return the text of a page as it is kept: `\n` between lines, words that a line end divides in one piece.

    Args:
        text: As an engine gives it. PDFium puts U+FFFE where a word is divided by a hyphen at the end of a line.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\ufffe\n", "").replace("\ufffe", "")
    text = "".join(" " if character in "\0\f\v" else character for character in text)
    return text.encode("utf-8", "replace").decode().strip("\n")


def is_unmapped(text: str) -> bool:
    """Return whether the text of a page is of a font that does not say which letters it shows.

    What engines give then are the numbers of its signs; of some, no letter has the number.

    Args:
        text: As an engine gives it.
    """
    return len(_NO_LETTER.findall(text)) * _SOME > len(text)


class PdfRefused(Exception):
    """The file cannot be opened; the argument is `PASSWORD` or `DAMAGED`."""


class PdfiumDocument:
    """A file opened by PDFium.

    Args:
        data: The file's bytes.

    Raises:
        PdfRefused: It cannot be opened.
    """

    def __init__(self, data: bytes) -> None:
        import pypdfium2  # noqa: PLC0415 - it need not be installed

        try:
            self._document = pypdfium2.PdfDocument(data)
        except pypdfium2.PdfiumError as error:
            raise PdfRefused(PASSWORD if "password" in str(error).lower() else DAMAGED) from error

    def count(self) -> int:
        """Return the number of pages."""
        return len(self._document)

    def page(self, index: int) -> str:
        """Return the text of a page, counted from 0."""
        page = self._document[index]
        try:
            text = page.get_textpage()
            try:
                found: str = text.get_text_range(0, min(text.count_chars(), MOST_OF_A_PAGE))
            finally:
                text.close()
        finally:
            page.close()
        return found


class PypdfDocument:
    """A file opened by pypdf. The arguments and errors are those of `PdfiumDocument`."""

    def __init__(self, data: bytes) -> None:
        import pypdf  # noqa: PLC0415 - one of two engines

        logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it warns of every oddity of a file
        try:
            self._document = pypdf.PdfReader(io.BytesIO(data))
            locked = self._document.is_encrypted and not self._document.decrypt("")
        except Exception as error:
            raise PdfRefused(DAMAGED) from error
        if locked:
            raise PdfRefused(PASSWORD)

    def count(self) -> int:
        """Return the number of pages."""
        return len(self._document.pages)

    def page(self, index: int) -> str:
        """Return the text of a page, counted from 0."""
        return self._document.pages[index].extract_text()[:MOST_OF_A_PAGE]


Document = PdfiumDocument | PypdfDocument


def engine() -> Callable[[bytes], Document]:
    """Return what opens files: PDFium where it can be loaded."""
    try:
        import pypdfium2  # noqa: F401, PLC0415 - it need not be installed
    except (ImportError, OSError):
        import pypdf  # noqa: F401, PLC0415 - what cannot be imported says so before any request

        return PypdfDocument
    return PdfiumDocument


class PdfSession:
    """The one file that this process reads.

    Args:
        open_file: Opens a file.
    """

    def __init__(self, open_file: Callable[[bytes], Document]) -> None:
        self._open = open_file
        self._document: Document | None = None

    def answer(self, header: dict[str, Any], data: bytes) -> Answer:
        """Return the answer to one request."""
        try:
            if self._document is None:
                self._document = self._open(data)
                return {"pages": self._document.count()}, b""
            text = self._document.page(header["page"])
            return ({"unmapped": True}, b"") if is_unmapped(text) else ({}, cleaned(text).encode())
        except PdfRefused as refused:
            return {"failed": refused.args[0]}, b""
        except Exception as error:  # noqa: BLE001 - whatever a file does to an engine is its own fault
            return {"failed": type(error).__name__}, b""


def main() -> None:
    """Answer requests until there are no more."""
    step_back(LATER)
    limit_address_space(ADDRESS_SPACE)
    watch_resident_memory(RESIDENT)
    answer_requests(PdfSession(engine()).answer)


if __name__ == "__main__":
    main()
