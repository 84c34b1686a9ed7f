"""The consent question on a real (emulated) screen: complete, readable at every width, and not to be forged."""

import io
import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pyte
import pytest
from rich.console import Console
from rich.text import Text

from bridge.cli.question_screen import choice_lines, draw_question
from bridge.contract.consent import ConsentRequest, Decision

pytestmark = pytest.mark.slow

Make = Callable[..., ConsentRequest]

SGR = re.compile(r"\x1b\[[0-9;]*m")


def written(lines: list[Text], width: int) -> str:
    """What a terminal gets."""
    stream = io.StringIO()
    console = Console(file=stream, width=width, force_terminal=True, markup=False, highlight=False, emoji=False)
    for line in lines:
        console.print(line, no_wrap=True, overflow="ignore", crop=False)
    return stream.getvalue()


def shown(output: str, width: int) -> list[str]:
    """What a terminal of that width makes of it."""
    screen = pyte.Screen(width, output.count("\n") + 10)
    screen.set_mode(pyte.modes.LNM)
    pyte.Stream(screen).feed(output)
    assert screen.title == ""
    rows = [row.rstrip() for row in screen.display]
    while rows and not rows[-1]:
        rows.pop()
    return rows


def drawn(request: ConsentRequest, now: datetime, width: int = 80, *, full: bool = False) -> list[str]:
    screen = draw_question(request, width=width, now=now, full=full)
    lines = [*screen.lines, *choice_lines(request, width, cut=screen.cut)]
    rows = shown(written(lines, width), width)
    assert len(rows) <= len(lines), "a line was wider than the screen"
    return rows


def test_the_whole_question_is_there(make_request: Make, now: datetime) -> None:
    text = "\n".join(drawn(make_request(), now))
    for part in (
        "Apply Patch",
        "[HIGH RISK]",
        "Edit Notes/Meeting.md: 1 line changed",
        "calls itself Claude Code",
        "fix the link",
        "Changes lines.",
        'path: "Notes/Meeting.md"',
        "startLine: 6",
        "+1 -1",
        " 6   - The fox links to [[Plan]] and jumps.",
        "   6 + The fox links to [[Plan B]] and jumps.",
        "2 notes link here",
        ".vault-bridge/backups/patch-1/",
        "expires in 5 min 0 s",
        "“always allow” is not offered for this tool: it asks every time",
    ):
        assert part in text


@pytest.mark.parametrize("width", [20, 40, 80, 120])
def test_it_fits_every_width(make_request: Make, now: datetime, width: int) -> None:
    rows = drawn(make_request(summary="word " * 40, client="c" * 200, targets=["t/" * 100]), now, width)
    assert all(len(row) <= width for row in rows)


@pytest.mark.parametrize(("risk", "badge"), [("safe", "SAFE"), ("low", "LOW"), ("medium", "MEDIUM"), ("high", "HIGH")])
def test_the_risk_is_said_in_words_too(make_request: Make, now: datetime, risk: str, badge: str) -> None:
    assert badge in drawn(make_request(riskLevel=risk), now)[1]


@pytest.mark.parametrize(
    ("offered", "keys"),
    [
        (["allow_once", "deny_once", "deny_always"], "y n x m"),
        (["allow_once", "allow_session", "deny_once", "deny_session", "deny_always"], "y s n d x m"),
        ([decision.value for decision in Decision], "y s a n d x m"),
        (["deny_once"], "n m"),
    ],
)
def test_only_what_is_offered_can_be_chosen(make_request: Make, offered: list[str], keys: str) -> None:
    lines = "  ".join(line.plain for line in choice_lines(make_request(choices=offered), 200, cut=False))
    assert re.findall(r"(?:^|  ) (\w) ", lines) == keys.split()


