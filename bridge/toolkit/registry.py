"""The registry: which tools there are for whom, the providers they come from, and which of them a caller may use.

What a caller may use follows from the setting `enabledTools`, and from the preset of a client with a name. A client's
preset takes the place of `enabledTools` where that is one of the named sets. What a set lists is for the model's
context; a client may call every tool of any set, listed or not. Only the set `minimal` allows no more than it lists:
whoever has it may find and read. A list that the person made by hand stands: `minimal` can narrow it, and nothing comes
back that is not in it, under any name. A tool that is in no named set (of the web, of another server, the user's own)
comes on top, where `enabledTools` has it or a setting of its own has switched it on.
"""

import asyncio
import difflib
import logging
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from bridge.contract.consent import ConsentClass, ConsentMode, Operation
from bridge.errors import PermissionDenied
from bridge.identity.caller import CHAT_ID, PERSON, Caller
from bridge.own_commands import own_command
from bridge.settings.model import Settings
from bridge.toolkit.tool import AGENT, MINIMAL, Tool, ToolSpec

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
    """

    id: str

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
    """A provider whose tools are always the same.

    Args:
        id: Unique.
        tools: Its tools, in the order they are listed.
        has: Whether a caller has the tools now.
        close: Ends the processes and threads of its tools. Blocks.
    """

    def __init__(
        self,
        id: str,
        tools: Sequence[Tool[Any]],
        *,
        has: Callable[[Caller], bool] = lambda _caller: True,
        close: Callable[[], None] = lambda: None,
    ) -> None:
        self.id = id
        self._tools = tuple(tools)
        self._has = has
        self._close = close

    def tools(self, caller: Caller) -> Sequence[Tool[Any]]:
        """Return all of them, or none."""
        return self._tools if self._has(caller) else ()

    async def stop(self) -> None:
        """End what its tools started."""
        await asyncio.to_thread(self._close)


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


Act = frozenset[str]
"""The names of the tools that could do one thing."""

_CLASSES = (ConsentClass.NEVER, ConsentClass.SESSION, ConsentClass.ALWAYS)
_MODES = (ConsentMode.NEVER_ALLOW, ConsentMode.ALWAYS_ASK, ConsentMode.SESSION_ALLOW, ConsentMode.ALWAYS_ALLOW)
"""Strictest first."""


def own_acts(spec: ToolSpec, params: Any, paths: Sequence[str] = ()) -> tuple[Act, ...]:
    """Return the acts of a call, each by the names of the tools whose work it is.

    Args:
        spec: The tool that is called.
        params: Its parameters; None where they are not known, and then it is the tool's own work.
        paths: What it is about, as it is called in the vault.
    """
    acts = () if spec.acts is None or params is None else tuple(dict.fromkeys(spec.acts(params, paths)))
    return acts or (frozenset({spec.name}),)


def acts_of(
    spec: ToolSpec, params: Any, paths: Sequence[str], operation: Operation, tools: Iterable[Tool[Any]]
) -> tuple[Act, ...]:
    """Return the acts of a call, each by the names of all tools that could do it.

    Args:
        spec: The tool that is called.
        params: Its parameters.
        paths: The paths it is about.
        operation: What the call does to the world. A tool that replaces the one that is called stands for it where it
            does the same: `edit` for what `write_file` overwrites, `create_note` for what it creates.
        tools: All tools there are.
    """
    others = {tool.name for tool in tools if spec.name in tool.spec.replaces and tool.spec.operation is operation}
    return tuple(act | {spec.name} | others for act in own_acts(spec, params, paths))


def strictest_class(
    spec: ToolSpec, acts: Iterable[Act], tools: Iterable[Tool[Any]], at_most: ConsentClass | None = None
) -> ConsentClass:
    """Return how far a call may be trusted at most: as far as every tool whose work it is, and as it says itself."""
    names = frozenset[str]().union(*acts)
    classes = {spec.consent_class, *(tool.spec.consent_class for tool in tools if tool.name in names)}
    return min(classes | ({at_most} if at_most is not None else set()), key=_CLASSES.index)


def strictest_mode(
    spec: ToolSpec, acts: Collection[Act], tools: Iterable[Tool[Any]], settings: Settings
) -> tuple[ConsentMode, str]:
    """Return when a call asks, and the tool that this was set for.

    Of one act, a mode that refuses or asks every time counts before one that allows, whichever of its names it was set
    for, and one that allows before the usual one. Of several acts, the strictest counts.
    """
    named = frozenset[str]().union(*acts)
    others = {tool.name: tool.spec.mode(settings) for tool in tools if tool.name in named}
    modes = others | {spec.name: spec.mode(settings)}

    def of(act: Act) -> tuple[ConsentMode, str]:
        # The tool itself comes first among those with the same mode: its is the name that the person knows.
        held = [(modes[name], name) for name in sorted(act & modes.keys(), key=lambda name: (name != spec.name, name))]
        wanted = (*_MODES[:2], ConsentMode.ALWAYS_ALLOW, ConsentMode.SESSION_ALLOW)
        return min(held, key=lambda each: wanted.index(each[0]))

    return min((of(act) for act in acts), key=lambda each: _MODES.index(each[0]))


class EnabledTools(NamedTuple):
    """The tools of one caller.

    Attributes:
        chosen: The setting `enabledTools`.
        listed: The names that the caller is shown, as far as there are such tools.
        by_hand: Whether the person has chosen them one by one.
        closed: Whether no other tool may be called than those that are listed, and what they replace.
        in_sets: The tools that are in a named set.
        replaced: By which tools each tool is replaced.
        minimal: The tools that a client with the preset `minimal` can have.
    """

    chosen: frozenset[str]
    listed: frozenset[str]
    by_hand: bool
    closed: bool
    in_sets: frozenset[str]
    replaced: Mapping[str, frozenset[str]]
    minimal: frozenset[str]

    @property
    def everything(self) -> bool:
        """Return whether the caller has all there are, and with them the shape of what they answer."""
        return ALL in self.listed

    def shows(self, spec: ToolSpec) -> bool:
        """Return whether a tool is in the caller's list."""
        if not spec.listed:
            return False
        if spec.own:
            return True
        if spec.name not in self.in_sets:
            return spec.switched or spec.name in self.chosen or ALL in self.chosen
        return self.everything or spec.name in self.listed

    def calls(self, spec: ToolSpec) -> bool:
        """Return whether the caller may call a tool by this name.

        Args:
            spec: The tool that is called.
        """
        if not spec.is_governed or self.shows(spec):
            return True
        if self.by_hand:
            return False
        if self.closed:
            return not self.listed.isdisjoint(self.replaced.get(spec.name, frozenset()))
        return spec.name in self.in_sets

    def missing(self, spec: ToolSpec, params: Any) -> str | None:
        """Return the tool whose work a call would do although the person has left it out of their list; None for none.

        Args:
            spec: The tool that is called, which the caller may call.
            params: Its parameters.
        """
        if not self.by_hand or not spec.is_governed or self.everything:
            return None
        return next((min(act) for act in own_acts(spec, params) if self.listed.isdisjoint(act)), None)


