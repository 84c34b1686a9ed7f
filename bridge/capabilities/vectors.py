"""Search by meaning: the vectors of notes."""

from importlib.util import find_spec

from bridge.capabilities.capability import Capability
from bridge.chat.endpoints import EMBEDDING, AgreedEndpoints
from bridge.index.vectors.embedder import Model
from bridge.index.vectors.vector_index import Mode
from bridge.index.vectors.vectors import Vectors
from bridge.records.folder import cache_folder


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
            from bridge.index.vectors.packaged import QUICK, PackagedModel  # noqa: PLC0415 - not before the start

            return PackagedModel.installed(QUICK, base.clock)

        def better_model() -> Model | None:
            from bridge.index.vectors.packaged import BETTER, PackagedModel  # noqa: PLC0415 - not before the start

            return PackagedModel.installed(BETTER, base.clock)

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
            better_model=better_model,
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
