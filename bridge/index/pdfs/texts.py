"""What searches and tools ask of the texts of PDF files."""

from collections.abc import Callable, Mapping
from typing import Protocol

from bridge.index.pdfs.pdf_store import Known
from bridge.pdf.document import PdfText
from bridge.vault.files import FileStat


class PdfTexts(Protocol):
    """The texts of PDF files. Any thread may ask."""

    def known(self) -> Mapping[str, Known]:
        """Return the files whose text is known, by path, as they were when they were read."""
        ...

    def text(self, path: str) -> str | None:
        """Return the text of all pages, as `PdfText.text` joins them; None where it is not known."""
        ...

    def read(self, file: FileStat, load: Callable[[], bytes], deadline: float) -> PdfText:
        """Return the pages of a file, which are read now if they are not known yet. Blocks.

        Args:
            file: The file as it is now.
            load: Returns its bytes; called where they are needed.
            deadline: `Clock.monotonic()` value.

        Raises:
            ExecutionFailed: The process that reads cannot start.
        """
        ...


class NoPdfTexts:
    """Knows no PDF file."""

    def known(self) -> Mapping[str, Known]:
        """Return none."""
        return {}

    def text(self, path: str) -> str | None:
        """Return none."""
        del path
        return None

    def read(self, file: FileStat, load: Callable[[], bytes], deadline: float) -> PdfText:
        """Return nothing but the reason."""
        del file, load, deadline
        return PdfText(why="PDF files are not read here")


class LatePdfTexts:
    """The texts once somebody reads PDF files, and none where nobody ever will. It is a `PdfTexts`.

    Args:
        find: Returns what reads them, as soon as it is there.
    """

    def __init__(self, find: Callable[[], PdfTexts | None]) -> None:
        self._find = find

    def known(self) -> Mapping[str, Known]:
        """See `PdfTexts`."""
        return self._texts.known()

    def text(self, path: str) -> str | None:
        """See `PdfTexts`."""
        return self._texts.text(path)

    def read(self, file: FileStat, load: Callable[[], bytes], deadline: float) -> PdfText:
        """See `PdfTexts`."""
        return self._texts.read(file, load, deadline)

    @property
    def _texts(self) -> PdfTexts:
        return self._find() or NoPdfTexts()
