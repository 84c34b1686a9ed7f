"""The tools, a folder a provider and a file a tool. This list is all there are, in the order they are shown."""

import dataclasses

from bridge.index.texts.grep import Grep
from bridge.toolkit.permitted import PermittedFiles
from bridge.toolkit.provider import ToolProvider
from bridge.tools.core import CoreProvider
from bridge.tools.files import FilesProvider
from bridge.tools.history import history_provider
from bridge.tools.notes import notes_provider
from bridge.tools.services import ToolServices


def providers(services: ToolServices) -> list[ToolProvider]:
    """Every provider, ready to be registered. None of them can read what the user has closed."""
    services = dataclasses.replace(services, files=PermittedFiles(services.files, services.denied))
    grep = Grep(services.files, services.clock, services.everything, services.denied)
    return [
        CoreProvider(services, grep),
        FilesProvider(services, grep),
        notes_provider(services),
        history_provider(services.history),
    ]
