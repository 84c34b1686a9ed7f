"""The tools: a folder for each provider. This list is all there are, in the order they are shown."""

from bridge.index.grep import Grep
from bridge.index.search import NoteSearch
from bridge.index.search_texts import SearchTexts
from bridge.index.search_words import StoredWords
from bridge.toolkit.provider import ToolProvider
from bridge.tools.core import CoreProvider
from bridge.tools.files import FilesProvider
from bridge.tools.history import history_provider
from bridge.tools.notes import notes_provider
from bridge.tools.services import ToolServices


def providers(services: ToolServices) -> list[ToolProvider]:
    """Every provider, ready to be registered. None of them can read what the user has closed.

    Args:
        services: What the tools are built from.
    """
    storage, clock, everything = services.storage, services.clock, services.everything
    grep = Grep(storage.files, clock, everything, services.denied)
    texts = SearchTexts(everything.corpus, storage.files, clock)
    search = NoteSearch(storage.knowledge, StoredWords(everything.search), texts)
    return [
        CoreProvider(storage, clock, grep),
        FilesProvider(storage, clock, services.handed, grep, search),
        notes_provider(storage, clock),
        history_provider(services.history),
    ]
