"""`vault-bridge approve`, the real program in a real terminal."""

import asyncio
import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.patience import PATIENCE
from tests.people import let_read, person_at

pytestmark = pytest.mark.slow

Terminal = Callable[..., Any]
SGR_AND_OURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\(B|[\r\n]")


def run(*arguments: str, keys: str | None = None) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-m", "bridge", *arguments],
        input=keys,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )


@pytest.mark.parametrize(
    ("columns", "environment"),
    [(80, {}), (40, {}), (80, {"NO_COLOR": "1"}), (80, {"TERM": "dumb"})],
    ids=["80", "40", "no colour", "dumb"],
)
def test_a_yes_lets_the_change_through(
    served: Any, terminal: Terminal, columns: int, environment: dict[str, str]
) -> None:
    screen = terminal("approve", "--vault", str(served.vault), columns=columns, **environment)
    screen.see("Waiting for questions")
    call = served.patch("## New Section", reason="fix the heading")
    seen = screen.see("Your answer")
    for part in ("Apply patch", "HIGH RISK", "Robot", "fix the heading", "- ## Old Section", "+ ## New Section"):
        assert part in seen
    screen.type("\r")
    screen.see("Type one of these")
    assert not call.done()
    screen.type("y\r")
    screen.see("Allowed once.")
    assert call.result(PATIENCE).ok
    assert "## New Section" in (served.vault / "Ideas.md").read_text(encoding="utf-8")
    if "NO_COLOR" in environment or environment.get("TERM") == "dumb":
        assert not re.search(r"\x1b\[[0-9;]*3[0-7]m", screen.raw)
    screen.interrupt()
    assert screen.end() == 0


def test_a_no_reaches_the_agent_with_the_persons_words(served: Any, terminal: Terminal) -> None:
    call = served.patch("## New Section")
    served.pending(1)
    screen = terminal("approve", "--once", "--vault", str(served.vault))
    screen.see("Your answer")
    screen.type("m\r")
    screen.see("Message to the agent")
    screen.type("not this note\r")
    assert screen.end() == 0
    result = call.result(PATIENCE)
    assert result.code == "denied_by_user"
    assert result.data["feedback"] == "not this note"


def test_a_question_answered_elsewhere_is_taken_away_with_what_was_typed_for_it(
    served: Any, terminal: Terminal
) -> None:
    screen = terminal("approve", "--vault", str(served.vault))
    screen.see("Waiting for questions")
    first = served.patch("first")
    screen.see("+ first")
    screen.see("Your answer")
    second = served.patch("second", path="Notes/Meeting.md")
    screen.see("1 more waiting")
    screen.type("y")
    (asked, _) = served.pending(2)
    served.host("consent.respond", requestId=asked["requestId"], decision="deny_once")
    screen.see("It was answered elsewhere: deny, by Obsidian.")
    assert first.result(PATIENCE).code == "denied_by_user"
    screen.see("Your answer", after="+ second")
    screen.type("\r")
    screen.see("Type one of these")
    assert not second.done()
    screen.type("n\r")
    screen.see("Denied.")
    assert second.result(PATIENCE).code == "denied_by_user"


def test_pasted_lines_answer_one_question_only(served: Any, terminal: Terminal) -> None:
    calls = [served.patch("first")]
    served.pending(1)  # the order of the two is known only then
    calls.append(served.patch("second", path="Notes/Meeting.md"))
    served.pending(2)
    screen = terminal("approve", "--vault", str(served.vault))
    screen.see("1 more waiting")
    screen.type("y\ry\ry\r")
    screen.see("Allowed once.")
    screen.see("Your answer", after="+ second")
    assert len(served.pending(1)) == 1
    screen.type("n\r")
    screen.see("Denied.")
    assert sorted(call.result(PATIENCE).ok for call in calls) == [False, True]


def test_leaving_leaves_the_question_open(served: Any, terminal: Terminal) -> None:
    call = served.patch("first")
    served.pending(1)
    screen = terminal("approve", "--vault", str(served.vault))
    screen.see("Your answer")
    screen.interrupt()
    assert screen.end() == 0
    assert not call.done()
    assert len(served.pending(1)) == 1


