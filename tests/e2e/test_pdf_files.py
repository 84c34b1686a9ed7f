"""A PDF file in a served vault is found by its words and read by its pages, and a closed one is neither."""

import asyncio
from pathlib import Path

import pytest

from bridge.app import Bridge
from bridge.client import connect
from bridge.index import file_text_index
from tests.patience import PATIENCE
from tests.pdf import pdf_files
from tests.people import person_at, until_read

pytestmark = pytest.mark.slow


async def test_a_pdf_is_found_read_closed_and_switched_off(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_text_index, "START_SECONDS", 0.0)
    (vault / "Boiler.pdf").write_bytes(pdf_files.pages("Safety first.", "Descale the kettle in spring."))
    async with Bridge(vault) as bridge, person_at(vault) as person:
        bridge.settings.update({"enabledTools": ["search", "read"]})
        person.answer = "allow_once"
        async with connect(vault, name="agent") as agent:
            await until_read(agent)
            async with asyncio.timeout(PATIENCE):
                while not await asyncio.to_thread(bridge.index.with_text, ".pdf"):
                    pass
            found = (await agent.call("search", {"query": '"descale the kettle"'})).or_raise()
            assert found.data["results"][0]["page"] == 2
            assert found.raw["text"].splitlines()[0] == "Boiler.pdf#page=2"
            read = (await agent.call("read", {"path": "Boiler.pdf#page=2"})).or_raise()
            assert read.data["pages"] == [{"page": 2, "text": "Descale the kettle in spring."}]
            await person.host.request("settings.update", patch={"searchPdfs": False})
            found = (await agent.call("search", {"query": '"descale the kettle"'})).or_raise()
            assert found.data["results"] == []
