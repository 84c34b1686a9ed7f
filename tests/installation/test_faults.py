"""What goes wrong while installing is told in a sentence with the next step, and nothing is half written."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from bridge.plugin.install import install
from tests.patience import PATIENCE

pytestmark = pytest.mark.slow
MOUNTS: Final = ("unshare", "--user", "--map-root-user", "--mount", "sh", "-c")
"""Runs a script of the shell that can mount, for itself alone."""


def can_mount() -> bool:
    """Whether this machine lets a user make small disks and read-only ones."""
    return shutil.which(MOUNTS[0]) is not None and not subprocess.run([*MOUNTS, "exit 0"], check=False).returncode  # noqa: S603


LINUX: Final = pytest.mark.skipif(not can_mount(), reason="needs small disks and read-only ones")
BUILT = {
    "main.js": b"// built\n" * 9000,
    "manifest.json": b'{"id": "vault-bridge-consent", "version": "0.2.0"}',
    "styles.css": b"/* style */\n" * 1000,
}
_ON_DISK = (
    'seed=$0 disk=$1 out=$2 HOME=$1/home; mount -t tmpfs -o size="$3" tmpfs "$disk" || exit; shift 3; '
    'cp -r "$seed"/. "$disk"; "$@"; code=$?; mkdir "$out"; cp -r "$disk"/. "$out"; exit $code'
)
OnFullDisk = Callable[..., tuple["subprocess.CompletedProcess[str]", Path]]


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def typed(command: list[str]) -> "subprocess.CompletedProcess[str]":
    """Run a command to its end; it must never end with a traceback."""
    done = subprocess.run(  # noqa: S603 - our own program
        command, capture_output=True, encoding="utf-8", timeout=PATIENCE, check=False, stdin=subprocess.DEVNULL
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


@pytest.fixture
def seed(tmp_path: Path) -> Path:
    """What is on the disk before it fills up: a vault, and the user's home."""
    (tmp_path / "seed" / "Notes" / ".obsidian").mkdir(parents=True)
    (tmp_path / "seed" / "Notes" / "Tea.md").write_text("Tea.\n", encoding="utf-8")
    (tmp_path / "seed" / "home").mkdir()
    return tmp_path / "seed"


@pytest.fixture
def on_full_disk(tmp_path: Path, seed: Path) -> OnFullDisk:
    """Runs a command on a disk with so many bytes; returns how it ended, and a copy of what is on the disk then."""

    def run(size: int, *command: str) -> tuple["subprocess.CompletedProcess[str]", Path]:
        disk, out = tmp_path / "disk", tmp_path / "after"
        disk.mkdir()
        words = [word.format(disk=disk) for word in command]
        return typed([*MOUNTS, _ON_DISK, str(seed), str(disk), str(out), str(size), *words]), out

    return run


def bridge(*words: str) -> list[str]:
    """The command line, typed."""
    return [sys.executable, "-m", "bridge", *words]


INSTALL = (
    "import sys; from pathlib import Path; from bridge.plugin.install import install\n"
    "from bridge.errors import StartError\n"
    "from tests.installation.test_faults import BUILT\n"
    "try: install(Path(sys.argv[1]), BUILT)\n"
    "except StartError as error: sys.exit(str(error))"
)


@LINUX
@pytest.mark.parametrize("pages", [4, 21, 23])
@pytest.mark.parametrize("earlier", [False, True], ids=["new", "in place of another"])
def test_a_plugin_for_which_there_is_no_room_is_not_half_there(
    seed: Path, on_full_disk: OnFullDisk, pages: int, *, earlier: bool
) -> None:
    if earlier:
        install(seed / "Notes", dict.fromkeys(BUILT, b"{}") | {"manifest.json": BUILT["manifest.json"]})
    room = (pages + len(tree(seed))) * 4096
    done, after = on_full_disk(room, sys.executable, "-c", INSTALL, "{disk}/Notes")
    assert done.returncode == 1
    assert done.stderr.startswith("The plugin could not be put into the vault: No space left on device\nLook at the ")
    assert tree(after) == tree(seed)
    assert (after / "Notes" / ".obsidian" / "plugins").exists() is earlier


