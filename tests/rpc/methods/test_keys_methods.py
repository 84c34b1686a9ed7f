"""keys.*: what is kept, said and logged, and who may ask."""

import logging
from typing import Any

import keyring.errors
import pytest

from bridge.contract.keys import KeySetParams
from tests.rpc.world import World

KEY = "sk-0123456789abcdef"
STATUS = {"provider", "title", "server", "isSet", "keptIn", "fault"}


async def result(world: World, method: str, **params: Any) -> Any:
    answer = await world.ask("host", method, params)
    assert "error" not in answer, answer
    return answer["result"]


async def test_a_key_is_set_said_to_be_set_and_cleared(world: World) -> None:
    kept = await result(world, "keys.set", provider="ollama", key=KEY)
    assert set(kept) == STATUS
    assert (kept["isSet"], kept["keptIn"], kept["server"]) == (True, "keyring", "http://localhost:11434")
    statuses = await result(world, "keys.status", open=True)
    assert [(status["provider"], status["isSet"]) for status in statuses] == [
        ("ollama", True),
        ("brave", False),
        ("google", False),
    ]
    assert [status["fault"] for status in await result(world, "keys.rotate")] == [None] * 3
    assert not (await result(world, "keys.clear", provider="ollama"))["isSet"]
    assert world.noted == [
        ("key", {"event": "set", "by": "Obsidian or the terminal", "of": "Ollama"}),
        ("key", {"event": "rotated", "by": "Obsidian or the terminal"}),
        ("key", {"event": "cleared", "by": "Obsidian or the terminal", "of": "Ollama"}),
    ]


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("keys.set", {"provider": "elsewhere", "key": KEY}),
        ("keys.set", {"provider": "ollama", "key": [KEY]}),
        ("keys.set", {"provider": "ollama", "key": f"{KEY} {KEY}"}),
        ("keys.set", {"provider": "ollama", "key": KEY, KEY: 1}),
        ("keys.set", {"provider": KEY, "key": KEY}),
        ("keys.clear", {"provider": KEY}),
    ],
)
async def test_what_is_refused_does_not_repeat_the_key(
    world: World, method: str, params: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    answer = await world.ask("host", method, params)
    assert answer["error"]["code"] == -32602
    if KEY not in params:
        assert KEY not in str(answer)
    assert KEY not in caplog.text
    assert world.noted == []


async def test_a_locked_keyring_is_an_error_that_says_so(world: World) -> None:
    world.ring.fault = keyring.errors.KeyringLocked()
    answer = await world.ask("host", "keys.set", {"provider": "ollama", "key": KEY})
    assert "locked" in answer["error"]["data"]["hint"]
    assert KEY not in str(answer)
    world.ring.fault = None
    await result(world, "keys.set", provider="ollama", key=KEY)
    world.ring.fault = keyring.errors.KeyringLocked()
    status, *_others = await result(world, "keys.status", open=True)
    assert "locked" in status["fault"]
    uses = world.ring.uses
    status, *_others = await result(world, "keys.status")
    assert (status["isSet"], status["fault"]) == (True, None)
    assert world.ring.uses == uses, "whoever only looks at the settings is not asked to unlock anything"


def test_the_parameters_as_text_do_not_hold_the_key() -> None:
    params = KeySetParams.model_validate({"provider": "ollama", "key": KEY})
    for text in (repr(params), str(params), params.model_dump_json(), str(params.model_dump())):
        assert KEY not in text
