"""The registry: which tools there are for whom, and the providers they come from."""

import difflib
import logging
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from bridge.contract.consent import Operation
from bridge.identity.caller import PERSON, Caller, Client
from bridge.toolkit.tool import Tool

logger = logging.getLogger(__name__)

LONGEST_NAME = 100
"""Characters of an unknown name that are compared; it may be as long as a frame."""

_WORD = re.compile("[A-Z]?[a-z]+|[A-Z]+")
_OUTSIDE = {
    Operation.NETWORK: ("the web", frozenset({"web", "internet", "fetch", "http", "url", "browse", "browser"})),
    Operation.EXECUTE: (
        "running programs here; the user can allow commands with `vault-bridge settings set allowTerminal=true`",
        frozenset({"shell", "bash", "exec", "execute", "run", "terminal"}),
    ),
}
"""The subject of tools outside the vault, and words in the names that models expect them under."""

EVERYTHING = "everything"
"""The preset that stands for every tool there is."""
ALL = "*"
"""The sign in it, and in `enabledTools`, for all tools."""


class ToolProvider(ABC):
    """A family of tools that starts and stops together. It may be added and removed while the bridge runs.

    Attributes:
        id: Unique; `ToolRegistry.remove` takes it.
        name: For people.
        description: For people.
        version: Of this provider.
    """

    id: str
    name: str
    description: str
    version: str

    @abstractmethod
    def tools(self, caller: Caller) -> Sequence[Tool[Any]]:
        """Return the tools that a caller has, in the order they are listed. Must be quick: it is asked at every call.

        Args:
            caller: Who asks; two callers may have different tools.
        """

    def why_missing(self, name: str, caller: Caller) -> str | None:
        """Return why a caller has no tool of this name, and what to do; None where this provider knows nothing of it.

        Args:
            name: What was called.
            caller: Who called it.
        """
        del name, caller
        return None

    async def start(self, changed: Callable[[], None]) -> None:
        """Get ready; called once, before the first call.

        Args:
            changed: To be called, on the event loop, whenever `tools` returns others than before.
        """
        del changed

    async def stop(self) -> None:
        """Let everything go; called once, after the provider was removed."""
        return


class StaticProvider(ToolProvider):
    """A provider whose tools are always the same. Subclass it when starting or stopping takes work.

    Args:
        id: Unique.
        name: For people.
        description: For people.
        version: Of this provider.
        tools: Its tools, in the order they are listed.
        only_for: The one client that has them; None: every client.
    """

    def __init__(
        self,
        *,
        id: str,
        name: str,
        description: str,
        version: str,
        tools: Sequence[Tool[Any]],
        only_for: Client | None = None,
    ) -> None:
        self.id = id
        self.name = name
        self.description = description
        self.version = version
        self._tools = tuple(tools)
        self._only_for = only_for

    def tools(self, caller: Caller) -> Sequence[Tool[Any]]:
        """Return all of them, or none."""
        return self._tools if self._only_for is None or caller.client == self._only_for else ()