def test_a_signal_to_end_leaves_the_question_open_and_the_terminal_as_it_was(served: Any, terminal: Terminal) -> None:
    served.patch("first")
    screen = terminal("approve", "--vault", str(served.vault))
    before = screen.modes()
    screen.see("Your answer")
    assert screen.modes() != before
    screen.child.kill(signal.SIGTERM)
    assert screen.end() == 0
    assert screen.modes() == before
    assert len(served.pending(1)) == 1


def test_the_screen_comes_back_with_the_bridge(served: Any, terminal: Terminal) -> None:
    screen = terminal("approve", "--vault", str(served.vault))
    screen.see("Waiting for questions")
    served.patch("first")
    screen.see("Your answer")
    served.stop()
    screen.see("Waiting for it to come back", after="The question was withdrawn")
    served.start()
    screen.see("The bridge is back.")
    call = served.patch("second")
    screen.see("Your answer", after="+ second")
    screen.type("y\r")
    assert call.result(PATIENCE).ok


ROW = 10
"""As many rows above the cursor are looked at first."""


def settled(screen: Any) -> None:
    """What decides is in the last rows, however little of the question can be seen."""
    seen = screen.last_rows(ROW)
    for part in ("Apply patch", "HIGH RISK", "Ideas.md", "asked by", "Robot", "Your answer"):
        assert part in seen, f"no {part!r} in\n{seen}"


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (100, 30), (140, 50)])
def test_on_a_small_screen_the_last_rows_say_tool_file_risk_and_who(
    served: Any, terminal: Terminal, columns: int, rows: int
) -> None:
    served.patch("".join(f"line {number}\n" for number in range(500)), reason="because " * 40)
    screen = terminal("approve", "--vault", str(served.vault), columns=columns, rows=rows)
    screen.see("Your answer")
    settled(screen)
    for keys, then in (("q", "Type one of these"), ("y", "was shown"), ("x", "goes back"), ("", "Your answer")):
        screen.type(f"{keys}\r")
        screen.see(then)
        if then != "goes back":
            screen.see("Your answer", after=then if then != "Your answer" else "goes back")
            settled(screen)


def test_an_answer_for_longer_is_confirmed_and_holds_as_it_said(served: Any, terminal: Terminal) -> None:
    with served.agent() as begin:
        first = begin("grep", pattern="fox")
        (question,) = served.pending(1)
        (offer,) = (option for option in question["options"] if option["suggested"])
        screen = terminal("approve", "--vault", str(served.vault), columns=140)
        screen.see("Your answer")
        screen.type("s\r")
        seen = screen.see("anything else goes back")
        assert offer["label"] in seen
        assert offer["sentence"] in " ".join(seen.split())
        assert not first.done()
        screen.type("y\r")
        screen.see("takes it back")
        assert first.result(PATIENCE).ok
        (grant,) = served.host("consent.grants")
        assert (grant["sentence"], grant["what"]) == (offer["sentence"], "reading")
        assert begin("read", path="Ideas.md").result(PATIENCE).ok


def test_a_second_key_that_is_no_yes_goes_back_to_the_question(served: Any, terminal: Terminal) -> None:
    call = served.patch("first")
    screen = terminal("approve", "--vault", str(served.vault))
    screen.see("Your answer")
    screen.type("x\r")
    screen.see("No program may change Ideas.md any more", after="Your answer")
    screen.type("\r")
    screen.see("Your answer", after="goes back")
    assert not call.done()
    assert served.host("consent.grants") == []


def test_a_second_key_that_was_typed_with_the_first_confirms_nothing(served: Any, terminal: Terminal) -> None:
    call = served.patch("first")
    screen = terminal("approve", "--vault", str(served.vault))
    screen.see("Your answer")
    screen.type("x\ry\r")
    screen.see("anything else goes back")
    screen.type("\r")
    screen.see("Your answer", after="goes back")
    assert not call.done()
    assert served.host("consent.grants") == []


def test_parts_of_a_change_are_left_out(served: Any, terminal: Terminal) -> None:
    note = served.vault / "Long.md"
    note.write_text("".join(f"line {number}\n" for number in range(1, 41)), encoding="utf-8")
    patches = [{"startLine": at, "endLine": at, "newContent": f"changed {at}"} for at in (1, 20, 40)]
    call = served.call("apply_patch", path="Long.md", patches=patches)
    screen = terminal("approve", "--vault", str(served.vault))
    assert "Leave parts out" in screen.see("Your answer")
    screen.type("h\r")
    screen.see("Leave out:", after="changed 40")
    screen.type("2\r")
    screen.see("To be allowed, once: 1, 3. To be left out: 2.")
    screen.type("y\r")
    screen.see("What you left out is not written.")
    assert call.result(PATIENCE).ok
    text = note.read_text(encoding="utf-8")
    assert [f"changed {at}\n" in text for at in (1, 20, 40)] == [True, False, True]


