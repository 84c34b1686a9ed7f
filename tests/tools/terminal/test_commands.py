"""Which commands a shell must run, and which may be remembered."""

import os
import shlex
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.errors import InvalidParameters
from bridge.tools.terminal.commands import find_program, only_reads, parse_command


@pytest.mark.parametrize(
    ("text", "argv"),
    [
        ("ls", ["ls"]),
        ("  ls -l 'a b' \"c d\" ", ["ls", "-l", "a b", "c d"]),
        ("cp a.md folder/b.md", ["cp", "a.md", "folder/b.md"]),
        ("grep '$x|y' a.md", ["grep", "$x|y", "a.md"]),
        ("touch 'it is #1 ~ *.md'", ["touch", "it is #1 ~ *.md"]),
        ("touch a#b", ["touch", "a#b"]),
        ("cp =a b=c", ["cp", "=a", "b=c"]),
        ("meson compile -C build", ["meson", "compile", "-C", "build"]),
    ],
)
def test_one_program_with_its_arguments_needs_no_shell(text: str, argv: list[str]) -> None:
    assert parse_command(text).argv == tuple(argv)


@pytest.mark.parametrize(
    "text",
    [
        *("a | b", "a && b", "a; b", "a & b", "a > f", "a < f", "a $HOME", "a `b`", "a $(b)", 'a "$b"', 'a "`b`"'),
        *("a *.md", "a b?", "a [ab]", "a {b,c}", "~/a", "a ~", "a #b", "a\nb", "a \\b", "! a", "A=b c", "cd x"),
        *("a 'b", 'a "b', "exec a", ". a", "(a)", "time a", "if a", 'a "b!c"', "export A"),
    ],
)
def test_what_a_shell_would_expand_join_or_redirect_is_for_a_shell(text: str) -> None:
    assert parse_command(text).argv is None
    assert parse_command(text).text == text.strip()


@pytest.mark.parametrize("text", ["", "  ", "a\x1b[2Jb", "a\x00", "rm \u202emd.a", "a" * 10_000, "a\rb"])
def test_what_a_person_could_not_read_is_refused(text: str) -> None:
    with pytest.raises(InvalidParameters):
        parse_command(text)


@pytest.mark.skipif(os.name != "posix", reason="runs a POSIX shell")
@pytest.mark.slow
@given(st.lists(st.text("ab'\"$`\\*?[]{}~#!|&;<>()= \n.-", max_size=6), min_size=1, max_size=3))
def test_a_shell_understands_a_simple_command_as_the_same_words(words: list[str]) -> None:
    import subprocess  # noqa: PLC0415 - here alone

    command = parse_command("printf " + " ".join(["'<%s>'", *words]))
    if command.argv is None:
        return
    ran = subprocess.run(["/bin/sh", "-c", command.text], capture_output=True, check=False, env={}, cwd="/")  # noqa: S603 - no metacharacters are left
    direct = subprocess.run(["/usr/bin/printf", *command.argv[1:]], capture_output=True, check=False, env={}, cwd="/")  # noqa: S603 - prints
    assert ran.stdout == direct.stdout


def _program(place: Path, name: str, data: bytes = b"\x7fELF") -> str:
    program = place / name
    program.write_bytes(data)
    program.chmod(0o755)
    return str(program)


def lasts(place: Path, command: str, data: bytes = b"\x7fELF") -> bool:
    """Whether a yes to a command may last, where its program is one of the system's."""
    name, *arguments = shlex.split(command)
    program = _program(place.resolve(), name, data)
    return only_reads(program, arguments, called=name, search_path=[str(place)])


@pytest.mark.parametrize(
    "command",
    [
        *("ls", "ls -lahR Notes", "ls --all", "cat -n A.md", "wc -lw A.md B.md", "wc --lines A.md", "head -20 A.md"),
        *("head -n 5 A.md", "tail -n5 A.md", "grep -rin 'tea|cup' .", "grep -e -x A.md", "grep --include=*.md -r x ."),
        *(
            "sort -rk2 A.md",
            "sort -t, -k 2 A.md",
            "sort -- -o",
            "uniq -c A.md",
            "cut -d, -f1 A.md",
            "diff -u A.md B.md",
        ),
        *(
            "find . -name *.md -mtime -7 -newer A.md",
            "find Notes -type f -print0",
            "md5sum A.md",
            "echo hello",
            "tr a b",
        ),
    ],
)
def test_a_command_that_only_looks_may_be_remembered(tmp_path: Path, command: str) -> None:
    assert lasts(tmp_path, command)


