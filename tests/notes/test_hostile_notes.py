"""Notes made to hurt: twice the text takes about twice the work, and nothing fails.

Work is counted, not timed: calls of functions, Python's and C's. Work within one call of the regex engine is not seen
by that; there a ratio of processor time is asked for that only quadratic work exceeds.
"""

import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from bridge.notes.frontmatter import read_properties
from bridge.notes.markdown import parse_note
from bridge.notes.properties import merge_properties
from bridge.notes.tags import rename_tag
from bridge.notes.tasks import tasks_of

HOSTILE: dict[str, Callable[[int], str]] = {
    "open brackets": lambda n: "[" * n,
    "open embeds": lambda n: "![" * n,
    "open wikilinks": lambda n: "[[a" * n,
    "open wikilinks and one end": lambda n: "[[a" * n + "]]",
    "closed brackets": lambda n: "[" * n + "]" * n,
    "links": lambda n: "[[a|b]] " * n,
    "nested links": lambda n: "[a [[b]] " * n,
    "open destinations": lambda n: "[a](" * n,
    "open destinations after brackets": lambda n: "[" * n + "](a" * n,
    "open titles": lambda n: '[](a "' * n,
    "open angles": lambda n: "[](<a" * n,
    "footnotes": lambda n: "^[" * n,
    "stars": lambda n: "[" + "*" * n,
    "open emphasis": lambda n: "*#a " * n,
    "back-ticks": lambda n: "[" + "`" * n,
    "back-ticks in runs": lambda n: "[" + "".join("`" * (i % 90 + 1) + "a" for i in range(n // 45)),
    "back-ticks in pairs": lambda n: "[`a``b" * n,
    "dollars": lambda n: "[" + "$a" * n,
    "double dollars": lambda n: "[$$a" * n,
    "lines of dollars": lambda n: "$$\n" * n,
    "angles": lambda n: "[" + "<a " * n,
    "attributes": lambda n: "[" + "<a b='" * n,
    "open comments": lambda n: "[<!--" * n,
    "percent signs": lambda n: "[" + "%%" * n,
    "an open comment": lambda n: "%%\n" + "a [[b]]\n" * n,
    "tags": lambda n: " #a" * n,
    "tags without space": lambda n: "#a" * n,
    "tags in quotes": lambda n: ">#a" * n,
    "quotes": lambda n: ">" * n,
    "lines of quotes": lambda n: (">" * 60 + " a\n") * (n // 20),
    "lists in one line": lambda n: "- " * n + "a",
    "lists in lists": lambda n: "\n".join("  " * (i % 100) + "- a" for i in range(n // 8)),
    "items": lambda n: "- [ ] a ^b\n" * n,
    "blank lines in a list": lambda n: "- a" + "\n" * n,
    "lazy lines": lambda n: "> a\n" + "b\n" * n,
    "fences": lambda n: "```\n" * n,
    "an open fence": lambda n: "```\n" + "a\n" * n,
    "html": lambda n: "<div\n" * n,
    "anchors in html": lambda n: "<div>\n" + "<a href='" * n,
    "an anchor with many attributes": lambda n: "<div>\n<a" + " href" * n,
    "three brackets": lambda n: "[[[a] " * n + "]]",
    "definitions that are none": lambda n: "[a]: <" * n,
    "white space in links": lambda n: "[[" + "\u3000" * n + "]]",
    "tables": lambda n: "|a|b|\n|-|-|\n\n" * n,
    "a long table row": lambda n: "|" * n + "\n" + "|-" * n,
    "rules that are none": lambda n: ("- " * 40 + "x\n") * (n // 20),
    "underlines": lambda n: "a\n=\n" * n,
    "footnote texts": lambda n: "[^1]: a\n" * n,
    "block ids": lambda n: "a ^a\n\n" * n,
    "carets": lambda n: "a " + "^" * n,
    "definitions": lambda n: "[" + "\\a" * n + "]:",
    "white space": lambda n: " " * n + "\n" + "\t" * n + "x",
    "line endings": lambda n: "\r\n" * n,
    "open properties": lambda n: "---\n" + "a: b\n" * n,
    "properties": lambda n: "---\n" + "".join(f"k{i}: v\n" for i in range(n)) + "---\n",
    "tabs in properties": lambda n: "---\n" + "".join(f"k{i}:\tv | # > |\n" for i in range(n // 20)) + "---\n",
    "spaces in properties": lambda n: "---\na" + " " * n + "b\n---\n",
    "brackets in properties": lambda n: "---\na: '[[b]]'\nc: '" + "[" * n + "]" + "(" * n + ")'\n---\n",
    "links in properties": lambda n: "---\nl:\n" + '  - "[[a]]"\n' * (n // 20) + "---\n",
}


def _calls(text: str) -> int:
    count = 0

    def seen(_frame: FrameType, _event: str, _argument: Any) -> None:
        nonlocal count
        count += 1

    sys.setprofile(seen)
    try:
        parse_note(text)
    finally:
        sys.setprofile(None)
    return count


def _seconds(text: str, read: Callable[[str], object] = parse_note) -> float:
    begin = time.process_time()
    read(text)
    return time.process_time() - begin


@pytest.mark.parametrize("note", HOSTILE.values(), ids=HOSTILE.keys())
def test_four_times_the_text_is_about_four_times_the_work(note: Callable[[int], str]) -> None:
    few = [_calls(note(400)) for _ in range(2)][-1]  # the first time, patterns are compiled too
    assert _calls(note(1600)) < 6 * few + 100


@pytest.mark.slow
@pytest.mark.parametrize("note", HOSTILE.values(), ids=HOSTILE.keys())
def test_no_text_takes_quadratic_time(note: Callable[[int], str]) -> None:
    small = max(_seconds(note(500)), 0.005)  # less than that is measured badly
    large = note(8000)
    assert min(_seconds(large) for _ in range(2)) < 16 * 8 * small


def _tagged(count: int) -> str:
    return "---\ntags:\n" + "".join(f"  - a/{number}\n" for number in range(count)) + "---\n"


def _with_properties(count: int) -> str:
    return "---\n" + "".join(f"p{number}: 1\n" for number in range(count)) + "---\n"


READERS: dict[str, tuple[Callable[[str], object], Callable[[int], str]]] = {
    "tasks with tags": (lambda text: list(tasks_of(text)), lambda n: "- [ ] a #b/c #d\n" * n),
    "nested tags in properties": (lambda text: rename_tag(text, "a", "b"), _tagged),
    "properties that are merged": (lambda text: merge_properties(text, text.replace("p", "q"), "\n"), _with_properties),
    "items that are merged": (lambda text: merge_properties(text, text.replace("- a", "- b"), "\n"), _tagged),
}


@pytest.mark.slow
@pytest.mark.parametrize(("read", "note"), READERS.values(), ids=READERS.keys())
def test_no_number_of_tags_takes_quadratic_time(read: Callable[[str], object], note: Callable[[int], str]) -> None:
    small = max(_seconds(note(500), read), 0.005)
    assert min(_seconds(note(8000), read) for _ in range(2)) < 16 * 8 * small


@pytest.mark.slow
def test_two_hundred_thousand_links_are_all_found() -> None:
    assert len(parse_note("[[a]] " * 200_000).links) == 200_000


def test_properties_that_are_too_long_are_none_and_the_body_is_parsed() -> None:
    note = parse_note("---\n" + "a: b\n" * 100_000 + "---\n[[c]]")
    assert note.frontmatter is None
    assert [link.link for link in note.links] == ["c"]


def test_nested_properties_neither_overflow_the_stack_nor_hide_the_body() -> None:
    note = parse_note("---\na: " + "[" * 50_000 + "\nb:\n" + "- " * 50_000 + "x\n---\n[[c]]")
    assert note.frontmatter is None
    assert [link.link for link in note.links] == ["c"]
    assert read_properties("a:\n" + "- " * 50_000 + "x") is None
