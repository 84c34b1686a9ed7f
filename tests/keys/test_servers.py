"""A key's server has one spelling."""

import pytest

from bridge.contract.keys import Provider
from bridge.keys.store import key_server, origin


@pytest.mark.parametrize(
    ("address", "server"),
    [
        ("http://localhost:11434", "http://localhost:11434"),
        ("http://localhost:11434/", "http://localhost:11434"),
        ("HTTPS://Ollama.COM/api", "https://ollama.com"),
        ("https://ollama.com:443", "https://ollama.com"),
        ("http://ollama.com:443", "http://ollama.com:443"),
        ("http://[::1]:11434", "http://[::1]:11434"),
    ],
)
def test_an_address_has_one_server(address: str, server: str) -> None:
    assert origin(address) == server
    assert key_server(Provider.OLLAMA, ollama=address) == server


@pytest.mark.parametrize("address", ["", "localhost", "ftp://a.example", "https://", "file:///etc/passwd"])
def test_what_is_no_address_of_a_server_has_none(address: str) -> None:
    with pytest.raises(ValueError, match="no address"):
        origin(address)


def test_the_other_providers_have_servers_of_their_own() -> None:
    servers = {key_server(provider, ollama="http://localhost:11434") for provider in Provider}
    assert servers == {"http://localhost:11434", "https://api.search.brave.com", "https://www.googleapis.com"}
