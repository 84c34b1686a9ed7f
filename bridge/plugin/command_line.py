"""The command that another program starts, with its absolute path: such programs seldom know the user's PATH."""

import os
import shutil
import sys
from pathlib import Path
from typing import Final

from bridge.agents.machine import ConfigurationRefused
from bridge.plugin.program import NAME, installed_program

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
