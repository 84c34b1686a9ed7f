"""The records of the log as sentences for people."""

import itertools
from typing import Any

import pytest

from bridge.audit.sentences import ToolWords, sentence

TOOLS = {
    "grep": ToolWords("Grep", "search/searched the vault[ for {pattern}][: {count:hit}]", writes=False),
    "edit_file": ToolWords("Edit file", "edit/edited {files|a file}", writes=True),
}
CLAUDE = {"client": "Claude Code", "clientId": "c-1", "role": "agent"}
EDIT = CLAUDE | {"kind": "execution", "tool": "edit_file", "parameters": {"path": "Plans.md"}, "executionId": "e-1"}
EDITED = EDIT | {"success": True, "files": [{"path": "Plans.md", "change": "modify"}], "result": {"path": "Plans.md"}}
GREP = CLAUDE | {"kind": "execution", "tool": "grep", "parameters": {"pattern": "TODO"}}
ANSWER = CLAUDE | {"kind": "decision", "tool": "edit_file", "targets": ["Plans.md"], "by": "Obsidian", "byId": "host"}
ALLOWED = ANSWER | {"outcome": "allow", "decision": "allow_once"}
REWORDED = ANSWER | {"outcome": "ask", "rule": "revised"}


def failed(code: str, **more: Any) -> dict[str, Any]:
    return EDIT | {"success": False, "errorType": "permission_denied", "code": code, "result": {"error": "..."}} | more


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (GREP | {"success": True, "result": {"items": 14}}, "Claude Code searched the vault for “TODO”: 14 hits"),
        (EDITED, "Claude Code edited “Plans.md”"),
        (EDITED | {"decisions": [ALLOWED]}, "Claude Code edited “Plans.md”; you allowed it, once"),
        (
            EDITED | {"decisions": [REWORDED, ALLOWED]},
            "Claude Code edited “Plans.md”; you edited the text and allowed it, once",
        ),
        (
            EDITED | {"decisions": [REWORDED | {"by": "Deputy", "byId": "c-2"}, ALLOWED]},
            "Claude Code edited “Plans.md”; Deputy edited the text, and you allowed it, once",
        ),
        (REWORDED, "You edited the text of Edit file for “Plans.md”"),
        (
            EDITED | {"decisions": [ANSWER | {"outcome": "allow", "decision": "allow_session"}]},
            "Claude Code edited “Plans.md”; you allowed it, for the session",
        ),
        (
            EDITED | {"decisions": [ALLOWED | {"feedback": "Shorter next time"}]},
            "Claude Code edited “Plans.md”; you allowed it, once, and said “Shorter next time”",
        ),
        (
            EDITED | {"decisions": [ALLOWED | {"by": "Deputy", "byId": "c-2"}]},
            "Claude Code edited “Plans.md”; Deputy allowed it, once",
        ),
        (
            EDITED | {"files": [{"path": f"{name}.md", "change": "modify"} for name in "abcde"]},
            "Claude Code edited “a.md”, “b.md”, “c.md” and 2 more",
        ),
        (
            EDIT | {"success": True, "draft": "draft-1"},
            "Claude Code staged in a draft, which writes nothing: edit “Plans.md”",
        ),
        (
            EDIT | {"success": True, "parameters": {"action": "begin"}},
            "Claude Code used “Edit file”: “begin”",
        ),
        (EDIT | {"success": True}, "Claude Code changed nothing in “Plans.md”: it was so already"),
        (EDITED | {"role": "host", "client": "Obsidian"}, "You edited “Plans.md”"),
        (failed("timed_out"), "Claude Code wanted to edit “Plans.md”. Refused: nobody answered in time"),
        (failed("denied_by_rule"), "Claude Code wanted to edit “Plans.md”. Refused: your rules forbid it"),
        (
            failed(
                "denied_by_user",
                decisions=[ANSWER | {"outcome": "deny", "decision": "deny_once", "feedback": "Not this one"}],
            ),
            "Claude Code wanted to edit “Plans.md”. You denied it and said “Not this one”",
        ),
        (
            EDIT | {"success": False, "errorType": "not_found", "result": {"error": "There is no Plans.md"}},
            "Claude Code wanted to edit “Plans.md”. It failed: “There is no Plans.md”",
        ),
        (ALLOWED, "You allowed Edit file for “Plans.md”, once"),
        (
            ANSWER | {"by": None, "outcome": "deny", "rule": "timed_out"},
            "Edit file for “Plans.md” was refused: nobody answered in time",
        ),
        (GREP | {"kind": "decision", "outcome": "allow", "rule": "x"}, "Grep was allowed without a question"),
        (
            {"kind": "settings", "by": "Obsidian", "changes": {"consentTimeout": {"from": 300, "to": 60}}},
            "“Obsidian” changed “Time to answer”",
        ),
        ({"kind": "settings", "by": None, "changes": {"later": {}}}, "The settings were changed: “later”"),
        ({"kind": "grant", "event": "revoked", "by": "Obsidian", "byId": "host"}, "You took a remembered answer back"),
        ({"kind": "bridge", "event": "started"}, "The bridge started"),
        ({"kind": "log", "event": "cleared", "records": 1200}, "The log was cleared: 1,200 records"),
        ({"kind": "client", "event": "revoked", **CLAUDE}, "Claude Code was revoked"),
        ({"kind": "client", "event": "updated", **CLAUDE}, "Claude Code was given other tools, or other rights"),
        (
            {"kind": "client", "event": "widened", "what": "looking", "may": True, **CLAUDE},
            "Claude Code was allowed to see what you look at in Obsidian",
        ),
        (
            {"kind": "client", "event": "updated", "what": "showing", "may": False, **CLAUDE},
            "Claude Code is not allowed any more to open notes in Obsidian without a click",
        ),
        (
            {"kind": "client", "event": "updated", "what": "preset", "preset": "minimal", **CLAUDE},
            "Claude Code was given other tools: those of the preset minimal",
        ),
        ({"kind": "limit", "tool": "grep", **CLAUDE}, "Claude Code had to wait: too many calls of Grep in a minute"),
        (
            CLAUDE
            | {"kind": "count", "of": "execution", "tool": "grep", "errorType": "invalid_parameters", "count": 812},
            "Claude Code made calls of Grep 812 more times. Refused: the arguments were wrong",
        ),
        (
            CLAUDE | {"kind": "count", "of": "limit", "tool": "grep", "count": 1},
            "Claude Code had to wait 1 more time: too many calls of Grep in a minute",
        ),
        (
            {"kind": "count", "of": "delivery", "tool": None, "client": None, "count": 2},
            "Others got results again 2 more times",
        ),
        ({"kind": "network", "message": "GET https://example.org"}, "Network: “GET https://example.org”"),
        ({"kind": "later", "event": "x"}, "Later: “x”"),
    ],
)
def test_a_record_reads_as_a_sentence(record: dict[str, Any], words: str) -> None:
    assert sentence(record, TOOLS.get) == words


