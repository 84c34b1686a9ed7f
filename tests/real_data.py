"""Where real vaults, and what Obsidian itself says of real notes, lie on this machine, if they do.

By default in the folder `shared` beside the checkout, or beside the checkout that this is a git worktree of.
"""

import os
from collections.abc import Iterator
from pathlib import Path


def _checkouts() -> Iterator[Path]:
    """This checkout, and the main one where this is a worktree (its `.git` is a file that leads there)."""
    here = Path(__file__).parents[1]
    yield here
    pointer = here / ".git"
    if pointer.is_file():
        folder = here / pointer.read_text(encoding="utf-8").removeprefix("gitdir:").strip()
        yield folder.resolve().parents[2]


def _data(variable: str, name: str) -> Path:
    """The folder that an environment variable names, else the first `shared/NAME` that exists."""
    beside = [checkout.parent / "shared" / name for checkout in _checkouts()]
    named = os.environ.get(variable)
    return Path(named) if named else next((folder for folder in beside if folder.is_dir()), beside[0])


REAL_VAULTS = _data("VAULT_BRIDGE_TEST_VAULTS", "vaults")
"""Real vaults: folders, or archives `NAME.tar.gz`."""

GROUND_TRUTH = _data("VAULT_BRIDGE_TEST_GROUND_TRUTH", "ground-truth")
"""Notes with the metadata that Obsidian has of them, a JSON file each, in a folder for each vault."""
