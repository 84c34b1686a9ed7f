"""The options of `scripts/start`. Standard library only: they are checked before anything is installed."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

PRESETS = ("minimal", "vault", "everything")

DESCRIPTION = """Starts Vault Bridge.

With --vault it serves that vault until Ctrl-C. Without, it shows in two minutes what Vault Bridge does: it copies a
small sample vault into playground/, serves it, and has a scripted agent search it and propose an edit, about which
you are asked in this terminal. Nothing of yours is touched."""


def parse_start(arguments: Sequence[str]) -> argparse.Namespace:
    """The options; ends the process with 2 on bad usage, with 0 after `--help`."""
    parser = argparse.ArgumentParser(
        prog="scripts/start", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--vault", type=_folder, metavar="DIR", help="serve this vault")
    parser.add_argument("--port", type=int, metavar="N", default=0, help="where to listen; by default a free port")
    parser.add_argument("--preset", choices=PRESETS, help="which tools agents see; by default you are asked")
    parser.add_argument("--yes", action="store_true", help="say yes to every question here, for lack of a person")
    return parser.parse_args(arguments)


def _folder(text: str) -> Path:
    folder = Path(text).expanduser()
    if not folder.is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {text!r}")
    return folder.resolve()
