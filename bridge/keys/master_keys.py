"""Master keys: in the system's keyring, or where there is none, in files for this user's eyes outside the vault.

Each has an id, which what was sealed with it names. So a vault that was synced to a machine without its master key
is recognised, and never opened with, or given, another one by accident.
"""

import base64
import binascii
from collections.abc import Callable
from typing import Final

from bridge.contract.keys import KeptIn
from bridge.errors import BridgeError
from bridge.keys.faults import KeyFault
from bridge.keys.sealing import MASTER_BYTES, new_master
from bridge.keys.system_keyring import NoKeyring, SystemKeyring
from bridge.records.folder import RecordFolder

_SUFFIX: Final = ".key"


class MasterKeys:
    """The master keys: found, made and removed here. Blocks.

    Args:
        folder: Returns the folder of the files, making it when it is missing.
        keyring: The system's keyring.
    """

    def __init__(self, folder: Callable[[], RecordFolder], keyring: SystemKeyring) -> None:
        self._folder = folder
        self._keyring = keyring

    def find(self, named: str) -> tuple[bytes, KeptIn]:
        """Return a master key and where it is kept.

        Args:
            named: Its id.

        Raises:
            KeyFault: It is nowhere on this machine, is damaged, or the keyring cannot be asked.
        """
        kept, place = self._file(named), KeptIn.FILE
        if kept is None:
            kept, place = self._in_keyring(named), KeptIn.KEYRING
        if kept is None:
            raise KeyFault(
                "The API keys of this vault were stored on another machine or by another user, or their master key "
                "was removed: it is not on this machine. Clear them (`vault-bridge keys clear NAME`) and set them "
                "again; in a synced vault the other machines then need them again too",
                code="master_key_missing",
            )
        try:
            secret = base64.b64decode(kept, validate=True)
        except binascii.Error:
            secret = b""
        if len(secret) != MASTER_BYTES:
            raise KeyFault(
                f"The master key {named} in the {place.value} is damaged. Clear the API keys "
                "(`vault-bridge keys clear NAME`) and set them again",
                code="key_damaged",
            )
        return secret, place

    def make(self) -> tuple[str, bytes]:
        """Make and keep a new master key; return its id and the key.

        Raises:
            KeyFault: It cannot be kept. A keyring that is there and fails is no reason to use a file.
        """
        named, secret = new_master()
        text = base64.b64encode(secret).decode("ascii")
        try:
            self._keyring.set(named, text)
        except NoKeyring:
            self._write(named, text)
        return named, secret

    def remove(self, named: str) -> None:
        """Take a master key away for good: what was sealed with it cannot be opened any more, in any copy.

        Raises:
            KeyFault: The keyring cannot be asked.
        """
        if self._file(named) is not None:
            self._place().remove(f"{named}{_SUFFIX}")
            return
        try:
            self._keyring.remove(named)
        except NoKeyring:
            return

    def _in_keyring(self, named: str) -> str | None:
        try:
            return self._keyring.get(named)
        except NoKeyring:
            return None

    def _file(self, named: str) -> str | None:
        try:
            data = self._place().read(f"{named}{_SUFFIX}")
        except OSError as error:
            raise _unusable(error.strerror or str(error)) from None
        return None if data is None else data.decode("ascii", "replace").strip()

    def _write(self, named: str, text: str) -> None:
        try:
            self._place().write(f"{named}{_SUFFIX}", text.encode("ascii"))
        except OSError as error:
            raise _unusable(error.strerror or str(error)) from None

    def _place(self) -> RecordFolder:
        try:
            return self._folder()
        except BridgeError as error:
            raise _unusable(str(error)) from None


def _unusable(why: str) -> KeyFault:
    return KeyFault(f"The folder for master keys cannot be used: {why}", code="folder_unusable")
