"""The conformance suite of the Model Context Protocol, against the product.

It runs on `/mcp` of a real bridge, with some tools and prompts more that it calls by name, through a proxy that adds
the token. What a vault has no use for is listed, and runs on a server made for it behind the same door. A scenario that
is new in the suite fails here until somebody decides which of the two it is.
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bridge.mcp.results import PROMPTS
from bridge.server import mcp_sessions
from tests.mcp.clients import node
from tests.mcp.clients.fixture_server import FixtureServer
from tests.mcp.clients.fixture_tools import fixture_tools
from tests.mcp.clients.token_proxy import token_proxy
from tests.mcp.doors import Door, open_door

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

FIXTURE = {
    # answers of tools and prompts that have more in them than texts, images and links to notes
    *("tools-call-audio", "tools-call-embedded-resource", "tools-call-mixed-content"),
    *("prompts-get-embedded-resource", "prompts-get-with-image"),
    # resources that are no notes (`test://`), and being notified when one changes
    *("resources-read-text", "resources-read-binary", "resources-templates-read"),
    *("resources-subscribe", "resources-unsubscribe"),
    # a capability that is deprecated, and that we do not declare
    *("logging-set-level", "tools-call-with-logging"),
    # asking the client for more than a yes to a reading call
    *("tools-call-sampling", "tools-call-elicitation", "elicitation-sep1034-defaults", "elicitation-sep1330-enums"),
    *(
        f"input-required-result-{what}"
        for what in (
            *("basic-elicitation", "basic-sampling", "basic-list-roots", "request-state", "multiple-input-requests"),
            *("multi-round", "non-tool-request", "result-type", "tampered-state", "capability-check"),
        )
    ),
}
"""What a vault has no use for: it is tried with a server made for it, behind the bridge's own door."""
NOWHERE = {"server-sse-polling"}
"""Streams are not resumed: a call that is lost with one is withdrawn, and asked again."""
FIXTURE_CHECKS = {"sep-2575-server-rejects-undeclared-capability", "sep-2575-missing-capability-http-400"}
"""Single checks of the scenario `server-stateless`: of a tool that needs something of its client."""
REVISIONS = {"2025-11-25": (16, 16), "2026-07-28": (22, 18)}
"""With how many scenarios must pass on the product, and with the fixture."""


@pytest.fixture
async def door(vault: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Door]:
    await asyncio.to_thread(node.clients)
    simple = {"title": "Simple", "text": "This is a simple prompt for testing.", "arguments": {}}
    text = "Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"
    worded = {"title": "With arguments", "text": text, "arguments": {"arg1": "First", "arg2": "Second"}}
    for name, prompt in (("test_simple_prompt", simple), ("test_prompt_with_arguments", worded)):
        monkeypatch.setitem(PROMPTS, name, prompt)
    async with open_door(vault, globalRateLimit=1000) as door:
        door.person.answer = "allow_once"
        await door.bridge.services.registry.add(fixture_tools())
        yield door


async def failures(door: Door, results: Path, revision: str) -> dict[str, list[str]]:
    """What fails of each scenario that there is for a revision."""
    suite = [*node.program("conformance"), "server", "--suite", "all", "--spec-version", revision]
    async with token_proxy(door.bridge.discovery.http, door.token("Robot")) as url:
        done = await asyncio.to_thread(node.run, *suite, "--url", url, "--output-dir", str(results))
    return await asyncio.to_thread(_failed, results, done.stderr)


def _failed(results: Path, said: str) -> dict[str, list[str]]:
    failed: dict[str, list[str]] = {}
    for checks in sorted(results.glob("*/checks.json")):
        name = re.sub(r"^server-|-\d{4}-\d\d-\d\dT.*$", "", checks.parent.name)
        failed[name] = [
            f"{check['id']}: {check.get('errorMessage')}"
            for check in json.loads(checks.read_text(encoding="utf-8"))
            if check["status"] == "FAILURE"
        ]
    assert failed, said
    return failed


@pytest.mark.parametrize("revision", REVISIONS)
async def test_every_scenario_that_applies_passes(door: Door, tmp_path: Path, revision: str) -> None:
    failed = await failures(door, tmp_path / "results", revision)
    surprising = {
        name: rest
        for name, why in failed.items()
        if name not in FIXTURE | NOWHERE and (rest := [one for one in why if one.split(":")[0] not in FIXTURE_CHECKS])
    }
    assert surprising == {}
    assert len(failed.keys() - FIXTURE - NOWHERE) == REVISIONS[revision][0]


@pytest.mark.parametrize("revision", REVISIONS)
async def test_what_a_vault_has_no_use_for_works_behind_the_same_door(
    door: Door, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, revision: str
) -> None:
    """A server of the suite's own wishes, over our route, token, sessions and adapter."""
    monkeypatch.setattr(mcp_sessions, "VaultServer", FixtureServer)
    failed = await failures(door, tmp_path / "results", revision)
    assert {name: why for name, why in failed.items() if why and name in FIXTURE | {"server-stateless"}} == {}
    assert len(failed.keys() & FIXTURE) == REVISIONS[revision][1]
