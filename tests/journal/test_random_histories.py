"""Random plans over a small tree, undone and redone in any order that is allowed: bytes and permissions are exact."""

import contextlib
import errno
import tempfile
from collections.abc import Callable
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from bridge.errors import Conflict, ExecutionFailed
from tests.journal.small_vault import HookedDisk, Killed, SmallVault, Step, Tree, plan_of

NAMES = ["a.md", "b.md", "c.bin"]
FOLDERS = ["", "One/", "One/Two/", "Three/"]
PLACES = [folder + name for folder in FOLDERS for name in NAMES]
CONTENTS = st.sampled_from([b"", b"x", b"one\ntwo\n", b"crlf\r\n", b"\xff\x00\xfe", b"no break at the end"])
MODES = st.sampled_from([0o644, 0o600, 0o444, 0o755])
TREES = st.dictionaries(st.sampled_from(PLACES), st.tuples(MODES, CONTENTS), max_size=6)


class Planner:
    """A plan in the making, on a model of the tree."""

    def __init__(self, tree: Tree) -> None:
        self.tree = dict(tree)
        self.steps: list[Step] = []

    def draw(self, data: st.DataObject) -> None:
        """Some steps."""
        for _step in range(data.draw(st.integers(1, 5))):
            files, free = self.files(), self.free()
            kinds = (["modify", "delete"] if files else []) + (["create"] if free else [])
            kinds += ["move"] if files and free else []
            kind = data.draw(st.sampled_from(kinds))
            if kind == "create":
                self.create(data.draw(st.sampled_from(free)), data.draw(CONTENTS))
            elif kind == "modify":
                self.modify(data.draw(st.sampled_from(files)), data.draw(CONTENTS))
            elif kind == "delete":
                self.delete(data.draw(st.sampled_from(files)))
            else:
                self.move(data.draw(st.sampled_from(files)), data.draw(st.sampled_from(free)))
        if data.draw(st.booleans()):
            self.tidy()

    def paths(self) -> set[str]:
        """What the steps touch."""
        return {part for step in self.steps for part in step[1:3] if isinstance(part, str)}

    def files(self) -> list[str]:
        return [path for path, (_mode, data) in self.tree.items() if data is not None]

    def free(self) -> list[str]:
        return [path for path in PLACES if path not in self.tree]

    def parents(self, path: str) -> None:
        parts = path.split("/")[:-1]
        for count in range(1, len(parts) + 1):
            folder = "/".join(parts[:count])
            if folder not in self.tree:
                self.steps.append(("mkdir", folder))
                self.tree[folder] = (0, None)

    def create(self, path: str, data: bytes) -> None:
        self.parents(path)
        self.steps.append(("create", path, data))
        self.tree[path] = (0, data)

    def modify(self, path: str, data: bytes) -> None:
        self.steps.append(("modify", path, self.tree[path][1], data))
        self.tree[path] = (0, data)

    def delete(self, path: str) -> None:
        self.steps.append(("delete", path, self.tree.pop(path)[1]))

    def move(self, path: str, to: str) -> None:
        self.parents(to)
        data = self.tree.pop(path)[1]
        self.steps.append(("move", path, to, data))
        self.tree[to] = (0, data)

    def tidy(self) -> None:
        for folder in sorted((path for path, (_mode, data) in self.tree.items() if data is None), reverse=True):
            if not any(other.startswith(f"{folder}/") for other in self.tree):
                self.steps.append(("rmdir", folder))
                del self.tree[folder]


