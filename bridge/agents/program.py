"""The path of the command `vault-bridge` on this machine, for programs that start it; they seldom know the user's PATH.

It is also written down for the Obsidian plugin: an app is often started with a PATH that names no folder of the user's,
and a checkout may lie anywhere. The note is the user's own, outside every vault, so that nothing that is synced can
name a program.
"""

import contextlib
import os
import shutil
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import orjson

from bridge import __version__
from bridge.agents.machine import ConfigurationRefused
from bridge.errors import StartError
from bridge.records.folder import UserFolder, state_folder

NAME: Final = "vault-bridge.exe" if sys.platform == "win32" else "vault-bridge"
FILE: Final = "program.json"


def remember_program() -> None:
    """Write down where the command lies. Where it cannot be found or written, nothing is; the plugin can ask."""
    program = installed_program()
    if program is None:
        return
    with contextlib.suppress(OSError, StartError):
        folder = UserFolder(state_folder().absolute() / "program" / "last")
        folder.write(FILE, orjson.dumps({"program": str(program), "version": __version__}))


def installed_program() -> Path | None:
    """Return the command of the installation that runs this; None where it has none."""
    return find_program(_folders())


def find_program(folders: Iterable[Path]) -> Path | None:
    """Return the command in the first of some folders that has it.

    Args:
        folders: Where installers put commands.
    """
    return next((found for folder in folders if (found := folder / NAME).is_file()), None)


def _folders() -> list[Path]:
    """Return the folder beside the interpreter that runs us, and where this Python puts its user's commands."""
    user = sysconfig.get_path("scripts", f"{os.name}_user")
    return [Path(sys.executable).parent, Path(sysconfig.get_path("scripts")), Path(user)]


_FLEETING: Final = (("uv", "archive-v0"), ("uv", "environments-v2"), ("pipx", ".cache"), ("pipx", "cache"))
"""Folders of a path in which `uvx` and `pipx run` keep what they install for one run."""


def command_line(program: Path | None = None) -> tuple[str, ...]:
    """Return the words that start this installation's `vault-bridge`.

    A link on the PATH that leads to it is preferred: pipx and uv keep it when they install another version.

    Args:
        program: The command of this installation, where it is not to be found.

    Raises:
        ConfigurationRefused: It was installed for one run only.
    """
    own = program or installed_program()
    if own is None:
        return (sys.executable, "-m", "bridge")
    parts = own.parts
    if any(first in parts and second in parts[parts.index(first) :] for first, second in _FLEETING):
        raise ConfigurationRefused(
            "This vault-bridge was installed for one run (uvx, pipx run), and may be gone at the next. "
            "Install it to stay, with `pipx install` or `uv tool install`, then run this again"
        )
    linked = shutil.which(NAME)
    if linked is not None and os.path.realpath(linked) == os.path.realpath(own):
        return (str(Path(linked).absolute()),)
    return (str(own),)
