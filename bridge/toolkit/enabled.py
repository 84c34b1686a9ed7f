"""The tools of one caller: by the setting `enabledTools`, and by the preset of a client with a name.

A client's preset takes the place of `enabledTools` where that is one of the named sets. What a set lists is for the
model's context; a client may call every tool of any set, listed or not. Only the set `minimal` allows no more than it
lists: whoever has it may find and read. A list that the person made by hand stands: `minimal` can narrow it, and
nothing comes back that is not in it, under any name. A tool that is in no named set (of the web, of another server,
the user's own) comes on top, where `enabledTools` has it or a setting of its own has switched it on.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from bridge.contract.consent import ConsentClass, ConsentMode, Operation
from bridge.errors import PermissionDenied
from bridge.identity.caller import CHAT_ID, Caller
from bridge.own_commands import own_command
from bridge.settings.model import Settings
from bridge.toolkit.registry import ALL, ToolRegistry, named_sets
from bridge.toolkit.tool import AGENT, MINIMAL, Tool, ToolSpec

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
        settings: What the person has set.
        listed: The names that the caller is shown, as far as there are such tools.
        by_hand: Whether the person has chosen them one by one.
        closed: Whether no other tool may be called than those that are listed, and what they replace.
        in_sets: The tools that are in a named set.
        replaced: By which tools each tool is replaced.
        minimal: The tools that a client with the preset `minimal` can have.
    """

    settings: Settings
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
            return spec.is_enabled(self.settings)
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
    if by_setting and name not in enabled.settings.enabled_tools:
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
    tools = tuple(registry.tools(caller))
    return EnabledTools(settings, *_of(tools, frozenset(settings.enabled_tools), caller.client.preset or ""))


class _Facts(NamedTuple):
    """The facts that follow from the tools there are and from what is enabled; see `EnabledTools`."""

    listed: frozenset[str]
    by_hand: bool
    closed: bool
    in_sets: frozenset[str]
    replaced: Mapping[str, frozenset[str]]
    minimal: frozenset[str]


@lru_cache(maxsize=8)  # every call asks, and tools and settings seldom change
def _of(tools: tuple[Tool[Any], ...], listed: frozenset[str], preset_name: str) -> _Facts:
    sets = {name: frozenset(names) for name, names in named_sets(tools).items()}
    in_sets = frozenset(tool.name for tool in tools if tool.spec.presets)
    on_top = frozenset(tool.name for tool in tools) - in_sets
    by_hand = ALL not in listed and listed - on_top not in sets.values()
    preset = sets.get(preset_name)
    closed = sets.get(MINIMAL, frozenset())
    minimal = frozenset(tool.name for tool in tools if _within(tool.name, closed, tools))
    if preset is not None and not by_hand:
        listed = preset
    elif preset_name == MINIMAL:
        listed &= minimal
    return _Facts(listed, by_hand, listed - on_top == closed, in_sets, _replaced(tools), minimal)


def _replaced(tools: Sequence[Tool[Any]]) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for tool in tools:
        for name in tool.spec.replaces:
            found[name] = found.get(name, frozenset()) | {tool.name}
    return found


def _within(name: str, preset: frozenset[str], tools: Sequence[Tool[Any]]) -> bool:
    """Return whether a set has a tool, or one that replaces it, or one that it replaces."""
    if name in preset:
        return True
    return any(
        (tool.name == name and not tool.spec.replaces.isdisjoint(preset))
        or (tool.name in preset and name in tool.spec.replaces)
        for tool in tools
    )
