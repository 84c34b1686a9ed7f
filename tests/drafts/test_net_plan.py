"""A draft comes to one plan, and that leaves what its steps would have left one by one."""

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.contract.consent import Operation
from bridge.drafts.net_plan import NetPlan, PresentVault, StagedState, net_plan
from bridge.errors import Conflict, InvalidParameters
from bridge.journal.journal import Cause
from bridge.testing.memory import MemoryTree
from bridge.testing.memory_ledger import MemoryLedger
from bridge.vault.paths import VaultPath
from bridge.vault.person_edits import is_divisible, keep_hunks
from bridge.vault.plan import ChangePlan, PlanBuilder, content_hash

FILES = {"a.md": "one\ntwo\nthree\nfour\nfive\n", "b.md": "b\n", "in/c.md": "c\n", "in/deep/d.md": "d\n"}
NAMES = ("a.md", "b.md", "new.md", "in/c.md", "in/e.md", "in/deep/d.md", "fresh/f.md", "fresh/a.md")
FOLDERS = ("in", "in/deep", "fresh", "empty", "empty/inner")


@pytest.fixture
def desk() -> "Desk":
    return Desk()


class Desk:
    """A vault, and a draft of it that is laid over a copy."""

    def __init__(self) -> None:
        self.vault = MemoryTree(FILES)
        self.over = MemoryTree(FILES)
        self.staging = StagedState()
        self.blobs: dict[str, bytes] = {}
        self._count = 0
        for data in self.vault.files.values():
            self.blobs[content_hash(data)] = data

    def stage(self, plan: ChangePlan) -> None:
        self._count += 1
        MemoryLedger(self.over).apply(plan, _cause(f"step-{self._count}"))
        self.staging.stage(plan)
        self.blobs |= plan.blobs

    def net(self) -> NetPlan:
        view = PresentVault(
            read=self.vault.files.get,
            has_folder=self.vault.folders.__contains__,
            staged=self.blobs.__getitem__,
            plan=lambda: PlanBuilder(self.vault),
        )
        return net_plan(self.staging, view, "Take the draft")

    def submit(self) -> NetPlan:
        found = self.net()
        if found.plan is not None:
            MemoryLedger(self.vault).apply(found.plan, _cause("submit-1"))
        return found

    def write(self, path: str, text: str) -> None:
        builder = PlanBuilder(self.over)
        old = self.over.files.get(path)
        if old is None:
            builder.create(_path(path), text.encode())
        else:
            builder.modify(_path(path), old, text.encode())
        self.stage(builder.build(Operation.UPDATE, "Write"))

    def move(self, *ways: tuple[str, str]) -> None:
        builder = PlanBuilder(self.over)
        for path, to in ways:
            builder.move(_path(path), _path(to), content_hash(self.over.files[path]))
        self.stage(builder.build(Operation.UPDATE, "Move"))

    def delete(self, path: str) -> None:
        builder = PlanBuilder(self.over)
        builder.delete(_path(path), self.over.files[path])
        self.stage(builder.build(Operation.DELETE, "Delete"))


def act(desk: Desk, kind: str, one: str, other: str, text: str) -> None:
    """One random step, where it is possible."""
    files, folders = desk.over.files, desk.over.folders
    builder = PlanBuilder(desk.over)
    try:
        if kind == "write":
            desk.write(one, text)
        elif kind == "move" and one in files and other not in files and one != other:
            desk.move((one, other))
        elif kind == "delete" and one in files:
            desk.delete(one)
        elif kind == "mkdir":
            folder = one if one in FOLDERS else FOLDERS[len(one) % len(FOLDERS)]
            if folder not in folders:
                builder.mkdir(_path(folder))
                desk.stage(builder.build(Operation.CREATE, "Make"))
        elif kind == "rmdir":
            folder = FOLDERS[len(other) % len(FOLDERS)]
            below = f"{folder}/"
            if folder in folders and not any(path.startswith(below) for path in (*files, *folders)):
                builder.rmdir(_path(folder))
                desk.stage(builder.build(Operation.DELETE, "Remove"))
    except InvalidParameters:
        return  # nothing would change


