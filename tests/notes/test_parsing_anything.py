"""Whatever a note is: parsing does not fail, and what is found stands where it is said to."""

from itertools import pairwise

from hypothesis import example, given, settings
from hypothesis import strategies as st

from bridge.notes.canvas import parse_canvas
from bridge.notes.frontmatter import all_tags, find_frontmatter
from bridge.notes.markdown import parse_note
from bridge.notes.note import ParsedNote

_PIECES = st.sampled_from(
    [
        *"ab[]()|#!^$`%<>-*+=\\\"'&:;~_ \t\n\r\ufeff\u00a0\udcffé\U0001f600",
        *("[[a]]", "![[b|c]]", "[d](e.md)", "[[", "]]", "](", "#tag", "$$\n", "```\n", "%%\n", "<!--", "-->", "---\n"),
        *(
            "\r\n",
            "- ",
            "1. ",
            "> ",
            "> [!x] ",
            "    ",
            "- [ ] ",
            "# ",
            "\n===\n",
            "a|b\n-|-\n",
            "[^1]: ",
            " ^id",
            "<div>",
        ),
        *("a: '[[x]]'\n", "tags: [a]\n", "---\nb: 1\n---\n", "&a ", "*a ", "{{x}}"),
    ]
)
NOTES = st.lists(_PIECES, max_size=40).map("".join)


def _check(text: str, note: ParsedNote) -> None:
    for link in (*note.links, *note.embeds):
        assert text[link.start : link.end] == link.original
        assert link.original.startswith("!") is link.embed
        assert link.link
    for tag in note.tags:
        assert text[tag.start : tag.end] == tag.tag
    for found in (note.links, note.embeds, note.tags, note.headings, note.sections, note.list_items):
        starts = [each.start for each in found]
        assert starts == sorted(starts)
        assert all(0 <= each.start <= each.end <= len(text) for each in found)
    spans = [(section.start, section.end) for section in note.sections]
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    for item in note.list_items:
        assert item.parent <= text.count("\n", 0, item.start)
    for link in note.frontmatter_links:
        block = find_frontmatter(text)
        assert block is not None
        assert block.yaml_start <= link.start <= link.end <= block.yaml_end


@settings(max_examples=400, deadline=None)
@given(NOTES)
@example("- a\n- ---\n  ===")
@example("![[[[a]]](b)")
@example("> - a\n>\n> - b")
@example("---\na: '[[x]]'\n---\n\ufeff# [[a]]")
def test_what_is_found_stands_where_it_is_said_to(text: str) -> None:
    note = parse_note(text)
    _check(text, note)
    all_tags(note)
    bare = parse_note(text, outline=False)
    assert (bare.links, bare.tags, bare.blocks) == (note.links, note.tags, note.blocks)
    assert (bare.sections, bare.list_items) == ((), ())


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_are_parsed(content: bytes) -> None:
    text = content.decode("utf-8", "surrogateescape")
    _check(text, parse_note(text))
    parse_canvas(text)


@settings(max_examples=100, deadline=None)
@given(NOTES)
def test_line_endings_do_not_change_what_is_found(text: str) -> None:
    lines = text.replace("\r", "")
    unix, windows = parse_note(lines), parse_note(lines.replace("\n", "\r\n"))
    assert [link.link for link in unix.links] == [link.link for link in windows.links]
    assert [tag.tag for tag in unix.tags] == [tag.tag for tag in windows.tags]
    assert [heading.heading for heading in unix.headings] == [heading.heading for heading in windows.headings]
    assert [section.type for section in unix.sections] == [section.type for section in windows.sections]
    assert [item[2:] for item in unix.list_items] == [item[2:] for item in windows.list_items]
    assert [block.id for block in unix.blocks] == [block.id for block in windows.blocks]
