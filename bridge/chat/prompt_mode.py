"""Calls in plain text, for models that know no functions: `{"toolname": …, "arguments": {…}}` somewhere in a reply.

A reply comes in pieces that may end anywhere. `CallReader` passes on what is text as soon as it cannot be part of a
call, and keeps what may be one, with the fence around it, until it knows.
"""

import json
import re
from dataclasses import dataclass, field
from typing import Any, Final

MOST_IN_A_CALL: Final = 1_000_000
"""Characters of a call; what goes on longer is none."""

_NAME: Final = "toolname"
_FENCE: Final = r"```[A-Za-z_-]{0,20}\s{0,20}"
_KEYS: Final = ('"toolname"', '"arguments"')
_START: Final = re.compile(rf"(?:{_FENCE})?\{{\s{{0,40}}(?:{'|'.join(_KEYS)})\s{{0,20}}:")
"""The beginning of a call, with the fence around it."""
_PREFIXES: Final = "|".join(key[:length] for key in _KEYS for length in range(1, len(key)))
_OBJECT: Final = rf"\{{\s{{0,40}}(?:{_PREFIXES}|(?:{'|'.join(_KEYS)})\s{{0,20}})?"
_BEGINNING: Final = re.compile(rf"`{{1,2}}|{_FENCE}(?:{_OBJECT})?|{_OBJECT}")
"""Text that may turn out to be the beginning of a call."""
_LONGEST_BEGINNING: Final = 150
"""More characters than the beginning of a call can have."""
_BETWEEN: Final = " \t\r\n,"
"""The characters that may stand between two calls in one fence."""

HOW_TO_CALL: Final = """To use a tool, write a JSON object of this form, and nothing after it:
{"toolname": "NAME", "arguments": {"PARAMETER": VALUE}}
The result comes in the next message. You can use several tools in one reply, one object each. Use no other form, and \
never make up a result. When you need no tool, just answer."""


@dataclass(frozen=True, slots=True)
class FoundCall:
    """A call in a reply.

    Attributes:
        tool: The tool's name; empty where it could not be read.
        arguments: Its arguments.
        fault: Why it could not be read; None where it could.
    """

    tool: str
    arguments: dict[str, Any] = field(default_factory=dict)
    fault: str | None = None


def describe_tools(descriptions: str) -> str:
    """Return the instructions about its tools for a model without functions.

    Args:
        descriptions: The tools as text (`toolkit/schema.py`, form `text`).
    """
    return f"{HOW_TO_CALL}\n\nThe tools:\n\n{descriptions}"


class CallReader:
    """The reader of one reply.

    Attributes:
        calls: The calls found so far, in order.
    """

    def __init__(self) -> None:
        self.calls: list[FoundCall] = []
        self._held = ""
        self._fenced = False
        self._inside: _Object | None = None

    def feed(self, piece: str) -> str:
        """Take a piece of the reply.

        Args:
            piece: The piece.

        Returns:
            The text that is no part of a call.
        """
        self._held += piece
        return self._read(ended=False)

    def end(self) -> str:
        """Return what is left of the text once the reply has ended."""
        shown = self._read(ended=True)
        if self._inside is not None:
            self.calls.append(FoundCall("", fault="The call is not complete: the JSON object has no end"))
            self._inside = None
            self._held = ""
        return shown

    def _read(self, *, ended: bool) -> str:
        shown: list[str] = []
        while self._held:
            if self._inside is not None:
                if not self._read_call():
                    break
            elif self._fenced:
                if not self._read_fence(ended=ended):
                    break
            elif not self._read_text(shown, ended=ended):
                break
        return "".join(shown)

    def _read_text(self, shown: list[str], *, ended: bool) -> bool:
        """Pass on text up to where a call begins, or may begin. Returns whether there is more to read."""
        found = _START.search(self._held)
        if found is not None:
            shown.append(self._held[: found.start()])
            brace = self._held.index("{", found.start())
            self._fenced = "`" in self._held[found.start() : brace]
            self._held = self._held[brace:]
            self._inside = _Object()
            return True
        keep = len(self._held) if ended else _may_begin(self._held)
        shown.append(self._held[:keep])
        self._held = self._held[keep:]
        return False

    def _read_call(self) -> bool:
        """Look for the end of the call that is being read. Returns whether it was there."""
        inside = self._inside
        if inside is None:
            return True
        end = inside.end_in(self._held)
        if end is None:
            if len(self._held) > MOST_IN_A_CALL:
                self.calls.append(FoundCall("", fault=f"The call is longer than {MOST_IN_A_CALL:,} characters"))
                self._inside, self._held, self._fenced = None, "", False
            return False
        self.calls.append(_call(self._held[:end]))
        self._held = self._held[end:]
        self._inside = None
        return True

    def _read_fence(self, *, ended: bool) -> bool:
        """Leave out the end of the fence around a call. Returns whether that is decided."""
        rest = self._held.lstrip(_BETWEEN)
        if rest.startswith("```"):
            self._held, self._fenced = rest[3:], False
            return True
        if _START.match(rest):  # another call in the same fence
            self._held, self._inside = rest, _Object()
            return True
        if not ended and (not rest or _BEGINNING.fullmatch(rest)):
            return False
        self._fenced = False
        return True


class _Object:
    """The search for the end of a JSON object that comes in pieces, each character looked at once."""

    def __init__(self) -> None:
        self._at = 0
        self._depth = 0
        self._in_string = False
        self._escaped = False

    def end_in(self, text: str) -> int | None:
        """Return where the object at the start of `text` ends, which may have grown since last time; None: not yet."""
        for at in range(self._at, len(text)):
            char = text[at]
            if self._in_string:
                if self._escaped:
                    self._escaped = False
                elif char == "\\":
                    self._escaped = True
                elif char == '"':
                    self._in_string = False
            elif char == '"':
                self._in_string = True
            elif char in "{[":
                self._depth += 1
            elif char in "}]":
                self._depth -= 1
                if self._depth <= 0:
                    return at + 1
        self._at = len(text)
        return None


def _call(text: str) -> FoundCall:
    try:
        read = json.loads(text, strict=False)  # models write line breaks into strings as they are
    except (ValueError, RecursionError):
        return FoundCall("", fault="The call is no JSON. Write it again as one JSON object, with quotes escaped")
    if not isinstance(read, dict) or not isinstance(read.get(_NAME), str):
        return FoundCall("", fault='The call names no tool: "toolname" has to be the name of one')
    arguments = read.get("arguments", {})
    if not isinstance(arguments, dict):
        return FoundCall(read[_NAME], fault='"arguments" has to be a JSON object')
    return FoundCall(read[_NAME], arguments)


def _may_begin(text: str) -> int:
    """Return where at the end of a text a call may begin; the length of the text where none does."""
    for at in range(max(0, len(text) - _LONGEST_BEGINNING), len(text)):
        if text[at] in "{`" and _BEGINNING.fullmatch(text, at):
            return at
    return len(text)
