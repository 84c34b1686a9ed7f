"""check-live asks what there is a key or an address for, and says what came of it."""

import asyncio
from pathlib import Path

import orjson
import pytest

from bridge.contract.keys import SearchService
from scripts.lib.live import check, chosen
from tests.chat.ollama_server import OllamaStandIn, ScriptedReply, calls, say, tells, use
from tests.web_servers import LocalWeb, answer


def test_only_what_there_is_a_key_or_an_address_for_is_asked() -> None:
    assert chosen({}, duckduckgo=False)[0] == []
    services, settings = chosen({"BRAVE_API_KEY": "x", "SEARXNG_URL": "http://a.example"}, duckduckgo=True)
    assert services == [SearchService.BRAVE, SearchService.SEARXNG, SearchService.DUCKDUCKGO]
    assert settings["searxngEndpoint"] == "http://a.example"


@pytest.mark.slow
async def test_a_service_is_asked_and_a_failure_counts(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("VAULT_BRIDGE_STATE", "VAULT_BRIDGE_CONFIG"):
        monkeypatch.setenv(name, str(tmp_path))  # and back afterwards, as the script sets them
    found = {"results": [{"title": "Tea", "url": "https://tea.example/", "content": "x"}]}
    async with LocalWeb().serve() as web:
        environment = {"SEARXNG_URL": f"http://127.0.0.1:{web.plain_port}"}
        web.answers["/search"] = answer(orjson.dumps(found), kind="application/json")
        assert await check(environment, duckduckgo=False) == 0
        web.answers["/search"] = answer(status="403 Forbidden")
        assert await check(environment, duckduckgo=False) == 1
        page = f"http://localhost:{web.plain_port}/page"
        web.answers["/page"] = answer(b"<title>Tea</title><article><p>Pour the water over the leaves.</p></article>")
        assert await check({}, duckduckgo=False, pages=[page]) == 0
        web.answers["/page"] = answer(status="404 Not Found")
        assert await check({}, duckduckgo=False, pages=[page]) == 1
    model = OllamaStandIn([*_reads(), [say("1\n2\n"), asyncio.Event()]])
    async with model.serve():
        assert await check({"OLLAMA_URL": model.url}, duckduckgo=False) == 0
    assert "Zebulon" in str(model.asked[1]["messages"])
    async with OllamaStandIn([tells("I do not know."), tells("No.")]).serve() as model:
        assert await check({"OLLAMA_URL": model.url}, duckduckgo=False) == 1
    async with OllamaStandIn(models=()).serve() as model:
        assert await check({"OLLAMA_URL": model.url}, duckduckgo=False) == 1
    said = capsys.readouterr().out
    assert "chat: answered" in said
    assert "chat: stopped when told to" in said
    assert "chat: FAILED, first piece" in said
    assert "ollama pull" in said
    assert "status 200" in said
    assert "'Tea'" in said
    assert "searxng: results: 1" in said
    assert "searxng: FAILED (refused)" in said


def _reads() -> list[ScriptedReply]:
    """A model that looks up what it is asked, and changes nothing."""
    return [calls(use("grep", pattern="kettle")), tells("It is called Zebulon.")]
