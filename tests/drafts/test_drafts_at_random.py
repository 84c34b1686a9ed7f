"""Any calls in a draft, then taking it, leave the same bytes as the same calls made one by one, and undo is exact."""

import asyncio
import tempfile
from collections.abc import Awaitable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from bridge.clock import SystemClock
from bridge.drafts.draft import Base, Draft
from bridge.drafts.draft_files import DraftHead
from bridge.errors import Conflict, ToolFailure
from bridge.index.vault_index import VaultIndex
from bridge.journal.journal import Cause
from bridge.journal.ledger import Ledger
from bridge.notes.additions import judge
from bridge.settings.model import Settings
from bridge.toolkit.registry import ToolProvider
from bridge.toolkit.tool import CallContext, Tool, WriteTool
from bridge.tools import providers
from bridge.tools.services import ToolServices
from bridge.vault.files import VaultFiles
from bridge.vault.plan import ChangePlan, PlanBuilder
from bridge.vault.root import VaultRoot
from tests.identities import PERSON

HEAD = DraftHead(draft_id="d-1", client_id="ada", holder="ada", created="2026-01-05T09:00:00.000Z")
NOTES = {
    "Home.md": "# Home\n\n[[Tea]] and [[Work/Plan#Steps|the plan]]\n\n![[Tea]]\n",
    "Tea.md": "---\ntags: [drink]\n---\n# Tea\n\nHot. See [plan](Work/Plan.md).\n",
    "Work/Plan.md": "# Plan\n\n## Steps\n\n- [ ] one [[Home]]\n",
    "Work/Old/Log.md": "log [[Plan]] [[Tea]]\n",
}
CARD = '{"id":"a","type":"text","text":"[[Tea]]","x":0,"y":0,"width":250,"height":60}'
CANVAS = {"Board.canvas": f'{{"nodes":[{CARD}],"edges":[]}}'}
PATHS = st.sampled_from([*NOTES, "New.md", "Work/New.md", "Work/Tea 2.md", "Fresh/Deep/Note.md", "Work/Old/Plan.md"])
FOLDERS = st.sampled_from(["Work", "Work/Old", "Fresh", "Fresh/Deep", "Moved"])
TEXTS = st.sampled_from(["plain\n", "[[Tea]] [[Plan]]\n", "# Tea\n\n#tag\n", "---\nx: 1\n---\nbody [[Home]]\n", ""])


HEADINGS = st.sampled_from(["Plan", "Steps", "Tea", "Home", "New heading"])
TAGS = st.sampled_from(["drink", "green", "tag"])
NAMES = st.sampled_from(["state", "x", "tags", "up"])
CALLS: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    "apply_patch": st.fixed_dictionaries(
        {"path": PATHS, "patches": st.just([{"startLine": 1, "endLine": 1, "newContent": "# Patched [[Plan]]"}])}
    ),
    "daily_note": st.fixed_dictionaries({"date": st.just("2026-01-05"), "append": TEXTS}),
    "delete": st.fixed_dictionaries({"paths": st.lists(PATHS, min_size=1, max_size=2, unique=True)}),
    "delete_note": st.fixed_dictionaries({"name": PATHS}),
    "edit": st.fixed_dictionaries(
        {"edits": st.lists(st.fixed_dictionaries({"path": PATHS, "append": TEXTS}), min_size=1, max_size=3)}
    ),
    "edit_canvas": st.fixed_dictionaries(
        {
            "path": st.just("Board.canvas"),
            "operations": st.lists(
                st.fixed_dictionaries({"action": st.just("add"), "text": TEXTS.filter(bool)}), min_size=1, max_size=2
            ),
        }
    ),
    "edit_file": st.fixed_dictionaries(
        {"path": PATHS, "insert_after_line": st.integers(0, 3), "content": st.just("inserted [[Tea]]")}
    ),
    "edit_tasks": st.one_of(
        st.fixed_dictionaries({"action": st.just("add"), "to": PATHS, "texts": st.just(["one", "two [[Home]]"])}),
        st.fixed_dictionaries({"action": st.just("tick"), "tasks": st.just([{"path": "Work/Plan.md", "line": 5}])}),
    ),
    "merge_notes": st.fixed_dictionaries({"sources": st.lists(PATHS, min_size=1, max_size=2), "target": PATHS}),
    "move": st.fixed_dictionaries(
        {"moves": st.lists(st.fixed_dictionaries({"source": PATHS, "destination": PATHS}), min_size=1, max_size=2)}
    ),
    "organize_note": st.fixed_dictionaries({"source": PATHS, "destination": PATHS}),
    "remove_tag": st.fixed_dictionaries({"name": PATHS, "tag": TAGS, "include_body": st.booleans()}),
    "rename_heading": st.fixed_dictionaries({"path": PATHS, "heading": HEADINGS, "new_heading": HEADINGS}),
    "rename_property": st.fixed_dictionaries({"property": NAMES, "new_name": NAMES}),
    "rename_tag": st.fixed_dictionaries({"tag": TAGS, "new_tag": TAGS}),
    "set_properties": st.fixed_dictionaries(
        {"paths": st.lists(PATHS, min_size=1, max_size=3, unique=True)},
        optional={"properties": st.just({"state": "done"}), "add_tags": st.lists(TAGS, min_size=1, max_size=2)},
    ),
    "split_note": st.fixed_dictionaries({"path": PATHS, "level": st.integers(1, 2)}),
    "update_note": st.fixed_dictionaries({"name": PATHS, "content": TEXTS}),
}
"""The tools that write, but for those that have a rule of their own, and how they are called."""
RULES = {
    *("add_tag", "create_folder", "create_note", "delete_file", "modify_note", "move_file", "write_file"),
}
"""The tools that have one."""
NOT_STAGED = {"history", "history_redo", "history_undo"}
"""What is undone or repeated was written, so it is no part of a draft."""


