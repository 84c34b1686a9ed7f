"""Nobody comes in but from this machine, from an allowed page, with a good token; and the token decides the role."""

import asyncio
from typing import Any

import aiohttp
import orjson
import pytest

from tests.server.house import House, ask, request

PING = request(1, "ping")


async def refused(house: House, **options: Any) -> int:
    with pytest.raises(aiohttp.WSServerHandshakeError) as caught:
        await house.socket(**options)
    return caught.value.status


@pytest.mark.parametrize("role", ["agent", "host"])
async def test_the_token_decides_the_role(house: House, role: str) -> None:
    async with await house.socket(role) as socket:
        assert (await ask(socket, request(1, "session.info")))["result"]["role"] == role


@pytest.mark.parametrize(
    "authorization",
    [None, "", "Bearer", "Bearer ", "Bearer wrong", "Basic {token}", "{token}", "Bearer {token}x", "Bearer {token} x"],
)
async def test_without_a_good_token_there_is_a_401_before_the_upgrade(house: House, authorization: str | None) -> None:
    headers = {} if authorization is None else {"Authorization": authorization.format(token=house.token())}
    assert await refused(house, headers=headers) == 401
    answer = await house.http.post(f"{house.discovery.http}/rpc", json=PING, headers=headers)
    assert answer.status == 401
    assert set(await answer.json()) == {"error", "hint"}


async def test_a_token_that_is_no_ascii_is_only_wrong(house: House) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", int(house.discovery.http.rsplit(":", 1)[1]))
    host = house.discovery.http.removeprefix("http://").encode()
    writer.write(b"POST /rpc HTTP/1.1\r\nHost: " + host + b"\r\nAuthorization: Bearer \xff\xfe\r\n\r\n")
    assert (await reader.readline()).split()[1] == b"401"
    writer.close()
    await writer.wait_closed()


async def test_two_authorizations_are_none(house: House) -> None:
    headers = [("Authorization", f"Bearer {house.token()}"), ("Authorization", f"Bearer {house.token('host')}")]
    assert await refused(house, headers=headers) == 401


@pytest.mark.parametrize("role", ["agent", "host"])
async def test_a_browser_shows_its_token_among_the_subprotocols(house: House, role: str) -> None:
    offers = ("vault-bridge.v1", f"bearer.{house.token(role)}")
    async with await house.socket(headers={}, protocols=offers) as socket:
        assert socket.protocol == "vault-bridge.v1"
        assert (await ask(socket, request(1, "session.info")))["result"]["role"] == role


async def test_the_protocol_is_selected_also_when_the_header_has_the_token(house: House) -> None:
    async with await house.socket(protocols=("vault-bridge.v1",)) as socket:
        assert socket.protocol == "vault-bridge.v1"


async def test_a_wrong_header_is_not_mended_by_a_good_subprotocol(house: House) -> None:
    offers = ("vault-bridge.v1", f"bearer.{house.token()}")
    assert await refused(house, headers={"Authorization": "Bearer wrong"}, protocols=offers) == 401


@pytest.mark.parametrize(
    "offers", [("vault-bridge.v1", "bearer.wrong"), ("vault-bridge.v1",), ("bearer.{token}",), ("vault-bridge.v2",)]
)
async def test_subprotocols_without_ours_or_a_good_token_are_refused(house: House, offers: tuple[str, ...]) -> None:
    assert await refused(house, headers={}, protocols=[offer.format(token=house.token()) for offer in offers]) == 401


