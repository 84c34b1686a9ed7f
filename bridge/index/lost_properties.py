"""Properties that a change takes away, or makes unreadable, so that Obsidian shows none (rules 46 to 49).

Rules are those of docs/obsidian.md. Whatever tool makes the change: one line too many above them is enough. Notes of
which only links follow another change are not looked at.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from bridge.index.knowledge import Knowledge
from bridge.notes.frontmatter import find_frontmatter, read_properties
from bridge.vault.diff import parse_hunks
from bridge.vault.plan import ChangeKind, ChangePlan
from bridge.vault.text import is_note

NAMED: Final = 10
"""Properties that are named; the others are only counted."""


def lost_properties(plan: ChangePlan, knowledge: Knowledge) -> Iterator[str]:
    """A sentence for each note whose properties will be fewer, or no properties that Obsidian can read.

    Args:
        plan: The change.
        knowledge: What is known of all notes.
    """
    left = {change.new_path: change.path for change in plan.changes if change.kind is ChangeKind.MOVE}
    follows = plan.follows
    for change in plan.changes:
        if change.kind not in {ChangeKind.MODIFY, ChangeKind.CREATE} or not is_note(change.path):
            continue
        path = left.get(change.path, change.path)
        if path in follows:
            continue
        facts = knowledge.note(path) if change.kind is ChangeKind.MODIFY else None
        text = plan.blobs[change.after or ""].decode("utf-8", "surrogateescape")
        properties = _properties(text)
        if properties is None and (facts is None or facts.properties or _touches_properties(plan, change.path, text)):
            yield f"The properties of {path!r} will be no YAML that Obsidian can read: it shows none"
        gone = [name for name in (facts.properties if facts else {}) if name not in (properties or {})]
        gone = [name for name in gone if name.lower() != plan.renamed_property]
        if gone:
            more = f" and {len(gone) - NAMED} more" if len(gone) > NAMED else ""
            yield f"{path!r} loses properties: {', '.join(gone[:NAMED])}{more}"


def _properties(text: str) -> Mapping[str, Any] | None:
    """The properties of a note; None when they are broken."""
    block = find_frontmatter(text)
    if block is None or not text[block.yaml_start : block.yaml_end].strip():
        return {}
    return read_properties(text[block.yaml_start : block.yaml_end])


def _touches_properties(plan: ChangePlan, path: str, text: str) -> bool:
    """Whether a change adds something to where the properties stand: what was broken before is no news."""
    block = find_frontmatter(text)
    end = text.count("\n", 0, block.end) + 1 if block else 0
    return any(
        shown.truncated or any(line <= end for hunk in parse_hunks(shown.diff) for line, _text in hunk.added())
        for shown in plan.shown.get(path, ())
    )
