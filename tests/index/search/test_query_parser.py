"""From the text of a search to what it asks for (rules 90 to 92 of Obsidian's behaviour)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.errors import InvalidParameters
from bridge.index.search.query import (
    MAX_DEPTH,
    MAX_LENGTH,
    MAX_TERMS,
    And,
    CompareTerm,
    Node,
    Not,
    Or,
    PropertyKind,
    PropertyTerm,
    QueryScope,
    RegexTerm,
    TextTerm,
    Within,
    parse_query,
    plain_words,
)

A, B, C = TextTerm("a"), TextTerm("b"), TextTerm("c")


def _name(text: str) -> TextTerm:
    return TextTerm(text, quoted=True)


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
        ('-"b c"', Not(TextTerm("b c", quoted=True))),
        ('"a \\"b\\" c"', TextTerm('a "b" c', quoted=True)),
        (r'"a\\b"', TextTerm("a\\b", quoted=True)),
        (r"/\d{4}-\d{2}/", RegexTerm(r"\d{4}-\d{2}")),
        (r"/a\/b[/]c/ a", And((RegexTerm(r"a\/b[/]c"), A))),
        ("a or b", And((A, TextTerm("or"), B))),
        # rule 91
        ("file:.jpg", Within(QueryScope.FILE, TextTerm(".jpg"))),
        ("PATH:a", Within(QueryScope.PATH, A)),
        ('path:"a b"', Within(QueryScope.PATH, TextTerm("a b", quoted=True))),
        ("path:/a/", Within(QueryScope.PATH, RegexTerm("a"))),
        ("path: a", Within(QueryScope.PATH, A)),
        ("content:a", Within(QueryScope.CONTENT, A)),
        ("match-case:A", TextTerm("A", case=True)),
        ("Ignore-Case:a", TextTerm("a", case=False)),
        ("tag:#a", Within(QueryScope.TAG, TextTerm("#a"))),
        ("line:(a b)", Within(QueryScope.LINE, And((A, B)))),
        ("block:(a OR b)", Within(QueryScope.BLOCK, Or((A, B)))),
        ("-section:a", Not(Within(QueryScope.SECTION, A))),
        ("section:-a", Within(QueryScope.SECTION, Not(A))),
        ("line:match-case:A", Within(QueryScope.LINE, TextTerm("A", case=True))),
        ('task:""', Within(QueryScope.TASK, TextTerm("", quoted=True))),
        ("task-todo:a task-done:b", And((Within(QueryScope.TASK_TODO, A), Within(QueryScope.TASK_DONE, B)))),
        ("word:a", TextTerm("word:a")),
        ("http://a", TextTerm("http://a")),
        # rule 92
        ("[a]", PropertyTerm(_name("a"))),
        ("[a b:c]", PropertyTerm(_name("a b"), C)),
        ('["a:b":"c"]', PropertyTerm(_name("a:b"), _name("c"))),
        ("[/a+/:b]", PropertyTerm(RegexTerm("a+"), B)),
        ("[a:b c]", PropertyTerm(_name("a"), And((B, C)))),
        ("[a:b OR -c]", PropertyTerm(_name("a"), Or((B, Not(C))))),
        ("[a:(b OR c)]", PropertyTerm(_name("a"), Or((B, C)))),
        ("[a:/b]c/]", PropertyTerm(_name("a"), RegexTerm("b]c"))),
        ("[a:>5]", PropertyTerm(_name("a"), CompareTerm(">", "5"))),
        ("[a: >= 5]", PropertyTerm(_name("a"), CompareTerm(">=", "5"))),
        ("[a:null]", PropertyTerm(_name("a"), PropertyKind.NULL)),
        ('[a:"null"]', PropertyTerm(_name("a"), _name("null"))),
        ("[a:TRUE OR EMPTY]", PropertyTerm(_name("a"), Or((PropertyKind.TRUE, PropertyKind.EMPTY)))),
        ("[a:]", PropertyTerm(_name("a"))),
        # what is not closed, not opened or not there
        ('"a b', TextTerm("a b", quoted=True)),
        ("(a (b", And((A, B))),
        ("a) b", And((A, B))),
        ("a OR", A),
        ("OR a OR OR b", Or((A, B))),
        ("tag:", TextTerm("tag:")),
        ("a -", And((A, TextTerm("-")))),
        ("-- a", And((TextTerm("--"), A))),
        ("/usr/bin", TextTerm("/usr/bin")),
        ("[[a]]", TextTerm("[[a]]")),
        ("[ ]", And((TextTerm("["), TextTerm("]")))),
        ("[a:b", TextTerm("[a:b")),
        ("a-b", TextTerm("a-b")),
        ("a\0b", And((A, B))),
        ('"', TextTerm('"')),
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
