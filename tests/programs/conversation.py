"""What a model is asked and what it answers, without the form in which an API of a provider has it."""

import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any



@dataclass(frozen=True, slots=True)
class Offered:
    """A tool that a program offers its model.

    Attributes:
        name: The name by which it is called.
        definition: All that the model is told of it.
        namespace: The namespace that the name is in, where the API has namespaces.
        kind: What the API calls its kind: `function`, or `custom` for one that takes a text.
    """

    name: str
    definition: dict[str, Any]
    namespace: str | None = None
    kind: str = "function"

    @property
    def is_ours(self) -> bool:
        """Whether it comes from the server `vault-bridge`."""
        return "vault" in (self.namespace or self.name)


@dataclass(frozen=True, slots=True)
class Call:
    """A call that the model makes.

    Attributes:
        tool: The tool's own name; of one of the program's, the name that the program offers.
        arguments: Its arguments, or the text that a tool of the kind `custom` takes.
        own: Whether it is a tool of the program and not of the server.
    """

    tool: str
    arguments: dict[str, Any] | str
    own: bool = False


def ours(tool: str, **arguments: Any) -> Call:
    """A call of one of the vault's tools."""
    return Call(tool, arguments)


def own(tool: str, text: str | None = None, **arguments: Any) -> Call:
    """A call of a tool that the program itself has."""
    return Call(tool, arguments if text is None else text, own=True)


def find(*tools: str) -> Call:
    """A search of Claude Code for tools of the vault by their names."""
    query = "select:" + ",".join(f"mcp__vault-bridge__{tool}" for tool in tools)
    return own("ToolSearch", query=query, max_results=len(tools))


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model is shown as the answer to a call.

    Attributes:
        text: All of it as text.
        raw: As the API has it.
        failed: Whether the API says that the call failed; None where it has no such field.
    """

    text: str
    raw: Any
    failed: bool | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """One request to the model.

    Attributes:
        number: How many times the model has called tools before, in this conversation. A request that is sent again
            has the same number.
        offered: The tools.
        answers: What it is shown as the answers to its last calls.
        body: The request as it came.
    """

    number: int
    offered: tuple[Offered, ...]
    answers: tuple[Answer, ...]
    body: dict[str, Any]

    @property
    def ours(self) -> tuple[str, ...]:
        """The names of the vault's tools among those offered, as the server calls them."""
        return tuple(own_name(tool) for tool in self.offered if tool.is_ours)

    def find(self, call: Call) -> Offered | None:
        """The tool that a call means; None when it is not offered."""
        if call.own:
            return next((tool for tool in self.offered if tool.name == call.tool), None)
        return next((tool for tool in self.offered if tool.is_ours and own_name(tool) == call.tool), None)

    def mentions(self, text: str) -> bool:
        """Whether a text stands anywhere in the request."""
        return text in json.dumps(self.body, ensure_ascii=False)


Said = str | Call | tuple[Call, ...]
"""What the model says: a text, which ends its work, or calls."""
Step = Said | Callable[[Turn], Awaitable[Said]]
"""What the model says at its turn, or what finds that out."""


def own_name(tool: Offered) -> str:
    """The name that the server gave a tool, without what the program puts before it."""
    if tool.namespace is not None:
        return tool.name
    return re.sub(r"^.*?vault[-_]bridge(?:__|[-_.])", "", tool.name)
