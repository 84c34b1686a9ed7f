"""What is a link, an embed or a tag within a paragraph. Each case names the rule of Obsidian's behaviour it proves."""

import pytest

from bridge.notes.markdown import parse_note

LINKS = [
    pytest.param("[[Note]]", [("Note", "Note")], id="14 a wikilink"),
    pytest.param("[[Note|text]]", [("Note", "text")], id="14 with a text"),
    pytest.param("[[Note#H1#H2|t]]", [("Note#H1#H2", "t")], id="14 the text comes after the subpath"),
    pytest.param("[[Note#^b-1]]", [("Note#^b-1", "Note > ^b-1")], id="14 to a block"),
    pytest.param("[[a||b]]", [("a", "|b")], id="15 the first bar parts target and text"),
    pytest.param("[[Name ]] [[ Name]]", [("Name", "Name")] * 2, id="15 white space around the target is dropped"),
    pytest.param(
        "[[Name |x]] [[\xa0Name\u3000#^id ]]",
        [("Name", "x"), ("Name\u3000#^id", "Name\u3000 > ^id")],
        id="15 and before a bar",
    ),
    pytest.param("[t](%20Name.md%C2%A0)", [("Name.md", "t")], id="15 in Markdown links too"),
    pytest.param("[[]] [[ ]] [[\u3000|x]] [t](%20)", [], id="16 an empty one is none"),
    pytest.param("[[|]] [[|x]]", [("|", "|"), ("|x", "|x")], id="16 a bar that comes first belongs to the name"),
    pytest.param("[[|#x]]", [("|#x", "| > x")], id="16 with a subpath too"),
    pytest.param("[[Sq]uare]]", [("Sq]uare", "Sq]uare")], id="17 only two brackets close"),
    pytest.param("[[Nested [[Inner]] x]]", [("Inner", "Inner")], id="17 the inner of two counts"),
    pytest.param("[[[A] b?]] ![[[A] b]]", [("[A] b?", "[A] b?")], id="17 the first two of three brackets open"),
    pytest.param("[[a\nb]]", [], id="17 a line break kills it"),
    pytest.param("| [[Note\\|text]] |", [("Note", "text")], id="18 an escaped bar"),
    pytest.param("[[A#B]]", [("A#B", "A > B")], id="19 the default text"),
    pytest.param("[[#B]]", [("#B", "B")], id="19 of a heading in the same note"),
    pytest.param("[[#^id]]", [("#^id", "^id")], id="19 of a block in the same note"),
    pytest.param("[[##x]] [[^^x]]", [("##x", "x"), ("^^x", "^^x")], id="20 odd targets are stored as they are"),
    pytest.param("[text](My%20Note.md)", [("My Note.md", "text")], id="21 percent signs are decoded"),
    pytest.param("[text](<My Note.md>)", [("My Note.md", "text")], id="21 in angle brackets"),
    pytest.param("[text](My Note.md)", [], id="21 a bare space ends the match"),
    pytest.param('[text](Note.md "title")', [("Note.md", "text")], id="21 with a title"),
    pytest.param("[a]() []()", [], id="21 an empty destination is no link"),
    pytest.param("[a](b(c).md)", [("b(c).md", "a")], id="21 parentheses within"),
    pytest.param("[a](b\\).md)", [("b).md", "a")], id="21 an escaped parenthesis"),
    pytest.param("[a](100%.md)", [("100%.md", "a")], id="21 a percent sign that encodes nothing stays"),
    pytest.param("[a](%FF.md)", [("%FF.md", "a")], id="21 what is no UTF-8 stays"),
    pytest.param("[a](http://x.y) [b](mailto:x) [c](obsidian://o) [d](x-y:z)", [], id="22 a scheme leads out"),
    pytest.param("[[https://x.y]]", [("https://x.y", "https://x.y")], id="22 but not in a wikilink"),
    pytest.param('[t](\\"https://x.y\\") [t](<a://b>)', [], id="22 so does :// further in"),
    pytest.param("[text](#Heading)", [("#Heading", "text")], id="24 to the same note"),
    pytest.param("`[[no]]` ``[[no]] ` [[no]]`` [[yes]]", [("yes", "yes")], id="26 inline code"),
    pytest.param("$[[no]]$ $$[[no]]$$ [[yes]]", [("yes", "yes")], id="26 inline mathematics"),
    pytest.param("$5 [[yes]] 6$7 and $ [[too]]", [("yes", "yes"), ("too", "too")], id="26 amounts of money"),
    pytest.param("http://x.y/$z$ [[yes]]$", [("yes", "yes")], id="26 dollar signs in an address"),
    pytest.param("a <!-- [[no]] --> [[yes]]", [("yes", "yes")], id="26 a comment of HTML"),
    pytest.param('a <b title="[[no]]">[[yes]]</b>', [("yes", "yes")], id="26 attributes of HTML"),
    pytest.param("a %%[[yes]]%% b", [("yes", "yes")], id="27 a comment of Obsidian's"),
    pytest.param("a %%b\n[[yes]]\nc%% d", [("yes", "yes")], id="27 over several lines"),
    pytest.param("[[X#a-$k$ b]]", [("X#a-$k$ b", "X > a-$k$ b")], id="28 the first construct wins"),
    pytest.param("`a [[b` c]]", [], id="28 code that begins first"),
    pytest.param("^[\\[1\\]](#fn)", [], id="29 an inline footnote"),
    pytest.param("^[see [[Note]]] [a](b)", [("Note", "Note"), ("b", "a")], id="29 a link within it counts"),
    pytest.param("\\[[no]]", [], id="an escaped bracket opens nothing"),
    pytest.param("[a [[b]] c](d)", [("b", "b")], id="a link within a link's text: the inner one counts"),
    pytest.param("[[[x]]]", [("x", "x")], id="a third bracket is text"),
]


