"""Whatever is moved, renamed, made and deleted, links keep their targets or are named; undo of all gives the old bytes.

The real ledger and the real index, over real files.
"""

import itertools
import json
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from bridge.clock import SystemClock
from bridge.contract.consent import Operation
from bridge.errors import ToolFailure
from bridge.identity.caller import PERSON
from bridge.index.vault_index import VaultIndex
from bridge.journal.journal import Cause
from bridge.journal.ledger import Ledger
from bridge.notes.canvas import parse_canvas
from bridge.notes.markdown import parse_note
from bridge.notes.names import Names
from bridge.notes.note import Link
from bridge.settings.model import Settings
from bridge.toolkit.tool import CallContext
from bridge.tools.files.link_keeping import LinkKeeper
from bridge.tools.files.moving import MovePlanner
from bridge.tools.services import ToolServices
from bridge.vault.files import VaultFiles
from bridge.vault.paths import parse_path
from bridge.vault.plan import BrokenLink, ChangePlan, PlanBuilder
from bridge.vault.root import VaultRoot

pytestmark = pytest.mark.slow

FOLDERS = ["", "a", "b", "a/c", "b/c", "It's d", "C# x"]
NAMES = ["Note", "Other", "Ünï (1)", "A & B", "100%"]
ENDINGS = [".md", ".md", ".md", ".png", ".canvas"]
PATHS = st.builds(
    lambda folder, name, ending: f"{folder}/{name}{ending}".lstrip("/"),
    st.sampled_from(FOLDERS),
    st.sampled_from(NAMES),
    st.sampled_from(ENDINGS),
)
WAYS: list[Callable[[str], str]] = [
    lambda path: f"[[{path.removesuffix('.md').rpartition('/')[2]}]]",
    lambda path: f"[[{path.removesuffix('.md')}#Heading|text]]",
    lambda path: f"![[{path}|120]]",
    lambda path: f"[[../{path}]]",
    lambda path: f"[[./{path.rpartition('/')[2]}]]",
    lambda path: f"[t](<{path}#h>)",
    lambda path: f"[{path}](/{path.replace('%', '%25').replace(' ', '%20').replace('(', '%28').replace(')', '%29')})",
    lambda path: f"[[{path.upper()}]]",
    lambda path: f"`[[{path}]]`",
    lambda path: f"[[nothing/{path}]]",
    lambda path: f"\n\n[r]: <{path}>\n\n",
    lambda path: f'<a href="{path}">t</a>',
]
LINKS = st.tuples(st.sampled_from(WAYS), PATHS)


