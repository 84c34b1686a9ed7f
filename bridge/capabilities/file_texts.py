"""The text of the vault's PDF files and pictures, found by searches and read by `read`."""

from collections.abc import Callable

from bridge.capabilities.capability import Capability
from bridge.index.file_text_index import PDF_FILES, PICTURES, FileKind, FileTextIndex, TextReader
from bridge.pdf.reader import PdfReader
from bridge.pictures.reader import TextRecogniser
from bridge.pictures.recognition import recognition_files
from bridge.policy.redaction import hide_secrets
from bridge.records.folder import cache_folder


class FileTextsOfKind(Capability):
    """The texts of one kind of files, as they were at the last stop. No file is read before the bridge has started."""

    def follow(
        self, kind: FileKind, reader: TextReader, wanted: Callable[[], bool], *, is_installed: bool = True
    ) -> None:
        """Build what reads them; where they are not wanted or cannot be read, it removes what is kept of them.

        Args:
            kind: The kind.
            reader: Reads them.
            wanted: Whether they shall be read.
            is_installed: Whether there is what the reader needs.
        """
        base = self.core.base
        texts = FileTextIndex(
            kind,
            self.core.index,
            base.files,
            self.core.trust.grants.closed,
            clock=base.clock,
            reader=reader,
            folder=cache_folder(base.root.path),
            wanted=lambda: is_installed and wanted(),
        )
        base.stop_in_thread(texts.close)
        base.settings.on_change(lambda _change: texts.changed())
        base.changed.on(lambda path, _change: texts.changed([path]))
        base.applied.on(lambda plan: texts.changed(plan.targets))
        if is_installed:
            base.file_texts.add(texts)
        if not base.brief:
            base.started.on(texts.start)


class PdfFiles(FileTextsOfKind):
    """The texts of PDF files."""

    async def open(self) -> None:
        """Build what reads them."""
        base = self.core.base
        self.follow(PDF_FILES, PdfReader(base.clock, hide_secrets), lambda: base.settings.current.search_pdfs)


class DrawnText(FileTextsOfKind):
    """The texts that are recognised in pictures, where the extra `drawn-text` is installed."""

    async def open(self) -> None:
        """Build what recognises them."""
        base = self.core.base
        self.follow(
            PICTURES,
            TextRecogniser(base.clock, hide_secrets),
            lambda: base.settings.current.search_pictures,
            is_installed=recognition_files() is not None,
        )
