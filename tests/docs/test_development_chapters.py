"""What `docs/development.md` shows of a setting, a method and an event works, and its table leads somewhere."""

import json
import re
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from bridge.app import Bridge
from bridge.client import connect
from bridge.contract import consent, events, session
from bridge.identity.caller import SHARED, Caller
from bridge.policy.targets import server_tool_target
from bridge.rpc.methods import METHODS, status
from bridge.settings import model
from bridge.testing import sandbox
from bridge.toolkit import tool
from bridge.toolkit.parameters import JsonSchemaParameters
from bridge.toolkit.registry import ToolProvider
from scripts.lib.demo import copy_sample
from tests.rpc.world import FakeTransport, World

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "development.md").read_text(encoding="utf-8")


def snippet(start: str) -> str:
    """The code that begins with the name of its file."""
    block = re.search(rf"^```py\n *# {re.escape(start)}.*?\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert block
    return block[1]


def run(code: str, names: dict[str, Any]) -> dict[str, Any]:
    """Run code with a module's names, outside the module; what there is then."""
    names = dict(names) | {"__name__": "page"}
    exec(compile(code, "page.py", "exec"), names)  # noqa: S102 - the page's own example
    return names


def test_the_setting_of_the_page_has_its_name_and_its_default() -> None:
    shown = snippet("bridge/settings/model.py")
    extended = run(shown, vars(model) | {"BaseModel": model.Settings})["Settings"]  # on top of the settings there are
    assert extended().to_wire()["grepLongestLine"] == 500


async def test_the_method_of_the_page_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    models = run(snippet("bridge/contract/session.py"), vars(session))
    *_, method = run(snippet("bridge/rpc/methods/status.py"), models | vars(status))["METHODS"]
    monkeypatch.setattr("bridge.server.server.METHODS", {**METHODS, method.name: method})
    vault = copy_sample(tmp_path)
    async with Bridge(vault), connect(vault, name="me") as agent:
        assert await agent.request("vault.folders", below="K") == {"folders": ["Kitchen"]}


async def test_the_event_of_the_page_reaches_a_host() -> None:
    event = run(snippet("bridge/contract/events.py"), vars(events))["VaultUnreachable"]
    world, transport = World(), FakeTransport()
    world.open("host", transport)
    world.hub.notify_hosts(event(since="now"))
    assert [(sent["method"], sent["params"]) for sent in transport.sent] == [("vault.unreachable", {"since": "now"})]


async def test_the_provider_of_the_page_is_added_called_and_removed_while_the_bridge_runs() -> None:
    names = (
        vars(tool)
        | vars(consent)
        | {
            "json": json,
            "ToolProvider": ToolProvider,
            "Caller": Caller,
            "server_tool_target": server_tool_target,
            "JsonSchemaParameters": JsonSchemaParameters,
            "AsyncIterator": AsyncIterator,
            "Sequence": Sequence,
        }
    )
    provider = run(snippet("bridge/tools/forecast.py"), names)["ForecastProvider"]()
    async with sandbox(memory=True) as vault:
        await vault.add(provider)
        result = await vault.succeed("forecast", city="Kiel")
        assert result.text == "In Kiel it will rain"
        assert vault.asked[-1]["touches"] == [{"kind": "server_tool", "label": "weather/forecast"}]
        assert vault.registry.get("forecast", Caller(SHARED, "link-1")) is None
        assert (await vault.call("forecast", town="Kiel")).error_type == "invalid_parameters"
        await vault.registry.remove("weather")
        assert not (await vault.call("forecast", city="Kiel")).success


def test_every_rule_of_the_table_has_a_file_and_a_test() -> None:
    table = PAGE.split("\n## Where is the rule that …\n", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| (.*\?) \| (.*) \| (.*) \|$", table, re.MULTILINE)
    assert len(rows) > 20
    for question, rule, test in rows:
        assert re.search(r"`[\w/]+\.(py|toml)`", rule), question
        assert re.search(r"`(tests/[\w/]+\.py|python3 scripts/check)`", test), question
