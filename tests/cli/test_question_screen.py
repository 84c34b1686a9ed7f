"""The consent question on a real (emulated) screen: complete, readable at every width, and not to be forged."""

import io
import re
from collections.abc import Callable
from typing import Any

import pyte
import pytest
from rich.console import Console
from rich.text import Text

from bridge.cli.answer_keys import draw_legend, draw_options, offered_keys
from bridge.cli.question_screen import draw_in_short, draw_list, draw_question
from bridge.contract.consent import ConsentRequest, Decision, ShownPicture
from bridge.vault.plan import Change, ChangeKind, content_hash, preview
from tests.cli.offers import OPTIONS

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


def drawn(request: ConsentRequest, width: int = 80, *, full: bool = False) -> list[str]:
    screen = draw_question(request, width=width, full=full)
    legend = draw_legend(offered_keys(request, cut=screen.cut), width)
    lines = [*screen.lines, *legend, *draw_in_short([request], width)]
    rows = shown(written(lines, width), width)
    assert len(rows) <= len(lines), "a line was wider than the screen"
    return rows


def test_the_whole_question_is_there(make_request: Make) -> None:
    text = "\n".join(drawn(make_request()))
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
    ):
        assert part in text


@pytest.mark.parametrize("width", [20, 40, 80, 120])
def test_it_fits_every_width(make_request: Make, width: int) -> None:
    rows = drawn(make_request(summary="word " * 40, client="c" * 200, targets=["t/" * 100]), width)
    assert all(len(row) <= width for row in rows)


@pytest.mark.parametrize(("risk", "badge"), [("safe", "SAFE"), ("low", "LOW"), ("medium", "MEDIUM"), ("high", "HIGH")])
def test_the_risk_is_said_in_words_too(make_request: Make, risk: str, badge: str) -> None:
    assert badge in drawn(make_request(riskLevel=risk))[1]


@pytest.mark.parametrize(
    ("offered", "keys"),
    [
        (["allow_once", "deny_once", "deny_always"], "y n m t l x w"),
        (["allow_once", "allow_session", "deny_once", "deny_session", "deny_always"], "y n m t l s d x w"),
        ([decision.value for decision in Decision], "y n m t l s a d x w"),
        (["deny_once"], "n m t l"),
    ],
)
def test_only_what_is_offered_can_be_chosen(make_request: Make, offered: list[str], keys: str) -> None:
    legend = draw_legend(offered_keys(make_request(choices=offered), cut=False), 200)
    lines = "  ".join(line.plain for line in legend)
    assert re.findall(r"(?:^|  ) (\w) ", lines) == keys.split()


def test_without_colours_nothing_is_lost(make_request: Make) -> None:
    screen = draw_question(make_request(), width=80)
    stream = io.StringIO()
    console = Console(file=stream, width=80, force_terminal=True, no_color=True, markup=False, highlight=False)
    for line in screen.lines:
        console.print(line, no_wrap=True)
    assert SGR.sub("", stream.getvalue()) == "".join(line.plain + "\n" for line in screen.lines)
    assert not re.search(r"\x1b\[[0-9;]*(3[0-7]|4[0-7])[;m]", stream.getvalue())


@pytest.mark.parametrize("width", [24, 80])
@pytest.mark.parametrize("others", [0, 2])
def test_an_image_is_named_with_its_kind_and_size_and_its_bytes_are_not_printed(
    make_request: Make, width: int, others: int
) -> None:
    image = b"\x89PNG\r\n\x1a\n" + b"\0" * 1226
    picture = ShownPicture(mime_type="image/png", data="QUJD" * 400, width=1600, height=1067)
    made = Change(ChangeKind.CREATE, "files/Cat.png", after=content_hash(image))
    files = [preview(made, None, image, picture=picture)]
    for number in range(others):
        note = Change(ChangeKind.CREATE, f"Cat {number}.md", after=content_hash(b"![[Cat.png]]\n"))
        files.append(preview(note, None, b"![[Cat.png]]\n"))
    rows = drawn(make_request(preview={"files": [file.to_wire() for file in files]}), width)
    said = "".join("".join(rows).split())
    assert "createfiles/Cat.pngAnimageof1,600by1,067pixels(1,234bytes)" in said
    assert "QUJD" not in said


def test_a_text_that_the_diff_shows_is_not_repeated(make_request: Make) -> None:
    same = "## Agenda\nThe fox links to [[Plan B]] and jumps.\n"
    other = "## Agenda\nThe fox links to [[Plan C]] and jumps.\n"
    assert "2 lines, in the diff below" in "\n".join(drawn(make_request(parameters={"newContent": same})))
    assert "[[Plan C]]" in "\n".join(drawn(make_request(parameters={"newContent": other})))


