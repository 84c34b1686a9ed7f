"""Put the plugin's files into a vault's configuration folder, and its id into the list of enabled plugins.

Done by the user's own command and never on behalf of an agent: the folder is shut to tools. The built plugin is in the
installed package, or in the checkout. Where the vault has it under its former id, that is removed.
"""

from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import orjson

from bridge.agents.file_change import keep_copy
from bridge.errors import StartError
from bridge.vault.folder import Folder, write_all, write_atomic
from bridge.vault.paths import VaultPath
from bridge.vault.root import VaultRoot

FILES: Final = ("main.js", "manifest.json", "styles.css")
"""The files of a plugin of Obsidian."""
PLUGIN_ID: Final = "vault-bridge-consent"
"""The `id` of its manifest, and its folder's name in a vault."""
_PACKAGE: Final = Path(__file__).resolve().parents[1]
PACKED: Final = _PACKAGE / "plugin_files"
"""In a wheel; git ignores it."""
CHECKOUT: Final = _PACKAGE.parent / "obsidian-plugin"
FORMER_ID: Final = "vault-bridge"
AUTHOR: Final = "The Vault Bridge authors"
"""The author in the manifest, of this version and of every earlier one."""
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
            former = _has_former(plugins)
            wanted = [name for name in enabled if name != plugin and not (former and name == FORMER_ID)] + [plugin]
            backup = None
            if enable and (plugin not in enabled or len(wanted) != len(enabled)):
                backup = keep_copy(config, LIST, config.read(LIST) if config.exists(LIST) else None, _MODE)
                write_atomic(config, LIST, orjson.dumps(wanted, option=orjson.OPT_INDENT_2), mode=_MODE)
            if former:
                _remove_former(plugins)
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


def find_installed(vault: Path) -> InstalledPlugin | None:
    """Return the plugin as it is in a vault; None when it is not there. Changes nothing.

    Raises:
        StartError: The vault has no configuration folder.
        OSError: It cannot be looked at.
    """
    with VaultRoot(vault) as root, ExitStack() as held:
        top = held.enter_context(root.folder(VaultPath.root()))
        name = _configuration(top)
        config = held.enter_context(top.child(name))
        try:
            folder = held.enter_context(held.enter_context(config.child("plugins")).child(PLUGIN_ID))
        except FileNotFoundError:
            return None
        try:
            enabled: bool | None = PLUGIN_ID in _enabled(config, f"{name}/{LIST}")
        except StartError:
            enabled = None
        missing = tuple(file for file in FILES if not folder.exists(file))
        return InstalledPlugin(f"{name}/plugins/{PLUGIN_ID}", _version(folder), missing, enabled)


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
    with suppress(OSError), top.child(name) as folder:
        return folder.exists("app.json")
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


def _version(folder: Folder) -> str | None:
    """Return the version of the plugin that is there."""
    try:
        return str(_object(folder.read("manifest.json")).get("version"))
    except (FileNotFoundError, orjson.JSONDecodeError):
        return None


def _object(data: bytes) -> dict[str, Any]:
    found = orjson.loads(data)
    return found if isinstance(found, dict) else {}


def _has_former(plugins: Folder) -> bool:
    """Return whether our plugin is there under its former id; its author says so too, as another has that id now."""
    with suppress(OSError, orjson.JSONDecodeError), plugins.child(FORMER_ID) as folder:
        manifest = _object(folder.read("manifest.json"))
        return (manifest.get("id"), manifest.get("author")) == (FORMER_ID, AUTHOR)
    return False


def _remove_former(plugins: Folder) -> None:
    """Remove its files, and its folder unless something else is in it. Raises OSError: the disk failed."""
    with plugins.child(FORMER_ID) as folder:
        for name in sorted(FILES, key=lambda name: name == "manifest.json"):  # while that is there, it is recognised
            with suppress(FileNotFoundError):
                folder.unlink(name)
        empty = not folder.names()
    if empty:
        plugins.rmdir(FORMER_ID)


def find_built_plugin(packed: Path = PACKED, checkout: Path = CHECKOUT) -> dict[str, bytes]:
    """Return the plugin's files, by name.

    Args:
        packed: Where a wheel has them.
        checkout: The plugin's own folder in the source. Its manifest may be in the folder above.

    Raises:
        StartError: It is not built.
    """
    for folder in (checkout, packed):  # who works on the plugin wants the one just built
        files = {name: _read(folder, name) for name in FILES}
        if all(data is not None for data in files.values()):
            return {name: data or b"" for name, data in files.items()}
    if (checkout / "package.json").is_file():
        raise StartError("The plugin is not built yet", hint="Build it: python3 scripts/build-plugin")
    raise StartError(
        "This installation has no Obsidian plugin in it",
        hint="In a checkout, run python3 scripts/build-plugin, then install Vault Bridge from there again",
    )


def _read(folder: Path, name: str) -> bytes | None:
    places = [folder / name]
    if name == "manifest.json" and (folder / "package.json").is_file():
        places.append(folder.parent / name)
    return next((place.read_bytes() for place in places if place.is_file()), None)
