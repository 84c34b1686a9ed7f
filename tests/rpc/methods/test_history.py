"""Which changes a caller is told, and which of them were to one file or note."""

import pytest

from bridge.errors import Ambiguous, InvalidParameters, NotFound
from bridge.rpc.methods.history import touching, visible
from bridge.vault.plan import HistoryEntry
from tests.index.memory_knowledge import MemoryKnowledge


def entry(number: int, *files: str) -> HistoryEntry:
    return HistoryEntry(f"patch-{number}", "apply_patch", "Ada", "2025-01-01T00:00:00.000Z", "applied", files, 1, 1)


ENTRIES = [
    entry(1, "a/Note.md"),
    entry(2, "a/Note.md", "Other.md"),
    entry(3, "gone/Old.md"),
    entry(4, "x/Twin.md"),
    entry(5, "y/Twin.md"),
    entry(6, "pics/Photo.png"),
    entry(7, "b/Note.md"),
]
KNOWN = MemoryKnowledge(["a/Note.md", "Other.md", "pics/Photo.png", "Quiet.md"], {"Other.md": ["Alias"]})


def numbers(text: str) -> list[str]:
    return [found.execution_id.removeprefix("patch-") for found in touching(text, ENTRIES, KNOWN)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a/Note.md", ["1", "2"]),
        ("Note", ["1", "2"]),
        ("[[note|shown]]", ["1", "2"]),
        ("b/Note", ["7"]),
        ("Alias", ["2"]),
        ("gone/Old.md", ["3"]),
        ("old", ["3"]),
        ("gone", ["3"]),
        ("/gone/", ["3"]),
        ("pics/photo.PNG", ["6"]),
        ("Quiet", []),
    ],
)
def test_a_note_a_file_or_a_folder_is_named_also_when_it_is_gone(text: str, found: list[str]) -> None:
    assert numbers(text) == found


@pytest.mark.parametrize(
    ("text", "refusal"),
    [("Nothing", NotFound), ("Twin", Ambiguous), ("Note#Part", InvalidParameters), ("[[a]] [[b]]", InvalidParameters)],
)
def test_what_is_unknown_or_unclear_is_refused(text: str, refusal: type[Exception]) -> None:
    with pytest.raises(refusal):
        numbers(text)


def test_files_that_are_closed_are_left_out() -> None:
    seen = visible(ENTRIES, lambda path: "rule" if path.startswith(("a/", "x/")) else None)
    assert [found.files for found in seen] == [
        ("Other.md",),
        ("gone/Old.md",),
        ("y/Twin.md",),
        ("pics/Photo.png",),
        ("b/Note.md",),
    ]
    assert visible(ENTRIES, None) is ENTRIES