ACTS = st.lists(
    st.tuples(
        st.sampled_from(["write", "write", "move", "delete", "mkdir", "rmdir"]),
        st.sampled_from(NAMES),
        st.sampled_from(NAMES),
        st.sampled_from(["x\n", "y\nz\n", FILES["a.md"], ""]),
    ),
    max_size=14,
)


@given(acts=ACTS)
def test_one_plan_leaves_what_the_steps_leave(acts: Sequence[tuple[str, str, str, str]]) -> None:
    desk = Desk()
    for step in acts:
        act(desk, *step)
    desk.submit()
    assert desk.vault.files == desk.over.files
    assert desk.vault.folders == desk.over.folders


@given(acts=ACTS)
def test_what_was_taken_already_is_not_taken_twice(acts: Sequence[tuple[str, str, str, str]]) -> None:
    """The bridge may end between the change and the end of the draft."""
    desk = Desk()
    for step in acts:
        act(desk, *step)
    desk.submit()
    assert desk.net().plan is None


@given(acts=ACTS, others=st.lists(st.sampled_from(NAMES), max_size=3, unique=True))
def test_nothing_of_another_hand_is_lost(acts: Sequence[tuple[str, str, str, str]], others: list[str]) -> None:
    """Either everything of theirs is still there, under some name, or the draft is refused and nothing has changed."""
    desk = Desk()
    for step in acts:
        act(desk, *step)
    theirs = [f"theirs in {path}" for path in others]
    for path, line in zip(others, theirs, strict=True):
        desk.vault.put(path, desk.vault.files.get(path, b"") + f"{line}\n".encode())
    before = dict(desk.vault.files)
    try:
        desk.submit()
    except Conflict:
        assert desk.vault.files == before
        return
    written = b"".join(desk.vault.files.values()).decode()
    for line in theirs:
        assert line in written


def test_an_edit_elsewhere_in_the_file_stays_and_is_named() -> None:
    desk = Desk()
    desk.write("a.md", FILES["a.md"].replace("five", "FIVE"))
    desk.vault.put("a.md", FILES["a.md"].replace("one", "ONE").encode())
    found = desk.submit()
    assert desk.vault.files["a.md"] == b"ONE\ntwo\nthree\nfour\nFIVE\n"
    assert found.merged == ("a.md",)
    assert found.plan is not None
    assert any("'a.md' was changed by somebody else" in warning for warning in found.plan.warnings)
    assert "-one" not in found.plan.previews[0].diff


@pytest.mark.parametrize(
    ("theirs", "why"),
    [
        (FILES["a.md"].replace("two", "TWO"), "'a.md' has been edited in the same place meanwhile (line 2)"),
        (None, "'a.md' is not there any more"),
    ],
)
def test_what_does_not_go_together_is_refused_with_its_places(theirs: str | None, why: str) -> None:
    desk = Desk()
    desk.write("a.md", FILES["a.md"].replace("two", "ours"))
    if theirs is None:
        del desk.vault.files["a.md"]
    else:
        desk.vault.put("a.md", theirs.encode())
    with pytest.raises(Conflict) as refused:
        desk.submit()
    assert why in refused.value.message
    assert refused.value.code == "draft_conflict"
    assert refused.value.data["clashes"][0]["path"] == "a.md"


def test_a_move_takes_along_what_another_hand_wrote() -> None:
    desk = Desk()
    desk.move(("a.md", "fresh/a.md"))
    desk.vault.put("a.md", b"all new\n")
    desk.submit()
    assert desk.vault.files["fresh/a.md"] == b"all new\n"
    assert "a.md" not in desk.vault.files


