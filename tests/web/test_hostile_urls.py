"""Hundreds of hostile URLs: not one connection to where none may go, counted at the sockets of this process."""

import ipaddress
import itertools
from collections.abc import Iterator

import pytest

from bridge.clock import SystemClock
from bridge.errors import ToolFailure
from bridge.settings.model import Settings
from bridge.web.door import WebDoor, WebRequest
from bridge.web.transport import SystemResolver, Transport
from bridge.web.url import Address, WebUrl, parse_url
from tests.web.conftest import Doorway
from tests.web_servers import PUBLIC, answer, redirect, watch_sockets

FORBIDDEN = ("127.0.0.1", "127.0.0.2", "169.254.169.254", "10.0.0.1", "192.168.1.1", "100.100.100.200", "0.1.2.3")
"""This machine, the metadata of clouds, private networks."""


def numeric_spellings(address: str) -> Iterator[str]:
    """Every way in which some program writes an address of IPv4."""
    four = ipaddress.IPv4Address(address)
    a, b, c, d = four.packed
    number = int(four)
    yield from (str(number), hex(number), oct(number).replace("0o", "0"), f"{hex(number)}.", f"0x{number:08X}")
    yield from (f"{a}.{number & 0xFFFFFF}", f"{a}.{b}.{number & 0xFFFF}", f"{hex(a)}.{number & 0xFFFFFF}")
    for form in ("{:d}", "0{:o}", "0x{:x}", "{:03d}", "0x{:02X}", "000{:o}"):
        yield ".".join(form.format(part) for part in (a, b, c, d))
    yield f"{a:d}.0{b:o}.0x{c:x}.{d:d}"
    yield f"{a + 256}.{b}.{c}.{d}"
    yield f"{address}.0x0"
    wide = str.maketrans("0123456789.", "０１２３４５６７８９．")  # noqa: RUF001 - the wide digits are the point
    yield address.translate(wide)
    yield address.replace(".", "。")
    yield "".join(chr(0x2460 + int(digit) - 1) if digit in "123456789" else digit for digit in address)


def six_spellings(address: str) -> Iterator[str]:
    """Addresses of IPv6 that hold one of IPv4."""
    four = ipaddress.IPv4Address(address)
    high, low = int(four) >> 16, int(four) & 0xFFFF
    for prefix in ("::ffff:", "::", "64:ff9b::", "64:ff9b:1::", "::ffff:0:", "fe80::"):
        yield f"[{prefix}{address}]"
        yield f"[{prefix}{high:x}:{low:x}]"
    yield f"[2002:{high:x}:{low:x}::]"
    yield f"[2001:0:{high:x}:{low:x}::1]"
    yield f"[0000:0000:0000:0000:0000:ffff:{high:04x}:{low:04x}]"
    yield f"[::ffff:{address}%25lo]"


def hostile_hosts() -> Iterator[str]:
    for address in FORBIDDEN:
        yield address if address != "127.0.0.1" else "127.0.0.3"
        yield from (host for host in numeric_spellings(address))
        yield from six_spellings(address)
        yield f"example.com@{address}"
        yield f"{address}%00.example.com"
        yield f"example.com%40{address}"
        yield f"{address}\\.example.com"
    yield from ("[::]", "[0:0:0:0:0:0:0:0]", "[fe80::1]", "[fe80::1%25eth0]", "[fd00:ec2::254]", "[ff02::1]", "[::2]")
    yield from ("metadata", "instance-data", "router", "kubernetes", "broadcasthost", "ip6-localhost")
    yield from ("\u24db\u24de\u24d2\u24d0\u24db\u24d7\u24de\u24e2\u24e3.example\\@localhost", "local\u00adhost")


