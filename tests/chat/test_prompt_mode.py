"""Calls in plain text: found wherever they are, however the reply is cut into pieces, and never shown as text."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.chat.context import CallReader
from bridge.contract.chat import ChatToolCall
from tests.chat.conftest import Talk
from tests.chat.ollama_server import END, say, tells

CALL = '{"toolname": "read", "arguments": {"path": "A.md"}}'
READ = ("read", {"path": "A.md"})


Call = tuple[str, dict[str, Any]]


def read(*pieces: str) -> tuple[str, list[Call]]:
    shown, calls = read_all(*pieces)
    assert [call.fault for call in calls] == [None] * len(calls)
    return shown, [(call.tool, call.arguments) for call in calls]


def read_all(*pieces: str) -> tuple[str, list[ChatToolCall]]:
    reader = CallReader()
    shown = "".join(reader.feed(piece) for piece in pieces) + reader.end()
    return shown, reader.calls


@pytest.mark.parametrize(
    ("reply", "shown", "calls"),
    [
        (CALL, "", [READ]),
        (f"Let me look.\n{CALL}", "Let me look.\n", [READ]),
        (f"Let me look.\n```json\n{CALL}\n```\nThen I say.", "Let me look.\n\nThen I say.", [READ]),
        (f"```\n{CALL}\n```", "", [READ]),
        (f"```tool_call\n{CALL}```", "", [READ]),
        (f"{CALL}\n{CALL}", "\n", [READ, READ]),
        (f"```json\n{CALL}\n{CALL}\n```", "", [READ, READ]),
        ('{"arguments": {"path": "A.md"}, "toolname": "read"}', "", [READ]),
        ('{ "toolname" : "read" }', "", [("read", {})]),
        (
            '{"toolname": "edit", "arguments": {"content": "a } \\" {b"}}',
            "",
            [("edit", {"content": 'a } " {b'})],
        ),
        (
            '{"toolname": "edit", "arguments": {"content": "one\ntwo"}}',
            "",
            [("edit", {"content": "one\ntwo"})],
        ),
        ("Write {} or {name}.", "Write {} or {name}.", []),
        ('An object {"path": 1} and `code`', 'An object {"path": 1} and `code`', []),
        ("```json\n[1]\n```", "```json\n[1]\n```", []),
        ("It ends with {", "It ends with {", []),
        ('It ends with {"tool', 'It ends with {"tool', []),
    ],
)
def test_calls_are_found_and_the_rest_is_text(reply: str, shown: str, calls: list[Call]) -> None:
    assert read(reply) == (shown, calls)
    assert read(*reply) == (shown, calls), "one character at a time"


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        ('{"toolname": "read", "arguments": {"path": "A.md"}', "no end"),
        ('{"toolname": "read", "arguments": {"path": A.md}}', "no JSON"),
        ('{"toolname": 5}', "names no tool"),
        ('{"arguments": {}}', "names no tool"),
        ('{"toolname": "read", "arguments": "A.md"}', "has to be a JSON object"),
    ],
)
def test_a_call_that_cannot_be_read_says_why(reply: str, fault: str) -> None:
    shown, calls = read_all(*reply)
    assert shown == ""
    assert [fault in (call.fault or "") for call in calls] == [True]


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
texts = st.text(alphabet=st.sampled_from('abc {}[]"`:,\\\n'), max_size=30)


@given(st.lists(st.tuples(texts, st.dictionaries(st.text(max_size=8), values, max_size=3)), max_size=4), st.data())
def test_how_a_reply_is_cut_into_pieces_changes_nothing(
    parts: list[tuple[str, dict[str, Any]]], data: st.DataObject
) -> None:
    reply = "".join(text + json.dumps({"toolname": "t", "arguments": arguments}) for text, arguments in parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(reply)), max_size=12)))
    pieces = [reply[start:end] for start, end in zip([0, *cuts], [*cuts, len(reply)], strict=True)]
    assert read_all(*pieces) == read_all(reply)


@given(st.lists(st.dictionaries(st.text(max_size=8), values, max_size=3), max_size=5), st.booleans())
def test_every_call_comes_back_as_it_was_written(arguments: list[dict[str, Any]], fenced: bool) -> None:
    written = [json.dumps({"toolname": "t", "arguments": one}) for one in arguments]
    reply = "\n".join(f"```json\n{one}\n```" if fenced else one for one in written)
    assert read(reply)[1] == [("t", one) for one in arguments]


async def test_a_model_without_functions_uses_tools_in_text(talk: Talk) -> None:
    talk.person.answer = "allow_once"
    talk.ollama.capabilities = ("completion",)
    call = '{"toolname": "read", "arguments": {"path": "Notes/Meeting.md"}}'
    talk.ollama.script = [
        [say("I look.\n```js"), say("on\n" + call[:20]), say(call[20:] + "\n```"), END],
        tells("Call Ada."),
    ]
    done = await talk.ask("What is to do?")
    assert done["end"] == "answered"
    assert talk.said == "I look.\nCall Ada."
    first, second = talk.ollama.asked
    assert "tools" not in first
    assert "@param path {string}" in first["messages"][0]["content"]
    assert first["options"]["num_ctx"] == 65_536
    assert second["messages"][-2]["content"].endswith('{"toolname":"read","arguments":{"path":"Notes/Meeting.md"}}')
    assert second["messages"][-1]["role"] == "user"
    assert second["messages"][-1]["content"].startswith("Result of read:\n")
    assert "call Ada" in second["messages"][-1]["content"]


async def test_a_server_that_says_only_now_that_a_model_has_no_functions_is_asked_again_without(talk: Talk) -> None:
    talk.ollama.capabilities, talk.ollama.says_no_tools = None, True
    talk.ollama.script = [tells("(refused)"), tells("Hello.")]
    assert (await talk.ask("Hello"))["end"] == "answered"
    assert [bool(asked.get("tools")) for asked in talk.ollama.asked] == [True, False]
    assert talk.said == "Hello."


async def test_broken_json_in_text_is_told_to_the_model(talk: Talk) -> None:
    talk.ollama.capabilities = ("completion",)
    talk.ollama.script = [tells('{"toolname": "read", "arguments": {path}}'), tells("I cannot.")]
    assert (await talk.ask("Go"))["end"] == "answered"
    assert "Error: The call is no JSON" in talk.ollama.asked[1]["messages"][-1]["content"]