def test_files_that_belong_together_are_left_out_as_one(served: Any, terminal: Terminal) -> None:
    vault = served.vault
    served.host("settings.update", patch={"enabledTools": ["*"]})
    (vault / "Links.md").write_text("[[Ideas]] and [[Ideas]]\n", encoding="utf-8")

    async def stage(call: Any) -> None:
        async with person_at(vault) as person:
            await let_read(person, asyncio.wrap_future(call("read", path="Ideas.md")))
        await asyncio.wrap_future(call("draft", action="begin"))
        await asyncio.wrap_future(call("move_file", source="Ideas.md", destination="Archive/Thoughts.md"))
        await asyncio.wrap_future(call("create_note", path="New.md", content="new\n"))

    with served.agent() as call:
        served.run(stage(call))
        submitted = call("draft", action="submit")
        served.pending(1)
        screen = terminal("approve", "--vault", str(vault))
        assert "Leave parts out" in screen.see("Your answer")
        screen.type("h\r")
        assert re.search(r"\[1\] These \d+ files belong together", screen.see("Leave out:"))
        screen.type("1\r")
        screen.see("To be allowed, once: 2. To be left out: 1.")
        screen.type("y\r")
        screen.see("What you left out is not written.")
        assert submitted.result(PATIENCE).ok
        assert (vault / "Ideas.md").exists()
        assert (vault / "New.md").read_text(encoding="utf-8") == "new\n"
        assert (vault / "Links.md").read_text(encoding="utf-8") == "[[Ideas]] and [[Ideas]]\n"


@pytest.mark.parametrize(
    ("columns", "environment"), [(80, {}), (120, {}), (80, {"NO_COLOR": "1"})], ids=["80", "120", "no colour"]
)
def test_a_draft_is_shown_and_answered_by_its_numbered_parts_with_words_to_the_agent(
    served: Any, terminal: Terminal, columns: int, environment: dict[str, str]
) -> None:
    vault = served.vault
    served.host("settings.update", patch={"enabledTools": ["*"]})
    (vault / "Links.md").write_text("[[Ideas]]\n", encoding="utf-8")
    (vault / "Long.md").write_text("".join(f"line {at}\n" for at in range(1, 41)), encoding="utf-8")
    patches = [{"startLine": at, "endLine": at, "newContent": f"changed {at}"} for at in (1, 20, 40)]

    async def stage(call: Any) -> None:
        async with person_at(vault) as person:
            await let_read(person, asyncio.wrap_future(call("read", path="Ideas.md")))
        for tool, arguments in (
            ("draft", {"action": "begin"}),
            ("move_file", {"source": "Ideas.md", "destination": "Archive/Thoughts.md"}),
            ("apply_patch", {"path": "Long.md", "patches": patches}),
            ("create_note", {"path": "New.md", "content": "new\n"}),
        ):
            assert (await asyncio.wrap_future(call(tool, **arguments))).ok

    with served.agent() as call:
        served.run(stage(call))
        submitted = call("draft", action="submit")
        served.pending(1)
        screen = terminal("approve", "--vault", str(vault), columns=columns, **environment)
        seen = screen.see("Your answer")
        assert "5 parts, numbered in [ ]; h leaves some of them out." in seen
        order = [
            "[1] These 2 files belong together:",
            "  move Ideas.md → Archive/Thoughts.md",
            "[2-4] modify Long.md  +3 -3",
            "[2] @@ -1,4",
            "[3] @@ -17,7",
            "+ changed 20",
            "[4] @@ -37,4",
            "[5] create New.md  +1 -0",
        ]
        places = [seen.index(line) for line in order]
        assert places == sorted(places)
        assert all(len(row) <= columns for row in seen.splitlines())
        if environment:
            assert not re.search(r"\x1b\[[0-9;]*3[0-7]m", screen.raw)
        screen.type("t\r")
        screen.see("Message to the agent, sent with your answer")
        screen.type("Keep the ideas here\r")
        screen.see("With your answer: Keep the ideas here")
        screen.type("h 1 3\r")
        screen.see("To be allowed, once: 2, 4-5. To be left out: 1, 3.")
        screen.type("y\r")
        screen.see("What you left out is not written. The agent gets your message.")
        taken = submitted.result(PATIENCE)
        assert taken.ok
        assert taken.text.startswith("The user allowed this and said: Keep the ideas here\n")
        assert (vault / "Ideas.md").exists()
        text = (vault / "Long.md").read_text(encoding="utf-8")
        assert [f"changed {at}\n" in text for at in (1, 20, 40)] == [True, False, True]
        assert (vault / "New.md").exists()


