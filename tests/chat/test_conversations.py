"""Conversations are kept per vault outside it, for this user alone; listed, gone on with, exported and deleted."""

import os
import stat
import sys
from pathlib import Path

import pytest

from bridge.app import Bridge
from bridge.chat.chats import Conversations, as_note, file_name, title_of
from bridge.client import ProtocolFailure
from bridge.contract.chat import ChatMessage, Conversation
from bridge.errors import ExecutionFailed, NotFound
from bridge.records.folder import UserFolder
from tests.chat.conftest import Talk
from tests.chat.ollama_server import CUT, say, tells

TIME = "2025-01-01T00:00:00.000Z"


def conversation(title: str = "Tea", *history: ChatMessage) -> Conversation:
    return Conversation(
        conversation_id="0123456789abcdef",
        title=title,
        model="m",
        created=TIME,
        updated=TIME,
        messages=0,
        history=history,
    )


async def test_a_conversation_goes_on_where_it_was_also_in_another_bridge(talk: Talk) -> None:
    talk.ollama.script = [tells("Green."), tells("Hot.")]
    done = await talk.ask("Which tea?")
    await talk.bridge.stop()
    async with Bridge(talk.vault) as again:
        listed = await again.services.parts.chats.get().list()
        assert [(one.title, one.messages, one.running) for one in listed] == [("Which tea?", 2, False)]
        await again.services.parts.chats.get().send("And how?", done["conversationId"])
        await talk.ollama.until_asked(2)
    sent = [one["content"] for one in talk.ollama.asked[1]["messages"][1:]]
    assert sent == ["Which tea?", "Green.", "And how?"]


async def test_the_list_has_the_latest_first_and_a_deleted_one_is_gone(talk: Talk) -> None:
    one, two = await talk.ask("One"), await talk.ask("Two")
    await talk.ask("Again", conversationId=one["conversationId"])
    host = talk.person.host
    assert [found["title"] for found in await host.request("chat.list")] == ["One", "Two"]
    await host.request("chat.delete", conversationId=two["conversationId"])
    assert [found["title"] for found in await host.request("chat.list")] == ["One"]
    with pytest.raises(ProtocolFailure, match="Invalid params"):
        await host.request("chat.read", conversationId=two["conversationId"])


async def test_a_message_that_is_said_anew_takes_the_place_of_the_old_one_and_what_came_after(talk: Talk) -> None:
    talk.ollama.script = [tells("Green."), tells("Hot."), tells("Black.")]
    named = {"conversationId": (await talk.ask("Which tea?"))["conversationId"]}
    await talk.ask("And how?", **named)
    await talk.ask("Which coffee?", replaces=0, **named)
    assert [one["text"] for one in await talk.history(named["conversationId"])] == ["Which coffee?", "Black."]
    assert [one["content"] for one in talk.ollama.asked[2]["messages"][1:]] == ["Which coffee?"]
    listed = await talk.person.host.request("chat.list")
    assert [(one["title"], one["messages"]) for one in listed] == [("Which coffee?", 2)]


async def test_the_last_message_is_said_anew_with_what_came_before(talk: Talk) -> None:
    talk.ollama.script = [tells("Green."), tells("Hot."), tells("Warm.")]
    named = {"conversationId": (await talk.ask("Which tea?"))["conversationId"]}
    await talk.ask("And how?", **named)
    await talk.ask("And how exactly?", replaces=1, **named)
    said = [one["text"] for one in await talk.history(named["conversationId"])]
    assert said == ["Which tea?", "Green.", "And how exactly?", "Warm."]
    assert (await talk.person.host.request("chat.list"))[0]["title"] == "Which tea?"


@pytest.mark.parametrize("replaces", [1, 1_000_000, -1])
async def test_a_message_that_is_not_there_cannot_be_said_anew(talk: Talk, replaces: int) -> None:
    talk.ollama.script = [tells("Green.")]
    named = {"conversationId": (await talk.ask("Which tea?"))["conversationId"]}
    with pytest.raises(ProtocolFailure, match="Invalid params"):
        await talk.send("Which coffee?", replaces=replaces, **named)
    assert [one["text"] for one in await talk.history(named["conversationId"])] == ["Which tea?", "Green."]
    with pytest.raises(ProtocolFailure, match="Invalid params"):
        await talk.send("Which coffee?", replaces=0)
    assert len(await talk.person.host.request("chat.list")) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps a user's folder by other means")
