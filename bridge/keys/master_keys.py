"""Master keys, and the API keys that are sealed with them.

A master key is in the system's keyring, or where there is none, in a file for this user's eyes outside the vault. Each
has an id, which what was sealed with it names. So a vault that was synced to a machine without its master key is
recognised, and never opened with, or given, another one by accident.

An API key is sealed with AES-256-GCM (NIST SP 800-38D), its name and its server as associated data. It then reads
`v1:ID:DATA`. ID names the master key; DATA is base64 of the nonce of 96 random bits, the ciphertext and the tag. The
name and the server are authenticated, so a sealed key that is copied to another name, or that somebody wants sent to
another server, does not open.

The keyring may ask the person to unlock it and may never answer. Each call of it runs in a thread of its own, which is
a daemon: one that hangs in a dialogue holds up neither the bridge nor its end. While one hangs, no other is begun.
"""

import base64
import binascii
import contextlib
import re
import secrets
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Final, NamedTuple, TypeVar

from bridge.contract.keys import KeptIn
from bridge.errors import BridgeError, ExecutionFailed
from bridge.records.folder import RecordFolder

MASTER_BYTES: Final = 32
"""Of a master key: AES-256."""
_NONCE_BYTES: Final = 12
_SEALED: Final = re.compile(r"v1:([0-9a-f]{16}):([A-Za-z0-9+/]+={0,2})")


class DoesNotOpen(ValueError):
    """The master key is another one, or what was sealed, its name or its server was changed."""


class Label(NamedTuple):
    """The data that a sealed key is bound to.

    Attributes:
        name: The provider of the key.
        server: The scheme, host and port that it is sent to.
    """

    name: str
    server: str

    def to_bytes(self) -> bytes:
        """Return the associated data. No part can hold the NUL between them."""
        return b"\0".join(part.encode() for part in ("vault-bridge key", self.name, self.server))


def new_master() -> tuple[str, bytes]:
    """Return a new master key: its id, which tells nothing about it, and the key."""
    return secrets.token_hex(8), secrets.token_bytes(MASTER_BYTES)


def master_id(sealed: str) -> str | None:
    """Return the id of the master key that a key was sealed with; None when this is no sealed key."""
    found = _SEALED.fullmatch(sealed)
    return found[1] if found else None


def seal(key: str, label: Label, master: tuple[str, bytes]) -> str:
    """Encrypt a key.

    Args:
        key: The key.
        label: What it is bound to.
        master: The master key and its id.
    """
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - slow to import, and few vaults have keys

    named, secret = master
    nonce = secrets.token_bytes(_NONCE_BYTES)
    data = nonce + AESGCM(secret).encrypt(nonce, key.encode(), label.to_bytes())
    return f"v1:{named}:{base64.b64encode(data).decode('ascii')}"


def unseal(sealed: str, label: Label, secret: bytes) -> str:
    """Decrypt a key.

    Args:
        sealed: As `seal` made it.
        label: What it was bound to.
        secret: The master key.

    Raises:
        DoesNotOpen: It is not that key, or not as it was made.
    """
    from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - slow to import, and few vaults have keys
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - the same

    found = _SEALED.fullmatch(sealed)
    if found is None:
        raise DoesNotOpen
    try:
        data = base64.b64decode(found[2], validate=True)
        return AESGCM(secret).decrypt(data[:_NONCE_BYTES], data[_NONCE_BYTES:], label.to_bytes()).decode()
    except (InvalidTag, binascii.Error, ValueError):
        raise DoesNotOpen from None


class KeyFault(ExecutionFailed):
    """A key cannot be had or kept.

    Codes: keyring_locked, keyring_silent, keyring_failed, master_key_missing, key_damaged, other_server,
    folder_unusable.
    """


SERVICE: Final = "vault-bridge keys"
"""The name under which the keyring files our master keys."""
PATIENCE_SECONDS: Final = 20.0
"""The time a person may take to unlock it."""

T = TypeVar("T")


class NoKeyring(Exception):
    """This system has no keyring that works here."""


class SystemKeyring:
    """The system's keyring with our master keys. Blocks; may be used from several threads.

    Args:
        load: Loads the keyring. Raises NoKeyring where there is none.
        patience: Seconds until a call counts as hanging.
    """

    def __init__(self, load: Callable[[], Any] | None = None, *, patience: float = PATIENCE_SECONDS) -> None:
        self._load = load or _load
        self._patience = patience
        self._lock = threading.Lock()
        self._hanging: threading.Thread | None = None

    def get(self, account: str) -> str | None:
        """Return the secret kept there; None when there is none.

        Raises:
            NoKeyring: This system has none.
            KeyFault: It is locked, does not answer, or fails.
        """
        found: str | None = self._call(lambda keyring: keyring.get_password(SERVICE, account))
        return found

    def set(self, account: str, secret: str) -> None:
        """Keep something there. Raises what `get` raises."""
        self._call(lambda keyring: keyring.set_password(SERVICE, account, secret))

    def remove(self, account: str) -> None:
        """Take away what is kept there, if anything is. Raises what `get` raises."""

        def remove(keyring: Any) -> None:
            if keyring.get_password(SERVICE, account) is not None:
                keyring.delete_password(SERVICE, account)

        self._call(remove)

    def _call(self, work: Callable[[Any], T]) -> T:
        outcome: Future[T] = Future()

        def run() -> None:
            try:
                outcome.set_result(self._work(work))
            except BaseException as error:  # noqa: BLE001 - it is raised again in the thread that asked
                outcome.set_exception(error)

        with self._lock:
            if self._hanging is not None and self._hanging.is_alive():
                raise _silent()
            self._hanging = threading.Thread(target=run, name="keyring", daemon=True)
            self._hanging.start()
            try:
                return outcome.result(self._patience)
            except TimeoutError:
                raise _silent() from None

    def _work(self, work: Callable[[Any], T]) -> T:
        keyring = self._load()
        try:
            return work(keyring)
        except Exception as error:  # noqa: BLE001 - what a keyring raises depends on the system, not only on the library
            raise _fault(error) from None


def _load() -> Any:
    from bridge.client.errors import KeyringUnavailable  # noqa: PLC0415 - heavy, and needed by few
    from bridge.client.token_storage import load_keyring  # noqa: PLC0415 - the same

    try:
        return load_keyring()[0]
    except KeyringUnavailable:
        raise NoKeyring from None


def _fault(error: Exception) -> Exception:
    """Translate the keyring's error. Its own text is not passed on: it may quote what it was given."""
    from keyring.errors import InitError, KeyringLocked, NoKeyringError  # noqa: PLC0415 - heavy, and needed by few

    if isinstance(error, NoKeyringError | InitError):
        return NoKeyring()
    if isinstance(error, KeyringLocked):
        return KeyFault(
            "The system's keyring is locked, and the master key of the API keys is in it. Unlock it, then try again",
            code="keyring_locked",
        )
    return KeyFault(
        f"The system's keyring fails ({type(error).__name__}), and the master key of the API keys belongs into it. "
        "Repair it, then try again",
        code="keyring_failed",
    )


def _silent() -> KeyFault:
    return KeyFault(
        "The system's keyring does not answer; it may be waiting for you to unlock it. Unlock it, then try again",
        code="keyring_silent",
    )


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
            with contextlib.suppress(NoKeyring):
                kept, place = self._keyring.get(named), KeptIn.KEYRING
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
        with contextlib.suppress(NoKeyring):
            self._keyring.remove(named)

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
