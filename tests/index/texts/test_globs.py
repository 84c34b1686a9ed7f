"""Globs mean what they mean to wcmatch, and no glob keeps the engine busy."""

import warnings

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from wcmatch import glob

from bridge.errors import InvalidParameters
from bridge.index.texts.globs import compile_glob, looks_like_glob

FLAGS = glob.GLOBSTAR | glob.BRACE | glob.DOTGLOB | glob.FORCEUNIX
NAMES = st.text("abB.-]![^é", min_size=1, max_size=4).filter(lambda name: name not in {".", ".."})
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
PIECES = (
    *("a", "b", "*", "**", "/", "?", "[", "]", "!", "^", "-", ".", "\\", "{a,b}", "{", "}", ",", "[a-b]", "[!a]"),
    *("[[:alpha:]]", "[^[:upper:]-]", "é", "a/**/b", "**/", "/**", "[a-", "|", "(", ")", "~", "+", "&", "--", "{1..3}"),
)
GLOBS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=7).map("".join)


@pytest.mark.slow
@example(text="**/\\/b", paths=["b", "a/b"], case_sensitive=True)
@example(text="a\\/\\/b", paths=["a/b"], case_sensitive=True)
@example(text="a\\//b", paths=["a/b"], case_sensitive=True)
@given(text=GLOBS, paths=st.lists(PATHS, min_size=1, max_size=6), case_sensitive=st.booleans())
@settings(max_examples=400, deadline=None)
def test_a_glob_matches_what_wcmatch_says(text: str, paths: list[str], *, case_sensitive: bool) -> None:
    flags = FLAGS | (glob.CASE if case_sensitive else glob.IGNORECASE)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # wcmatch's own expressions can look like sets to `re`
        wanted = [path for path in paths if glob.globmatch(path, text, flags=flags)]
    compiled = compile_glob(text, case_sensitive=case_sensitive)
    assert [path for path in paths if compiled.matches(path)] == wanted


@pytest.mark.parametrize(
    ("text", "yes", "no"),
    [
        ("*.md", ["a.md", ".md"], ["A/a.md", "a.mdx"]),
        ("**/*.md", ["a.md", "A/B/a.md"], ["A/a.txt"]),
        ("Notes/**", ["Notes/a", "Notes/B/c"], ["Notes", "Note/a"]),
        ("Notes/*.{md,canvas}", ["Notes/a.md", "Notes/b.canvas"], ["Notes/A/a.md"]),
        ("Day [0-9][0-9].md", ["Day 07.md"], ["Day 7.md"]),
        ("Plan (draft).md", ["Plan (draft).md"], ["Plan .md"]),
        ("@(a|b).md", ["@(a|b).md"], ["a.md"]),
        ("a.md", ["a.md"], ["A.md"]),
        ("Überblick*", ["Überblick 1"], ["überblick"]),
    ],
)
def test_globs_over_vault_paths(text: str, yes: list[str], no: list[str]) -> None:
    compiled = compile_glob(text)
    assert [path for path in yes + no if compiled.matches(path)] == yes


@pytest.mark.parametrize(
    "text", ["{a,b}" * 30, "{1..99999999}", "{" * 1000, "{a,b" * 250, "{0..999}" + "x" * 400, "", "x" * 1025, "\ud800*"]
)
def test_a_glob_that_stands_for_too_much_is_refused(text: str) -> None:
    with pytest.raises(InvalidParameters):
        compile_glob(text)


@pytest.mark.parametrize("text", ["*a" * 500, "**/" * 300, "?" * 1000, "[!a]" * 250, "*" * 1000, "*?" * 500])
def test_a_hostile_glob_is_answered(text: str) -> None:
    """Linear by construction; `re` would need ages for the first."""
    assert not compile_glob(text).matches("a" * 250 + "/" + "b" * 255)


@pytest.mark.parametrize(
    ("text", "is_glob"),
    [
        *(("*.md", True), ("a?", True), ("[ab].md", True), ("{a,b}", True), ("{1..3}", True), ("**", True)),
        *(("Notes/Meeting.md", False), ("meeting notes", False), ("a {b}", False), ("what [", False), ("", False)),
    ],
)
def test_what_looks_like_a_glob(text: str, *, is_glob: bool) -> None:
    assert looks_like_glob(text) is is_glob


def test_a_glob_is_compiled_once() -> None:
    assert compile_glob("**/*.md") is compile_glob("**/*.md")
