"""An agent answers ten questions from the bases of a real vault, and makes a base; where the vault is at hand."""

from typing import Any

import pytest

from bridge.testing import sandbox
from tests.real_data import REAL_VAULTS

FOLDER = REAL_VAULTS / "kepano"
BASES = "Templates/Bases"

QUESTIONS: list[tuple[str, dict[str, Any], list[str]]] = [
    ("Which albums are there?", {"base": f"{BASES}/Albums.base"}, ["Bass on Top"]),
    ("Which albums are of this artist?", {"base": f"{BASES}/Albums.base#Artist", "this": "Paul Chambers"},
     ["Bass on Top"]),
    ("Which books, by name?", {"base": f"{BASES}/Books.base"}, ["Out of Control", "The Machine Stops"]),
    ("Which books has this author written?", {"base": f"{BASES}/Books.base", "view": "Author", "this": "Kevin Kelly"},
     ["Out of Control"]),
    ("Which films did we like?", {"base": f"{BASES}/Movies.base", "view": "Favorites"}, ["Blade Runner"]),
    ("Which places are in this country?", {"base": f"{BASES}/Places.base", "view": "Location", "this": "Kyoto"},
     ["Fushimi Inari"]),
    ("Which trips were planned?", {"base": f"{BASES}/Trips.base"}, ["2023 Japan Trip"]),
    ("Who are the people?", {"base": f"{BASES}/People.base"}, ["Kevin Kelly", "Paul Chambers", "Steph Ango"]),
    ("What has this person clipped?", {"base": f"{BASES}/Clippings.base", "view": "Author", "this": "Kevin Kelly"},
     ["68 Bits of Unsolicited Advice"]),
    ("Which games are rated above six?", {"base": f"{BASES}/Games.base", "filter": "rating > 6"},
     ["The Legend of Zelda Breath of the Wild"]),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(not FOLDER.is_dir(), reason="the vault is not on this machine")
async def test_ten_questions_and_a_base_of_its_own() -> None:
    files = {
        path.relative_to(FOLDER).as_posix(): path.read_bytes()
        for path in FOLDER.rglob("*")
        if path.is_file() and not path.relative_to(FOLDER).as_posix().startswith(".")
    }
    async with sandbox(files) as vault:
        for question, asked, names in QUESTIONS:
            result = await vault.succeed("query", **asked)
            found = [row["path"].rpartition("/")[2].removesuffix(".md") for row in result.data["rows"]]
            assert sorted(found) == sorted(names), question
            assert result.data["complete"], question
        refused = await vault.call("query", base=f"{BASES}/Shows.base", view="Last seen")
        assert refused.data["where"] == "views[2].filters.and[0]"
        base = (
            "filters: rating > 5\nformulas: {half: rating / 2}\n"
            "views:\n  - {type: table, name: Rated, order: [file.name, formula.half], groupBy: categories}\n"
        )
        await vault.succeed("write_file", path="Rated.base", content=base)
        assert any("'Rated.base' would show" in each for each in vault.asked[-1]["preview"]["warnings"])
        made = await vault.succeed("query", base="Rated.base")
        assert made.data["found"] > 5
        assert {row["values"]["formula.half"] for row in made.data["rows"]} == {3.5}
