"""What the log's chain hangs on, kept in the user's own state and not in the vault: the key, and the last head."""

import contextlib
import secrets
from typing import Final, Protocol

import orjson

from bridge.audit.chain import Chain, Head, head_from

KEY_FILE: Final = "audit.key"
HEAD_FILE: Final = "audit.head"
_KEY_BYTES = 32


class Keep(Protocol):
    """A folder of the user's, outside the vault, that nobody else can look into."""

    def read(self, name: str) -> bytes | None:
        """The content of a file, or None when there is none."""
        ...

    def write(self, name: str, data: bytes) -> None:
        """Put a file there whole and durable, in place of an older one."""
        ...


class MemoryKeep:
    """Keeps nothing beyond this process, so that a log vouches for what this process wrote."""

    def __init__(self) -> None:
        self._files: dict[str, bytes] = {}

    def read(self, name: str) -> bytes | None:
        """What was written."""
        return self._files.get(name)

    def write(self, name: str, data: bytes) -> None:
        """Keep it."""
        self._files[name] = data


class Anchor:
    """The chain of one vault's log, and the last head that is known to be on the disk.

    Args:
        keep: Where they are.

    Attributes:
        chain: Made with the key, which is made when there is none.
        head: As it was last kept; None when there is none, or it cannot be read.
        adopted: How many lines the log had when the key was made: nobody can vouch for those.
        is_new: Whether the key was made just now.

    Raises:
        OSError: The place cannot be read or written.
    """

    def __init__(self, keep: Keep) -> None:
        self._keep = keep
        key = keep.read(KEY_FILE)
        self.is_new = key is None or len(key) != _KEY_BYTES
        if key is None or self.is_new:
            key = secrets.token_bytes(_KEY_BYTES)
            keep.write(KEY_FILE, key)
        self.chain = Chain(key)
        self.head: Head | None = None
        self.adopted = 0
        if not self.is_new:
            self._load()

    def save(self, head: Head) -> None:
        """Keep a head. Only for lines that are durable: the head may be behind the log but never ahead of it.

        Raises:
            OSError: It could not be kept.
        """
        self._keep.write(HEAD_FILE, orjson.dumps(head.wire() | {"adopted": self.adopted}))
        self.head = head

    def _load(self) -> None:
        with contextlib.suppress(orjson.JSONDecodeError):
            kept = orjson.loads(self._keep.read(HEAD_FILE) or b"null")
            self.head = head_from(kept)
            adopted = kept.get("adopted") if isinstance(kept, dict) else None
            self.adopted = adopted if isinstance(adopted, int) else 0