def test_a_question_can_wait_until_later(served: Any, terminal: Terminal) -> None:
    first = served.patch("first")
    served.pending(1)
    second = served.patch("second", path="Notes/Meeting.md")
    served.pending(2)
    screen = terminal("approve", "--vault", str(served.vault))
    screen.see("Your answer")
    screen.type("l\r")
    screen.see("Your answer", after="+ second")
    screen.type("n\r")
    assert second.result(PATIENCE).code == "denied_by_user"
    screen.see("1 question is set aside (expires in")
    assert not first.done()
    screen.type("\r")
    screen.see("Your answer", after="1 question is set aside")
    screen.type("y\r")
    assert first.result(PATIENCE).ok


def test_all_questions_of_one_client_are_answered_from_one_list(served: Any, terminal: Terminal) -> None:
    calls = []
    for count, path in enumerate(("Ideas.md", "Notes/Meeting.md"), 1):
        calls.append(served.patch(f"text {count}", path=path))
        served.pending(count)
    screen = terminal("approve", "--vault", str(served.vault))
    screen.see("2 questions of this client are open: c shows them together.")
    screen.type("c\r")
    seen = screen.see("Your answer to all of these")
    for part in ("1. ", "+ text 1", "2. ", "+ text 2", "Allow all 2 once"):
        assert part in seen
    screen.type("y\r")
    screen.see("Allowed once: 2 of 2.")
    assert all(call.result(PATIENCE).ok for call in calls)
    assert served.host("consent.pending") == []


def test_the_text_is_edited_and_what_was_seen_then_is_written(served: Any, terminal: Terminal, tmp_path: Path) -> None:
    script = tmp_path / "editor.py"
    script.write_text(
        "import pathlib, sys\n"
        "file = pathlib.Path(sys.argv[-1])\n"
        "file.write_text(file.read_text().replace('proposed', 'my own'))\n",
        encoding="utf-8",
    )
    call = served.patch("## proposed heading")
    screen = terminal("approve", "--vault", str(served.vault), EDITOR=f"{sys.executable} {script}", VISUAL="")
    screen.see("Your answer")
    screen.type("e\r")
    seen = screen.see("Your answer", after="The proposal has changed.")
    assert "+ ## my own heading" in seen.partition("The proposal has changed.")[2]
    assert not call.done()
    screen.type("y\r")
    result = call.result(PATIENCE)
    assert result.ok
    assert "## my own heading\n" in (served.vault / "Ideas.md").read_text(encoding="utf-8")


def test_without_an_editor_it_says_how_to_set_one(served: Any, terminal: Terminal) -> None:
    call = served.patch("## proposed heading")
    screen = terminal("approve", "--vault", str(served.vault), EDITOR="", VISUAL="")
    screen.see("Your answer")
    screen.type("e\r")
    screen.see("Your answer", after="export EDITOR=nano")
    assert not call.done()


def test_a_question_that_was_edited_elsewhere_is_drawn_anew(served: Any, terminal: Terminal) -> None:
    call = served.patch("## proposed heading")
    (question,) = served.pending(1)
    screen = terminal("approve", "--vault", str(served.vault))
    screen.see("Your answer")
    text = {"path": "Ideas.md", "hunk": 0, "text": "# Edited in Obsidian\n"}
    shown = {"requestId": question["requestId"], "planDigest": question["planDigest"]}
    assert served.host("consent.revise", **shown, **text)["accepted"]
    screen.see("+ # Edited in Obsidian", after="The proposal has changed.")
    screen.see("Your answer", after="+ # Edited in Obsidian")
    screen.type("n\r")
    assert call.result(PATIENCE).code == "denied_by_user"


