"""The API keys of one vault: set, had, cleared, and sealed anew; the master keys; and the server that each is sent to.

An API key is sealed with AES-256-GCM (NIST SP 800-38D), its name and its server as associated data. It then reads
`v1:ID:DATA`. ID names the master key; DATA is base64 of the nonce of 96 random bits, the ciphertext and the tag. The
name and the server are authenticated, so a sealed key that is copied to another name, or that somebody wants sent to
another server, does not open.

A master key is in the system's keyring, or where there is none, in a file for this user's eyes outside the vault. Each
has an id, which what was sealed with it names. So a vault that was synced to a machine without its master key is
recognised, and never opened with, or given, another one by accident.

The keyring may ask the person to unlock it and may never answer. Each call of it runs in a thread of its own, which is
a daemon: one that hangs in a dialogue holds up neither the bridge nor its end. While one hangs, no other is begun.
"""

import base64
import binascii
import contextlib
import re
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from concurrent.futures import Future
from dataclasses import KW_ONLY, dataclass
from typing import Any, Final, NamedTuple, TypeVar
from urllib.parse import quote, urlsplit

from bridge.contract.keys import KeptIn, KeyStatus, Provider
from bridge.errors import BridgeError, ExecutionFailed, InvalidParameters, NotFound
from bridge.records.folder import RecordFolder
from bridge.settings.store import SettingsStore

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
        f"The system's keyring fails ({type(error).__name__}), and the master key of the API keys belongs in it. "
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
            with self._place() as folder:
                folder.write(f"{named}{_SUFFIX}", text.encode("ascii"))
        return named, secret

    def remove(self, named: str) -> None:
        """Take a master key away for good: what was sealed with it cannot be opened any more, in any copy.

        Raises:
            KeyFault: The keyring cannot be asked.
        """
        if self._file(named) is not None:
            with self._place() as folder:
                folder.remove(f"{named}{_SUFFIX}")
        else:
            with contextlib.suppress(NoKeyring):
                self._keyring.remove(named)

    def _file(self, named: str) -> str | None:
        with self._place() as folder:
            data = folder.read(f"{named}{_SUFFIX}")
        return None if data is None else data.decode("ascii", "replace").strip()

    @contextlib.contextmanager
    def _place(self) -> Iterator[RecordFolder]:
        """Provide the folder of the files. Raises KeyFault where it cannot be used."""
        try:
            yield self._folder()
        except (BridgeError, OSError) as error:
            why = getattr(error, "strerror", None) or error
            raise KeyFault(f"The folder for master keys cannot be used: {why}", code="folder_unusable") from None


BRAVE: Final = "https://api.search.brave.com"
GOOGLE: Final = "https://www.googleapis.com"

_PORTS: Final = {"http": 80, "https": 443}


def key_server(provider: Provider, *, ollama: str) -> str:
    """Return the server that a provider's key is sent to, as scheme, host and port.

    Args:
        provider: The provider.
        ollama: The address of Ollama, as it is set.
    """
    return origin({Provider.OLLAMA: ollama, Provider.BRAVE: BRAVE, Provider.GOOGLE: GOOGLE}[provider])


def origin(address: str) -> str:
    """Return the scheme, host and port of a URL in one spelling (RFC 6454, 6.2).

    Raises:
        ValueError: The URL has no host or no such scheme.
    """
    parts = urlsplit(address)
    host, standard = parts.hostname, _PORTS.get(parts.scheme)
    if not host or standard is None:
        raise ValueError("this is no address of a server")
    shown = f"[{host}]" if ":" in host else host
    port = parts.port or standard
    return f"{parts.scheme}://{shown}" + ("" if port == standard else f":{port}")


SHORTEST_KEY: Final = 8
"""Characters. A shorter one would be taken for a key in any text that holds it."""
LONGEST_KEY: Final = 4096

TITLES: Final = {Provider.OLLAMA: "Ollama", Provider.BRAVE: "Brave Search", Provider.GOOGLE: "Google"}
"""The names, for people, of the services that want a key."""


