"""The text of one PDF file."""

import re
from dataclasses import dataclass
from typing import Final

PAGE_BREAK: Final = "\n\n\f"
"""Separator of a text's pages: a form feed, as usual, after the end of a paragraph."""
_MARK: Final = PAGE_BREAK[-1]
EXTENSION: Final = ".pdf"
_NO_LETTER: Final = re.compile(r"[\x01\x03-\x08\x0e-\x1f\x7f-\x9f\ue000-\uf8ff\ufffd]")
_SOME: Final = 100
"""One of so many characters, and the page is no text: commas and figures have such numbers in most fonts."""


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
