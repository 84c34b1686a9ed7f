"""Your credentials and keys go only to the server they are for, and never along with a redirect to another."""

import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bridge.app import Bridge
from bridge.errors import ToolFailure
from bridge.servers.configuration import entry
from bridge.servers.connection import ServerConnection
from bridge.servers.servers import Opener
from bridge.testing import sandbox
from bridge.testing.sandbox import Sandbox
from bridge.tools.web.web_fetch import WebFetchTool
from tests.patience import PATIENCE
from tests.people import Person, add_client, named
from tests.servers.conftest import opener
from tests.web_servers import LocalWeb, Seen, answer, redirect, web_services

__all__ = ["opener"]  # a fixture

SECRET = "Bearer-hunter2-of-mine"
STATUSES = ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"]
ELSEWHERE = [
    "https://other.example/b",
    "//other.example/b",
    "https://sub.sea.example/b",
    "https://example/b",
    "https://sea.example.other.example/b",
    "https://sea.example:8443/b",
    "http://sea.example/b",
    "https://sea.example@other.example/b",
    "https://other.example\\@sea.example/b",
]


@dataclass
class Web:
    """A vault whose user has credentials for sea.example, and a web that everything leads to."""

    vault: Sandbox
    web: LocalWeb

    def holders(self) -> list[Seen]:
        """The requests that had the credentials with them, in whatever place."""
        return [one for one in self.web.seen if SECRET in f"{one.target}{one.headers}{one.body!r}"]


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[Web]:
    content = {"auth": {"sea.example": {"headers": {"Authorization": f"Bearer {SECRET}", "X-Key": SECRET}}}}
    (tmp_path / "web_auth.json").write_text(json.dumps(content), encoding="utf-8")
    async with LocalWeb().serve() as web, sandbox(folder=tmp_path / "Vault") as vault:
        services = web_services(web, tmp_path, lambda: vault.settings.current, lambda _exchanged: None)
        await vault.add(WebFetchTool(services))
        vault.settings.update({"allowAllDomains": True, "httpsOnly": False, "rateLimits": {"web_fetch": 1000}})
        web.answers["/b"] = answer("there", kind="text/plain")
        yield Web(vault, web)
        services.reader.close()


@pytest.mark.parametrize("status", STATUSES)
async def test_credentials_of_a_site_go_along_with_no_redirect_elsewhere(world: Web, status: str) -> None:
    for to in ELSEWHERE:
        world.web.seen.clear()
        world.web.answers["sea.example/a"] = redirect(to, status)
        await world.vault.call("web_fetch", url="https://sea.example/a", format="raw")
        (one,) = world.holders()
        assert (one.host, one.target, one.tls_name) == ("sea.example", "/a", "sea.example"), to


async def test_they_do_not_come_back_either_where_another_site_leads_to_their_own(world: Web) -> None:
    world.web.answers["other.example/a"] = redirect("https://sea.example/b")
    await world.vault.succeed("web_fetch", url="https://other.example/a", format="raw")
    world.web.answers |= {"sea.example/a": redirect("https://other.example/a")}
    await world.vault.succeed("web_fetch", url="https://sea.example/a", format="raw")
    assert [f"{one.host}{one.target}" for one in world.holders()] == ["sea.example/a"]


async def test_they_go_over_no_connection_without_encryption(world: Web) -> None:
    await world.vault.call("web_fetch", url="http://sea.example/b", format="raw")
    assert all(one.tls_name == "sea.example" for one in world.holders())
    assert not [one for one in world.web.seen if one.tls_name is None and SECRET in str(one.headers)]


@pytest.mark.parametrize("status", STATUSES)
async def test_a_key_of_a_search_service_goes_along_with_no_redirect(
    bridge: Bridge, person: Person, vault: Path, status: str
) -> None:
    async with AsyncExitStack() as stack:
        service, thief = [await stack.enter_async_context(LocalWeb().serve()) for _ in range(2)]
        bridge.settings.update(
            {
                "ollamaWebSearchEndpoint": f"http://127.0.0.1:{service.plain_port}",
                "webSearchProviders": ["ollama"],
                "cacheEnabled": False,
            }
        )
        await add_client(person, vault, "Robot")
        await person.host.request("keys.set", provider="ollama", key=SECRET)
        person.answer = "allow_once"
        thief.answers["/x"] = answer("{}", kind="application/json")
        robot = await stack.enter_async_context(named(vault, "Robot"))
        for to in (f"http://127.0.0.1:{thief.plain_port}/x", f"http://localhost:{thief.plain_port}/x"):
            service.answers["/api/web_search"] = redirect(to, status)
            assert not (await robot.call("web_search", query="tea")).ok
            assert (await person.host.request("keys.test", provider="ollama"))["outcome"] != "connected"
        assert service.seen
        assert all(one.headers["authorization"] == f"Bearer {SECRET}" for one in service.seen)
        assert thief.connected == []
        assert thief.seen == []


@pytest.mark.parametrize("status", STATUSES)
async def test_headers_of_another_server_go_along_with_no_redirect(opener: Opener, status: str) -> None:
    async with LocalWeb().serve() as own, LocalWeb().serve() as thief:
        for to in (
            f"http://127.0.0.1:{thief.plain_port}/mcp",
            f"//127.0.0.1:{thief.plain_port}/mcp",
            f"http://localhost:{own.plain_port}/mcp",
        ):
            own.seen.clear()
            own.answers["/mcp"] = redirect(to, status)
            members: dict[str, Any] = {
                "url": f"http://127.0.0.1:{own.plain_port}/mcp",
                "headers": {"Authorization": f"Bearer {SECRET}"},
            }
            server = ServerConnection("stranger", entry("stranger", members), opener)
            try:
                with pytest.raises(ToolFailure) as failed:
                    await server.call("greet", {}, PATIENCE, lambda *_said: None)
            finally:
                await server.stop()
            assert SECRET not in str(failed.value)
            assert own.seen
            assert {one.host for one in own.seen} == {f"127.0.0.1:{own.plain_port}"}
            assert thief.seen == []
