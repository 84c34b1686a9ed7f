"""`vault-bridge install`: puts the Obsidian plugin into a vault."""

from typing import Annotated

import typer
from rich.text import Text

from bridge.cli.options import AsJson, Vault
from bridge.cli.printer import Printer
from bridge.cli.sanitize import sanitize
from bridge.client import find_vault
from bridge.plugin.install import install
from bridge.plugin.program import remember_program
from bridge.plugin.source import find_built_plugin


def install_plugin(
    no_enable: Annotated[bool, typer.Option("--no-enable", help="Do not enable it.")] = False,
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """Put the Obsidian plugin into a vault, and enable it.

    Nothing else in the vault is touched, and other plugins stay. Obsidian may be running: reload it afterwards.

    Examples:
      vault-bridge install --vault ~/Notes
      vault-bridge install --no-enable       enable it yourself in Obsidian's settings
    """
    printer = Printer(as_json=as_json)
    done = install(find_vault(vault), find_built_plugin(), enable=not no_enable)
    remember_program()
    if as_json:
        printer.json(
            {
                "folder": done.folder,
                "version": done.version,
                "previous": done.previous,
                "enabled": done.enabled,
                "backup": done.backup,
                "former": done.former,
            }
        )
        return
    was = f", in place of version {done.previous}" if done.previous not in {None, done.version} else ""
    lines = [f"Version {done.version} of the plugin is in {done.folder}{was}."]
    if done.former is not None:
        lines.append(f"The one in {done.former}, where it was before, was removed.")
    if done.backup is not None:
        lines.append(f"It is in community-plugins.json now; the old file is {done.backup}.")
    if done.enabled:
        lines.append(
            "If Obsidian has this vault open: reload it (command palette, 'Reload app without saving'), and switch "
            "off its Restricted mode if it asks (Settings, Community plugins)."
        )
    else:
        lines.append("Enable it in Obsidian: Settings, Community plugins, Vault Bridge Consent.")
    lines.append("Then serve the vault: vault-bridge serve")
    printer.lines(sanitize(line) if line else Text() for line in lines)
