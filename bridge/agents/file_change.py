"""A change to one file of the user's: shown as a diff, backed up beside it, and written in one step."""

import hashlib
import itertools
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import BaseModel

from bridge.agents.machine import ConfigurationRefused
from bridge.contract.consent import FilePreview
from bridge.vault.diff import unified_diff
from bridge.vault.folder import Folder, write_atomic
from bridge.vault.paths import VaultPath
from bridge.vault.root import VaultRoot

_NEW_MODE: Final = 0o600
MOST_BYTES: Final = 64 * 1024 * 1024
"""A configuration file above this size is left alone."""


@dataclass(frozen=True, slots=True)
class FileChange:
    """A change to one file, not made yet.

    Attributes:
        file: The real file, links followed.
        before: Its bytes now; None when there is none.
        after: Its bytes then; None when it is removed.
    """

    file: Path
    before: bytes | None
    after: bytes | None

    @property
    def changes(self) -> bool:
        """Return whether the file changes at all."""
        return self.before != self.after

    @property
    def preview(self) -> FilePreview:
        """Return the change as a person sees it, with a unified diff."""
        path = str(self.file)
        old, new = None if self.before is None else path, None if self.after is None else path
        diff = unified_diff(self.before or b"", self.after or b"", old_path=old, new_path=new)
        change = "create" if old is None else "delete" if new is None else "modify"
        return FilePreview.of(diff, path=path, change=change, diff=diff.text)

    def apply(self, *, back_up: bool) -> Path | None:
        """Make the change; the file keeps its mode, and folders are made where they are missing.

        Args:
            back_up: Whether the former bytes are kept beside the file.

        Returns:
            The backup, where one was made.

        Raises:
            ConfigurationRefused: The file is not as it was when the change was shown, or cannot be written; then
                nothing is left of the attempt.
        """
        missing: list[Path] = []
        try:
            if _read(self.file) != self.before:
                raise ConfigurationRefused(f"{self.file} has just been changed by another program. Try again")
            if not self.changes:
                return None
            if self.after is None:
                self.file.unlink()
                return None
            missing = self.missing_folders()
            self.file.parent.mkdir(parents=True, exist_ok=True)
            mode = stat.S_IMODE(self.file.stat().st_mode) if self.before is not None else _NEW_MODE
            with VaultRoot(self.file.parent) as root, root.folder(VaultPath.root()) as folder:
                backup = keep_copy(folder, self.file.name, self.before, mode) if back_up else None
                try:
                    write_atomic(folder, self.file.name, self.after, mode=mode)
                except OSError:
                    if backup is not None:
                        folder.unlink(backup)
                    raise
        except OSError as error:
            remove_empty(missing)
            why = error.strerror or error
            raise ConfigurationRefused(
                f"{self.file} cannot be written: {why}. Look at its permissions and at the room on its disk, "
                "then run this again"
            ) from None
        return None if backup is None else self.file.with_name(backup)

    def missing_folders(self) -> list[Path]:
        """Return the folders that have to be made for the file, the innermost first."""
        return [folder for folder in self.file.parents if not os.access(folder, os.F_OK)]

    def take_back(self, backup: Path | None, made: Sequence[Path]) -> None:
        """Undo what `apply` did, unless another program has changed the file since.

        Args:
            backup: What `apply` returned.
            made: The folders that it made.
        """
        with suppress(OSError, ConfigurationRefused):
            if _read(self.file) == self.after:
                FileChange(self.file, self.after, self.before).apply(back_up=False)
                if backup is not None:
                    backup.unlink(missing_ok=True)
                remove_empty(made)


class Written(BaseModel):
    """One file, as it was left.

    Attributes:
        file: The file.
        written: The hash of its bytes.
        backup: The bytes of before; None when there were none.
        original: Their hash.
    """

    file: Path
    written: str
    backup: Path | None
    original: str

    @staticmethod
    def of(change: FileChange, backup: Path | None) -> "Written":
        """Return the file as a change leaves it."""
        return Written(file=change.file, written=digest(change.after), backup=backup, original=digest(change.before))

    def is_still(self, file: Path, data: bytes | None) -> bool:
        """Return whether a file is this one, and its bytes are still those that were left."""
        return self.file == file and digest(data) == self.written

    def former(self, otherwise: bytes | None) -> bytes | None:
        """Return the former bytes if they are still known for certain, else others. Raises ConfigurationRefused."""
        if self.original == digest(None):
            return None
        kept = read(self.backup) if self.backup is not None else None
        return kept if digest(kept) == self.original else otherwise


def remove_empty(folders: Sequence[Path]) -> None:
    """Remove those of some folders, the innermost first, in which nothing is."""
    for folder in folders:
        with suppress(OSError):  # never made, or somebody else has put something there
            folder.rmdir()


def real_file(file: Path) -> Path:
    """Return the real file, if a path is a link or leads through one."""
    return Path(os.path.realpath(file))


def read(file: Path) -> bytes | None:
    """Return a file's bytes; None when there is none.

    Raises:
        ConfigurationRefused: It is no file, too large, or cannot be read.
    """
    try:
        return _read(file)
    except OSError as error:
        raise ConfigurationRefused(f"{file} cannot be read: {error.strerror or error}") from None


def _read(file: Path) -> bytes | None:
    try:
        state = file.stat()
        if not stat.S_ISREG(state.st_mode) or state.st_size > MOST_BYTES:
            raise ConfigurationRefused(f"{file} is no configuration file. Move it away, then run this again")
        return file.read_bytes()
    except FileNotFoundError:
        return None


def find(file: Path) -> tuple[Path, bytes | None]:
    """Return the real file, and its bytes. Raises what `read` raises."""
    real = real_file(file)
    return real, read(real)


@contextmanager
def understanding(file: Path) -> Iterator[None]:
    """Name the file if its text cannot be understood. Raises ConfigurationRefused."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise ConfigurationRefused(f"{file} is not UTF-8 (at byte {error.start}). Nothing was changed") from None
    except ConfigurationRefused as refused:
        raise ConfigurationRefused(
            f"{file} cannot be understood: {refused}. Nothing was changed; correct the file, then try again"
        ) from None


def digest(data: bytes | None) -> str:
    """Return the hash of a file's content; for a missing file, the hash of nothing."""
    return "none" if data is None else f"sha256:{hashlib.sha256(data).hexdigest()}"


def keep_copy(folder: Folder, name: str, data: bytes | None, mode: int) -> str | None:
    """Keep a file's old bytes beside it, under a name that is free.

    Args:
        folder: The file's folder.
        name: The file's name.
        data: The bytes; None if there are none.
        mode: The mode of the copy.

    Returns:
        The name of the copy; None if there is none. Raises OSError; then nothing is left of it.
    """
    if data is None:
        return None
    names = (f"{name}.{number}.bak" for number in itertools.count(1))
    backup = next(free for free in names if not folder.exists(free))
    try:
        folder.create(backup, data, mode=mode, sync=True)
    except OSError:
        with suppress(FileNotFoundError):
            folder.unlink(backup)
        raise
    return backup
