"""merge_notes: one question for text, links, properties and deletion; no link is lost; undo gives back every byte."""

import json
from typing import Any

import pytest

from bridge.contract.consent import Decision
from bridge.testing import sandbox
from tests.tools.everyday.links import Led, Links

FILES: dict[str, Any] = {
    "Tea.md": (
        "---\ntags: [drink]\nstatus: ok # mine\n---\n"
        "# Tea\n\nSee [[Green tea]] and [[#Kinds]].\n\n## Kinds\n\ntext ^one\n"
    ),
    "drinks/Green tea.md": (
        '---\ntags: [green, drink]\naliases:\n  - Sencha\nstatus: draft\norigin: "[[Japan]]"\n---\n'
        "Hot, see [[#Brewing]], [[./Cup]] and [[Tea]].\n\n## Brewing\n\nslowly ^one\n\n## Kinds\n\nmany #leaf\n"
    ),
    "drinks/Cup.md": "[[Green tea#Brewing|how]] ![[Green tea]] [x](Green%20tea.md#^one) [[Green tea#Kinds]]\n",
    "Japan.md": "no link\n",
    "Up.md": '---\nup: "[[Green tea]]"\n---\n[[Tea#Kinds]] [[Tea#^one]]\n',
    "Board.canvas": json.dumps({"nodes": [
        {"id": "1", "type": "file", "file": "drinks/Green tea.md", "subpath": "#Kinds"},
        {"id": "2", "type": "text", "text": "[[Green tea]]"}]}),
}  # fmt: skip


async def merged(files: dict[str, Any], /, **arguments: Any) -> dict[str, bytes]:
    """The vault after a merge, the same in both storages, and that undo and redo are true to the byte."""
    made = {}
    for memory in (False, True):
        async with sandbox(files, memory=memory) as vault:
            before = vault.files()
            await vault.succeed("merge_notes", **arguments)
            made[memory] = vault.files()
            assert len([asked for asked in vault.asked if asked["planDigest"]]) == 1
            await vault.undo()
            assert vault.files() == before
            await vault.redo()
            assert vault.files() == made[memory]
    assert made[False] == made[True]
    return made[True]


async def test_text_properties_and_links_of_every_form_follow() -> None:
    after = await merged(FILES, sources=["Green tea"], target="Tea")
    assert "drinks/Green tea.md" not in after
    assert after["Tea.md"].decode() == (
        '---\ntags: [drink, green]\nstatus: ok # mine\naliases:\n  - Sencha\norigin: "[[Japan]]"\n---\n'
        "# Tea\n\nSee [[Tea]] and [[#Kinds]].\n\n## Kinds\n\ntext ^one\n\n"
        "Hot, see [[#Brewing]], [[Cup]] and [[Tea]].\n\n## Brewing\n\nslowly ^one-2\n\n## Kinds\n\nmany #leaf\n"
    )
    assert after["Up.md"].decode() == '---\nup: "[[Tea]]"\n---\n[[Tea#Kinds]] [[Tea#^one]]\n'
    assert b'"file": "Tea.md"' in after["Board.canvas"]


@pytest.mark.parametrize(("own", "others"), [("\n", "\r\n"), ("\r\n", "\n"), ("\r\n", "\r\n")])
async def test_line_endings_become_those_of_the_target_and_lines_are_named_as_they_are_then(
    own: str, others: str
) -> None:
    source = "".join(f"line {number}\n" for number in range(20)) + "\nsee [[#Kinds]]\n\n## Kinds\n"
    target = "# T\n\n## Kinds\n\nx\n"
    async with sandbox({"T.md": target.replace("\n", own), "S.md": source.replace("\n", others)}) as vault:
        result = await vault.succeed("merge_notes", sources=["S"], target="T")
        text = vault.text("T.md")
    assert text == f"{target}\n{source}".replace("\n", own)
    (broken,) = result.data["broken"]
    assert "see" in text.split("\n")[broken["line"] - 1]


async def test_a_heading_that_both_notes_have_is_reached_through_the_heading_above_it() -> None:
    after = await merged(FILES, sources=["Green tea"], target="Tea", headings=True)
    assert after["drinks/Cup.md"].decode() == (
        "[[Tea#Brewing|how]] ![[Tea#Green tea]] [x](Tea.md#^one-2) [[Tea#Green tea#Kinds]]\n"
    )
    assert Links(after).of["drinks/Cup.md"][1] == Led("Tea.md", "Green tea")


