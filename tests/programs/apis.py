"""The APIs in which programs ask a model: what a request says, and an answer as a stream.

One class for each of Anthropic's Messages, OpenAI's Responses and Chat Completions, and Gemini's API.
"""

import itertools
import json
from collections.abc import Iterator, Sequence
from typing import Any, Final, Protocol

from tests.programs.conversation import Answer, Call, Offered, Said, Turn

Event = dict[str, Any]
_NUMBERS: Final = itertools.count(1)


class Api(Protocol):
    """One API."""

    path: str
    """What the path of its requests ends with, before the query."""
    names_events: bool
    """Whether each event of a stream is named by its type."""

    def turn(self, body: dict[str, Any]) -> Turn:
        """Return what a request says."""

    def answer(self, turn: Turn, said: Said) -> tuple[Event, list[Event]]:
        """Return an answer, as one object and as the events of a stream."""


class Messages:
    """Anthropic's Messages."""

    path, names_events = "/messages", True

    def turn(self, body: dict[str, Any]) -> Turn:
        """Return what a request says."""
        number, answers = 0, list[Answer]()
        for message in body["messages"]:
            blocks = message["content"] if isinstance(message["content"], list) else []
            number += any(block["type"] == "tool_use" for block in blocks)
            found = [block for block in blocks if block["type"] == "tool_result"]
            if found:
                answers = [Answer(_text(one.get("content")), one, one.get("is_error", False)) for one in found]
        offered = tuple(Offered(tool["name"], tool) for tool in body.get("tools", ()))
        return Turn(number, offered, tuple(answers), body)

    def answer(self, turn: Turn, said: Said) -> tuple[Event, list[Event]]:
        """Return an answer, as one object and as the events of a stream."""
        blocks: list[Event] = (
            [{"type": "text", "text": said}]
            if isinstance(said, str)
            else [
                {"type": "tool_use", "id": f"toolu_{next(_NUMBERS)}", "name": _named(turn, call), "input": call.arguments}
                for call in _calls(said)
            ]
        )
        stop = "end_turn" if isinstance(said, str) else "tool_use"
        usage = {"input_tokens": 10, "output_tokens": 5, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
        about: Event = {"id": f"msg_{next(_NUMBERS)}", "type": "message", "role": "assistant", "stop_sequence": None}
        about |= {"model": turn.body.get("model"), "usage": usage}
        events: list[Event] = [{"type": "message_start", "message": {**about, "content": [], "stop_reason": None}}]
        for index, block in enumerate(blocks):
            if block["type"] == "text":
                empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
            else:
                empty = {**block, "input": {}}
                delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            events.append({"type": "content_block_start", "index": index, "content_block": empty})
            events.append({"type": "content_block_delta", "index": index, "delta": delta})
            events.append({"type": "content_block_stop", "index": index})
        ending = {"stop_reason": stop, "stop_sequence": None}
        events.append({"type": "message_delta", "delta": ending, "usage": {"output_tokens": 5}})
        events.append({"type": "message_stop"})
        return {**about, "content": blocks, "stop_reason": stop}, events


class Responses:
    """OpenAI's Responses."""

    path, names_events = "/responses", True

    def turn(self, body: dict[str, Any]) -> Turn:
        """Return what a request says. Calls that follow each other are one turn's."""
        items = body["input"] if isinstance(body["input"], list) else []
        number, before, answers = 0, False, list[Answer]()
        for item in items:
            kind = item.get("type", "message")
            called = kind in {"function_call", "custom_tool_call"}
            if called and not before:
                number, answers = number + 1, []
            if kind in {"function_call_output", "custom_tool_call_output"}:
                answers.append(Answer(_text(item["output"]), item))
            before = called
        late = [tool for item in items if item.get("type") == "additional_tools" for tool in item["tools"]]
        return Turn(number, tuple(_flat([*body.get("tools", ()), *late])), tuple(answers), body)

    def answer(self, turn: Turn, said: Said) -> tuple[Event, list[Event]]:
        """Return an answer, as one object and as the events of a stream."""
        if isinstance(said, str):
            content = [{"type": "output_text", "text": said, "annotations": []}]
            items: list[Event] = [{"type": "message", "id": f"m{next(_NUMBERS)}", "role": "assistant", "content": content}]
        else:
            items = [self._item(turn, call) for call in _calls(said)]
        usage = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
        usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        whole: Event = {"id": f"resp_{next(_NUMBERS)}", "object": "response", "created_at": 0, "status": "completed"}
        whole |= {"model": turn.body.get("model"), "output": items, "tools": [], "usage": usage}
        begun = {**whole, "status": "in_progress", "output": [], "usage": None}
        events: list[Event] = [{"type": "response.created", "response": begun}]
        for index, item in enumerate(items):
            events.append({"type": "response.output_item.added", "output_index": index, "item": item})
            events.append({"type": "response.output_item.done", "output_index": index, "item": item})
        events.append({"type": "response.completed", "response": whole})
        return whole, [{**event, "sequence_number": number} for number, event in enumerate(events)]

    def _item(self, turn: Turn, call: Call) -> Event:
        tool = turn.find(call) or Offered(call.tool, {})
        about = {"id": f"c{next(_NUMBERS)}", "call_id": f"call_{next(_NUMBERS)}", "name": tool.name}
        if isinstance(call.arguments, str):
            return {"type": "custom_tool_call", **about, "input": call.arguments, "status": "completed"}
        space = {"namespace": tool.namespace} if tool.namespace else {}
        arguments = json.dumps(call.arguments)
        return {"type": "function_call", **about, **space, "arguments": arguments, "status": "completed"}


class ChatCompletions:
    """OpenAI's Chat Completions."""

    path, names_events = "/chat/completions", False

    def turn(self, body: dict[str, Any]) -> Turn:
        """Return what a request says."""
        number, answers = 0, list[Answer]()
        for message in body["messages"]:
            if message["role"] == "assistant" and message.get("tool_calls"):
                number, answers = number + 1, []
            if message["role"] == "tool":
                answers.append(Answer(_text(message["content"]), message))
        offered = tuple(Offered(tool["function"]["name"], tool["function"]) for tool in body.get("tools", ()))
        return Turn(number, offered, tuple(answers), body)

    def answer(self, turn: Turn, said: Said) -> tuple[Event, list[Event]]:
        """Return an answer, as one object and as the events of a stream."""
        message: Event = {"role": "assistant", "content": said if isinstance(said, str) else None}
        if not isinstance(said, str):
            message["tool_calls"] = [
                {
                    "index": index,
                    "id": f"call_{next(_NUMBERS)}",
                    "type": "function",
                    "function": {"name": _named(turn, call), "arguments": json.dumps(call.arguments)},
                }
                for index, call in enumerate(_calls(said))
            ]
        reason = "stop" if isinstance(said, str) else "tool_calls"
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        about = {"id": f"chat{next(_NUMBERS)}", "created": 0, "model": turn.body.get("model")}
        chunk = {**about, "object": "chat.completion.chunk"}
        events: list[Event] = [
            {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
            {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage},
        ]
        choice = {"index": 0, "message": message, "finish_reason": reason}
        return {**about, "object": "chat.completion", "choices": [choice], "usage": usage}, events


class Gemini:
    """Gemini's API."""

    path, names_events = "enerateContent", False

    def turn(self, body: dict[str, Any]) -> Turn:
        """Return what a request says."""
        number, answers = 0, list[Answer]()
        for content in body["contents"]:
            number += content.get("role") == "model" and any("functionCall" in part for part in content["parts"])
            found = [part["functionResponse"]["response"] for part in content["parts"] if "functionResponse" in part]
            if found:
                answers = [Answer(_text(one.get("output", one)), one, "error" in one) for one in found]
        declared = [one for tool in body.get("tools", ()) for one in tool.get("functionDeclarations", ())]
        return Turn(number, tuple(Offered(one["name"], one) for one in declared), tuple(answers), body)

    def answer(self, turn: Turn, said: Said) -> tuple[Event, list[Event]]:
        """Return an answer, as one object and as the events of a stream."""
        parts: list[Event] = (
            [{"text": said}]
            if isinstance(said, str)
            else [{"functionCall": {"name": _named(turn, call), "args": call.arguments}} for call in _calls(said)]
        )
        usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
        candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
        whole: Event = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted"}
        return whole, [whole]


APIS: Final[tuple[Api, ...]] = (Messages(), Responses(), ChatCompletions(), Gemini())


def _calls(said: Call | tuple[Call, ...]) -> tuple[Call, ...]:
    return (said,) if isinstance(said, Call) else said


def _named(turn: Turn, call: Call) -> str:
    """The name by which this program's model calls a tool; of one that is not offered, as it was given."""
    tool = turn.find(call)
    return call.tool if tool is None else tool.name


def _text(content: Any) -> str:
    """All text of an answer: a string, or a list of parts; anything else as JSON."""
    if isinstance(content, str):
        return content
    if isinstance(content, list) and all(isinstance(part, dict) and "text" in part for part in content):
        return "\n".join(part["text"] for part in content)
    return json.dumps(content, ensure_ascii=False)


def _flat(tools: Sequence[dict[str, Any]]) -> Iterator[Offered]:
    """Tools, and those in namespaces."""
    for tool in tools:
        kind = tool.get("type", "function")
        if kind == "namespace":
            for inner in tool["tools"]:
                yield Offered(inner["name"], inner, tool["name"], inner.get("type", "function"))
        else:
            yield Offered(tool.get("name", kind), tool, None, kind)
