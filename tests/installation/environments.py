"""Installations as users make them: a fresh folder, the pip that the Python brings, and nothing of the developers'."""

import json
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.patience import PATIENCE

ROOT: Final = Path(__file__).resolve().parents[2]
EXTRAS: Final = ("fast", "semantic", "pdf", "drawn-text")
PLUGIN: Final = ("main.js", "manifest.json", "styles.css")
OLD_PIP: Final = "23.2.1"
"""What early builds of Python 3.11 bring."""
_INSTALLING: Final = 480
"""Seconds in which packages are fetched and installed."""
_KEPT: Final = ("PATH", "SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "TEMP", "TMP", "TMPDIR", "PIP_CERT", "LANG")
"""What of the developer's environment a user has too."""


@dataclass(frozen=True)
class Installed:
    """One installation, and the user whose it is.

    Attributes:
        folder: The environment.
        place: A folder of the user's, in which commands are typed: nothing of the checkout is near.
        extras: What of `EXTRAS` it has.
        has_plugin: Whether the plugin was built when it was installed.
    """

    folder: Path
    place: Path
    extras: tuple[str, ...]
    has_plugin: bool

    @property
    def home(self) -> Path:
        """The user's home folder."""
        return self.place / "home"

    @property
    def python(self) -> str:
        """Its interpreter."""
        return str(_commands(self.folder) / ("python.exe" if os.name == "nt" else "python"))

    @property
    def program(self) -> str:
        """Its command `vault-bridge`."""
        return str(_commands(self.folder) / ("vault-bridge.exe" if os.name == "nt" else "vault-bridge"))

    @property
    def environment(self) -> dict[str, str]:
        """What the user's terminal has."""
        kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
        own = {"HOME": str(self.home), "USERPROFILE": str(self.home), "PYTHONUTF8": "1"}
        own |= {"APPDATA": str(self.home / "AppData" / "Roaming"), "LOCALAPPDATA": str(self.home / "AppData" / "Local")}
        # No keyring of the developer's, and on Windows and macOS no folder of theirs, which no variable moves there.
        own |= {"PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring"}
        own |= {f"VAULT_BRIDGE_{name}": str(self.place / name.lower()) for name in ("STATE", "CONFIG")}
        return kept | own

    def run(self, *words: str, code: int | None = 0, typed: str = "") -> "subprocess.CompletedProcess[str]":
        """Type a command of `vault-bridge`.

        Args:
            words: What follows the command's name.
            code: The exit code that it must end with; None: any.
            typed: What is given to it to read.
        """
        return self.start(self.program, *words, code=code, typed=typed)

    def json(self, *words: str, code: int | None = 0) -> Any:
        """What a command prints with `--json`."""
        return json.loads(self.run(*words, "--json", code=code).stdout)

    def start(self, *command: str, code: int | None = 0, typed: str = "") -> "subprocess.CompletedProcess[str]":
        """Start any program in the user's place, and wait for its end; the arguments are those of `run`."""
        done = subprocess.run(  # noqa: S603 - of this installation
            command,
            cwd=self.place,
            env=self.environment,
            input=typed,
            capture_output=True,
            encoding="utf-8",
            timeout=PATIENCE,
            check=False,
        )
        assert code is None or done.returncode == code, f"{command}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    @contextmanager
    def serving(self, vault: Path, *options: str) -> Iterator[dict[str, Any]]:
        """Serve a vault; what the command says when it is ready."""
        log = self.place / "serve.log"
        command = [self.program, "serve", "--vault", str(vault), "--json", *options]
        with (
            log.open("w", encoding="utf-8") as errors,
            subprocess.Popen(  # noqa: S603 - of this installation
                command, cwd=self.place, env=self.environment, stdout=subprocess.PIPE, stderr=errors
            ) as bridge,
        ):
            try:
                assert bridge.stdout is not None
                line = bridge.stdout.readline()
                assert line, log.read_text(encoding="utf-8")
                yield json.loads(line)
            finally:
                bridge.terminate()
                bridge.wait(PATIENCE)

    @property
    def log(self) -> str:
        """What the bridge has written to its console."""
        return (self.place / "serve.log").read_text(encoding="utf-8")


def copy_checkout(to: Path) -> bool:
    """Copy what a clone of the repository has, and the plugin where it is built. Returns whether that is there."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],  # noqa: S607 - by its name, as people do
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, to / name)
    built = {name: ROOT / "bridge" / "plugin_files" / name for name in PLUGIN}
    if not all(file.is_file() for file in built.values()):
        built |= {name: ROOT / "obsidian-plugin" / name for name in PLUGIN}
    if not all(file.is_file() for file in built.values()):
        return False
    (to / "bridge" / "plugin_files").mkdir()
    for name, file in built.items():
        shutil.copyfile(file, to / "bridge" / "plugin_files" / name)
    return True


def install(place: Path, *, wheel: bool, extras: Sequence[str], old_pip: bool) -> Installed:
    """Install into a new environment.

    Args:
        place: An empty folder.
        wheel: From a built wheel; else from the checkout.
        extras: Those of `EXTRAS` that are wanted; on systems for which they have no builds they are left out.
        old_pip: With the oldest pip that a supported Python brings, where this is that Python.
    """
    checkout, folder = place / "checkout", place / "environment"
    has_plugin = copy_checkout(checkout)
    venv.create(folder, with_pip=True, symlinks=os.name != "nt")
    python = str(_commands(folder) / ("python.exe" if os.name == "nt" else "python"))
    if old_pip and sys.version_info[:2] == (3, 11) and f"pip {OLD_PIP} " not in _pip(python, "--version"):
        _pip(python, "install", f"pip=={OLD_PIP}")
    source = checkout
    if wheel:
        _pip(python, "wheel", "--no-deps", "--wheel-dir", str(place / "dist"), str(checkout))
        (source,) = (place / "dist").iterdir()
    wanted = tuple(extra for extra in extras if sys.platform == "linux" or _has_build(python, source, extra))
    _pip(python, "install", f"{source}[{','.join(wanted)}]" if wanted else str(source))
    if wheel:
        shutil.rmtree(checkout)  # what is installed stands alone
    (place / "home").mkdir()
    return Installed(folder, place, wanted, has_plugin)


def _has_build(python: str, source: Path, extra: str) -> bool:
    named = [
        "install",
        "--dry-run",
        "--only-binary",
        "hyperscan,numpy,tokenizers,opencv-python-headless,shapely,pyclipper",
        f"{source}[{extra}]",
    ]
    return bool(_pip(python, *named, check=False))


def _pip(python: str, *words: str, check: bool = True) -> str:
    """What pip says, of which there are the addresses of its packages in the developer's environment."""
    done = subprocess.run(  # noqa: S603 - pip
        [python, "-m", "pip", "--disable-pip-version-check", "--no-input", *words],
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=_INSTALLING,
        check=False,
    )
    assert not check or done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout if done.returncode == 0 else ""


def _commands(folder: Path) -> Path:
    return folder / ("Scripts" if os.name == "nt" else "bin")