def test_without_colours_nothing_is_lost(make_request: Make, now: datetime) -> None:
    screen = draw_question(make_request(), width=80, now=now)
    stream = io.StringIO()
    console = Console(file=stream, width=80, force_terminal=True, no_color=True, markup=False, highlight=False)
    for line in screen.lines:
        console.print(line, no_wrap=True)
    assert SGR.sub("", stream.getvalue()) == "".join(line.plain + "\n" for line in screen.lines)
    assert not re.search(r"\x1b\[[0-9;]*(3[0-7]|4[0-7])[;m]", stream.getvalue())


def test_a_text_that_the_diff_shows_is_not_repeated(make_request: Make, now: datetime) -> None:
    same = "## Agenda\nThe fox links to [[Plan B]] and jumps.\n"
    other = "## Agenda\nThe fox links to [[Plan C]] and jumps.\n"
    assert "2 lines, in the diff below" in "\n".join(drawn(make_request(parameters={"newContent": same}), now))
    assert "[[Plan C]]" in "\n".join(drawn(make_request(parameters={"newContent": other}), now))


def test_a_patch_that_is_the_diff_is_not_repeated(make_request: Make, now: datetime) -> None:
    patch = (
        "--- a\n+++ b\n@@ -6 +6 @@\n-The fox links to [[Plan]] and jumps.\n+The fox links to [[Plan B]] and jumps.\n"
    )
    rows = drawn(make_request(parameters={"patch": patch}), now)
    assert "  patch: 5 lines, in the diff below" in rows


def test_a_long_parameter_is_cut_and_says_so(make_request: Make, now: datetime) -> None:
    request = make_request(parameters={"content": "\n".join(f"line {number}" for number in range(100))})
    assert "    │ line 99" not in drawn(request, now)
    assert any("88 more lines: p shows all" in row for row in drawn(request, now))
    assert any("show all of it first" in row for row in drawn(request, now))
    assert "    │ line 99" in drawn(request, now, full=True)


def test_a_huge_text_is_not_drawn_before_it_is_wanted(make_request: Make, now: datetime) -> None:
    request = make_request(parameters={"content": "\x1b" * 1_000_000}, preview=None)
    screen = draw_question(request, width=80, now=now)
    assert screen.cut
    assert any("1000000 characters in all: p shows all" in line.plain for line in screen.lines)
    assert len(screen.lines) < 40


def test_many_targets_are_counted_and_shown_on_demand(make_request: Make, now: datetime) -> None:
    request = make_request(targets=[f"{number}.md" for number in range(100)])
    assert any("90 more targets: p shows all" in row for row in drawn(request, now))
    assert any("99.md" in row for row in drawn(request, now, full=True))


def test_a_long_diff_is_cut_and_says_so(make_request: Make, now: datetime) -> None:
    diff = "@@ -0,0 +1,1000 @@\n" + "".join(f"+line {number}\n" for number in range(1000))
    preview = {"files": [{"path": "a.md", "change": "create", "added": 1000, "diff": diff}]}
    request = make_request(preview=preview)
    assert any("more of this diff (1001 rows): p shows all" in row for row in drawn(request, now))
    assert "      1000 + line 999" in drawn(request, now, full=True)


def test_of_many_files_the_move_comes_first_and_the_last_are_named(make_request: Make, now: datetime) -> None:
    diff = "@@ -1 +1 @@\n-[[Old]]\n+[[New]]\n"
    changed = [{"path": f"{n}.md", "change": "modify", "added": 1, "removed": 1, "diff": diff} for n in range(200)]
    preview = {"files": [*changed, {"path": "Old.md", "newPath": "New.md", "change": "move"}]}
    request = make_request(preview=preview)
    rows = drawn(request, now)
    assert rows.index("move Old.md → New.md") < rows.index("modify 0.md  +1 -1")
    assert sum("[[New]]" in row for row in rows) < 200
    assert any("more files: p shows all" in row for row in rows)
    assert sum("[[New]]" in row for row in drawn(request, now, full=True)) == 200


def test_a_diff_that_was_not_sent_whole_is_called_so(make_request: Make, now: datetime) -> None:
    preview = {"files": [{"path": "a.md", "change": "create", "diff": "@@ -0,0 +1 @@\n+a\n", "truncated": True}]}
    assert "NOT shown here" in " ".join(" ".join(drawn(make_request(preview=preview), now)).split())


