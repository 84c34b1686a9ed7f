"""Warnings, when the settings change, about tools that cannot come about."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from bridge.contract.consent import ConsentMode
from bridge.settings.model import LONGEST_NAME
from bridge.toolkit.tool import ToolSpec


def idle(
    patch: Mapping[str, Any], tool: Callable[[str], ToolSpec | None], near: Callable[[str], Sequence[str]]
) -> list[str]:
    """Return a sentence for each value of a patch that cannot act, in the order of the patch.

    Args:
        patch: What was set, by the settings' keys; it has been accepted.
        tool: Returns the tool of a name; None where there is none.
        near: Returns the names of tools that resemble one, best first.
    """
    return [sentence for key, value in patch.items() for sentence in _about(key, value, tool, near)]


def _about(
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
            yield from _mode(spec, ConsentMode(one))


def _mode(spec: ToolSpec, mode: ConsentMode) -> Iterator[str]:
    """Yield a sentence about a mode that the tool's class does not give it."""
    if mode is ConsentMode.ALWAYS_ALLOW:
        yield f"consentMode: {spec.name} asks all the same; {mode.value!r} is for tools that only read"
    elif mode is ConsentMode.SESSION_ALLOW:
        yield f"consentMode: {spec.name} asks as with 'always_ask'; your answer says for how long it holds"
