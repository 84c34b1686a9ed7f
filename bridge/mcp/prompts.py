"""The instructions for a client that connects (`instructions.toml`), and prompts for common work (`prompts.toml`)."""

import tomllib
from collections.abc import Collection, Mapping
from importlib.resources import files
from typing import Any, Final

_HERE: Final = files(__package__)
_TOLD: Final[dict[str, Any]] = tomllib.loads((_HERE / "instructions.toml").read_text("utf-8"))
PROMPTS: Final[dict[str, dict[str, Any]]] = tomllib.loads((_HERE / "prompts.toml").read_text("utf-8"))
"""By name, in the order of the list: `title`, `text`, and what each of the `arguments` stands for."""


def instructions(tools: Collection[Mapping[str, Any]], *, sent_back: bool = False) -> str:
    """Return what a client's model is told with every conversation. It names no tool that the client is not shown.

    Args:
        tools: The tools that the client is shown, as MCP lists them.
        sent_back: Whether the person has sent a draft of its back.
    """
    shown = {tool["name"] for tool in tools}
    hints = [tool["annotations"] for tool in tools]
    changes = any(not hint["readOnlyHint"] and not hint["openWorldHint"] for hint in hints)
    holds, told = {"changes": changes, "sent_back": sent_back}, [f"{_TOLD['intro']}\n"]
    for sentence in _TOLD["sentences"]:
        named = sentence.get("tools", ())
        tool = next((name for name in named if name in shown), "")
        if (tool or not named) and holds.get(sentence.get("when"), True):
            told.append(sentence["text"].replace("{tool}", tool))
    return "\n- ".join(told) + "\n"


def listed(name: str, prompt: dict[str, Any]) -> dict[str, Any]:
    """Return a prompt as `prompts/list` has it."""
    arguments = [{"name": key, "description": what, "required": True} for key, what in prompt["arguments"].items()]
    return {"name": name, "title": prompt["title"], "description": prompt["title"], "arguments": arguments}