async def test_a_link_that_would_find_the_heading_of_the_other_note_is_named() -> None:
    async with sandbox(FILES, memory=True) as vault:
        result = await vault.succeed("merge_notes", sources=["Green tea"], target="Tea")
    assert [each["path"] for each in result.data["broken"]] == ["Board.canvas", "drinks/Cup.md"]


async def test_values_that_are_lost_are_in_the_question() -> None:
    async with sandbox(FILES, memory=True) as vault:
        await vault.succeed("merge_notes", sources=["Green tea"], target="Tea")
    assert any("status" in warning and "will be lost" in warning for warning in vault.asked[-1]["preview"]["warnings"])
    assert vault.asked[-1]["hunksSupported"] is False


async def test_several_notes_go_into_one_in_the_order_given() -> None:
    files = {"A.md": "a [[B]]\n", "B.md": "b\n", "C.md": "c [[A]] [[B]]", "D.md": "[[A]] [[B]] [[C]]\n"}
    after = await merged(files, sources=["B", "A"], target="C")
    assert after == {"C.md": b"c [[C]] [[C]]\n\nb\n\na [[C]]\n", "D.md": b"[[C]] [[C]] [[C]]\n"}


async def test_a_note_that_says_nothing_goes_and_its_links_follow() -> None:
    after = await merged({"A.md": "", "B.md": "b\n", "C.md": "[[A]]\n"}, sources=["A"], target="B")
    assert after == {"B.md": b"b\n", "C.md": b"[[B]]\n"}


@pytest.mark.parametrize(
    ("target", "source", "after"),
    [
        ("", "text", "text\n"),
        ("a\r\nb\r\n", "x\ny\n", "a\r\nb\r\n\r\nx\r\ny\r\n"),
        ("a\n\n\n", "\n\nx\n\n", "a\n\n\nx\n"),
        ("---\ntitle: T\n---\n", "x", "---\ntitle: T\n---\n\nx\n"),
        ("a", "---\ntitle: 'it''s'\n# note\nlist:\n- 1\n---\nx",
         "---\ntitle: 'it''s'\n# note\nlist:\n- 1\n---\na\n\nx\n"),
        ("---\naliases: One\n---\na", "---\naliases: [Two, 'a: b']\n---\n",
         '---\naliases: [One, Two, "a: b"]\n---\na'),
        ("---\nTags:\n- a\n---\na\n", "---\ntags: b\n---\n", "---\nTags:\n- a\n- b\n---\na\n"),
    ],
)  # fmt: skip
async def test_texts_are_put_together_as_they_are(target: str, source: str, after: str) -> None:
    made = await merged({"Target.md": target, "Source.md": source}, sources=["Source"], target="Target")
    assert made["Target.md"].decode() == after


@pytest.mark.parametrize(
    ("files", "arguments", "code"),
    [
        ({}, {"sources": ["Tea"], "target": "Tea.md"}, "invalid_parameters"),
        ({}, {"sources": ["Nothing"], "target": "Tea"}, "not_found"),
        ({"Open.md": "```\ncode\n"}, {"sources": ["Tea"], "target": "Open"}, "conflict"),
        ({"Bad.md": "---\na: [\n---\nx\n"}, {"sources": ["Bad"], "target": "Tea"}, "conflict"),
    ],
)
async def test_what_would_lose_something_is_refused(files: dict[str, str], arguments: Any, code: str) -> None:
    async with sandbox(FILES | files, memory=True) as vault:
        before = vault.files()
        refused = await vault.call("merge_notes", **arguments)
        assert refused.error_type == code
        assert vault.files() == before


@pytest.mark.parametrize("closed", ["drinks/Green tea.md", "Tea.md", "Up.md"])
async def test_no_closed_note_is_read_or_changed(closed: str) -> None:
    async with sandbox(FILES) as vault:
        vault.close_path(closed)
        before = vault.files()
        vault.answer = Decision.ALLOW_ONCE
        refused = await vault.call("merge_notes", sources=["drinks/Green tea.md"], target="Tea.md")
        assert not refused.success
        assert vault.files() == before
        assert "Sencha" not in refused.text
