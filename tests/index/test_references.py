"""Which note a name means, and when it means none."""

import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

from bridge.errors import Ambiguous, InvalidParameters, NotFound, PermissionDenied
from bridge.index.knowledge import IndexStatus, NoteResolver, locate
from bridge.vault.files import VaultFiles
from bridge.vault.root import VaultRoot
from tests.index.memory_knowledge import MemoryKnowledge

VAULT = [
    "Note.md",
    "a/Note.md",
    "a/Only.md",
    "a/b/Deep.md",
    "b/Deep.md",
    "c/Picture.png",
    "c/Dotted.name.md",
    "c/Mr..md",
    "Case.md",
    "case.md",
    "x/CASE.md",
    "d/C# notes.md",
    "d/F# notes.md",
    "C.md",
    "f/Sea.md",
    "e/A|B.md",
    "Ünï.md",
    "AC.md",
]


ALIASES = {
    "a/Only.md": ["The One", "Shared"],
    "C.md": ["Sea", "Shared"],
    "AC.md": ["AC/DC", "J# the language", "Q#"],
    "Note.md": ["Deep"],
}


def resolver() -> NoteResolver:
    return NoteResolver(MemoryKnowledge(VAULT, ALIASES))


@pytest.mark.parametrize(
    ("reference", "path", "via"),
    [
        ("Note", "Note.md", "path"),
        ("[[Note]]", "Note.md", "path"),
        ("note", "Note.md", "path"),
        ("NOTE.MD", "Note.md", "path"),
        ("/Note", "Note.md", "path"),
        ("a/Note", "a/Note.md", "path"),
        ("A/NOTE", "a/Note.md", "path"),
        ("Only", "a/Only.md", "name"),
        ("only.md", "a/Only.md", "name"),
        ("[[Only#Heading|shown]]", "a/Only.md", "name"),
        ("a/b/Deep", "a/b/Deep.md", "path"),
        ("b/Deep", "b/Deep.md", "path"),
        ("Dotted.name", "c/Dotted.name.md", "name"),
        ("Mr.", "c/Mr..md", "name"),
        ("Case", "Case.md", "path"),
        ("case", "case.md", "path"),
        ("x/Case", "x/CASE.md", "path"),
        ("F# notes", "d/F# notes.md", "name"),
        ("d/C# notes", "d/C# notes.md", "path"),
        ("[[C# notes]]", "C.md", "path"),
        ("C#", "C.md", "path"),
        ("A|B", "e/A|B.md", "name"),
        (unicodedata.normalize("NFD", "ünï"), "Ünï.md", "path"),
        ("The One", "a/Only.md", "alias"),
        ("[[the one|shown]]", "a/Only.md", "alias"),
        ("AC/DC", "AC.md", "alias"),
        ("J# the language", "AC.md", "alias"),
        ("Q#", "AC.md", "alias"),
    ],
)
def test_a_note_is_found_by_its_path_else_its_name_else_an_alias(reference: str, path: str, via: str) -> None:
    found = resolver().resolve(reference)
    assert (found.path, found.via) == (path, via)


@pytest.mark.parametrize(
    ("reference", "part"),
    [("Only#A#B", "#A#B"), ("d/C# notes", ""), ("[[C# notes]]", "#notes"), ("F# notes", ""), ("Note.md#^b1", "#^b1")],
)
def test_the_part_that_is_meant_is_returned(reference: str, part: str) -> None:
    assert resolver().resolve(reference).reference.part == part


