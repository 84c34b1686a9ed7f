"""Whatever happens to a vault, by whomever, in whatever order: the index answers as a full reading of it would."""

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from bridge.contract.consent import Operation
from bridge.errors import ToolFailure
from bridge.journal.journal import Cause
from bridge.journal.ledger import Ledger
from bridge.vault.paths import parse_path
from bridge.vault.plan import ChangePlan, PlanBuilder, content_hash
from tests.index.index_world import World

pytestmark = pytest.mark.slow

PATHS = st.sampled_from(
    [
        *("One.md", "A/One.md", "A/one.md", "C/One.md", "Two.md", "A/B/Two.md", "a/Two.md", "C/Three.MD"),
        *("A/Board.canvas", "Board.canvas", "A/picture.png", "plain.txt", ".hidden.md"),
    ]
)
LINKS = ("[[One]]", "[[A/One]]", "![[two]]", "[x](A/B/Two.md)", "[[./Three]]", "[[#Here]]", "[[plain.txt]]", "[[gone]]")
FIRST = ("One.md", "A/One.md", "C/One.md", "A/B/Two.md", "Two.md")
PIECES = st.sampled_from((*LINKS, "#Tag", "#tag/Inner", "# Head", "text ^id", "```", "\udcff", "word"))
HEADS = st.sampled_from(("", "", "---\ntags: [Tag, other]\naliases: Uno\n---\n", "---\nup: '[[One]]'\nn: .inf\n---\n"))
CANVAS = '{"nodes":[{"id":"1","type":"file","file":"A/One.md"},{"id":"2","type":"text","text":"[[Two]] [[One]]"}]}'


@st.composite
def contents(draw: Callable[..., Any]) -> bytes:
    text = draw(HEADS) + "\n\n".join(draw(st.lists(PIECES, max_size=5)))
    return str(text).encode("utf-8", "surrogateescape")


class Histories(RuleBasedStateMachine):
    """Other programs and the bridge change a vault, and the index hears of some of it."""

    @initialize()
    def begin(self) -> None:
        self.top = Path(tempfile.mkdtemp(prefix="vb-index-"))
        (self.top / "Vault").mkdir()
        (self.top / "cache").mkdir()
        self.world = World(self.top / "Vault", self.top / "cache")
        for path in FIRST:
            self.world.write(path, "[[One]] [[Two]] #tag")
        self.world.index.refresh()
        self.unreported: set[str] = set()
        self.changes = 0
        self.follow()

    def follow(self) -> None:
        self.ledger = Ledger(
            self.world.root,
            clock=self.world.clock,
            keep_backups=lambda: True,
            on_applied=self.applied,
        )

    def applied(self, plan: ChangePlan) -> None:
        self.world.index.applied(plan)

    def teardown(self) -> None:
        if hasattr(self, "world"):
            self.ledger.close()
            self.world.close()
            shutil.rmtree(self.top)

    def place(self, path: str) -> Path:
        return self.world.folder / path

    # -- others ---------------------------------------------------------------------------------------------------

    @rule(path=PATHS, data=contents())
    def another_program_writes(self, path: str, data: bytes) -> None:
        try:
            self.world.write(path, CANVAS.encode() if path.endswith(".canvas") else data)
        except OSError:  # a file where a folder should be
            return
        self.unreported |= {path, *map(str, Path(path).parents)} - {"."}

    @rule(path=PATHS)
    def another_program_deletes(self, path: str) -> None:
        if self.place(path).is_file():
            self.place(path).unlink()
            self.unreported.add(path)

    @rule(old=st.sampled_from(("A", "A/B", "C", "a")), new=st.sampled_from(("A", "C", "D", "C/E")))
    def another_program_moves_a_folder(self, old: str, new: str) -> None:
        try:
            self.place(old).rename(self.place(new))
        except OSError:
            return
        self.unreported |= {old, new}

    @rule(old=PATHS, new=PATHS)
    def another_program_moves_a_file(self, old: str, new: str) -> None:
        try:
            self.place(old).replace(self.place(new))
        except OSError:
            return
        self.unreported |= {old, new}

    @rule(path=st.sampled_from(("A", "C", "D")))
    def another_program_deletes_a_folder(self, path: str) -> None:
        if self.place(path).is_dir():
            shutil.rmtree(self.place(path))
            self.unreported.add(path)

    @rule(path=st.sampled_from(("A/Empty", "F")))
    def another_program_makes_a_folder(self, path: str) -> None:
        if self.place(path).parent.is_dir() and not self.place(path).exists():
            self.place(path).mkdir()
            self.unreported.add(path)

    # -- we ---------------------------------------------------------------------------------------------------------

    def apply(self, make: Callable[[PlanBuilder], object]) -> None:
        builder = PlanBuilder(self.world.root)
        self.changes += 1
        try:
            make(builder)
            plan = builder.build(Operation.UPDATE, "A change")
            self.ledger.apply(plan, Cause(f"test-{self.changes}", "test", "Ada", "session"))
        except ToolFailure:
            return

    @rule(path=PATHS, data=contents())
    def we_write(self, path: str, data: bytes) -> None:
        place = self.place(path)
        if path.endswith((".canvas", ".hidden.md")):
            return
        if place.is_file():
            old = place.read_bytes()
            self.apply(lambda plan: plan.modify(parse_path(path), old, data))
        elif not place.exists():
            self.apply(lambda plan: plan.create(parse_path(path), data))

    @rule(old=PATHS, new=PATHS)
    def we_move(self, old: str, new: str) -> None:
        if self.place(old).is_file() and not self.place(new).exists() and ".hidden" not in old + new:
            data = self.place(old).read_bytes()
            self.apply(lambda plan: plan.move(parse_path(old), parse_path(new), content_hash(data)))

    @rule(path=PATHS)
    def we_delete(self, path: str) -> None:
        if self.place(path).is_file() and ".hidden" not in path:
            data = self.place(path).read_bytes()
            self.apply(lambda plan: plan.delete(parse_path(path), data))

    # -- and the index ------------------------------------------------------------------------------------------------

    @precondition(lambda self: self.unreported)
    @rule()
    def the_index_is_told(self) -> None:
        self.world.report(*self.unreported)
        self.unreported = set()
        assert self.world.wrong == []

    @rule()
    def the_index_sweeps(self) -> None:
        self.world.index.refresh()
        self.unreported = set()
        assert self.world.wrong == []

    @rule()
    def the_bridge_starts_anew(self) -> None:
        self.world.reopen()
        self.the_index_sweeps()

    @invariant()
    def nothing_is_known_that_is_wrong(self) -> None:
        if hasattr(self, "world") and not self.unreported:
            assert self.world.wrong == []


Histories.TestCase.settings = settings(
    max_examples=25, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)
test_any_history = Histories.TestCase
