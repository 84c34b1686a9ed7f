"""The choice of the kind of an effect that a tool has prepared."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from bridge.toolkit.effects.answering import Answering
from bridge.toolkit.effects.chaining import Chaining
from bridge.toolkit.effects.kind import EffectKind
from bridge.toolkit.effects.tool_run import Reading, Requesting
from bridge.toolkit.effects.writing import Writing, WritingByCaller
from bridge.toolkit.tool import ChainEffect, Effect, ReadEffect, RequestEffect, Tool, Unchanged, WriteTool
from bridge.vault.plan import ChangePlan

_KINDS: Final[Mapping[type, Callable[[Any], EffectKind]]] = {
    ReadEffect: Reading,
    RequestEffect: Requesting,
    Unchanged: Answering,
    ChainEffect: Chaining,
}


def kind_of(tool: Tool[Any], effect: Effect) -> EffectKind:
    """Return what a tool has prepared as the pipeline handles it.

    Args:
        tool: The tool. A change plan of a tool that is no `WriteTool` is made by its caller.
        effect: What `prepare` has returned. An `EffectKind` stays what it is.
    """
    if isinstance(effect, EffectKind):
        return effect
    if isinstance(effect, ChangePlan):
        return Writing(effect) if isinstance(tool, WriteTool) else WritingByCaller(effect)
    return _KINDS[type(effect)](effect)