def test_a_patch_that_is_the_diff_is_not_repeated(make_request: Make) -> None:
    patch = (
        "--- a\n+++ b\n@@ -6 +6 @@\n-The fox links to [[Plan]] and jumps.\n+The fox links to [[Plan B]] and jumps.\n"
    )
    rows = drawn(make_request(parameters={"patch": patch}))
    assert "  patch: 5 lines, in the diff below" in rows


def test_a_long_parameter_is_cut_and_says_so(make_request: Make) -> None:
    request = make_request(parameters={"content": "\n".join(f"line {number}" for number in range(100))})
    assert "    │ line 99" not in drawn(request)
    assert any("88 more lines: p shows all" in row for row in drawn(request))
    assert any("Show all of it first" in row for row in drawn(request))
    assert "    │ line 99" in drawn(request, full=True)


def test_a_huge_text_is_not_drawn_before_it_is_wanted(make_request: Make) -> None:
    request = make_request(parameters={"content": "\x1b" * 1_000_000}, preview=None)
    screen = draw_question(request, width=80)
    assert screen.cut
    assert any("1000000 characters in all: p shows all" in line.plain for line in screen.lines)
    assert len(screen.lines) < 40


def test_many_targets_are_counted_and_shown_on_demand(make_request: Make) -> None:
    request = make_request(targets=[f"{number}.md" for number in range(100)])
    assert any("90 more targets: p shows all" in row for row in drawn(request))
    assert any("99.md" in row for row in drawn(request, full=True))


def test_a_long_diff_is_cut_and_says_so(make_request: Make) -> None:
    diff = "@@ -0,0 +1,1000 @@\n" + "".join(f"+line {number}\n" for number in range(1000))
    preview = {"files": [{"path": "a.md", "change": "create", "added": 1000, "diff": diff}]}
    request = make_request(preview=preview)
    assert any("more of this diff (1,001 rows): p shows all" in row for row in drawn(request))
    assert "      1000 + line 999" in drawn(request, full=True)


def test_of_many_files_the_move_comes_first_and_the_last_are_named(make_request: Make) -> None:
    diff = "@@ -1 +1 @@\n-[[Old]]\n+[[New]]\n"
    changed = [{"path": f"{n}.md", "change": "modify", "added": 1, "removed": 1, "diff": diff} for n in range(200)]
    preview = {"files": [*changed, {"path": "Old.md", "newPath": "New.md", "change": "move"}]}
    request = make_request(preview=preview)
    rows = drawn(request)
    assert rows.index("move Old.md → New.md") < rows.index("modify 0.md  +1 -1")
    assert sum("[[New]]" in row for row in rows) < 200
    assert any("more files: p shows all" in row for row in rows)
    assert sum("[[New]]" in row for row in drawn(request, full=True)) == 200


def test_files_in_which_only_links_follow_are_one_line(make_request: Make) -> None:
    diff = "@@ -1 +1 @@\n-[[Old]]\n+[[New]]\n"
    linking = [f"{number}.md" for number in range(300)]
    follow = {"change": "modify", "added": 1, "removed": 1, "diff": diff, "follows": True}
    files = [
        {"path": "New", "change": "mkdir"},
        *({"path": path} | follow for path in linking),
        {"path": "Old.md", "newPath": "New/Old.md", "change": "move"},
    ]
    request = make_request(preview={"files": files}, targets=["Old.md", "New/Old.md", *linking], parameters={})
    rows = drawn(request)
    assert len(rows) < 30
    assert "  … in 300 more files only links follow, in 300 lines: p shows all" in rows
    assert "            Old.md → New/Old.md and 300 more" in rows
    assert rows[rows.index("Targets     Old.md") + 1] == "            New/Old.md"
    assert draw_question(request, width=80).hidden == (), "a yes need not be asked for twice"
    assert sum("[[New]]" in row for row in drawn(request, full=True)) == 300


def test_what_can_be_left_out_stands_under_its_number_with_what_it_belongs_to(make_request: Make) -> None:
    link = "@@ -1 +1 @@\n-[[Old]]\n+[[New]]\n"
    follow = {"change": "modify", "added": 1, "removed": 1, "diff": link, "follows": True, "unit": "1"}
    two = "@@ -1 +1 @@\n-a\n+b\n@@ -9 +9 @@\n-c\n+d\n"
    files = [
        {"path": "Home.md"} | follow,
        {"path": "Long.md", "change": "modify", "added": 2, "removed": 2, "diff": two},
        {"path": "Old.md", "newPath": "New.md", "change": "move", "unit": "1"},
        {"path": "Made.md", "change": "create", "added": 1, "diff": "@@ -0,0 +1 @@\n+new\n"},
    ]
    request = make_request(preview={"files": files}, hunksSupported=True)
    rows = drawn(request)
    assert "4 parts, numbered in [ ]; h leaves some of them out." in rows
    at = rows.index("[1] These 2 files belong together:")
    assert rows[at + 1 : at + 3] == [
        "  move Old.md → New.md",
        "  … in 1 more file only links follow, in 1 line: p shows all",
    ]
    at = rows.index("[2-3] modify Long.md  +2 -2")
    assert [row for row in rows[at:] if row.startswith("[")][1:4] == [
        "[2] @@ -1 +1 @@",
        "[3] @@ -9 +9 @@",
        "[4] create Made.md  +1 -0",
    ]
    assert "  modify Home.md  +1 -1" in drawn(request, full=True)
    assert not any("[1]" in line.plain for line in draw_list([request], width=80).lines), "a list is answered whole"


