"""The options of `scripts/start` and `scripts/test`. Standard library only: nothing is installed when they are read."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

PRESETS = ("minimal", "agent", "vault", "everything")

START = """Starts Vault Bridge.

With --vault it serves that vault until Ctrl-C. Without, it shows in two
minutes what Vault Bridge does: it copies a small sample vault into playground/,
serves it, and has a scripted agent search it and propose an edit, about which
you are asked in this terminal. Nothing of yours is touched."""

TEST = """Checks the code and runs the tests.

Without arguments: format, lint, types, layers, the plugin's tests (with a real
browser where there is one), and the Python tests on all processors, except the
tests marked `long`, which kill and break things at every possible point."""

TEST_EXAMPLES = """Everything else is passed to pytest, which then runs only what you select, in
one process:

  scripts/test tests/vault -k link      a folder's tests with "link" in the name
  scripts/test --long tests/journal -x  a folder's long tests too, to a failure
  scripts/test --quick tests/index      a folder without its slow tests
  scripts/test tests/index -n auto      a folder on all processors
  scripts/test --lf                     what failed the last time

The options of pytest are listed by `.venv/bin/python -m pytest --help`."""

Depth = Literal["quick", "default", "long"]


class RunOptions(NamedTuple):
    """The tests that `scripts/test` was asked to run; `selection` are pytest's own arguments, empty for everything."""

    depth: Depth
    selection: tuple[str, ...]


def parse_start(arguments: Sequence[str]) -> argparse.Namespace:
    """The options of `scripts/start`; ends the process with 2 on bad usage, with 0 after `--help`."""
    parser = argparse.ArgumentParser(
        prog="scripts/start", description=START, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--vault", type=_folder, metavar="DIR", help="serve this vault")
    parser.add_argument("--port", type=int, metavar="N", default=0, help="where to listen; by default a free port")
    parser.add_argument("--preset", choices=PRESETS, help="which tools agents see; by default you are asked")
    parser.add_argument("--yes", action="store_true", help="say yes to every question here, for lack of a person")
    return parser.parse_args(arguments)


def parse_test(arguments: Sequence[str]) -> RunOptions:
    """The options of `scripts/test`; ends the process with 2 on bad usage, with 0 after `--help`."""
    parser = argparse.ArgumentParser(
        prog="scripts/test",
        usage="scripts/test [-h] [--quick | --long] [PYTEST ARGUMENT ...]",
        description=TEST,
        epilog=TEST_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    depth = parser.add_mutually_exclusive_group()
    depth.add_argument(
        "--quick",
        action="store_const",
        dest="depth",
        const="quick",
        help="for the inner loop: format, lint, types, and the tests of what differs from the last commit (or of that "
        "commit, if nothing does) that are not marked `slow` or `long`",
    )
    depth.add_argument(
        "--long",
        action="store_const",
        dest="depth",
        const="long",
        help="also the tests marked `long`; this is what continuous integration runs",
    )
    options, selection = parser.parse_known_args(arguments)
    return RunOptions(options.depth or "default", tuple(selection))


def _folder(text: str) -> Path:
    folder = Path(text).expanduser()
    if not folder.is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {text!r}")
    return folder.resolve()