@pytest.mark.parametrize(("text", "expected"), LINKS)
def test_links(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(link.link, link.display) for link in parse_note(text).links] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("![[img.png|300]]", [("img.png", "300")]),
        ("![[a.pdf#page=3]]", [("a.pdf#page=3", "a.pdf > page=3")]),
        ("| ![[img.png\\|120]] |", [("img.png", "120")]),
        ("![alt](a%20b.png)", [("a b.png", "alt")]),
        ("![alt](https://x.y/z.png)", []),
        ("[![[in.png]]](note.md)", [("in.png", "in.png")]),
        ("!\\[[x]]", []),
    ],
    ids=[
        "25 with a size",
        "25 with a subpath",
        "18 in a table",
        "25 Markdown",
        "25 external",
        "25 in a link",
        "escaped",
    ],
)
def test_embeds(text: str, expected: list[tuple[str, str]]) -> None:
    note = parse_note(text)
    assert [(link.link, link.display) for link in note.embeds] == expected
    assert all(link.embed for link in note.embeds)
    assert not any(link.embed for link in note.links)


@pytest.mark.parametrize(
    "text",
    ["# [[x]]", "- [[x]]", "> [!note] [[x]]\n> a", "> [[x]]", "a|b\n-|-\n[[x]]|c", "[^1]: [[x]]", "x\n===\n[[x]]"],
    ids=["heading", "list", "callout", "quote", "table", "footnote", "below a heading"],
)
def test_rule_30_links_count_wherever_text_is(text: str) -> None:
    assert [link.link for link in parse_note(text).links] == ["x"]


def test_a_markdown_link_says_so_and_a_link_knows_its_place() -> None:
    text = "é \U0001f600 [[a]] and [b](c.md)"
    wikilink, markdown = parse_note(text).links
    assert (wikilink.markdown, markdown.markdown) == (False, True)
    assert [text[link.start : link.end] for link in (wikilink, markdown)] == ["[[a]]", "[b](c.md)"]
    assert (wikilink.original, markdown.original) == ("[[a]]", "[b](c.md)")


