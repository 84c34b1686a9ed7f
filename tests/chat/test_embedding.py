"""Notes are embedded by Ollama where the person has chosen a model of it, and nothing goes where nobody agreed to."""

import asyncio
import math
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bridge.app import Bridge
from bridge.chat.endpoints import EMBEDDING, AgreedEndpoints
from bridge.chat.ollama import ModelFailure, OllamaEmbeddings, OllamaServer
from bridge.client import Connection, ProtocolFailure, connect
from bridge.clock import SystemClock
from bridge.errors import ExecutionFailed, PermissionDenied, ToolFailure
from tests.chat.embedding_server import Embedding, Fault, embedded, raw, refused
from tests.identities import PrivateFiles
from tests.patience import PATIENCE
from tests.people import Person, person_at, until_read
from tests.web_servers import watch_sockets

pytest.importorskip("numpy", reason="comes with the extra `semantic`")

QUESTION = "which laundry appliance is leaking on the bathroom floor at night"


@dataclass
class House:
    """A vault that is served, the person, an agent, and the server that embeds."""

    vault: Path
    bridge: Bridge
    person: Person
    agent: Connection
    ollama: Embedding

    def choose(self, **settings: Any) -> None:
        """Choose the server and its model."""
        self.bridge.settings.update({"chatEndpoint": self.ollama.url, "semanticModel": "words"} | settings)

    async def status(self) -> dict[str, Any]:
        """How far it is."""
        found: dict[str, Any] = (await self.person.host.request("vault.status"))["semantic"]
        return found

    async def until(self, done: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Wait until it is so far."""
        found: dict[str, Any] = {}
        try:
            async with asyncio.timeout(PATIENCE):
                while True:
                    found = await self.status()
                    if done(found):
                        return found
                    await asyncio.sleep(0.02)  # leaves the processor to what is waited for
        except TimeoutError:
            raise AssertionError(found) from None

    async def ready(self, notes: int, model: str = "words") -> dict[str, Any]:
        """Wait until so many notes are embedded with a model."""
        return await self.until(
            lambda found: (found["state"], found["done"], found["model"]) == ("ready", notes, model)
        )

    async def ask(self, tool: str = "search_notes", **arguments: Any) -> Any:
        """What an agent is answered."""
        return (await self.agent.call(tool, arguments or {"query": QUESTION})).or_raise()


@pytest.fixture
async def house(vault: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[House]:
    # A busy machine may need longer for a question than a person should wait.
    monkeypatch.setattr("bridge.index.vectors.served.QUERY_SECONDS", PATIENCE)
    (vault / "Laundry.md").write_text("The washing machine drips; the drum needs a new seal.", encoding="utf-8")
    (vault / "Private").mkdir()
    (vault / "Private" / "Diary.md").write_text("nobody may read this", encoding="utf-8")
    (vault / ".vault-bridge").mkdir(exist_ok=True)
    (vault / ".vault-bridge" / "permissions.json").write_text('{"Private/": "---"}', encoding="utf-8")
    async with AsyncExitStack() as stack:
        ollama = await stack.enter_async_context(Embedding().serve())
        bridge = await stack.enter_async_context(Bridge(vault))
        person = await stack.enter_async_context(person_at(vault))
        agent = await stack.enter_async_context(connect(vault, name="agent"))
        always = dict.fromkeys(["search_notes", "search_vectors", "codebase_search", "find_related"], "always_allow")
        bridge.settings.update({"enabledTools": ["*"], "consentMode": always, "globalRateLimit": 1000})
        bridge.settings.update({"semanticSearch": "on", "rateLimits": dict.fromkeys(always, 1000)})
        await until_read(person.host)
        yield House(vault, bridge, person, agent, ollama)


def open_notes(vault: Path) -> int:
    """How many notes agents may read."""
    return sum(1 for path in vault.rglob("*.md") if "Private" not in path.parts)


async def test_a_question_in_other_words_finds_a_note_by_the_chosen_model(house: House) -> None:
    house.choose()
    status = await house.ready(open_notes(house.vault))
    assert status["reason"] == ""
    found = await house.ask()
    assert found.data["results"][0]["path"] == "Laundry.md"
    assert found.raw["metadata"]["byMeaning"] is True


async def test_a_client_that_has_the_same_model_may_search_with_vectors(house: House) -> None:
    house.choose()
    await house.ready(open_notes(house.vault))
    found = await house.ask("search_vectors", vector=embedded("washing machine drips", 32))
    assert found.data[0]["path"] == "Laundry.md"
    assert found.data[0]["score"] > 0.5
    for wrong, why in (([1.0, 2.0], "those of words have 32"), ([0.0] * 32, "not all 0")):
        refusal = await house.agent.call("search_vectors", vector=wrong)
        assert why in refusal.text


async def test_closed_notes_are_never_sent(house: House) -> None:
    house.choose()
    await house.ready(open_notes(house.vault))
    await house.ask()
    assert any("washing machine" in text for text in house.ollama.texts)
    assert not [text for text in house.ollama.texts if "nobody may read" in text or "Diary" in text]


async def test_a_note_that_is_closed_while_the_server_is_away_loses_its_vectors(house: House) -> None:
    house.choose()
    before = await house.ready(open_notes(house.vault))
    house.ollama.fault = refused(500, "out of order")
    (house.vault / ".vault-bridge" / "permissions.json").write_text(
        '{"Private/": "---", "Laundry.md": "---"}', encoding="utf-8"
    )
    (house.vault / "New.md").write_text("another note", encoding="utf-8")  # which is noticed at once
    await house.until(lambda found: found["passages"] < before["passages"])
    assert not [entry for entry in (await house.ask("find_related", name="Ideas")).data if "Laundry" in entry["path"]]


async def test_another_model_is_used_at_once_and_all_notes_are_prepared_anew(house: House) -> None:
    house.ollama.models["other:latest"] = 48
    house.choose()
    await house.ready(open_notes(house.vault))
    house.choose(semanticModel="other")
    await house.ready(open_notes(house.vault), "other")
    found = await house.ask("search_vectors", query=QUESTION)
    assert (found.raw["metadata"]["model"], found.raw["metadata"]["dimensions"]) == ("other", 48)
    assert found.data[0]["path"] == "Laundry.md"


async def test_a_new_version_of_the_model_is_noticed_and_all_notes_are_prepared_anew(house: House) -> None:
    house.choose()
    await house.ready(open_notes(house.vault))
    house.ollama.models["words:latest"] = 40
    house.ollama.digests["words:latest"] = "sha256:" + "b" * 64
    (house.vault / "New.md").write_text("another note", encoding="utf-8")
    await house.ready(open_notes(house.vault))
    async with asyncio.timeout(PATIENCE):
        while True:
            found = await house.ask("search_vectors", query=QUESTION)
            if found.raw["metadata"].get("dimensions") == 40:
                break
            await asyncio.sleep(0.02)
    assert found.data[0]["path"] == "Laundry.md"


async def test_without_the_server_words_decide_and_that_is_said(house: House) -> None:
    house.choose()
    await house.ready(open_notes(house.vault))
    house.ollama.fault = refused(503, "busy")
    for tool in ("search_notes", "codebase_search", "search_vectors"):
        found = await house.ask(tool, query="what is the agenda of the weekly meeting on mondays")
        assert "the model for search by meaning does not answer now" in found.text
        assert found.raw["metadata"]["wordsOnly"] == "the model for search by meaning does not answer now"
        assert "Meeting.md" in found.text
        assert house.ollama.url not in str(found.raw)


async def test_a_server_that_comes_later_is_used(house: House) -> None:
    house.bridge.settings.update({"chatEndpoint": "http://127.0.0.1:9", "semanticModel": "words"})
    status = await house.until(lambda found: found["state"] == "failed")
    assert "No Ollama server answers" in status["reason"]
    house.choose()
    await house.ready(open_notes(house.vault))


async def test_a_model_that_is_not_there_is_named_with_the_command_that_gets_it(house: House) -> None:
    house.choose(semanticModel="nomic-embed-text")
    status = await house.until(lambda found: found["state"] == "failed")
    assert "ollama pull nomic-embed-text" in status["reason"]
    assert house.ollama.asked == [], "no note was sent"


async def test_a_model_that_ollama_has_run_by_others_gets_nothing(house: House) -> None:
    house.ollama.models["far:cloud"] = 32
    house.ollama.remote.add("far:cloud")
    house.choose(semanticModel="far:cloud")
    status = await house.until(lambda found: found["state"] == "failed")
    assert "https://ollama.com" in status["reason"]
    assert house.ollama.asked == []


async def test_nothing_is_sent_to_another_computer_before_the_person_agrees(house: House) -> None:
    with watch_sockets() as sockets:
        house.choose(chatEndpoint="http://192.0.2.7:11434")
        status = await house.until(lambda found: found["state"] == "not_allowed")
        await house.ask()
    assert (status["endpoint"], status["done"]) == ("http://192.0.2.7:11434", 0)
    assert "texts of all notes" in status["sentence"]
    assert "vault-bridge rebuild" in status["reason"]
    assert not [address for address in sockets.connections if "192.0.2.7" in str(address)]


async def test_agreeing_to_the_chat_is_not_agreeing_to_send_all_notes(house: House) -> None:
    endpoint = "http://model.invalid:11434"
    house.choose(chatEndpoint=endpoint)
    await house.until(lambda found: found["state"] == "not_allowed")
    house.bridge.services.parts.embedding_servers.get().agree(endpoint, house.bridge.settings.current)
    house.bridge.core.base.vectors.get().changed()
    failed = await house.until(lambda found: found["state"] == "failed")
    assert "No Ollama server answers" in failed["reason"]
    with pytest.raises(ProtocolFailure) as refusal:
        await house.person.host.request("chat.send", text="Hello", model="m")
    assert "Nobody has agreed" in str(refusal.value.hint)


async def test_the_person_agrees_over_the_socket_and_that_is_logged(house: House) -> None:
    endpoint = "http://model.invalid:11434"
    house.choose(chatEndpoint=endpoint)
    await house.until(lambda found: found["state"] == "not_allowed")
    await house.person.host.request("semantic.allow", endpoint=endpoint)
    await house.until(lambda found: found["state"] == "failed")
    (logged,) = await house.person.log("chat")
    assert logged["sentence"] == f"Search by meaning was allowed to use a model at {endpoint}"


async def test_the_bridge_stops_while_the_server_keeps_it_waiting(house: House) -> None:
    house.ollama.hold.clear()
    house.choose()
    async with asyncio.timeout(PATIENCE):
        await house.ollama.waiting.wait()
        await asyncio.to_thread(house.bridge.core.base.vectors.get().close)


# -- the server's answers ---------------------------------------------------------------------------------------------


def rows(*texts: str) -> bytes:
    return f'{{"embeddings": [{", ".join(texts)}]}}'.encode()


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (refused(404, "model 'm' not found, try pulling it first"), "no_model"),
        (refused(500, "model requires more system memory"), "server"),
        (refused(401, "unauthorized"), "refused"),
        (raw(b"<html>"), "format"),
        (raw(b"[]"), "format"),
        (raw(b"{}"), "format"),
        (raw(rows("[1, 2]")), "format"),
        (raw(rows("[1, 2]", "[1, 2]", "[1, 2]")), "format"),
        (raw(rows("[1, 2]", "[1]")), "format"),
        (raw(rows("[]", "[]")), "format"),
        (raw(rows("[1, NaN]", "[1, 2]")), "format"),
        (raw(rows("[1, null]", "[1, 2]")), "format"),
        (raw(rows("[1, 1e999]", "[1, 2]")), "format"),
        (raw(rows('[1, "2"]', "[1, 2]")), "format"),
        (raw(rows("[1, true]", "[1, 2]")), "format"),
        (raw(rows("[1, [2]]", "[1, 2]")), "format"),
        (raw(rows("7", "8")), "format"),
        (raw(rows(f"[{'1,' * 20_000}1]", f"[{'1,' * 20_000}1]")), "format"),
        (raw(b'{"embeddings": "' + b"x" * (1 << 20) + b'"}'), "format"),
    ],
)
async def test_an_answer_that_is_none_is_a_failure_that_says_what(house: House, fault: Fault, code: str) -> None:
    house.bridge.settings.update({"chatEndpoint": house.ollama.url})
    house.ollama.fault = fault
    with pytest.raises(ModelFailure) as failed:
        await server(house).embed("m", ["one", "two"], house.bridge.settings.current, PATIENCE)
    assert failed.value.code == code


async def test_an_answer_that_never_ends_is_given_up(house: House) -> None:
    house.bridge.settings.update({"chatEndpoint": house.ollama.url})
    house.ollama.hold.clear()
    with pytest.raises(ModelFailure) as failed:
        await server(house).embed("words", ["one"], house.bridge.settings.current, 0.2)
    assert failed.value.code == "silence"


async def test_an_answer_larger_than_any_vectors_is_given_up(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.chat.ollama.EMBEDDINGS", 100_000)
    house.bridge.settings.update({"chatEndpoint": house.ollama.url})
    house.ollama.fault = raw(rows("[1]", "[1]") + b" " * 200_000)
    with pytest.raises(ToolFailure):
        await server(house).embed("m", ["one", "two"], house.bridge.settings.current, PATIENCE)


async def test_texts_that_no_json_can_hold_are_embedded_all_the_same(house: House) -> None:
    house.bridge.settings.update({"chatEndpoint": house.ollama.url})
    found = await server(house).embed("words", ["\ud800 lone", "", "\x00"], house.bridge.settings.current, PATIENCE)
    assert len(found) == 3
    assert all(math.isfinite(number) for row in found for number in row)


async def test_the_server_is_asked_about_all_notes_only_with_an_agreement_of_its_own(house: House) -> None:
    house.bridge.settings.update({"chatEndpoint": "http://192.0.2.7:11434"})
    with watch_sockets() as sockets, pytest.raises(PermissionDenied):
        await server(house).embed("m", ["one"], house.bridge.settings.current, PATIENCE)
    assert not [address for address in sockets.connections if "192.0.2.7" in str(address)]


async def test_whoever_waits_is_released_when_it_is_closed(house: House) -> None:
    house.bridge.settings.update({"chatEndpoint": house.ollama.url})
    house.ollama.hold.clear()
    asking = OllamaEmbeddings(server(house), lambda: house.bridge.settings.current, asyncio.get_running_loop())
    waiting = asyncio.create_task(asyncio.to_thread(asking.embed, "words", ["one"], PATIENCE))
    async with asyncio.timeout(PATIENCE):
        await house.ollama.waiting.wait()
        asking.close()
        with pytest.raises(ExecutionFailed):
            await waiting
    with pytest.raises(ExecutionFailed):
        await asyncio.to_thread(asking.version, "words")


def server(house: House) -> OllamaServer:
    """Ollama as search by meaning asks it, with nothing agreed to."""
    agreed = AgreedEndpoints(PrivateFiles(), SystemClock(), EMBEDDING)
    return OllamaServer(house.bridge.core.network.door, house.bridge.services.keys, agreed)
