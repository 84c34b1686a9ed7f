"""The vaults that the bench measures on: real notes, replicated to the size that is wanted, or else made-up ones."""

import filecmp
import os
import shutil
import tarfile
from pathlib import Path

from scripts.lib.bench_processes import PLAYGROUND
from scripts.lib.golden import read_vault
from scripts.lib.vault_generator import generate
from scripts.lib.vault_replicas import replicate

ROOT = Path(__file__).resolve().parents[2]
ARCHIVE = "britannica-1k.tar.gz"
OTHERS = "kepano"
VAULTS = "VAULT_BRIDGE_TEST_VAULTS"
"""The environment variable that says where the real vaults are."""


def bench_vault(notes: int) -> Path:
    """A vault of so many notes, made once and kept for the next run."""
    real = _real_notes()
    folder = PLAYGROUND / f"{'real' if real else 'made-up'}-{notes}"
    folder.mkdir(parents=True, exist_ok=True)
    return replicate(real, folder, notes=notes) if real else generate(folder, notes=notes)


def question_vault() -> tuple[Path, tuple[str, ...]]:
    """A vault whose notes answer questions, and which sets of `golden.py`: real notes, or else the small vault."""
    real, others = _real_notes(), _vaults() / OTHERS
    if real and others.is_dir():
        folder = PLAYGROUND / "questions"
        for source in (real, others):
            shutil.copytree(source, folder, dirs_exist_ok=True, copy_function=_copy_changed)
        return folder, ("held_back", "later", "topics", "more_topics", "further_topics")
    return written_vault("small_vault")


def written_vault(name: str, questions: str = "") -> tuple[Path, tuple[str, ...]]:
    """Return a vault that `golden.py` has, and which questions are asked of it: by default those of the same name."""
    folder = PLAYGROUND / f"questions-{name}"
    for path, text in read_vault(name).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        if not (folder / path).is_file() or (folder / path).read_text(encoding="utf-8") != text:
            (folder / path).write_text(text, encoding="utf-8")
    return folder, (questions or name,)


def _copy_changed(source: str, target: str) -> None:
    """Copy a file, unless it is there: a note that stays as it is keeps its date, and what was embedded of it."""
    if not (Path(target).is_file() and filecmp.cmp(source, target, shallow=False)):
        shutil.copyfile(source, target)


def _vaults() -> Path:
    return Path(os.environ.get(VAULTS) or ROOT.parent / "shared" / "vaults")


def _real_notes() -> Path | None:
    """The thousand real notes, unpacked; None where they are not at hand."""
    archive = _vaults() / ARCHIVE
    if not archive.is_file():
        return None
    place = PLAYGROUND / "britannica"
    if not place.is_dir():
        place.mkdir(parents=True)
        with tarfile.open(archive) as packed:
            packed.extractall(place, filter="data")
    return next(folder for folder in place.iterdir() if folder.is_dir())
