"""The git repository in the vault's folder, and the few commands of git that may write to it.

A command works on a copy of the vault without hidden files, so most of what git does with a working tree would lose
those: only what names its files, or commits what was added before, is let through. Hooks and the configuration name
programs that git runs, later also outside of a sandbox, so nothing writes there.
"""

import os
import re
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

GIT: Final = ".git"
_KEPT: Final = ("hooks", "config", "config.worktree", "info", "modules", "worktrees", "commondir", "gitdir")
"""The files that say which programs git runs, and where it looks for more of that."""
_NAMES_PROGRAMS: Final = re.compile(
    rb"^\s*\[\s*(include|includeif|extensions)\b"
    rb"|^[^#;\n]*\b(worktree|external|textconv|command|program|driver|process|clean|smudge)\s*=",
    re.IGNORECASE | re.MULTILINE,
)
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


def may_write(arguments: Sequence[str], is_file: Callable[[str], bool]) -> bool:
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


def is_plain(vault: Path) -> bool:
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


def kept(vault: Path) -> tuple[Path, ...]:
    """Return the files of a repository that nothing may write."""
    return tuple(vault / GIT / name for name in _KEPT if (vault / GIT / name).exists())


def environment(vault: Path, program: str) -> dict[str, str]:
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
