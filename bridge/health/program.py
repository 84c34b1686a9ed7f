"""Python, the packages, the keyring."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

from bridge.health.finding import Finding

LEAST, BELOW = (3, 11), (3, 14)
PACKAGES = (
    *("aiohttp", "filelock", "jsonrpcserver", "orjson", "pcre2", "platformdirs", "prompt_toolkit", "pydantic"),
    *("rapidfuzz", "re2", "rich", "typer", "unidiff", "watchfiles", "wcmatch"),
)
AGAIN = "Install Vault Bridge again: `python3 scripts/start` in the checkout, or `pip install --force-reinstall`"


def check_python(vault: Path) -> Iterator[Finding]:
    """Whether this Python is one that the bridge is made for."""
    del vault
    version = sys.version_info[:3]
    told = ".".join(map(str, version))
    if LEAST <= version[:2] < BELOW:
        yield Finding("python", "ok", f"Python {told}")
    else:
        yield Finding("python", "fail", f"Python {told} is not supported", "Use Python 3.11, 3.12 or 3.13")


def check_packages(vault: Path) -> Iterator[Finding]:
    """Whether everything the bridge stands on can be loaded."""
    del vault
    missing = []
    for name in PACKAGES:
        try:
            importlib.import_module(name)
        except Exception as error:  # noqa: BLE001 - a package can fail to load in any way
            missing.append(f"{name} ({type(error).__name__})")
    if missing:
        yield Finding("packages", "fail", f"Cannot be loaded: {', '.join(missing)}", AGAIN)
    else:
        yield Finding("packages", "ok", f"{len(PACKAGES)} packages can be loaded")


def check_keyring(vault: Path) -> Iterator[Finding]:
    """Where keys would be kept."""
    del vault
    yield Finding("keyring", "ok", "Not needed yet: no tool of this version uses a key")