class Histories(RuleBasedStateMachine):
    """The ledger beside a plain stack of trees."""

    def __init__(self) -> None:
        super().__init__()
        self.held = contextlib.ExitStack()
        self.out_of_order = False
        self.past: list[tuple[str, Tree]] = []
        self.future: list[tuple[str, Tree]] = []

    @initialize(files=TREES, swaps=st.booleans())
    def begin(self, files: dict[str, tuple[int, bytes]], *, swaps: bool) -> None:
        folder = self.held.enter_context(tempfile.TemporaryDirectory())
        self.small = SmallVault(Path(folder) / "Vault", files)
        self.opened = self.held.enter_context(contextlib.ExitStack())
        self.ledger = self.opened.enter_context(self.small.ledger(HookedDisk(swaps=swaps)))

    def teardown(self) -> None:
        self.held.close()

    @rule(data=st.data())
    def change(self, data: st.DataObject) -> None:
        before = self.small.tree()
        planner = Planner(before)
        planner.draw(data)
        change = self.small.apply(self.ledger, *planner.steps).execution_id
        after = self.small.tree()
        assert {path: data for path, (_mode, data) in after.items()} == {
            path: data for path, (_mode, data) in planner.tree.items()
        }
        self.past.append((change, before))
        self.future.clear()

    @precondition(lambda self: self.small.tree())
    @rule(data=st.data(), where=st.sampled_from(["system", "local"]), apart=st.booleans(), fails=st.booleans())
    def throw_away(self, data: st.DataObject, where: str, *, apart: bool, fails: bool) -> None:
        before = self.small.tree()
        path = data.draw(st.sampled_from(sorted(before)))
        inside = sorted((other for other in before if f"{other}/".startswith(f"{path}/")), reverse=True)
        steps: list[Step] = [("disposal", where)]
        for other in inside:
            content = before[other][1]
            steps.append(("rmdir", other) if content is None else ("delete", other, content))
        self.small.trash.apart, self.small.trash.fails = apart, OSError("no trash") if fails else None
        done = self.small.apply(self.ledger, *steps)
        assert done.disposal == ("local" if fails else where)
        assert self.small.tree() == {other: found for other, found in before.items() if other not in inside}
        self.past.append((done.execution_id, before))
        self.future.clear()

    @precondition(lambda self: self.past)
    @rule()
    def undo(self) -> None:
        change, before = self.past.pop()
        now = self.small.tree()
        assert self.ledger.undo_plan()[0] == change
        self.small.undo(self.ledger)
        self.compare(before)
        self.future.append((change, now))

    @precondition(lambda self: self.future)
    @rule()
    def redo(self) -> None:
        change, after = self.future.pop()
        now = self.small.tree()
        assert self.ledger.redo_plan()[0] == change
        self.small.redo(self.ledger)
        self.compare(after)
        self.past.append((change, now))

    @precondition(lambda self: self.past)
    @rule(data=st.data())
    def undo_an_older_one(self, data: st.DataObject) -> None:
        # Either it goes, or it is refused and nothing happens.
        change, _before = data.draw(st.sampled_from(self.past))
        if change == self.past[-1][0]:
            return
        now = self.small.tree()
        try:
            self.small.undo(self.ledger, change)
        except Conflict as conflict:
            assert conflict.code == "edited_since"  # noqa: PT017 (that it is raised at all depends on what was drawn)
            assert self.small.tree() == now
        else:
            self.small.redo(self.ledger, change)
            self.out_of_order = True
            self.compare(now)

    def compare(self, expected: Tree) -> None:
        """Bytes and permissions of every file; of folders too, until changes were undone out of order.

        A folder that a later change has removed is no reason to refuse the undo of the one that made it, so an empty
        folder may then be left.
        """
        trees = [self.small.tree(), expected]
        if self.out_of_order:
            trees = [{path: found for path, found in tree.items() if found[1] is not None} for tree in trees]
        assert trees[0] == trees[1]

    @rule()
    def restart(self) -> None:
        self.opened.close()
        self.ledger = self.opened.enter_context(self.small.ledger())


TestHistories = Histories.TestCase
TestHistories.settings = settings(
    max_examples=25,
    stateful_step_count=12,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)


@given(files=TREES, data=st.data(), kills=st.lists(st.integers(1, 40), min_size=1, max_size=3), swaps=st.booleans())
@settings(max_examples=60, deadline=None)
def test_a_random_plan_killed_anywhere_and_again_while_recovering_is_all_or_nothing(
    files: dict[str, tuple[int, bytes]], data: st.DataObject, kills: list[int], *, swaps: bool
) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        small = SmallVault(Path(temporary) / "Vault", files)
        before = small.tree()
        planner = Planner(before)
        planner.draw(data)
        for at in kills:
            with contextlib.suppress(Killed), small.ledger(HookedDisk(killer(at), swaps=swaps)) as ledger:
                if not ledger.history() and small.tree() == before:
                    ledger.apply(plan_of(*planner.steps), small.cause())
        with small.ledger() as ledger:
            tree = small.tree()
            if tree != before or ledger.history():
                assert {path: held for path, (_mode, held) in tree.items()} == {
                    path: held for path, (_mode, held) in planner.tree.items()
                }
                assert len(ledger.history()) == 1
                small.undo(ledger)
                assert small.tree() == before