TAGS = [
    pytest.param("#a b #c\n#d", ["#a", "#c", "#d"], id="59 at a line's start and after white space"),
    pytest.param('x#no (#no) {#no} "#no" \uff1a#no \u3010#no', [], id="59 not after anything else"),
    pytest.param("#X\u2264#Y", ["#X\u2264", "#Y"], id="60 right after another tag"),
    pytest.param("\\[\\[#Escaped\\]\\]", ["#Escaped"], id="60 right after an escaped character"),
    pytest.param("\\#no", [], id="60 an escaped mark"),
    pytest.param("[[a]]#b `c`#d", ["#b", "#d"], id="60 right after a link or code"),
    pytest.param("#a-b_c/d9", ["#a-b_c/d9"], id="61 dashes, underlines, slashes and digits"),
    pytest.param(
        "#日本 #été #\u2764\ufe0f #a\u2264b", ["#日本", "#été", "#\u2764\ufe0f", "#a\u2264b"], id="61 any script"
    ),
    pytest.param("#a! #b, #c. #d: #e; #f\u2026 #g\u2019s", ["#a", "#b", "#c", "#d", "#e", "#f", "#g"], id="61 ends"),
    pytest.param("#1984 #y1984 #19-84", ["#y1984", "#19-84"], id="62 not digits alone"),
    pytest.param("#Tag #tag #a/B", ["#Tag", "#tag", "#a/B"], id="63 spelled as written"),
    pytest.param("[[a #no]] [t #no](x.md) #yes", ["#yes"], id="64 not in links"),
    pytest.param("http://x/#y `#no` <b style='color: #fff'>", [], id="64 not in addresses, code, attributes"),
    pytest.param("[Text #4-2](http://x.y) [a](<b://c> '#no')", ["#4-2"], id="64 but in the text of external links"),
    pytest.param("![Text #no](http://x.y) [Text #no]( x.md)", [], id="64 and not in that of embeds"),
    pytest.param("a <!-- #no --> %% #yes %%", ["#yes"], id="26 and 27 in comments"),
    pytest.param("## #a b", ["#a"], id="in a heading"),
    pytest.param("- [ ] #task x", ["#task"], id="in a task"),
    pytest.param(">#a\n>#b", ["#a", "#b"], id="in a quote without a space"),
    pytest.param("**#bold** and *#x", ["#bold"], id="in emphasis that is closed"),
    pytest.param("# \n##x #", [], id="marks alone are none"),
]


@pytest.mark.parametrize(("text", "expected"), TAGS)
def test_tags(text: str, expected: list[str]) -> None:
    note = parse_note(text)
    assert [tag.tag for tag in note.tags] == expected
    assert [text[tag.start : tag.end] for tag in note.tags] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param('[r]: Note.md "t"', [("definition", "Note.md", '[r]: Note.md "t"')], id="a definition"),
        pytest.param("- [r]: <a b.md#h>\n", [("definition", "a b.md#h", "[r]: <a b.md#h>")], id="in angle brackets"),
        pytest.param("[^1]: Note.md\n\n[r]: #h\n\n[r]: http://x.y", [], id="a footnote, no path, and the web"),
        pytest.param('a <a id="b" href="c%20d#h">x</a>', [("anchor", "c d#h", '<a id="b" href="c%20d#h"')], id="HTML"),
        pytest.param("<p>\n<a href=b.md>\n</p>", [("anchor", "b.md", "<a href=b.md")], id="in a block of HTML"),
        pytest.param("<pre>\n<a href=b>\n</pre>\n`<a href=b>` <!-- <a href=b> -->", [], id="what is shown as it is"),
        pytest.param('<a href="https://x.y"> <a href="#h">', [], id="the web, and the same note"),
        pytest.param('<a data-href="b.md"> <abbr href="b.md">', [], id="other tags and attributes"),
    ],
)  # fmt: skip
def test_rule_44_addresses_that_do_not_count_are_kept_apart(text: str, expected: list[tuple[str, str, str]]) -> None:
    note = parse_note(text)
    assert [(each.kind, each.link, each.original) for each in note.addresses] == expected
    assert [text[each.start : each.end] for each in note.addresses] == [original for _, _, original in expected]
    assert (note.links, note.embeds) == ((), ())
    assert note.all_links == note.addresses
    assert not any(each.counts for each in note.addresses)
