"""The bridge's own folders outside the vault, for this user only: what a client needs to connect, and the cache."""

import contextlib
import hashlib
import logging
import os
import secrets
import stat
from pathlib import Path
from typing import Final, Protocol

import platformdirs

from bridge.errors import StartError

STATE_VARIABLE: Final = "VAULT_BRIDGE_STATE"
"""Names another folder for the user's state."""


def place(vault: Path, state: Path | None = None, *, kind: str = "run") -> Path:
    """Return where a vault's folder lies, whether it is there or not. The arguments are `RunFolder`'s."""
    name = hashlib.sha256(os.fsencode(os.path.normcase(vault))).hexdigest()[:16]
    return (state or state_folder()).absolute() / kind / name


def state_folder() -> Path:
    """Return where the user's state lies on this system, or where the environment says."""
    return Path(os.environ.get(STATE_VARIABLE) or platformdirs.user_state_path("vault-bridge"))


class RecordFolder(Protocol):
    """A folder of the user's, outside the vault, which nobody else can look into."""

    def read(self, name: str) -> bytes | None:
        """Return the content of a file; None if there is none. Raise OSError if it cannot be read."""
        ...

    def write(self, name: str, data: bytes) -> None:
        """Replace a file as a whole. Raise OSError if that fails; the older file is still there then."""
        ...

    def names(self) -> list[str]:
        """Return the names of the files."""
        ...

    def remove(self, *names: str) -> None:
        """Remove files that are there."""
        ...


class MemoryFolder:
    """A folder that keeps files for as long as this process lives."""

    def __init__(self) -> None:
        self._files: dict[str, bytes] = {}

    def read(self, name: str) -> bytes | None:
        """Return what was written."""
        return self._files.get(name)

    def write(self, name: str, data: bytes) -> None:
        """Keep it."""
        self._files[name] = data

    def names(self) -> list[str]:
        """Return the names of the files."""
        return sorted(self._files)

    def remove(self, *names: str) -> None:
        """Forget what was written."""
        for name in names:
            self._files.pop(name, None)


class UserFolder:
    """A folder of the user's, two below the state folder, which nobody else can look into. Made when missing.

    Args:
        path: Its path.
        durable: Whether what is written is on the disk before it takes its name.
        above: Whether the folder that it is in is ours, too.

    Raises:
        StartError: The folder is a link, belongs to somebody else, or cannot be made.
    """

    def __init__(self, path: Path, *, durable: bool = False, above: bool = True) -> None:
        self.path = path
        self._durable = durable
        try:
            self.path.parent.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if above:
                _private(self.path.parent)
            else:
                self.path.parent.mkdir(exist_ok=True)
            _private(self.path)
        except OSError as error:
            raise StartError(
                f"The folder for the bridge's tokens cannot be used: {self.path}: {error.strerror}",
                hint=f"Make it usable, or name another with {STATE_VARIABLE}.",
            ) from None

    def write(self, name: str, data: bytes) -> None:
        """Replace a file as a whole, for this user's eyes only.

        Raises:
            OSError: The disk is full or failed; the older file is still there.
        """
        temporary = self.path / f".{name}.{secrets.token_hex(4)}.tmp"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        try:
            with os.fdopen(os.open(temporary, flags, 0o600), "wb") as file:
                file.write(data)
                if self._durable:
                    file.flush()
                    os.fsync(file.fileno())
            temporary.replace(self.path / name)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise

    def read(self, name: str) -> bytes | None:
        """Return the content of a file, or None when there is none. Raises OSError when it cannot be read."""
        with contextlib.suppress(FileNotFoundError):
            return (self.path / name).read_bytes()
        return None

    def names(self) -> list[str]:
        """Return the names of the files there, but for what is half written."""
        return sorted(file.name for file in self.path.iterdir() if not file.name.startswith("."))

    def remove(self, *names: str) -> None:
        """Remove files that are there."""
        for name in names:
            (self.path / name).unlink(missing_ok=True)

    def sweep(self) -> None:
        """Remove what a bridge that was killed left half written."""
        for left in self.path.glob(".*.tmp"):
            left.unlink(missing_ok=True)


class RunFolder(UserFolder):
    """The folder of one vault's bridge.

    Args:
        vault: The vault's real path; its hash names the folder.
        state: The user's state folder; by default the system's, or what the environment says.
        kind: What is kept there: `run` goes with the bridge, others stay.
        durable: Whether what is written is on the disk before it takes its name.

    Raises:
        StartError: The folder is a link, belongs to somebody else, or cannot be made.
    """

    def __init__(self, vault: Path, state: Path | None = None, *, kind: str = "run", durable: bool = False) -> None:
        super().__init__(place(vault, state, kind=kind), durable=durable)
        self.vault = vault


def _private(folder: Path) -> None:
    """Make sure of a real folder that is ours and that nobody else can look into."""
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    state = folder.lstat()
    if not stat.S_ISDIR(state.st_mode):
        raise StartError(
            f"{folder} is a link or a file where the bridge needs a folder of its own",
            hint="Remove it; tokens are not written where another program chose the place.",
        )
    if hasattr(os, "geteuid"):
        if state.st_uid != os.geteuid():
            raise StartError(f"{folder} belongs to another user", hint=f"Name another with {STATE_VARIABLE}.")
        if stat.S_IMODE(state.st_mode) != stat.S_IRWXU:
            folder.chmod(stat.S_IRWXU)


logger = logging.getLogger(__name__)


def cache_place(vault: Path) -> Path:
    """Return where the folder of the index is, whether it is there or not.

    Args:
        vault: The vault's real path; its hash names the folder.
    """
    state = os.environ.get(STATE_VARIABLE)
    return place(vault, Path(state) if state else platformdirs.user_cache_path("vault-bridge"), kind="cache")


def cache_folder(vault: Path) -> Path | None:
    """Return the folder of the index, for this user only, made when missing; None when it cannot be used.

    Args:
        vault: The vault's real path.
    """
    try:
        return UserFolder(cache_place(vault)).path
    except StartError as error:
        logger.warning("The index cannot be kept: %s", error)
        return None
