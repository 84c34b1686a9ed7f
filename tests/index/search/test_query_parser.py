"""From the text of a search to what it asks for (rules 90 to 92 of Obsidian's behaviour)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.errors import InvalidParameters
from bridge.index.search.query import (
    And,
    Case,
    Compare,
    Kind,
    Node,
    Not,
    Or,
    Property,
    Regex,
    Scope,
    Text,
    Within,
    plain_words,
)
from bridge.index.search.query_parser import MAX_DEPTH, MAX_LENGTH, MAX_TERMS, parse_query

A, B, C = Text("a"), Text("b"), Text("c")


def _name(text: str) -> Text:
    return Text(text, quoted=True)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        # rule 90
        ("a", A),
        ("a b", And((A, B))),
        ("a b OR c", Or((And((A, B)), C))),
        ("a (b OR c)", And((A, Or((B, C))))),
        ("a -b", And((A, Not(B)))),
        ("a -(b c)", And((A, Not(And((B, C)))))),
        ('-"b c"', Not(Text("b c", quoted=True))),
        ('"a \\"b\\" c"', Text('a "b" c', quoted=True)),
        (r'"a\\b"', Text("a\\b", quoted=True)),
        (r"/\d{4}-\d{2}/", Regex(r"\d{4}-\d{2}")),
        (r"/a\/b[/]c/ a", And((Regex(r"a\/b[/]c"), A))),
        ("a or b", And((A, Text("or"), B))),
        # rule 91
        ("file:.jpg", Within(Scope.FILE, Text(".jpg"))),
        ("PATH:a", Within(Scope.PATH, A)),
        ('path:"a b"', Within(Scope.PATH, Text("a b", quoted=True))),
        ("path:/a/", Within(Scope.PATH, Regex("a"))),
        ("path: a", Within(Scope.PATH, A)),
        ("content:a", Within(Scope.CONTENT, A)),
        ("match-case:A", Case(matters=True, part=Text("A"))),
        ("Ignore-Case:a", Case(matters=False, part=A)),
        ("tag:#a", Within(Scope.TAG, Text("#a"))),
        ("line:(a b)", Within(Scope.LINE, And((A, B)))),
        ("block:(a OR b)", Within(Scope.BLOCK, Or((A, B)))),
        ("-section:a", Not(Within(Scope.SECTION, A))),
        ("section:-a", Within(Scope.SECTION, Not(A))),
        ("line:match-case:A", Within(Scope.LINE, Case(matters=True, part=Text("A")))),
        ('task:""', Within(Scope.TASK, Text("", quoted=True))),
        ("task-todo:a task-done:b", And((Within(Scope.TASK_TODO, A), Within(Scope.TASK_DONE, B)))),
        ("word:a", Text("word:a")),
        ("http://a", Text("http://a")),
        # rule 92
        ("[a]", Property(_name("a"))),
        ("[a b:c]", Property(_name("a b"), C)),
        ('["a:b":"c"]', Property(_name("a:b"), _name("c"))),
        ("[/a+/:b]", Property(Regex("a+"), B)),
        ("[a:b c]", Property(_name("a"), And((B, C)))),
        ("[a:b OR -c]", Property(_name("a"), Or((B, Not(C))))),
        ("[a:(b OR c)]", Property(_name("a"), Or((B, C)))),
        ("[a:/b]c/]", Property(_name("a"), Regex("b]c"))),
        ("[a:>5]", Property(_name("a"), Compare(">", "5"))),
        ("[a: >= 5]", Property(_name("a"), Compare(">=", "5"))),
        ("[a:null]", Property(_name("a"), Kind.NULL)),
        ('[a:"null"]', Property(_name("a"), _name("null"))),
        ("[a:TRUE OR EMPTY]", Property(_name("a"), Or((Kind.TRUE, Kind.EMPTY)))),
        ("[a:]", Property(_name("a"))),
        # what is not closed, not opened or not there
        ('"a b', Text("a b", quoted=True)),
        ("(a (b", And((A, B))),
        ("a) b", And((A, B))),
        ("a OR", A),
        ("OR a OR OR b", Or((A, B))),
        ("tag:", Text("tag:")),
        ("a -", And((A, Text("-")))),
        ("-- a", And((Text("--"), A))),
        ("/usr/bin", Text("/usr/bin")),
        ("[[a]]", Text("[[a]]")),
        ("[ ]", And((Text("["), Text("]")))),
        ("[a:b", Text("[a:b")),
        ("a-b", Text("a-b")),
        ("a\0b", And((A, B))),
        ('"', Text('"')),
        ("", None),
        ("  \n", None),
        ("()", None),
        ('""', None),
        ("OR", None),
    ],
)
def test_a_query_means(text: str, query: Node | None) -> None:
    assert parse_query(text) == query


@pytest.mark.parametrize(
    ("text", "words"),
    [("a", ("a",)), ("a (b c)", ("a", "b", "c")), ("a -b", None), ('"a"', None), ("a OR b", None), ("tag:a b", None)],
)
def test_only_words_are_plain(text: str, words: tuple[str, ...] | None) -> None:
    query = parse_query(text)
    assert query is not None
    assert plain_words(query) == words


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a" * (MAX_LENGTH + 1), "at most 10000"),
        ("(" * (MAX_DEPTH + 1) + "a", "position 33"),
        ("line:" * (MAX_DEPTH + 1) + "a", "position"),
        ("a " * (MAX_TERMS + 1), "more than 2000 terms"),
    ],
)
def test_what_is_too_large_is_refused(text: str, says: str) -> None:
    with pytest.raises(InvalidParameters, match=says):
        parse_query(text)


@given(st.text(alphabet='ab -"/()[]:\\>OR\n#', max_size=60))
@settings(max_examples=400, deadline=None)
def test_whatever_is_typed_means_something(text: str) -> None:
    try:
        query = parse_query(text)
    except InvalidParameters:
        return
    assert query is None or isinstance(query, Node)
