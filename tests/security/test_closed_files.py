"""Agents cannot see a file that the permission file closes for reading."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bridge.app import Bridge
from bridge.client import Connection, connect
from bridge.contract.identity import Capability
from tests.people import Person, add_client, named

SECRET = "the secret word"


@pytest.fixture
async def agent(vault: Path) -> AsyncIterator[Connection]:
    (vault / "Private").mkdir()
    (vault / "Private" / "Diary.md").write_text(f"# Diary\n\n{SECRET}\n", encoding="utf-8")
    async with Bridge(vault) as bridge:
        reads = dict.fromkeys(("find", "grep", "read"), "always_allow")
        bridge.settings.update({"enabledTools": ["*"], "consentMode": reads})
        (vault / ".vault-bridge" / "permissions.json").write_text('{"Private/": "---"}', encoding="utf-8")
        async with connect(vault, name="Robot") as client:
            yield client


async def test_find_and_grep_pass_it_over(agent: Connection) -> None:
    found = await agent.call("find", pattern="**/*.md")
    assert "Private" not in found.text
    assert "Notes/Meeting.md" in found.text
    assert (await agent.call("grep", pattern="secret")).data == []
    assert (await agent.call("find", pattern="diary")).data == []


@pytest.mark.parametrize("path", ["Private/Diary.md", "private/DIARY.md", "Private/nothing.md"])
async def test_read_is_refused_by_the_rule(agent: Connection, path: str) -> None:
    result = await agent.call("read", path=path)
    assert (result.raw["data"]["code"], result.raw["data"]["rule"]) == ("denied_by_rule", "file:Private/")
    assert "permissions.json" in (result.error or "")


async def test_a_patch_discloses_nothing_of_it_either(agent: Connection) -> None:
    patch = f"--- Private/Diary.md\n+++ Private/Diary.md\n@@ -3,1 +3,1 @@\n-{SECRET}\n+x\n"
    for guess in (patch, patch.replace(SECRET, "a wrong guess")):
        called = (await agent.call("apply_patch", patch=guess)).raw
        told = [called, await agent.preview("apply_patch", {"patch": guess})]
        assert {(answer["data"]["code"], answer["data"]["rule"]) for answer in told} == {
            ("denied_by_rule", "file:Private/")
        }


async def test_comparing_the_indexes_tells_a_program_that_may_administer_nothing_of_it(
    bridge: Bridge, person: Person, vault: Path
) -> None:
    (vault / "Private").mkdir()
    (vault / "Private" / "Diary.md").write_text("#secret [[Notes/Meeting]]\n", encoding="utf-8")
    (vault / ".vault-bridge" / "permissions.json").write_text('{"Private/": "---"}', encoding="utf-8")
    added = await add_client(person, vault, "Ada")
    bridge.services.clients.allow(added["client"]["clientId"], Capability.ADMINISTER)
    facts = {"resolved": {}, "unresolved": {}, "tags": [], "mtime": 1, "size": 1}
    asked = {"files": {"Private/Diary.md": facts}, "notes": []}
    async with named(vault, "Ada") as ada:
        told = await ada.request("index.compare", **asked)
    assert "Notes/Meeting.md" in str(told)
    assert "Private" not in str(told)
    assert "Private/Diary.md" in str(await person.host.request("index.compare", **asked))
