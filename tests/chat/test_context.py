"""What of a conversation a model is sent: all of it while there is room; then what matters least goes first."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.chat.context import SHORTENED, Fitted, count_tokens, fit
from bridge.contract.chat import ChatMessage, ChatToolCall
from tests.chat.conftest import Talk
from tests.chat.ollama_server import calls, tells, use

TIME = "2025-01-01T00:00:00.000Z"


def user(text: str) -> ChatMessage:
    return ChatMessage(role="user", text=text, time=TIME)


def answer(text: str = "", *asked: ChatToolCall) -> ChatMessage:
    return ChatMessage(role="assistant", text=text, time=TIME, calls=asked)


def result(text: str) -> ChatMessage:
    return ChatMessage(role="tool", text=text, time=TIME, call_id="c", tool="read", state="done")


def tokens(fitted: Fitted) -> int:
    return sum(count_tokens(message) for message in fitted.messages)


CALL = ChatToolCall(call_id="c", tool="read", arguments={"path": "A.md"})
LONG = "word " * 4_000


def test_with_room_everything_is_sent_but_what_the_bridge_says_to_the_person() -> None:
    notice = ChatMessage(role="notice", text="Long", time=TIME)
    fitted = fit(
        "S", [user("One"), answer("", CALL), result("R"), answer("Two"), notice, user("Three")], 10_000, native=True
    )
    assert [one["role"] for one in fitted.messages] == ["system", "user", "assistant", "tool", "assistant", "user"]
    assert (fitted.shortened, fitted.left_out, fitted.fits) == (0, 0, True)


def test_results_of_earlier_turns_are_shortened_first() -> None:
    history = [
        user("One"),
        answer("", CALL),
        result(LONG),
        answer("Two"),
        user("Three"),
        answer("", CALL),
        result(LONG),
    ]
    fitted = fit("S", history, 9_000, native=True)
    assert (fitted.shortened, fitted.left_out, fitted.fits) == (1, 0, True)
    assert fitted.messages[3]["content"].endswith(SHORTENED)
    assert fitted.messages[-1]["content"] == LONG


def test_then_whole_turns_go_and_what_the_person_asked_in_them_is_said() -> None:
    history = [message for at in range(20) for message in (user(f"Question {at} {'x' * 900}"), answer("y" * 900))]
    fitted = fit("S", [*history, user("Last")], 6_000, native=True)
    assert fitted.left_out > 0
    assert fitted.fits
    assert "- Question 0 x" in fitted.messages[0]["content"]
    assert fitted.messages[1]["role"] == "user", "a turn is left out as a whole"
    assert tokens(fitted) <= 6_000


def test_a_result_that_is_longer_than_the_context_is_cut() -> None:
    fitted = fit("S", [user("One"), answer("", CALL), result(LONG * 10)], 5_000, native=True)
    assert fitted.fits
    assert fitted.messages[-1]["content"].endswith(SHORTENED)
    assert len(fitted.messages[-1]["content"]) > 3_000, "as much of it as there is room for"


@pytest.mark.parametrize("text", ['"\n', "\x1b", "é", "日本", "🦊"])
def test_a_result_of_whatever_text_is_cut_to_what_there_is_room_for(text: str) -> None:
    fitted = fit("S", [user("One"), answer("", CALL), result(text * 40_000)], 5_000, native=True)
    assert fitted.fits
    assert 3_500 < tokens(fitted) <= 5_000, "as much of it as there is room for"


def test_a_message_that_is_longer_than_the_context_does_not_fit() -> None:
    assert not fit("S", [user(LONG)], 2_000, native=True).fits


roles = st.sampled_from(["user", "assistant", "tool", "notice"])
messages = st.builds(
    lambda role, text, many: ChatMessage(role=role, text=text * many, time=TIME, call_id="c", tool="t"),
    roles,
    st.text(max_size=30),
    st.integers(1, 300),
)


@given(history=st.lists(messages, max_size=12), room=st.integers(200, 8_000), native=st.booleans())
def test_what_fits_is_never_more_than_there_is_room_for(history: list[ChatMessage], room: int, *, native: bool) -> None:
    fitted = fit("System", history, room, native=native)
    if fitted.fits and len(fitted.messages) > 1:
        assert sum(-(-len(orjson.dumps(message)) // 3) for message in fitted.messages) <= room


@pytest.mark.parametrize("native", [True, False])
async def test_a_long_conversation_is_sent_in_short_which_is_said_and_kept_whole(talk: Talk, *, native: bool) -> None:
    talk.person.answer = "allow_once"
    talk.ollama.context = 16_384
    talk.ollama.capabilities = ("completion", "tools") if native else ("completion",)
    (talk.vault / "Long.md").write_text("word " * 9_000, encoding="utf-8")
    reading = (
        calls(use("read", path="Long.md"))
        if native
        else tells('{"toolname": "read", "arguments": {"path": "Long.md"}}')
    )
    talk.ollama.script = [reading, tells("One"), reading, tells("Two")]
    done = await talk.ask("First")
    await talk.ask("Second", conversationId=done["conversationId"])
    assert any("has become long" in one for one in talk.notices)
    for asked in talk.ollama.asked:
        assert count_tokens(asked["messages"]) + count_tokens(asked.get("tools", [])) < asked["options"]["num_ctx"]
    kept = [one for one in await talk.history(done["conversationId"]) if one["role"] == "tool"]
    assert all(len(one["text"]) > 20_000 for one in kept)
