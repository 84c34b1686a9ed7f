"""Which tools one caller has: by the setting `enabledTools`, and by the preset of a client with a name.

A client's preset takes the place of `enabledTools` where that is one of the named sets. What a set lists is for the
model's context; a client may call every tool of any set, listed or not. Only the set `minimal` allows no more than it
lists: whoever has it may find and read. A list that the person made by hand stands: `minimal` can narrow it, and
nothing comes back that is not in it, under any name. A tool that is in no named set (of the web, of another server,
the user's own) comes on top, where `enabledTools` has it or a setting of its own has switched it on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from bridge.errors import PermissionDenied
from bridge.identity.caller import CHAT_ID, Caller
from bridge.own_commands import own_command
from bridge.settings.model import Settings
from bridge.toolkit.acts import own_acts
from bridge.toolkit.registry import ALL, ToolRegistry, named_sets
from bridge.toolkit.tool import AGENT, MINIMAL, Tool, ToolSpec


@dataclass(frozen=True, slots=True)
class EnabledTools:
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
        """Whether the caller has all there are, and with them the shape of what they answer."""
        return ALL in self.listed

    def shows(self, spec: ToolSpec) -> bool:
        """Whether a tool is in the caller's list."""
        if not spec.listed:
            return False
        if spec.own:
            return True
        if spec.name not in self.in_sets:
            return spec.is_enabled(self.settings)
        return self.everything or spec.name in self.listed

    def calls(self, spec: ToolSpec) -> bool:
        """Whether the caller may call a tool by this name.

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
        """The tool whose work a call would do although the person has left it out of their list; None for none.

        Args:
            spec: The tool that is called, which the caller may call.
            params: With what.
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
    """The tools that a caller has.

    Args:
        registry: All tools.
        caller: Whose.
        settings: What the person has set.
    """
    tools = tuple(registry.tools(caller))
    return EnabledTools(settings, *_of(tools, frozenset(settings.enabled_tools), caller.client.preset or ""))


class _Facts(NamedTuple):
    """What follows from which tools there are, and from what is enabled; see `EnabledTools`."""

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
    """Whether a set has a tool, or one that replaces it, or one that it replaces."""
    if name in preset:
        return True
    return any(
        (tool.name == name and not tool.spec.replaces.isdisjoint(preset))
        or (tool.name in preset and name in tool.spec.replaces)
        for tool in tools
    )