class ToolRegistry:
    """Providers by id, in the order they were added. To be used on the event loop; `get` and `tools` from any thread.

    Where two providers have a tool of the same name, the one that was added first has it: nobody shadows a tool.

    Args:
        on_change: Called when tools came or went.
    """

    def __init__(self, on_change: Callable[[], None] = lambda: None) -> None:
        self._providers: dict[str, ToolProvider] = {}
        self._on_change = on_change

    async def add(self, provider: ToolProvider) -> None:
        """Start a provider; from then on its tools can be called.

        Raises:
            ValueError: Its id, or the name of a tool it has for everybody, is taken; then nothing is started.
        """
        if provider.id in self._providers:
            raise ValueError(f"The provider {provider.id!r} is already registered")
        names = [tool.name for tool in _tools_of(provider, PERSON)]
        taken = [name for name in names if self.get(name, PERSON) is not None or names.count(name) > 1]
        if taken:
            raise ValueError(f"The tool {taken[0]!r} is already registered")
        await provider.start(self._on_change)
        self._providers = {**self._providers, provider.id: provider}
        self._on_change()

    async def remove(self, provider_id: str) -> None:
        """Take a provider's tools away, then stop it.

        Raises:
            KeyError: There is no such provider.
        """
        provider = self._providers[provider_id]
        self._providers = {key: other for key, other in self._providers.items() if key != provider_id}
        self._on_change()
        await provider.stop()

    async def stop(self) -> None:
        """Stop every provider, the last one first; one that fails does not keep the others running."""
        for provider in reversed(list(self._providers.values())):
            try:
                await provider.stop()
            except Exception:
                logger.exception("the provider %s did not stop as it should", provider.id)
        self._providers = {}

    def tools(self, caller: Caller) -> list[Tool[Any]]:
        """Return every tool that a caller has, unlisted ones too, in the order of the providers."""
        return [tool for tool, _ in self._held(caller).every]

    def get(self, name: str, caller: Caller) -> Tool[Any] | None:
        """Return the tool that a caller means by a name; None when it has none."""
        return self._held(caller).by_name.get(name)

    def title_of(self, name: str) -> str:
        """Return a tool's title, for people; its name where there is no such tool now."""
        tool = self.get(name, PERSON)
        return name if tool is None else tool.spec.title

    def always_allowed(self, name: str) -> str | None:
        """Return where a tool's mode `always_allow` holds, as the end of a sentence; None where it asks all the same.

        Args:
            name: Its name.
        """
        tool = self.get(name, PERSON)
        if tool is None:
            return ""
        if not tool.spec.can_bypass:
            return None
        return " on the sites of `allowedDomains`" if tool.spec.listed_sites else ""

    def with_providers(self, caller: Caller) -> list[tuple[Tool[Any], str]]:
        """Return every tool that a caller has, with the id of its provider."""
        return list(self._held(caller).every)

    def nearest(self, name: str, caller: Caller) -> list[str]:
        """Return names of the caller's listed tools that resemble this one, best first."""
        listed = [tool.name for tool, _ in self._held(caller).every if tool.spec.listed]
        return difflib.get_close_matches(name[:LONGEST_NAME], listed, n=3, cutoff=0.5)

    def advice(self, name: str, caller: Caller) -> tuple[str, list[str]]:
        """Return advice for a caller that has no tool of this name, and the nearest names there are.

        A tool of a kind that this version has not at all is near to none.
        """
        for provider in self._providers.values():
            if why := provider.why_missing(name, caller):
                return why, []
        words = {word.lower() for word in _WORD.findall(name[:LONGEST_NAME])}
        there = {tool.spec.operation for tool, _ in self._held(caller).every}
        for operation, (kind, about) in _OUTSIDE.items():
            if words & about and operation not in there:
                return f"There are no tools for {kind}", []
        near = self.nearest(name, caller)
        return (f"Did you mean {' or '.join(map(repr, near))}?" if near else "`tools.list` names them"), near

    def presets(self, caller: Caller) -> dict[str, tuple[str, ...]]:
        """Return the named sets for `enabledTools`, as the tools declare them; `*` stands for every tool there is."""
        return named_sets(self.tools(caller))

    def _held(self, caller: Caller) -> "_Held":
        providers = self._providers.values()
        return _held(tuple((provider.id, tuple(_tools_of(provider, caller))) for provider in providers))


class _Held(NamedTuple):
    """The tools that a caller has, with the ids of their providers, in order; and each by its name."""

    every: tuple[tuple[Tool[Any], str], ...]
    by_name: Mapping[str, Tool[Any]]


@lru_cache(maxsize=8)  # a call asks several times, and who has which tools seldom changes; those of an ended draft go
def _held(provided: tuple[tuple[str, tuple[Tool[Any], ...]], ...]) -> _Held:
    by_name: dict[str, tuple[Tool[Any], str]] = {}
    for provider_id, tools in provided:
        for tool in tools:
            by_name.setdefault(tool.name, (tool, provider_id))
    return _Held(tuple(by_name.values()), {name: tool for name, (tool, _) in by_name.items()})


def named_sets(tools: Iterable[Tool[Any]]) -> dict[str, tuple[str, ...]]:
    """See `ToolRegistry.presets`."""
    sets: dict[str, list[str]] = {}
    for tool in tools:
        for preset in sorted(tool.spec.presets):
            sets.setdefault(preset, []).append(tool.name)
    by_size = sorted(sets.items(), key=lambda item: len(item[1]))
    return {name: tuple(names) for name, names in by_size} | {EVERYTHING: (ALL,)}


def _tools_of(provider: ToolProvider, caller: Caller) -> Sequence[Tool[Any]]:
    """Return a provider's tools; none when it cannot say. One that fails must not take the others' tools away."""
    try:
        return provider.tools(caller)
    except Exception:
        logger.exception("the provider %s cannot say which tools it has", provider.id)
        return ()