def text_with(links: list[str], ending: str) -> bytes:
    """A note, canvas or picture that holds these links in all the places where links may be."""
    if ending == ".png":
        return b"\x89PNG" + links[0].encode()
    if ending == ".canvas":
        paths = [link.strip("![]").partition("|")[0].partition("#")[0] for link in links]
        nodes = [{"type": "text", "text": f"é {link}\n"} for link in links]
        nodes += [{"type": "file", "file": path} for path in [*paths, "C# x/Note.md", "C# x/Other.png"]]
        nodes += [{"type": "file", "file": "C# x/Other.md", "subpath": "#Head"}]
        return json.dumps({"nodes": nodes, "edges": []}, ensure_ascii=len(links) % 2 == 0).encode()
    half = links[: len(links) // 2]
    front = f"---\nup: {json.dumps(links[0])}\nl:\n" + "".join(
        f"  - '{link.replace(chr(39), chr(39) * 2)}'\n" for link in half
    )
    table = "| a |\n| - |\n" + "".join(f"| {link.replace('|', chr(92) + '|')} |\n" for link in half)
    return (front + "---\r\n# Heading\n- " + "\n- ".join(links) + f"\n\n{table}").encode()


class Moves(RuleBasedStateMachine):
    """A vault that is turned upside down, and looked at after each turn."""

    def __init__(self) -> None:
        super().__init__()
        self.place = tempfile.TemporaryDirectory()
        self.folder = Path(self.place.name) / "Vault"
        self.numbers = itertools.count()
        self.done = 0

    @initialize(
        files=st.dictionaries(PATHS, st.lists(LINKS, min_size=2, max_size=5), min_size=8, max_size=16),
        form=st.sampled_from(["shortest", "relative", "absolute"]),
    )
    def begin(self, files: dict[str, list[tuple[Callable[[str], str], str]]], form: str) -> None:
        (self.folder / ".obsidian").mkdir(parents=True)
        (self.folder / ".obsidian" / "app.json").write_text(json.dumps({"newLinkFormat": form}), encoding="utf-8")
        known = sorted(files)
        for path, links in files.items():
            self._put(
                path,
                [
                    way(known[sum(map(ord, target)) % len(known)] if len(target) % 3 else target)
                    for way, target in links
                ],
            )
        self.root = VaultRoot(self.folder)
        every = VaultFiles(self.root)
        self.index = VaultIndex(every, SystemClock(), stale=3600)
        self.index.refresh()
        self.ledger = Ledger(self.root, clock=SystemClock(), keep_backups=lambda: True, on_applied=self.index.applied)
        self.ledger.recover()
        services = ToolServices(files=every, everything=self.index, history=self.ledger)
        storage, clock = services.storage, services.clock
        self.moves, self.keeper = MovePlanner(storage, clock), LinkKeeper(storage, clock)
        self.context = CallContext(PERSON, Settings(), services.clock.monotonic() + 600)
        self.first = self._bytes()

    @rule(data=st.data(), to=PATHS)
    def move_a_file(self, data: st.DataObject, to: str) -> None:
        source = data.draw(st.sampled_from(sorted(self._bytes())))
        self._move(source, to.rpartition(".")[0] + "." + source.rpartition(".")[2])

    @rule(data=st.data(), name=st.sampled_from(NAMES))
    def rename_a_file(self, data: st.DataObject, name: str) -> None:
        source = data.draw(st.sampled_from(sorted(self._bytes())))
        folder, slash, old = source.rpartition("/")
        self._move(source, f"{folder}{slash}{name}.{old.rpartition('.')[2]}")

    @rule(data=st.data(), to=st.sampled_from(["x", "b/x", "A", "a/c", "It's d/y"]))
    def move_a_folder(self, data: st.DataObject, to: str) -> None:
        folders = sorted({path.rpartition("/")[0] for path in self._bytes()} - {""})
        if folders:
            self._move(data.draw(st.sampled_from(folders)), to)

    @rule(path=PATHS, links=st.lists(LINKS, min_size=2, max_size=4))
    def create(self, path: str, links: list[tuple[Callable[[str], str], str]]) -> None:
        before = self._bytes()
        if path.lower() in {other.lower() for other in before}:
            return
        builder = PlanBuilder(self.root)
        try:
            place = self.root.resolve_new(parse_path(path))
        except ToolFailure:
            return
        content = text_with([way(target) for way, target in links], path[path.rindex(".") :])
        builder.create(place, content)
        kept = self.keeper.keep_for_new(builder, [str(place)], self.context)
        assert len(kept.warnings) == len({link.path for link in kept.broken})
        self._apply(builder.build(Operation.CREATE, "Create"))
        self._compare(before, {}, kept.broken)

    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        before = self._bytes()
        if len(before) < 3:
            return
        path = data.draw(st.sampled_from(sorted(before)))
        builder = PlanBuilder(self.root)
        builder.delete(parse_path(path), before[path])
        self._apply(builder.build(Operation.DELETE, "Delete"))
        self._compare(before, {path: None}, ())

    @invariant()
    def the_index_is_true_of_the_disk(self) -> None:
        assert sorted(file.path for file in self.index.files()) == sorted(self._bytes())

    def teardown(self) -> None:
        if hasattr(self, "ledger"):
            for _turn in range(self.done):
                _id, plan = self.ledger.undo_plan()
                self._apply(plan)
            assert self._bytes() == self.first
            self.ledger.close()
            self.index.close()
            self.root.close()
        self.place.cleanup()

    # -- turning --------------------------------------------------------------------------------------------------

    def _put(self, path: str, links: list[str]) -> None:
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_bytes(text_with(links, path[path.rindex(".") :]))

    def _move(self, source: str, target: str) -> None:
        before = self._bytes()
        try:
            plan = self.moves.plan([(parse_path(source), parse_path(target))], self.context)
        except ToolFailure:
            assert self._bytes() == before
            return
        if plan is None:
            return
        assert len(plan.warnings) == len({link.path for link in plan.broken})
        place = self._apply(plan)
        moves: dict[str, str | None] = {}
        for path in before:
            if path == source or path.startswith(source + "/"):
                moves[path] = place(path)
        self._compare(before, moves, plan.broken)

    def _apply(self, plan: ChangePlan) -> Callable[[str], str]:
        """Apply a plan; returned is what tells where a file is since."""
        kind = plan.reversal or "change"
        cause = Cause(
            execution_id=f"move-{next(self.numbers)}",
            tool="move_file",
            client="Ada",
            session_id="s",
            kind=kind,
            reverses=plan.reverses,
        )
        self.ledger.apply(plan, cause)
        self.done += kind == "change"
        ways = {change.path: change.new_path for change in plan.changes if change.new_path}

        def place(path: str) -> str:
            while path in ways:
                path = ways.pop(path) or path
            return path

        return place

    # -- looking --------------------------------------------------------------------------------------------------

    def _bytes(self) -> dict[str, bytes]:
        """Every file outside dot-folders."""
        return {
            path.relative_to(self.folder).as_posix(): path.read_bytes()
            for path in self.folder.rglob("*")
            if path.is_file() and not path.relative_to(self.folder).parts[0].startswith(".")
        }

    def _compare(self, before: dict[str, bytes], moves: dict[str, str | None], broken: Sequence[BrokenLink]) -> None:
        """Every link leads where it led or was named, and no byte has changed that had no need to."""
        named = Counter((link.path, link.link) for link in broken)
        after = self._bytes()
        old, new = Names(before), Names(after)
        for path, data in before.items():
            place = moves.get(path, path)
            if place is None:
                continue
            links, now = links_of(path, data), links_of(place, after[place])
            assert len(links) == len(now)
            needed = False
            for link, new_link in zip(links, now, strict=True):
                target = old.resolve(link.linkpath, path) if link.linkpath else None
                wanted = moves.get(target, target) if target else None
                if wanted is None:
                    assert link.link == new_link.link
                    continue
                if new.resolve(new_link.linkpath, place) != wanted:
                    named[place, link.original[:100]] -= 1
                    assert link.link == new_link.link
                    assert link.kind != "node"
                    continue
                assert link.subpath == new_link.subpath
                if link.kind == "node" and target in moves:
                    assert new_link.original == wanted
                    needed = needed or link.original != wanted
                elif new.resolve(link.linkpath, place) == wanted:
                    assert link.link == new_link.link
                else:
                    needed = True
            assert needed or after[place] == data
        assert not any(named.values()), named


def links_of(path: str, data: bytes) -> Sequence[Link]:
    """Every link of a file."""
    text = data.decode("utf-8", "surrogateescape")
    if path.endswith(".canvas"):
        return parse_canvas(text)
    return parse_note(text).all_links if path.endswith(".md") else ()


TestMoves = Moves.TestCase
TestMoves.settings = settings(
    max_examples=15, stateful_step_count=8, deadline=None, suppress_health_check=list(HealthCheck)
)
