"""A model on another computer: nothing is sent before the person has agreed to exactly that address."""

from pathlib import Path
from typing import Any

import pytest

from bridge.chat.endpoints import CHAT, EMBEDDING, AgreedEndpoints, Purpose, is_here
from bridge.client import ProtocolFailure
from bridge.clock import SystemClock
from bridge.errors import ExecutionFailed, InvalidParameters
from bridge.settings.model import Settings
from tests.chat.conftest import Talk
from tests.chat.ollama_server import calls, tells, use
from tests.identities import PrivateFiles
from tests.web_servers import watch_sockets


def there(endpoint: str) -> Settings:
    return Settings.model_validate({"chatEndpoint": endpoint})


@pytest.mark.parametrize(
    ("endpoint", "here"),
    [
        ("http://localhost:11434", True),
        ("http://127.0.0.1:11434", True),
        ("http://[::1]:11434", True),
        ("https://ollama.com", False),
        ("http://192.168.1.20:11434", False),
        ("http://localhost.evil.example", False),
        ("http://0.0.0.0:11434", False),
    ],
)
def test_only_this_machine_needs_no_agreement(endpoint: str, here: bool) -> None:
    assert is_here(endpoint) is here
    assert AgreedEndpoints(PrivateFiles(), SystemClock()).allows(there(endpoint)) is here


def test_an_agreement_is_for_one_origin_and_is_kept() -> None:
    files = PrivateFiles()
    agreed = AgreedEndpoints(files, SystemClock())
    agreed.agree("https://ollama.com", there("https://ollama.com/"))
    for kept in (agreed, AgreedEndpoints(files, SystemClock())):
        assert kept.allows(there("https://ollama.com"))
        assert not kept.allows(there("https://ollama.com:8443"))
        assert not kept.allows(there("http://ollama.com"))
        assert not kept.allows(there("https://evil.example"))


def test_what_was_agreed_to_has_to_be_what_is_set() -> None:
    with pytest.raises(InvalidParameters, match="look again"):
        AgreedEndpoints(PrivateFiles(), SystemClock()).agree("https://ollama.com", there("https://evil.example"))


def test_a_damaged_list_agrees_to_nothing() -> None:
    files = PrivateFiles()
    files.write(
        "agreed.json", b'{"version": 1, "endpoints": [{"origin": "https://ollama.com/x", "since": "2025-01-01"}]}'
    )
    agreed = AgreedEndpoints(files, SystemClock())
    assert not agreed.allows(there("https://ollama.com"))
    assert agreed.fault is not None
    with pytest.raises(ExecutionFailed):
        agreed.agree("https://ollama.com", there("https://ollama.com"))


@pytest.mark.parametrize(("purpose", "what"), [(CHAT, "texts of notes"), (EMBEDDING, "texts of all notes")])
def test_the_sentence_says_where_and_what(purpose: Purpose, what: str) -> None:
    agreed = AgreedEndpoints(PrivateFiles(), SystemClock(), purpose)
    said = agreed.sentence(there("https://ollama.com"))
    assert "https://ollama.com" in said
    assert what in said
    assert said in agreed.refusal(there("https://ollama.com")).message


def test_to_agree_to_one_purpose_is_not_to_agree_to_the_other() -> None:
    files = PrivateFiles()
    chat, embedding = (AgreedEndpoints(files, SystemClock(), purpose) for purpose in (CHAT, EMBEDDING))
    chat.agree("https://ollama.com", there("https://ollama.com"))
    assert chat.allows(there("https://ollama.com"))
    assert not embedding.allows(there("https://ollama.com"))
    embedding.agree("https://ollama.com", there("https://ollama.com"))
    for kept in (chat, embedding, AgreedEndpoints(files, SystemClock(), EMBEDDING)):
        assert kept.allows(there("https://ollama.com"))


async def test_nothing_is_connected_to_before_the_person_has_agreed(talk: Talk) -> None:
    talk.bridge.settings.update({"chatEndpoint": "http://192.0.2.7:11434"})
    with watch_sockets() as sockets:
        with pytest.raises(ProtocolFailure) as refused:
            await talk.send("Hello", model="m")
        found = await talk.person.host.request("chat.models")
    assert "192.0.2.7" in str(refused.value.hint)
    assert (found["allowed"], found["models"]) == (False, [])
    assert "192.0.2.7" in found["sentence"]
    assert not [address for address in sockets.connections if "192.0.2.7" in str(address)]
    assert await talk.person.host.request("chat.list") == []


async def test_an_address_that_changes_in_the_middle_of_a_turn_gets_nothing(talk: Talk) -> None:
    """Settings can come from elsewhere at any moment; what was read by then must not go there."""
    talk.person.answer = None
    talk.ollama.script = [calls(use("read", path="Notes/Meeting.md"))]
    await talk.send("Read")
    question = await talk.person.until_asked()
    talk.bridge.settings.update({"chatEndpoint": "http://192.0.2.7:11434"})
    with watch_sockets() as sockets:
        await talk.person.respond(question, "allow_once")
        await talk.until(lambda: bool(talk.done))
    assert talk.done[0]["end"] == "failed"
    assert "Nobody has agreed to that yet" in talk.done[0]["message"]
    assert not [address for address in sockets.connections if "192.0.2.7" in str(address)]


