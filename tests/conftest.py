"""What every test may use: a small vault, and copies of real vaults, if there are any."""

import gc
import os
import shutil
import signal
import tarfile
import warnings
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, suppress
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from bridge.clock import SystemClock
from bridge.index import vault_index
from bridge.index.vault_index import VaultIndex
from bridge.journal import trash_step
from bridge.toolkit import handing_in
from bridge.vault.files import VaultFiles
from bridge.vault.root import VaultRoot
from tests.patience import PATIENCE
from tests.real_data import REAL_VAULTS

# How long an example takes says more about the machine's other work than about the code, so no time limits.
settings.register_profile("tests", deadline=None, suppress_health_check=[HealthCheck.too_slow])
# Continuous integration tries the same examples every time: what fails there fails again here.
settings.register_profile("ci", settings.get_profile("tests"), derandomize=True, database=None, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "tests")


def pytest_configure() -> None:
    """Let tests press Ctrl-C: what a shell runs in the background ignores SIGINT, and so would every child."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage among thousands of tests, which live as long as the process: not now, and not later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What waits for minutes comes first, so that nothing else has ended long before it."""
    items.sort(key=lambda item: item.get_closest_marker("minutes") is None)


_MOST_FILES = 400
"""Open files from which on garbage is looked for: many systems allow 1,024."""
_files = {"allowed": _MOST_FILES}


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """Look for garbage where it holds many files: a bridge that a test starts has all that is there taken for kept."""
    if _open_files() > _files["allowed"]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)  # of whichever test it was, and not of this one
            gc.unfreeze()
            gc.collect()
            gc.freeze()
        _files["allowed"] = _open_files() + _MOST_FILES


def _open_files() -> int:
    """Return how many files this process has open; 0 where the system does not say."""
    with suppress(OSError):
        return sum(1 for _ in Path("/proc/self/fd").iterdir())
    return 0


@pytest.fixture(scope="session")
def new_folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    """Makes an empty folder each time.

    pytest's own `mktemp` looks through all folders of the run for the next number. With thousands of tests, each of
    which needs some, that takes longer than most tests.
    """
    place = tmp_path_factory.mktemp("each")
    numbers = count()

    def new_folder() -> Path:
        folder = place / str(next(numbers))
        folder.mkdir(mode=0o700)
        return folder

    return new_folder


@pytest.fixture(autouse=True)
def _own_state(new_folder: Callable[[], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """No test touches the user's own run folders, tokens and keyring, or draws for the size of its own terminal."""
    monkeypatch.setenv("VAULT_BRIDGE_STATE", str(new_folder()))
    monkeypatch.setenv("VAULT_BRIDGE_CONFIG", str(new_folder()))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    for name in ("VAULT_BRIDGE_VAULT", "COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def configuration(_own_state: None) -> Path:
    """The user's folder for what holds for all vaults: tools of one's own, other servers, tokens."""
    return Path(os.environ["VAULT_BRIDGE_CONFIG"])


@pytest.fixture(autouse=True)
def trashed(new_folder: Callable[[], Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test puts anything into the user's own trash: the system's trash is this folder."""
    folder = new_folder()
    monkeypatch.setenv("XDG_DATA_HOME", str(folder))  # for bridges in processes of their own
    monkeypatch.setattr(trash_step, "send2trash", lambda path: shutil.move(path, folder))
    return folder


@pytest.fixture(autouse=True)
def _quiet_desktop(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test puts a notification on the user's own desktop."""
    monkeypatch.setattr(handing_in, "system_command", lambda: None)
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)  # for bridges in processes of their own


@pytest.fixture(autouse=True)
def _patient_index(monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy the machine is: while the index of a small vault is first built, answers wait for it."""
    monkeypatch.setattr(vault_index, "BUILD_SECONDS", PATIENCE)
    monkeypatch.setattr(vault_index, "NAMES_SECONDS", PATIENCE)


@pytest.fixture
def home(new_folder: Callable[[], Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home of the user's, on every system."""
    folder = new_folder().resolve()
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(folder))
    for name in ("XDG_CONFIG_HOME", "APPDATA", "LOCALAPPDATA", "CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A vault of a few notes, with line endings of both kinds."""
    folder = tmp_path / "Vault"
    (folder / ".obsidian").mkdir(parents=True)
    (folder / ".obsidian" / "app.json").write_text("{}", encoding="utf-8")
    (folder / "Notes").mkdir()
    (folder / "Notes" / "Meeting.md").write_bytes(b"# Meeting\n\n- TODO: call Ada\n- done: tea\n")
    (folder / "Notes" / "Windows.md").write_bytes(b"# Windows\r\n\r\nTODO: ship\r\n")
    (folder / "Ideas.md").write_bytes(b"# Ideas\n\n## Old Section\n\nOld content here.\n")
    return folder


@pytest.fixture
def indexed() -> Iterator[Callable[[Path], VaultIndex]]:
    """Makes the index of a folder, in memory, which compares the disk before each answer."""
    with ExitStack() as stack:

        def indexed(folder: Path) -> VaultIndex:
            root = stack.enter_context(VaultRoot(folder))
            index = VaultIndex(VaultFiles(root), SystemClock(), stale=0)
            stack.callback(index.close)
            index.unwatched()
            return index

        yield indexed


def _real_vault(name: str, into: Path) -> Path:
    """A writable copy of a real vault."""
    source = REAL_VAULTS / name
    if source.is_dir():
        shutil.copytree(source, into)
        for folder, _, files in os.walk(into):
            Path(folder).chmod(0o755)
            for file in files:
                (Path(folder) / file).chmod(0o644)
        return into
    archive = REAL_VAULTS / f"{name}.tar.gz"
    if archive.is_file():
        with tarfile.open(archive) as tar:
            tar.extractall(into, filter="data")
        return next(path for path in into.iterdir() if path.is_dir())
    pytest.skip(f"the real vault {name!r} is not on this machine (set VAULT_BRIDGE_TEST_VAULTS)")


@pytest.fixture(params=["kepano", "britannica-1k"])
def real_vault(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A writable copy of each real vault there is."""
    return _real_vault(request.param, tmp_path / request.param)


@pytest.fixture
def real_notes(tmp_path: Path) -> Path:
    """The notes of all real vaults in one vault."""
    folder = _real_vault("britannica-1k", tmp_path / "all")
    shutil.copytree(_real_vault("kepano", tmp_path / "kepano"), folder, dirs_exist_ok=True)
    return folder
