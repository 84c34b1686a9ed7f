"""The kind of a command: one program with its arguments, or something for a shell; and what may be remembered of it.

A yes to a command may hold for longer only where it can do nothing but look: one program of a short list, by its real
path, with options that are on the list as well. Everything else is asked about every time. A list of what is dangerous
would never be complete; what is missing in this one is a question more.

A few commands of git may write to the repository in the vault's folder. A command works on a copy of the vault without
hidden files, so most of what git does with a working tree would lose those: only what names its files, or commits what
was added before, is let through. Hooks and the configuration name programs that git runs, later also outside of a
sandbox, so nothing writes there.
"""

import getopt
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

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
"""The words that only a shell understands."""
_SHELL_WORD: Final = frozenset(_SHELL_WORDS.split())
_READERS: Final = {
    "basename": "as:z",
    "cat": "AbEenstTuv",
    "cksum": "",
    "cmp": "bln:s",
    "comm": "123",
    "cut": "b:c:d:f:ns",
    "diff": "abBcdeEiNqrstTuwy",
    "dirname": "z",
    "du": "abchHkLmsSx",
    "echo": "eEn",
    "grep": "acEFhHiIlLnoqrRsvwxyA:B:C:e:f:m:",
    "head": "0123456789c:n:qvz",
    "ls": "1aACdFghilLmnopqrRsStuUx",
    "md5sum": "",
    "nl": "b:d:f:h:i:l:n:ps:v:w:",
    "paste": "d:s",
    "sha256sum": "",
    "sort": "bcdfghiMnrRsuVzk:t:",
    "stat": "L",
    "tac": "b",
    "tail": "0123456789c:n:qvz",
    "tr": "cCdst",
    "uniq": "cdDiuf:s:w:",
    "wc": "cLlmw",
}
"""Programs that run nothing and write nothing, each with its options that keep it so, as getopt(3) writes them."""
_LONG: Final = {
    "grep": ("count", "files-with-matches", "fixed-strings", "ignore-case", "include=", "line-number", "recursive"),
    "ls": ("all", "almost-all", "recursive", "reverse"),
    "sort": ("numeric-sort", "reverse", "unique"),
    "wc": ("bytes", "chars", "lines", "words"),
}
"""The same of the options with long names. A program takes a part of such a name for the whole; a part is not here."""
_FIND_WORDS: Final = """
    -H -L -P -a -and -atime -ctime -daystart -depth -empty -false -iname -ipath -maxdepth -mindepth -mmin -mtime
    -name -newer -not -o -or -path -print -print0 -prune -size -true -type
"""
"""The words with which `find` only looks: it has actions, too, that run, write and delete."""
_FIND_WORD: Final = frozenset(_FIND_WORDS.split())
_NUMBER: Final = re.compile(r"-[0-9]+[A-Za-z]?")


