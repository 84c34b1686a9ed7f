"""Installs what the tests use and the system lacks, where it can: as root on Debian. Standard library only."""

from __future__ import annotations

import os
import shutil
import subprocess

from scripts.lib.environment import say


def install(package: str, purpose: str, command: str | None = None) -> str | None:
    """The path of a command, whose package is installed now where it is missing and can be.

    Args:
        package: Debian's name of the package.
        purpose: What it is for, for people.
        command: The command, where it is not called as its package is.
    """
    command = command or package
    found = shutil.which(command)
    apt = shutil.which("apt-get")
    if found is not None or apt is None or not hasattr(os, "geteuid") or os.geteuid() != 0:
        return found
    say(f"Installing {package} for {purpose} (once).")
    for words in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", package]):
        variables = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run([apt, *words], env=variables, stdout=subprocess.DEVNULL, check=False)
    return shutil.which(command)
