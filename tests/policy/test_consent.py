"""Allow, ask or deny."""

import dataclasses
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.contract.consent import ConsentClass, ConsentMode, Covers, Decision, Operation
from bridge.identity.caller import SHARED, Caller, Client
from bridge.policy.consent import ConsentCase, Rule, StandingAnswers, Verdict, choices, decide
from tests.identities import PERSON, caller, touching

DENY = Rule("session:deny", "the user said no")
GRANT = Rule("session:allow", "the user said yes")

READING = ConsentCase(
    tool="grep",
    operation=Operation.READ,
    consent_class=ConsentClass.ALWAYS,
    covers=Covers.TOOL,
    targets=touching("Notes/"),
    caller=caller("s1"),
    mode=ConsentMode.SESSION_ALLOW,
    developer_mode=False,
)
PATCHING = READING._replace(
    tool="apply_patch",
    operation=Operation.UPDATE,
    consent_class=ConsentClass.NEVER,
    covers=Covers.TARGET,
    targets=touching("Notes/Meeting.md"),
    mode=ConsentMode.SESSION_ALLOW,
)
CREATING = PATCHING._replace(tool="create_note", operation=Operation.CREATE, consent_class=ConsentClass.SESSION)
FETCHING = READING._replace(tool="web_fetch", operation=Operation.NETWORK, covers=Covers.TARGET)


@dataclass(frozen=True)
class Said:
    """What was said before, whatever the case."""

    denial: Rule | None = None
    grant: Rule | None = None

    def recall(self, case: ConsentCase) -> StandingAnswers:
        del case
        return StandingAnswers(self.denial, self.grant)


NOTHING = Said()


def case(base: ConsentCase, **changes: Any) -> ConsentCase:
    return base._replace(**changes)


@pytest.mark.parametrize(
    ("asked", "said", "outcome", "rule"),
    [
        (READING, NOTHING, "ask", "default"),
        (READING, Said(grant=GRANT), "allow", "session:allow"),
        (READING, Said(denial=DENY), "deny", "session:deny"),
        (READING, Said(denial=DENY, grant=GRANT), "deny", "session:deny"),
        (case(READING, mode=ConsentMode.ALWAYS_ALLOW), NOTHING, "allow", "mode:always_allow"),
        (case(READING, mode=ConsentMode.ALWAYS_ALLOW), Said(denial=DENY), "deny", "session:deny"),
        (case(READING, mode=ConsentMode.NEVER_ALLOW), Said(grant=GRANT), "deny", "mode:never_allow"),
        (case(READING, mode=ConsentMode.ALWAYS_ASK), Said(grant=GRANT), "ask", "mode:always_ask"),
        (case(READING, developer_mode=True), NOTHING, "allow", "developer_mode"),
        (case(READING, developer_mode=True, mode=ConsentMode.ALWAYS_ASK), NOTHING, "ask", "mode:always_ask"),
        (case(READING, developer_mode=True, mode=ConsentMode.NEVER_ALLOW), NOTHING, "deny", "mode:never_allow"),
        (case(FETCHING, developer_mode=True), NOTHING, "ask", "default"),
        (case(CREATING, developer_mode=True), NOTHING, "ask", "default"),
        (case(CREATING, mode=ConsentMode.ALWAYS_ALLOW), NOTHING, "ask", "default"),
        (CREATING, Said(grant=GRANT), "allow", "session:allow"),
        (PATCHING, Said(grant=GRANT), "ask", "class:never"),
        (case(PATCHING, mode=ConsentMode.ALWAYS_ALLOW, developer_mode=True), Said(grant=GRANT), "ask", "class:never"),
        (case(FETCHING, insists="it is new"), Said(grant=GRANT), "ask", "insists"),
        (case(READING, insists="it is new", mode=ConsentMode.ALWAYS_ALLOW), NOTHING, "ask", "insists"),
        (case(READING, insists="it is new", developer_mode=True), NOTHING, "ask", "insists"),
        (case(FETCHING, insists="it is new"), Said(denial=DENY, grant=GRANT), "deny", "session:deny"),
        (PATCHING, Said(denial=DENY, grant=GRANT), "deny", "session:deny"),
        (case(PATCHING, by_user=True, caller=PERSON), NOTHING, "allow", "own_undo"),
        (case(PATCHING, by_user=True), NOTHING, "ask", "class:never"),
        (case(PATCHING, caller=PERSON), NOTHING, "ask", "class:never"),
    ],
)
def test_the_order_of_the_rules_decides(asked: ConsentCase, said: Said, outcome: str, rule: str) -> None:
    verdict = decide(asked, said)
    assert (verdict.outcome, verdict.rule) == (outcome, rule)


