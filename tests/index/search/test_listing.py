"""Names made ready for finding are made anew exactly when they or the rules are others."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wcmatch import glob as wcglob

from bridge.index.knowledge import IndexedFile
from bridge.index.search.fuzzy import Listings
from bridge.index.texts.globs import compile_glob
from bridge.index.texts.line_patterns import TextLines
from bridge.vault.paths import nfc


def files(*paths: str) -> tuple[IndexedFile, ...]:
    return tuple(IndexedFile(path, 1, 1, 1) for path in paths)


def never() -> None:
    """A deadline that does not come."""


def test_a_listing_is_kept_until_the_files_or_the_rules_are_others() -> None:
    listings, first = Listings(), files("b.md", "a.md")
    made = listings.of(first, None)
    assert listings.of(first, None) is made
    assert [file.path for file in made.files] == ["a.md", "b.md"]

    def ignored(path: str) -> bool:
        return path == "a.md"

    assert [file.path for file in listings.of(first, ignored).files] == ["b.md"]
    more = listings.of(files("a.md", "b.md", "c.md"), ignored)
    assert [file.path for file in more.files] == ["b.md", "c.md"]


def test_rules_are_asked_of_new_paths_only() -> None:
    asked: list[str] = []

    def ignored(path: str) -> bool:
        asked.append(path)
        return False

    listings = Listings()
    listings.of(files("a.md", "b.md"), ignored)
    listings.of(files("b.md", "c.md"), ignored)
    assert asked == ["a.md", "b.md", "c.md"]


def test_fuzzy_search_knows_what_the_listing_before_knew() -> None:
    listings = Listings()
    assert [f.path for f in listings.of(files("Meeting.md"), None).ranked("meetnig", never)] == ["Meeting.md"]
    listings.of(files("Meeting.md", "x.md"), None)
    again = listings.of(files("Meeting.md", "y.md", "Meetings/y.md"), None)
    assert [f.path for f in again.ranked("meeting", never)] == ["Meeting.md", "Meetings/y.md"]


PARTS = st.sampled_from(["a", "b.md", "A", "ab", "é", "Notes", "x.txt", "(c)", "d e"])
PATHS = st.lists(st.lists(PARTS, min_size=1, max_size=3).map("/".join), max_size=12, unique=True)
GLOBS = st.lists(
    st.sampled_from(["*", "**", "a", "*.md", "[ab]*", "?", "{a,b.md}", "Notes", "é", "**/*.md", "*b*", "(c)"]),
    min_size=1,
    max_size=3,
).map("/".join)
FLAGS = wcglob.GLOBSTAR | wcglob.DOTGLOB | wcglob.BRACE | wcglob.FORCEUNIX


@settings(max_examples=150, deadline=None)
@given(paths=PATHS, glob=GLOBS)
def test_a_glob_over_all_paths_finds_what_it_finds_one_by_one_and_what_wcmatch_finds(
    paths: list[str], glob: str
) -> None:
    compiled = compile_glob(glob)
    found = [paths[place] for place in TextLines(list(map(nfc, paths))).matching(compiled.lines_regex)]
    assert found == [path for path in paths if compiled.matches(path)]
    assert found == wcglob.globfilter(paths, glob, flags=FLAGS)


def test_lines_are_searched_in_chunks_without_losing_any(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.index.texts.line_patterns.CHUNK", 7)
    paths = [f"{'x' * (number % 9)}/{number}.md" for number in range(40)]
    compiled = compile_glob("**/*[05]*.md")
    assert TextLines(paths).matching(compiled.lines_regex) == [n for n, p in enumerate(paths) if compiled.matches(p)]
