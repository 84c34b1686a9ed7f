"""The interface through which searches and tools use the texts of files that are not notes."""

from collections.abc import Callable, Mapping
from typing import Protocol

from bridge.index.file_texts.file_text_store import Known
from bridge.pdf.document import FileText
from bridge.vault.files import FileStat


class FileTexts(Protocol):
    """The texts of some kinds of files. Any thread may ask."""

    def reads(self, path: str) -> bool:
        """Return whether a file is of these kinds, by its name."""
        ...

    def known(self) -> Mapping[str, Known]:
        """Return the files whose text is known, by path, as they were when they were read."""
        ...

    def text(self, path: str) -> str | None:
        """Return the text of all pages, as `FileText.text` joins them; None where it is not known."""
        ...

    def read(self, file: FileStat, load: Callable[[], bytes], deadline: float) -> FileText:
        """Return the pages of a file, which are read now if they are not known yet. Blocks.

        Args:
            file: The file as it is now.
            load: Returns its bytes; called where they are needed.
            deadline: `Clock.monotonic()` value.

        Raises:
            ExecutionFailed: The process that reads cannot start.
        """
        ...


class AllFileTexts:
    """The texts of all kinds of files that are read: of none before the first is added. It is a `FileTexts`."""

    def __init__(self) -> None:
        self._kinds: tuple[FileTexts, ...] = ()

    def add(self, kind: FileTexts) -> None:
        """Know those of a further kind, too."""
        self._kinds = (*self._kinds, kind)

    def reads(self, path: str) -> bool:
        """See `FileTexts`."""
        return any(kind.reads(path) for kind in self._kinds)

    def known(self) -> Mapping[str, Known]:
        """See `FileTexts`."""
        return {path: known for kind in self._kinds for path, known in kind.known().items()}

    def text(self, path: str) -> str | None:
        """See `FileTexts`."""
        return next((kind.text(path) for kind in self._kinds if kind.reads(path)), None)

    def read(self, file: FileStat, load: Callable[[], bytes], deadline: float) -> FileText:
        """See `FileTexts`."""
        for kind in self._kinds:
            if kind.reads(str(file.path)):
                return kind.read(file, load, deadline)
        return FileText(why="Files of this kind are not read here")
