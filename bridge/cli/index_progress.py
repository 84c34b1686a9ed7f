"""What `vault-bridge serve` shows while the vault is read for the first time."""

import asyncio
import time
from typing import TYPE_CHECKING

from bridge.cli.output import Output

if TYPE_CHECKING:
    from bridge.app import Bridge

PATIENCE = 0.5
"""Seconds in which a build that ends sooner is not worth a word."""

EVERY = 0.1
"""Seconds between two looks."""


async def show_build(bridge: "Bridge", output: Output) -> None:
    """Return when the index knows every note, having shown how far it is."""
    began = time.monotonic()
    await asyncio.sleep(PATIENCE)
    if not bridge.index.status().indexing:
        return
    with output.progress("Reading the vault") as show:
        while (status := bridge.index.status()).indexing:
            progress = bridge.index.progress
            show(progress.done, progress.total)
            await asyncio.sleep(EVERY)
    took = time.monotonic() - began
    output.say(f"The vault has been read: {status.notes:,} notes, in {took:.1f} seconds.")
