"""The plugin under the id that it had before: recognised by its author too, for another plugin has that id now."""

import contextlib
from typing import Final

import orjson

from bridge.plugin.source import FILES
from bridge.vault.folder import Folder

FORMER_ID: Final = "vault-bridge"
AUTHOR: Final = "The Vault Bridge authors"
"""The author in the manifest, of this version and of every earlier one."""


def has_former(plugins: Folder) -> bool:
    """Return whether the vault has our plugin under its former id.

    Args:
        plugins: The vault's folder of plugins.
    """
    try:
        with plugins.child(FORMER_ID) as folder:
            manifest = orjson.loads(folder.read("manifest.json"))
    except (OSError, orjson.JSONDecodeError):
        return False
    return isinstance(manifest, dict) and (manifest.get("id"), manifest.get("author")) == (FORMER_ID, AUTHOR)


def remove_former(plugins: Folder) -> None:
    """Remove its files, and its folder unless something else is in it.

    Raises:
        OSError: The disk failed.
    """
    with plugins.child(FORMER_ID) as folder:
        for name in sorted(FILES, key=lambda name: name == "manifest.json"):  # while that is there, it is recognised
            with contextlib.suppress(FileNotFoundError):
                folder.unlink(name)
        empty = not folder.names()
    if empty:
        plugins.rmdir(FORMER_ID)
