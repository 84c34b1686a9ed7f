"""The form in which a conversation is sent to a model, and in which a model without functions asks for calls.

A server cuts what is too long without a word, the descriptions of the tools first. So everything is measured before
it is sent, and what is left out is chosen here. The conversation itself stays whole.

A model that knows no functions writes `{"toolname": …, "arguments": {…}}` somewhere in a reply, which comes in pieces
that may end anywhere. `CallReader` passes on what is text as soon as it cannot be part of a call, and keeps what may be
one, with the fence around it, until it knows.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import orjson

from bridge.contract.chat import ChatMessage, ChatToolCall

BYTES_A_TOKEN: Final = 3
"""A token has about four bytes of English or JSON, and three of other scripts; counting too many does no harm."""
FOR_A_MESSAGE: Final = 12
"""Tokens that each message takes besides its text."""
SMALLEST_REPLY: Final = 512
LARGEST_REPLY: Final = 16_384
"""Tokens that are kept free for a reply."""
LEAST_ROOM: Final = 1_024
"""Tokens that have to be left for the conversation, beside the tools and the reply."""
_KEPT_OF_RESULT: Final = 400
"""Characters that stay of a result which is shortened."""
_SHORTEST_RESULT: Final = 2_000
_ASKED: Final = 200
"""Characters of an earlier question that are repeated where its turn is left out."""
_MOST_ASKED: Final = 20

SHORTENED: Final = "\n[The rest of this result was left out to save room. Call the tool again if you need it.]"


@dataclass(frozen=True, slots=True)
class Fitted:
    """The messages to send.

    Attributes:
        messages: The messages, in the form of Ollama's API.
        shortened: Results that are not whole.
        left_out: Earlier turns that are not sent.
        fits: Whether it has room; else the last message alone is too long.
    """

    messages: tuple[dict[str, Any], ...]
    shortened: int = 0
    left_out: int = 0
    fits: bool = True


def count_tokens(value: Any) -> int:
    """Return about how many tokens a text, or the JSON of a value, has; rather too many than too few."""
    size = len(value.encode("utf-8", "surrogatepass")) if isinstance(value, str) else len(orjson.dumps(value))
    return -(-size // BYTES_A_TOKEN)


def reply_room(context: int) -> int:
    """Return how many tokens are kept free for a reply."""
    return max(SMALLEST_REPLY, min(LARGEST_REPLY, context // 4))


def fit(system: str, history: Sequence[ChatMessage], room: int, *, native: bool) -> Fitted:
    """Return the messages to send.

    The results of earlier turns are shortened first, then those of this turn but for the last; then the earliest turns
    are left out. Then the last results are cut to what is left.

    Args:
        system: What the model is told before all.
        history: The conversation; its last turn begins with the last message of the person's.
        room: Tokens that all of it may have.
        native: Whether the model knows functions; else calls and results are text.
    """
    turns = _turns(history)
    if not turns:
        return Fitted((_system(system, ()),))
    sizes = [[_size(message, native=native) for message in turn] for turn in turns]
    total = _head(system, ()) + sum(map(sum, sizes))
    shortened = 0
    for at, turn in enumerate(turns):
        keep_from = _last_results(turn) if at == len(turns) - 1 else len(turn)
        for place, message in enumerate(turn[:keep_from]):
            if total <= room:
                break
            if message.role == "tool" and len(message.text) > _SHORTEST_RESULT:
                turn[place] = _short(message, _KEPT_OF_RESULT)
                total += _size(turn[place], native=native) - sizes[at][place]
                sizes[at][place] = _size(turn[place], native=native)
                shortened += 1
    asked: list[str] = []
    while total > room and len(turns) > 1:
        before = _head(system, asked)
        asked.append(turns.pop(0)[0].text)
        total += _head(system, asked) - before - sum(sizes.pop(0))
    if total > room:
        cut, total = _cut_results(turns[-1], total, room, native=native)
        shortened += cut
    messages = [_to_ollama(message, native=native) for turn in turns for message in turn]
    return Fitted((_system(system, asked), *messages), shortened, len(asked), total <= room)


def _turns(history: Sequence[ChatMessage]) -> list[list[ChatMessage]]:
    """Return the messages that a model gets, by turns: each begins with what the person says."""
    turns: list[list[ChatMessage]] = []
    for message in history:
        if message.role == "notice":
            continue
        if message.role == "user":
            turns.append([message])
        elif turns:
            turns[-1].append(message)
    return turns


def _last_results(turn: Sequence[ChatMessage]) -> int:
    """Return where the results begin that the model has not seen yet."""
    at = len(turn)
    while at > 0 and turn[at - 1].role == "tool":
        at -= 1
    return at


def _cut_results(turn: list[ChatMessage], total: int, room: int, *, native: bool) -> tuple[int, int]:
    """Cut the last results, all to the same length. Returns how many were cut, and the tokens of everything then."""
    whole = {at: turn[at] for at in range(_last_results(turn), len(turn)) if len(turn[at].text) > _KEPT_OF_RESULT}
    if not whole:
        return 0, total
    rest = total - sum(_size(message, native=native) for message in whole.values())
    each = max(_KEPT_OF_RESULT, (room - rest) * BYTES_A_TOKEN // len(whole))
    while True:
        for at, message in whole.items():
            text = message.text.encode("utf-8", "ignore")
            turn[at] = message if len(text) <= each else _short(message, 0, text[:each].decode("utf-8", "ignore"))
        total = rest + sum(_size(turn[at], native=native) for at in whole)
        if total <= room or each <= _KEPT_OF_RESULT:
            return sum(turn[at] is not message for at, message in whole.items()), total
        each = max(_KEPT_OF_RESULT, each * 9 // 10)  # what is escaped in JSON is longer there


def _short(message: ChatMessage, kept: int, text: str | None = None) -> ChatMessage:
    return message.model_copy(update={"text": (message.text[:kept] if text is None else text) + SHORTENED})


def _size(message: ChatMessage, *, native: bool) -> int:
    return FOR_A_MESSAGE + count_tokens(_to_ollama(message, native=native))


def _head(system: str, asked: Sequence[str]) -> int:
    """Return the tokens of what stands before the conversation."""
    return FOR_A_MESSAGE + count_tokens(_system(system, asked))


def _system(text: str, asked: Sequence[str]) -> dict[str, Any]:
    if asked:
        lines = "\n".join(f"- {' '.join(one.split())[:_ASKED]}" for one in asked[-_MOST_ASKED:])
        text += f"\n\nEarlier parts of this conversation were left out to save room. The user then said:\n{lines}"
    return {"role": "system", "content": text}


def _to_ollama(message: ChatMessage, *, native: bool) -> dict[str, Any]:
    """Return a message in the form of Ollama's API. Text, thinking and calls all go back."""
    if not native:
        return _as_text(message)
    sent: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.thinking:
        sent["thinking"] = message.thinking
    if message.calls:
        sent["tool_calls"] = [
            {"id": call.call_id, "function": {"index": at, "name": call.tool, "arguments": call.arguments}}
            for at, call in enumerate(message.calls)
        ]
    if message.role == "tool":
        sent |= {"tool_call_id": message.call_id, "tool_name": message.tool}
    return sent


