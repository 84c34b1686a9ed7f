"""Obsidian's search language over a vault (rules 90 to 92 of its behaviour)."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bridge.clock import SystemClock
from bridge.errors import DeadlineExceeded, InvalidParameters
from bridge.index.search.query import And, Node, Not, Or, TextTerm, parse_query
from bridge.index.search.query_evaluation import Evaluation
from bridge.index.search.text_session import SearchTexts, folded
from bridge.index.vault_index import VaultIndex
from bridge.vault.files import VaultFiles
from bridge.vault.root import VaultRoot
from tests.patience import PATIENCE

NOTES = {
    "Alpha.md": (
        "---\nstatus: Draft\nn: 7\ntags: [work/x]\ndue: 2024-07-21\nempty:\nblank: ''\nlist: []\n"
        "done: true\n---\n# Plan\n\nThe project timeline is set.\nSecond line: flour.\n\n## Later\n\nMix it well.\n"
    ),
    "Beta.md": (
        "---\nStatus: In Progress\nn: 15\naliases: [Second Plan]\ndone: false\n---\n"
        "mix the FLOUR here\n\nHappyCat #myjob/work\n"
    ),
    "Tasks.md": (
        "- [ ] call Ada\n  about x\n- [x] wrote to Bob\n- [-] dropped\n- plain call\n\n```\n#work in code\n```\n#todo\n"
    ),
    "Folder/Café.md": "Nai\u0308ve r\u00e9sum\u00e9 of the ΟΔΟΣ street. #work\n",
    "Folder/Deep/日本.md": "日本語の文章です。\n",
    "Board.canvas": (
        '{"nodes": [{"id": "1", "type": "text", "text": "canvas flour\\nsecond"}, {"id": "2", "type": "file", '
        '"file": "Alpha.md"}], "edges": []}'
    ),
    "img/Photo 2022.png": "\x89PNG flour",
    "img/list.csv": "flour,1\n",
    "Windows.md": "one\r\ntwo\r\n",
    "Bytes.md": "bad \udcff byte\n",
    "Empty.md": "",
}


@pytest.fixture(scope="module")
def vault_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("Search")
    for name, text in NOTES.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode("utf-8", "surrogateescape"))
    return folder


Ask = Callable[[Node | str], set[str]]


@pytest.fixture(scope="module")
def ask(vault_folder: Path) -> Iterator[Ask]:
    """The files that a query finds."""
    clock = SystemClock()
    with VaultRoot(vault_folder) as root:
        files = VaultFiles(root)
        index = VaultIndex(files, clock)
        index.refresh()
        texts = SearchTexts(index.texts, files, clock)

        def answer(query: Node | str) -> set[str]:
            node = parse_query(query) if isinstance(query, str) else query
            assert node is not None
            with texts.session(clock.monotonic() + PATIENCE) as session:
                return Evaluation(session, index, [file.path for file in index.files()]).matches(node)

        yield answer
        texts.close()
        index.close()


A, B, T, C, J, BOARD = "Alpha.md", "Beta.md", "Tasks.md", "Folder/Café.md", "Folder/Deep/日本.md", "Board.canvas"
WIN, BYTES, EMPTY = "Windows.md", "Bytes.md", "Empty.md"
PNG, CSV = "img/Photo 2022.png", "img/list.csv"
TEXTS = {A, B, T, C, J, BOARD, WIN, BYTES, EMPTY}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        # rule 90: words, phrases, patterns, and how they are joined
        ("flour", {A, B, BOARD}),
        ("lou", {A, B, BOARD}),
        ("flour project", {A}),
        ("project OR HappyCat", {A, B}),
        ("flour -project", {B, BOARD}),
        ("flour -(project line)", {B, BOARD}),
        ('"project timeline"', {A}),
        ('"timeline project"', set()),
        (r"/proj\w+ time/", {A}),
        (r"/PROJ/", {A}),
        (r"/(?<name>flo)ur/", {A, B, BOARD}),
        (r"/(?<!the )flour/", {A, BOARD}),
        ("/^two$/", {WIN}),
        ("naïve", {C}),
        ("résumé", {C}),
        ("οδος", {C}),
        ("文章", {J}),
        ("二", set()),
        ("beta", {B}),
        ("deep", {J}),
        ("photo", set()),
        ("bad byte", {BYTES}),
        ("-flour", TEXTS - {A, B, BOARD}),
        # rule 91: operators
        ("file:.md -flour", {T, C, J, WIN, BYTES, EMPTY}),
        ("file:.png", {PNG}),
        ("file:2022", {PNG}),
        ("file:img", set()),
        ("path:img", {PNG, CSV}),
        ("path:IMG", {PNG, CSV}),
        ("path:img flour", set()),
        ("path:img -flour", {PNG, CSV}),
        ("path:/^Folder.*\\.md$/", {C, J}),
        ('path:"Folder/Deep"', {J}),
        ("-path:Folder flour", {A, B, BOARD}),
        ("content:beta", set()),
        ("content:(mix flour)", {A, B}),
        ("match-case:FLOUR", {B}),
        ("match-case:happycat", set()),
        ("match-case:(HappyCat ignore-case:flour)", {B}),
        ("match-case:/Happy[A-Z]/", {B}),
        ("match-case:/happy/", set()),
        ("tag:#work", {A, C}),
        ("tag:work", {A, C}),
        ("tag:WORK/X", {A}),
        ("tag:#work/", {A, C}),
        ("tag:#wor", set()),
        ("tag:#myjob", {B}),
        ("tag:(#work OR #todo)", {A, C, T}),
        ("tag:(#work -#work/x)", {C}),
        ("tag:/^#t/", {T}),
        ('tag:""', {A, B, C, T}),
        ("line:(mix flour)", {B}),
        ("line:(project set)", {A}),
        ("line:(flour -second)", {B, BOARD}),
        ("line:(-flour)", TEXTS - {EMPTY}),
        ("line:/^Second.*flour/", {A}),
        ("line:(two OR three)", {WIN}),
        ("block:(project flour)", {A}),
        ("block:(project mix)", set()),
        ("block:(call x)", {T}),
        ("block:(call wrote)", set()),
        ("block:(line:(call ada) x)", {T}),
        ("section:(project flour)", {A}),
        ("section:(plan mix)", {B}),
        ("section:(later mix)", {A}),
        ("section:(later -project)", {A}),
        ("task:call", {T}),
        ("task:plain", set()),
        ("task-todo:call", {T}),
        ("task-done:call", set()),
        ("task-done:(wrote OR nothing)", {T}),
        ("task-done:dropped", {T}),
        ("task:x", {T}),
        ("task-done:/^ wrote/", {T}),
        ('task-todo:""', {T}),
        ("task:(call tag:#todo)", {T}),
        ("task:(call tag:#work)", set()),
        ("line:(flour file:Alpha)", {A}),
        ("line:(flour [status:draft])", {A}),
        ("word:flour", set()),
        # rule 92: properties
        ("[status]", {A, B}),
        ("[status:draft]", {A}),
        ("[STATUS:progress]", {B}),
        ('[status:"progress"]', set()),
        ('[status:"in progress"]', {B}),
        ("[status:draft OR progress]", {A, B}),
        ("[status:-draft]", {B}),
        ("[status:/^dr/]", {A}),
        ("[/^sta/:draft]", {A}),
        ("[n:>5]", {A, B}),
        ("[n:>7]", {B}),
        ("[n:<=7]", {A}),
        ("[n:7]", {A}),
        ("[n:1]", set()),
        ("[due:>2024-01-01]", {A}),
        ("[due:<2024]", set()),
        ("[empty:null]", {A}),
        ("[blank:null]", set()),
        ("[list:null]", set()),
        ("[blank:EMPTY]", {A}),
        ("[list:EMPTY]", {A}),
        ("[done:TRUE]", {A}),
        ("[done:FALSE]", {B}),
        ("[done:true]", {A}),
        ("[aliases:second]", {B}),
        ("-[status] flour", {BOARD}),
        ("[missing]", set()),
        ("[status:draft] [n:>100]", set()),
    ],
)
def test_a_query_finds(ask: Ask, query: str, found: set[str]) -> None:
    assert ask(query) == found


def test_an_invalid_pattern_is_refused_with_its_place(ask: Ask) -> None:
    with pytest.raises(InvalidParameters, match="position 4"):
        ask(r"flour /abc(/")


WORDS = ["flour", "mix", "the", "line", "work", "of", "call", "ζ"]
queries = st.recursive(
    st.sampled_from(WORDS).map(TextTerm),
    lambda inner: st.one_of(
        inner.map(Not),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: And(tuple(parts))),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: Or(tuple(parts))),
    ),
    max_leaves=6,
)


def _true_of(query: Node, text: str) -> bool:
    if isinstance(query, And):
        return all(_true_of(part, text) for part in query.parts)
    if isinstance(query, Or):
        return any(_true_of(part, text) for part in query.parts)
    if isinstance(query, Not):
        return not _true_of(query.part, text)
    assert isinstance(query, TextTerm)
    return query.text in text


@given(query=queries)
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_found_is_what_looking_into_every_note_finds(ask: Ask, query: Node) -> None:
    shown = {name: folded(f"{name.rpartition('.')[0]}\n{text}") for name, text in NOTES.items() if name.endswith(".md")}
    assert {name for name in ask(query) if name in shown} == {n for n, text in shown.items() if _true_of(query, text)}


def test_a_search_ends_at_its_deadline(vault_folder: Path) -> None:
    clock = SystemClock()
    with VaultRoot(vault_folder) as root:
        index = VaultIndex(VaultFiles(root), clock)
        index.refresh()
        texts = SearchTexts(index.texts, VaultFiles(root), clock)
        query = parse_query("line:(a b)")
        assert query is not None
        with texts.session(clock.monotonic() - 1) as session, pytest.raises(DeadlineExceeded, match="narrow"):
            Evaluation(session, index, list(NOTES)).matches(query)
        index.close()
