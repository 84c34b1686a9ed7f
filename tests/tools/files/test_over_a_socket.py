"""The file tools through the real bridge: an agent and a person, each with a connection of their own."""

from pathlib import Path

import pytest

from bridge.app import Bridge
from bridge.client import connect
from scripts.lib.consenting import consenting_host
from tests.tools.files.conftest import said


@pytest.fixture(autouse=True)
def _long_note(vault: Path) -> None:
    (vault / "Long.md").write_text("x\n" * 3000, encoding="utf-8")


async def test_an_agent_reads_writes_and_the_person_takes_it_back(vault: Path) -> None:
    before = (vault / "Notes" / "Windows.md").read_bytes()
    async with Bridge(vault) as bridge, consenting_host(vault):
        bridge.settings.update({"enabledTools": ["*"]})
        async with connect(vault, name="Robot") as agent, connect(vault, name="me", role="host") as person:
            listed = (await agent.call("list_files", pattern="notes/*.md")).or_raise()
            assert {item["path"] for item in listed.data} == {"Notes/Meeting.md", "Notes/Windows.md"}
            edited = (
                await agent.call("edit_file", path="notes/windows.md", old_text="ship", new_text="ship it")
            ).or_raise()
            assert said(edited) == 'Replaced 1 occurrence in "Notes/Windows.md".'
            read = (await agent.call("read_file", path="Notes/Windows.md")).or_raise()
            assert read.text == "1: # Windows\n2:\n3: TODO: ship it\n\n[Showing lines 1-3 of 3 total]"
            assert (await agent.call("get_file_info", path="Notes/Windows.md")).or_raise().data["size"] == len(
                before
            ) + 3
            await person.request("history.undo")
    assert (vault / "Notes" / "Windows.md").read_bytes() == before


async def test_the_person_hands_a_long_file_over_by_attaching_it(vault: Path) -> None:
    whole = {"file_path": "Long.md", "read_entire_file": True}
    async with Bridge(vault) as bridge, consenting_host(vault):
        bridge.settings.update({"enabledTools": ["*"]})
        async with connect(vault, name="Robot") as agent, connect(vault, name="me", role="host") as person:
            assert "truncated" in (await agent.call("read_file", whole)).or_raise().text
            await person.request("session.attach", path="long.md")
            assert (
                (await agent.call("read_file", whole)).or_raise().text.endswith("[Showing lines 1-3000 of 3000 total]")
            )


async def test_a_file_that_an_agent_wrote_is_handed_to_it(vault: Path) -> None:
    async with Bridge(vault) as bridge, consenting_host(vault):
        bridge.settings.update({"enabledTools": ["*"]})
        async with connect(vault, name="Robot") as agent:
            (await agent.call("modify_note", path="Long", operation="append", content="end")).or_raise()
            result = (await agent.call("read_file", path="Long.md", read_entire_file=True)).or_raise()
    assert said(result).endswith("3001: end\n\n[Showing lines 1-3001 of 3001 total]")