@given(
    files=TREES,
    data=st.data(),
    place=st.sampled_from(PLACES),
    kills=st.tuples(st.integers(8, 40), st.integers(1, 20)),
    swaps=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_an_edit_after_a_kill_survives_and_every_other_file_is_old_or_new(
    files: dict[str, tuple[int, bytes]], data: st.DataObject, place: str, kills: tuple[int, int], *, swaps: bool
) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        small = SmallVault(Path(temporary) / "Vault", files)
        before = small.tree()
        planner = Planner(before)
        planner.draw(data)
        with contextlib.suppress(Killed), small.ledger(HookedDisk(killer(kills[0]), swaps=swaps)) as ledger:
            ledger.apply(plan_of(*planner.steps), small.cause())
        target = small.folder / place
        if not target.parent.is_dir() or target.is_dir():
            return
        overwritten = target.read_bytes() if target.exists() else None
        target.unlink(missing_ok=True)
        target.write_bytes(b"typed after the crash")
        with contextlib.suppress(Killed), small.ledger(HookedDisk(killer(kills[1]), swaps=swaps)):
            pass
        with small.ledger():
            tree = small.tree()
            assert tree.pop(place)[1] == b"typed after the crash"
            for path, (_mode, held) in tree.items():
                assert ".vault-bridge-" not in path
                known = {there[path][1] for there in (before, planner.tree) if path in there}
                assert held is None or held in known, path
            saved = [path.read_bytes() for path in small.backup("change-1").rglob("*") if path.is_file()]
            saved += [] if overwritten is None else [overwritten]
            saved += [held for _mode, held in tree.values() if held is not None]
            for path, (_mode, held) in before.items():
                assert held is None or held in saved or path == place or path not in planner.paths(), path


@given(files=TREES, data=st.data(), at=st.integers(9, 50), once=st.booleans(), swaps=st.booleans())
@settings(max_examples=60, deadline=None)
def test_a_random_plan_on_a_failing_disk_is_all_or_nothing(
    files: dict[str, tuple[int, bytes]], data: st.DataObject, at: int, *, once: bool, swaps: bool
) -> None:
    def fail(number: int, _operation: str, _name: str) -> None:
        if number == at or (number > at and not once):
            raise OSError(errno.EIO, "failed")

    with tempfile.TemporaryDirectory() as temporary:
        small = SmallVault(Path(temporary) / "Vault", files)
        before = small.tree()
        planner = Planner(before)
        planner.draw(data)
        with small.ledger(HookedDisk(fail, swaps=swaps)) as ledger, contextlib.suppress(ExecutionFailed):
            ledger.apply(plan_of(*planner.steps), small.cause())
        with small.ledger() as ledger:
            if ledger.history():
                assert bytes_in(small.tree()) == bytes_in(planner.tree)
                small.undo(ledger)
            assert small.tree() == before


@given(
    files=TREES,
    data=st.data(),
    place=st.sampled_from(PLACES),
    at=st.integers(9, 50),
    how=st.sampled_from(["in place", "by rename", "removed"]),
)
@settings(max_examples=60, deadline=None)
def test_an_edit_at_any_moment_of_any_plan_survives(
    files: dict[str, tuple[int, bytes]], data: st.DataObject, place: str, at: int, how: str
) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        small = SmallVault(Path(temporary) / "Vault", files)
        target = small.folder / place
        edited = False

        def edit(number: int, _operation: str, _name: str) -> None:
            nonlocal edited
            if number != at or not target.parent.is_dir():
                return
            edited = how != "removed"
            if how != "in place":
                target.unlink(missing_ok=True)
            if edited:
                target.write_bytes(b"typed while we worked")

        before = small.tree()
        planner = Planner(before)
        planner.draw(data)
        with small.ledger(HookedDisk(edit)) as ledger, contextlib.suppress(Conflict, ExecutionFailed):
            ledger.apply(plan_of(*planner.steps), small.cause())
        tree = small.tree()
        held = [path.read_bytes() for path in small.backup("change-1").rglob("*") if path.is_file()]
        held += [found for _mode, found in tree.values() if found is not None]
        assert not edited or b"typed while we worked" in held
        for path, found in bytes_in(tree).items():
            assert ".vault-bridge-" not in path
            known = {there[path] for there in (bytes_in(before), bytes_in(planner.tree)) if path in there}
            assert found in {*known, b"typed while we worked"}, path


def bytes_in(tree: Tree) -> dict[str, bytes]:
    """The files of a tree, permissions left out."""
    return {path: found for path, (_mode, found) in tree.items() if found is not None}


def killer(at: int) -> Callable[[int, str, str], None]:
    """A hook that lets the process die at the nth change."""

    def hook(number: int, _operation: str, _name: str) -> None:
        if number >= at:
            raise Killed

    return hook
