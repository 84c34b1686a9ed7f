"""The path of the command `vault-bridge` on this machine, written down for the Obsidian plugin, which can start it.

An app is often started with a PATH that names no folder of the user's, and a checkout may lie anywhere. The note is the
user's own, outside every vault, so that nothing that is synced can name a program.
"""

import contextlib
import os
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import orjson

from bridge import __version__
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
