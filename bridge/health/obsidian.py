"""The plugin in the vault's configuration folder."""

from collections.abc import Iterator
from pathlib import Path

from bridge import __version__
from bridge.errors import StartError
from bridge.health.finding import Finding
from bridge.plugin.install import present
from bridge.plugin.source import FILES, PLUGIN_ID

_AGAIN = "Run `vault-bridge install` for this vault, then reload Obsidian"


def check_plugin(vault: Path) -> Iterator[Finding]:
    """Whether the plugin, if it is there, is whole, enabled and of this version. It need not be there."""
    try:
        found = present(vault, PLUGIN_ID, FILES)
    except StartError:
        found = None
    if found is None:
        yield Finding(
            "plugin", "ok", "Not in this vault; `vault-bridge install` puts it there, and `approve` does without"
        )
    elif found.missing:
        yield Finding("plugin", "fail", f"{found.folder} lacks {', '.join(found.missing)}", _AGAIN)
    elif found.version != __version__:
        yield Finding("plugin", "warn", f"Version {found.version}, and the bridge is {__version__}", _AGAIN)
    elif found.enabled is None:
        yield Finding(
            "plugin",
            "warn",
            "Obsidian's list of enabled plugins cannot be read",
            "Enable a plugin in Obsidian's settings",
        )
    elif not found.enabled:
        yield Finding("plugin", "warn", "It is not enabled", "Enable it in Obsidian under Community plugins")
    else:
        yield Finding("plugin", "ok", f"Version {found.version}, enabled")