@dataclass(eq=False, repr=False)
class KeyStore:
    """The keys. Blocks, as the system's keyring does; may be used from several threads.

    Args:
        settings: They lie in them, sealed, and the servers that they are for are set there.
        masters: The master keys.
        learned: Called with each key in the clear, before anybody has it, so that no log can show it.
        changed: Called after a key was set, cleared or sealed anew.
    """

    settings: SettingsStore
    masters: MasterKeys
    _: KW_ONLY
    learned: Callable[[str], None]
    changed: Callable[[], object] = lambda: None

    def __post_init__(self) -> None:
        self._lock = threading.RLock()

    def has(self, provider: Provider) -> bool:
        """Return whether a key is set, without checking that it opens: does not block."""
        return provider.value in self._sealed()

    def get(self, provider: Provider, server: str) -> str:
        """Return the key, in the clear.

        Args:
            provider: The provider of the key.
            server: Where it is about to be sent, as `servers.origin` spells it.

        Raises:
            NotFound: None is set.
            KeyFault: It cannot be opened here, or was set for another server.
        """
        with self._lock:
            sealed = self._sealed().get(provider.value)
            if sealed is None:
                how = f"The user can set one with `vault-bridge keys set {provider.value}`, or in Obsidian"
                raise NotFound(f"There is no API key for {TITLES[provider]}. {how}")
            return self._open(provider, sealed, server)[0]

    def set(self, provider: Provider, key: str, by: str | None = None) -> KeyStatus:
        """Keep a key, in place of the present one.

        A master key is made only where the vault has no sealed key yet.

        Args:
            provider: The provider of the key.
            key: The key. White space around it is not part of it.
            by: The name of the host that asks, for the log.

        Raises:
            InvalidParameters: It is empty, too long, or cannot be sent in a header.
            KeyFault: It cannot be sealed; nothing has changed.
        """
        key = key.strip()
        if not SHORTEST_KEY <= len(key) <= LONGEST_KEY or not key.isascii() or not key.isprintable() or " " in key:
            raise InvalidParameters(
                f"An API key has {SHORTEST_KEY} to {LONGEST_KEY:,} printable characters of ASCII and no spaces"
            )
        self._learn(key)
        with self._lock:
            before = self._sealed()
            master = self._master(before)
            after = before | {provider.value: seal(key, self._label(provider), master)}
            self._replace(before, after, by)
            return self.status(provider)

    def clear(self, provider: Provider, by: str | None = None) -> KeyStatus:
        """Forget a key, also one that does not open. With the last key of a master key, that goes too.

        Raises:
            KeyFault: The keyring does not give the master key up. The key is forgotten all the same.
        """
        with self._lock:
            before = self._sealed()
            if provider.value in before:
                self._replace(before, {name: one for name, one in before.items() if name != provider.value}, by)
            return self.status(provider)

    def rotate(self, by: str | None = None) -> list[KeyStatus]:
        """Make a new master key, seal all keys with it, and remove the old one.

        Raises:
            NotFound: There is no key.
            KeyFault: One of the keys does not open, or the new master key cannot be kept; nothing has changed. Or the
                old one cannot be removed; then it has.
        """
        with self._lock:
            before = self._sealed()
            held = [provider for provider in Provider if provider.value in before]
            if not held:
                raise NotFound("There is no API key to encrypt again")
            opened = {one: self._open(one, before[one.value], self._server(one))[0] for one in held}
            master = self.masters.make()
            sealed = {one.value: seal(key, self._label(one), master) for one, key in opened.items()}
            self._replace(before, before | sealed, by)
            return self.all()

    def all(self, *, opened: bool = True) -> list[KeyStatus]:
        """Return the state of each provider's key.

        Args:
            opened: Whether to try to open them; without, nothing blocks.
        """
        return [self.status(provider, opened=opened) for provider in Provider]

    def status(self, provider: Provider, *, opened: bool = True) -> KeyStatus:
        """Return the state of a key: whether it is set and, if it is to be opened, the result of that."""
        server, sealed = self._server(provider), self._sealed().get(provider.value)
        status = KeyStatus(provider=provider, title=TITLES[provider], server=server, is_set=sealed is not None)
        if sealed is None or not opened:
            return status
        try:
            with self._lock:
                return status.model_copy(update={"kept_in": self._open(provider, sealed, server)[1]})
        except KeyFault as fault:
            return status.model_copy(update={"fault": fault.message})

    def _sealed(self) -> dict[str, str]:
        return self.settings.current.encrypted_keys

    def _server(self, provider: Provider) -> str:
        return key_server(provider, ollama=self.settings.current.ollama_web_search_endpoint)

    def _open(self, provider: Provider, sealed: str, server: str) -> tuple[str, KeptIn]:
        """Return a key in the clear, and where its master key is."""
        named = master_id(sealed)
        if named is None:
            raise self._damaged(provider)
        secret, kept_in = self.masters.find(named)
        try:
            key = unseal(sealed, Label(provider.value, server), secret)
        except DoesNotOpen:
            raise self._damaged(provider) from None
        self._learn(key)
        return key, kept_in

    def _learn(self, key: str) -> None:
        """Have the key hidden wherever it turns up, as it is and as it stands in a URL."""
        for form in {key, quote(key, safe="")}:
            self.learned(form)

    def _master(self, kept: Mapping[str, str]) -> tuple[str, bytes]:
        """Return the master key for a new key: the one that the others have, or a new one where there are no others."""
        named = sorted(_ids(kept))
        for at, one in enumerate(named, 1):
            try:
                return one, self.masters.find(one)[0]
            except KeyFault:
                if at == len(named):
                    raise
        return self.masters.make()

    def _replace(self, before: Mapping[str, str], after: Mapping[str, str], by: str | None) -> None:
        """Store keys, and remove the master keys that are then of no use, whether it succeeded or not."""
        try:
            self.settings.store_keys(after, by=by)
        except BaseException:
            self._drop(_ids(after) - _ids(before))
            raise
        self.changed()
        self._drop(_ids(before) - _ids(after))

    def _drop(self, unused: AbstractSet[str]) -> None:
        for named in unused:
            self.masters.remove(named)

    def _label(self, provider: Provider) -> Label:
        return Label(provider.value, self._server(provider))

    def _damaged(self, provider: Provider) -> KeyFault:
        return KeyFault(
            f"The API key for {TITLES[provider]} does not open: the address that it was set for "
            f"({self._server(provider)} is set now), its master key or the key itself was changed. A key is sent to "
            f"no other server than the one it was set for. Set it again: `vault-bridge keys set {provider.value}`",
            code="key_damaged",
        )


def _ids(keys: Mapping[str, str]) -> AbstractSet[str]:
    """Return the ids of the master keys that these were sealed with."""
    return {named for sealed in keys.values() if (named := master_id(sealed)) is not None}
