"""Every note whose cache was exported from the real app parses to exactly that cache."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from bridge.notes.frontmatter import all_tags, find_frontmatter, property_tags
from bridge.notes.markdown import parse_note
from bridge.notes.note import Link, ParsedNote
from tests.notes.positions import Positions
from tests.real_data import GROUND_TRUTH

EXPORTS = sorted((GROUND_TRUTH / "obsidian-tasks-notes").glob("*.json"))


def _cache(note: ParsedNote, text: str) -> dict[str, Any]:
    """What the app's cache would hold: what is empty is left out."""
    places, block = Positions(text), find_frontmatter(text)

    def position(start: int, end: int) -> dict[str, dict[str, int]]:
        return {"start": places.at(start)._asdict(), "end": places.at(end)._asdict()}

    def links(found: Sequence[Link]) -> list[dict[str, Any]]:
        return [
            {
                "link": link.link,
                "original": link.original,
                "displayText": link.display,
                **({"key": link.key} if link.key else {"position": position(link.start, link.end)}),
            }
            for link in found
        ]

    def named(name: str | None) -> dict[str, str]:
        return {} if name is None else {"id": name}

    cache = {
        "links": links(note.links),
        "embeds": links(note.embeds),
        "frontmatterLinks": links(note.frontmatter_links),
        "tags": [{"tag": tag.tag, "position": position(tag.start, tag.end)} for tag in note.tags],
        "headings": [
            {"heading": each.heading, "level": each.level, "position": position(each.start, each.end)}
            for each in note.headings
        ],
        "blocks": {each.id: {"id": each.id, "position": position(each.start, each.end)} for each in note.blocks},
        "sections": [
            {"type": each.type, "position": position(each.start, each.end), **named(each.id)} for each in note.sections
        ],
        "listItems": [
            {
                "parent": each.parent,
                "position": position(each.start, each.end),
                **named(each.id),
                **({} if each.task is None else {"task": each.task}),
            }
            for each in note.list_items
        ],
        "frontmatter": note.frontmatter,
        "frontmatterPosition": position(block.start, block.end) if block and note.frontmatter is not None else None,
    }
    return {key: value for key, value in cache.items() if value}


@pytest.mark.skipif(not EXPORTS, reason="no exported notes on this machine (set VAULT_BRIDGE_TEST_GROUND_TRUTH)")
@pytest.mark.parametrize("export", EXPORTS, ids=lambda path: path.stem)
def test_an_exported_note_parses_to_what_the_app_has_of_it(export: Path) -> None:
    exported = json.loads(export.read_text(encoding="utf-8"))
    text = exported["fileContents"]
    note = parse_note(text)
    expected = {key: value for key, value in exported["cachedMetadata"].items() if value}
    assert _cache(note, text) == expected
    assert list(all_tags(note)) == exported["getAllTags"]
    assert list(property_tags(note.frontmatter)) == (exported["parseFrontMatterTags"] or [])