async def test_conversations_are_for_this_user_alone_and_not_in_the_vault(talk: Talk) -> None:
    await talk.ask("A secret thought")
    files = _kept()
    assert [stat.S_IMODE(file.stat().st_mode) for file in files] == [0o600]
    assert stat.S_IMODE(files[0].parent.stat().st_mode) == 0o700
    inside = [path for path in talk.vault.rglob("*") if path.is_file()]
    assert not [path for path in inside if b"A secret thought" in path.read_bytes()]


async def test_an_export_is_a_call_that_is_asked_about_and_can_be_undone(talk: Talk) -> None:
    talk.ollama.script = [tells("Green.")]
    done = await talk.ask("Which tea?")
    host = talk.person.host
    refused = await host.request("chat.export", conversationId=done["conversationId"], path="Chats/No.md")
    assert refused["success"] is False
    assert not (talk.vault / "Chats").exists()
    talk.person.answer = "allow_once"
    made = await host.request("chat.export", conversationId=done["conversationId"], path="Chats/Tea.md")
    assert made["success"] is True, made
    text = (talk.vault / "Chats" / "Tea.md").read_text(encoding="utf-8")
    assert "## You\n\nWhich tea?" in text
    assert "## Answer\n\nGreen." in text
    assert [question["clientId"] for question in talk.person.asked] == ["chat", "chat"]
    await host.request("history.undo")
    assert not (talk.vault / "Chats" / "Tea.md").exists()


async def test_an_export_without_a_path_goes_into_a_folder_of_its_own(talk: Talk) -> None:
    talk.person.answer = "allow_once"
    done = await talk.ask('What is "tea/coffee": [[x]]?')
    made = await talk.person.host.request("chat.export", conversationId=done["conversationId"])
    assert made["success"] is True, made
    assert [path.name[11:-8] for path in (talk.vault / "Chats").iterdir()] == ["What is tea coffee x"]


async def test_a_broken_answer_is_kept_as_far_as_it_came(talk: Talk) -> None:
    talk.ollama.script = [[say("Half"), CUT]]
    done = await talk.ask("Go")
    kept = await talk.history(done["conversationId"])
    assert [one["role"] for one in kept] == ["user", "assistant", "notice"]


def test_a_damaged_file_is_left_out_of_the_list_and_said_when_it_is_read(tmp_path: Path) -> None:
    kept = Conversations(UserFolder(tmp_path / "a" / "b"))
    kept.save(conversation())
    (tmp_path / "a" / "b" / "fedcba9876543210.json").write_text("{", encoding="utf-8")
    (tmp_path / "a" / "b" / "agreed.json").write_text("{}", encoding="utf-8")
    assert [one.title for one in kept.list()] == ["Tea"]
    with pytest.raises(ExecutionFailed, match="is damaged"):
        kept.get("fedcba9876543210")
    kept.delete("fedcba9876543210")
    with pytest.raises(NotFound):
        kept.delete("fedcba9876543210")


@pytest.mark.parametrize(
    ("text", "title"),
    [("Which tea?\nTell me", "Which tea? Tell me"), ("\x1b[2J hello", "[2J hello"), ("x" * 200, "x" * 79 + "…")],
)
def test_a_title_is_one_line_that_can_be_shown(text: str, title: str) -> None:
    assert title_of(text) == title


def test_a_note_has_what_was_said_and_what_was_used_and_not_what_was_thought() -> None:
    found = conversation(
        "Tea",
        ChatMessage(role="user", text="Which?", time=TIME),
        ChatMessage(role="assistant", text="", time=TIME, thinking="Hm"),
        ChatMessage(role="tool", text="Result", time=TIME, tool="read", state="denied"),
        ChatMessage(role="assistant", text="Green.", time=TIME),
        ChatMessage(role="notice", text="It was\nlong", time=TIME),
    )
    assert as_note(found) == (
        "# Tea\n\nA chat with m on 2025-01-01.\n\n## You\n\nWhich?\n\n> Used the tool `read`: refused\n\n"
        "## Answer\n\nGreen.\n\n> It was long\n"
    )
    assert file_name(found) == "2025-01-01 Tea 0123"


def _kept() -> list[Path]:
    """The files of all conversations."""
    return list(Path(os.environ["VAULT_BRIDGE_STATE"]).rglob("chats/*/*.json"))
