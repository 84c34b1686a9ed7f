"""Files and folders in the order of a walk, through any changes."""

from pathlib import PurePosixPath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.index.knowledge import IndexedFile
from bridge.index.texts.arena import walk_key
from bridge.index.tree import Tree, parent

PATHS = ("a.md", "a/b.md", "a/b/c.md", "a/b/d.txt", "a-/x.md", "a.b/x.md", "z.md", "a/bc/x.MD", "b")
FOLDERS = ("a", "a/b", "a/b/e", "a-", "c/d")


def file(path: str, size: int = 1) -> IndexedFile:
    return IndexedFile(path, size, 1, 1)


@pytest.fixture
def tree() -> Tree:
    tree = Tree()
    tree.fill(
        {
            folder: [file(path) for path in sorted(PATHS) if parent(path) == folder]
            for folder in ["", "a", "a/b", "empty", *sorted(set(map(parent, PATHS)))]
        }
    )
    return tree


def test_it_is_in_the_order_of_a_walk(tree: Tree) -> None:
    assert [found.path for found in tree.files()] == sorted(PATHS, key=walk_key)
    assert tree.folders() == ("a", "a/b", "a/bc", "a-", "a.b", "empty")
    assert (len(tree), tree.notes) == (9, 7)


def test_what_was_given_out_never_changes(tree: Tree) -> None:
    files, folders = tree.files(), tree.folders()
    tree.put(file("new/n.md"))
    tree.discard_folder("a")
    assert len(files) == 9
    assert "a" in folders
    assert tree.get("a/b.md") is None


def test_a_folder_is_known_with_all_below_it(tree: Tree) -> None:
    assert tree.below("a") == ["a", "a/b", "a/bc"]
    assert tree.below("") == ["", *tree.folders()]
    assert tree.below("no such") == []
    assert [found.path for found in tree.inside("a/b")] == ["a/b/c.md", "a/b/d.txt"]


def test_a_folder_is_set_whole(tree: Tree) -> None:
    tree.set_folder("a/b", [file("a/b/c.md", 2), file("a/b/new.md")])
    assert [(found.path, found.size) for found in tree.inside("a/b")] == [("a/b/c.md", 2), ("a/b/new.md", 1)]
    assert tree.get("a/b/d.txt") is None
    assert tree.notes == 8


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.sampled_from(PATHS)),
        st.tuples(st.just("discard"), st.sampled_from(PATHS)),
        st.tuples(st.just("add_folder"), st.sampled_from(FOLDERS)),
        st.tuples(st.just("discard_folder"), st.sampled_from(FOLDERS)),
    ),
    max_size=30,
)


@given(STEPS)
@settings(max_examples=60, deadline=None)
def test_it_is_what_a_plain_set_of_paths_would_be(steps: list[tuple[str, str]]) -> None:
    tree, files, folders = Tree(), set[str](), set[str]()
    for step, path in steps:
        getattr(tree, step)(file(path) if step == "put" else path)
        above = {str(folder) for folder in PurePosixPath(path).parents} - {"."}
        if step == "put":
            files.add(path)
            folders |= above
        elif step == "discard":
            files.discard(path)
        elif step == "add_folder":
            folders |= {path, *above}
        elif path in folders:
            files = {other for other in files if not other.startswith(f"{path}/")}
            folders = {other for other in folders if other != path and not other.startswith(f"{path}/")}
    assert [found.path for found in tree.files()] == sorted(files, key=walk_key)
    assert set(tree.folders()) == folders
    assert list(tree.folders()) == sorted(folders, key=lambda folder: folder.split("/"))
    assert (len(tree), tree.notes) == (len(files), sum(path.lower().endswith(".md") for path in files))
