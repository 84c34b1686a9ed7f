"""Which commands a shell must run, and which programs run others."""

import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.errors import InvalidParameters
from bridge.tools.terminal.commands import find_program, parse_command, runs_others


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


@pytest.mark.parametrize(
    "name",
    [
        *("sh", "bash", "python3.11", "python3", "perl5.36.0", "node", "lua5.4", "ruby3.1", "env", "xargs", "gawk"),
        *("git", "make", "sudo", "busybox", "vim.basic", "ld-linux-x86-64.so.2", "rsync", "tar", "Rscript", "g++-12"),
        *("ssh", "docker", "npx", "sed", "powershell.exe", "systemd-run", "rg"),
    ],
)
def test_programs_that_run_others_are_known_in_every_version(tmp_path: Path, name: str) -> None:
    if name.startswith("vim."):
        assert runs_others(_program(tmp_path, name), [], called="vim"), "by the name under which it was called"
    else:
        assert runs_others(_program(tmp_path, name), ["a"])


@pytest.mark.parametrize("name", ["ls", "cat", "wc", "rm", "mv", "grep", "head", "md5sum", "base64", "diff"])
def test_programs_that_only_do_what_they_are_told_are_not_among_them(tmp_path: Path, name: str) -> None:
    assert not runs_others(_program(tmp_path, name), ["-x", "a"])


def test_a_script_is_run_by_an_interpreter_and_what_cannot_be_read_may_be_one(tmp_path: Path) -> None:
    assert runs_others(_program(tmp_path, "harmless", b"#!/bin/sh\n"), [])
    assert runs_others(str(tmp_path / "none"), [])


@pytest.mark.parametrize(
    ("arguments", "runs"),
    [
        ([".", "-name", "*.md"], False),
        ([".", "-exec", "ls", "{}", "+"], True),
        ([".", "-delete"], True),
        ([".", "-fprintf", "x", "y"], True),
    ],
)
def test_find_runs_others_where_it_is_told_to(tmp_path: Path, arguments: list[str], runs: bool) -> None:
    assert runs_others(_program(tmp_path, "find"), arguments) is runs


def test_sort_writes_and_runs_where_it_is_told_to(tmp_path: Path) -> None:
    program = _program(tmp_path, "sort")
    assert not runs_others(program, ["-r", "a"])
    assert runs_others(program, ["--compress-program=x", "a"])


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
