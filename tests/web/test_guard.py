"""What may be reached, by the settings alone."""

import ipaddress
from typing import Any

import pytest

from bridge.errors import InvalidParameters
from bridge.settings.model import Settings
from bridge.web.guard import Clearance, RequestRefused, Rules, Service, UrlPlace, check
from bridge.web.url import parse_url

OWN = 4711


def rules(**settings: Any) -> Rules:
    return Rules(Settings.parse(settings), frozenset({OWN}))


def passage(url: str, service: Service | None = None, /, **settings: Any) -> Clearance:
    return check(parse_url(url), rules(**settings), service)


def admits(passed: Clearance, address: str) -> bool:
    return passed.admits(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    ("url", "allowed", "listed"),
    [
        ("https://example.org/", ["example.org"], True),
        ("http://example.org/", ["example.org"], True),
        ("https://EXAMPLE.org./", ["Example.org."], True),
        ("https://www.example.org/", ["example.org"], False),
        ("https://www.example.org/", ["*.example.org"], True),
        ("https://a.b.example.org/", ["*.example.org"], True),
        ("https://example.org/", ["*.example.org"], False),
        ("https://notexample.org/", ["example.org", "*.example.org"], False),
        ("https://example.org.evil.net/", ["example.org", "*.example.org"], False),
        ("https://example.org:8443/", ["example.org"], False),
        ("https://xn--bcher-kva.example/", ["xn--bcher-kva.example"], True),
        ("https://bücher.example/", ["xn--bcher-kva.example"], True),
        ("https://8.8.8.8/", ["8.8.8.8"], True),
        ("https://8.8.8.8/", ["*.8.8.8"], False),
        ("https://[2606:2800::1]/", ["2606:2800:0::1"], True),
        ("https://anything.example/", [], False),
    ],
)
def test_a_site_is_in_the_list_by_its_labels(url: str, allowed: list[str], *, listed: bool) -> None:
    assert passage(url, allowedDomains=allowed).listed == listed


def test_with_all_domains_allowed_every_public_site_is_in_the_list() -> None:
    assert passage("https://anything.example:8443/", allowAllDomains=True).listed
    assert not passage("http://localhost:8000/", allowAllDomains=True).listed


@pytest.mark.parametrize(
    ("url", "upgraded"),
    [
        ("http://example.org/a?b", "https://example.org/a?b"),
        ("http://example.org:8080/", "https://example.org:8080/"),
        ("https://example.org/", "https://example.org/"),
        ("http://localhost:8000/", "http://localhost:8000/"),
        ("http://127.0.0.1/", "http://127.0.0.1/"),
    ],
)
def test_http_becomes_https_except_on_this_machine(url: str, upgraded: str) -> None:
    assert str(passage(url).url) == upgraded
    assert str(passage(url, httpsOnly=False).url) == url


@pytest.mark.parametrize("url", ["http://localhost:11434/api/tags", "http://127.0.0.1:11434/"])
def test_the_default_list_means_the_ollama_endpoint(url: str) -> None:
    passed = passage(url)
    assert (passed.place, passed.listed) == (UrlPlace.HERE, True)


@pytest.mark.parametrize("url", ["http://localhost/", "http://localhost:8000/", "http://[::1]:11434/"])
def test_another_port_of_this_machine_is_a_site_of_its_own(url: str) -> None:
    passed = passage(url)
    assert (passed.place, passed.listed) == (UrlPlace.HERE, False)


def test_the_entries_follow_the_endpoint() -> None:
    moved = {"ollamaWebSearchEndpoint": "http://localhost:9999"}
    assert passage("http://localhost:9999/", **moved).listed
    assert not passage("http://localhost:11434/", **moved).listed
    elsewhere = {"ollamaWebSearchEndpoint": "https://ollama.example"}
    assert not passage("http://localhost:11434/", **elsewhere).listed


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]", "a.localhost"])
def test_the_bridge_itself_is_never_reached(host: str) -> None:
    for scheme in ("http", "https"):
        with pytest.raises(RequestRefused, match="bridge itself"):
            passage(f"{scheme}://{host}:{OWN}/", allowAllDomains=True, allowedDomains=[])
    with pytest.raises(RequestRefused, match="bridge itself"):
        passage(f"http://{host}:{OWN}/", Service.of("Mine", f"http://{host}:{OWN}"))


