"""The text in a picture of a served vault is found and read as that of a PDF file is, and a closed one is neither."""

import asyncio
from pathlib import Path

import pytest

from bridge.app import Bridge
from bridge.client import connect
from bridge.clock import SystemClock
from bridge.index import file_text_index
from bridge.pictures.reader import TextRecogniser, recognition_files
from tests.patience import PATIENCE
from tests.people import person_at, until_read
from tests.pictures.drawn import drawn

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(recognition_files() is None, reason="the extra `drawn-text` is not installed"),
]


async def test_a_picture_is_found_read_closed_and_switched_off(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_text_index, "START_SECONDS", 0.0)
    recognise, later = TextRecogniser.read, SystemClock().monotonic() + PATIENCE
    # As if somebody waited for it: at the lowest priority it would be the last of all tests.
    monkeypatch.setattr(TextRecogniser, "read", lambda reader, data, _deadline=None: recognise(reader, data, later))
    (vault / "Receipt.png").write_bytes(drawn("Descale the kettle", "in spring"))
    (vault / "Closed").mkdir()
    (vault / "Closed" / "Letter.png").write_bytes(drawn("Descale the kettle"))
    (vault / "Red.png").write_bytes(drawn(" ", colours=("red", "red")))
    (vault / ".vault-bridge").mkdir(exist_ok=True)
    (vault / ".vault-bridge" / "permissions.json").write_text('{"Closed/": "---"}', encoding="utf-8")
    async with Bridge(vault) as bridge, person_at(vault) as person:
        bridge.settings.update({"enabledTools": ["search", "read"]})
        person.answer = "allow_once"
        async with connect(vault, name="agent") as agent:
            await until_read(agent)
            async with asyncio.timeout(PATIENCE):
                while not await asyncio.to_thread(bridge.index.with_text, ".png"):
                    pass
            found = (await agent.call("search", {"query": '"descale the kettle"'})).or_raise()
            (result,) = found.data["results"]
            assert (result["path"], result["recognised"]) == ("Receipt.png", True)
            place, excerpt = found.raw["text"].splitlines()[:2]
            assert place == "Receipt.png (text recognised in the picture)"
            assert excerpt.strip() == "Descale the kettle in spring"
            read = (await agent.call("read", {"path": "Receipt.png"})).or_raise()
            assert read.data["recognisedText"] == "Descale the kettle\nin spring"
            assert "picture" in read.data
            assert read.raw["text"].endswith("which may have mistakes:\nDescale the kettle\nin spring")
            assert "recognisedText" not in (await agent.call("read", {"path": "Red.png"})).or_raise().data
            await person.host.request("settings.update", patch={"searchPictures": False})
            found = (await agent.call("search", {"query": '"descale the kettle"'})).or_raise()
            assert found.data["results"] == []
            assert "recognisedText" not in (await agent.call("read", {"path": "Receipt.png"})).or_raise().data
