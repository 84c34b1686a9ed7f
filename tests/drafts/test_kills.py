"""Whatever ends the bridge while a draft is begun, staged, submitted or taken away: each step of it is there or not.

The vault has none of it before the person has said yes, and then all of it or none.
"""

import contextlib
import os
import shutil
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bridge.clock import SystemClock
from bridge.contract.consent import Operation
from bridge.drafts.draft import Base, Draft
from bridge.drafts.draft_files import DraftHead
from bridge.index.vault_index import VaultIndex
from bridge.journal.journal import Cause
from bridge.journal.ledger import Ledger
from bridge.notes.additions import judge
from bridge.vault.disk import Disk
from bridge.vault.files import VaultFiles
from bridge.vault.paths import parse_path
from bridge.vault.plan import ChangePlan, PlanBuilder, content_hash
from bridge.vault.root import VaultRoot
from tests.journal.small_vault import HookedDisk, Killed, TearingDisk

NOTES = {
    "Home.md": b"# Home\n\nSee [[Plum jam]].\n",
    "Garden.md": b"# Garden\n\nWater the beans.\n",
    "Kitchen/Plum jam.md": b"# Plum jam\n",
    "Old.md": b"old\n",
}
HEAD = DraftHead(draft_id="d-1", client_id="ada", holder="ada", created="2026-01-05T09:00:00.000Z")
MOST_OPERATIONS = 400
Tree = dict[str, bytes]


class Desk:
    """A vault and the folder of a draft of it."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.vault, self.state = top / "vault", top / "state"
        self.root = VaultRoot(self.vault)
        self.clock = SystemClock()
        self.index = VaultIndex(VaultFiles(self.root), self.clock)
        self.base = Base(VaultFiles(self.root), self.index, lambda: PlanBuilder(self.root, judge))

    def begin(self, disk: Disk | None = None) -> Draft:
        return Draft.begun(self.state / "d-1", HEAD, self.base, self.clock, disk=disk)

    def load(self) -> Draft:
        """The draft as the next start of the bridge finds it."""
        return Draft.loaded(self.state / "d-1", self.base, self.clock)

    def ledger(self, disk: Disk | None = None) -> Ledger:
        root = VaultRoot(self.vault, disk)
        ledger = Ledger(root, clock=self.clock, keep_backups=lambda: True)
        ledger.recover()
        return ledger

    def outside(self) -> Tree:
        """Every file but those of the draft and of the bridge's own records in the vault."""
        files = (path for path in self.top.rglob("*") if path.is_file())
        found = {path.relative_to(self.top).as_posix(): path.read_bytes() for path in files}
        return {
            path: data for path, data in found.items() if not path.startswith(("state/d-1/", "vault/.vault-bridge/"))
        }

    def close(self) -> None:
        self.index.close()
        self.root.close()


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Callable[[], Desk]]:
    """Makes the same vault again and again."""
    made: list[Desk] = []

    def make() -> Desk:
        for desk in made:
            desk.close()
        shutil.rmtree(tmp_path / "top", ignore_errors=True)
        for path, data in NOTES.items():
            place = tmp_path / "top" / "vault" / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        (tmp_path / "top" / "state").mkdir()
        made[:] = [Desk(tmp_path / "top")]
        return made[0]

    yield make
    for desk in made:
        desk.close()


def _edit(draft: Draft, builder: PlanBuilder) -> None:
    path = parse_path("Garden.md")
    builder.modify(path, draft.files.read(path)[0], b"# Garden\n\nThe beans are watered.\n")


def _move(draft: Draft, builder: PlanBuilder) -> None:
    source, home = parse_path("Kitchen/Plum jam.md"), parse_path("Home.md")
    builder.modify(home, draft.files.read(home)[0], b"# Home\n\nSee [[Jam]].\n", follows=True)
    builder.move(source, parse_path("Pantry/Jam.md"), content_hash(draft.files.read(source)[0]))


def _create(_draft: Draft, builder: PlanBuilder) -> None:
    builder.create(parse_path("New/Note.md"), b"new\n" * 2000)


def _delete(draft: Draft, builder: PlanBuilder) -> None:
    path = parse_path("Old.md")
    builder.delete(path, draft.files.read(path)[0])


STEPS = (_edit, _move, _create, _delete)


def stage(draft: Draft, number: int) -> None:
    builder = PlanBuilder(draft.files.root, judge)
    STEPS[number](draft, builder)
    draft.stage(builder.build(Operation.UPDATE, f"Step {number}"), "edit_file")


def shown(draft: Draft) -> Tree:
    return {str(file.path): draft.files.read(file.path)[0] for file in draft.files.walk()}


def submitted(draft: Draft) -> ChangePlan | None:
    return draft.net_plan("Take the draft").plan


@dataclass
class Work:
    """All that a client does with a draft, and how far it came.

    Attributes:
        begun: It was told that there is a draft.
        staged: How many steps it was told of.
        rewinding: The last step is being taken back, and then staged again.
        discarding: The draft is being taken away.
    """

    begun: bool = False
    staged: int = 0
    rewinding: bool = False
    discarding: bool = False
    drafts: list[Draft] = field(default_factory=list)

    def do(self, desk: Desk, disk: Disk) -> None:
        draft = desk.begin(disk)
        self.drafts.append(draft)
        self.begun = True
        for number in range(len(STEPS)):
            stage(draft, number)
            self.staged = number + 1
        self.rewinding = True
        draft.rewind(len(STEPS) - 1)
        self.staged = len(STEPS) - 1
        stage(draft, len(STEPS) - 1)
        self.staged, self.rewinding = len(STEPS), False
        self.discarding = True
        draft.discard()


