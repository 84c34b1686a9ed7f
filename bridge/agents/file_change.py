"""What happens to one file of the user's: shown as a diff, backed up beside it, and written in one step."""

import hashlib
import itertools
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bridge.agents.errors import ConfigurationRefused
from bridge.contract.consent import FilePreview
from bridge.vault.atomic import write_atomic
from bridge.vault.diff import unified_diff
from bridge.vault.folder import Folder
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
        """Whether anything happens at all."""
        return self.before != self.after

    @property
    def preview(self) -> FilePreview:
        """The change as a person sees it, with a unified diff."""
        path = str(self.file)
        old, new = None if self.before is None else path, None if self.after is None else path
        diff = unified_diff(self.before or b"", self.after or b"", old_path=old, new_path=new)
        return FilePreview(
            path=path,
            change="create" if old is None else "delete" if new is None else "modify",
            added=diff.added,
            removed=diff.removed,
            diff=diff.text,
            truncated=diff.truncated,
        )

    def apply(self, *, back_up: bool) -> Path | None:
        """Make the change; the file keeps its mode, and folders are made where they are missing.

        Args:
            back_up: Whether the bytes of before are kept beside the file.

        Returns:
            The backup, where one was made.

        Raises:
            ConfigurationRefused: The file is not as it was when the change was shown, or cannot be written.
        """
        try:
            if read(self.file) != self.before:
                raise ConfigurationRefused(f"{self.file} has just been changed by another program. Try again")
            if not self.changes:
                return None
            if self.after is None:
                self.file.unlink()
                return None
            self.file.parent.mkdir(parents=True, exist_ok=True)
            mode = stat.S_IMODE(self.file.stat().st_mode) if self.before is not None else _NEW_MODE
            with VaultRoot(self.file.parent) as root, root.folder(VaultPath.root()) as folder:
                backup = _back_up(folder, self.file.name, self.before, mode) if back_up else None
                write_atomic(folder, self.file.name, self.after, mode=mode)
        except OSError as error:
            raise ConfigurationRefused(f"{self.file} cannot be written: {error.strerror or error}") from None
        return None if backup is None else self.file.with_name(backup)


def real_file(file: Path) -> Path:
    """The file that is meant, where it is a link or lies behind one."""
    return Path(os.path.realpath(file))


def read(file: Path) -> bytes | None:
    """A file's bytes; None when there is none.

    Raises:
        ConfigurationRefused: It is no file, or too large.
        OSError: It cannot be read.
    """
    try:
        state = file.stat()
        if not stat.S_ISREG(state.st_mode) or state.st_size > MOST_BYTES:
            raise ConfigurationRefused(f"{file} is no configuration file")
        return file.read_bytes()
    except FileNotFoundError:
        return None


def digest(data: bytes | None) -> str:
    """A file's content as a hash; of a file that is not there, of nothing."""
    return "none" if data is None else f"sha256:{hashlib.sha256(data).hexdigest()}"


def _back_up(folder: Folder, name: str, data: bytes | None, mode: int) -> str | None:
    """Keep the old bytes under a name that is free; None when there are none."""
    if data is None:
        return None
    for number in itertools.count(1):
        backup = f"{name}.{number}.bak"
        if not folder.exists(backup):
            folder.create(backup, data, mode=mode, sync=True)
            return backup
    return None
