"""The system's keyring, which may ask the person to unlock it and may never answer.

Each call runs in a thread of its own, which is a daemon: one that hangs in a dialogue holds up neither the bridge nor
its end. While one hangs, no further one is begun.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Final, TypeVar

from bridge.keys.faults import KeyFault

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
