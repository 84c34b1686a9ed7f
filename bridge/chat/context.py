"""The part of a conversation that a model is sent: all of it, or as much as its context has room for.

A server cuts what is too long without a word, the descriptions of the tools first. So everything is measured before
it is sent, and what is left out is chosen here. The conversation itself stays whole.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import orjson

from bridge.contract.chat import ChatMessage

BYTES_A_TOKEN: Final = 3
"""Of English and of JSON a token has about four, of other scripts three; to count too many tokens does no harm."""
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