def _as_text(message: ChatMessage) -> dict[str, Any]:
    """Return the same for a model without functions: its calls as it wrote them, results as a message of the user's."""
    if message.role == "tool":
        return {"role": "user", "content": f"Result of {message.tool}:\n{message.text}"}
    calls = [orjson.dumps({"toolname": call.tool, "arguments": call.arguments}).decode() for call in message.calls]
    return {"role": message.role, "content": "\n".join(filter(None, [message.text, *calls]))}


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


def describe_tools(descriptions: str) -> str:
    """Return the instructions about its tools for a model without functions.

    Args:
        descriptions: The tools as text (`toolkit/schema.py`, form `text`).
    """
    return f"{HOW_TO_CALL}\n\nThe tools:\n\n{descriptions}"


class CallReader:
    """The reader of one reply.

    Attributes:
        calls: The calls found so far, in order; of one that could not be read the tool is empty.
    """

    def __init__(self) -> None:
        self.calls: list[ChatToolCall] = []
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
            self._found(fault="The call is not complete: the JSON object has no end")
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
                self._found(fault=f"The call is longer than {MOST_IN_A_CALL:,} characters")
                self._inside, self._held, self._fenced = None, "", False
            return False
        self._read_json(self._held[:end])
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

    def _read_json(self, text: str) -> None:
        try:
            read = json.loads(text, strict=False)  # models write line breaks into strings as they are
        except (ValueError, RecursionError):
            self._found(fault="The call is no JSON. Write it again as one JSON object, with quotes escaped")
            return
        if not isinstance(read, dict) or not isinstance(read.get(_NAME), str):
            self._found(fault='The call names no tool: "toolname" has to be the name of one')
        elif not isinstance(arguments := read.get("arguments", {}), dict):
            self._found(read[_NAME], fault='"arguments" has to be a JSON object')
        else:
            self._found(read[_NAME], arguments=arguments)

    def _found(self, tool: str = "", **more: Any) -> None:
        self.calls.append(ChatToolCall(call_id=f"call_{len(self.calls) + 1}", tool=tool, **more))


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


def _may_begin(text: str) -> int:
    """Return where at the end of a text a call may begin; the length of the text where none does."""
    for at in range(max(0, len(text) - _LONGEST_BEGINNING), len(text)):
        if text[at] in "{`" and _BEGINNING.fullmatch(text, at):
            return at
    return len(text)
