"""Makes the folder `.venv` and installs the project into it, once, and again when pyproject.toml has changed.

Standard library only, and nothing newer than Python 3.8: this runs before there is an environment.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.lib.interpreters import SUPPORTED, NoPythonError, find_python, version_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
COMMAND = BIN / ("vault-bridge.exe" if os.name == "nt" else "vault-bridge")

_MEANING = "numpy,tokenizers,wordllama,hf-xet"  # nothing of it is compiled here
_DRAWN = "numpy,opencv-python-headless,shapely,pyclipper"  # the same
_DEV_PIP = "pip>=25.1"  # the first that knows `--group`


class SetupError(Exception):
    """The environment could not be made; the message says why and what to do."""


def prepare(*, dev: bool) -> None:
    """Prepare the environment for running (`dev=False`) or for testing and checking too (`dev=True`).

    Does nothing, and needs no network, when that has been done before.

    Raises:
        SetupError: No supported Python was found, or pip failed.
    """
    if version_of([str(PYTHON)]) not in SUPPORTED:
        _create()
    kind = "dev" if dev else "run"
    wanted = _fingerprint()
    if any(_stamp(done).read_text(encoding="utf-8") == wanted for done in ("dev", kind) if _stamp(done).exists()):
        return
    if dev:
        _pip("Updating pip", ["install", "--upgrade", _DEV_PIP])
        _pip("Installing Vault Bridge and its tools for testing", ["install", "--group", "dev", "--editable", "."])
    else:
        _pip("Installing Vault Bridge", ["install", "--editable", "."])
    try:
        _pip("Adding the faster search engine", ["install", "--only-binary", "hyperscan", "--editable", ".[fast]"])
    except SetupError:
        say("There is no build of it for this system; searches use the engine that is there.")
    try:
        _pip("Adding search by meaning", ["install", "--only-binary", _MEANING, "--editable", ".[semantic]"])
    except SetupError:
        say("There is no build of it for this system; notes are found by their words.")
    try:
        _pip("Adding the faster reader of PDF files", ["install", "--only-binary", "pypdfium2", "--editable", ".[pdf]"])
    except SetupError:
        say("There is no build of it for this system; PDF files are read by the slower one that is there.")
    if dev:
        try:
            _pip("Adding the text in pictures", ["install", "--only-binary", _DRAWN, "--editable", ".[drawn-text]"])
        except SetupError:
            say("There is no build of it for this system; text in pictures is not recognised.")
    _stamp(kind).write_text(wanted, encoding="utf-8")


def become(arguments: Sequence[str]) -> NoReturn:
    """Continue as another program, in this terminal and folder; this process ends with its exit code.

    Where the system has it, that program takes this process's place, so that signals reach it and nothing else.
    """
    environment = variables({"PYTHONPATH": str(ROOT)})
    sys.stdout.flush()
    sys.stderr.flush()
    if os.name != "nt":
        os.execve(arguments[0], list(arguments), environment)  # noqa: S606 - a program of ours, without a shell
    process = subprocess.Popen(list(arguments), env=environment)
    while True:
        try:
            sys.exit(process.wait())
        except KeyboardInterrupt:
            continue  # Ctrl-C reached the program too; it is the one that decides how to end


def variables(extra: dict[str, str] | None = None) -> dict[str, str]:
    """This process's environment, with UTF-8 everywhere, and what else a child is to have."""
    return {**os.environ, "PYTHONUTF8": "1", **(extra or {})}


def _create() -> None:
    """Create `.venv`, in place of a broken or outdated one."""
    try:
        python = find_python()
    except NoPythonError as error:
        raise SetupError(str(error)) from None
    if VENV.exists():
        say("The environment in .venv does not run here; making it anew.")
        shutil.rmtree(VENV)
    say("Creating the environment .venv with Python {}.{}".format(*(version_of(python) or ())))
    made = subprocess.run(
        [*python, "-m", "venv", str(VENV)], capture_output=True, text=True, encoding="utf-8", check=False
    )
    if made.returncode:
        shutil.rmtree(VENV, ignore_errors=True)
        raise SetupError(
            f"Python could not make a virtual environment:\n{made.stdout}{made.stderr}\n"
            "On Debian and Ubuntu install the package python3-venv; then run this command again."
        )


def _pip(title: str, arguments: list[str]) -> None:
    """Run pip with one line of progress, and show its last output when it fails."""
    say(f"{title} (once)")
    command = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "--no-input", *arguments]
    output = []
    with subprocess.Popen(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        env=variables(),
    ) as process:
        for line in process.stdout or ():
            output.append(line)
            if line.startswith(("Collecting ", "Installing ", "Building ", "  Downloading ")):
                progress(line.split("(")[0].strip())
    progress("")
    if process.returncode:
        raise SetupError(
            "".join(output[-30:])
            + "\npip could not install the packages. Is this machine online, or its pip configured for a mirror?\n"
            "Nothing was changed outside .venv; run this command again."
        )


def _fingerprint() -> str:
    """A hash of what the installation depends on: the project's definition, and the environment's Python."""
    digest = hashlib.sha256((ROOT / "pyproject.toml").read_bytes())
    digest.update(str(version_of([str(PYTHON)])).encode())
    digest.update(str(ROOT).encode())
    return digest.hexdigest()


def _stamp(kind: str) -> Path:
    """The file that holds the fingerprint of the last installation."""
    return VENV / f"vault-bridge-{kind}.stamp"


def say(text: str) -> None:
    """Print one line at once."""
    print(text, flush=True)


def progress(text: str) -> None:
    """Print a line that the next one overwrites; on terminals only."""
    if sys.stdout.isatty():
        width = shutil.get_terminal_size().columns - 1
        print("\r" + text[:width].ljust(width) + ("" if text else "\r"), end="", flush=True)
