"""Notes made to keep the index busy are given up by name; all others are known, and nothing else is said of them."""

from pathlib import Path

import pytest

from bridge.notes.markdown import parse_note
from bridge.notes.note import MOST_STEPS, TooMuchWork, Work
from tests.hostile_vault import HOSTILE_NOTES, MB, write_hostile_vault
from tests.index.index_world import World


@pytest.fixture
def world(vault: Path, tmp_path: Path) -> World:
    return World(vault, tmp_path / "cache")


def test_a_note_that_is_too_much_is_known_by_name_only_until_it_is_split(world: World) -> None:
    world.write("Links.md", "[[Fine]] #tag\n" * (MOST_STEPS // 6))
    world.write("Fine.md", "[[Links]]")
    world.write("Cards.canvas", '{"nodes":[' + ",".join(['{"type":"text","text":"[[Fine]]"}'] * 60_000) + "]}")
    world.index.refresh()
    assert world.index.by_name_only() == ["Cards.canvas", "Links.md"]
    assert world.index.note("Links.md") is None
    assert [link.source for link in world.index.backlinks("Links.md")] == ["Fine.md"]
    assert world.index.ready
    world.reopen()
    world.index.refresh()
    assert world.index.by_name_only() == ["Cards.canvas", "Links.md"], "after a start too"
    world.write("Links.md", "[[Fine]] #tag\n")
    world.index.refresh()
    assert world.index.by_name_only() == ["Cards.canvas"]
    assert [link.source for link in world.index.backlinks("Fine.md")] == ["Links.md"]
    world.close()


@pytest.mark.parametrize("name", HOSTILE_NOTES)
def test_no_note_takes_more_steps_than_it_may(name: str) -> None:
    text = HOSTILE_NOTES[name](MB // 4)
    try:
        parse_note(text, outline=False, work=Work(10_000))
    except TooMuchWork as error:
        assert "split it" in error.message  # noqa: PT017 - a note may also be fine


@pytest.mark.long
def test_a_vault_of_such_notes_is_read_to_its_end(world: World) -> None:
    paths = write_hostile_vault(world.folder, 2 * MB)
    world.write("Fine.md", "[[words]]")
    world.index.refresh()
    assert world.index.ready
    assert set(world.index.by_name_only()) <= set(paths)
    assert world.index.note("Fine.md") is not None
    world.close()
