"""Capabilities that find more: the text of the vault's PDF files and pictures, and search by meaning."""

from collections.abc import Callable
from importlib.util import find_spec

from bridge.capabilities.core import Capability
from bridge.chat.endpoints import EMBEDDING, AgreedEndpoints
from bridge.index.file_text_index import PDF_FILES, PICTURES, FileKind, FileTextIndex, TextReader
from bridge.index.vectors.embedder import BETTER, QUICK, Model, installed
from bridge.index.vectors.vector_index import Mode
from bridge.index.vectors.vectors import Vectors
from bridge.pdf.reader import PdfReader
from bridge.pictures.reader import TextRecogniser, recognition_files
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


class SearchByMeaning(Capability):
    """The vectors, as they were at the last stop. Nothing is loaded before the bridge has started."""

    async def open(self) -> None:
        """Build them."""
        core, base = self.core, self.core.base
        agreed = AgreedEndpoints(base.kept("chats"), base.clock, EMBEDDING)

        def model() -> Model | None:
            if find_spec("numpy") is None:
                return None
            if name := base.settings.current.semantic_model:
                from bridge.chat.ollama import OllamaEmbeddings, OllamaServer  # noqa: PLC0415 - few have chosen one
                from bridge.index.vectors.served import ServedModel  # noqa: PLC0415 - the same

                server = OllamaServer(core.network.door, core.network.keys, agreed)
                embeddings = OllamaEmbeddings(server, lambda: base.settings.current, base.loop)
                return ServedModel(name, embeddings, base.clock)
            return installed(QUICK, base.clock)

        def chosen() -> tuple[str, str]:
            settings = base.settings.current
            return settings.semantic_model, settings.chat_endpoint if settings.semantic_model else ""

        def better_mode() -> Mode:
            settings = base.settings.current
            return "off" if settings.semantic_model else settings.semantic_search  # the person has chosen another

        vectors = Vectors(
            core.index,
            base.files,
            core.trust.grants.closed,
            base.clock,
            folder=cache_folder(base.root.path),
            mode=lambda: base.settings.current.semantic_search,
            model=model,
            better_mode=better_mode,
            better_model=lambda: installed(BETTER, base.clock),
            chosen=chosen,
            file_texts=base.file_texts,
        )
        base.stop_in_thread(vectors.close)
        base.settings.on_change(lambda _change: vectors.changed())
        base.changed.on(lambda _path, _change: vectors.changed())
        base.applied.on(lambda _plan: vectors.changed())
        base.parts.embedding_servers.fill(agreed)
        base.vectors.fill(vectors)
        base.parts.vectors.fill(vectors)
        base.faults.look_at(agreed)
        if not base.brief:
            base.started.on(vectors.start)