def trees(fresh: Callable[[], Desk]) -> list[Tree]:
    """What a draft shows after none of the steps, after the first, and so on."""
    desk = fresh()
    draft = desk.begin()
    found = [shown(draft)]
    for number in range(len(STEPS)):
        stage(draft, number)
        found.append(shown(draft))
    draft.close()
    return found


def assert_each_step_is_there_or_not(desk: Desk, work: Work, wanted: list[Tree]) -> None:
    """The draft is as it was told to be, or one step further; and it goes on from there."""
    try:
        draft = desk.load()
    except (OSError, ValueError):
        assert not work.begun or work.discarding, "a draft that somebody was told of is lost"
        return
    try:
        count = len(draft.steps)
        most = len(STEPS) if work.rewinding else min(work.staged + 1, len(STEPS))
        assert (len(STEPS) - 1 if work.rewinding else work.staged) <= count <= most
        assert shown(draft) == wanted[count]
        for number in range(count, len(STEPS)):
            stage(draft, number)
        assert shown(draft) == wanted[-1]
        assert submitted(draft) is not None
    finally:
        draft.close()


@pytest.mark.long
@pytest.mark.parametrize("descriptors", [None, False], ids=["descriptors", "paths"])
def test_a_kill_at_any_operation_leaves_whole_steps_and_nothing_outside_the_draft(
    fresh: Callable[[], Desk], descriptors: bool | None
) -> None:
    wanted = trees(fresh)
    reached = set()
    for at in range(1, MOST_OPERATIONS):
        desk, work = fresh(), Work()
        before = desk.outside()

        def die(number: int, _operation: str, _name: str, at: int = at) -> None:
            if number >= at:
                raise Killed

        try:
            work.do(desk, HookedDisk(die, descriptors=descriptors))
        except Killed:
            died = True
        else:
            died = False
        for draft in work.drafts:
            draft.close()
        assert desk.outside() == before
        if not died:
            break
        reached.add((work.begun, work.staged, work.rewinding, work.discarding))
        assert_each_step_is_there_or_not(desk, work, wanted)
        assert desk.outside() == before
    else:
        pytest.fail("the work never ended")
    assert {state[1] for state in reached} == set(range(len(STEPS) + 1))
    assert {True} == {any(state[part] for state in reached) for part in (0, 2, 3)}


@pytest.mark.long
@pytest.mark.skipif(not hasattr(os, "fork"), reason="a real kill needs a process that forks")
def test_a_process_that_really_dies_in_the_middle_of_a_write_leaves_whole_steps(fresh: Callable[[], Desk]) -> None:
    wanted = trees(fresh)
    for at in range(1, MOST_OPERATIONS):
        desk = fresh()
        before = desk.outside()
        progress = desk.top.parent / "progress"
        progress.unlink(missing_ok=True)
        died = _run_until_death(desk, at, progress) != 0
        work = Work()
        told = progress.read_text(encoding="utf-8").split() if progress.exists() else []
        work.begun, work.staged = "begun" in told, max([0, *(int(word) for word in told if word.isdigit())])
        assert desk.outside() == before
        assert_each_step_is_there_or_not(desk, work, wanted)
        if not died:
            return
    pytest.fail("the work never ended")


def _run_until_death(desk: Desk, at: int, progress: Path) -> int:
    """Begin and stage in a child that dies at the nth change, in the middle of it if it is a write."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the child only calls the system and exits
        child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        said = os.open(progress, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        draft = desk.begin(TearingDisk(at))
        os.write(said, b"begun ")
        for number in range(len(STEPS)):
            stage(draft, number)
            os.write(said, f"{number + 1} ".encode())
        os._exit(0)
    finally:
        os._exit(1)


@pytest.mark.long
def test_a_kill_while_it_is_written_leaves_all_or_nothing_and_the_draft_can_be_read(fresh: Callable[[], Desk]) -> None:
    wanted = trees(fresh)
    outcomes = set()
    for at in range(1, MOST_OPERATIONS):
        desk = fresh()
        draft = desk.begin()
        for number in range(len(STEPS)):
            stage(draft, number)
        plan = submitted(draft)
        assert plan is not None
        before = desk.outside()

        def die(number: int, _operation: str, _name: str, at: int = at) -> None:
            if number >= at:
                raise Killed

        try:
            with contextlib.closing(desk.ledger(HookedDisk(die))) as ledger:
                ledger.apply(plan, Cause("draft-1", "draft", "ada", "ada"))
        except Killed:
            died = True
        else:
            died = False
        draft.close()
        recovered = desk.ledger()
        again = desk.load()
        assert shown(again) == wanted[-1]
        plan = submitted(again)
        if desk.outside() == before:
            outcomes.add("none")
            assert plan is not None, "it can be submitted again"
            recovered.apply(plan, Cause("draft-2", "draft", "ada", "ada"))
        else:
            outcomes.add("all")
            assert plan is None, "nothing of it is left to do"
        vault = {path.removeprefix("vault/"): data for path, data in desk.outside().items()}
        assert vault == wanted[-1]
        recovered.apply(recovered.undo_plan()[1], Cause("undo-1", "undo", "ada", "ada", kind="undo"))
        assert desk.outside() == before
        again.close()
        recovered.close()
        if not died:
            assert outcomes == {"none", "all"}
            return
    pytest.fail("the plan was never written")
