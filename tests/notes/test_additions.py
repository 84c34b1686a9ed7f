"""What only adds to a note, and the many ways in which text that is added changes what is there."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.contract.consent import Addition
from bridge.notes.additions import MOST_BYTES, judge
from bridge.notes.frontmatter import find_frontmatter, property_tags, read_properties
from bridge.notes.markdown import parse_note

A, T, P = {Addition.APPEND}, {Addition.TAG}, {Addition.PROPERTY}
NOTE = "---\ntags: [a, b]\nup: '[[Home]]'\n---\n# Plans\n\nSome **text** with [[Link]] #tag.\n\n- one\n- two\n"


def judged(old: str, new: str, path: str = "Note.md") -> set[Addition] | None:
    found = judge(path, old.encode(), new.encode())
    return None if found is None else set(found)


@pytest.mark.parametrize(
    ("old", "new", "added"),
    [
        pytest.param("", "Text\n", A, id="into an empty note"),
        pytest.param("Text", "Text\nMore\n", A, id="behind a last line without a break"),
        pytest.param("Text\r\n", "Text\r\nMore\r\n", A, id="Windows line endings"),
        pytest.param("Text", "Text\r\nMore", A, id="a Windows break behind the last line"),
        pytest.param("\ufeffText\n", "\ufeffText\n\nMore\n", A, id="behind a byte order mark"),
        pytest.param(NOTE, NOTE + "- three\n", A, id="an item at the end of a list"),
        pytest.param(NOTE, NOTE + "\n- three\n  more of it\n", A, id="an item behind a blank line"),
        pytest.param(NOTE, NOTE.replace("- one\n", "- one\n- [ ] task\n"), A, id="an item between two"),
        pytest.param(NOTE, NOTE + "\n## Log\n\n- [ ] buy [[Tea]]\n", A, id="a section at the end"),
        pytest.param(NOTE, NOTE + "\n```python\nprint(1)\n```\n", A, id="code at the end"),
        pytest.param(NOTE, NOTE.replace("# Plans\n", "# Plans\n\nFirst.\n"), A, id="a paragraph below a heading"),
        pytest.param(NOTE, NOTE.replace("---\n# Plans", "---\nHello\n# Plans"), A, id="text above the first heading"),
        pytest.param("# A\n\na\n\n# C\n\nc\n", "# A\n\na\n\n# B\n\nb\n\n# C\n\nc\n", A, id="a section between two"),
        pytest.param("09:00 met [[Ann]]\n", "09:00 met [[Ann]]\n10:00 met [[Bob]]\n", A, id="a line of a log"),
        pytest.param("**9** `a`\n", "**9** `a`\n**10** `b`\n", A, id="marks that are closed"),
        pytest.param("|a|b|\n|-|-|\n|1|2|\n", "|a|b|\n|-|-|\n|1|2|\n|3|4|\n", A, id="a row of a table"),
        pytest.param("a\n", "a\n\nb[^1]\n\n[^1]: source\n", A, id="a footnote of its own"),
        pytest.param("see x\n", "see x\n\n[[Ann]]: hello\n", A, id="a link and a colon"),
        pytest.param(NOTE, NOTE.replace("[a, b]", "[a, b, c]"), T, id="a tag in brackets"),
        pytest.param("---\ntags:\n  - a\n---\n", "---\ntags:\n  - a\n  - b\n---\n", T, id="a tag in a line"),
        pytest.param("---\ntags: a\n---\n", "---\ntags: [a, b]\n---\n", T, id="a tag beside a single one"),
        pytest.param("---\ntags:\n---\n", "---\ntags: [b]\n---\n", T, id="a tag where there is none"),
        pytest.param("---\nup: x\n---\n", "---\nup: x\ntags: [b]\n---\n", T, id="tags"),
        pytest.param("Text\n", "---\ntags:\n  - b\n---\nText\n", T, id="properties with a tag"),
        pytest.param(NOTE, NOTE.replace("up:", "status: done\nup:"), P, id="a property"),
        pytest.param("---\n# why\nup: x # this\n---\n", "---\n# why\nup: x # this\nn: 1\n---\n", P, id="by comments"),
        pytest.param("Text\n", "---\nup: x\n---\n\nText\n\nMore\n", A | P, id="properties and text"),
        pytest.param("---\nup: x\n---", "---\nup: x\nn: 1\n---\nText", A | P, id="behind a last fence"),
        pytest.param("---\na: [\n---\nText\n", "---\na: [\n---\nText\nMore\n", A, id="below broken properties"),
    ],
)  # fmt: skip
def test_what_is_added_is_named(old: str, new: str, added: set[Addition]) -> None:
    assert judged(old, new) == added


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("a\nb\n", "a\n", id="a line is lost"),
        pytest.param("a\n", "b\n", id="a line is changed"),
        pytest.param("a\n", "a \n", id="a line gets a space"),
        pytest.param("a\n", "a", id="the last break is lost"),
        pytest.param("a\nb\n", "b\na\n", id="lines change places"),
        pytest.param("a\n", "a\r\n", id="a line ending"),
        pytest.param("\ufeffa\n", "a\nb\n", id="the byte order mark is lost"),
        pytest.param("a\n", "\ufeffa\nb\n", id="a byte order mark comes"),
        pytest.param("a\n", "a\nb\0\n", id="NUL"),
        pytest.param("a\n$$", "a\n$$\nb\n", id="a line that makes mathematics of the last one"),
        pytest.param("Title\n", "Title\n---\n", id="a rule that makes a heading"),
        pytest.param("Title\n", "Title\n===\n", id="an underline that makes a heading"),
        pytest.param("a | b\n", "a | b\n--|--\n", id="a line that makes a table"),
        pytest.param("# A\n\ntext\n", "```\n# A\n\ntext\n", id="a fence before it"),
        pytest.param("# A\n\ntext\n", "~~~\n# A\n\ntext\n~~~\n", id="a fence around it"),
        pytest.param("# A\n\ntext\n", "$$\n# A\n\ntext\n", id="mathematics around it"),
        pytest.param("# A\n\ntext\n", "%%\n# A\n\ntext\n%%\n", id="a comment around it"),
        pytest.param("# A\n\ntext\n", "# A\n\ntext\n%%\n", id="a comment behind it"),
        pytest.param("a %% b\n", "a %% b\n\nc %% d\n", id="half a comment"),
        pytest.param("# A\n\ntext\n", "<!--\n# A\n\ntext\n", id="an HTML comment"),
        pytest.param("text\n", "<div hidden>\ntext\n", id="an HTML block"),
        pytest.param("a <b\n", "a <b\nc>d\n", id="half a tag"),
        pytest.param("text\n", "<style>\n\ntext\n", id="a style"),
        pytest.param("text\n", "text\n<!-- note -->\n", id="hidden text"),
        pytest.param("text\n", "- item\ntext\n", id="a list that takes it in"),
        pytest.param("text\n", "> quote\ntext\n", id="a quote that takes it in"),
        pytest.param("text\n", "> [!tip]\ntext\n", id="a callout that takes it in"),
        pytest.param("text\n", "more\ntext\n", id="a paragraph that takes it in"),
        pytest.param("    code\n", "- item\n\n    code\n", id="a list that takes code in"),
        pytest.param("- a\n", "- a\nmore of a\n", id="an item that grows"),
        pytest.param("- a\n- b\n", "- a\n  more\n- b\n", id="an item that grows in between"),
        pytest.param("- a\n  - b\n", "- a\n- x\n  - b\n", id="an item that takes another's child"),
        pytest.param("- a\n  - b\n\n  more of a\n", "- a\n  - b\n- x\n\n  more of a\n", id="an item that takes text"),
        pytest.param("- a\n  - b\n\n  more\n", "- a\n  - b\n  - ```\n\n  more\n", id="a fence in a list"),
        pytest.param("> a\n", "> a\n> b\n", id="a quote that grows"),
        pytest.param("> a\n", "> a\nb\n", id="a quote that takes text in"),
        pytest.param("> [!note]\n> a\n", "> [!note]\n> a\n> b\n", id="a callout that grows"),
        pytest.param("```js\na()\n```\n", "```js\na()\nb()\n```\n", id="code that grows"),
        pytest.param("```js\na()\n", "```js\na()\n\nText\n", id="code without an end"),
        pytest.param("```js\na()\n", "```js\na()\n```\n", id="code that gets an end"),
        pytest.param("$$\na\n", "$$\na\n\nText\n", id="mathematics without an end"),
        pytest.param("[x]: y.md\n", "[x]: y.md\n[z]: w.md\n\nsee [z]\n", id="a definition"),
        pytest.param("see [x]\n", "see [x]\n\n[x]: http://evil.example\n", id="a definition of what is named"),
        pytest.param("see [x]\n", "see [x]\n\n> [x]:\n> /url\n", id="the same in a quote"),
        pytest.param("see[^1]\n", "see[^1]\n\n[^1]: never\n", id="a footnote that is named"),
        pytest.param("[^1]: a\n", "[^1]: a\n    b\n", id="a footnote that grows"),
        pytest.param("Not **very\n", "Not **very\ngood**\n", id="emphasis that is closed later"),
        pytest.param("*a *b\n", "*a *b\nc* d*\n", id="emphasis that only looks closed"),
        pytest.param("code `a\n", "code `a\nb`\n", id="code that is closed later"),
        pytest.param("` `` ` ``\n", "` `` ` ``\nb``\n", id="code of another length"),
        pytest.param("cost $5\n", "cost $5\nor 6$\n", id="mathematics that are closed later"),
        pytest.param("a [b\n", "a [b\nc](d.md)\n", id="a link that is closed later"),
        pytest.param("a [b](\n", "a [b](\nd.md)\n", id="a destination that comes later"),
        pytest.param("text ^id\n", "text ^id\nmore\n", id="a block id that is no longer last"),
        pytest.param("- a\n- b\n", "- a\n- b\n\n^id\n", id="a block id for what is above"),
        pytest.param("text ^id\n", "text ^id\n\nother ^ID\n", id="a block id that is taken"),
        pytest.param("# A\n\ntext\n", "# A\n\nnew\n\n# B\n\ntext\n", id="a heading that takes text"),
        pytest.param("# A\n\ntext\n", "# a\n\n# A\n\ntext\n", id="a heading that takes links"),
        pytest.param("Text\n---\nup: x\n---\n", "---\nText\n---\nup: x\n---\n", id="a fence that makes properties"),
        pytest.param(NOTE, "---\n" + NOTE, id="a fence before the properties"),
        pytest.param(NOTE, "\n" + NOTE, id="a blank line before the properties"),
        pytest.param(NOTE, NOTE.replace("[a, b]", "[b, a, c]"), id="tags in another order"),
        pytest.param(NOTE, NOTE.replace("[a, b]", "[a, c]"), id="a tag is changed"),
        pytest.param(NOTE, NOTE.replace("[a, b]", "[a]"), id="a tag is lost"),
        pytest.param(NOTE, NOTE.replace("[a, b]", "[a, b, 'x y']"), id="a tag that is none"),
        pytest.param(NOTE, NOTE.replace("[[Home]]", "[[Away]]"), id="a value is changed"),
        pytest.param("---\nn: 1\n---\n", "---\nn: true\nm: 1\n---\n", id="one that equals it"),
        pytest.param(NOTE, NOTE.replace("up:", "tags: [c]\nup:"), id="tags twice"),
        pytest.param("---\nTags: [a]\n---\n", "---\nTags: [a]\ntags: [b]\n---\n", id="tags that replace others"),
        pytest.param("---\nAliases: [a]\n---\n", "---\nAliases: [a]\naliases: [b]\n---\n", id="aliases likewise"),
        pytest.param("---\naliases: [a]\n---\n", "---\naliases: [a, b]\n---\n", id="another list that grows"),
        pytest.param("---\na: 1\nb: 2\n---\n", "---\nb: 2\na: 1\nc: 3\n---\n", id="properties change places"),
        pytest.param("---\na: 'x'\n---\n", "---\na: x\nb: 1\n---\n", id="quotes are changed"),
        pytest.param("---\na: x # why\n---\n", "---\na: x\nb: 1\n---\n", id="a comment is lost"),
        pytest.param("---\ntags: [a] # why\n---\n", "---\ntags: [a, b]\n---\n", id="a comment beside tags is lost"),
        pytest.param("---\na: x\n  # why\n---\n", "---\na: x\nb: |\n  # why\n---\n", id="a comment becomes a value"),
        pytest.param("---\na: |\n  x\n---\n", "---\na: |\n  x\n  y\n---\n", id="a text that grows"),
        pytest.param("---\na: x\n---\n", "---\na: x\nb: [\n---\n", id="properties that break"),
        pytest.param("---\na: [\n---\n", "---\na: [\n]\n---\n", id="properties that are mended"),
        pytest.param("---\na: x\n---\n", "---\na: x\nkanban-plugin: board\n---\n", id="a plugin takes the note"),
        pytest.param("---\na: x\n---\n", "---\na: x\npublish: true\n---\n", id="the note is published"),
    ],
)  # fmt: skip
def test_whatever_does_more_than_add_is_no_addition(old: str, new: str) -> None:
    assert judged(old, new) is None


@pytest.mark.parametrize("path", ["Board.canvas", "data.json", "style.css", "Note", ".hidden.md", ".obsidian/x.md"])
def test_only_notes_are_added_to(path: str) -> None:
    assert judged("a\n", "a\nb\n", path) is None


@pytest.mark.parametrize(
    "line",
    [
        "banner: https://example.org/b.png",
        "banner: HTTP://example.org/b.png",
        "banner: //example.org/b.png",
        r"banner: \\example.org\b.png",
        "banner: https:example.org/b.png",
        r'banner: "\x68ttps:\x2f\x2fexample.org/b.png"',
        r'banner: "ht\ttps:example.org/b.png"',
        "banner: '![](https://example.org/b.png)'",
        "banner: '<img src=https://example.org/b.png>'",
        "banner: [a, https://example.org/b.png]",
        "banner: {image: {src: https://example.org/b.png}}",
        "banner: {'https://example.org/b.png': x}",
    ],
)
def test_a_property_that_may_be_loaded_from_the_network_is_no_addition(line: str) -> None:
    assert judged("---\na: x\n---\n", f"---\na: x\n{line}\n---\n") is None
    assert judged("Text\n", f"---\n{line}\n---\nText\n") is None
    assert judge("New.md", None, f"---\n{line}\n---\nText\n".encode()) is None
    assert judged(f"---\n{line}\n---\n", f"---\n{line}\nn: 1\n---\n") == P


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("New.md", ""),
        ("New.md", "see https://example.org/\n"),
        ("New.md", "---\n---\nText\n"),
        ("New.md", "---\nup: '[[Home]]'\nat: 12:30\nratio: 1/2\n---\nText\n"),
        ("New.canvas", '{"nodes": []}'),
    ],
)
def test_a_file_that_is_created_is_an_addition(path: str, text: str) -> None:
    assert judge(path, None, text.encode()) == frozenset({Addition.CREATE})


@pytest.mark.parametrize("path", ["New.md", "New.canvas", "New"])
def test_a_large_file_that_is_created_is_no_addition(path: str) -> None:
    assert judge(path, None, b"a" * MOST_BYTES) == frozenset({Addition.CREATE})
    assert judge(path, None, b"a" * (MOST_BYTES + 1)) is None


def test_a_new_note_whose_properties_cannot_be_read_is_no_addition() -> None:
    assert judge("New.md", None, b"---\na: [\n---\nText\n") is None


def test_bytes_that_are_no_text_and_large_notes_are_not_judged() -> None:
    assert judge("Note.md", b"\xff\n", b"\xff\na\n") is None
    large = b"a\n" * (MOST_BYTES // 2)
    assert judge("Note.md", large[:-2], large) == frozenset(A)
    assert judge("Note.md", large, large + b"a\n") is None


def test_a_hostile_paragraph_is_judged_in_linear_time() -> None:
    marks = "".join("`" * (1 + number % 7) + " " for number in range(100_000))
    assert judged(marks + "\n", marks + "\nx `\n") is None


# -- properties -------------------------------------------------------------------------------------------------------

LINES = st.sampled_from(
    [
        "",
        "",
        "text",
        "more text",
        "# Head",
        "## Sub",
        "Title",
        "---",
        "===",
        "- a",
        "  - b",
        "- [ ] c",
        "1. n",
        "  x",
        "    y",
        "> q",
        "> [!tip] c",
        "```",
        "```js",
        "~~~",
        "$$",
        "%%",
        "a %% b",
        "<!--",
        "-->",
        "<div>",
        "</div>",
        "|a|b|",
        "|-|-|",
        "[x]: y",
        "[^1]: z",
        "see [x] and [^1]",
        "[[L]]",
        "![[E]]",
        "#tag",
        "t ^id",
        "^id",
        "*a",
        "b*",
        "`c",
        "d`",
        "a **b** `c`",
        "tags: [a]",
        "tags: [a, b]",
        "tags:",
        "  - t",
        "up: x",
        "[a](",
        "b.md)",
        "~x~",
    ]
)
NOTES = st.tuples(
    st.sampled_from(
        ["", "\ufeff", "---\nup: x\n---\n", "---\ntags: [a]\n# c\nup: x\n---\n", "---\ntags:\n - a\n---\n"]
    ),
    st.lists(LINES, max_size=12),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
).map(lambda parts: parts[0] + parts[2].join(parts[1]) + (parts[2] if parts[3] else ""))


@st.composite
def edits(draw: st.DrawFn) -> tuple[str, str]:
    """A note, and what some insertions, and now and then another edit, make of it."""
    old = draw(NOTES)
    lines = old.splitlines(keepends=True)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(lines)))
        lines[at:at] = [line + "\n" for line in draw(st.lists(LINES, min_size=1, max_size=4))]
        if lines and draw(st.integers(0, 9)) == 0:
            lines.pop(draw(st.integers(0, len(lines) - 1)))
    return old, "".join(lines) if draw(st.booleans()) else old + "\n" + "".join(lines[len(lines) // 2 :])


def embedded(old: list[object], new: list[object]) -> bool:
    rest = iter(new)
    return all(any(each == other for other in rest) for each in old)


def said(text: str) -> dict[str, list[object]]:
    """What a note says, kind by kind."""
    note, lines = parse_note(text), text.removeprefix("\ufeff").split("\n")
    return {
        "lines": [line.rstrip() for line in lines if line.strip() and not line.startswith("tags:")],
        "links": [(link.original, link.embed, link.key) for link in note.all_links],
        "tags": [tag.tag for tag in note.tags],
        "headings": [(heading.level, heading.heading) for heading in note.headings],
        "blocks": [block.id for block in note.blocks],
        "items": [(text[item.start : item.end].rstrip(), item.task) for item in note.list_items],
        "rigid": [
            (section.type, text[section.start : section.end].rstrip())
            for section in note.sections
            if section.type not in {"yaml", "paragraph", "list", "table"}
        ],
        "paragraphs": [text[s.start :][:20] for s in note.sections if s.type == "paragraph" and s.end - s.start > 20],
        "property tags": list(property_tags(note.frontmatter)),
    }


@settings(max_examples=400)
@given(edits())
def test_after_an_addition_everything_is_still_there_and_says_the_same(edit: tuple[str, str]) -> None:
    old, new = edit
    found = judged(old, new)
    if found is None:
        return
    assert found
    before, after = said(old), said(new)
    for kind, values in before.items():
        assert embedded(values, after[kind]), kind
    blocks = find_frontmatter(old), find_frontmatter(new)
    if blocks[0] is not None and blocks[1] is not None:
        had, has = (
            read_properties(text[block.yaml_start : block.yaml_end]) or {}
            for text, block in ((old, blocks[0]), (new, blocks[1]))
        )
        assert {name: has[name] for name in had if name.lower() != "tags"} == {
            name: value for name, value in had.items() if name.lower() != "tags"
        }


@given(st.lists(st.sampled_from(["text", "- a", "", "## Head", "[[L]] #tag"]), min_size=1, max_size=5))
def test_plain_text_behind_a_plain_note_is_an_addition(more: list[str]) -> None:
    closed = "# Start\n\n" + "text and [[Link]]\n\n" * 2
    assert judged(closed, closed + "## Own\n\n" + "\n".join(more) + "\n") == A