def test_a_move_shows_both_places(make_request: Make, now: datetime) -> None:
    preview = {"files": [{"path": "a.md", "newPath": "b/a.md", "change": "move"}]}
    assert "move a.md → b/a.md" in drawn(make_request(preview=preview), now)


def test_a_change_without_a_backup_is_called_so(make_request: Make, now: datetime) -> None:
    preview = {"files": [{"path": "a.md", "change": "delete"}], "backup": None}
    assert "none is kept: this cannot be undone" in " ".join(drawn(make_request(preview=preview), now))


def test_the_exact_request_of_another_effect_is_shown(make_request: Make, now: datetime) -> None:
    preview = {"request": "GET https://example.org/\nAccept: text/html"}
    rows = drawn(make_request(preview=preview), now)
    assert rows[rows.index("Exactly this") + 1 :][:2] == ["  │ GET https://example.org/", "  │ Accept: text/html"]


def test_a_question_without_a_preview_is_drawn(make_request: Make, now: datetime) -> None:
    rows = drawn(make_request(preview=None, reason=None, parameters={}, targets=[]), now)
    assert not any(row.startswith(("Parameters", "Target", "It says")) for row in rows)


def test_an_expired_question_says_so(make_request: Make, now: datetime) -> None:
    assert any("(expired)" in row for row in drawn(make_request(expiresAt="2026-03-14T11:00:00.000Z"), now))


HOSTILE = {
    "markup": "[bold red]x[/bold red][/][link=http://x]y[/link]",
    "emoji codes": ":smile: :warning:",
    "colour": "\x1b[32mgreen\x1b[0m",
    "cursor": "\x1b[2J\x1b[H\x1b[10A\x1b[999D",
    "title": "\x1b]0;owned\x07\x1b]2;owned\x1b\\",
    "hyperlink": "\x1b]8;;http://evil\x1b\\click\x1b]8;;\x1b\\",
    "8-bit controls": "\x9b2J\x9d0;owned\x9c\x90q\x9c",
    "return": "safe\r                    \revil",
    "backspace": "evil\b\b\b\bsafe",
    "vertical": "a\x0bb\x0cc\x85d",
    "shift out": "\x0e\x0f\x07\x00\x7f",
    "bidi": "\u202egnp.exe\u202c \u2066x\u2069 \u200fx",
    "zero width": "ad\u200bmin\u200c\u200d\u2060\ufeff",
    "separators": "a\u2028b\u2029c",
    "tags": "a\U000e0041\U000e0042",
    "forged answer": "\n\nYour answer (expires in 5 min): y\nAllowed once.\n",
    "forged screen": "\n" + "━" * 80 + "\nTarget      harmless.md\n",
    "long": "x" * 3000,
    "wide": "日" * 500,
    "zalgo": "e" + "\u0301" * 500,
    "surrogate": "\ud83d",
}


def everywhere(text: str) -> dict[str, Any]:
    """Members of a question with `text` in every place that others write."""
    lines = text.split("\n")
    diff = f"@@ -1 +1,{len(lines)} @@\n-old\n" + "".join(f"+{line}\n" for line in lines)
    return {
        "client": text,
        "reason": text,
        "summary": text,
        "targets": ["a.md", text],
        "tool": {"name": text, "title": text, "description": text, "icon": text},
        "parameters": {text: 1, "a": text, "b": [text, {text: text}], "c": {"d": {text: {text: None}}}},
        "preview": {
            "files": [{"path": text, "newPath": text, "change": "modify", "diff": diff}],
            "backup": text,
            "warnings": [text],
            "request": text,
        },
    }


def own_words(rows: list[str]) -> list[str]:
    """The first word of every line that begins at the left edge, but those whose place depends on the width."""
    words = [row.split(" ")[0] for row in rows if row[:1].strip()]
    return [word for word in words if word not in {"In", "[HIGH", "🔧"}]


