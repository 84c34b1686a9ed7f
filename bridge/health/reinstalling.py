"""Instructions to install Vault Bridge again, by the way in which it was installed."""

import json
import sys
import traceback
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit
from urllib.request import url2pathname

DISTRIBUTION: Final = "obsidian-vault-bridge"
"""The name under which packages are installed and looked for; the command and the package have shorter ones."""


def fault_of_loading(error: Exception) -> str | None:
    """Return what is wrong where a package is missing, or damaged so that it fails while it is loaded; else None."""
    what = next(iter(str(error).splitlines()), type(error).__name__)
    if isinstance(error, ImportError):
        return what
    loading = [
        frame.f_code.co_filename
        for frame, _line in traceback.walk_tb(error.__traceback__)
        if frame.f_code.co_name == "<module>"
    ]
    if isinstance(error, SyntaxError):
        loading.append(str(error.filename))
    return f"{loading[-1]} is damaged ({type(error).__name__}: {what})" if loading else None


def install_again(extra: str = "") -> str:
    """Say what to do where a package of this installation is missing or damaged.

    Args:
        extra: The extra that the package belongs to; empty for none.
    """
    prefix = Path(sys.prefix)
    source = _source()
    if "pipx" in prefix.parts:
        return f"Install Vault Bridge again: `pipx reinstall {prefix.name}`"
    if (start := source / "scripts" / "start").is_file() and prefix == source / ".venv":
        return f"Install Vault Bridge again: delete the folder {prefix}, and run `python3 {start}`"
    what = f"{source}[{extra}]" if extra else str(source)
    return f'Install Vault Bridge again: `{sys.executable} -m pip install --force-reinstall "{what}"`'


def _source() -> Path:
    """Return the source of this installation: a folder or a wheel, or the package's name where that is not known."""
    try:
        told = json.loads(distribution(DISTRIBUTION).read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        told = {}
    address = urlsplit(told.get("url", ""))
    return Path(url2pathname(address.path)) if address.scheme == "file" else Path(DISTRIBUTION)