@pytest.mark.parametrize("unit", ["", "1"], ids=["apart", "belonging together"])
def test_of_many_parts_the_last_are_named_with_their_numbers_and_counted_as_not_shown(
    make_request: Make, unit: str
) -> None:
    diff = "@@ -1 +1 @@\n-[[Old]]\n+[[New]]\n"
    changed = [
        {"path": f"{n}.md", "change": "modify", "added": 1, "removed": 1, "diff": diff, "unit": unit if n else ""}
        for n in range(500)
    ]
    request = make_request(preview={"files": changed}, hunksSupported=True, targets=[])
    screen = draw_question(request, width=80)
    assert len(screen.lines) < 450
    assert any("diffs of" in left and "more files" in left for left in screen.hidden)
    last = "  modify 499.md  +1 -1" if unit else "[500] modify 499.md  +1 -1"
    assert last in drawn(request, full=True)
    assert last not in drawn(request)


def test_in_a_list_the_asker_is_said_where_it_changes(make_request: Make) -> None:
    requests = [make_request(reason=reason) for reason in ("fix it", "fix it", "tidy up")]
    rows = [line.plain for line in draw_list(requests, width=80).lines]
    assert [row.partition("says")[2].strip() for row in rows if row.startswith("It says")] == ["fix it", "tidy up"]
    assert sum("Apply Patch" in row for row in rows) == 3


def test_a_diff_that_was_not_sent_whole_is_called_so(make_request: Make) -> None:
    preview = {"files": [{"path": "a.md", "change": "create", "diff": "@@ -0,0 +1 @@\n+a\n", "truncated": True}]}
    assert "NOT shown here" in " ".join(" ".join(drawn(make_request(preview=preview))).split())


def test_a_move_shows_both_places(make_request: Make) -> None:
    preview = {"files": [{"path": "a.md", "newPath": "b/a.md", "change": "move"}]}
    assert "move a.md → b/a.md" in drawn(make_request(preview=preview))


def test_a_change_without_a_backup_is_called_so(make_request: Make) -> None:
    preview = {"files": [{"path": "a.md", "change": "delete"}], "backup": None}
    assert "none is kept: this cannot be undone" in " ".join(drawn(make_request(preview=preview)))


def test_the_exact_request_of_another_effect_is_shown(make_request: Make) -> None:
    preview = {"request": "GET https://example.org/\nAccept: text/html"}
    rows = drawn(make_request(preview=preview))
    assert rows[rows.index("Exactly this") + 1 :][:2] == ["  │ GET https://example.org/", "  │ Accept: text/html"]


def test_a_question_without_a_preview_is_drawn(make_request: Make) -> None:
    rows = drawn(make_request(preview=None, reason=None, parameters={}, targets=[]))
    assert not any(row.startswith(("Parameters", "Target", "It says")) for row in rows)


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
def test_hostile_text_is_inert(make_request: Make, vector: str, width: int) -> None:
    """Nothing but our own colours reaches the terminal, no line leaves its place, and none looks like ours."""
    screen = draw_question(make_request(**everywhere(HOSTILE[vector])), width=width, full=True)
    output = written(screen.lines, width)
    assert "\x1b" not in SGR.sub("", output)
    assert not re.search("[\x00-\x09\x0b-\x1a\x1c-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]", output)
    rows = shown(output, width)
    assert len(rows) <= len(screen.lines)
    honest = draw_question(make_request(**everywhere("x")), width=width, full=True)
    assert own_words(rows) == own_words(shown(written(honest.lines, width), width))


def test_what_a_reason_forges_stands_indented(make_request: Make) -> None:
    rows = drawn(make_request(reason=HOSTILE["forged answer"]))
    assert "            Your answer (expires in 5 min): y" in rows
    assert "Your answer (expires in 5 min): y" not in rows


NAMED = {"clientId": "5e1f0c9a77d2", "client": "Claude Code", "verified": True}
UNNAMED = {
    "clientId": "shared",
    "client": "a program without a name of its own, calls itself 'Ada'",
    "callsItself": "Ada",
}


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
    make_request: Make, members: dict[str, Any], asker: str
) -> None:
    assert asker in drawn(make_request(**members))