async def test_a_token_never_reaches_the_log(house: House, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    offers = (f"bearer.{house.token()}", "something.else")
    assert await refused(house, protocols=offers) == 400
    assert await refused(house, headers={}, protocols=offers) == 401
    assert house.token() not in caplog.text


@pytest.mark.parametrize("host", ["127.0.0.1:{port}", "localhost:{port}", "LOCALHOST:{port}", "[::1]:{port}"])
async def test_a_loopback_name_with_our_port_passes(house: House, host: str) -> None:
    headers = {**house.bearer(), "Host": host.format(port=house.discovery.http.rsplit(":", 1)[1])}
    async with await house.socket(headers=headers) as socket:
        assert (await ask(socket, PING))["result"] == "pong"


@pytest.mark.parametrize(
    "host",
    [
        "evil.example:{port}",
        "127.0.0.1",
        "127.0.0.1:1",
        "localhost",
        "127.0.0.1.evil.example:{port}",
        "127.0.0.2:{port}",
        "0.0.0.0:{port}",
        "localhost.:{port}",
        "user@localhost:{port}",
    ],
)
@pytest.mark.parametrize("path", ["/ws", "/rpc", "/health", "/nothing"])
async def test_any_other_host_is_forbidden_everywhere_before_the_token_counts(
    house: House, host: str, path: str
) -> None:
    name = host.format(port=house.discovery.http.rsplit(":", 1)[1])
    answer = await house.get(path, "POST" if path == "/rpc" else "GET", Host=name)
    assert answer.status == 403
    assert set(await answer.json()) == {"error", "hint"}


async def raw(house: House, head: str) -> bytes:
    """The status of the answer to hand-made HTTP."""
    reader, writer = await asyncio.open_connection("127.0.0.1", int(house.discovery.http.rsplit(":", 1)[1]))
    writer.write(head.encode())
    status = (await reader.readline()).split()[1]
    writer.close()
    await writer.wait_closed()
    return status


async def test_a_request_from_two_origins_is_refused_without_a_header_for_either(house: House) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", int(house.discovery.http.rsplit(":", 1)[1]))
    name = house.discovery.http.removeprefix("http://")
    origins = "Origin: app://obsidian.md\r\nOrigin: https://evil.example\r\n"
    writer.write(f"GET /health HTTP/1.1\r\nHost: {name}\r\n{origins}Connection: close\r\n\r\n".encode())
    answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    assert answer.split()[1] == b"403"
    assert b"access-control" not in answer.lower()


async def test_no_host_and_two_hosts_are_refused(house: House) -> None:
    name = house.discovery.http.removeprefix("http://")
    assert await raw(house, "GET /health HTTP/1.0\r\n\r\n") == b"403"
    twice = f"GET /health HTTP/1.1\r\nHost: {name}\r\nHost: evil.example\r\n\r\n"
    assert await raw(house, twice) in {b"400", b"403"}
    assert await raw(house, f"GET /health HTTP/1.1\r\nHost: {name}\r\n\r\n") == b"200"


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "", "app://obsidian.md.evil.example", "http://localhost", "file://"]
)
async def test_a_page_that_is_not_allowed_is_forbidden_even_with_a_token(house: House, origin: str) -> None:
    assert await refused(house, headers={**house.bearer(), "Origin": origin}) == 403
    answer = await house.post(PING, Origin=origin)
    assert answer.status == 403
    assert "Access-Control-Allow-Origin" not in answer.headers


async def test_obsidian_and_pages_in_the_settings_may_connect_from_now_on(house: House) -> None:
    mine = "https://mine.example"
    for origin, before in (("app://obsidian.md", 200), (mine, 403)):
        assert (await house.post(PING, Origin=origin)).status == before
    house.world.settings.update({"allowedOrigins": [mine]})
    answer = await house.post(PING, Origin=mine)
    assert (answer.status, answer.headers["Access-Control-Allow-Origin"]) == (200, mine)
    async with await house.socket(headers={**house.bearer(), "Origin": mine}) as socket:
        assert (await ask(socket, PING))["result"] == "pong"


async def test_a_preflight_is_answered_for_allowed_pages_only(house: House) -> None:
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Private-Network": "true"}
    answer = await house.get("/rpc", "OPTIONS", Origin="app://obsidian.md", **asked)
    assert answer.status == 204
    assert answer.headers["Access-Control-Allow-Origin"] == "app://obsidian.md"
    assert answer.headers["Vary"] == "Origin"
    assert "Authorization" in answer.headers["Access-Control-Allow-Headers"]
    assert answer.headers["Access-Control-Allow-Private-Network"] == "true"
    refusal = await house.get("/rpc", "OPTIONS", Origin="https://evil.example", **asked)
    assert refusal.status == 403
    assert not [name for name in refusal.headers if name.startswith("Access-Control")]
    plain = await house.get("/rpc", "OPTIONS", Origin="app://obsidian.md", **{"Access-Control-Request-Method": "POST"})
    assert "Access-Control-Allow-Private-Network" not in plain.headers
    assert (await house.get("/rpc", "OPTIONS")).status == 404


async def test_programs_that_are_no_pages_get_no_cors_headers(house: House) -> None:
    answer = await house.post(PING)
    assert orjson.loads(await answer.read())["result"] == "pong"
    assert not [name for name in answer.headers if name.startswith("Access-Control")]
