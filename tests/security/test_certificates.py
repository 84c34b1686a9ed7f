"""An https request goes, encrypted, to the intended server or nowhere: nobody else sees it."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpcore2
import pytest
import trustme

from bridge.clock import SystemClock
from bridge.errors import NetworkFailure, ToolFailure
from bridge.sandbox.sandbox import Programs
from bridge.servers.configuration import entry
from bridge.servers.connection import ServerConnection
from bridge.servers.servers import Opener
from bridge.settings.model import Settings
from bridge.web.door import WebDoor, WebRequest
from bridge.web.guard import Rules, Service, check
from bridge.web.transport import Transport
from bridge.web.url import parse_url
from tests.patience import PATIENCE
from tests.web.conftest import Doorway
from tests.web_servers import LocalWeb, answer, context_for, redirect

HOST = "sea.example"
NOW = datetime.now(UTC)
DAY = timedelta(days=1)


def context(
    authority: trustme.CA, name: str = HOST, begins: datetime | None = None, ends: datetime | None = None
) -> ssl.SSLContext:
    """What a server with a certificate of an authority needs."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(name, not_before=begins, not_after=ends).configure_cert(made)
    return made


def intermediate(web: LocalWeb) -> ssl.SSLContext:
    """A certificate for any other name is no authority."""
    del web
    stranger = trustme.CA()
    return context(stranger.create_child_ca())


SERVERS: dict[str, Callable[[LocalWeb], ssl.SSLContext]] = {
    "of nobody": lambda _web: context(trustme.CA()),
    "of nobody, with its chain": intermediate,
    "of another name": lambda web: context(web.ca, "other.example"),
    "of a name above it": lambda web: context(web.ca, "example"),
    "of any name one level above": lambda web: context(web.ca, "*.example.com"),
    "expired": lambda web: context(web.ca, begins=NOW - 9 * DAY, ends=NOW - DAY),
    "not valid yet": lambda web: context(web.ca, begins=NOW + DAY, ends=NOW + 9 * DAY),
}


@pytest.fixture
async def doorway() -> AsyncIterator[Doorway]:
    async with LocalWeb(answers={"/a": answer("here")}).serve() as web:
        yield Doorway(web)


@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize("selfSigned", [False, True])
async def test_no_request_reaches_a_server_that_is_not_the_one_meant(
    doorway: Doorway,
    server: str,
    *,
    selfSigned: bool,  # noqa: N803 - as the setting is called
) -> None:
    doorway.set(allowSelfSignedLocalhost=selfSigned)
    doorway.web.own_contexts[HOST] = SERVERS[server](doorway.web)
    for request in (WebRequest(parse_url(f"https://{HOST}/a")), WebRequest.json(parse_url(f"https://{HOST}/a"), "x")):
        with pytest.raises(NetworkFailure):
            await doorway.send(request)
    with pytest.raises(NetworkFailure):
        await doorway.send(WebRequest(parse_url(f"https://{HOST}/a")), service=Service.of("Search", f"https://{HOST}"))
    assert doorway.web.seen == []


async def test_the_same_request_reaches_the_one_that_is_meant(doorway: Doorway) -> None:
    assert (await doorway.get(f"https://{HOST}/a")).body == b"here"
    assert doorway.web.seen[0].tls_name == HOST


@pytest.mark.parametrize("server", SERVERS)
async def test_a_redirect_to_it_is_not_followed_either(doorway: Doorway, server: str) -> None:
    doorway.web.own_contexts[HOST] = SERVERS[server](doorway.web)
    doorway.web.answers["other.example/b"] = redirect(f"https://{HOST}/a")
    with pytest.raises(NetworkFailure):
        await doorway.get("https://other.example/b")
    assert {one.host for one in doorway.web.seen} == {"other.example"}


@pytest.mark.parametrize("server", ["of nobody", "of another name", "expired"])
async def test_another_server_is_not_spoken_with_either(tmp_path: Path, server: str) -> None:
    async with LocalWeb().serve() as web:
        web.own_contexts[HOST] = SERVERS[server](web)
        vault = tmp_path / "Vault"
        vault.mkdir()
        rules = Rules(Settings(), frozenset())
        opener = Opener(
            Programs([], tmp_path, required=lambda: False),
            web.transport,
            lambda url, service: check(url, rules, service),
            vault,
        )
        members = {"url": f"https://{HOST}/mcp", "headers": {"Authorization": "Bearer hunter2"}}
        held = ServerConnection("stranger", entry("stranger", members), opener)
        try:
            with pytest.raises(ToolFailure):
                await held.call("greet", {}, PATIENCE, lambda *_said: None)
        finally:
            await held.stop()
        assert web.connected
        assert web.seen == []


