"""What a person sees who mistypes something: a sentence in the command line's own words, with its own commands."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

Terminal = Callable[..., Any]


@pytest.fixture
def typed(served: Any, terminal: Terminal) -> Callable[..., str]:
    """Types a command for the served vault in a wide terminal; what is on the screen when it has ended."""

    def typed(*words: str, code: int = 0) -> str:
        screen = terminal(*words, columns=200, VAULT_BRIDGE_VAULT=str(served.vault))
        assert screen.end() == code, screen.text()
        return str(screen.text())

    return typed


@pytest.mark.parametrize("form", ["text", "openai", "ollama", "mcp"])
def test_one_tool_is_shown_in_every_format(typed: Callable[..., str], form: str) -> None:
    seen = typed("tools", "grep", "--format", form)
    assert "contextLines" in seen
    assert "maxResults" not in seen


def test_the_vault_and_json_may_stand_before_the_command(served: Any, terminal: Terminal) -> None:
    for words in (["--vault", str(served.vault), "--json", "log"], ["log", "--vault", str(served.vault), "--json"]):
        screen = terminal(*words, columns=200)
        assert screen.end() == 0
        assert json.loads(screen.text())[0]["kind"] == "bridge"


def test_they_may_stand_before_a_group_of_commands(served: Any, terminal: Terminal) -> None:
    screen = terminal("--vault", str(served.vault), "--json", "settings", "get", "findMaxResults")
    assert screen.end() == 0
    assert screen.text() == "50"


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["settings", "set", "findMaxResults=many"], 2, "'findMaxResults' takes an integer, not 'many'"),
        (["settings", "set", "consentTimeout=0"], 1, "consentTimeout must be greater than or equal to 1"),
        (
            ["settings", "set", "ignorePatterns=Templates"],
            2,
            """'ignorePatterns' takes a list, written as JSON: ignorePatterns='["Templates"]'""",
        ),
        (["settings", "disable", "raed_note"], 1, "There is no tool 'raed_note'; did you mean 'read_note'?"),
        (["settings", "enable", "raed_note"], 1, "There is no tool 'raed_note'; did you mean 'read_note'?"),
        (
            ["undo", "nowhere"],
            1,
            "There is no change 'nowhere' in the history; `vault-bridge history` shows those there are",
        ),
        (["undo"], 1, "Nothing to undo."),
        (["redo"], 1, "Nothing to redo."),
        (["call", "zzzzzz", "x=1"], 1, "Unknown tool 'zzzzzz'. `vault-bridge tools` names them"),
    ],
)
def test_what_went_wrong_is_one_sentence(typed: Callable[..., str], words: list[str], code: int, sentence: str) -> None:
    assert typed(*words, code=code) == sentence


def test_why_a_call_would_fail_is_said_with_the_command_that_helps(typed: Callable[..., str]) -> None:
    seen = typed("policy", "explain", "zzzzzz", "x=1")
    assert "Unknown tool 'zzzzzz'. `vault-bridge tools` names them" in seen


def test_a_tool_that_is_like_no_other_lists_those_there_are(typed: Callable[..., str]) -> None:
    seen = " ".join(typed("settings", "enable", "nosuch", code=1).split())
    assert seen.startswith("There is no tool 'nosuch'; the tools are search, query, edit, set_properties, ")


def test_an_unknown_kind_of_record_lists_the_kinds_there_are(typed: Callable[..., str]) -> None:
    seen = typed("log", "--kind", "nokind", code=2)
    assert "'nokind'" in seen
    for kind in ("execution", "decision", "limit", "settings", "grant", "bridge", "network", "log"):
        assert f"'{kind}'" in seen


def test_a_list_says_how_often_each_tool_asks(served: Any, typed: Callable[..., str]) -> None:
    served.host("settings.update", patch={"enabledTools": ["*"], "consentMode": {"find": "always_allow"}})
    rows = dict(
        re.findall(r"^(\w+) +\w+ +(never|once|once a session|every time|refused)  ", typed("tools"), re.MULTILINE)
    )
    assert (rows["find"], rows["grep"]) == ("never", "once")
    assert (rows["edit_file"], rows["delete_file"]) == ("once a session", "every time")


def test_setting_one_key_warns_of_that_key_alone(served: Any, typed: Callable[..., str]) -> None:
    served.host("settings.update", patch={"patchBackupEnabled": False, "rateLimits": {"grep": 500}})
    assert typed("settings", "set", "findMaxResults=5") == "  findMaxResults = 5"
    seen = typed("settings", "set", "rateLimits.find=400")
    assert "Warning: find: 400 calls a minute is high" in seen
    assert "grep: 500" not in seen
    assert "patchBackupEnabled" not in seen


def keys_in(screen: str) -> set[str]:
    """The keys that the last legend on the screen shows."""
    legend = screen.rpartition("In short")[0].rpartition("\n\n")[2]
    return set(re.findall(r"(?:^|   ) (\w)  ", legend, re.MULTILINE))


def keys_of(message: str) -> set[str]:
    """The keys that the message about a wrong one names."""
    return set(message.rpartition("Type one of these, then Enter: ")[2].partition("\n")[0].split())


def test_the_keys_of_a_question_and_the_message_about_a_wrong_one_agree(served: Any, terminal: Terminal) -> None:
    served.patch("## New Section")
    screen = terminal("approve", "--vault", str(served.vault))
    legend = screen.see("Your answer")
    screen.type("p\r")
    message = screen.see("Your answer", after="Type one of these")
    assert keys_in(legend) == keys_of(message)
    assert "p" not in keys_in(legend)


def test_a_question_that_was_cut_offers_the_rest_in_both_places(served: Any, terminal: Terminal) -> None:
    served.patch("".join(f"line {number}\n" for number in range(500)))
    screen = terminal("approve", "--vault", str(served.vault))
    legend = screen.see("Your answer")
    screen.type("q\r")
    message = screen.see("Your answer", after="Type one of these")
    assert keys_in(legend) == keys_of(message)
    assert "p" in keys_in(legend)


def test_the_command_for_approving_is_shown_once_when_it_works(vault: Path, terminal: Terminal) -> None:
    """It is whole on one line, and with its folder where the shell would not find it."""
    server = terminal("serve", "--preset", "vault", "--vault", str(vault), columns=60)
    seen = server.see("Ctrl-C")
    assert seen.count(" approve --vault ") == 1
    command = seen.split("in another terminal:\n", 1)[1].split("\nStop", 1)[0].replace("\n", "").strip()
    assert command.endswith(f"vault-bridge approve --vault {vault}")
    screen = terminal(*command.partition("vault-bridge ")[2].split())
    screen.see("Waiting for questions")