async def test_an_agreement_is_logged_also_where_the_server_does_not_answer(talk: Talk) -> None:
    talk.bridge.settings.update({"chatEndpoint": "https://model.invalid"})
    with pytest.raises(ProtocolFailure) as failed:
        await talk.person.host.request("chat.allow", endpoint="https://model.invalid")
    assert "No Ollama server answers" in str(failed.value.hint)
    (logged,) = await talk.person.log("chat")
    assert (logged["event"], logged["of"], logged["by"]) == ("endpoint_allowed", "https://model.invalid", "Ada")
    assert logged["sentence"] == "The chat was allowed to use a model at https://model.invalid"


async def test_settings_that_come_with_a_vault_bring_no_agreement(talk: Talk, tmp_path: Path) -> None:
    """The address is a setting and can be synced; the agreement is in the user's own folder."""
    talk.bridge.settings.update({"chatEndpoint": "http://192.0.2.7:11434"})
    inside = [path for path in talk.vault.rglob("*") if path.is_file()]
    assert any(b"192.0.2.7" in path.read_bytes() for path in inside)
    assert not [path for path in inside if path.name == "agreed.json"]
    del tmp_path


async def test_the_models_of_this_machine_are_listed(talk: Talk) -> None:
    talk.ollama.models = ("a:1b", "b:2b")
    found: dict[str, Any] = await talk.person.host.request("chat.models")
    assert [model["name"] for model in found["models"]] == ["a:1b", "b:2b"]
    assert (found["endpoint"], found["allowed"], found["model"]) == (talk.ollama.url, True, None)


async def test_without_a_chosen_model_the_only_one_is_taken_and_of_several_none(talk: Talk) -> None:
    talk.ollama.script = [tells("Hello.")]
    assert (await talk.send("Hello"))["model"] == "scripted"
    await talk.until(lambda: bool(talk.done))
    talk.ollama.models = ("a:1b", "b:2b")
    with pytest.raises(ProtocolFailure) as refused:
        await talk.send("Hello")
    assert "a:1b, b:2b" in str(refused.value.hint)
    talk.ollama.models = ()
    with pytest.raises(ProtocolFailure) as refused:
        await talk.send("Hello")
    assert "ollama pull" in str(refused.value.hint)
    talk.bridge.settings.update({"chatModel": "c:3b"})
    assert (await talk.send("Hello"))["model"] == "c:3b"


async def test_the_key_goes_only_to_the_server_that_it_was_set_for(talk: Talk) -> None:
    from bridge.contract.keys import Provider  # noqa: PLC0415 - only here

    talk.bridge.settings.update({"ollamaWebSearchEndpoint": talk.ollama.url})
    talk.bridge.services.keys.set(Provider.OLLAMA, "k" * 32)
    await talk.ask("Hello")
    assert talk.ollama.headers[-1]["authorization"] == f"Bearer {'k' * 32}"
    talk.bridge.settings.update({"ollamaWebSearchEndpoint": "https://ollama.com"})
    await talk.ask("Hello")
    assert "authorization" not in talk.ollama.headers[-1]


@pytest.mark.parametrize(
    ("model", "facts"),
    [
        ("mine", {"remote_host": "https://ollama.com:443", "remote_model": "gpt-oss:120b"}),
        ("mine", {"remote_model": "gpt-oss:120b"}),
        ("mine", {"remote_host": "somewhere"}),
        ("gpt-oss:120b-cloud", {}),
        ("glm-4.6:CLOUD", {}),
    ],
)
async def test_a_model_that_this_computer_passes_on_to_another_gets_nothing(
    talk: Talk, model: str, facts: dict[str, Any]
) -> None:
    talk.ollama.models, talk.ollama.facts = [model], facts
    done = await talk.ask("My secret", model=model)
    assert done["end"] == "failed"
    assert "does not run on this server" in done["message"]
    assert talk.ollama.asked == []


async def test_a_model_that_is_passed_on_from_the_middle_of_a_turn_gets_nothing_more(talk: Talk) -> None:
    talk.person.answer = None
    talk.ollama.script = [calls(use("read", path="Notes/Meeting.md"))]
    await talk.send("Read")
    question = await talk.person.until_asked()
    talk.ollama.facts = {"remote_host": "https://ollama.com:443"}
    await talk.person.respond(question, "allow_once")
    await talk.until(lambda: bool(talk.done))
    assert "https://ollama.com" in talk.done[0]["message"]
    assert len(talk.ollama.asked) == 1


@pytest.mark.parametrize("model", ["my-cloud", "cloud", "cloud:latest", "some-cloud:8b"])
async def test_a_model_of_this_computer_may_be_called_after_a_cloud(talk: Talk, model: str) -> None:
    talk.ollama.models, talk.ollama.script = [model], [tells("Hello")]
    assert (await talk.ask("Hello", model=model))["end"] == "answered"


async def test_a_server_may_name_itself_as_the_one_that_runs_a_model(talk: Talk) -> None:
    talk.ollama.facts, talk.ollama.script = {"remote_host": f"{talk.ollama.url}/"}, [tells("Hello")]
    assert (await talk.ask("Hello"))["end"] == "answered"
