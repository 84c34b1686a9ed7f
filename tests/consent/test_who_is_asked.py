"""Clients, names, tokens, grants, widening and reconnects, played against a model of twenty lines.

The model keeps every answer as a row and looks through all of them each time; it knows nothing of how they are stored.
"""

import dataclasses
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.clock import SystemClock
from bridge.consent.grants import GrantStore
from bridge.consent.permission_file import PermissionFile
from bridge.contract.consent import ConsentClass, ConsentMode, Covers, Decision, Operation, RiskLevel
from bridge.contract.identity import Capability
from bridge.contract.targets import Reach
from bridge.identity.caller import SHARED, Caller, Client
from bridge.policy.consent import ConsentCase, Extent, decide
from bridge.vault.root import VaultRoot
from tests.consent.test_shrinking import QuickDisk
from tests.identities import client_grants, target

CLIENTS = (
    SHARED,
    Client("c1", "Claude", frozenset({Capability.CALL})),
    Client("c2", "Codex", frozenset({Capability.CALL})),
)
PATHS = ("a.md", "Notes/b.md", "Notes/Deep/c.md", "notes/B.md")
URLS = ("https://one.test/x", "https://one.test/y?q", "https://two.test/x")
WRITE, FETCH = ("write_file", ConsentClass.SESSION, Operation.UPDATE), ("fetch", ConsentClass.ALWAYS, Operation.NETWORK)

callers = st.builds(
    Caller, st.sampled_from(CLIENTS), st.sampled_from(("link-1", "link-2")), st.sampled_from(("Claude", "Codex", None))
)


def case(who: Caller, kind: tuple[str, ConsentClass, Operation], text: str, call: str) -> ConsentCase:
    return ConsentCase(
        tool=kind[0],
        operation=kind[2],
        consent_class=kind[1],
        risk=RiskLevel.LOW,
        covers=Covers.TARGET,
        targets=(target(text),),
        caller=who,
        mode=ConsentMode.ALWAYS_ASK,
        developer_mode=False,
        call=call,
    )


cases = st.one_of(
    st.builds(case, callers, st.just(WRITE), st.sampled_from(PATHS), st.sampled_from(("1", "2"))),
    st.builds(case, callers, st.just(FETCH), st.sampled_from(URLS), st.sampled_from(("1", "2"))),
)
extents = st.builds(
    Extent,
    st.sampled_from((None, Reach.FOLDER, Reach.VAULT, Reach.PAGE, Reach.SITE)),
    st.sampled_from((None, True, False)),
)
steps = st.one_of(
    st.tuples(st.just("ask"), cases),
    st.tuples(st.just("answer"), cases, st.sampled_from(list(Decision)), extents),
    st.tuples(st.just("revoke"), st.sampled_from(("c1", "c2"))),
)


class Model:
    """Who is asked, as the documents say it."""

    def __init__(self) -> None:
        self.rows: list[tuple[Decision, ConsentCase, Any, bool]] = []

    def verdict(self, asked: ConsentCase) -> str:
        held = [row for row in self.rows if self.holds(*row, asked)]
        if any(not decision.allows for decision, *_ in held):
            return "deny"
        return "allow" if any(decision.allows for decision, *_ in held) else "ask"

    def holds(self, decision: Decision, said: ConsentCase, rung: Any, everyone: bool, asked: ConsentCase) -> bool:
        (touched,) = asked.targets
        if decision is Decision.DENY_ONCE:
            return (said.caller.subject, said.tool, said.call) == (asked.caller.subject, asked.tool, asked.call)
        if everyone:  # for good and for all: by what is touched and done, whatever the tool
            same_act = said.letters == asked.letters
            return same_act and (rung.covers(touched) if decision.allows else rung.denies(touched))
        whom = said.caller.session_id == asked.caller.session_id
        if decision is not Decision.ALLOW_SESSION:
            whom = said.caller.subject == asked.caller.subject
        return whom and said.tool == asked.tool and (rung.covers(touched) if decision.allows else rung.denies(touched))

    def say(self, decision: Decision, said: ConsentCase, extent: Extent) -> None:
        for_good = decision in {Decision.ALLOW_ALWAYS, Decision.DENY_ALWAYS}
        if decision is Decision.ALLOW_ONCE or (
            decision is Decision.ALLOW_ALWAYS and said.consent_class is ConsentClass.SESSION
        ):
            return
        (rung,) = said.rungs(extent.reach) or (None,)
        if decision.allows:  # something wider was allowed: the calls it covers may be made again
            mine = (said.caller.subject, said.tool)
            self.rows = [
                row
                for row in self.rows
                if row[0] is not Decision.DENY_ONCE
                or (row[1].caller.subject, row[1].tool) != mine
                or (rung is not None and not rung.covers(row[1].targets[0]))
            ]
        everyone = for_good and extent.holds_for_all(decision)
        if for_good:  # the newest word on exactly this counts
            where = ("all", said.letters) if everyone else (said.caller.subject, said.tool)
            self.rows = [row for row in self.rows if not self.same_place(row, where, rung)]
        self.rows.append((decision, said, rung, everyone))

    @staticmethod
    def same_place(row: tuple[Decision, ConsentCase, Any, bool], where: Any, rung: Any) -> bool:
        decision, said, held, everyone = row
        if decision not in {Decision.ALLOW_ALWAYS, Decision.DENY_ALWAYS}:
            return False
        return (("all", said.letters) == where and everyone and held == rung) or (
            (said.caller.subject, said.tool) == where and not everyone and held == rung
        )