class Command(NamedTuple):
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
    """Return the real path of a program.

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


def only_reads(program: str, arguments: Sequence[str], *, called: str, search_path: Sequence[str]) -> bool:
    """Return whether a command is known to run no other program and to write nothing, so that a yes to it may last.

    What is not known is not among them: a program under another name than its own, a name cut short, an option that
    is not on the list.

    Args:
        program: The program's real path.
        arguments: Its arguments.
        called: The name under which it was called: some programs do what their name says.
        search_path: The folders in which the system's programs are.
    """
    place = Path(program)
    name = place.name.removesuffix(".exe")
    if Path(called).name not in {name, place.name} or str(place.parent) not in set(map(os.path.realpath, search_path)):
        return False
    if name == "find":
        options = (word for word in arguments if word.startswith("-"))
        return all(word in _FIND_WORD or _NUMBER.fullmatch(word) for word in options) and not _is_script(program)
    operands = _operands(name, arguments)
    # The second name that `uniq` is given is the file that it writes.
    return operands is not None and (name != "uniq" or len(operands) <= 1) and not _is_script(program)


def _operands(name: str, arguments: Sequence[str]) -> list[str] | None:
    """Return what a program is given besides options; None where one of its options is not on the list."""
    if name not in _READERS:
        return None
    long = _LONG.get(name, ())
    whole = {option.removesuffix("=") for option in long}
    # Wherever it stands, lest it be an option to the program and a value to us.
    if any(word.startswith("--") and word[2:].partition("=")[0] not in whole | {""} for word in arguments):
        return None
    try:
        return getopt.gnu_getopt(list(arguments), _READERS[name], long)[1]
    except getopt.GetoptError:
        return None


def _needs_shell(text: str) -> bool:
    """Return whether a shell would do more with it than divide it into words."""
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


def _is_script(program: str) -> bool:
    """Return whether it is run by an interpreter, or cannot be looked at."""
    try:
        with Path(program).open("rb") as file:
            return file.read(2) == b"#!"
    except OSError:
        return True


GIT: Final = ".git"
_KEPT: Final = ("hooks", "config", "config.worktree", "info", "modules", "worktrees", "commondir", "gitdir")
"""The files that say which programs git runs, and where it looks for more of that."""
_NAMES_PROGRAMS: Final = re.compile(
    rb"^(?![^\S\n]*[#;]).*?(?:\[[^\S\n]*(?:include|includeif|extensions)\b"
    rb"|\b(?:worktree|external|textconv|command|program|driver|process|clean|smudge)[^\S\n]*=)",
    re.IGNORECASE | re.MULTILINE,
)
"""Anywhere in a line that is no comment: git takes several sections and a value in one line, and `#` in a name."""
_OPTIONS: Final = {
    "add": frozenset({"-v", "--verbose"}),
    "mv": frozenset({"-v", "--verbose"}),
    "rm": frozenset({"-q", "--quiet", "--cached"}),
    "commit": frozenset({"-q", "--quiet", "--amend", "--no-edit", "--allow-empty"}),
}
"""The commands that may write, with those of their options that run nothing and widen nothing."""
_SETTINGS: Final = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "core.attributesFile": os.devnull,
    "commit.gpgSign": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
}
_SECONDS: Final = 5.0
_LARGEST: Final = 1 << 20


def git_may_write(arguments: Sequence[str], is_file: Callable[[str], bool]) -> bool:
    """Return whether git, given these arguments, only adds what they name or commits what was added.

    Args:
        arguments: The arguments of git.
        is_file: Whether a word names a file of the vault that is there.
    """
    if not arguments or arguments[0] not in _OPTIONS:
        return False
    command, options = arguments[0], _OPTIONS[arguments[0]]
    if command == "commit":
        message = _message(arguments)
        return all(at in message or word in options for at, word in enumerate(arguments) if at)
    named = [word for word in arguments[1:] if word not in options]
    if any(word.startswith(("-", ":")) for word in named):
        return False
    if command == "mv":
        return len(named) == 2 and is_file(named[0])  # noqa: PLR2004 - from one place to another
    return bool(named) and all(map(is_file, named))


def is_plain_repository(vault: Path) -> bool:
    """Return whether the vault's folder has a repository of its own that names no programs, links or other places.

    Args:
        vault: The vault's folder.
    """
    folder = vault / GIT
    config = folder / "config"
    if folder.is_symlink() or not folder.is_dir() or any((folder / name).is_symlink() for name in _KEPT):
        return False
    if any((folder / name).exists() for name in ("commondir", "gitdir")):
        return False
    try:
        return config.stat().st_size <= _LARGEST and not _NAMES_PROGRAMS.search(config.read_bytes())
    except OSError:
        return False


def kept_by_git(vault: Path) -> tuple[Path, ...]:
    """Return the files of a repository that nothing may write."""
    return tuple(vault / GIT / name for name in _KEPT if (vault / GIT / name).exists())


def git_environment(vault: Path, program: str) -> dict[str, str]:
    """Return the environment in which git runs no other program and commits in the user's name. Blocks.

    Args:
        vault: The vault's folder.
        program: Git's real path.
    """
    made = {"GIT_EDITOR": "true", "GIT_PAGER": "cat", "GIT_LITERAL_PATHSPECS": "1", "GIT_CONFIG_NOSYSTEM": "1"}
    settings = _SETTINGS | {
        f"user.{name}": value for name in ("name", "email") if (value := _own(vault, program, name))
    }
    made["GIT_CONFIG_COUNT"] = str(len(settings))
    for at, (key, value) in enumerate(settings.items()):
        made |= {f"GIT_CONFIG_KEY_{at}": key, f"GIT_CONFIG_VALUE_{at}": value}
    return made


def _message(arguments: Sequence[str]) -> set[int]:
    """Return which arguments of a commit are its message."""
    found: set[int] = set()
    for at, word in enumerate(arguments):
        if at not in found and word in {"-m", "--message"} and at + 1 < len(arguments):
            found |= {at, at + 1}
        elif at not in found and word.startswith("--message="):
            found.add(at)
    return found


def _own(vault: Path, program: str, name: str) -> str:
    """Return the user's name or address, as git knows it; empty where it does not."""
    try:
        found = subprocess.run(  # noqa: S603 - git itself, which runs nothing for this
            [program, "config", "--get", f"user.{name}"],
            cwd=vault,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return found.stdout.decode(errors="replace").strip()
