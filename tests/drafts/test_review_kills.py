"""Whatever ends the bridge during a night and its review: no byte of the draft and none of anybody else is lost.

After each kill the person takes all that is still in the draft, with what they chose before. Then the vault must be
what it would have been without the kill, which is written down here file by file.
"""

import contextlib
import errno
import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bridge.clock import SystemClock
from bridge.contract.consent import Operation, Take
from bridge.contract.drafts import ReviewComment
from bridge.drafts.draft import Base, Draft
from bridge.drafts.draft_files import DraftHead
from bridge.drafts.store import submission
from bridge.errors import ExecutionFailed
from bridge.index.vault_index import VaultIndex
from bridge.journal.journal import Cause
from bridge.journal.ledger import Ledger
from bridge.notes.additions import judge
from bridge.vault.files import VaultFiles
from bridge.vault.paths import parse_path
from bridge.vault.person_edits import keep_hunks
from bridge.vault.plan import ChangePlan, PlanBuilder, Rest
from bridge.vault.root import VaultRoot
from tests.journal.small_vault import HookedDisk, Killed

POINTS = 50
HEAD = DraftHead(draft_id="d-1", client_id="ada", holder="ada", created="2026-01-05T09:00:00.000Z")
Tree = dict[str, bytes]


def text(**changed: str) -> bytes:
    """Twelve lines, some of which are others: `l3="x"`."""
    return "".join(f"{changed.get(f'l{number}', f'line {number}')}\n" for number in range(1, 13)).encode()


BEGINNING: Tree = {"A.md": text(), "B.md": text(), "C.md": text(), "Old.md": text()}
DRAFTED: Tree = {
    "A.md": text(l2="agent"),
    "B.md": text(l2="agent", l11="agent"),
    "C.md": text(l2="agent"),
    "N.md": b"n\n",
}
OTHERS: Tree = {"A.md": text(l5="other"), "C.md": text(l2="other")}
"""What another program writes meanwhile: elsewhere in the one file, and in the same place of the other."""
FIRST: Tree = {
    "A.md": text(l2="agent", l5="other"),
    "B.md": text(l2="agent"),
    "C.md": text(l2="other\nagent"),
    "Old.md": text(),
}
"""After the person has taken both of C, one of two hunks of B, and has left out the new file and the deletion."""
LAST: Tree = FIRST | {"B.md": text(l2="agent", l11="mended"), "N.md": b"n\n"}
LAST.pop("Old.md")


class Desk:
    """A vault, and the folder of a draft of it."""

    def __init__(self, top: Path, hook: Callable[[int, str, str], None] = lambda *_: None) -> None:
        self.vault, self.state = top / "vault", top / "state"
        self.disk = HookedDisk(hook)
        self.clock = SystemClock()
        self.root = VaultRoot(self.vault)
        self.index = VaultIndex(VaultFiles(self.root), self.clock)
        self.base = Base(VaultFiles(self.root), self.index, lambda: PlanBuilder(self.root, judge))
        self.draft: Draft | None = None
        self.ledger = Ledger(
            VaultRoot(self.vault, self.disk), clock=self.clock, keep_backups=lambda: True, on_applied=self._applied
        )
        self.ledger.recover()
        self.count = 0

    def _applied(self, plan: ChangePlan) -> None:
        """As the drafts hear of it."""
        if self.draft is not None and plan.rest is not None:
            self.draft.keep_rest(plan.rest)

    def begin(self) -> Draft:
        self.draft = Draft.begun(self.state / "d-1", HEAD, self.base, self.clock, disk=self.disk)
        return self.draft

    def load(self) -> Draft:
        self.draft = Draft.loaded(self.state / "d-1", self.base, self.clock)
        return self.draft

    def apply(self, plan: ChangePlan) -> None:
        self.count += 1
        kind = plan.reversal or "change"
        cause = Cause(f"{kind}-{id(self)}-{self.count}", "draft", "ada", "ada", kind=kind, reverses=plan.reverses)
        self.ledger.apply(plan, cause)

    def tree(self) -> Tree:
        files = (path for path in self.vault.rglob("*") if path.is_file() and ".vault-bridge" not in path.parts)
        return {path.relative_to(self.vault).as_posix(): path.read_bytes() for path in files}

    def close(self) -> None:
        with contextlib.suppress(Killed):
            self.ledger.close()
        if self.draft is not None:
            self.draft.close()
        self.index.close()
        self.root.close()


def write(draft: Draft, path: str, data: bytes | None) -> None:
    """As the agent does."""
    builder, place = PlanBuilder(draft.files.root, judge), parse_path(path)
    there = next((draft.files.read(file.path)[0] for file in draft.files.walk() if str(file.path) == path), None)
    if data is None and there is not None:
        builder.delete(place, there)
    elif there is None:
        builder.create(place, data or b"")
    else:
        builder.modify(place, there, data or b"")
    draft.stage(builder.build(Operation.UPDATE, f"Write {path}"), "write_file")


def work(draft: Draft) -> None:
    for path, data in DRAFTED.items():
        write(draft, path, data)
    write(draft, "Old.md", None)
    draft.become("handed_in")


def choose(draft: Draft) -> ChangePlan:
    """The plan of a draft that is handed in, once both are taken wherever others changed the same."""
    places = submission(draft, "Ada").conflicts
    draft.choose({place.place_id: Take.BOTH for place in places})
    plan = submission(draft, "Ada").plan
    assert plan is not None
    return plan


