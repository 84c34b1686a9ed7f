"""A denial can only shrink what runs, and nothing but an answer makes a tool of the class *never* run."""

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.clock import SystemClock
from bridge.consent.grants import GrantStore
from bridge.consent.permission_file import PermissionFile
from bridge.contract.consent import Addition, ConsentClass, ConsentMode, Covers, Decision, Operation
from bridge.identity.caller import SHARED, Caller
from bridge.policy.consent import ConsentCase, Verdict, decide
from bridge.policy.offers import AnswerBounds, offers
from bridge.vault.disk import Disk
from bridge.vault.root import VaultRoot
from tests.identities import caller, client_grants, touching

pytestmark = pytest.mark.slow

PLACES = ("/", "Notes/", "Notes/a.md", "notes/A.md", "Notes/Deep/", "Notes/Deep/b.md", "c.md", "https://example.org/x")
TARGETS = ("Notes/a.md", "Notes/Deep/b.md", "c.md", "https://example.org/x?y", "Notes", "", "no//key")
TOOLS = {
    "read": (Operation.READ, ConsentClass.ALWAYS, Covers.TOOL),
    "fetch": (Operation.NETWORK, ConsentClass.ALWAYS, Covers.TARGET),
    "create": (Operation.CREATE, ConsentClass.SESSION, Covers.TARGET),
    "update": (Operation.UPDATE, ConsentClass.SESSION, Covers.TARGET),
    "patch": (Operation.UPDATE, ConsentClass.NEVER, Covers.TARGET),
    "delete": (Operation.DELETE, ConsentClass.NEVER, Covers.TARGET),
}

CALLERS = (
    caller("s1", "Ada"),
    caller("s2", "Bob"),
    Caller(SHARED, "link-1", "Ada"),
    Caller(SHARED, "link-2", "Ada"),
)

codes = st.tuples(*(st.sampled_from((letter, "-", "?")) for letter in "rwx")).map("".join)
rules = st.dictionaries(st.sampled_from(PLACES), codes, max_size=5)
modes = st.dictionaries(st.sampled_from(sorted(TOOLS)), st.sampled_from([mode.value for mode in ConsentMode]))
answers = st.sampled_from(list(Decision))
which = st.integers(0, 15)
"""Which of the offers of a decision is taken, counted round and round."""


@st.composite
def cases(draw: st.DrawFn, tools: tuple[str, ...] = tuple(TOOLS)) -> ConsentCase:
    tool = draw(st.sampled_from(tools))
    operation, consent_class, covers = TOOLS[tool]
    return ConsentCase(
        tool=tool,
        operation=operation,
        consent_class=consent_class,
        covers=covers,
        targets=touching(*draw(st.lists(st.sampled_from(TARGETS), max_size=3, unique=True))),
        caller=draw(st.sampled_from(CALLERS)),
        mode=ConsentMode.SESSION_ALLOW,
        developer_mode=draw(st.booleans()),
        call=draw(st.sampled_from(("call-1", "call-2"))),
        additions=draw(st.sampled_from((None, frozenset({Addition.TAG}), frozenset(Addition)))),
        files=draw(st.integers(0, 3)),
    )


Said = list[tuple[Decision, ConsentCase, int]]
Approved = list[tuple[Operation, str | None]]
said: st.SearchStrategy[Said] = st.lists(st.tuples(answers, cases(), which), max_size=6)
approved: st.SearchStrategy[Approved] = st.lists(
    st.tuples(st.sampled_from((Operation.CREATE, Operation.UPDATE)), st.sampled_from((None, "s1"))), max_size=2
)


class QuickDisk(Disk):
    """Waits for no disk: nothing here is to outlive a crash."""

    def fsync(self, fd: int) -> None:
        del fd

    def sync_folder(self, at: Any) -> None:
        del at


