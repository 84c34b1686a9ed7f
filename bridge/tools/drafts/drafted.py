"""The tools of a vault, and the same tools again for each draft, which look at the vault as the draft has it."""

import asyncio
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bridge.drafts.draft import Draft
from bridge.drafts.store import Drafts
from bridge.errors import NotFound
from bridge.identity.caller import Caller
from bridge.toolkit.registry import ToolProvider
from bridge.toolkit.tool import Tool

logger = logging.getLogger(__name__)

MakeProviders = Callable[[Draft], Sequence[ToolProvider]]
"""The providers of tools that look at a draft; they need no start."""


class DraftedTools:
    """The sets of tools: a caller has that of the draft it is in, or that of the vault.

    Args:
        drafts: All drafts.
        make: Makes a draft's set, when it is first asked for.

    Attributes:
        drafts: As given.
    """

    def __init__(self, drafts: Drafts, make: MakeProviders) -> None:
        self.drafts = drafts
        self._make = make
        self._lock = threading.Lock()
        self._sets: dict[str, Mapping[str, ToolProvider]] = {}

    def wrapped(self, providers: Sequence[ToolProvider]) -> list[ToolProvider]:
        """Return the vault's providers; for a caller in a draft, each has the draft's tools in place of its own."""
        return [DraftedProvider(provider, self) for provider in providers]

    def provider(self, provider_id: str, caller: Caller) -> ToolProvider | None:
        """Return the provider of this name for a caller's draft; None outside, and where the draft has none.

        A caller that names a draft that is not there is in none. The pipeline refuses its call.
        """
        try:
            draft = self.drafts.of(caller)
        except NotFound:
            return None
        if draft is None:
            return None
        with self._lock:
            made = self._sets.get(draft.head.draft_id)
            if made is None:
                made = self._sets[draft.head.draft_id] = {each.id: each for each in self._make(draft)}
        return made.get(provider_id)

    async def end(self, draft_id: str) -> None:
        """End a draft: let go what its tools hold."""
        with self._lock:
            made = self._sets.pop(draft_id, {})
        for provider in made.values():
            try:
                await provider.stop()
            except Exception:
                logger.exception("the provider %s of %s did not stop as it should", provider.id, draft_id)

    async def stop(self) -> None:
        """Let go what the tools of all drafts hold."""
        await asyncio.gather(*(self.end(draft_id) for draft_id in list(self._sets)))


class DraftedProvider(ToolProvider):
    """A provider of the vault's tools, or of a draft's.

    Args:
        provider: The vault's.
        drafted: Knows the drafts'.
    """

    def __init__(self, provider: ToolProvider, drafted: DraftedTools) -> None:
        self.id, self.name, self.description = provider.id, provider.name, provider.description
        self.version = provider.version
        self._provider = provider
        self._drafted = drafted

    def tools(self, caller: Caller) -> Sequence[Tool[Any]]:
        """Return those that look at what the caller sees."""
        return (self._drafted.provider(self.id, caller) or self._provider).tools(caller)

    def why_missing(self, name: str, caller: Caller) -> str | None:
        """Return what the vault's knows of it."""
        return self._provider.why_missing(name, caller)

    async def start(self, changed: Callable[[], None]) -> None:
        """Start the vault's."""
        await self._provider.start(changed)

    async def stop(self) -> None:
        """Stop the vault's."""
        await self._provider.stop()
