"""Services on the network: their API keys, which are never shown, and those that search the web."""

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


class KeySetParams(KeyParams):
    """A provider and its key. The key is in no text that is made of the parameters."""

    key: Annotated[SecretStr, WithJsonSchema({"type": "string"})]


class SearchService(StrEnum):
    """A service that searches the web."""

    OLLAMA = "ollama"
    SEARXNG = "searxng"
    BRAVE = "brave"
    DUCKDUCKGO = "duckduckgo"
    GOOGLE = "google"


class Connection(StrEnum):
    """The outcome of a test: it answered (`connected`), declined (`refused`) or did not answer (`unreachable`)."""

    CONNECTED = "connected"
    REFUSED = "refused"
    UNREACHABLE = "unreachable"


class SearchServiceInfo(Wire):
    """A service that can search the web.

    Attributes:
        service: Its id, as `webSearchProviders` has it.
        title: Its name, for people.
        terms: The conditions of using it, in a sentence or two.
        link: Where there is more about it, or where keys come from.
        needs_key: Whether it wants an API key.
        has_freshness: Whether it can look for recent pages alone.
        missing: The setting it needs before it can be used, as a sentence; None when nothing is missing.
    """

    service: Annotated[SearchService, ANY_TEXT]
    title: str
    terms: str
    link: str
    needs_key: bool
    has_freshness: bool
    missing: str | None = None


class KeyTestParams(Params):
    """A search service; also one that needs no key."""

    provider: Annotated[SearchService, Field(strict=False)]


class KeyTest(Wire):
    """The result of a test.

    Attributes:
        provider: The service.
        outcome: How it ended.
        message: An explanation, and what to do, as a sentence.
    """

    provider: Annotated[SearchService, ANY_TEXT]
    outcome: Annotated[Connection, ANY_TEXT]
    message: str
