"""The place of the built plugin: in the installed package, or in the checkout."""

from pathlib import Path
from typing import Final

from bridge.errors import StartError

FILES: Final = ("main.js", "manifest.json", "styles.css")
"""The files of a plugin of Obsidian."""

PLUGIN_ID: Final = "vault-bridge-consent"
"""The `id` of its manifest, and its folder's name in a vault."""

_PACKAGE: Final = Path(__file__).resolve().parents[1]
PACKED: Final = _PACKAGE / "plugin_files"
"""In a wheel; git ignores it."""
CHECKOUT: Final = _PACKAGE.parent / "obsidian-plugin"


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
