"""Sentences about reach say what is decided: where `always_allow` holds, and which sites are reached at all."""

from pathlib import Path
from typing import Any

import pytest

from bridge.contract.consent import Decision
from bridge.settings.model import Settings
from bridge.testing import sandbox
from bridge.tools.web.web_fetch import WebFetchTool
from bridge.web.guard import RequestRefused, Rules, check
from bridge.web.url import parse_url
from tests.web_servers import LocalWeb, answer, web_services

MODES = dict.fromkeys(("apply_patch", "delete_file", "create_note", "read", "web_fetch"), "always_allow")


async def test_a_tool_that_asks_all_the_same_is_no_grant(tmp_path: Path) -> None:
    """`policy grants` lists what `policy explain` finds allowed, and nothing else."""
    async with (
        LocalWeb(answers={"/a": answer("fine", kind="text/plain")}).serve() as web,
        sandbox({"A.md": "a\n"}, folder=tmp_path / "Vault") as vault,
    ):
        services = web_services(web, tmp_path, lambda: vault.settings.current, lambda _exchanged: None)
        await vault.add(WebFetchTool(services))
        vault.settings.update({"consentMode": MODES, "allowedDomains": ["sea.example"]})
        sentences = {grant.tool: grant.sentence for grant in vault.grants.list() if grant.kind == "mode"}
        asked: dict[str, dict[str, Any]] = {
            "apply_patch": {"path": "A.md", "patches": [{"startLine": 1, "endLine": 1, "newContent": "b"}]},
            "delete_file": {"path": "A.md"},
            "create_note": {"path": "B", "content": "x"},
            "read": {"path": "A.md"},
        }
        vault.answer = Decision.DENY_ONCE
        for tool, arguments in asked.items():
            vault.asked.clear()
            await vault.call(tool, **arguments)
            assert (tool in sentences) is (vault.asked == []), tool
        for host in ("sea.example", "land.example"):
            vault.asked.clear()
            await vault.call("web_fetch", url=f"https://{host}/a", session=host)
            assert (vault.asked == []) is (host == "sea.example")
        assert sentences["web_fetch"].startswith(
            "Any program may use Fetch a web page on the sites of `allowedDomains` without asking"
        )
        services.reader.close()


@pytest.mark.parametrize(
    ("url", "settings", "reached"),
    [
        ("https://sea.example/", {"allowedDomains": ["sea.example"]}, True),
        ("https://a.sea.example/", {"allowedDomains": ["*.sea.example"]}, True),
        ("https://land.example/", {"allowedDomains": ["sea.example"]}, False),
        ("https://sea.example:8443/", {"allowedDomains": ["sea.example"]}, False),
        ("https://land.example/", {"allowAllDomains": True}, True),
        ("http://localhost:11434/", {}, True),
        ("http://localhost:8000/", {}, False),
        ("https://8.8.8.8/", {}, False),
    ],
)
def test_with_only_these_domains_no_other_is_reached_or_asked_about(
    url: str, settings: dict[str, object], *, reached: bool
) -> None:
    rules = Rules(Settings.parse(settings | {"onlyAllowedDomains": True}), frozenset())
    if reached:
        assert check(parse_url(url), rules).listed
    else:
        with pytest.raises(RequestRefused, match="onlyAllowedDomains"):
            check(parse_url(url), rules)
    assert check(parse_url(url), Rules(Settings.parse(settings), frozenset())).url == parse_url(url)


async def test_another_site_is_refused_without_a_question_also_as_a_redirect(tmp_path: Path) -> None:
    async with LocalWeb().serve() as web, sandbox(folder=tmp_path / "Vault") as vault:
        web.answers["/a"] = answer(status="302 Found", Location="https://land.example/a")
        services = web_services(web, tmp_path, lambda: vault.settings.current, lambda _exchanged: None)
        await vault.add(WebFetchTool(services))
        vault.settings.update(
            {
                "consentMode": {"web_fetch": "always_allow"},
                "allowedDomains": ["sea.example"],
                "onlyAllowedDomains": True,
            }
        )
        for url in ("https://land.example/a", "https://sea.example/a"):
            refused = await vault.call("web_fetch", url=url)
            assert (refused.data["code"], vault.asked) == ("domain", [])
            assert "`onlyAllowedDomains`" in (refused.error or "")
        assert {seen.host for seen in web.seen if seen.target == "/a"} == {"sea.example"}
        services.reader.close()