@pytest.mark.parametrize("vector", HOSTILE)
@pytest.mark.parametrize("width", [40, 80])
def test_hostile_text_is_inert(make_request: Make, now: datetime, vector: str, width: int) -> None:
    """Nothing but our own colours reaches the terminal, no line leaves its place, and none looks like ours."""
    screen = draw_question(make_request(**everywhere(HOSTILE[vector])), width=width, now=now, full=True)
    output = written(screen.lines, width)
    assert "\x1b" not in SGR.sub("", output)
    assert not re.search("[\x00-\x09\x0b-\x1a\x1c-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]", output)
    rows = shown(output, width)
    assert len(rows) <= len(screen.lines)
    honest = draw_question(make_request(**everywhere("x")), width=width, now=now, full=True)
    assert own_words(rows) == own_words(shown(written(honest.lines, width), width))


def test_what_a_reason_forges_stands_indented(make_request: Make, now: datetime) -> None:
    rows = drawn(make_request(reason=HOSTILE["forged answer"]), now)
    assert "            Your answer (expires in 5 min): y" in rows
    assert "Your answer (expires in 5 min): y" not in rows


NAMED = {"clientId": "5e1f0c9a77d2", "client": "Claude Code", "verified": True}
UNNAMED = {
    "clientId": "shared",
    "client": "a program without a name of its own, calls itself 'Ada'",
    "callsItself": "Ada",
}
LADDER = [
    {"reach": "file", "keys": ["Notes/Meeting.md"], "label": "Notes/Meeting.md"},
    {"reach": "folder", "keys": ["Notes/"], "label": "the folder Notes/"},
]
LONGER = {"choices": [decision.value for decision in Decision], "ladder": LADDER}


@pytest.mark.parametrize(
    ("members", "asker"),
    [
        (NAMED, "Asked by    Claude Code"),
        (NAMED | {"callsItself": "Claude Code"}, "Asked by    Claude Code"),
        (NAMED | {"callsItself": "claude 2"}, "Asked by    Claude Code, calls itself claude 2"),
        (UNNAMED, "Asked by    a program without a name of its own, calls itself Ada (unverified)"),
        (UNNAMED | {"callsItself": None}, "Asked by    a program without a name of its own"),
    ],
)
def test_the_asker_is_the_name_that_the_person_gave_or_none(
    make_request: Make, now: datetime, members: dict[str, Any], asker: str
) -> None:
    assert asker in drawn(make_request(**members), now)


def test_a_name_cannot_pass_for_one_that_the_person_gave(make_request: Make, now: datetime) -> None:
    rows = drawn(make_request(**UNNAMED | {"callsItself": "Claude Code (verified)"}), now)
    assert any(row.startswith("Asked by    a program without a name of its own, calls itself ") for row in rows)


@pytest.mark.parametrize(
    ("members", "holders"),
    [
        (NAMED, ["Claude Code", "Claude Code", "Claude Code", "every program"]),
        (
            UNNAMED,
            [
                "this connection of the program",
                "programs without a name of their own",
                "programs without a name of their own",
                "every program",
            ],
        ),
    ],
)
def test_each_longer_answer_says_whom_it_holds_for(
    make_request: Make, now: datetime, members: dict[str, Any], holders: list[str]
) -> None:
    text = " ".join(" ".join(drawn(make_request(**members, **LONGER), now)).split())
    labels = ("allow for this session", "always allow", "deny for this session", "never allow")
    for label, holder in zip(labels, holders, strict=True):
        assert f"“{label}” holds for {holder}" in text


@pytest.mark.parametrize(
    ("members", "reach"),
    [
        ({"covers": "tool"}, "every use of Apply Patch"),
        ({"covers": "target"}, "Notes/Meeting.md"),
        ({"covers": "target", "ladder": [], "targets": ["a.md", "b.md"]}, "these targets"),
    ],
)
def test_where_a_longer_answer_reaches_is_said(
    make_request: Make, now: datetime, members: dict[str, Any], reach: str
) -> None:
    assert f"Reaches     {reach}" in drawn(make_request(**NAMED, **LONGER | members), now)
