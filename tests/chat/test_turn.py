"""A turn: what a model is asked, what it may do, and how it ends. Over real sockets, both ways."""

import asyncio
from typing import Any

import pytest
from PIL import Image

from tests.chat.conftest import Talk
from tests.chat.ollama_server import CUT, END, ScriptedReply, calls, say, tells, use
from tests.patience import PATIENCE

READ = {"path": "Notes/Meeting.md"}


async def test_an_answer_comes_piece_by_piece_and_is_kept(talk: Talk) -> None:
    talk.ollama.script = [[say("Hel"), say("lo"), END]]
    done = await talk.ask("Say hello")
    assert (done["end"], done["message"]) == ("answered", None)
    assert [one["text"] for one in talk.deltas] == ["Hel", "lo"]
    kept = await talk.history(done["conversationId"])
    assert [(one["role"], one["text"]) for one in kept] == [("user", "Say hello"), ("assistant", "Hello")]


async def test_the_first_piece_is_passed_on_before_the_next_one_comes(talk: Talk) -> None:
    more = asyncio.Event()
    talk.ollama.script = [[say("First"), more, say(" second"), END]]
    await talk.send("Go")
    await talk.until(lambda: talk.said == "First")
    assert not talk.done
    more.set()
    await talk.until(lambda: bool(talk.done))
    assert talk.said == "First second"


async def test_cancelling_closes_the_connection_so_that_the_model_stops(talk: Talk) -> None:
    talk.ollama.script = [[say("I go on"), asyncio.Event()]]
    started = await talk.send("Go")
    await talk.until(lambda: talk.said == "I go on")
    answer = await talk.person.host.request("chat.cancel", conversationId=started["conversationId"])
    assert answer == {"cancelled": True}
    async with asyncio.timeout(PATIENCE):
        await talk.ollama.gone.wait()
    await talk.until(lambda: bool(talk.done))
    assert talk.done[0]["end"] == "cancelled"
    kept = await talk.history(started["conversationId"])
    assert kept[-1]["text"] == "I go on", "what has come is kept"


async def test_a_call_is_made_and_its_result_goes_back_under_its_id_and_its_name(talk: Talk) -> None:
    talk.person.answer = "allow_once"
    wanted = use("read", **READ)
    talk.ollama.script = [[say(thinking="I should look"), say("Let me see. ", calls=[wanted]), END], tells("Call Ada.")]
    done = await talk.ask("What is to do?")
    assert done["end"] == "answered"
    assert talk.said == "Let me see. Call Ada."
    sent = talk.ollama.asked[1]["messages"]
    assert sent[-2]["thinking"] == "I should look"
    assert sent[-2]["content"] == "Let me see. "
    assert sent[-2]["tool_calls"][0]["function"]["arguments"] == READ
    assert sent[-1]["role"] == "tool"
    assert sent[-1]["tool_name"] == "read"
    assert sent[-1]["tool_call_id"] == sent[-2]["tool_calls"][0]["id"] == wanted["id"]
    assert "call Ada" in sent[-1]["content"]
    assert [(one["tool"], one["state"]) for one in talk.tools] == [("read", "running"), ("read", "done")]


async def test_a_model_is_told_that_it_is_not_shown_a_picture(talk: Talk) -> None:
    Image.new("RGB", (30, 20), "red").save(talk.vault / "Cat.png")
    talk.person.answer = "allow_once"
    talk.ollama.script = [[say(calls=[use("read", path="Cat.png")]), END], tells("A cat?")]
    assert (await talk.ask("What is on it?"))["end"] == "answered"
    said = talk.ollama.asked[1]["messages"][-1]["content"]
    assert "30 by 20 pixels" in said
    assert said.endswith("[Pictures are not passed on in this chat: ask the user what is on them.]")


async def test_several_calls_of_one_reply_are_made_in_order_one_after_the_other(talk: Talk) -> None:
    talk.person.answer = "allow_once"
    talk.ollama.script = [
        calls(use("find", query="Meeting"), use("grep", pattern="TODO"), use("read", **READ)),
        calls(use("grep", pattern="done")),
        tells("Done."),
    ]
    assert (await talk.ask("Look"))["end"] == "answered"
    order = [(one["tool"], one["state"]) for one in talk.tools]
    assert order == [(tool, state) for tool in ("find", "grep", "read", "grep") for state in ("running", "done")]
    assert [one["tool_name"] for one in talk.results()] == ["find", "grep", "read", "grep"]


