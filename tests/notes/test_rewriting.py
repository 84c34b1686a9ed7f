"""Links follow the files they lead to. The rules are those of what Obsidian does, by their numbers."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.notes.canvas import parse_canvas
from bridge.notes.frontmatter import read_properties
from bridge.notes.markdown import parse_note
from bridge.notes.names import LinkFormat, Names, split_link
from bridge.notes.rewriting import Relocation, RewrittenText, apply, rewrite

FILES = ("Me.md", "Old.md", "a/Note.md", "b/Note.md", "a/pic.png", "Board.canvas")


def rewritten(
    text: str,
    moves: Mapping[str, str | None],
    *,
    source: str = "Me.md",
    files: tuple[str, ...] = FILES,
    form: LinkFormat = "shortest",
) -> RewrittenText:
    names = Names({source, *files})
    found = rewrite(text, source, Relocation(names, names.moved(moves), moves, form))
    assert apply(text, found.edits) == found.text
    return found


RENAMED = {"Old.md": "sub/New.md"}


@pytest.mark.parametrize(
    ("text", "becomes"),
    [
        # rules 84 and 86: every kind of link; what is not the path stays
        ("[[Old]]", "[[New]]"),
        ("[[Old.md]]", "[[New]]"),
        ("[[old|custom]]", "[[New|custom]]"),
        ("[[Old#Heading#Sub|t]]", "[[New#Heading#Sub|t]]"),
        ("![[Old#^block]]", "![[New#^block]]"),
        ("| [[Old\\|t]] | ![[Old\\|120]] |\n|---|---|\n", "| [[New\\|t]] | ![[New\\|120]] |\n|---|---|\n"),
        ("[text](Old.md)", "[text](New.md)"),
        ("[text](<Old.md#a b> 'title')", "[text](<New.md#a b> 'title')"),
        ("![300](Old.md)", "![300](New.md)"),
        ("[text](/Old.md#h%20x)", "[text](New.md#h%20x)"),
        # rule 15: white space around the path stays where it is
        ("[[ Old |x]] [[Old\xa0#h ]]", "[[ New |x]] [[New\xa0#h ]]"),
        # rule 87: a text that is the old name
        ("[Old](Old.md)", "[New](New.md)"),
        ("[Old.md](Old.md#x)", "[New.md](New.md#x)"),
        ("[Older](Old.md)", "[Older](New.md)"),
        # rule 84: addresses in definitions and in HTML
        ('[t][r]\n\n[r]: Old.md "Old"\n[q]: <Old.md#a b>\n', '[t][r]\n\n[r]: New.md "Old"\n[q]: <New.md#a b>\n'),
        ("> [r]: /Old.md#h%20x\n", "> [r]: New.md#h%20x\n"),
        ('a <a class="x" href="Old.md#h">Old</a>', 'a <a class="x" href="New.md#h">Old</a>'),
        ("<p>\n<A\nHREF='Old.md'>x</A> <a href=Old.md>\n", "<p>\n<A\nHREF='New.md'>x</A> <a href=New.md>\n"),
        ("[r]: https://x/Old.md\n<a href='https://x/Old.md'>", "[r]: https://x/Old.md\n<a href='https://x/Old.md'>"),
        ("<!-- <a href=Old> -->`<a href=Old>` <b href=Old>", "<!-- <a href=Old> -->`<a href=Old>` <b href=Old>"),
        # where links are: headings, lists, quotes, comments, twice in a line (rules 27 and 30)
        ("# [[Old]]\n- [ ] [[Old]] [[Old]]\n> [[Old]]\n", "# [[New]]\n- [ ] [[New]] [[New]]\n> [[New]]\n"),
        ("%%[[Old]]%%\n", "%%[[New]]%%\n"),
        ("[![p](a/pic.png)](Old.md)", "[![p](a/pic.png)](New.md)"),
        # where they are not (rule 26), and what leads elsewhere or nowhere
        ("`[[Old]]` \\[[Old]] $[[Old]]$\n```\n[[Old]]\n```\n", "`[[Old]]` \\[[Old]] $[[Old]]$\n```\n[[Old]]\n```\n"),
        ("[[Older]] [[sub/Old]] [[#Old]] [[Note]]", "[[Older]] [[sub/Old]] [[#Old]] [[Note]]"),
        ("[x](https://x/Old.md)", "[x](https://x/Old.md)"),
        # bytes are sacred: line endings, a byte order mark, bytes that are no UTF-8, astral characters
        ("\ufeff[[Old]]\r\n\udcff😀[[Old]]\n", "\ufeff[[New]]\r\n\udcff😀[[New]]\n"),
        # properties (rules 51 and 84)
        ('---\nup: "[[Old]]"\n---\n', '---\nup: "[[New]]"\n---\n'),
        ("---\nup: '[[Old|it''s]]'  # why\n---\n", "---\nup: '[[New|it''s]]'  # why\n---\n"),
        ('---\nl:\n  - "[[Old]]"\n  - "[[Old]]"\n  - x\n---\n', '---\nl:\n  - "[[New]]"\n  - "[[New]]"\n  - x\n---\n'),
        ('---\nm: {a: ["[[Old#h]]"]}\n---\n', '---\nm: {a: ["[[New#h]]"]}\n---\n'),
        ("---\nup: >-\n  [[Old]]\n---\n", "---\nup: >-\n  [[New]]\n---\n"),
        ("---\nup: |\n  [[Old]]\n---\n", "---\nup: |\n  [[New]]\n---\n"),
        ('---\nup: "[t](Old.md)"\n---\n', '---\nup: "[t](New.md)"\n---\n'),
        ('---\n{"up": "[[Old]]"}\n---\n', '---\n{"up": "[[New]]"}\n---\n'),
        ('---\nup: "[[\\u004fld]]"\n---\n', '---\nup: "[[New]]"\n---\n'),
        ('---\nup: "[[Old]]" # "[[Old]]"\n---\n', '---\nup: "[[New]]" # "[[Old]]"\n---\n'),
        # no links: text that merely contains one, and broken YAML
        ('---\nnote: "see [[Old]] there"\n---\n', '---\nnote: "see [[Old]] there"\n---\n'),
        ('---\nup: "[[Old]]"\n<% tp %>: [\n---\n[[Old]]', '---\nup: "[[Old]]"\n<% tp %>: [\n---\n[[New]]'),
    ],
)  # fmt: skip
def test_exactly_the_links_that_lead_to_a_renamed_note_are_rewritten(text: str, becomes: str) -> None:
    found = rewritten(text, RENAMED)
    assert found.text == becomes
    assert found.left == ()


@pytest.mark.parametrize(
    ("form", "becomes"),
    [
        ("shortest", "[[New]] [x](New.md)"),
        ("absolute", "[[sub/New]] [x](sub/New.md)"),
        ("relative", "[[../sub/New]] [x](../sub/New.md)"),
    ],
)
def test_the_user_says_how_paths_are_written_rule_72(form: LinkFormat, becomes: str) -> None:
    assert rewritten("[[Old]] [x](Old.md)", RENAMED, source="a/Me.md", form=form).text == becomes


@pytest.mark.parametrize(
    ("name", "wiki", "markdown"),
    [
        ("A & B", "[[A & B]]", "[t](A%20&%20B.md)"),
        ("100%", "[[100%]]", "[t](100%25.md)"),
        ("It's (1)", "[[It's (1)]]", "[t](It's%20%281%29.md)"),
        ("$1 $$ x", "[[$1 $$ x]]", "[t]($1%20$$%20x.md)"),
        ("Übung 😀 א", "[[Übung 😀 א]]", "[t](Übung%20😀%20א.md)"),
        # what cannot be a wikilink becomes a Markdown link (rule 7)
        ("a [b] c", "[a \\[b\\] c](a%20%5Bb%5D%20c.md)", "[t](a%20%5Bb%5D%20c.md)"),
    ],
)
def test_names_are_taken_literally_rule_86(name: str, wiki: str, markdown: str) -> None:
    found = rewritten("[[Old]] [t](Old.md)", {"Old.md": f"{name}.md"})
    assert (found.text, found.left) == (f"{wiki} {markdown}", ())


@pytest.mark.parametrize(
    ("text", "becomes"),
    [
        ("[[Old#h|t]]", "[t](a%5Eb.md#h)"),
        ("![[Old]]", "![a^b](a%5Eb.md)"),
        ("[[Old#a b#c]]", "[a^b > a b > c](a%5Eb.md#a%20b#c)"),
        ('---\nup: "[[Old]]"\n---\n', '---\nup: "[a^b](a%5Eb.md)"\n---\n'),
    ],
)
def test_a_wikilink_to_a_name_that_it_cannot_hold_becomes_a_markdown_link(text: str, becomes: str) -> None:
    assert rewritten(text, {"Old.md": "a^b.md"}).text == becomes


def test_a_link_that_cannot_be_written_is_left_and_reported() -> None:
    found = rewritten("[[Old]] [[Old|x]] [y](Old.md) [[a/Note]]", {"Old.md": "C#.md", "a/Note.md": "c/Note.md"})
    assert found.text == "[[Old]] [[Old|x]] [y](Old.md) [[c/Note]]"
    assert [link.original for link in found.left] == ["[[Old]]", "[[Old|x]]", "[y](Old.md)"]
    assert found.links == 1


def test_a_link_that_still_leads_there_stays_as_it_is_rule_88() -> None:
    text = "[[Old]] [[old.md]] [x](Old.md) ![[./Old]]"
    assert rewritten(text, {"Old.md": "sub/Old.md"}).text == "[[Old]] [[old.md]] [x](Old.md) ![[Old]]"


def test_a_name_that_becomes_ambiguous_is_written_as_a_path_rule_88() -> None:
    files = ("Me.md", "a/Note.md")
    made = {"new": "Note.md"}
    names = Names(files)
    moving = Relocation(names, names.moved(made), {})
    assert rewrite("[[Note]] [[New]]", "Me.md", moving).text == "[[a/Note]] [[New]]"


def test_a_moved_notes_own_links_are_rewritten_rule_84() -> None:
    text = "[[./Old]] [p](pic.png) [[Note]] [[#h]] [[Me]] [[/Old]]"
    found = rewritten(text, {"a/Me.md": "b/Me.md"}, source="a/Me.md", files=("a/Old.md", "a/pic.png", *FILES[2:]))
    assert found.text == "[[Old]] [p](pic.png) [[a/Note]] [[#h]] [[Me]] [[/Old]]"


def test_a_folders_move_keeps_what_is_relative_in_it() -> None:
    moves = {"a/Me.md": "x/y/Me.md", "a/Note.md": "x/y/Note.md"}
    assert rewritten("[[./Note]] [[../Old]]", moves, source="a/Me.md").text == "[[./Note]] [[Old]]"


def test_links_to_files_that_go_are_left() -> None:
    assert rewritten("[[Old]]", {"Old.md": None}).text == "[[Old]]"


def test_links_of_a_canvas_follow_rules_58_84_and_94() -> None:
    board: dict[str, Any] = {
        "nodes": [
            {"id": "1", "type": "file", "file": "Old.md", "subpath": "#h", "x": 0},
            {"id": "2", "type": "text", "text": '# Card\n[[Old|"x"]] \u00e9\n[[Note]]'},
            {"id": "3", "type": "link", "url": "Old.md"},
            {"id": "4", "type": "file", "file": "old.md"},
            {"id": "5", "type": "group", "label": "[[Old]]"},
        ],
        "edges": [],
        "unknown": "[[Old]]",
    }
    for text in (json.dumps(board), json.dumps(board, indent="\t", ensure_ascii=False), "\ufeff" + json.dumps(board)):
        found = rewritten(text, {"Old.md": 'sub/"Nëw".md'}, source="Board.canvas")
        assert found.left == ()
        assert found.links == 3
        new = json.loads(found.text.removeprefix("\ufeff"))
        assert new["nodes"][0]["file"] == new["nodes"][3]["file"] == 'sub/"Nëw".md'
        assert new["nodes"][1]["text"] == '# Card\n[["Nëw"|"x"]] \u00e9\n[[Note]]'
        assert len(found.text) - len(text) < 60
        new["nodes"][0]["file"], new["nodes"][3]["file"] = "Old.md", "old.md"
        new["nodes"][1]["text"] = board["nodes"][1]["text"]
        assert new == board


def test_a_canvas_node_names_a_whole_path_and_nothing_else_rule_94() -> None:
    text = json.dumps({"nodes": [{"type": "file", "file": "Note.md"}, {"type": "file", "file": "x/C#.md"}]})
    moves = {"a/Note.md": "c/Other.md", "x/C#.md": "y/C#.md"}
    found = rewritten(text, moves, source="Board.canvas", files=("a/Note.md", "x/C#.md"))
    assert [node["file"] for node in json.loads(found.text)["nodes"]] == ["Note.md", "y/C#.md"]


@pytest.mark.parametrize("text", ["", "{", "[]", "nothing", '{"nodes": 3}', '{"nodes": [{"type": "file", "file": 3}]}'])
def test_what_is_no_canvas_is_left(text: str) -> None:
    assert rewritten(text, RENAMED, source="Board.canvas").text == text


def test_many_links_are_written_in_one_go() -> None:
    found = rewritten("[[Old]] x [y](Old.md)\n" * 5_000, RENAMED)
    assert found.links == 10_000
    assert found.text == "[[New]] x [y](New.md)\n" * 5_000


NAMES = st.sampled_from(
    ["Note", "Old", "It's", 'Q "x"', "a [b]", "100%", "Ünï", "$x$", "A & B", "(1)", "%%", "x`y", "<i>"]
)
PATHS = st.builds(
    lambda folders, name, ending: "/".join([*folders, name + ending]),
    st.lists(st.sampled_from(["a", "b", "It's c"]), max_size=2),
    NAMES,
    st.sampled_from([".md", ".md", ".png"]),
)


@st.composite
def _vaults(draw: st.DrawFn) -> tuple[list[str], dict[str, str | None], str, LinkFormat]:
    """Files, where some of them go, a note full of links to them, and how links are written."""
    files = draw(st.lists(PATHS, min_size=2, max_size=6, unique_by=str.lower))
    moves: dict[str, str | None] = {}
    for path in draw(st.lists(st.sampled_from(files), max_size=3, unique=True)):
        place = draw(PATHS.filter(lambda path: path.endswith(".md")))
        if place.lower() not in {str(other).lower() for other in [*moves.values(), *files]}:
            moves[path] = place
    links = []
    for path in files:
        bare = path.removesuffix(".md")
        kinds = [f"[[{bare}]]", f"![[{path}|120]]", f"[[{bare.rpartition('/')[2]}#h]]", f"[t](<{path}>)", f"`{bare}`"]
        links.append(draw(st.sampled_from(kinds)))
    body = draw(st.sampled_from([" ", "\n", "\n- ", " $ ", " ` ", " %% ", "|"])).join(links)
    values = "".join(f"p{number}: {json.dumps(link)}\n" for number, link in enumerate(links))
    front = draw(st.sampled_from(["", f"---\n{values}---\n", f"---\nl: {json.dumps(links)}\n---\n"]))
    form: LinkFormat = draw(st.sampled_from(["shortest", "relative", "absolute"]))
    return files, moves, front + body, form


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(_vaults(), st.booleans())
def test_every_link_that_leads_somewhere_still_leads_there_or_is_reported(
    made: tuple[list[str], dict[str, str | None], str, LinkFormat], canvas: bool
) -> None:
    files, moves, text, form = made
    source = "Board.canvas" if canvas else files[0]
    if canvas:
        text = json.dumps({"nodes": [{"type": "text", "text": text}, {"type": "file", "file": files[0]}]})
    elif not source.endswith(".md"):
        source = "Me.md"
    names = Names([source, *files])
    moving = Relocation(names, names.moved(moves), moves, form)
    found = rewrite(text, source, moving)
    read = parse_canvas if canvas else lambda text: parse_note(text).all_links
    old, new = read(text), read(found.text)
    assert len(old) == len(new)
    left = 0
    for before, after in zip(old, new, strict=True):
        assert (before.embed, before.key, split_link(before.link)[1]) == (
            after.embed,
            after.key,
            split_link(after.link)[1],
        )
        target = _target(before.link, before.original, source, names, canvas and before.key == "file")
        place = moving.place(source)
        now = _target(after.link, after.original, place, moving.after, canvas and after.key == "file")
        if target is None:
            assert before.link == after.link
        elif now != moves.get(target, target):
            left += 1
            assert before.link == after.link
    assert left == len(found.left)
    if not found.edits:
        assert found.text == text


def _target(link: str, original: str, source: str, names: Names, whole: bool) -> str | None:
    path = "/" + original if whole else split_link(link)[0]
    return names.resolve(path, source) if path else None


@pytest.mark.parametrize("quote", ["'", '"'])
@pytest.mark.parametrize("name", ["It's", 'A "b"', "a\\b"])
def test_properties_are_escaped_as_their_quotes_want(quote: str, name: str) -> None:
    text = f"---\nup: {quote}[[Old]]{quote}\n---\n"
    found = rewritten(text, {"Old.md": f"{name}.md"})
    properties = read_properties(found.text.split("---\n")[1])
    assert properties == {"up": f"[[{name}]]"}


@pytest.mark.parametrize("form", ["shortest", "absolute", "relative"])
@pytest.mark.parametrize(
    ("source", "text", "becomes"),
    [
        # rule 37: the name alone, from its own folder; rule 36: the end of its path
        ("C# x/Me.md", "[[Old]] [t](Old.md#h)", "[[Mmm]] [t](Mmm.md#h)"),
        ("C# x/sub/Me.md", "[[../Old]] ![[../Old|a]]", "[[../Mmm]] ![[../Mmm|a]]"),
        ("C# x/sub/Me.md", '---\nup: "[[../Old]]"\n---\n', '---\nup: "[[../Mmm]]"\n---\n'),
    ],
)
def test_where_a_folder_has_a_name_no_link_can_hold_links_lead_there_all_the_same_rules_36_to_40(
    form: LinkFormat, source: str, text: str, becomes: str
) -> None:
    files = ("C# x/Old.md", "Zz/Mmm.md", "Zz/Old.md", "C# x/sub/Me.md")
    found = rewritten(text, {"C# x/Old.md": "C# x/Mmm.md"}, source=source, files=files, form=form)
    assert (found.text, found.left) == (becomes, ())


def test_the_text_of_a_link_with_brackets_changes_along_rules_19_and_87() -> None:
    there = rewritten("[[Old#h]]", {"Old.md": "x]y.md"})
    assert there.text == "[x\\]y > h](x%5Dy.md#h)"
    back = rewritten(there.text, {"x]y.md": "New.md"}, files=("x]y.md",))
    assert back.text == "[New > h](New.md#h)"
