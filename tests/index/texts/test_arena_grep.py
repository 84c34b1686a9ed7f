"""What is found in memory is what is found by opening every file, whichever engine finds it."""

import contextlib
import itertools
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bridge.clock import SystemClock
from bridge.errors import DeadlineExceeded, InvalidParameters
from bridge.index.texts import arena as arena_module
from bridge.index.texts.arena import LARGEST, Stamp, TextArena, text_entry
from bridge.index.texts.globs import compile_glob
from bridge.index.texts.grep import Grep, GrepQuery, GrepResult
from bridge.index.texts.patterns import hyperscan
from bridge.vault.files import VaultFiles
from bridge.vault.root import VaultRoot
from tests.patience import PATIENCE

ENGINES = [
    "re2",
    pytest.param("hyperscan", marks=pytest.mark.skipif(hyperscan is None, reason="not installed")),
]


@dataclass
class Source:
    """Texts as the index gives them."""

    texts: TextArena
    ready: bool = True


class Both:
    """One vault, searched from the disk and from memory."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clock = SystemClock()
        self.root = VaultRoot(folder)
        files = VaultFiles(self.root)
        self.source = Source(TextArena())
        self.disk = Grep(files, self.clock)
        self.memory = Grep(files, self.clock, self.source)

    def write(self, name: str, data: bytes) -> None:
        """A file, on the disk and in memory."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        self.know(name)

    def know(self, name: str) -> None:
        """Take a file of the disk into memory."""
        state = (self.folder / name).stat()
        data = (self.folder / name).read_bytes()
        stamp = Stamp(state.st_size, state.st_mtime_ns)
        self.source.texts.put(text_entry(name, data if len(data) <= LARGEST else None, stamp))

    def clear(self) -> None:
        """Remove everything."""
        for path in sorted(self.folder.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        self.source.texts = TextArena()

    def search(self, grep: Grep, pattern: str, glob: str | None = None, **options: Any) -> GrepResult:
        deadline = self.clock.monotonic() + options.pop("seconds", PATIENCE)
        given: dict[str, Any] = {"excludes": (), "context_lines": 0, "limit": 100} | options
        compiled = grep.compile(pattern, self.clock.monotonic() + PATIENCE)
        return grep.search(
            GrepQuery(pattern=compiled, glob=None if glob is None else compile_glob(glob), deadline=deadline, **given)
        )

    def same(self, pattern: str, glob: str | None = None, **options: Any) -> GrepResult:
        """What both find, which must be the same."""
        memory = self.search(self.memory, pattern, glob, **options)
        assert memory == self.search(self.disk, pattern, glob, **options)
        return memory


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    both = Both(tmp_path_factory.mktemp("Notes"))
    yield both
    both.disk.close()
    both.memory.close()
    both.root.close()


@pytest.fixture(params=ENGINES)
def both(shared: Both, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Both:
    if request.param == "re2":
        monkeypatch.setattr("bridge.index.texts.patterns.hyperscan", None)
    shared.memory._patterns._recent.clear()
    shared.clear()
    return shared


LINES = [
    *(b"TODO call", b"todo", b"", b"the organization", b"ab", b"a", b"aab!", b"[[a|b]]", b"2024-01-02T", b"x" * 700),
    *(
        "é ü 日本".encode(),
        "\u212a \u017f".encode(),
        b"\xff TODO \xe9",
        b"end\r",
        b"\t a  b",
        b"a.b",
        b"# Head",
        b"caf\xc3",
    ),
    *(b"foobar foo", b"needle " * 90, b"\x0b", b"A" * 40),
]
PATTERNS = [
    *("TODO", "(?i)todo", r"\b[a-z]+ization\b", "^$", "^#+ ", r"\[\[.*\|", r"\d{4}-\d\d", "a|b", "[a-z]+", "x*", "."),
    *("a$", "^a", "(a+)+$", "a{2,}", r"\s+", r"\S", r"[^a]b", r"\bé", "é.?ü", "(?i)k", "(?i)[a-z]s?", "o{,2}", r"\.b"),
    *("(?<x>foo)bar", "(foo|bar) foo", r"\w+!$", r"[\w.]+b", "[[:upper:]]{3}", "needle.*needle", "日", r"\x{e9}", "a{"),
    *(r"\bb", "end.", r"^\W", "(?i)É", "[]a]", "(?s).b", "$", "^", "TODO|", r"(?i:head)|b", "(?U)a+b", r"\v", r"a\z"),
    *(r"(?<=TODO )\w+", "a(?!b)", r"(.)\1", "(?=foo)foobar", r"foo(?=bar)", "(?>a+)b", "a++b", r"(?<!a)b", r"\s(?=b)"),
    *(r"(?i)(?<=t)odo", r"(\w)o\1", "(?!x)^.+$", r"[\s](?=a)"),
]
TEXT = st.lists(st.sampled_from(LINES), max_size=12).flatmap(
    lambda lines: st.sampled_from([b"\n".join(lines), b"\n".join(lines) + b"\n", b"\r\n".join(lines), b"\xef\xbb\xbf"])
)
NAMES = st.sampled_from(["a.md", "b.txt", "A/a.md", "A/b.md", "A/B/c.md", "A b/x.md", "z.md", "Ü.md", "A/.h.md"])


@st.composite
def searches(draw: st.DrawFn) -> list[tuple[str, str | None, dict[str, int]]]:
    """Some patterns, with the same glob and options."""
    glob = draw(st.sampled_from([None, "**/*.md", "A/**", "*", "**/[ab].*", "{A,A b}/*.md"]))
    options = {"limit": draw(st.sampled_from([1, 3, 10_000])), "context_lines": draw(st.sampled_from([0, 2]))}
    patterns = draw(st.lists(st.sampled_from(PATTERNS), min_size=1, max_size=8, unique=True))
    return [(pattern, glob, options) for pattern in patterns]


@pytest.mark.slow
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(
    files=st.dictionaries(NAMES, TEXT, max_size=7),
    again=st.lists(st.tuples(NAMES, TEXT), max_size=3),
    asked=searches(),
    sizes=st.sampled_from([(40, 3), (2000, 300)]),
)
def test_the_same_is_found_in_memory_as_on_the_disk(
    both: Both,
    files: dict[str, bytes],
    again: list[tuple[str, bytes]],
    asked: list[tuple[str, str | None, dict[str, int]]],
    sizes: tuple[int, int],
) -> None:
    both.clear()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in zip(("CHUNK", "MOST_FILES"), sizes, strict=True):
            patch.setattr(arena_module, name, value)
        for name, data in [*files.items(), *again]:
            both.write(name, data)
        for pattern, glob, options in asked:
            both.same(pattern, glob, **options)
            both.same(pattern, glob, **options, excludes=(lambda path: path.startswith("A/a"),))


def test_hits_come_in_the_order_of_a_walk_however_often_files_were_edited(both: Both) -> None:
    names = [f"{folder}{number}.md" for folder in ("B/", "", "A/C/", "A/") for number in range(20)]
    for name in [*names, *names[::3], *names[::-7]]:
        both.write(name, b"needle\n" * 2)
    assert both.same("needle", limit=30).more
    assert len({hit.file for hit in both.same("needle", limit=1000).hits}) == 80


def test_a_file_too_large_for_memory_is_searched_from_the_disk_in_its_place(
    both: Both, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arena_module, "LARGEST", 1000)
    both.write("A/a.md", b"needle\n")
    (both.folder / "b.md").write_bytes(b"needle\n" + b"x" * 2000 + b"\nneedle")
    both.source.texts.put(text_entry("b.md", None, Stamp(2014, 0)))
    (both.folder / "film.mp4").write_bytes(b"\x00" * 2000)
    both.source.texts.put(text_entry("film.mp4", None, Stamp(2000, 0)))
    both.write("z.md", b"needle\n")
    found = both.same("needle")
    assert [hit.file for hit in found.hits] == ["b.md", "b.md", "z.md", "A/a.md"]
    assert found.files == 3
    both.same("needle", limit=2)
    (both.folder / "b.md").unlink()
    assert [hit.file for hit in both.search(both.memory, "needle").hits] == ["z.md", "A/a.md"]


def test_until_the_index_is_ready_the_disk_is_right(both: Both) -> None:
    both.write("a.md", b"needle\n")
    both.write("b.md", b"needle old\n")
    (both.folder / "b.md").write_bytes(b"changed, needle\n")
    (both.folder / "new.md").write_bytes(b"needle\n")
    both.source.texts.put(text_entry("gone.md", b"needle\n", Stamp(7, 7)))
    both.source.ready = False
    try:
        found = both.search(both.memory, "needle")
    finally:
        both.source.ready = True
    assert found.indexing
    assert [hit.match for hit in found.hits] == ["needle", "changed, needle", "needle"]


def test_a_text_that_is_known_is_not_read_again_while_the_index_is_built(both: Both) -> None:
    both.write("a.md", b"needle\n")
    state = (both.folder / "a.md").stat()
    both.source.texts.put(text_entry("a.md", b"noodle\n", Stamp(state.st_size, state.st_mtime_ns)))
    both.source.ready = False
    try:
        assert [hit.match for hit in both.search(both.memory, "n..dle").hits] == ["noodle"]
    finally:
        both.source.ready = True


@pytest.mark.parametrize("pattern", ["a", "[a-z]*a", "(?=a)a", "(a+)+$", r"a\b", "(?i)A"])
def test_a_line_of_megabytes_is_searched(both: Both, pattern: str) -> None:
    both.write("line.md", b"b " * 1_000_000 + b"a\n" + b"c\n" * 10)
    both.same(pattern)


def test_a_deadline_that_has_passed_says_how_to_narrow(both: Both) -> None:
    both.write("a.md", b"x\n")
    with pytest.raises(DeadlineExceeded, match="filePattern"):
        both.search(both.memory, "x", seconds=-1)


def test_a_deadline_is_kept_inside_one_long_line(both: Both) -> None:
    both.write("a.md", b"a" * 200_000 + b"!\n")
    with pytest.raises(DeadlineExceeded, match="stopped at its deadline"):
        both.search(both.memory, r"(a+)\1+$", seconds=0.2)


def test_a_pattern_that_backtracks_without_end_is_refused(both: Both) -> None:
    both.write("a.md", b"a" * 3000 + b"!\n")
    with pytest.raises(InvalidParameters, match="backtracks too much"):
        both.search(both.memory, "(?!x)(a+)+!!|!$")


def test_only_lines_that_may_match_are_given_to_the_slow_engine(both: Both) -> None:
    both.write("a.md", b"a" * 3000 + b"!\n" + b"key: aab\n")
    with contextlib.suppress(InvalidParameters):
        both.search(both.disk, r"(?<=key: )(a+)+b")
    assert [hit.line for hit in both.search(both.memory, r"(?<=key: )(a+)+b").hits] == [2]


@pytest.mark.slow
def test_a_note_of_fifty_megabytes_and_a_line_of_ten_are_searched(both: Both) -> None:
    both.write("A/large.md", b"some words in a line of a large note\n" * 1_400_000 + b"needle\n")
    both.write("line.md", b"word and more " * 750_000 + b"needle\n")
    assert [path for chunk in both.source.texts.chunks() for path in chunk.large()] == ["line.md", "A/large.md"]
    assert [(hit.file, hit.line) for hit in both.same("needle").hits] == [("line.md", 1), ("A/large.md", 1_400_001)]


@pytest.mark.slow
def test_many_threads_search_while_the_texts_change(both: Both, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arena_module, "CHUNK", 300)
    for number in range(100):
        both.source.texts.put(text_entry(f"{number:03}.md", b"needle\n" * 3, Stamp(21, 0)))
    stop = threading.Event()

    def change() -> None:
        for turn in itertools.count():
            if stop.is_set():
                break
            both.source.texts.put(
                text_entry(f"{turn % 50:03}.md", b"x\n" * (turn % 7) + b"needle\n" * 3, Stamp(turn, turn))
            )
            both.source.texts.put(text_entry("new.md", b"no such word\n", Stamp(turn, turn)))
            both.source.texts.discard("new.md")
            if turn % 20 == 0:
                both.source.texts.save()

    with ThreadPoolExecutor(5) as threads:
        changing = threads.submit(change)
        try:
            searches = [threads.submit(both.search, both.memory, "needle|no such", limit=1000) for _ in range(100)]
            for found in [search.result() for search in searches]:
                paths = [hit.file for hit in found.hits if hit.match == "needle"]
                assert paths == sorted(paths)
                assert len(paths) == 300
        finally:
            stop.set()
        changing.result()