async def test_num_ctx_is_always_set_and_no_more_than_the_model_can_take_in(talk: Talk) -> None:
    await talk.ask("One")
    assert talk.ollama.asked[0]["options"]["num_ctx"] == 65_536
    talk.ollama.context = 32_768
    await talk.ask("Two")
    assert talk.ollama.asked[1]["options"]["num_ctx"] == 32_768
    assert 0 < talk.ollama.asked[1]["options"]["num_predict"] < 32_768


async def test_a_context_without_room_for_the_tools_is_said_and_the_model_is_not_asked(talk: Talk) -> None:
    talk.ollama.context = 2_048
    done = await talk.ask("Hello")
    assert done["end"] == "failed"
    assert "no room for the descriptions of the tools" in done["message"]
    assert talk.ollama.asked == []


async def test_a_denial_ends_the_turn_quietly_and_the_calls_after_it_are_not_made(talk: Talk) -> None:
    talk.person.answer = "deny_once"
    talk.ollama.script = [calls(use("edit", path="New.md", content="x"), use("read", **READ)), tells("Never said")]
    done = await talk.ask("Write")
    assert (done["end"], done["message"]) == ("denied", None)
    assert len(talk.ollama.asked) == 1, "the model is not asked again"
    assert len(talk.person.asked) == 1, "the second call is not made"
    assert talk.said == ""
    kept = await talk.history(done["conversationId"])
    assert [one["state"] for one in kept if one["role"] == "tool"] == ["denied", "failed"], "each call has a result"


async def test_a_denial_with_words_goes_back_to_the_model(talk: Talk) -> None:
    talk.person.answer, talk.person.extent = "deny_once", {"feedback": "Use the other note"}
    talk.ollama.script = [calls(use("edit", path="New.md", content="x")), tells("I see.")]
    assert (await talk.ask("Write"))["end"] == "answered"
    assert "Use the other note" in talk.results()[-1]["content"]


async def test_a_model_that_never_stops_using_tools_is_stopped_and_that_is_said(talk: Talk) -> None:
    talk.person.answer = "allow_once"
    talk.bridge.settings.update({"chatRounds": 3})
    talk.ollama.script = lambda _asked: calls(use("find", query="Meeting"))
    done = await talk.ask("Loop")
    assert done["end"] == "limit"
    assert "3 times" in done["message"]
    assert len(talk.ollama.asked) == 3
    assert (await talk.history(done["conversationId"]))[-1]["text"] == done["message"]


async def test_one_reply_can_make_only_so_many_calls(talk: Talk) -> None:
    talk.person.answer = "allow_once"
    talk.ollama.script = [calls(*(use("find", query=f"n{at}") for at in range(20))), tells("Well.")]
    await talk.ask("Many")
    assert [one["content"].startswith("Error: At most 16") for one in talk.results()] == [False] * 16 + [True] * 4


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ([say("Half"), {"error": "llama runner process has terminated: exit status 2"}], "It says: “llama runner"),
        ([{"error": "model requires more system memory (9 GiB) than is available"}], "Choose a smaller model"),
        ([say("Half"), CUT], "was lost in the middle of the answer"),
        ([say("Half")], "was lost in the middle of the answer"),
        ([say("Half"), b'{"message": {"content": \n'], "a line that is no JSON"),
        ([b"[1, 2]\n"], "is not Ollama"),
        ([{"error": "evil \x1b[2J\u202e words"}], "It says: “evil [2J words”"),
        ([END], "The model gave no answer"),
    ],
)
async def test_a_failure_in_the_stream_is_said_in_words(talk: Talk, reply: ScriptedReply, words: str) -> None:
    talk.ollama.script = [reply]
    done = await talk.ask("Go")
    assert done["end"] == "failed"
    assert words in done["message"]
    kept = await talk.history(done["conversationId"])
    if talk.said:
        assert kept[-2]["text"] == "Half", "what has come is kept"
    assert (await talk.ask("Again", conversationId=done["conversationId"]))["end"] == "answered"


@pytest.mark.parametrize(
    ("status", "refusal", "words"),
    [
        (500, "unexpected server status", "It says: “unexpected server status”"),
        (404, "", "is not Ollama"),
        (401, "unauthorized", "If it wants a key"),
        (302, "", "is not Ollama"),
    ],
)
async def test_a_refused_request_is_said_in_words(talk: Talk, status: int, refusal: str, words: str) -> None:
    talk.ollama.status, talk.ollama.refusal = status, refusal
    done = await talk.ask("Go")
    assert done["end"] == "failed"
    assert words in done["message"]


