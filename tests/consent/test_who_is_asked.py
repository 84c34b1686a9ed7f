"""Clients, names, tokens, grants, widening and reconnects, played against a model of twenty lines.

The model keeps every answer as a row and looks through all of them each time; it knows nothing of how they are stored.
"""

import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.clock import SystemClock
from bridge.consent.grants import GrantStore
from bridge.consent.permission_file import PermissionFile
from bridge.contract.consent import ConsentClass, ConsentMode, Coverage, Covers, Decision, Holder, Operation, Until
from bridge.contract.identity import Capability
from bridge.identity.caller import SHARED, Caller, Client
from bridge.policy.consent import ConsentCase, decide
from bridge.policy.offers import AnswerBounds, Offer, offers
from bridge.vault.root import VaultRoot
from tests.consent.test_shrinking import QuickDisk
from tests.identities import client_grants, say, target

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
        covers=Covers.TARGET,
        targets=(target(text),),
        caller=who,
        mode=ConsentMode.SESSION_ALLOW,
        developer_mode=False,
        call=call,
    )


cases = st.one_of(
    st.builds(case, callers, st.just(WRITE), st.sampled_from(PATHS), st.sampled_from(("1", "2"))),
    st.builds(case, callers, st.just(FETCH), st.sampled_from(URLS), st.sampled_from(("1", "2"))),
)
steps = st.one_of(
    st.tuples(st.just("ask"), cases),
    st.tuples(st.just("answer"), cases, st.integers(0, 20)),
    st.tuples(st.just("revoke"), st.sampled_from(("c1", "c2"))),
)


class Model:
    """Who is asked, as the documents say it: every answer is a row, and all are looked through each time."""

    def __init__(self) -> None:
        self.rows: list[tuple[Offer, ConsentCase]] = []

    def verdict(self, asked: ConsentCase) -> str:
        held = [offer.decision.allows for offer, said in self.rows if self.holds(offer, said, asked)]
        if not all(held):
            return "deny"
        return "allow" if held else "ask"

    def holds(self, offer: Offer, said: ConsentCase, asked: ConsentCase) -> bool:
        extent, allows = offer.extent, offer.decision.allows
        (touched,) = asked.targets
        if extent.what is Coverage.CALL:
            return (said.caller.subject, said.tool, said.call) == (asked.caller.subject, asked.tool, asked.call)
        whom = {
            Holder.EVERYONE: True,
            Holder.CONNECTION: said.caller.session_id == asked.caller.session_id,
            Holder.CLIENT: said.caller.subject == asked.caller.subject,
        }
        what = {
            Coverage.TOOL: asked.tool == extent.tool,
            Coverage.CHANGING: asked.letters == ("w",) and extent.operation in {None, asked.operation},
            Coverage.REQUESTS: asked.operation is Operation.NETWORK,
        }
        where = (rung.covers(touched) if allows else rung.denies(touched) for rung in extent.rungs)
        return whom[extent.who] and what[extent.what] and (not extent.rungs or any(where))

    def say(self, offer: Offer, said: ConsentCase) -> None:
        if offer.decision is Decision.ALLOW_ONCE:
            return
        if offer.decision.allows:  # something wider was allowed: this client's calls that it covers may be made again
            self.rows = [
                row
                for row in self.rows
                if row[0].extent.what is not Coverage.CALL
                or row[1].caller.subject != said.caller.subject
                or not self.covers(offer, row[1])
            ]
        if offer.decision in {Decision.ALLOW_ALWAYS, Decision.DENY_ALWAYS}:  # the newest word on exactly this counts
            self.rows = [row for row in self.rows if not self.same(row, offer, said)]
        self.rows.append((offer, said))

    @staticmethod
    def covers(offer: Offer, refused: ConsentCase) -> bool:
        (touched,) = refused.targets
        where = not offer.extent.rungs or any(rung.covers(touched) for rung in offer.extent.rungs)
        return where and offer.extent.allows(refused)

    @staticmethod
    def same(row: tuple[Offer, ConsentCase], offer: Offer, said: ConsentCase) -> bool:
        held, by = row
        if held.decision not in {Decision.ALLOW_ALWAYS, Decision.DENY_ALWAYS}:
            return False
        one, other = (each.extent._replace(until=Until.REVOKED, operation=None) for each in (held, offer))
        is_everyone = offer.extent.who is Holder.EVERYONE
        return one == other and (is_everyone or by.caller.subject == said.caller.subject)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.lists(steps, max_size=14))
def test_who_is_asked_and_who_is_not_is_what_the_model_says(played: list[Any]) -> None:
    model = Model()
    modes: dict[str, str] = {}

    def set_mode(tool: str, mode: ConsentMode | None, by: str | None) -> None:
        del by
        modes[tool] = "session_allow" if mode is None else mode.value

    with tempfile.TemporaryDirectory() as folder, VaultRoot(Path(folder), QuickDisk()) as root, root.state() as state:
        grants = GrantStore(
            PermissionFile(state, clock=SystemClock()),
            clock=SystemClock(),
            modes=lambda: modes,
            set_mode=set_mode,
            clients=client_grants(),
        )
        strikes: dict[Any, int] = {}
        now = datetime.now(UTC)
        for step in played:
            match step:
                case ("ask", asked):
                    now_set = asked._replace(mode=ConsentMode(modes.get(asked.tool, "session_allow")))
                    assert decide(now_set, grants).outcome == model.verdict(asked), (asked, model.rows)
                case ("answer", said, number):
                    offered = offers(said, AnswerBounds(), now)
                    offer = offered[number % len(offered)]
                    key = (said.caller.subject, said.letters, said.targets[0].place)
                    strikes[key] = strikes.get(key, 0) + (offer.decision is Decision.DENY_ONCE)
                    if strikes[key] >= 3:
                        continue  # silenced: a rule of its own, tested on its own
                    grants.remember(offer.decision, offer.extent, said)
                    model.say(offer, said)
                case ("revoke", client_id):
                    grants.forget_client(client_id)
                    model.rows = [
                        (offer, said)
                        for offer, said in model.rows
                        if said.caller.client.id != client_id or offer.extent.who is Holder.EVERYONE
                    ]
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
        say(grants, Decision.ALLOW_SESSION, said)
        assert decide(said, grants).outcome == "allow"
        other = said._replace(caller=Caller(SHARED, "link-2", "Claude"))
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
            say(grants, Decision.DENY_ONCE, asked)
        renamed = Caller(SHARED, "link-9", "Somebody else")
        again = case(renamed, ("edit_file", ConsentClass.SESSION, Operation.UPDATE), "a.md", "call 9")
        assert decide(again, grants).rule == "session:silenced"
        assert decide(case(renamed, WRITE, "Notes/b.md", "call 9"), grants).outcome == "ask"
        silenced = next(grant for grant in grants.list() if grant.kind == "session")
        assert grants.revoke(silenced.grant_id)
        assert decide(again, grants).outcome == "ask"
