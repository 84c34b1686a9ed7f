"""API keys of services on the network, as the wire shows them: never the keys themselves."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field, SecretStr, WithJsonSchema

from bridge.contract.base import ANY_TEXT, Params, Wire


class Provider(StrEnum):
    """A service that wants a key."""

    OLLAMA = "ollama"
    BRAVE = "brave"
    GOOGLE = "google"


class KeptIn(StrEnum):
    """The place of the master key: the system's `keyring`, or a `file` that only the user can read."""

    KEYRING = "keyring"
    FILE = "file"


class KeyStatus(Wire):
    """The state of one provider's key.

    Attributes:
        provider: The provider.
        title: The provider's name, for people.
        server: The only server that the key is sent to: scheme, host and port.
        is_set: Whether a key is set.
        kept_in: Where its master key is; None where there is no key, it does not open, or that was not tried.
        fault: Why it does not open here and what to do, as a sentence; None when it does, or that was not tried.
    """

    provider: Annotated[Provider, ANY_TEXT]
    title: str
    server: str
    is_set: bool
    kept_in: Annotated[KeptIn, ANY_TEXT] | None = None
    fault: str | None = None


class KeyParams(Params):
    """The provider of a key."""

    provider: Annotated[Provider, Field(strict=False)]


class KeyStatusParams(Params):
    """A choice: whether to try to open the keys, for which the system's keyring may ask to be unlocked."""

    open: bool = False


class KeySetParams(Params):
    """A provider and its key. The key is in no text that is made of the parameters."""

    provider: Annotated[Provider, Field(strict=False)]
    key: Annotated[SecretStr, WithJsonSchema({"type": "string"})]
