"""What confines the programs that agents can have started, and the tools that the user has written."""

import sys
from collections.abc import Iterator
from pathlib import Path

from bridge.client.token_storage import config_folder
from bridge.custom.process import node
from bridge.custom.storage import FILE, LARGEST, parse_file
from bridge.errors import InvalidParameters
from bridge.health.finding import Finding
from bridge.sandbox.sandbox import probe
from bridge.tools import specs


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


def check_own_tools(vault: Path) -> Iterator[Finding]:
    """Whether the tools that the user has written are stored well, and whether there is what runs them."""
    del vault
    file = config_folder() / FILE
    if not file.exists():
        return
    try:
        with file.open("rb") as opened:
            tools = parse_file(opened.read(LARGEST + 1), [spec.name for spec in specs()])
    except InvalidParameters as fault:
        yield Finding("own tools", "fail", fault.message, f"Correct {file} by hand, or remove it")
        return
    scripts = [tool.name for tool in tools.values() if tool.environment == "node" and tool.enabled]
    if scripts and node() is None:
        what = f"There is no Node.js, which {', '.join(scripts)} need" + ("s" if len(scripts) == 1 else "")
        yield Finding("own tools", "warn", what, "Install it from https://nodejs.org, or switch them off")
        return
    yield Finding("own tools", "ok", f"{len(tools)} stored, {sum(tool.enabled for tool in tools.values())} switched on")