@pytest.mark.parametrize(
    ("caller", "who"),
    [
        ({"client": "a program without a name of its own", "clientId": "shared"}, "An unnamed program"),
        (
            {"client": "a program without a name of its own, calls itself 'Ada'", "clientId": "shared"},
            "“Ada” (not verified)",
        ),
        ({"client": "Ada"}, "“Ada”"),
        ({}, "An unnamed program"),
    ],
)
def test_only_a_name_that_the_person_gave_is_shown_without_quotation_marks(caller: dict[str, Any], who: str) -> None:
    record = {"kind": "execution", "tool": "grep", "success": True, **caller}
    assert sentence(record, TOOLS.get) == f"{who} searched the vault"


@pytest.mark.parametrize(
    ("name", "shown"), [("old_tool", "old_tool"), ("x {path} [y", "x path y"), ("{count:x}", "count:x")]
)
def test_a_tool_that_is_gone_is_named_as_it_was_called(name: str, shown: str) -> None:
    record = CLAUDE | {"kind": "execution", "tool": name, "success": True, "parameters": {"path": "Secret.md"}}
    assert sentence(record, TOOLS.get) == f"Claude Code used the tool “{shown}”"


@pytest.mark.parametrize("hidden", ["[PATH]", "[NOT LOGGED]", "[REDACTED]"])
def test_what_the_privacy_settings_keep_out_of_the_log_is_not_quoted(hidden: str) -> None:
    record = EDIT | {"success": True, "files": [{"path": hidden, "change": "modify"}], "parameters": {"path": hidden}}
    assert sentence(record, TOOLS.get) == "Claude Code edited a file"


ODD: tuple[Any, ...] = (
    None,
    5,
    "",
    "a\nb",
    [],
    [[]],
    {},
    {"error": []},
    {"reading": 5},
    {"items": [1]},
    [{"change": []}],
)
MEMBERS = ("client", "by", "of", "message", "grant", "changes", "result", "files", "parameters", "decisions", "preset")


@pytest.mark.parametrize("known", [{}, {"decisions": [{"decision": []}]}, {"grant": {"for": "a\nb"}}], ids=str)
@pytest.mark.parametrize(("kind", "event"), [("execution", ""), ("decision", ""), ("grant", "reading"), ("key", "set")])
def test_a_line_that_another_program_wrote_into_the_log_is_a_sentence_in_one_line_too(
    kind: str, event: str, known: dict[str, Any]
) -> None:
    for (name, odd), done in itertools.product(itertools.product(MEMBERS, ODD), (True, False)):
        for more in ({}, {"what": "preset"}, {"decision": "allow_once"}):
            record = {"kind": kind, "event": event, "tool": "edit_file", "success": done} | known | more | {name: odd}
            assert len(sentence(record, TOOLS.get).splitlines()) == 1, record
