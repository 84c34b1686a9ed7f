"""What confines the programs that agents can have started."""

import sys
from collections.abc import Iterator
from pathlib import Path

from bridge.health.finding import Finding
from bridge.sandbox.sandbox import probe


def check_sandbox(vault: Path) -> Iterator[Finding]:
    """Which sandbox works here, and what it cannot do."""
    del vault
    found = probe()
    if not found.confines:
        what = "None works: what a program can reach is not limited here"
        remedy = "Install bubblewrap, or use Linux 5.13 or newer" if sys.platform.startswith("linux") else ""
        yield Finding("sandbox", "warn" if remedy else "ok", what, remedy)
        return
    lacks = "".join(f"; {lack[0].lower()}{lack[1:]}" for lack in found.lacks)
    yield Finding("sandbox", "ok", f"{found.sentence}{lacks}")
