"""One API key as it is stored: AES-256-GCM (NIST SP 800-38D), with its name and its server as associated data.

A sealed key reads `v1:ID:DATA`. ID names the master key that it was sealed with; DATA is base64 of the nonce of 96
random bits, the ciphertext and the tag. Because the name and the server are authenticated, a sealed key that is
copied to another name, or that somebody wants sent to another server, does not open.
"""

import base64
import binascii
import re
import secrets
from typing import Final, NamedTuple

from bridge.errors import ExecutionFailed

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