@pytest.mark.parametrize(
    "command",
    [
        # what runs, writes or deletes by what it is
        *(
            "prlimit ./ok.sh",
            "ssh-agent ./x",
            "choom -n 0 ./x",
            "uclampset -a ./x",
            "sqlite3 A.db",
            "gs A.ps",
            "awk 1 A",
        ),
        *(
            "openssl engine x",
            "ld -plugin x",
            "install --strip-program=x a b",
            "diff3 --diff-program=x a b c",
            "tee A.md",
        ),
        *("rm A.md", "mv A.md B.md", "cp A.md B.md", "touch A.md", "truncate -s 0 A.md", "dd of=A.md", "ln A.md B.md"),
        *(
            "env ls",
            "xargs ls",
            "sh A.md",
            "python3 A.py",
            "git log",
            "git -c core.pager=x log",
            "rg --pre x y",
            "make",
        ),
        *("sed -i s/a/b/ A.md", "sed 1e A.md", "sed 'w B.md' A.md", "ed A.md", "tar xf A.tar", "curl x", "busybox ls"),
        *("file -C -m x", "tree -o A.md", "date -s now", "xxd A.md B.md", "less A.md", "yes", "no-such-program"),
        # what does so by one of its options, however that is spelled
        *("sort --compress-program=sh A.md", "sort --compress-p=sh A.md", "sort --co sh A.md", "sort -o A.md A.md"),
        *("sort -ro A.md B.md", "sort -oA.md B.md", "sort A.md -o B.md", "sort --output=A.md B.md", "sort --outp A.md"),
        *("sort -T x A.md", "sort --files0-from=x", "sort -k --compress-program=sh", "sort -t -- -o A.md"),
        *("find . -exec ls {} +", "find . -execdir ls", "find . -ok ls", "find . -delete", "find . -fprint A.md"),
        *("find . -fls A.md", "find . -fprintf A.md x", "find . -name -delete", "find . -files0-from x"),
        *("uniq A.md B.md", "uniq -c A.md B.md", "uniq -- A.md B.md", "diff -l A.md B.md", "diff --paginate A.md B.md"),
        # what is not known
        *("ls --al", "ls --hyperlink", "grep --unheard-of x", "wc -Z A.md", "wc --line", "head -n"),
    ],
)
def test_nothing_else_may_be_remembered(tmp_path: Path, command: str) -> None:
    assert not lasts(tmp_path, command)


def test_what_may_be_remembered_is_one_of_the_systems_programs_under_its_own_name(tmp_path: Path) -> None:
    system, other = tmp_path.resolve() / "system", tmp_path.resolve() / "other"
    for place in (system, other):
        place.mkdir()

    def may_last(program: str, called: str) -> bool:
        return only_reads(program, [], called=called, search_path=[str(system)])

    program = _program(system, "ls")
    assert may_last(program, "ls")
    assert may_last(program, program)
    assert not may_last(program, "dir"), "some programs do what the name says under which they are called"
    assert not may_last(_program(system, "coreutils"), "ls")
    assert not may_last(_program(other, "ls"), "ls")
    assert not may_last(_program(system, "wc", b"#!/bin/sh\n"), "wc"), "a script is run by an interpreter"
    assert not may_last(str(system / "cat"), "cat"), "what cannot be read may be one"


@pytest.fixture(scope="module")
def system_sort(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A program `sort` of the system's, of which a yes to harmless options may last."""
    place = tmp_path_factory.mktemp("system").resolve()
    assert lasts(place, "sort -rk2 A.md")
    return str(place / "sort")


_SORT_OPTIONS = ("--compress-program", "--output", "--files0-from", "--temporary-directory", "--random-source")


@given(
    option=st.sampled_from(_SORT_OPTIONS),
    cut=st.integers(min_value=4, max_value=24),
    before=st.lists(st.sampled_from(["-r", "-n", "-k2", "-k", "-t", "-rn", "A.md", "--reverse", "-"]), max_size=4),
    after=st.lists(st.sampled_from(["=sh", "", "-r", "B.md", "sh"]), min_size=1, max_size=3),
)
def test_a_dangerous_option_is_found_however_it_is_spelled_and_wherever_it_stands(
    system_sort: str, option: str, cut: int, before: list[str], after: list[str]
) -> None:
    words = [*before, option[:cut] + after[0], *after]
    assert not only_reads(system_sort, words, called="sort", search_path=[str(Path(system_sort).parent)])


@given(
    flags=st.text("bdfghinruV", max_size=4),
    letter=st.sampled_from("oTS"),
    rest=st.text("abkt/.", max_size=4),
    before=st.lists(st.sampled_from(["-r", "-k2", "A.md", "-"]), max_size=3),
)
def test_a_dangerous_letter_is_found_among_others(
    system_sort: str, flags: str, letter: str, rest: str, before: list[str]
) -> None:
    words = [*before, f"-{flags}{letter}{rest}"]
    assert not only_reads(system_sort, words, called="sort", search_path=[str(Path(system_sort).parent)])


@pytest.mark.skipif(sys.platform == "win32", reason="executable files as POSIX has them")
def test_a_program_is_found_by_its_real_path_and_never_beside_the_notes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = _program(tmp_path.resolve(), "real")
    (tmp_path / "link").symlink_to(real)
    monkeypatch.chdir(tmp_path)
    assert find_program("link", [str(tmp_path)]) == real
    assert find_program(real, []) == real
    assert find_program("./real", [str(tmp_path)]) is None
    assert find_program("real", ["/nowhere"]) is None