@pytest.mark.parametrize(
    ("reference", "name", "candidates"),
    [
        ("Deep", "Deep", ["b/Deep.md", "a/b/Deep.md"]),
        ("CASE", "CASE", ["Case.md", "case.md"]),
        ("[[Shared|x]]", "Shared", ["a/Only.md", "C.md"]),
        ("C# notes", "C# notes", ["d/C# notes.md", "C.md"]),
    ],
)
def test_several_notes_that_fit_are_ambiguous_and_listed(reference: str, name: str, candidates: list[str]) -> None:
    with pytest.raises(Ambiguous, match=f"^Ambiguous note reference '{name}': 2 matches. Use one of ") as refused:
        resolver().resolve(reference)
    data = refused.value.data
    assert (data["error_type"], data["note_name"], data["match_count"]) == ("ambiguous", name, 2)
    assert [one["path"] for one in data["candidates"]] == candidates
    assert all(repr(path) in refused.value.message for path in candidates)


def test_a_candidate_has_name_folder_path_and_when_it_was_modified() -> None:
    with pytest.raises(Ambiguous) as refused:
        resolver().resolve("Deep")
    assert refused.value.data["candidates"][1] == {
        "name": "Deep",
        "path_context": "a/b/",
        "path": "a/b/Deep.md",
        "modified": "2025-06-15T15:06:40.000Z",
    }


def test_very_many_candidates_are_counted_and_the_first_are_listed() -> None:
    crowd = NoteResolver(MemoryKnowledge([f"{number:03}/README.md" for number in range(300)]))
    with pytest.raises(Ambiguous, match=r"300 matches.*and 295 more, which find lists$") as refused:
        crowd.resolve("README")
    assert refused.value.data["match_count"] == 300
    assert len(refused.value.data["candidates"]) == 50


@pytest.mark.parametrize(
    "reference",
    ["Nothing", "/Only", "Picture", "Picture.png", "z/Note", "ep", "otted.name", ".obsidian/app", "[[F# notes]]"],
)
def test_a_name_that_no_note_has_is_not_found(reference: str) -> None:
    with pytest.raises(NotFound, match=r"^Note not found: ") as refused:
        resolver().resolve(reference)
    assert refused.value.data["error_type"] == "not_found"
    assert refused.value.data["note_name"] in reference


def test_an_alias_does_not_compete_with_a_name() -> None:
    assert resolver().resolve("Sea").path == "f/Sea.md"


def test_find_matches_lists_all_that_fit_the_likeliest_first() -> None:
    matches = resolver().find_matches("Note")
    assert [match.path for match in matches] == ["Note.md", "a/Note.md"]
    assert [match.path for match in resolver().find_matches("Sea")] == ["f/Sea.md", "C.md"]
    with pytest.raises(NotFound):
        resolver().find_matches("Nothing")


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("[[Note]]", ["Note.md", "a/Note.md"]),
        ("deep", ["b/Deep.md", "a/b/Deep.md", "Note.md"]),
        ("The One", ["a/Only.md"]),
        ("*.md", []),
        ("[N]ote", []),
        ("Not", []),
        ("[[]]", []),
        ("", []),
    ],
)
def test_a_search_may_name_notes_outright(text: str, paths: list[str]) -> None:
    assert list(resolver().outright(text)) == paths


@pytest.mark.parametrize(
    ("name", "folder", "available"),
    [
        ("Note", None, False),
        ("note.md", None, False),
        ("Only", None, False),
        ("Only", "b", True),
        ("Only", "a", False),
        ("Only", "/A/", False),
        ("Only", "", True),
        ("Note", "", False),
        ("Deep", "a", True),
        ("New", None, True),
        ("The One", None, True),
        ("C# notes", None, False),
        ("C# other", None, True),
        ("Picture", None, True),
    ],
)
def test_a_name_is_available_where_no_note_has_it(name: str, folder: str | None, available: bool) -> None:
    assert resolver().is_available(name, folder) is available


def test_what_is_closed_is_neither_found_nor_counted_nor_taken() -> None:
    shut = NoteResolver(MemoryKnowledge(["a/Deep.md"], {"z/Shut.md": ["Open"]}, closed=["b/Deep.md", "z/Shut.md"]))
    assert shut.resolve("Deep").path == "a/Deep.md"
    for reference in ("Shut", "z/Shut", "Open"):
        with pytest.raises(NotFound):
            shut.resolve(reference)
    assert shut.is_available("Shut")