ONCE = (Decision.ALLOW_ONCE, Decision.DENY_ONCE, Decision.DENY_SESSION, Decision.DENY_ALWAYS)


@pytest.mark.parametrize(
    ("asked", "offered"),
    [
        (READING, set(Decision)),
        (case(READING, mode=ConsentMode.ALWAYS_ASK), set(ONCE)),
        (CREATING, set(Decision) - {Decision.ALLOW_ALWAYS}),
        (PATCHING, set(ONCE)),
        (FETCHING, set(Decision)),
        (case(FETCHING, targets=()), set(ONCE)),
        (case(READING, targets=()), set(Decision)),
    ],
)
def test_the_class_decides_what_may_be_answered(asked: ConsentCase, offered: set[Decision]) -> None:
    assert set(decide(asked, NOTHING).choices) == offered == set(choices(asked))


def test_a_question_offers_the_narrowest_yes_first_and_decisions_offer_nothing() -> None:
    assert decide(READING, NOTHING).choices[0] is Decision.ALLOW_ONCE
    assert decide(READING, Said(grant=GRANT)).choices == ()
    assert decide(READING, Said(denial=DENY)).choices == ()


def test_a_grant_to_read_covers_the_tool_and_any_other_what_the_tool_says() -> None:
    assert case(READING, covers=Covers.TARGET).scope is Covers.TOOL
    assert PATCHING.scope is Covers.TARGET
    assert case(FETCHING, covers=Covers.TOOL).scope is Covers.TOOL


def test_the_reason_says_how_to_change_the_rule() -> None:
    verdict = decide(case(PATCHING, mode=ConsentMode.NEVER_ALLOW), NOTHING)
    assert "vault-bridge settings set consentMode.apply_patch=always_ask" in verdict.why
    assert "developerMode" in decide(case(READING, developer_mode=True), NOTHING).why


CASES = st.builds(
    ConsentCase,
    tool=st.just("tool"),
    operation=st.sampled_from(Operation),
    consent_class=st.sampled_from(ConsentClass),
    covers=st.sampled_from(Covers),
    targets=st.lists(st.sampled_from(touching("a.md", "b.md")), max_size=2).map(tuple),
    caller=st.sampled_from([caller("s1"), PERSON]),
    mode=st.sampled_from(ConsentMode),
    developer_mode=st.booleans(),
    by_user=st.booleans(),
)
MEMORIES = st.builds(Said, denial=st.none() | st.just(DENY), grant=st.none() | st.just(GRANT))
ORDER = {"deny": 0, "ask": 1, "allow": 2}


def reach(verdict: Verdict) -> int:
    return ORDER[verdict.outcome]


@settings(max_examples=200)
@given(asked=CASES, said=MEMORIES)
def test_a_deny_can_only_shrink_what_runs(asked: ConsentCase, said: Said) -> None:
    before = decide(asked, said)
    assert reach(decide(asked, dataclasses.replace(said, denial=DENY))) <= reach(before)
    assert reach(decide(case(asked, mode=ConsentMode.NEVER_ALLOW), said)) <= reach(before)


@settings(max_examples=200)
@given(asked=CASES, said=MEMORIES)
def test_nothing_but_the_users_own_undo_makes_a_never_tool_run_unasked(asked: ConsentCase, said: Said) -> None:
    asked = case(asked, consent_class=ConsentClass.NEVER)
    verdict = decide(asked, said)
    assert verdict.outcome != "allow" or (asked.by_user and asked.caller is PERSON)
    assert not {Decision.ALLOW_SESSION, Decision.ALLOW_ALWAYS} & set(verdict.choices)


@pytest.mark.parametrize(
    ("client", "brief", "offered"),
    [
        (SHARED, False, True),
        (SHARED, True, False),
        (Client("beta", "Beta", SHARED.capabilities), True, True),
    ],
    ids=["stays connected", "disconnects after the call", "has a name"],
)
def test_for_this_session_is_offered_only_where_a_session_outlasts_the_call(
    client: Client, *, brief: bool, offered: bool
) -> None:
    asked = case(READING, caller=Caller(client, "connection-1", brief=brief))
    assert (Decision.ALLOW_SESSION in choices(asked)) is offered
    assert Decision.ALLOW_ALWAYS in choices(asked)
