"""A user's machine: a keyring in memory that can be locked, hang and fail, and a folder."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import keyring.errors

from bridge.keys.store import KeyStore, MasterKeys, NoKeyring, SystemKeyring
from bridge.records.folder import UserFolder
from bridge.settings.store import SettingsStore

if TYPE_CHECKING:
    import threading


class Ring:
    """A keyring in memory; `fault` is raised at each use, and `held` waited for."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}
        self.fault: Exception | None = None
        self.held: threading.Event | None = None
        self.uses = 0

    def _use(self) -> None:
        self.uses += 1
        if self.held is not None:
            self.held.wait()
        if self.fault is not None:
            raise self.fault

    def get_password(self, service: str, account: str) -> str | None:
        self._use()
        return self.kept.get((service, account))

    def set_password(self, service: str, account: str, secret: str) -> None:
        self._use()
        self.kept[service, account] = secret

    def delete_password(self, service: str, account: str) -> None:
        self._use()
        if self.kept.pop((service, account), None) is None:
            raise keyring.errors.PasswordDeleteError("there is none")


class Machine:
    """One user's machine: its keyring, if it has one, and its folder for master keys.

    Args:
        folder: Where its files lie.
        ring: Its keyring; None: it has none.
    """

    def __init__(self, folder: Path, ring: Ring | None) -> None:
        self.folder = folder
        self.ring = ring
        self.learned: list[str] = []
        self.changes = 0

    def keyring(self, patience: float = 30) -> SystemKeyring:
        def load() -> Any:
            if self.ring is None:
                raise NoKeyring
            return self.ring

        return SystemKeyring(load, patience=patience)

    def masters(self, patience: float = 30) -> MasterKeys:
        return MasterKeys(lambda: UserFolder(self.folder / "keys", durable=True), self.keyring(patience))

    def keys(self, settings: SettingsStore, patience: float = 30) -> KeyStore:
        def changed() -> None:
            self.changes += 1

        return KeyStore(settings, self.masters(patience), learned=self.learned.append, changed=changed)
