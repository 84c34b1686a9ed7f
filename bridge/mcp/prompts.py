"""Prompts for common work, from `prompts.toml`, and what every client is told when it connects."""

import tomllib
from importlib.resources import files
from typing import Any, Final

_HERE: Final = files(__package__)
INSTRUCTIONS: Final = (_HERE / "instructions.md").read_text("utf-8")
"""Clients pass it to the model with every conversation, so it is short."""
PROMPTS: Final[dict[str, dict[str, Any]]] = tomllib.loads((_HERE / "prompts.toml").read_text("utf-8"))
"""By name, in the order of the list: `title`, `text`, and what each of the `arguments` stands for."""


def listed(name: str, prompt: dict[str, Any]) -> dict[str, Any]:
    """A prompt as `prompts/list` has it."""
    arguments = [{"name": key, "description": what, "required": True} for key, what in prompt["arguments"].items()]
    return {"name": name, "title": prompt["title"], "description": prompt["title"], "arguments": arguments}
