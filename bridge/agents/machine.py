"""The machine that is looked at: its system, the user's home, and the environment. Tests describe all three systems."""

import os
import re
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bridge.errors import InvalidParameters


class ConfigurationRefused(InvalidParameters):
    """A configuration file is not changed; the message says why, and where in the file."""


System = Literal["linux", "macos", "windows"]


@dataclass(frozen=True, slots=True)
class Machine:
    """The facts that decide where programs keep their files.

    Attributes:
        system: The operating system.
        home: The user's home folder.
        environ: The environment's variables.
    """

    system: System
    home: Path
    environ: Mapping[str, str]

    @property
    def config(self) -> Path:
        """Return where graphical programs keep their settings."""
        if self.system == "windows":
            return self.folder("APPDATA", self.home / "AppData" / "Roaming")
        if self.system == "macos":
            return self.home / "Library" / "Application Support"
        return self.xdg_config

    @property
    def xdg_config(self) -> Path:
        """Return where terminal programs keep their settings, some of them on every system."""
        return self.folder("XDG_CONFIG_HOME", self.home / ".config")

    def folder(self, variable: str, otherwise: Path) -> Path:
        """Return the folder that a variable names, if it names one."""
        named = self.environ.get(variable)
        return Path(named) if named else otherwise

    def has_program(self, name: str) -> bool:
        """Return whether a command is found on the PATH."""
        return shutil.which(name, path=self.environ.get("PATH", "")) is not None


def this_machine() -> Machine:
    """Return the machine that this process runs on."""
    system: System = "windows" if sys.platform == "win32" else "macos" if sys.platform == "darwin" else "linux"
    return Machine(system, Path.home(), os.environ)


def slug_of(vault: Path) -> str:
    """Return a vault's name as it can stand in the names of entries and files."""
    return re.sub(r"[^a-z0-9]+", "-", vault.name.lower()).strip("-")[:24] or "vault"
