"""How links find files. The rules are those of what Obsidian does, by their numbers."""

import json
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.notes.names import Names, link_key, split_link
from tests.real_data import GROUND_TRUTH


@pytest.mark.parametrize(
    ("link", "path", "subpath"),
    [
        ("Note", "Note", ""),
        ("Note#Heading", "Note", "#Heading"),
        ("a/Note#h1#h2", "a/Note", "#h1#h2"),
        ("#^block", "", "#^block"),
        ("##x", "", "##x"),
        ("^^x", "^^x", ""),
    ],
)
def test_a_link_is_split_at_its_first_hash_rule_15(link: str, path: str, subpath: str) -> None:
    assert split_link(link) == (path, subpath)


@pytest.mark.parametrize(
    ("paths", "link", "source", "leads_to"),
    [
        # rule 31: no path is the note itself
        (["a/Me.md"], "", "a/Me.md", "a/Me.md"),
        # rule 32: case does not matter, .md may be missing
        (["a/Note.md"], "note", "Me.md", "a/Note.md"),
        (["Ext.md"], "Ext.MD", "Me.md", "Ext.md"),
        (["A/Übung.md"], "a/übung", "Me.md", "A/Übung.md"),
        (["Shout.MD"], "shout", "Me.md", "Shout.MD"),
        # rule 33: a final sigma is a sigma
        (["ΟΔΟΣ.md"], "οδος", "Me.md", "ΟΔΟΣ.md"),
        (["οδός.md"], "ΟΔΌΣ", "Me.md", "οδός.md"),
        # rule 34: other files need their extension; the exact name comes first
        (["a/file.pdf"], "file.pdf", "Me.md", "a/file.pdf"),
        (["a/file.pdf"], "file", "Me.md", None),
        (["file.pdf", "file.pdf.md"], "file.pdf", "Me.md", "file.pdf"),
        (["file.pdf.md"], "file.pdf", "Me.md", "file.pdf.md"),
        (["x/Note.md.md"], "Note.md", "Me.md", "x/Note.md.md"),
        (["x/Note.md.md", "x/y/Note.md"], "Note.md", "Me.md", "x/y/Note.md"),
        # rule 35: a whole path wins, also over the note's own folder
        (["Note.md", "a/Note.md"], "Note", "a/Me.md", "Note.md"),
        (["b/Note.md", "a/b/Note.md"], "b/Note", "a/b/Me.md", "b/Note.md"),
        # rule 36: the end of a path, at a segment's border
        (["a/b/Note.md"], "b/Note", "Me.md", "a/b/Note.md"),
        (["In/side/Outside View.md"], "Inside/Outside View", "Me.md", None),
        (["xb/Note.md"], "b/Note", "Me.md", None),
        # rule 37: the own folder, and not one above it
        (["a/b/Note.md", "x/Note.md"], "Note", "a/b/Me.md", "a/b/Note.md"),
        (["abc/Note.md", "x/Note.md"], "Note", "abc/d/Me.md", "x/Note.md"),
        (["a/b/N.md", "x/b/N.md", "yy/a/b/N.md"], "a/b/N", "yy/a/b/Me.md", "a/b/N.md"),
        (["l/o/n/g/b/N.md", "x/b/N.md"], "b/N", "l/o/n/g/b/Me.md", "l/o/n/g/b/N.md"),
        # rule 38: the shortest path, not the fewest folders and not the alphabet
        (["averylongname/Note.md", "z/y/x/Note.md"], "Note", "Me.md", "z/y/x/Note.md"),
        (["😀/Note.md", "abc/Note.md"], "Note", "Me.md", "😀/Note.md"),
        (["😀😀/Note.md", "abc/Note.md"], "Note", "Me.md", "abc/Note.md"),
        # rule 39: else the alphabet
        (["b/Note.md", "a/Note.md"], "Note", "Me.md", "a/Note.md"),
        # rule 40: relative paths, which fall back to nothing
        (["a/Note.md", "Note.md"], "./Note", "a/Me.md", "a/Note.md"),
        (["a/Note.md", "Note.md"], "../Note.md", "a/Me.md", "Note.md"),
        (["b/Note.md", "Note.md"], "./Note", "a/Me.md", None),
        (["Note.md"], "../Note", "Me.md", None),
        (["b/x/Note.md"], "../b/./c/../x/Note", "a/Me.md", "b/x/Note.md"),
        (["Note.md"], "..", "a/b/Me.md", None),
        (["a/b.md"], "./x/..", "a/b/Me.md", None),
        (["a/b.md"], "./", "a/b/Me.md", None),
        # rule 41: from the vault down, which falls back to nothing
        (["a/Note.md", "Note.md"], "/a/note", "b/Me.md", "a/Note.md"),
        (["a/b/Note.md"], "/Note", "Me.md", None),
        # rule 10: Unicode forms
        (["Cafe\u0301.md"], "Caf\u00e9", "Me.md", "Cafe\u0301.md"),
        (["Caf\u00e9.md"], "CAFE\u0301", "Me.md", "Caf\u00e9.md"),
        # rule 2: hidden files are not linkable
        ([".hidden.md", ".trash/Note.md", "a/.b/Other.md"], "Note", "Me.md", None),
        ([".hidden.md"], ".hidden", "Me.md", None),
        (["a/.b/Other.md"], "a/.b/Other", "Me.md", None),
        # rule 15: white space around a link is not its name, nor can it name a file that has some there
        (["Note.md"], " Note ", "Me.md", "Note.md"),
        (["Note.md"], "\xa0Note\u3000\ufeff", "Me.md", "Note.md"),
        ([" Note.md", "Note.md"], " Note", "Me.md", "Note.md"),
        ([" Note.md"], " Note", "Me.md", None),
        (["Note .md"], "Note ", "Me.md", None),
        (["Note .md"], "Note .md", "Me.md", "Note .md"),
        ([" Note.md"], "/ Note", "Me.md", " Note.md"),
        # what is written strangely leads nowhere
        (["Note.md"], "a//Note", "Me.md", None),
        (["Note.md"], "Note/", "Me.md", None),
        (["Note.md"], "/", "Me.md", None),
        (["Note.md"], " ", "Me.md", None),
        (["a/Note.md"], "a\\Note", "Me.md", None),
    ],
)
def test_a_link_finds_its_file(paths: list[str], link: str, source: str, leads_to: str | None) -> None:
    names = Names([source, *paths])
    assert names.resolve(link, source) == leads_to
    if leads_to is not None:
        assert link_key(link) == link_key(leads_to) or not link