def refusal(name: str, enabled: EnabledTools, caller: Caller) -> PermissionDenied:
    """Return the refusal of a tool that a caller does not have, with the commands by which the user gives it.

    Args:
        name: The tool.
        enabled: What the caller has.
        caller: Who called it.
    """
    client, in_sets = caller.client, name in enabled.in_sets
    narrowed = client.preset == MINIMAL and in_sets and name not in enabled.minimal
    by_setting = not in_sets or enabled.by_hand or not client.preset
    commands: list[list[str]] = []
    if by_setting and name not in enabled.chosen:
        commands.append(["settings", "enable", name])
    if narrowed and client.id == CHAT_ID:
        commands.append(["settings", "set", f"chatTools={AGENT}"])
    elif narrowed:
        commands.append(["clients", "update", client.name or "", "--preset", AGENT])
    own = f" for this client, whose preset is `{MINIMAL}`" if narrowed else ""
    how = f", or with {' and '.join(own_command(*words) for words in commands)}" if commands else ""
    return PermissionDenied(
        f"The tool {name!r} is disabled{own}. The user can enable it in the settings{how}", code="tool_disabled"
    )


def enabled_tools(registry: ToolRegistry, caller: Caller, settings: Settings) -> EnabledTools:
    """Return the tools that a caller has.

    Args:
        registry: All tools.
        caller: The caller.
        settings: What the person has set.
    """
    return _of(tuple(registry.tools(caller)), frozenset(settings.enabled_tools), caller.client.preset or "")


