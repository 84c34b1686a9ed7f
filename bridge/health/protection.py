"""The programs whose own editors ask before they change a file of the vault."""

import os
from collections.abc import Iterator
from pathlib import Path

from bridge.agents.machine import this_machine
from bridge.health.finding import Finding, LookedAtFolder
from bridge.plugin.protector import vault_protector
from bridge.records.folder import place


def check_protection(vault: Path) -> Iterator[Finding]:
    """Check whether the programs told to ask before they edit the vault still have what makes them ask."""
    real = Path(os.path.realpath(vault))
    protector = vault_protector(real, this_machine(), LookedAtFolder(place(real, kind="clients")))
    programs = protector.protected()
    if not programs:
        yield Finding("own editors", "ok", "No program is told to ask before its own editor changes notes")
    for program in programs:
        faults, options = protector.faults(program), protector.options(program)
        if faults:
            remedy = f"`vault-bridge protect {program.id}` writes anew what is missing, with --remove takes it back"
            yield Finding("own editors", "warn", f"{program.title} may not ask: {'; '.join(faults)}", remedy)
        else:
            how = "is refused" if options is not None and options.edits == "refuse" else "asks"
            yield Finding(
                "own editors", "ok", f"{program.title}'s own editor {how}; what it does by a shell is recorded"
            )
