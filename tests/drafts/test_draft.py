"""A draft shows its changes to every look, keeps them over restarts, and leaves the vault as it is."""

import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bridge.clock import SystemClock
from bridge.contract.consent import Operation, ShownPicture
from bridge.drafts.draft import Base, Draft
from bridge.drafts.draft_files import DraftHead
from bridge.errors import Conflict, ExecutionFailed
from bridge.index.vault_index import VaultIndex
from bridge.journal.journal import Cause
from bridge.journal.ledger import Ledger
from bridge.notes.additions import judge
from bridge.vault.files import VaultFiles
from bridge.vault.paths import VaultPath, parse_path
from bridge.vault.plan import ChangePlan, PlanBuilder, content_hash
from bridge.vault.root import VaultRoot

NOTES = {
    "Home.md": "# Home\n\nSee [[Plum jam]] and [[Garden]].\n",
    "Garden.md": "# Garden\n\n#plants\n\nWater the beans.\n",
    "Kitchen/Plum jam.md": "# Plum jam\n\nFrom the [[Garden]].\n",
}
HEAD = DraftHead(draft_id="d-1", client_id="ada", holder="ada", created="2026-01-05T09:00:00.000Z")


class Rig:
    def __init__(self, vault: Path, state: Path) -> None:
        self.vault = vault
        self.state = state
        self.root = VaultRoot(vault)
        files = VaultFiles(self.root)
        self.clock = SystemClock()
        index = VaultIndex(files, self.clock, folder=state / "cache")
        index.start()
        index.refresh()
        self.base = Base(files, index, lambda: PlanBuilder(self.root, judge))
        self.ledger = Ledger(self.root, clock=self.clock, keep_backups=lambda: True, on_applied=index.applied)
        self.ledger.recover()
        self.folder = state / "d-1"
        self.draft = Draft.begun(self.folder, HEAD, self.base, self.clock)

    def restart(self) -> None:
        self.draft.close()
        self.draft = Draft.loaded(self.folder, self.base, self.clock)

    def close(self) -> None:
        self.draft.close()
        self.ledger.close()
        self.base.index.close()
        self.root.close()

    def text(self, path: str) -> str:
        return self.draft.files.read(parse_path(path))[0].decode()

    def on_disk(self) -> dict[str, str]:
        return {str(file.path): self.base.files.read(file.path)[0].decode() for file in self.base.files.walk()}

    def plan(self, make: Callable[[PlanBuilder], None]) -> ChangePlan:
        builder = PlanBuilder(self.draft.files.root, judge)
        make(builder)
        return builder.build(Operation.UPDATE, "A step")

    def stage(self, make: Callable[[PlanBuilder], None]) -> None:
        self.draft.stage(self.plan(make), "edit_file")

    def write(self, path: str, text: str) -> None:
        place = parse_path(path)

        def make(builder: PlanBuilder) -> None:
            if self.draft.files.exists(place):
                builder.modify(place, self.draft.files.read(place)[0], text.encode())
            else:
                builder.create(place, text.encode())

        self.stage(make)

    def move(self, path: str, to: str) -> None:
        data = self.draft.files.read(parse_path(path))[0]
        self.stage(lambda builder: builder.move(parse_path(path), parse_path(to), content_hash(data)))


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    vault = tmp_path / "vault"
    for path, text in NOTES.items():
        (vault / path).parent.mkdir(parents=True, exist_ok=True)
        (vault / path).write_bytes(text.encode())
    state = tmp_path / "state"
    state.mkdir()
    made = Rig(vault, state)
    yield made
    made.close()


def test_what_is_staged_is_read_found_and_linked_in_the_draft_alone(rig: Rig) -> None:
    before = rig.on_disk()
    rig.write("New/Beans.md", "---\naliases: [Runners]\n---\n# Beans #legumes\n\n[[Garden]]\n")
    rig.move("Kitchen/Plum jam.md", "Pantry/Jam.md")
    rig.write("Garden.md", "# Garden\n\nNothing here.\n")
    index = rig.draft.index
    assert rig.text("new/beans.md").startswith("---")
    assert [str(file.path) for file in rig.draft.files.walk()] == [
        "Garden.md",
        "Home.md",
        "New/Beans.md",
        "Pantry/Jam.md",
    ]
    assert sorted(link.source for link in index.backlinks("Garden.md")) == ["Home.md", "New/Beans.md", "Pantry/Jam.md"]
    assert index.with_alias("runners") == ["New/Beans.md"]
    assert [tag.tag for tag in index.tags()] == ["#legumes"]
    assert index.names.resolve("Plum jam", "Home.md") is None
    assert index.texts.entry("Garden.md") is not None
    assert bytes(index.texts.entry("Garden.md").text) == b"# Garden\n\nNothing here.\n"  # type: ignore[union-attr]
    assert rig.on_disk() == before
    assert [tag.tag for tag in rig.base.index.tags()] == ["#plants"]
    assert rig.base.index.names.resolve("Plum jam", "Home.md") == "Kitchen/Plum jam.md"


def test_what_others_change_below_shows_through(rig: Rig) -> None:
    rig.write("Garden.md", "mine\n")
    (rig.vault / "Home.md").write_bytes(b"theirs #seen\n")
    (rig.vault / "Late.md").write_bytes(b"[[Garden]]\n")
    rig.draft.index.refresh()
    assert rig.text("Home.md") == "theirs #seen\n"
    assert rig.draft.index.tagged("seen") == ["Home.md"]
    assert "Late.md" in {link.source for link in rig.draft.index.backlinks("Garden.md")}
    assert rig.text("Garden.md") == "mine\n"


