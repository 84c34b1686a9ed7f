"""The vaults that the bench measures on: real notes, replicated to the size that is wanted, or else made-up ones."""

import os
import tarfile
from pathlib import Path

from scripts.lib.bench_processes import PLAYGROUND
from scripts.lib.vault_generator import generate
from scripts.lib.vault_replicas import replicate

ROOT = Path(__file__).resolve().parents[2]
ARCHIVE = "britannica-1k.tar.gz"
VAULTS = "VAULT_BRIDGE_TEST_VAULTS"
"""The environment variable that says where the real vaults are."""


def bench_vault(notes: int) -> Path:
    """A vault of so many notes, made once and kept for the next run."""
    real = _real_notes()
    folder = PLAYGROUND / f"{'real' if real else 'made-up'}-{notes}"
    folder.mkdir(parents=True, exist_ok=True)
    return replicate(real, folder, notes=notes) if real else generate(folder, notes=notes)


def _real_notes() -> Path | None:
    """The thousand real notes, unpacked; None where they are not at hand."""
    archive = Path(os.environ.get(VAULTS) or ROOT.parent / "shared" / "vaults") / ARCHIVE
    if not archive.is_file():
        return None
    place = PLAYGROUND / "britannica"
    if not place.is_dir():
        place.mkdir(parents=True)
        with tarfile.open(archive) as packed:
            packed.extractall(place, filter="data")
    return next(folder for folder in place.iterdir() if folder.is_dir())