@lru_cache(maxsize=8)  # every call asks, and tools and settings seldom change
def _of(tools: tuple[Tool[Any], ...], chosen: frozenset[str], preset_name: str) -> EnabledTools:
    sets = {name: frozenset(names) for name, names in named_sets(tools).items()}
    in_sets = frozenset(tool.name for tool in tools if tool.spec.presets)
    on_top = frozenset(tool.name for tool in tools) - in_sets
    by_hand = ALL not in chosen and chosen - on_top not in sets.values()
    preset = sets.get(preset_name)
    closed = sets.get(MINIMAL, frozenset())
    minimal = frozenset(tool.name for tool in tools if _within(tool.name, closed, tools))
    listed = chosen
    if preset is not None and not by_hand:
        listed = preset
    elif preset_name == MINIMAL:
        listed &= minimal
    replaced: dict[str, frozenset[str]] = {}
    for tool in tools:
        for name in tool.spec.replaces:
            replaced[name] = replaced.get(name, frozenset()) | {tool.name}
    return EnabledTools(chosen, listed, by_hand, listed - on_top == closed, in_sets, replaced, minimal)


def _within(name: str, preset: frozenset[str], tools: Sequence[Tool[Any]]) -> bool:
    """Return whether a set has a tool, or one that replaces it, or one that it replaces."""
    if name in preset:
        return True
    return any(
        (tool.name == name and not tool.spec.replaces.isdisjoint(preset))
        or (tool.name in preset and name in tool.spec.replaces)
        for tool in tools
    )


def idle_settings(
    patch: Mapping[str, Any], tool: Callable[[str], ToolSpec | None], near: Callable[[str], Sequence[str]]
) -> list[str]:
    """Return a sentence for each value of a patch of settings that cannot act, in the order of the patch.

    Args:
        patch: What was set, by the settings' keys; it has been accepted.
        tool: Returns the tool of a name; None where there is none.
        near: Returns the names of tools that resemble one, best first.
    """
    return [sentence for key, value in patch.items() for sentence in _idle(key, value, tool, near)]


def _idle(
    key: str, value: Any, tool: Callable[[str], ToolSpec | None], near: Callable[[str], Sequence[str]]
) -> Iterator[str]:
    if key == "enabledTools":
        named: dict[str, Any] = {name: True for name in value or () if name != "*"}
    elif key in {"consentMode", "rateLimits"}:
        named = {name: one for name, one in (value or {}).items() if one is not None}
    else:
        return
    for name, one in named.items():
        spec = tool(name)
        if spec is None:
            hint = near(name)
            yield f"{key}: there is no tool {name[:LONGEST_NAME]!r}" + (f"; did you mean {hint[0]!r}?" if hint else "")
        elif key == "consentMode" and ConsentMode(one) not in spec.modes:
            yield from _idle_mode(spec, ConsentMode(one))


def _idle_mode(spec: ToolSpec, mode: ConsentMode) -> Iterator[str]:
    """Yield a sentence about a mode that the tool's class does not give it."""
    if mode is ConsentMode.ALWAYS_ALLOW:
        yield f"consentMode: {spec.name} asks all the same; {mode.value!r} is for tools that only read"
    elif mode is ConsentMode.SESSION_ALLOW:
        yield f"consentMode: {spec.name} asks as with 'always_ask'; your answer says for how long it holds"