def test_a_file_edited_meanwhile_is_not_removed() -> None:
    desk = Desk()
    desk.delete("a.md")
    desk.vault.put("a.md", b"kept\n")
    with pytest.raises(Conflict, match="edited meanwhile, and the draft removes it"):
        desk.submit()


def test_two_files_that_change_places_keep_their_bytes() -> None:
    desk = Desk()
    desk.move(("a.md", "new.md"))
    desk.move(("b.md", "a.md"))
    desk.move(("new.md", "b.md"))
    desk.submit()
    assert desk.vault.files == desk.over.files
    assert desk.vault.files["b.md"] == FILES["a.md"].encode()


def test_what_comes_to_nothing_is_no_plan() -> None:
    desk = Desk()
    desk.write("a.md", "other\n")
    desk.write("a.md", FILES["a.md"])
    desk.move(("b.md", "new.md"))
    desk.move(("new.md", "b.md"))
    assert desk.net().plan is None


def test_a_move_and_the_links_that_follow_it_are_one_and_an_edit_stands_alone() -> None:
    desk = Desk()
    builder = PlanBuilder(desk.over)
    builder.move(_path("b.md"), _path("new.md"), content_hash(b"b\n"))
    builder.modify(_path("in/c.md"), b"c\n", b"[[new]]\n", follows=True)
    desk.stage(builder.build(Operation.UPDATE, "Move"))
    desk.write("a.md", "edited\n")
    found = desk.net()
    assert found.plan is not None
    units = {shown.path: shown.unit for shown in found.plan.previews}
    assert units == {"a.md": "", "b.md": units["in/c.md"], "in/c.md": units["b.md"]}
    assert units["b.md"]
    assert found.plan.follows == {"in/c.md"}


def test_a_part_is_taken_with_all_that_hangs_together(desk: Desk) -> None:
    builder = PlanBuilder(desk.over)
    builder.move(_path("b.md"), _path("fresh/b.md"), content_hash(b"b\n"), (b"b\n", b"moved\n"))
    builder.modify(_path("in/c.md"), b"c\n", b"[[fresh/b]]\n", follows=True)
    desk.stage(builder.build(Operation.UPDATE, "Move"))
    desk.write("a.md", FILES["a.md"].replace("two", "TWO").replace("five", "FIVE"))
    plan = desk.net().plan
    assert plan is not None
    assert is_divisible(plan)

    def take(keep: dict[str, list[int]]) -> dict[str, bytes]:
        part = keep_hunks(plan, keep, lambda change: desk.vault.files[change.path])
        tree = MemoryTree(desk.vault.files)
        MemoryLedger(tree).apply(part.plan, _cause("part-1"))
        return tree.files

    edited, moved = desk.over.files["a.md"], {"fresh/b.md": b"moved\n", "in/c.md": b"[[fresh/b]]\n"}
    left = {path: FILES[path].encode() for path in ("b.md", "in/c.md")}
    for path in left:
        taken = take({path: []})
        assert taken["a.md"] == edited
        assert {path: taken.get(path) for path in (*left, "fresh/b.md")} == {**left, "fresh/b.md": None}
    taken = take({"a.md": []})
    assert taken["a.md"] == FILES["a.md"].encode()
    assert {path: taken[path] for path in moved} == moved
    assert "b.md" not in taken
    with pytest.raises(InvalidParameters, match="No part"):
        take({"a.md": [], "b.md": []})


def test_many_files_are_planned_quickly_in_any_order() -> None:
    desk = Desk()
    numbers = list(range(300))
    random.Random(7).shuffle(numbers)  # noqa: S311 - no secret
    for number in numbers:
        desk.write(f"many/{number}.md", f"{number}\n")
    found = desk.net()
    assert found.plan is not None
    assert len(found.plan.previews) == 301


def _path(text: str) -> VaultPath:
    return VaultPath(tuple(text.split("/")))


def _cause(execution_id: str) -> Cause:
    return Cause(execution_id=execution_id, tool="draft", client="test", session_id="s")
