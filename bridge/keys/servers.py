"""The server that each provider's key is sent to."""

from typing import Final
from urllib.parse import urlsplit

from bridge.contract.keys import Provider

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
