"""Put the plugin's files into a vault's configuration folder, and its id into the list of enabled plugins.

Done by the user's own command and never on behalf of an agent: the folder is shut to tools.
"""

import itertools
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import orjson

from bridge.errors import StartError
from bridge.plugin.former_id import FORMER_ID, has_former, remove_former
from bridge.vault.folder import Folder, write_all, write_atomic
from bridge.vault.paths import VaultPath
from bridge.vault.root import VaultRoot

LIST: Final = "community-plugins.json"
USUAL: Final = ".obsidian"
_MODE: Final = 0o644
_FOLDER_MODE: Final = 0o755


@dataclass(frozen=True, slots=True)
class InstallResult:
    """The result of installing the plugin.

    Attributes:
        folder: Where the plugin is, vault-relative.
        version: Its version.
        previous: The version that was there before; None when there was none.
        enabled: Whether it is enabled now.
        backup: The old list of enabled plugins, vault-relative, when that was changed.
        former: Where the plugin was under its former id, vault-relative; it was removed. None when it was not there.
    """

    folder: str
    version: str
    previous: str | None
    enabled: bool
    backup: str | None
    former: str | None


def install(vault: Path, files: Mapping[str, bytes], *, enable: bool = True) -> InstallResult:
    """Install the plugin into a vault, and remove it from the place that it had under its former id.

    Args:
        vault: Its folder.
        files: The built plugin, by file name.
        enable: Whether to enable it as well.

    Raises:
        StartError: The vault has no configuration folder, the list of plugins is none, or the disk failed.
    """
    manifest = _object(files["manifest.json"])
    plugin = str(manifest["id"])
    try:
        with VaultRoot(vault) as root, ExitStack() as held:
            top = held.enter_context(root.folder(VaultPath.root()))
            name = _configuration(top)
            config = held.enter_context(top.child(name))
            # Read before anything is written; with `--no-enable` a list that is broken is none of our business.
            enabled = _enabled(config, f"{name}/{LIST}") if enable else []
            plugins = held.enter_context(config.child_made("plugins", mode=_FOLDER_MODE))
            folder = held.enter_context(plugins.child_made(plugin, mode=_FOLDER_MODE))
            previous = _version(folder)
            try:
                write_all(folder, files, mode=_MODE)
            except OSError:
                _remove_empty(plugins, plugin)
                _remove_empty(config, "plugins")
                raise
            former = has_former(plugins)
            wanted = [name for name in enabled if name != plugin and not (former and name == FORMER_ID)] + [plugin]
            backup = None
            if enable and (plugin not in enabled or len(wanted) != len(enabled)):
                backup = _back_up(config)
                write_atomic(config, LIST, orjson.dumps(wanted, option=orjson.OPT_INDENT_2), mode=_MODE)
            if former:
                remove_former(plugins)
            return InstallResult(
                folder=f"{name}/plugins/{plugin}",
                version=str(manifest.get("version", "")),
                previous=previous,
                enabled=enable,
                backup=None if backup is None else f"{name}/{backup}",
                former=f"{name}/plugins/{FORMER_ID}" if former else None,
            )
    except OSError as error:
        raise StartError(
            f"The plugin could not be put into the vault: {error.strerror or 'the disk failed'}",
            hint="Look at the permissions and the free space of the vault's configuration folder, then try again",
        ) from error


def _remove_empty(folder: Folder, name: str) -> None:
    with suppress(OSError):  # something is in it
        folder.rmdir(name)


@dataclass(frozen=True, slots=True)
class InstalledPlugin:
    """The plugin as it is in a vault.

    Attributes:
        folder: Where it is, vault-relative.
        version: Its version; None when its manifest is missing or broken.
        missing: Files that Obsidian needs and that are not there.
        enabled: Whether Obsidian loads it; None when the list of plugins cannot be read.
    """

    folder: str
    version: str | None
    missing: tuple[str, ...]
    enabled: bool | None


def find_installed(vault: Path, plugin: str, files: Iterable[str]) -> InstalledPlugin | None:
    """Return the plugin as it is in a vault; None when it is not there. Changes nothing.

    Args:
        vault: The vault's folder.
        plugin: The plugin's id.
        files: What belongs to it.

    Raises:
        StartError: The vault has no configuration folder.
        OSError: It cannot be looked at.
    """
    with VaultRoot(vault) as root, ExitStack() as held:
        top = held.enter_context(root.folder(VaultPath.root()))
        name = _configuration(top)
        config = held.enter_context(top.child(name))
        try:
            folder = held.enter_context(held.enter_context(config.child("plugins")).child(plugin))
        except FileNotFoundError:
            return None
        try:
            enabled: bool | None = plugin in _enabled(config, f"{name}/{LIST}")
        except StartError:
            enabled = None
        missing = tuple(file for file in files if not folder.exists(file))
        return InstalledPlugin(f"{name}/plugins/{plugin}", _version(folder), missing, enabled)


def _configuration(top: Folder) -> str:
    """Return `.obsidian`, or whichever dot-folder holds an `app.json` (Obsidian lets the user choose another)."""
    names = [name for name in top.names() if name.startswith(".")]
    for name in [USUAL, *sorted(names)]:
        if name in names and _has_settings(top, name):
            return name
    if USUAL in names:
        return USUAL  # a vault that Obsidian has just made has no app.json yet
    raise StartError(
        "This folder has no configuration folder of Obsidian",
        hint="Open it in Obsidian as a vault once, then run this again",
    )


def _has_settings(top: Folder, name: str) -> bool:
    try:
        with top.child(name) as folder:
            return folder.exists("app.json")
    except OSError:
        return False


def _enabled(config: Folder, shown: str) -> list[Any]:
    """Return the ids of the enabled plugins."""
    try:
        found = orjson.loads(config.read(LIST))
    except FileNotFoundError:
        return []
    except orjson.JSONDecodeError:
        found = None
    if not isinstance(found, list):
        raise StartError(
            f"{shown} in the vault is not a list of plugins, so it was left alone",
            hint="Correct or remove it, or install with --no-enable",
        )
    return found


def _back_up(config: Folder) -> str | None:
    """Keep the old list under a name that is free; None when there is none."""
    try:
        data = config.read(LIST)
    except FileNotFoundError:
        return None
    for number in itertools.count(1):
        name = f"{LIST}.{number}.bak"
        if not config.exists(name):
            config.create(name, data, mode=_MODE, sync=True)
            return name
    return None


def _version(folder: Folder) -> str | None:
    """Return the version of the plugin that is there."""
    try:
        return str(_object(folder.read("manifest.json")).get("version"))
    except (FileNotFoundError, orjson.JSONDecodeError):
        return None


def _object(data: bytes) -> dict[str, Any]:
    found = orjson.loads(data)
    return found if isinstance(found, dict) else {}