# -- paths and names (locate) -----------------------------------------------------------------------------------


@pytest.fixture
def files(vault: Path) -> Iterator[VaultFiles]:
    (vault / "Notes" / "Plain.txt").write_bytes(b"text\n")
    (vault / "Notes" / "Only.md").write_bytes(b"only\n")
    (vault / "Notes" / "C# notes.md").write_bytes(b"c\n")
    (vault / "Meeting").mkdir()
    root = VaultRoot(vault)
    yield VaultFiles(root)
    root.close()


def located(files: VaultFiles, text: str) -> str:
    known = MemoryKnowledge([str(file.path) for file in files.walk()], {"Ideas.md": ["Thoughts"]})
    return str(locate(files, NoteResolver(known), text))


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("Notes/Meeting.md", "Notes/Meeting.md"),
        ("notes/meeting.MD", "Notes/Meeting.md"),
        ("Notes/Meeting", "Notes/Meeting.md"),
        ("Windows", "Notes/Windows.md"),
        ("[[Windows]]", "Notes/Windows.md"),
        ("[[Windows|shown]]", "Notes/Windows.md"),
        ("Thoughts", "Ideas.md"),
        ("Notes/Plain.txt", "Notes/Plain.txt"),
        ("Notes/C# notes.md", "Notes/C# notes.md"),
        ("C# notes", "Notes/C# notes.md"),
    ],
)
def test_a_path_or_a_note_name_leads_to_a_file(files: VaultFiles, text: str, path: str) -> None:
    assert located(files, text) == path


@pytest.mark.parametrize(
    ("text", "refusal", "said"),
    [
        ("Meeting", InvalidParameters, "is a folder"),
        ("Plain.txt", NotFound, "File or folder not found: 'Plain.txt'"),
        ("[[Nothing]]", NotFound, "Note not found: Nothing"),
        ("Nothing", NotFound, "File or folder not found"),
        ("Windows#Part", InvalidParameters, "names a part of 'Notes/Windows.md'"),
        ("../Windows", PermissionDenied, "outside the vault"),
        (".obsidian/app.json", PermissionDenied, "protected"),
        ("C:\\Windows", PermissionDenied, "outside the vault"),
        ("ab:c", InvalidParameters, "cannot be used"),
        ("", InvalidParameters, "empty"),
    ],
)
def test_what_leads_to_no_file_is_refused_as_a_path_is(
    files: VaultFiles, text: str, refusal: type[Exception], said: str
) -> None:
    with pytest.raises(refusal, match=said):
        located(files, text)


class Building(MemoryKnowledge):
    """An index that has not seen all of the disk."""

    def __init__(self, paths: list[str], later: list[str]) -> None:
        super().__init__(paths)
        self._later = later
        self.settled = 0

    def status(self) -> IndexStatus:
        return IndexStatus(0, 0, 0, indexing=not self.settled, last_sweep=None)

    def refresh(self) -> None:
        self.settled += 1
        MemoryKnowledge.__init__(self, [*(file.path for file in self.files()), *self._later])


def test_while_the_index_is_built_a_write_waits_until_a_name_is_certain() -> None:
    knowledge = Building(["a/Note.md"], later=["b/Note.md", "c/Late.md"])
    assert NoteResolver(knowledge).resolve("Note").path == "a/Note.md"
    assert NoteResolver(knowledge).resolve("a/Note", certain=True).path == "a/Note.md"
    assert knowledge.settled == 0, "a path needs no waiting"
    with pytest.raises(Ambiguous):
        NoteResolver(knowledge).resolve("Note", certain=True)
    assert knowledge.settled == 1
    assert NoteResolver(Building([], later=["c/Late.md"])).resolve("Late", certain=True).path == "c/Late.md"