def old_version(made: ssl.SSLContext) -> None:
    with pytest.deprecated_call():
        made.maximum_version = ssl.TLSVersion.TLSv1_1
    made.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
    made.set_ciphers("ALL:@SECLEVEL=0")


def unencrypting(made: ssl.SSLContext) -> None:
    """Ciphers that encrypt nothing, or that anybody may answer with."""
    made.maximum_version = ssl.TLSVersion.TLSv1_2
    made.set_ciphers("aNULL:eNULL:@SECLEVEL=0")


def weak(made: ssl.SSLContext) -> None:
    """A cipher that is broken."""
    made.maximum_version = ssl.TLSVersion.TLSv1_2
    made.set_ciphers("ECDHE-ECDSA-NULL-SHA:NULL-SHA256:NULL-SHA:@SECLEVEL=0")


@pytest.mark.parametrize("weaken", [old_version, unencrypting, weak])
@pytest.mark.parametrize("host", [HOST, "localhost"])
async def test_a_connection_is_not_talked_down_to_an_old_version_or_to_no_encryption(
    weaken: Callable[[ssl.SSLContext], None], host: str
) -> None:
    """With what the bridge itself checks certificates by, which here trusts the server's as well."""
    web = LocalWeb()
    heard: list[bytes] = []

    def trust() -> ssl.SSLContext:
        own = httpcore2.default_ssl_context()
        web.ca.configure_trust(own)
        return own

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(answer("heard"))
        writer.close()

    settings = Settings.parse({"allowSelfSignedLocalhost": True})
    door = WebDoor(lambda: settings, lambda: Transport(web, web, trust), SystemClock(), sleep=_at_once)
    for weakened in (False, True):
        server_side = context(web.ca, host)
        if weakened:
            weaken(server_side)
        async with await asyncio.start_server(handle, "127.0.0.1", 0, ssl=server_side) as server:
            web.tls_port = server.sockets[0].getsockname()[1]
            place = f"localhost:{web.tls_port}" if host == "localhost" else host
            request = WebRequest(parse_url(f"https://{place}/a"))
            if weakened:
                with pytest.raises(NetworkFailure):
                    await door.send(request)
            else:
                assert (await door.send(request)).body == b"heard"
    assert len(heard) == 1


async def _at_once(_seconds: float) -> None:
    """Wait for nothing."""


async def test_https_is_never_answered_in_the_clear(doorway: Doorway) -> None:
    """A server at the port of https that speaks without encryption, and one that asks to go on without it."""
    heard: list[bytes] = []

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.read(65_536))
        writer.write(answer("plain"))
        writer.close()

    async with await asyncio.start_server(handle, "127.0.0.1", 0) as server:
        doorway.web.tls_port = server.sockets[0].getsockname()[1]
        with pytest.raises(NetworkFailure):
            await doorway.get(f"https://{HOST}/a?secret=hunter2", headers={"Authorization": "Bearer hunter2"})
    assert heard
    assert all(b"hunter2" not in one and b"GET" not in one for one in heard)


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "307 Temporary", "308 Permanent"])
async def test_a_site_leads_from_https_to_no_connection_without_it(doorway: Doorway, status: str) -> None:
    doorway.set(httpsOnly=False)
    for to in (f"http://{HOST}/b", f"http://{HOST}:443/b", f"HTTP://{HOST}/b", "http://other.example/b"):
        doorway.web.answers["/a"] = redirect(to, status)
        with pytest.raises(ToolFailure):
            await doorway.get(f"https://{HOST}/a")
    assert all(one.tls_name == HOST for one in doorway.web.seen)


async def test_an_own_certificate_is_taken_on_this_computer_alone_and_only_where_you_said_so(doorway: Doorway) -> None:
    for name in ("localhost", HOST):
        doorway.web.own_contexts[name] = context(trustme.CA(), name)
    here = f"https://localhost:{doorway.web.tls_port}/a"
    with pytest.raises(NetworkFailure):
        await doorway.get(here)
    doorway.set(allowSelfSignedLocalhost=True)
    assert (await doorway.get(here)).body == b"here"
    with pytest.raises(NetworkFailure):
        await doorway.get(f"https://{HOST}/a")
    doorway.web.answers["localhost/b"] = redirect(f"https://{HOST}/a")
    doorway.web.answers[f"localhost:{doorway.web.tls_port}/b"] = redirect(f"https://{HOST}/a")
    with pytest.raises(ToolFailure):
        await doorway.get(f"https://localhost:{doorway.web.tls_port}/b")
    assert context_for(HOST) is not None
    assert {one.tls_name for one in doorway.web.seen} == {"localhost"}
