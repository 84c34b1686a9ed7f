"""`vault-bridge chat`, the real program, in a real terminal and in pipes, with a model of ours behind it."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.cli.chat import LineWriter
from bridge.cli.sanitize import sanitize_plain
from tests.chat.ollama_server import END, OllamaStandIn, calls, say, tells, use
from tests.patience import PATIENCE

Terminal = Callable[..., Any]
PATCH = {"path": "Ideas.md", "patches": [{"startLine": 3, "endLine": 3, "newContent": "## New Section"}]}


@pytest.fixture
def ollama(served: Any) -> Iterator[OllamaStandIn]:
    """A model's server, to which the chat of the served vault is set."""
    server = OllamaStandIn()
    serving = server.serve()
    served.run(serving.__aenter__())
    served.host("settings.update", patch={"chatEndpoint": server.url})
    yield server
    served.run(serving.__aexit__(None, None, None))


def run(*arguments: str, keys: str = "") -> "subprocess.CompletedProcess[str]":
    return subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-m", "bridge", "chat", *arguments],
        input=keys,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )


@pytest.mark.slow
def test_a_message_on_standard_input_is_answered_on_standard_output(served: Any, ollama: OllamaStandIn) -> None:
    ollama.script = [[say("**Gre"), say("en**\n"), END]]
    done = run("--vault", str(served.vault), keys="Which tea?\nIn short.\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, "**Green**\n", "")
    assert ollama.asked[0]["messages"][-1]["content"] == "Which tea?\nIn short.\n"


@pytest.mark.slow
def test_one_question_as_json_is_one_object(served: Any, ollama: OllamaStandIn) -> None:
    ollama.script = [calls(use("find", query="Ideas")), tells("There.")]
    done = run("--vault", str(served.vault), "--once", "Where?", "--json")
    answer = json.loads(done.stdout)
    assert (answer["end"], answer["model"], answer["text"]) == ("denied", "scripted", "")
    assert [(tool["tool"], tool["state"]) for tool in answer["tools"]] == [("find", "denied")]
    assert "Nobody could be asked" in answer["message"]
    assert done.returncode == 1


@pytest.mark.slow
def test_a_failure_is_said_and_is_a_failure_of_the_command(served: Any, ollama: OllamaStandIn) -> None:
    ollama.models = ()
    done = run("--vault", str(served.vault), "--once", "Hello", "--model", "qwen3:8b")
    assert done.returncode == 1
    assert "ollama pull qwen3:8b" in done.stderr


@pytest.mark.slow
def test_no_escape_of_a_model_reaches_the_terminal(served: Any, ollama: OllamaStandIn, terminal: Terminal) -> None:
    evil = "\x1b]0;owned\x07\x1b[2J\x1b[31mred\r\u202eabc"
    ollama.script = [[say(evil[:3]), say(evil[3:]), END]]
    screen = terminal("chat", "--vault", str(served.vault), "--once", "Hello")
    assert screen.end() == 0
    assert "␛]0;owned␇␛[2J␛[31mred␍<U+202E>abc" in screen.text().replace("\n", "")
    assert "\x1b]0;" not in screen.raw
    assert "\x1b[2J" not in screen.raw
    assert "\u202e" not in screen.raw


@pytest.mark.slow
def test_a_conversation_in_a_terminal_with_a_question_in_its_place(
    served: Any, ollama: OllamaStandIn, terminal: Terminal
) -> None:
    ollama.script = [
        [say("I change it.", calls=[use("apply_patch", **PATCH)]), END],
        tells("It is **done**."),
        tells("Gladly."),
    ]
    screen = terminal("chat", "--vault", str(served.vault))
    screen.see("You:")
    screen.type("Change the section\r")
    seen = screen.see("Your answer")
    assert "I change it." in seen
    assert "Chat" in seen
    assert "## New Section" in seen
    screen.type("y\r")
    screen.see("It is **done**.")
    assert "## New Section" in (served.vault / "Ideas.md").read_text(encoding="utf-8")
    screen.see("You:", after="It is **done**.")
    screen.type("Thanks\r")
    screen.see("Gladly.")
    screen.see("You:", after="Gladly.")
    assert served.host("session.info")["hostConnected"] is False, "between turns this is no consent screen"
    screen.type("\x04")
    assert screen.end() == 0
    assert "vault-bridge chat --continue" in screen.text()


@pytest.mark.slow
def test_a_no_ends_the_turn_and_nothing_is_written(served: Any, ollama: OllamaStandIn, terminal: Terminal) -> None:
    ollama.script = [calls(use("apply_patch", **PATCH)), tells("Never said")]
    before = (served.vault / "Ideas.md").read_bytes()
    screen = terminal("chat", "--vault", str(served.vault))
    screen.see("You:")
    screen.type("Change the section\r")
    screen.see("Your answer")
    screen.type("n\r")
    screen.see("You:", after="Denied.")
    assert (served.vault / "Ideas.md").read_bytes() == before
    assert len(ollama.asked) == 1


@pytest.mark.slow
def test_ctrl_c_stops_the_model_and_not_the_conversation(
    served: Any, ollama: OllamaStandIn, terminal: Terminal
) -> None:
    async def held() -> asyncio.Event:
        return asyncio.Event()

    ollama.script = [[say("I go on and"), served.run(held())], tells("Yes.")]
    screen = terminal("chat", "--vault", str(served.vault))
    screen.see("You:")
    screen.type("Talk\r")
    screen.see("I go on and")
    screen.interrupt()
    screen.see("Stopped.")
    served.run(asyncio.wait_for(ollama.gone.wait(), PATIENCE))
    screen.see("You:", after="Stopped.")
    screen.type("Are you there?\r")
    screen.see("Yes.")


@pytest.mark.slow
def test_ctrl_c_at_a_question_stops_the_turn_and_withdraws_the_question(
    served: Any, ollama: OllamaStandIn, terminal: Terminal
) -> None:
    ollama.script = [calls(use("apply_patch", **PATCH)), tells("Yes.")]
    screen = terminal("chat", "--vault", str(served.vault))
    screen.see("You:")
    screen.type("Change the section\r")
    screen.see("Your answer")
    screen.interrupt()
    screen.see("You:", after="Stopped.")
    assert served.host("consent.pending") == []
    screen.type("Are you there?\r")
    screen.see("Yes.")


@pytest.mark.slow
def test_conversations_are_listed_gone_on_with_and_deleted(served: Any, ollama: OllamaStandIn) -> None:
    vault = ("--vault", str(served.vault))
    assert "no conversation yet" in run(*vault, "--list").stderr
    ollama.script = [tells("Green."), tells("Hot.")]
    run(*vault, "--once", "Which tea?")
    done = run(*vault, "--continue", "--once", "And how?")
    assert "Going on with: Which tea?" in done.stderr
    assert [one["content"] for one in ollama.asked[1]["messages"][1:]] == ["Which tea?", "Green.", "And how?"]
    listed = json.loads(run(*vault, "--list", "--json").stdout)
    assert [(one["title"], one["messages"]) for one in listed] == [("Which tea?", 4)]
    assert "Which tea?" in run(*vault, "--list").stdout
    assert run(*vault, "--delete", listed[0]["conversationId"]).returncode == 0
    assert json.loads(run(*vault, "--list", "--json").stdout) == []


@pytest.mark.slow
def test_an_export_is_asked_about_in_its_place(served: Any, ollama: OllamaStandIn, terminal: Terminal) -> None:
    served.host("settings.update", patch={"enabledTools": ["*"]})
    ollama.script = [tells("Green.")]
    vault = ("--vault", str(served.vault))
    run(*vault, "--once", "Which tea?")
    conversation = served.host("chat.list")[0]["conversationId"]
    screen = terminal("chat", *vault, "--export", conversation, "--to", "Never.md")
    screen.see("Your answer")
    screen.interrupt()
    assert screen.end() == 1
    assert "Stopped." in screen.text()
    assert not (served.vault / "Never.md").exists()
    for question in served.pending(1):
        digest = question["planDigest"]
        served.host("consent.respond", requestId=question["requestId"], decision="deny_once", planDigest=digest)
    screen = terminal("chat", *vault, "--export", conversation, "--to", "Tea.md")
    screen.see("Your answer")
    screen.type("y\r")
    assert screen.end() == 0
    assert "Green." in (served.vault / "Tea.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_models_are_listed(served: Any, ollama: OllamaStandIn) -> None:
    ollama.models = ("a:1b", "b:2b")
    done = run("--vault", str(served.vault), "--models")
    assert "a:1b" in done.stdout
    assert "b:2b" in done.stdout


@pytest.mark.slow
def test_a_model_elsewhere_is_asked_about_once_and_without_a_terminal_refused(served: Any, terminal: Terminal) -> None:
    served.host("settings.update", patch={"chatEndpoint": "http://192.0.2.7:11434", "chatModel": "m"})
    vault = ("--vault", str(served.vault))
    done = run(*vault, "--once", "Hello")
    assert done.returncode == 1
    assert "texts of notes" in done.stderr
    screen = terminal("chat", *vault)
    seen = screen.see("Send it there?")
    assert "http://192.0.2.7:11434" in seen
    screen.type("n\r")
    assert screen.end() == 1
    assert served.host("chat.models")["allowed"] is False


@pytest.mark.slow
def test_without_a_bridge_the_chat_has_one_of_its_own(served: Any, ollama: OllamaStandIn) -> None:
    ollama.script = [tells("Green.")]
    served.stop()
    done = run("--vault", str(served.vault), "--once", "Which tea?")
    assert (done.returncode, done.stdout) == (0, "Green.\n")


def written(*pieces: str) -> list[str]:
    said: list[str] = []
    writer = LineWriter(said.append)
    for piece in pieces:
        writer.write(piece)
    writer.end()
    return said


def test_a_piece_is_written_at_once_and_a_line_is_ended_once() -> None:
    assert written("Hel", "lo") == ["Hel", "lo", "\n"]
    assert written("Hello\n") == ["Hello\n"]
    assert written("") == []
    assert written("e", "\u0301") == ["e", "\u0301", "\n"], "a mark goes with the letter before it"


@given(st.lists(st.text(alphabet=st.sampled_from("ab\n\t\u0301\u0489\x1b\u202e\ufe0f☀"), max_size=8), max_size=8))
def test_however_it_is_cut_the_same_is_printed(pieces: list[str]) -> None:
    whole = "".join(pieces)
    expected = sanitize_plain(whole, keep="\n\t")
    assert "".join(written(*pieces)).removesuffix("\n") == expected.removesuffix("\n")