def take_a_part(desk: Desk, draft: Draft) -> None:
    plan = choose(draft)
    old = desk.tree()
    part = keep_hunks(plan, {"B.md": [0], "N.md": [], "Old.md": []}, lambda change: old[change.path])
    whole = next(change.after for change in plan.changes if change.path == "B.md")
    files = {"B.md": plan.blobs[whole or ""], "N.md": None, "Old.md": None}
    comment = ReviewComment(path="B.md", line=11, text="Mend it")
    desk.apply(replace(part.plan, rest=Rest(files, "Nearly", (comment,))))


def night(desk: Desk, reached: Callable[[str], None]) -> None:
    """The night and its review, from end to end."""
    draft = desk.begin()
    reached("begun")
    work(draft)
    reached("handed in")
    for path, data in OTHERS.items():
        (desk.vault / path).write_bytes(data)
    take_a_part(desk, draft)
    reached("part")
    assert desk.tree() == FIRST
    write(draft, "B.md", text(l2="agent", l11="mended"))
    draft.become("handed_in")
    reached("mended")
    plan = submission(draft, "Ada").plan
    assert plan is not None
    desk.apply(plan)
    reached("taken")
    draft.discard()
    reached("ended")


def finished(desk: Desk, stage: str) -> Tree:
    """What is in the vault once the person has taken all that is left after a kill."""
    try:
        draft = desk.load()
    except (OSError, ValueError):
        assert stage in {"", "taken"}, "a draft that somebody was told of is lost"
        return desk.tree()
    if stage in {"", "begun"}:
        known = {**BEGINNING, **(OTHERS if desk.tree() != BEGINNING else {})}
        assert desk.tree() == known
        return desk.tree()
    if draft.head.state != "handed_in":
        write_if_missing(draft)
        draft.become("handed_in")
    if submission(draft, "Ada").plan is not None:
        desk.apply(choose(draft))
    return desk.tree()


def write_if_missing(draft: Draft) -> None:
    """The agent makes its call again, as it has had no answer to it."""
    wanted = text(l2="agent", l11="mended")
    if draft.read("B.md") != wanted:
        write(draft, "B.md", wanted)


@pytest.mark.long
def test_a_kill_at_any_of_50_random_points_of_a_night_and_its_review_loses_nothing(tmp_path: Path) -> None:
    def fresh() -> Path:
        shutil.rmtree(tmp_path / "top", ignore_errors=True)
        for path, data in BEGINNING.items():
            (tmp_path / "top" / "vault").mkdir(parents=True, exist_ok=True)
            (tmp_path / "top" / "vault" / path).write_bytes(data)
        (tmp_path / "top" / "state").mkdir()
        return tmp_path / "top"

    whole = Desk(fresh())
    night(whole, lambda _stage: None)
    most = whole.disk.count
    assert whole.tree() == LAST
    whole.close()
    for at in random.Random(20260105).sample(range(1, most + 1), POINTS):  # noqa: S311 (which points is no secret)
        stages = [""]

        def die(number: int, _operation: str, _name: str, at: int = at) -> None:
            if number >= at:
                raise Killed

        try:
            desk = Desk(fresh(), die)
        except Killed:
            continue  # before anything was there
        with contextlib.suppress(Killed):
            night(desk, stages.append)
        before = desk.tree()
        desk.close()
        again = Desk(tmp_path / "top")
        stage = stages[-1]
        meets = OTHERS if before["A.md"] != BEGINNING["A.md"] else {}
        found = finished(again, stage)
        if stage in {"", "begun"}:
            assert found == BEGINNING | meets, (at, stage)
        elif stage in {"handed in", "part"}:
            full = [FIRST | {"B.md": text(l2="agent", l11=last), "N.md": b"n\n"} for last in ("agent", "mended")]
            wanted = [{path: data for path, data in tree.items() if path != "Old.md"} for tree in full]
            if not meets:
                wanted = [tree | {"A.md": text(l2="agent"), "C.md": text(l2="agent")} for tree in wanted]
            assert found in wanted, (at, stage)
        else:
            assert found == LAST, (at, stage)
        again.close()


ACTIONS: dict[str, Callable[[Draft], object]] = {
    "choose": choose,
    "edit": lambda draft: draft.edit("B.md", b"mine\n", "Screen"),
    "send back": lambda draft: draft.become("sent_back", "No", [ReviewComment(path="B.md", text="no")]),
    "keep the rest": lambda draft: draft.keep_rest(Rest({"B.md": b"rest\n", "N.md": None}, "Nearly")),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ACTIONS)
def test_a_full_disk_says_so_and_a_review_goes_on_once_there_is_room(tmp_path: Path, name: str) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "state").mkdir()
    for path, data in BEGINNING.items():
        (tmp_path / "vault" / path).write_bytes(data)
    fails, left = False, 0

    def full(_number: int, operation: str, _name: str) -> None:
        nonlocal left
        left -= operation != "fsync"
        if fails and left < 0:
            raise OSError(errno.ENOSPC, "No space left on device")

    desk = Desk(tmp_path, full)
    draft = desk.begin()
    work(draft)
    (desk.vault / "C.md").write_bytes(OTHERS["C.md"])
    said: list[str] = []
    for room in range(100):
        left, fails = room, True
        try:
            ACTIONS[name](draft)
        except ExecutionFailed as failure:
            said.append(failure.message)
            fails = False
            kept = Draft.loaded(desk.state / "d-1", desk.base, desk.clock)
            assert {path: kept.read(path) for path in DRAFTED if path in kept.staging.files}.keys() >= {"B.md", "N.md"}
            assert kept.head.draft_id == "d-1"
            kept.close()
        else:
            break
    fails = False
    assert said
    assert all("make room on the disk" in message for message in said)
    kept = Draft.loaded(desk.state / "d-1", desk.base, desk.clock)
    assert (kept.head, kept.staging) == (draft.head, draft.staging)
    kept.close()
    desk.close()
