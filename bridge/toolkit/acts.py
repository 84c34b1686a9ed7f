"""What a call does, by the names of the tools whose work it is.

Some tools do the work of several others: `edit` that of `edit_file`, `modify_note` and `update_note`. What people said
about one name of a thing holds for it under the other name too. So a call is resolved to its acts, each with the names
of all tools that could do it, and the rules judge those: a denial of any name binds, an allow must be for one of the
names of each act, and the strictest class and mode count.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from bridge.contract.consent import ConsentClass, ConsentMode, Operation
from bridge.settings.model import Settings
from bridge.toolkit.tool import Tool, ToolSpec

Act = frozenset[str]
"""The names of the tools that could do one thing."""

_CLASSES = (ConsentClass.NEVER, ConsentClass.SESSION, ConsentClass.ALWAYS)
_MODES = (ConsentMode.NEVER_ALLOW, ConsentMode.ALWAYS_ASK, ConsentMode.SESSION_ALLOW, ConsentMode.ALWAYS_ALLOW)
"""Strictest first."""


def own_acts(spec: ToolSpec, params: Any, paths: Sequence[str] = ()) -> tuple[Act, ...]:
    """What a call does, by the names of the tools whose work that is.

    Args:
        spec: The tool that is called.
        params: With what; None where that is not known, and then it is the tool's own work.
        paths: What it is about, as it is called in the vault.
    """
    acts = () if spec.acts is None or params is None else tuple(dict.fromkeys(spec.acts(params, paths)))
    return acts or (frozenset({spec.name}),)


def acts_of(
    spec: ToolSpec, params: Any, paths: Sequence[str], operation: Operation, tools: Iterable[Tool[Any]]
) -> tuple[Act, ...]:
    """What a call does, each act by the names of all tools that could do it.

    Args:
        spec: The tool that is called.
        params: With what.
        paths: What it is about.
        operation: What the call does to the world. A tool that replaces the one that is called stands for it where it
            does the same: `edit` for what `write_file` overwrites, `create_note` for what it creates.
        tools: All tools there are.
    """
    others = {tool.name for tool in tools if spec.name in tool.spec.replaces and tool.spec.operation is operation}
    return tuple(act | {spec.name} | others for act in own_acts(spec, params, paths))


def strictest_class(
    spec: ToolSpec, acts: Iterable[Act], tools: Iterable[Tool[Any]], at_most: ConsentClass | None = None
) -> ConsentClass:
    """How far a call may be trusted at most: as far as every tool whose work it is, and as it says itself."""
    names = frozenset[str]().union(*acts)
    classes = {spec.consent_class, *(tool.spec.consent_class for tool in tools if tool.name in names)}
    return min(classes | ({at_most} if at_most is not None else set()), key=_CLASSES.index)


def strictest_mode(
    spec: ToolSpec, acts: Collection[Act], tools: Iterable[Tool[Any]], settings: Settings
) -> tuple[ConsentMode, str]:
    """When a call asks, and the tool that this was set for.

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