@pytest.mark.parametrize(
    "url",
    [
        "http://10.0.0.1/",
        "http://192.168.1.1/",
        "http://169.254.169.254/latest/meta-data/",
        "http://0.0.0.0/",
        "http://127.0.0.2/",
        "http://[::]/",
        "http://[fe80::1]/",
        "http://[fd00:ec2::254]/",
        "http://[::7f00:1]/",
        "http://router/",
        "http://metadata/",
        "http://255.255.255.255/",
    ],
)
def test_no_private_place_is_reached(url: str) -> None:
    with pytest.raises(RequestRefused) as refused:
        passage(url, allowAllDomains=True, allowedDomains=["10.0.0.1", "router"])
    assert refused.value.code == "domain"


@pytest.mark.parametrize("port", [22, 25, 6379, 11211, 6667, 3306])
def test_ports_of_other_protocols_are_not_reached(port: int) -> None:
    for host in ("example.org", "localhost"):
        with pytest.raises(RequestRefused, match="another protocol"):
            passage(f"http://{host}:{port}/", allowAllDomains=True)


def test_with_requests_blocked_only_this_machine_is_reached() -> None:
    service = Service.of("SearXNG", "http://192.168.1.5:8888")
    for url, of in (("https://example.org/", None), ("http://192.168.1.5:8888/search", service)):
        with pytest.raises(RequestRefused) as refused:
            passage(url, of, blockExternalRequests=True, allowAllDomains=True)
        assert refused.value.code == "blocked"
    assert passage("http://localhost:11434/", blockExternalRequests=True).place is UrlPlace.HERE


class TestAddresses:
    """Of a name, what it leads to decides."""

    def test_a_public_name_leads_to_public_addresses_only(self) -> None:
        passed = passage("https://example.org/", allowAllDomains=True)
        assert admits(passed, "93.184.216.34")
        assert not any(admits(passed, address) for address in ("127.0.0.1", "10.0.0.1", "169.254.169.254", "::1"))

    def test_this_machine_leads_nowhere_else(self) -> None:
        passed = passage("http://localhost:11434/")
        assert admits(passed, "127.0.0.1")
        assert not any(admits(passed, address) for address in ("93.184.216.34", "192.168.1.1"))

    def test_a_service_may_be_at_home(self) -> None:
        service = Service.of("SearXNG", "http://searxng:8888")
        passed = passage("http://searxng:8888/search?q=x", service)
        assert admits(passed, "192.168.1.5")
        assert not admits(passed, "169.254.169.254")

    def test_what_a_service_is_sent_in_the_clear_stays_at_home(self) -> None:
        service = Service.of("Search", "http://search.example")
        assert not admits(passage("http://search.example/", service), "93.184.216.34")
        assert admits(passage("http://search.example/", service, httpsOnly=False), "93.184.216.34")
        secured = Service.of("Search", "https://search.example")
        assert admits(passage("https://search.example/", secured), "93.184.216.34")


@pytest.mark.parametrize(
    "url",
    ["http://192.168.1.5:8889/", "https://192.168.1.5:8888/", "http://192.168.1.6:8888/", "https://example.org/"],
)
def test_a_service_reaches_exactly_its_own_address(url: str) -> None:
    with pytest.raises(RequestRefused, match="not the address"):
        passage(url, Service.of("SearXNG", "http://192.168.1.5:8888/"), allowAllDomains=True)


def test_what_one_service_may_reach_nobody_else_may() -> None:
    with pytest.raises(RequestRefused):
        passage("http://192.168.1.5:8888/", ollamaWebSearchEndpoint="http://192.168.1.5:8888")


def test_a_certificate_is_left_unchecked_only_here_and_only_where_the_user_said_so() -> None:
    said = {"allowSelfSignedLocalhost": True}
    assert passage("https://localhost:8443/", **said).unsigned
    assert not passage("https://localhost:8443/").unsigned
    assert not passage("https://example.org/", **said).unsigned


def test_a_service_has_its_urls() -> None:
    service = Service.of("SearXNG", "http://localhost:8888/searx/")
    assert str(service.url("/search", {"q": "a b&c", "format": "json"})) == (
        "http://localhost:8888/searx/search?q=a+b%26c&format=json"
    )
    with pytest.raises(InvalidParameters, match="The address of SearXNG cannot be used"):
        Service.of("SearXNG", "localhost:8888")