def _offered(said: ConsentCase, extent: Extent) -> bool:
    try:
        said.rungs(extent.reach)
    except ValueError:
        return False
    return True


@settings(max_examples=300, deadline=None)
@given(st.lists(steps, max_size=14))
def test_who_is_asked_and_who_is_not_is_what_the_model_says(played: list[Any]) -> None:
    model = Model()
    with tempfile.TemporaryDirectory() as folder, VaultRoot(Path(folder), QuickDisk()) as root, root.state() as state:
        grants = GrantStore(
            PermissionFile(state, clock=SystemClock()),
            clock=SystemClock(),
            modes=dict,
            set_mode=lambda _tool, _mode, _by: None,
            clients=client_grants(),
        )
        strikes: dict[Any, int] = {}
        for step in played:
            match step:
                case ("ask", asked):
                    assert decide(asked, grants).outcome == model.verdict(asked), (asked, model.rows)
                case ("answer", said, decision, extent) if _offered(said, extent):
                    key = (said.caller.subject, said.letters, said.targets[0].place)
                    strikes[key] = strikes.get(key, 0) + (decision is Decision.DENY_ONCE)
                    if strikes[key] >= 3:
                        continue  # silenced: a rule of its own, tested on its own
                    grants.remember(decision, said, extent=extent)
                    model.say(decision, said, extent)
                case ("revoke", client_id):
                    grants.forget_client(client_id)
                    model.rows = [row for row in model.rows if row[1].caller.client.id != client_id or row[3]]
                case _:
                    pass


def test_a_name_is_nobody() -> None:
    """The second of two programs that give the same name is asked."""
    said = case(Caller(SHARED, "link-1", "Claude"), WRITE, "a.md", "1")
    with tempfile.TemporaryDirectory() as folder, VaultRoot(Path(folder), QuickDisk()) as root, root.state() as state:
        grants = GrantStore(
            PermissionFile(state, clock=SystemClock()),
            clock=SystemClock(),
            modes=dict,
            set_mode=lambda _tool, _mode, _by: None,
            clients=client_grants(),
        )
        grants.remember(Decision.ALLOW_SESSION, said)
        assert decide(said, grants).outcome == "allow"
        other = dataclasses.replace(said, caller=Caller(SHARED, "link-2", "Claude"))
        assert decide(other, grants).outcome == "ask"


def test_three_denials_of_one_target_within_a_minute_silence_it() -> None:
    who = Caller(SHARED, "link-1", "Claude")
    with tempfile.TemporaryDirectory() as folder, VaultRoot(Path(folder), QuickDisk()) as root, root.state() as state:
        grants = GrantStore(
            PermissionFile(state, clock=SystemClock()),
            clock=SystemClock(),
            modes=dict,
            set_mode=lambda _tool, _mode, _by: None,
            clients=client_grants(),
        )
        for number in range(3):
            asked = case(who, WRITE, "a.md", f"call {number}")
            assert decide(asked, grants).outcome == "ask"
            grants.remember(Decision.DENY_ONCE, asked)
        renamed = Caller(SHARED, "link-9", "Somebody else")
        again = case(renamed, ("edit_file", ConsentClass.SESSION, Operation.UPDATE), "a.md", "call 9")
        assert decide(again, grants).rule == "session:silenced"
        assert decide(case(renamed, WRITE, "Notes/b.md", "call 9"), grants).outcome == "ask"
        silenced = next(grant for grant in grants.list() if grant.tool is None)
        assert grants.revoke(silenced.grant_id)
        assert decide(again, grants).outcome == "ask"
