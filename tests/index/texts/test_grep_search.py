"""The text of a vault is searched file by file, and the answer says how complete it is."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bridge.clock import SystemClock
from bridge.errors import DeadlineExceeded, InvalidParameters
from bridge.index.texts.globs import compile_glob
from bridge.index.texts.grep import MOST_TEXT, Grep, GrepQuery, GrepResult
from bridge.index.texts.line_patterns import PIECE
from tests.patience import PATIENCE

Search = Callable[..., GrepResult]


@pytest.fixture
def search(grep: Grep, clock: SystemClock) -> Search:
    def search(pattern: str, glob: str | None = None, **options: Any) -> GrepResult:
        deadline = clock.monotonic() + options.pop("seconds", PATIENCE)
        given: dict[str, Any] = {"excludes": (), "context_lines": 0, "limit": 100} | options
        compiled = grep.compile(pattern, clock.monotonic() + PATIENCE)
        return grep.search(
            GrepQuery(pattern=compiled, glob=None if glob is None else compile_glob(glob), deadline=deadline, **given)
        )

    return search


def shown_lines(found: GrepResult) -> list[tuple[str, int, str]]:
    return [(hit.file, hit.line, hit.match) for hit in found.hits]


def test_lines_of_every_ending_are_found_with_their_numbers(notes: Path, search: Search) -> None:
    (notes / "unix.md").write_bytes(b"a\nTODO\nb\n")
    (notes / "windows.md").write_bytes(b"a\r\nb\r\nTODO\r\n")
    (notes / "mixed.md").write_bytes(b"a\rb\r\n\nTODO")
    assert shown_lines(search("^TODO$")) == [("mixed.md", 3, "TODO"), ("unix.md", 2, "TODO"), ("windows.md", 3, "TODO")]


def test_the_first_line_is_found_behind_a_byte_order_mark(notes: Path, search: Search) -> None:
    (notes / "bom.md").write_bytes(b"\xef\xbb\xbf# Title\n")
    assert shown_lines(search("^# Title")) == [("bom.md", 1, "# Title")]


def test_binary_files_are_passed_over(notes: Path, search: Search) -> None:
    (notes / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00TODO\n")
    (notes / "note.md").write_bytes(b"TODO\n")
    found = search("TODO")
    assert (shown_lines(found), found.files) == ([("note.md", 1, "TODO")], 1)


def test_bytes_that_are_not_utf8_are_shown_replaced(notes: Path, search: Search) -> None:
    (notes / "latin.md").write_bytes(b"caf\xe9 TODO\n")
    assert shown_lines(search("TODO")) == [("latin.md", 1, "caf\ufffd TODO")]
    assert shown_lines(search("(?=T)TODO")) == [("latin.md", 1, "caf\ufffd TODO")]


def test_only_files_of_the_glob_and_not_ignored_are_searched(notes: Path, search: Search) -> None:
    for name in ("A/a.md", "A/a.txt", "B/b.md"):
        (notes / name).parent.mkdir(exist_ok=True)
        (notes / name).write_bytes(b"x\n")
    assert [hit.file for hit in search("x", "**/*.md").hits] == ["A/a.md", "B/b.md"]
    ignored = search("x", excludes=(lambda path: path.startswith("A/"),))
    assert [hit.file for hit in ignored.hits] == ["B/b.md"]


def test_hidden_files_and_dot_folders_are_not_searched(notes: Path, search: Search) -> None:
    (notes / ".obsidian").mkdir()
    (notes / ".obsidian" / "app.json").write_bytes(b"x\n")
    (notes / ".hidden.md").write_bytes(b"x\n")
    assert search("x") == GrepResult()


@pytest.mark.parametrize(("lines", "limit", "more"), [(5, 5, False), (6, 5, True), (4, 5, False)])
def test_more_is_said_exactly_when_there_are_more(
    notes: Path, search: Search, lines: int, limit: int, *, more: bool
) -> None:
    (notes / "a.md").write_bytes(b"x\n" * lines)
    found = search("x", limit=limit)
    assert (len(found.hits), found.more) == (min(lines, limit), more)


def test_the_search_ends_with_the_file_in_which_the_limit_is_passed(notes: Path, search: Search) -> None:
    for name in "abc":
        (notes / f"{name}.md").write_bytes(b"x\n" * 3)
    found = search("x", limit=4)
    assert ([hit.file for hit in found.hits], found.files, found.more) == (["a.md"] * 3 + ["b.md"], 2, True)


def test_hits_that_are_too_long_together_stop_the_search(notes: Path, search: Search) -> None:
    (notes / "a.md").write_bytes((b"y" * 400 + b"\n") * 5000)
    found = search("y", limit=5000, context_lines=50)
    assert found.full
    assert found.size < MOST_TEXT * 1.1


def test_context_reaches_over_pieces_and_long_lines(notes: Path, search: Search) -> None:
    long = b"z" * (2 * PIECE)
    (notes / "a.md").write_bytes(b"one\n" + long + b"\nneedle\n" + long + b"\nlast\n")
    (hit,) = search("needle", context_lines=2).hits
    assert (hit.line, hit.before[0], hit.after[1]) == (3, "one", "last")
    assert all(len(text) < 600 for text in (*hit.before, *hit.after))


def test_a_huge_line_and_a_huge_file_are_searched(notes: Path, search: Search) -> None:
    (notes / "line.md").write_bytes(b"word and more " * 200_000 + b"needle\n")
    (notes / "lines.md").write_bytes(b"some words in a line\n" * 200_000 + b"needle\n")
    assert [(hit.file, hit.line) for hit in search("needle").hits] == [("line.md", 1), ("lines.md", 200_001)]


def test_a_deadline_that_has_passed_says_how_to_narrow(notes: Path, search: Search) -> None:
    (notes / "a.md").write_bytes(b"x\n")
    with pytest.raises(DeadlineExceeded, match=r"filePattern.*\*\*/\*\.md"):
        search("x", seconds=-1)


def test_a_deadline_is_kept_inside_one_long_line(notes: Path, search: Search) -> None:
    (notes / "a.md").write_bytes(b"a" * 200_000 + b"!\n")
    with pytest.raises(DeadlineExceeded, match="stopped at its deadline"):
        search(r"(a+)\1+$", seconds=0.2)


def test_a_pattern_that_backtracks_without_end_is_refused(notes: Path, search: Search) -> None:
    (notes / "a.md").write_bytes(b"a" * 3000 + b"!\n")
    with pytest.raises(InvalidParameters, match="backtracks too much"):
        search("(?=a)(a+)+$")


def test_progress_is_reported_now_and_then(notes: Path, search: Search) -> None:
    for number in range(501):
        (notes / f"{number}.md").write_bytes(b"")
    reported: list[int] = []
    search("x", progress=reported.append)
    assert reported == [500]


def test_a_file_that_goes_while_we_look_is_as_if_it_were_not_there(notes: Path, search: Search) -> None:
    (notes / "a.md").write_bytes(b"x\n")
    (notes / "b.md").write_bytes(b"x\n")

    def gone(path: str) -> bool:
        (notes / "a.md").unlink(missing_ok=True)
        return path == "none"

    assert [hit.file for hit in search("x", excludes=(gone,)).hits] == ["b.md"]


@pytest.mark.skipif(shutil.which("rg") is None, reason="rg is not installed")
@pytest.mark.parametrize(
    "pattern", ["TODO|FIXME", r"\b[a-z]+ization\b", "(?i)todo", r"^#+ ", r"\[\[.*\|", "^$", r"\d{4}"]
)
def test_the_lines_found_are_those_of_ripgrep(notes: Path, search: Search, pattern: str) -> None:
    words = ["TODO", "organization", "todo", "# Head", "[[a|b]]", "", "2024-01", "FIXME now", "é ü"]
    for number in range(9):
        lines = [words[(number * step) % len(words)] for step in range(1, 40)]
        (notes / f"{number}.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = ["rg", "--no-heading", "--line-number", "--sort=path", "--no-unicode", "--", pattern, "."]
    process = subprocess.run(  # noqa: S603 - fixed arguments
        command, cwd=notes, capture_output=True, check=False, encoding="utf-8"
    )
    theirs = [line.removeprefix("./").split(":", 2) for line in process.stdout.splitlines()]
    assert [[file, str(line), text] for file, line, text in shown_lines(search(pattern, limit=10_000))] == theirs