@pytest.mark.parametrize(
    ("link", "leads_to"),
    [
        ("Note", "Note.md"),
        ("note", "note.md"),
        ("NOTE", "Note.md"),
        ("Caf\u00e9", "Caf\u00e9.md"),
        ("Cafe\u0301", "Cafe\u0301.md"),
        ("A/x", "A/x.md"),
        ("a/x", "a/x.md"),
    ],
)
def test_of_twins_the_one_that_is_spelled_like_the_link_is_meant(link: str, leads_to: str) -> None:
    names = Names(["note.md", "Note.md", "Cafe\u0301.md", "Caf\u00e9.md", "a/x.md", "A/x.md"])
    assert names.resolve(link, "b/Me.md") == leads_to


def test_an_alias_is_no_name_rule_42() -> None:
    names = Names(["Note.md"])
    assert names.resolve("What the note calls itself", "Me.md") is None


def test_all_files_that_a_link_could_mean_are_listed_with_the_chosen_one_first_rules_35_and_36() -> None:
    names = Names(["Note.md", "a/Note.md", "bb/Note.md", "c/Other.md", "a/Note"])
    assert names.candidates("note", "bb/Me.md") == ("Note.md", "a/Note", "bb/Note.md", "a/Note.md")
    assert names.candidates("a/Note") == ("a/Note", "a/Note.md")
    assert names.candidates("/a/Note.md") == ("a/Note.md",)
    assert names.candidates("./Other", "c/Me.md") == ("c/Other.md",)
    assert names.candidates("", "c/Me.md") == ("c/Me.md",)
    assert names.candidates("nothing") == ()


def test_files_come_and_go() -> None:
    names = Names(["a/Note.md"])
    names.add("b/Note.md")
    names.add("b/Note.md")
    assert names.resolve("Note", "b/Me.md") == "b/Note.md"
    assert "b/Note.md" in names
    assert "b/note.md" not in names
    names.discard("a/Note.md")
    names.discard("a/Note.md")
    names.discard("never/there.md")
    assert names.candidates("Note") == ("b/Note.md",)
    names.discard("b/Note.md")
    assert names.resolve("Note", "Me.md") is None


