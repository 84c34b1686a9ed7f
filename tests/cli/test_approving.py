"""`vault-bridge approve`, the real program in a real terminal."""

import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

Terminal = Callable[..., Any]
SGR_AND_OURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\(B|[\r\n\x07]")


def run(*arguments: str, keys: str | None = None) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-m", "bridge", *arguments],
        input=keys,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=20,
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
    for part in ("Apply Patch", "HIGH RISK", "Robot", "fix the heading", "- ## Old Section", "+ ## New Section"):
        assert part in seen
    screen.type("\r")
    screen.see("Type one of these")
    assert not call.done()
    screen.type("y\r")
    screen.see("Allowed once.")
    assert call.result(20).ok
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
    result = call.result(20)
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
    assert first.result(20).code == "denied_by_user"
    screen.see("Your answer", after="+ second")
    screen.type("\r")
    screen.see("Type one of these")
    assert not second.done()
    screen.type("n\r")
    screen.see("Denied.")
    assert second.result(20).code == "denied_by_user"


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
    assert sorted(call.result(20).ok for call in calls) == [False, True]


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
    assert call.result(20).ok


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
    seen = screen.see("Your answer (expires in")
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
    assert call.result(20).code == "denied_by_user"


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
    assert call.result(20).ok


def test_programs_get_json_and_nothing_else(served: Any) -> None:
    served.patch("first")
    (question,) = served.pending(1)
    done = run("approve", "--once", "--json", "--vault", str(served.vault), keys="allow_once\n")
    asked, answered = (json.loads(line) for line in done.stdout.splitlines())
    assert asked == {"event": "requested", "request": question}
    assert answered["decision"] == "allow_once"


def test_without_a_bridge_it_says_how_to_start_one(vault: Path) -> None:
    done = run("approve", "--vault", str(vault))
    assert done.returncode == 1
    assert "vault-bridge serve" in done.stderr