async def test_a_model_that_is_not_there_is_said_with_how_to_get_it(talk: Talk) -> None:
    done = await talk.ask("Go", model="qwen3:8b")
    assert done["end"] == "failed"
    assert "ollama pull qwen3:8b" in done["message"]


async def test_without_a_server_it_is_said_how_to_start_one(talk: Talk) -> None:
    talk.bridge.settings.update({"chatEndpoint": "http://127.0.0.1:9"})
    done = await talk.ask("Go", model="scripted")
    assert done["end"] == "failed"
    assert "ollama serve" in done["message"]


async def test_a_call_that_cannot_be_read_or_names_no_tool_is_told_to_the_model(talk: Talk) -> None:
    wrong: list[dict[str, Any]] = [
        {"function": {"name": "read", "arguments": "{broken"}},
        {"function": {"name": "read", "arguments": [1]}},
        {"function": {"arguments": {}}},
        use("read_minds", of="Ada"),
    ]
    talk.ollama.script = [calls(*wrong), tells("Sorry.")]
    assert (await talk.ask("Go"))["end"] == "answered"
    told = [one["content"] for one in talk.results()]
    assert [one.startswith("Error: ") for one in told] == [True] * 4
    assert "Unknown tool 'read_minds'" in told[3]
    assert talk.person.asked == []


async def test_arguments_that_are_no_json_are_told_to_the_model(talk: Talk) -> None:
    talk.ollama.capabilities = ("completion",)
    deep = '{"toolname": "find", "arguments": ' + '{"a": ' * 90 + "1" + "}" * 90 + "}"
    half = '{"toolname": "find", "arguments": {"query": "\\ud800"}}'
    talk.ollama.script = [tells(f"{deep}\n{half}"), tells("Sorry.")]
    assert (await talk.ask("Go"))["end"] == "answered"
    told = [one["content"] for one in talk.ollama.asked[1]["messages"][-2:]]
    assert ["Error: The arguments are too deeply nested" in one for one in told] == [True, True]


async def test_calls_with_the_same_id_are_told_apart(talk: Talk) -> None:
    talk.person.answer = "allow_once"
    same = {"id": "same", "function": {"name": "find", "arguments": {"query": "Meeting"}}}
    talk.ollama.script = [calls(same, same), calls(same), tells("Done.")]
    await talk.ask("Go")
    sent = talk.ollama.asked[-1]["messages"]
    asked = [call["id"] for message in sent for call in message.get("tool_calls", ())]
    assert len(set(asked)) == 3
    assert [message["tool_call_id"] for message in sent if message["role"] == "tool"] == asked


async def test_a_cut_answer_is_said(talk: Talk) -> None:
    talk.ollama.script = [[say("And so"), {**END, "done_reason": "length"}]]
    await talk.ask("Go")
    assert "cut off" in talk.notices[0]


async def test_cancelling_withdraws_the_question_of_a_call(talk: Talk) -> None:
    talk.person.answer = None
    talk.ollama.script = [calls(use("edit", path="New.md", content="x")), tells("Next")]
    started = await talk.send("Write")
    await talk.person.until_asked()
    await talk.person.host.request("chat.cancel", conversationId=started["conversationId"])
    assert await talk.person.host.request("consent.pending") == []
    assert not (talk.vault / "New.md").exists()
    assert (await talk.ask("Go on", conversationId=started["conversationId"]))["end"] == "answered"
    assert [one["content"] for one in talk.results()] == ["Stopped by the user."]


async def test_a_second_message_waits_for_the_end_of_the_first(talk: Talk) -> None:
    more = asyncio.Event()
    talk.ollama.script = [[say("One"), more, END]]
    started = await talk.send("Go")
    await talk.until(lambda: talk.said == "One")
    with pytest.raises(Exception, match="still at the last message"):
        await talk.send("And", conversationId=started["conversationId"])
    more.set()
    await talk.until(lambda: bool(talk.done))


async def test_a_bridge_that_stops_ends_the_turn_and_keeps_what_has_come(talk: Talk) -> None:
    talk.ollama.script = [[say("So far"), asyncio.Event()]]
    await talk.send("Go")
    await talk.until(lambda: talk.said == "So far")
    await talk.bridge.stop()
    async with asyncio.timeout(PATIENCE):
        await talk.ollama.gone.wait()
    kept = [one for one in await talk.bridge.services.parts.chats.get().list() if one.title == "Go"]
    assert kept[0].messages == 2