def test_what_would_be_after_a_move_is_a_view_that_changes_nothing() -> None:
    names = Names(["a/Note.md", "b/Note.md", "Other.md", "Gone.md"])
    then = names.moved({"a/Note.md": "c/New.md", "Gone.md": None, "Other.md": "other.md"})
    assert then.resolve("Note", "a/Me.md") == "b/Note.md"
    assert then.resolve("new", "Me.md") == "c/New.md"
    assert then.resolve("Gone", "Me.md") is None
    assert then.resolve("Other", "Me.md") == "other.md"
    assert "a/Note.md" not in then
    assert names.resolve("Note", "a/Me.md") == "a/Note.md"
    back = then.moved({"c/New.md": "a/Note.md"})
    assert back.resolve("Note", "a/Me.md") == "a/Note.md"
    back.discard("b/Note.md")
    back.add("d/New.md")
    assert back.candidates("Note") == ("a/Note.md",)
    assert back.resolve("New", "Me.md") == "d/New.md"
    assert names.resolve("Note", "b/Me.md") == "b/Note.md"


def test_two_files_may_change_places() -> None:
    then = Names(["a/Note.md", "b/Note.md"]).moved({"a/Note.md": "b/Note.md", "b/Note.md": "a/Note.md"})
    assert then.candidates("Note") == ("a/Note.md", "b/Note.md")


def test_many_files_of_one_name_are_still_distinguished() -> None:
    names = Names([f"{number}/x/README.md" for number in range(5000)])
    assert names.resolve("README", "4711/x/Me.md") == "4711/x/README.md"
    assert names.resolve("4711/x/README", "1/x/Me.md") == "4711/x/README.md"
    assert names.resolve("x/README", "Me.md") == "0/x/README.md"
    assert names.resolve("y/README", "Me.md") is None
    names.discard("0/x/README.md")
    names.add("y/README.md")
    assert names.resolve("x/README", "Me.md") == "1/x/README.md"
    assert names.resolve("README", "Me.md") == "y/README.md"


def test_readers_never_see_half_of_a_change() -> None:
    names = Names([f"{number}/Note.md" for number in range(50)])
    wrong: list[object] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            found = names.resolve("Note", "Me.md")
            if found not in {"0/Note.md", "1/Note.md"}:  # the first one, and the next while that is away
                wrong.append(found)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for _ in range(300):
        names.add("x/Note.md")
        names.discard("0/Note.md")
        names.add("0/Note.md")
        names.discard("x/Note.md")
    done.set()
    for reader in readers:
        reader.join()
    assert wrong == []


PART = st.sampled_from(["a", "A", "b", "Note", "note", "x.pdf", "Caf\u00e9", "cafe\u0301", "ς"])
PATH = st.builds(
    lambda folders, name, end: "/".join([*folders, name + end]),
    st.lists(PART, max_size=3),
    PART,
    st.sampled_from([".md", ".MD", ""]),
)


@given(st.sets(PATH, max_size=12), PATH, PATH)
def test_names_that_grew_are_names_that_were_made(paths: set[str], link: str, source: str) -> None:
    made, grown = Names(paths), Names()
    for path in sorted(paths):
        grown.add(path)
    view = Names().moved({f"new/{number}.md": path for number, path in enumerate(paths)})
    assert made.candidates(link, source) == grown.candidates(link, source) == view.candidates(link, source)
    found = made.resolve(link, source)
    assert found == next(iter(made.candidates(link, source)), None) == grown.resolve(link, source)
    assert found == view.resolve(link, source)
    if found is not None:
        assert link_key(found) == link_key(link)
    for path in paths:
        assert made.resolve("/" + path, source) == path
        grown.discard(path)
    assert grown.candidates(link, source) == ()


def _exported() -> list[dict[str, object]]:
    return [json.loads(file.read_bytes()) for file in sorted((GROUND_TRUTH / "obsidian-tasks-notes").glob("*.json"))]


def test_links_that_the_app_resolved_resolve_alike_rules_31_to_44() -> None:
    notes = _exported()
    if not notes:
        pytest.skip("no exports of the app are on this machine (set VAULT_BRIDGE_TEST_GROUND_TRUTH)")
    paths = {str(note["filePath"]) for note in notes}
    said: list[tuple[str, str, str | None]] = []
    for note in notes:
        resolved = note["resolveLinkToPath"]
        assert isinstance(resolved, dict)
        for link, path in resolved.items():
            paths |= {path} if path else set()
            said.append((str(note["filePath"]), link, path))
    names = Names(paths)
    assert said
    assert [(source, link, names.resolve(split_link(link)[0], source)) for source, link, _ in said] == said