class World:
    """Everything that can be said, over a real permission file."""

    def __init__(self, folder: Path, root: VaultRoot) -> None:
        self.file = folder / ".vault-bridge" / "permissions.json"
        self.modes: dict[str, str] = {}
        state = root.state()
        self.close = state.close
        self.grants = GrantStore(
            PermissionFile(state, clock=SystemClock()),
            clock=SystemClock(),
            modes=lambda: self.modes,
            set_mode=self.set_mode,
            clients=client_grants(),
            days=lambda: 30,
        )

    def set_mode(self, tool: str, mode: ConsentMode | None, by: str | None = None) -> None:
        del by
        self.modes.pop(tool, None)
        if mode is not None:
            self.modes[tool] = mode.value

    def write(self, entries: dict[str, str]) -> None:
        self.file.write_text(json.dumps(entries), encoding="utf-8")

    def entries(self) -> dict[str, str]:
        return dict(json.loads(self.file.read_bytes()))

    def decide(self, case: ConsentCase) -> Verdict:
        mode = ConsentMode(self.modes.get(case.tool, "session_allow"))
        return decide(case._replace(mode=mode), self.grants)

    def remember(self, decision: Decision, case: ConsentCase, number: int = 0) -> None:
        """Give one of the answers that are offered, if any is."""
        offered = [one for one in offers(case, AnswerBounds(days=30), datetime.now(UTC)) if one.decision is decision]
        if offered:
            self.grants.remember(decision, offered[number % len(offered)].extent, case)

    def say(self, words: Said, autos: Approved) -> None:
        for decision, case, number in words:
            self.remember(decision, case, number)
        for operation, client in autos:
            self.grants.session.auto_approve(operation, client, enabled=True)


@contextmanager
def world() -> Iterator[World]:
    with tempfile.TemporaryDirectory() as folder, VaultRoot(Path(folder), QuickDisk()) as root:
        made = World(Path(folder), root)
        try:
            yield made
        finally:
            made.close()


def deny(made: World, how: Any, case: ConsentCase, place: str, letter: int) -> None:
    """One denial more, of any kind."""
    match how:
        case Decision():
            made.remember(how, case, letter)
        case "mode":
            made.modes[case.tool] = "never_allow"
        case _:
            entries = made.entries()
            code = entries.get(place, "???")
            made.write(entries | {place: code[:letter] + "-" + code[letter + 1 :]})


@settings(max_examples=250, deadline=None)
@given(
    rules,
    modes,
    said,
    approved,
    st.lists(cases(), min_size=1, max_size=8),
    st.sampled_from([Decision.DENY_ONCE, Decision.DENY_SESSION, Decision.DENY_ALWAYS, "mode", "file"]),
    cases(),
    st.sampled_from(PLACES),
    st.integers(0, 2),
)
def test_a_denial_more_can_only_shrink_what_runs(  # noqa: PLR0917 - everything that decides
    entries: dict[str, str],
    set_modes: dict[str, str],
    words: Said,
    autos: Approved,
    asked: list[ConsentCase],
    how: Any,
    denied: ConsentCase,
    place: str,
    letter: int,
) -> None:
    order = ("allow", "ask", "deny")
    with world() as made:
        made.write(entries)
        made.modes = dict(set_modes)
        made.say(words, autos)
        before = [made.decide(case) for case in asked]
        deny(made, how, denied, place, letter)
        after = [made.decide(case) for case in asked]
    for case, was, now in zip(asked, before, after, strict=True):
        assert order.index(now.outcome) >= order.index(was.outcome), (case, was, now)


@settings(max_examples=250, deadline=None)
@given(rules, modes, said, approved, cases(("patch", "delete")))
def test_nothing_said_before_makes_a_never_tool_run_unasked(
    entries: dict[str, str], set_modes: dict[str, str], words: Said, autos: Approved, case: ConsentCase
) -> None:
    with world() as made:
        made.write(entries)
        made.modes = dict(set_modes)
        made.say(words, autos)
        verdict = made.decide(case)
        assert verdict.outcome != "allow"
        assert not {Decision.ALLOW_SESSION, Decision.ALLOW_ALWAYS} & set(verdict.choices)
        made.say([(decision, case, number) for decision in Decision if decision.allows for number in range(16)], [])
        made.write(dict.fromkeys(PLACES, "rwx"))
        made.modes[case.tool] = "always_allow"
        assert made.decide(case).outcome != "allow"


@settings(max_examples=60, deadline=None)
@given(rules, said, cases())
def test_what_is_denied_stays_so_whatever_is_allowed_afterwards(
    entries: dict[str, str], words: Said, case: ConsentCase
) -> None:
    with world() as made:
        made.write(entries)
        made.remember(Decision.DENY_SESSION, case)
        made.say(
            [(decision, other, number) for decision, other, number in words if decision.allows],
            [(Operation.UPDATE, None)],
        )
        made.modes[case.tool] = "always_allow"
        assert made.decide(case).outcome == "deny"