def hostile_urls() -> list[str]:
    urls = [f"http://{host}/latest/meta-data/" for host in hostile_hosts()]
    urls += [f"https://{host}:8443/" for host in itertools.islice(hostile_hosts(), 0, None, 3)]
    urls += [
        f"{scheme}://127.0.0.3/" for scheme in ("file", "ftp", "gopher", "dict", "ws", "ldap", "jar:http", "HTTP\t")
    ]
    urls += [
        "http:127.0.0.3",
        "http:/127.0.0.3",
        "http:///127.0.0.3",
        "\\\\127.0.0.3\\x",
        "//127.0.0.3",
        "http:\\\\127.0.0.3",
    ]
    urls += [f"http://example.com{end}" for end in (":22", ":25/", ":6379", ":0", ":99999", ":80:22", "\\@127.0.0.3/")]
    urls += [
        f"http://{odd}127.0.0.3/" for odd in ("\t", "\n", "\x00", "\u200b", "\u202e", "%09", "%0a", "a@", ":@", "#@")
    ]
    return urls


async def test_no_hostile_url_is_connected_to(doorway: Doorway) -> None:
    """With everything allowed that can be, over the real network and the real resolver."""
    door = WebDoor(lambda: Settings(allow_all_domains=True), lambda: Transport(SystemResolver()), SystemClock())
    urls = hostile_urls()
    assert len(set(urls)) > 300
    allowed = {"127.0.0.1", "localhost"}
    with watch_sockets() as sockets:
        for url in urls:
            try:
                parsed = parse_url(url)
            except ToolFailure:
                continue
            if parsed.host in allowed:  # a spelling of this machine that every program reads alike
                continue
            with pytest.raises(ToolFailure):
                await door.send(WebRequest(parsed))
    assert (sockets.connections, sockets.lookups) == ([], [])
    assert doorway.web.seen == []


@pytest.mark.slow
async def test_no_redirect_leads_to_a_hostile_url(doorway: Doorway) -> None:
    doorway.set(allowAllDomains=True, httpsOnly=False)
    urls = [url for url in hostile_urls() if "\n" not in url and "\x00" not in url]
    refused = 0
    for url in urls:
        doorway.web.answers["/page"] = redirect(url)
        doorway.web.answers["/"] = answer("a page of the site itself")
        doorway.web.connected.clear()
        try:
            await doorway.get("http://example.com/page")
        except ToolFailure:
            refused += 1
        assert {address for address, _port in doorway.web.connected} == {PUBLIC}
    assert refused > 300


class _Names:
    """Names that lead wherever an attacker has them lead, one address at a time."""

    def __init__(self, turns: list[str]) -> None:
        self.turns = turns

    async def resolve(self, host: str | bytes, port: int) -> tuple[Address, ...]:
        del port
        assert isinstance(host, str)
        return (ipaddress.ip_address(self.turns.pop(0)),)


@pytest.mark.parametrize("private", [*FORBIDDEN, "::1", "::ffff:127.0.0.1", "fd00:ec2::254", "64:ff9b::7f00:1"])
async def test_a_name_that_leads_to_a_forbidden_address_is_not_connected_to(private: str) -> None:
    door = WebDoor(lambda: Settings(allow_all_domains=True), lambda: Transport(_Names([private])), SystemClock())
    with watch_sockets() as sockets, pytest.raises(ToolFailure):
        await door.send(WebRequest(parse_url("https://rebound.example/")))
    assert (sockets.connections, sockets.lookups) == ([], [])


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]", "LOCALHOST.", "x.localhost", "127.0.0.1."])
async def test_the_port_of_the_bridge_is_never_connected_to(doorway: Doorway, host: str) -> None:
    doorway.set(allowAllDomains=True)
    doorway.own_ports = frozenset({doorway.web.plain_port})
    with watch_sockets() as sockets, pytest.raises(ToolFailure):
        await doorway.get(f"http://{host}:{doorway.web.plain_port}/")
    assert sockets.connections == []


async def test_the_sockets_are_counted(doorway: Doorway) -> None:
    """What the tests above rely on: a connection that is made is seen."""
    with watch_sockets() as sockets:
        await doorway.get(f"http://localhost:{doorway.web.plain_port}/")
    assert sockets.connections == [("127.0.0.1", doorway.web.plain_port)]


def test_a_url_that_is_made_by_hand_is_still_one_of_ours() -> None:
    assert WebUrl("https", "example.com", 443, "/") == parse_url("https://example.com")