class World:
    """A vault with an index, a ledger and all tools."""

    def __init__(self, folder: Path) -> None:
        for path, text in (NOTES | CANVAS).items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(text.encode())
        self.folder = folder
        self.clock = SystemClock()
        self.root = VaultRoot(folder)
        files = VaultFiles(self.root)
        self.index = VaultIndex(files, self.clock, stale=3600)
        self.index.refresh()
        self.ledger = Ledger(self.root, clock=self.clock, keep_backups=lambda: True, on_applied=self.index.applied)
        self.ledger.recover()
        self.services = ToolServices(files=files, everything=self.index, history=self.ledger, clock=self.clock)
        self.base = Base(files, self.index, lambda: PlanBuilder(self.root, judge))
        self.tools = by_name(providers(self.services))
        self.count = 0

    def apply(self, plan: ChangePlan) -> None:
        self.count += 1
        kind = plan.reversal or "change"
        self.ledger.apply(plan, Cause(f"call-{self.count}", "test", "ada", "ada", kind=kind, reverses=plan.reverses))

    def bytes(self) -> dict[str, bytes]:
        files = (path for path in self.folder.rglob("*") if path.is_file() and ".vault-bridge" not in path.parts)
        return {path.relative_to(self.folder).as_posix(): path.read_bytes() for path in files}

    def folders(self) -> set[str]:
        inside = (path for path in self.folder.rglob("*") if path.is_dir() and ".vault-bridge" not in path.parts)
        return {path.relative_to(self.folder).as_posix() for path in inside} - {".trash"}

    def close(self) -> None:
        self.ledger.close()
        self.index.close()
        self.root.close()


def by_name(made: list[ToolProvider]) -> dict[str, Tool[Any]]:
    return {tool.name: tool for provider in made for tool in provider.tools(PERSON)}


def planned(tools: dict[str, Tool[Any]], tool: str, arguments: dict[str, Any]) -> ChangePlan | None:
    """What a call would do; None where it fails, or changes nothing."""
    handler = tools[tool]
    context = CallContext(PERSON, Settings(), SystemClock().monotonic() + 600)
    try:
        params = handler.spec.parameters.parse(arguments)
        effect = handler.prepare(params, context)
        if not isinstance(effect, ChangePlan) and hasattr(effect, "__await__"):
            effect = asyncio.run(cast("Any", _awaited(cast("Awaitable[Any]", effect))))
    except ToolFailure:
        return None
    return effect if isinstance(effect, ChangePlan) else None


async def _awaited(effect: Awaitable[Any]) -> Any:
    return await effect


