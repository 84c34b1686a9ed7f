"""The API keys of one vault: set, had, cleared, and sealed anew; and the server that each is sent to."""

import threading
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import KW_ONLY, dataclass
from typing import Final
from urllib.parse import quote, urlsplit

from bridge.contract.keys import KeptIn, KeyStatus, Provider
from bridge.errors import InvalidParameters, NotFound
from bridge.keys.master_keys import DoesNotOpen, KeyFault, Label, MasterKeys, master_id, seal, unseal
from bridge.settings.store import SettingsStore

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
                raise NotFound(
                    f"There is no API key for {TITLES[provider]}. The user can set one with "
                    f"`vault-bridge keys set {provider.value}`, or in Obsidian"
                )
            return self._open(provider, sealed, server)[0]

    def set(self, provider: Provider, key: str, by: str | None = None) -> KeyStatus:
        """Keep a key, in the place of the one there is.

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
                raise NotFound("There is no API key that could be encrypted anew")
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
