"""What kind of command a text is: one program with its arguments, or something for a shell; and whom a program runs.

A yes to a command may hold for longer only where it says what will happen: one program, by its real path, with its
options. What a shell would expand, join or redirect is run by a shell, and asked about every time, and so is a program
that runs other programs or code that it is given.
"""

import os
import re
import shlex
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bridge.errors import InvalidParameters

LONGEST: Final = 8192
"""Characters of a command, which a person has to read."""
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]")
_OPERATORS: Final = frozenset("|&;<>()$`\\*?[]{}!\n")
_IN_DOUBLE_QUOTES: Final = frozenset("$`\\!")
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
_SHELL_WORDS: Final = """
    cd export unset set eval exec source alias unalias trap wait read return exit shift if for while until case time
    function select do done then else fi coproc local declare readonly typeset ulimit umask . :
"""
"""What only a shell understands."""
_RUN_OTHERS: Final = """
    sh ash bash dash zsh fish ksh mksh csh tcsh elvish nu pwsh powershell cmd busybox toybox python pypy perl ruby irb
    node nodejs deno bun php lua luajit tclsh wish expect awk gawk mawk nawk original-awk bc dc ed ex sed vi vim view
    nvim emacs emacsclient nano m4 groovy scala java jshell julia ghci runghc racket guile sbcl clisp swift osascript
    rscript r octave gdb jq

    env xargs parallel nohup nice ionice chrt taskset timeout time stdbuf setsid setarch unshare nsenter chroot bwrap
    firejail flock watch script screen tmux at batch crontab systemd-run start-stop-daemon sudo su doas pkexec runuser
    setpriv strace ltrace valgrind busctl dbus-run-session xdg-open open rundll32 wscript cscript mshta forfiles start
    wsl command run-parts

    make gmake ninja meson cmake bazel just rake ant gradle mvn cargo rustc go npm npx pnpm yarn corepack pip uv uvx
    pipx poetry conda apt apt-get dpkg rpm dnf yum pacman apk snap flatpak brew gem bundle docker podman kubectl ssh scp
    sftp rsync nc ncat socat telnet curl wget gcc g++ cc clang

    less more most man git hg svn tar cpio zip unzip split locate rg fd fdfind
"""
"""Shells and interpreters; what starts what it is told; what builds, installs or fetches; and what runs a pager, a
filter or a command that its options, its settings or a file name."""
_SHELL_WORD: Final = frozenset(_SHELL_WORDS.split())
_RUNS_OTHERS: Final = frozenset(_RUN_OTHERS.split())
_LOADERS: Final = ("ld-", "ld.so")
_NUMBERED: Final = re.compile(r"^(.*?)[-.]?[0-9][0-9.]*(?:\.exe)?$")
_FIND_RUNS: Final = frozenset(
    {"-exec", "-execdir", "-ok", "-okdir", "-delete", "-fls", "-fprint", "-fprint0", "-fprintf"}
)
_SORT_RUNS: Final = ("--compress-program", "-T", "--temporary-directory", "-o", "--output", "--files0-from")


@dataclass(frozen=True, slots=True)
class Command:
    """A command.

    Attributes:
        text: As it was given.
        argv: The program as it was named, and its arguments; None for what a shell must run.
    """

    text: str
    argv: tuple[str, ...] | None


def parse_command(text: str) -> Command:
    """Tell one program with its arguments from what a shell must run.

    Args:
        text: The command.

    Raises:
        InvalidParameters: It is empty, too long, or holds characters that would not be seen.
    """
    text = text.strip()
    if not text:
        raise InvalidParameters("The command is empty")
    if len(text) > LONGEST:
        raise InvalidParameters(f"The command has {len(text)} characters; at most {LONGEST} can be shown and run")
    if _CONTROL.search(text):
        raise InvalidParameters("The command holds control characters, which nobody would see; leave them out")
    if _needs_shell(text):
        return Command(text, None)
    try:
        argv = tuple(shlex.split(text))
    except ValueError:
        return Command(text, None)
    first = argv[0] if argv else ""
    is_program = first and first not in _SHELL_WORD and not _ASSIGNMENT.match(first)
    return Command(text, argv if is_program else None)


def find_program(name: str, search_path: Sequence[str]) -> str | None:
    """The real path of a program.

    Args:
        name: Its name, or an absolute path.
        search_path: The folders that are looked through.

    Returns:
        None where there is none, or where it is named by a relative path, which would be one in the vault.
    """
    if os.path.dirname(name) and not Path(name).is_absolute():  # noqa: PTH120 - "./x" would lose its dot
        return None
    found = shutil.which(name, path=os.pathsep.join(search_path))
    return None if found is None else os.path.realpath(found)


def runs_others(program: str, arguments: Sequence[str], *, called: str = "") -> bool:
    """Whether a command may run other programs or code than it shows, so that its options do not say what it does.

    Args:
        program: The program's real path; its first bytes are looked at.
        arguments: What it is given.
        called: The name under which it was called: some programs do what their name says.
    """
    names = {_plain(Path(name).name) for name in (program, called) if name}
    if "find" in names:
        return bool(_FIND_RUNS.intersection(arguments))
    if "sort" in names:
        return any(argument.startswith(_SORT_RUNS) for argument in arguments)
    return bool(names & _RUNS_OTHERS) or any(name.startswith(_LOADERS) for name in names) or _is_script(program)


def _needs_shell(text: str) -> bool:
    """Whether a shell would do more with it than divide it into words."""
    quote = ""
    previous = " "
    for character in text:
        if quote:
            if character == quote:
                quote = ""
            elif quote == '"' and character in _IN_DOUBLE_QUOTES:
                return True
        elif character in "'\"":
            quote = character
        elif character in _OPERATORS or (character in "~#" and previous.isspace()):
            return True
        previous = character
    return bool(quote)


def _plain(name: str) -> str:
    """A program's name without what tells its versions apart."""
    name = name.removesuffix(".exe").lower()
    found = _NUMBERED.match(name)
    return found[1] if found and found[1] else name


def _is_script(program: str) -> bool:
    """Whether it is run by an interpreter, or cannot be looked at."""
    try:
        with Path(program).open("rb") as file:
            return file.read(2) == b"#!"
    except OSError:
        return True