@pytest.mark.parametrize("environment", [{}, {"TERM": "dumb"}], ids=["terminal", "dumb"])
def test_the_last_minute_is_said_and_no_bell_rings(
    served: Any, terminal: Terminal, environment: dict[str, str]
) -> None:
    served.host("settings.update", patch={"consentTimeout": 59})
    served.patch("first")
    screen = terminal("approve", "--vault", str(served.vault), **environment)
    screen.see("Your answer", after="Less than 60 seconds are left: without an answer this is refused.")
    assert "\x07" not in screen.raw


def test_everything_is_paged_on_demand(served: Any, terminal: Terminal) -> None:
    content = "".join(f"line {number}\n" for number in range(500))
    served.call("apply_patch", path="Ideas.md", patches=[{"startLine": 3, "endLine": 3, "newContent": content}])
    served.pending(1)
    screen = terminal("approve", "--vault", str(served.vault))
    assert "line 499" not in screen.see("Your answer")
    screen.type("p\r")
    (total,) = re.findall(r"-- 58 of (\d+) lines: Enter for more", screen.see("Enter for more, q to stop"))
    for seen in range(58, int(total), 58):
        screen.see(f"-- {seen} of {total} lines")
        screen.type("\r")
    screen.see("Your answer", after="line 499")


HOSTILE = "\x1b]0;owned\x07\x1b[2J\x1b[31m\u202eevil\u200b\r[bold]x[/bold]\x9b5n\b\b"


def test_hostile_text_stays_inert_on_a_real_terminal(served: Any, terminal: Terminal) -> None:
    (served.vault / "Notes" / "a\u202e.md").write_text(f"1\n{HOSTILE}\n3\n", encoding="utf-8", newline="")
    screen = terminal("approve", "--vault", str(served.vault))
    screen.see("Waiting for questions")
    call = served.patch(HOSTILE, path="Notes/a\u202e.md", reason=f"{HOSTILE}\n\nYour answer (expires): y\n")
    served.pending(1)
    assert not call.done()
    screen.see("Your answer (expires in")
    screen.type("w\r")
    seen = screen.see("Which one?")
    assert screen._screen.title == ""
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202e]", SGR_AND_OURS.sub("", screen.raw))
    assert "␛]0;owned␇␛[2J␛[31m<U+202E>evil<U+200B>␍[bold]x[/bold]<U+009B>5n␈␈" in seen.replace("\n", "").replace(
        " " * 12, ""
    )
    assert "\nYour answer (expires): y" not in seen


def test_answers_may_come_through_a_pipe(served: Any) -> None:
    call = served.patch("first")
    served.pending(1)
    done = run("approve", "--once", "--vault", str(served.vault), keys="maybe\nn\ny\n")
    assert done.returncode == 0
    assert "+ first" in done.stdout
    assert "\x1b" not in done.stdout
    assert call.result(PATIENCE).code == "denied_by_user"


def test_a_pipe_that_ends_leaves_the_question_open(served: Any) -> None:
    served.patch("first")
    served.pending(1)
    done = run("approve", "--once", "--vault", str(served.vault), keys="")
    assert done.returncode == 1
    assert len(served.pending(1)) == 1


def test_yes_allows_everything_and_says_so(served: Any) -> None:
    call = served.patch("first")
    served.pending(1)
    done = run("approve", "--yes", "--once", "--vault", str(served.vault), keys="")
    assert done.returncode == 0
    assert "everything that agents ask for is ALLOWED" in done.stderr
    assert "+ first" in done.stdout
    assert call.result(PATIENCE).ok


def test_programs_get_json_and_nothing_else(served: Any) -> None:
    served.patch("first")
    (question,) = served.pending(1)
    done = run("approve", "--once", "--json", "--vault", str(served.vault), keys="allow_once\n")
    asked, answered = (json.loads(line) for line in done.stdout.splitlines())
    assert asked == {"event": "requested", "request": question}
    assert answered["decision"] == "allow_once"


def test_it_waits_for_a_bridge_that_is_not_there_yet(vault: Path, terminal: Terminal) -> None:
    screen = terminal("approve", "--vault", str(vault))
    screen.see("No bridge serves this vault yet. Waiting for one to start")
    terminal("serve", "--vault", str(vault))
    screen.see("Waiting for questions")


def test_nothing_is_said_to_be_allowed_where_there_is_no_vault(tmp_path: Path) -> None:
    done = run("approve", "--yes", "--vault", str(tmp_path / "none"), keys="")
    assert done.returncode == 2
    assert "ALLOWED" not in done.stderr