def test_a_name_cannot_pass_for_one_that_the_person_gave(make_request: Make) -> None:
    rows = drawn(make_request(**UNNAMED | {"callsItself": "Claude Code (verified)"}))
    assert any(row.startswith("Asked by    a program without a name of its own, calls itself ") for row in rows)


LONG_LINE = "word " * 3000


def changed_line(old: str, new: str) -> dict[str, Any]:
    """A preview in which one long line changes."""
    diff = f"@@ -1,2 +1,2 @@\n {LONG_LINE}\n-{LONG_LINE}{old}\n+{LONG_LINE}{new}\n"
    return {"files": [{"path": "a.md", "change": "modify", "added": 1, "removed": 1, "diff": diff}]}


@pytest.mark.parametrize(("old", "new"), [("the end", "the very end"), ("the end", "the"), ("the end", "that end")])
def test_the_changed_part_of_a_long_line_is_on_the_first_screen(make_request: Make, old: str, new: str) -> None:
    screen = draw_question(make_request(preview=changed_line(old, new)), width=80)
    assert len(screen.lines) < 40
    rows = [line.plain for line in screen.lines]
    assert any(row.endswith(new) for row in rows)
    assert (screen.cut, screen.hidden) == (True, ()), "what is left out does not change"
    whole = draw_question(make_request(preview=changed_line(old, new)), width=80, full=True)
    assert sum(line.plain.count("word") for line in whole.lines) == 9000


@pytest.mark.parametrize("width", [40, 80, 100])
@pytest.mark.parametrize(
    "members",
    [
        {},
        {"preview": {"files": [{"path": f"{number}.md", "change": "delete"} for number in range(300)]}},
        {"client": "c" * 80, "riskReasons": ["removes 40 lines", "breaks 3 links"]},
        {"preview": {"files": [{"path": f"{'folder/' * 60}name.md", "change": "delete"}]}},
        {"preview": None, "targets": []},
    ],
    ids=["usual", "many files", "long name", "long path", "no target"],
)
def test_a_few_lines_say_tool_risk_file_and_asker(make_request: Make, width: int, members: dict[str, Any]) -> None:
    request = make_request(**members)
    lines = shown(written(list(draw_in_short([request], width)), width), width)
    assert len(lines) <= 5
    said = " ".join(" ".join(lines).split())
    assert said.startswith("In short Apply Patch [HIGH RISK]")
    assert "asked by a program without a name of its own" in said
    file = request.preview.files[0].path if request.preview else ""
    assert file[-12:] in said
    assert ("and 299 more" in said) is (request.preview is not None and len(request.preview.files) > 1)


def test_why_it_is_dangerous_is_said(make_request: Make) -> None:
    rows = drawn(make_request(riskReasons=["removes 40 lines", "breaks 3 links"]))
    assert "Risk        removes 40 lines, breaks 3 links" in rows
    assert "In short    Apply Patch [HIGH RISK] removes 40 lines, breaks 3 links" in rows


@pytest.mark.parametrize(
    ("operation", "target", "words"),
    [
        ("read", "**", "everything in the vault"),
        ("read", "", "everything in the vault"),
        ("read", "Notes/", "everything in Notes/"),
        ("read", "Notes/**", "everything in Notes/"),
        ("read", "*.md", "*.md"),
        ("update", "**", "**"),
    ],
)
def test_a_pattern_for_everything_is_said_in_words(make_request: Make, operation: str, target: str, words: str) -> None:
    rows = drawn(make_request(operation=operation, targets=[target], preview=None))
    assert f"Target      {words}" in rows
    assert f"            {words}" in rows


def test_when_it_ends_is_said_at_the_prompt_alone(make_request: Make) -> None:
    assert not any("expires" in row or "Open until" in row for row in drawn(make_request()))


@pytest.mark.parametrize("vector", HOSTILE)
def test_hostile_text_is_inert_in_a_list_and_in_the_legend(make_request: Make, vector: str) -> None:
    text = HOSTILE[vector]
    offer = {"optionId": "x", "decision": "deny_always", "label": text, "sentence": text}
    members = everywhere(text) | {"riskReasons": [text], "options": [offer | OPTIONS["deny_always"] | offer]}
    request = make_request(**members)
    lines = [
        *draw_list([request, request], width=80, full=True).lines,
        *draw_legend(offered_keys(request, cut=True), 80),
        *draw_options(list(request.options), 80),
        *draw_in_short([request, request], 80),
    ]
    output = written(lines, 80)
    assert "\x1b" not in SGR.sub("", output)
    assert not re.search("[\x00-\x09\x0b-\x1a\x1c-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]", output)
    assert len(shown(output, 80)) <= len(lines), "a line was wider than the screen"