@LINUX
@pytest.mark.parametrize(
    ("program", "pages"), [("claude-code", 1), ("claude-code", 2), ("codex", 1), ("codex", 2), ("opencode", 1)]
)
def test_a_program_for_whose_configuration_there_is_no_room_stays_as_it_was(  # noqa: PLR0917 - fixtures
    tmp_path: Path, seed: Path, on_full_disk: OnFullDisk, program: str, pages: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On one page there is a note; a second one takes the configuration, and then the skill has no room."""
    monkeypatch.setenv("VAULT_BRIDGE_STATE", str(tmp_path / "state"))
    vault = tmp_path / "Vault"
    (vault / ".obsidian").mkdir(parents=True)
    done, after = on_full_disk(pages * 4096, *bridge("install-client", program, "--yes", "--vault", str(vault)))
    assert done.returncode == 1
    assert "cannot be written: No space left on device. Look at its permissions and at the room" in done.stderr
    assert tree(after) == tree(seed)
    assert list((after / "home").iterdir()) == []
    assert json.loads(typed(bridge("clients", "list", "--json", "--vault", str(vault))).stdout) == []


@LINUX
def test_a_vault_that_cannot_be_served_for_lack_of_room_keeps_its_notes(
    seed: Path, on_full_disk: OnFullDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VAULT_BRIDGE_STATE", str(seed.parent / "disk" / "state"))
    done, after = on_full_disk(30_000, *bridge("serve", "--vault", "{disk}/Notes"))
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
    assert done.stderr.splitlines()[-1] == "Make room on the disk."
    assert (after / "Notes" / "Tea.md").read_bytes() == b"Tea.\n"
    assert not (after / "Notes" / ".vault-bridge" / "bridge.json").exists()


@pytest.fixture
def at_home(seed: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The beginning of a command whose user's home cannot be written, and has all that is private."""
    for name in ("VAULT_BRIDGE_STATE", "VAULT_BRIDGE_CONFIG", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    script = 'HOME=$0; mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'
    return [*MOUNTS, script, str(seed / "home")]


@LINUX
@pytest.mark.parametrize("words", [("serve",), ("install-client", "codex", "--yes"), ("clients", "add", "A", "--save")])
def test_a_home_that_cannot_be_written_is_told_of_and_the_vault_stays_as_it_is(
    seed: Path, at_home: list[str], words: tuple[str, ...]
) -> None:
    before = tree(seed)
    done = typed([*at_home, *bridge(*words, "--vault", str(seed / "Notes"))])
    assert done.returncode == 1
    why, what_to_do = done.stderr.splitlines()
    assert why.endswith(": Read-only file system")
    assert what_to_do == "Make it usable, or name another with VAULT_BRIDGE_STATE."
    assert tree(seed) == before


@LINUX
def test_the_doctor_finds_a_home_that_cannot_be_written(seed: Path, at_home: list[str]) -> None:
    before = tree(seed)
    done = typed([*at_home, *bridge("doctor", "--json", "--vault", str(seed / "Notes"))])
    (found,) = (check for check in json.loads(done.stdout)["checks"] if check["level"] == "fail")
    assert found["what"] == f"No vault can be served: {seed / 'home'} cannot be written"
    assert found["remedy"].startswith("Give yourself the right to write there")
    assert tree(seed) == before


@pytest.mark.parametrize("kind", ["a folder", "damaged", "not text"])
@pytest.mark.parametrize(
    ("program", "file"),
    [("claude-code", ".claude.json"), ("codex", ".codex/config.toml"), ("gemini", ".gemini/settings.json")],
)
def test_a_configuration_that_cannot_be_read_is_named_and_left_alone(
    vault: Path, home: Path, program: str, file: str, kind: str
) -> None:
    place = home / file
    place.parent.mkdir(parents=True, exist_ok=True)
    if kind == "a folder":
        place.mkdir()
    else:
        place.write_bytes(b'{"a": [' if kind == "damaged" else b"\xff\xfe\x00\x01")
    before = tree(home)
    done = typed(bridge("install-client", program, "--yes", "--vault", str(vault)))
    assert done.returncode == 1
    assert str(place) in done.stderr
    assert tree(home) == before
    assert json.loads(typed(bridge("clients", "list", "--json", "--vault", str(vault))).stdout) == []