def test_a_draft_outlives_the_bridge(rig: Rig) -> None:
    rig.write("Garden.md", "mine\n")
    rig.move("Kitchen/Plum jam.md", "Jam.md")
    staging = rig.draft.staging
    rig.restart()
    assert rig.draft.head == HEAD
    assert rig.draft.staging == staging
    assert rig.text("Garden.md") == "mine\n"
    assert rig.draft.index.ready
    assert rig.draft.index.file("Jam.md") is not None
    assert rig.draft.index.file("Kitchen/Plum jam.md") is None


def test_a_step_that_was_cut_off_was_never_staged(rig: Rig) -> None:
    rig.write("Garden.md", "mine\n")
    rig.write("Home.md", "mine too\n")
    rig.draft.close()
    steps = rig.folder / "steps.jsonl"
    steps.write_bytes(steps.read_bytes()[:-7])
    rig.draft = Draft.loaded(rig.folder, rig.base, rig.clock)
    assert len(rig.draft.steps) == 1
    assert rig.text("Home.md") == NOTES["Home.md"]
    rig.write("Home.md", "again\n")
    rig.restart()
    assert rig.text("Home.md") == "again\n"


def test_what_came_after_a_step_is_taken_back_whole(rig: Rig) -> None:
    rig.write("Garden.md", "mine #kept\n")
    rig.write("Home.md", "dropped #dropped\n")
    rig.move("Garden.md", "Gone/Garden.md")
    rig.move("Kitchen/Plum jam.md", "Gone/Jam.md")
    rig.draft.rewind(1)
    for _ in range(2):
        assert [str(file.path) for file in rig.draft.files.walk()] == ["Garden.md", "Home.md", "Kitchen/Plum jam.md"]
        assert rig.text("Garden.md") == "mine #kept\n"
        assert rig.text("Home.md") == NOTES["Home.md"]
        assert [tag.tag for tag in rig.draft.index.tags()] == ["#kept"]
        assert "Gone" not in rig.draft.index.folders()
        assert sorted(rig.draft.staging.files) == ["Garden.md"]
        rig.restart()
        rig.draft.index.refresh()
    rig.write("Home.md", "again\n")
    assert len(rig.draft.steps) == 2


def test_taking_it_is_one_change_and_one_undo(rig: Rig) -> None:
    before = rig.on_disk()
    rig.write("Garden.md", "mine\n")
    rig.move("Kitchen/Plum jam.md", "Jam.md")
    (rig.vault / "Home.md").write_bytes(b"theirs\n")
    found = rig.draft.net_plan("Take the draft")
    assert found.plan is not None
    cause = Cause(execution_id="draft-1", tool="draft", client="ada", session_id="ada")
    rig.ledger.apply(found.plan, cause)
    assert rig.on_disk() == {"Garden.md": "mine\n", "Home.md": "theirs\n", "Jam.md": NOTES["Kitchen/Plum jam.md"]}
    _undone, plan = rig.ledger.undo_plan("draft-1")
    rig.ledger.apply(
        plan, Cause(execution_id="undo-1", tool="undo", client="ada", session_id="ada", kind="undo", reverses="draft-1")
    )
    assert rig.on_disk() == before | {"Home.md": "theirs\n"}


def test_a_plan_against_other_bytes_is_not_staged(rig: Rig) -> None:
    plan = rig.plan(lambda builder: builder.modify(VaultPath(("Garden.md",)), b"never so\n", b"new\n"))
    with pytest.raises(Conflict, match="has changed since"):
        rig.draft.stage(plan, "edit_file")
    assert rig.draft.steps == []
    assert rig.text("Garden.md") == NOTES["Garden.md"]


def test_damaged_bytes_are_never_written(rig: Rig) -> None:
    rig.write("Garden.md", "mine\n")
    (rig.folder / "bytes" / content_hash(b"mine\n")).write_bytes(b"not mine\n")
    with pytest.raises(ExecutionFailed, match="damaged"):
        rig.draft.net_plan("Take it")


def test_discarding_leaves_nothing(rig: Rig) -> None:
    before = rig.on_disk()
    rig.write("Garden.md", "mine\n")
    rig.draft.discard()
    assert not rig.folder.exists()
    assert rig.on_disk() == before
    rig.draft = Draft.begun(rig.folder, HEAD, rig.base, rig.clock)
    assert rig.text("Garden.md") == NOTES["Garden.md"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_nobody_else_can_look_into_it(rig: Rig) -> None:
    rig.write("Garden.md", "mine\n")
    for place in (rig.folder, *rig.folder.rglob("*")):
        assert stat.S_IMODE(place.stat().st_mode) & 0o077 == 0, place


def test_its_images_are_shown_in_its_review_also_after_a_restart(rig: Rig) -> None:
    shown = ShownPicture(mime_type="image/png", data="AAAA", width=60, height=40)
    rig.stage(lambda builder: builder.create(VaultPath(("Cat.png",)), b"\x89PNG\0", shown))
    rig.move("Cat.png", "Pets/Cat.png")
    rig.restart()
    plan = rig.draft.net_plan("Take it").plan
    assert plan is not None
    pictures = {one.path: one.picture for one in plan.previews if one.change == "create"}
    assert pictures == {"Pets/Cat.png": shown}