class Drafting(RuleBasedStateMachine):
    """One vault is changed call by call; a draft of its twin gets the same calls."""

    def __init__(self) -> None:
        super().__init__()
        self.place = tempfile.TemporaryDirectory()
        top = Path(self.place.name)
        (top / "state").mkdir()
        self.plain, self.drafted = World(top / "plain"), World(top / "drafted")
        self.draft = Draft.begun(top / "state" / "d-1", HEAD, self.drafted.base, self.drafted.clock)
        services = replace(self.drafted.services, files=self.draft.files, everything=self.draft.index)
        self.tools = by_name(providers(services))
        self.first = self.drafted.bytes()
        self.theirs: dict[str, bytes] = {}

    @initialize()
    def begin(self) -> None:
        assert self.plain.bytes() == self.drafted.bytes()

    @rule(path=PATHS, text=TEXTS)
    def write(self, path: str, text: str) -> None:
        self.call("write_file", path=path, content=text)

    @rule(path=PATHS, text=TEXTS)
    def create(self, path: str, text: str) -> None:
        self.call("create_note", path=path, content=text)

    @rule(path=PATHS)
    def append(self, path: str) -> None:
        self.call("modify_note", path=path, operation="append", content="\nmore [[Plan]]\n")

    @rule(path=PATHS, tag=st.sampled_from(["green", "drink"]))
    def tag(self, path: str, tag: str) -> None:
        self.call("add_tag", name=path, tag=tag)

    @rule(source=PATHS, destination=PATHS)
    def move(self, source: str, destination: str) -> None:
        self.call("move_file", source=source, destination=destination)

    @rule(source=FOLDERS, destination=FOLDERS)
    def move_folder(self, source: str, destination: str) -> None:
        self.call("move_file", source=source, destination=destination)

    @rule(path=PATHS)
    def delete(self, path: str) -> None:
        self.call("delete_file", path=path)

    @rule(path=FOLDERS)
    def make_folder(self, path: str) -> None:
        self.call("create_folder", path=path)

    @rule(tool=st.sampled_from(sorted(CALLS)), data=st.data())
    def any_other(self, tool: str, data: st.DataObject) -> None:
        self.call(tool, **data.draw(CALLS[tool]))

    def call(self, tool: str, **arguments: Any) -> None:
        one, other = planned(self.plain.tools, tool, arguments), planned(self.tools, tool, arguments)
        assert (one is None) == (other is None), (tool, arguments)
        if one is not None and other is not None:
            assert one.changes == other.changes
            self.plain.apply(one)
            self.draft.stage(other, tool)

    @invariant()
    def the_draft_shows_what_the_other_vault_has(self) -> None:
        shown = {str(file.path): self.draft.files.read(file.path)[0] for file in self.draft.files.walk()}
        assert shown == {path: data for path, data in self.plain.bytes().items() if not path.startswith(".")}
        index, plain = self.draft.index, self.plain.index
        assert [file.path for file in index.files()] == [file.path for file in plain.files()]
        assert list(index.folders()) == list(plain.folders())
        assert index.tags() == plain.tags()
        for path in shown:
            assert index.backlinks(path) == plain.backlinks(path)
        assert self.drafted.bytes() == self.first

    def teardown(self) -> None:
        try:
            found = self.draft.net_plan("Take the draft")
            if found.plan is not None:
                self.drafted.apply(found.plan)
            mine = {path: data for path, data in self.drafted.bytes().items() if not path.startswith(".trash/")}
            wanted = {path: data for path, data in self.plain.bytes().items() if not path.startswith(".trash/")}
            assert mine == wanted
            assert self.drafted.folders() == self.plain.folders()
            if found.plan is not None:
                self.drafted.apply(self.drafted.ledger.undo_plan()[1])
                assert self.drafted.bytes() == self.first
        finally:
            self.draft.close()
            self.plain.close()
            self.drafted.close()
            self.place.cleanup()


TestDrafting = pytest.mark.slow(Drafting.TestCase)
TestDrafting.settings = settings(max_examples=25, stateful_step_count=12, deadline=None)


def test_every_tool_that_writes_is_among_the_calls(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    world = World(tmp_path / "vault")
    try:
        writing = {name for name, tool in world.tools.items() if isinstance(tool, WriteTool)}
        assert writing == {*CALLS, *RULES, *NOT_STAGED}
    finally:
        world.close()


@pytest.mark.parametrize("path", list(NOTES))
def test_an_edit_of_another_hand_is_never_lost(tmp_path: Path, path: str) -> None:
    """Whatever the draft does to a file, what somebody wrote into it meanwhile is there afterwards."""
    (tmp_path / "state").mkdir()
    for tool, arguments in (
        ("modify_note", {"path": path, "operation": "append", "content": "\nmine\n"}),
        ("move_file", {"source": path, "destination": "Elsewhere/There.md"}),
        ("delete_file", {"path": path}),
        ("write_file", {"path": path, "content": "all mine\n"}),
    ):
        world = World(tmp_path / tool)
        draft = Draft.begun(tmp_path / "state" / tool, HEAD, world.base, world.clock)
        plan = planned(
            by_name(providers(replace(world.services, files=draft.files, everything=draft.index))), tool, arguments
        )
        assert plan is not None
        draft.stage(plan, tool)
        place = world.folder / path
        place.write_bytes(b"theirs\n" + place.read_bytes())
        world.index.refresh()
        try:
            found = draft.net_plan("Take it").plan
        except Conflict:
            assert place.read_bytes().startswith(b"theirs\n")
        else:
            assert found is not None
            world.apply(found)
            assert any(b"theirs\n" in data for data in world.bytes().values()), tool
        draft.close()
        world.close()
