"""Calls that were denied are not asked about again, and what is approved without asking ends as it should."""

import dataclasses
from typing import Any

import pytest

from bridge.clock import Clock
from bridge.consent import session_grants
from bridge.consent.grants import GrantStore
from bridge.consent.permission_file import PermissionFile
from bridge.contract.consent import ConsentClass, ConsentMode, Covers, Decision, Operation, RiskLevel
from bridge.policy.consent import ConsentCase, decide
from bridge.vault.folder import Folder
from tests.identities import caller, client_grants, touching

READ = ConsentCase(
    tool="read",
    operation=Operation.READ,
    consent_class=ConsentClass.ALWAYS,
    risk=RiskLevel.LOW,
    covers=Covers.TOOL,
    targets=touching("a.md"),
    caller=caller("s1"),
    mode=ConsentMode.SESSION_ALLOW,
    developer_mode=False,
    call="call-1",
)
CREATE = dataclasses.replace(
    READ,
    tool="create_note",
    operation=Operation.CREATE,
    consent_class=ConsentClass.SESSION,
    covers=Covers.TARGET,
    mode=ConsentMode.ALWAYS_ASK,
)
PATCH = dataclasses.replace(CREATE, tool="apply_patch", operation=Operation.UPDATE, consent_class=ConsentClass.NEVER)


def case(base: ConsentCase, **changes: Any) -> ConsentCase:
    return dataclasses.replace(base, **changes)


@pytest.fixture
def grants(state: Folder, clock: Clock) -> GrantStore:
    return GrantStore(
        PermissionFile(state, clock=clock),
        clock=clock,
        modes=dict,
        set_mode=lambda _tool, _mode, _by: None,
        clients=client_grants(),
    )


def rule(grants: GrantStore, asked: ConsentCase) -> str:
    return decide(asked, grants).rule


@pytest.mark.parametrize("asked", [READ, CREATE, PATCH])
def test_the_same_call_denied_once_is_refused_with_what_was_said(grants: GrantStore, asked: ConsentCase) -> None:
    (kept,) = grants.remember(Decision.DENY_ONCE, asked, "use the inbox")
    verdict = decide(asked, grants)
    assert (verdict.outcome, verdict.rule) == ("deny", "session:same_call")
    assert "use the inbox" in verdict.why
    assert kept.grant_id in verdict.why
    for other in (case(asked, call="call-2"), case(asked, caller=caller("s2")), case(asked, tool="other")):
        assert decide(other, grants).outcome == "ask"


def test_a_denied_call_is_listed_and_taken_back(grants: GrantStore) -> None:
    grants.remember(Decision.DENY_ONCE, PATCH, "no")
    (grant,) = grants.list()
    assert (grant.kind, grant.tool, grant.target, grant.feedback) == ("call", "apply_patch", "a.md", "no")
    assert grants.revoke(grant.grant_id)
    assert decide(PATCH, grants).outcome == "ask"


@pytest.mark.parametrize("wider", [Decision.ALLOW_SESSION, Decision.ALLOW_ALWAYS])
def test_allowing_more_later_takes_the_denial_of_a_call_back(grants: GrantStore, wider: Decision) -> None:
    grants.remember(Decision.DENY_ONCE, READ)
    grants.remember(wider, case(READ, call="call-2", targets=touching("b.md")))
    assert decide(READ, grants).outcome != "deny"


def test_allowing_another_target_does_not(grants: GrantStore) -> None:
    grants.remember(Decision.DENY_ONCE, CREATE)
    grants.remember(Decision.ALLOW_SESSION, case(CREATE, call="call-2", targets=touching("b.md")))
    assert rule(grants, CREATE) == "session:same_call"
    grants.remember(Decision.ALLOW_SESSION, case(CREATE, call="call-3", targets=touching("a.md", "b.md")))
    assert rule(grants, CREATE) == "session:allow"


@pytest.mark.parametrize(
    ("mode", "forgotten"), [("always_allow", True), ("session_allow", True), ("never_allow", False)]
)
def test_a_mode_that_allows_is_a_newer_word(grants: GrantStore, mode: str, *, forgotten: bool) -> None:
    grants.remember(Decision.DENY_ONCE, READ)
    grants.mode_set("read", ConsentMode(mode))
    assert (rule(grants, READ) != "session:same_call") is forgotten


def test_denied_calls_end_with_the_session_and_do_not_pile_up(
    grants: GrantStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_grants, "MOST_CALLS", 3)
    for number in range(5):
        other = touching(f"{number}.md")
        grants.remember(Decision.DENY_ONCE, case(READ, call=f"call-{number}", targets=other))
    assert len(grants.list()) == 3
    assert rule(grants, case(READ, call="call-0")) == "default"
    grants.end_session("s1")
    assert grants.list() == []


@pytest.mark.parametrize("client", [None, "s1"])
def test_auto_approve_covers_one_operation_of_tools_of_the_class_session(
    grants: GrantStore, client: str | None
) -> None:
    grant = grants.auto_approve(Operation.CREATE, client, enabled=True)
    assert grants.list() == [grant]
    assert rule(grants, CREATE) == "session:auto_approve"
    assert rule(grants, case(CREATE, tool="write_file", targets=touching("b.md"), call="x")) == "session:auto_approve"
    assert rule(grants, case(CREATE, operation=Operation.UPDATE)) == "default"
    assert rule(grants, case(PATCH, operation=Operation.CREATE)) == "class:never"
    assert rule(grants, case(READ, operation=Operation.CREATE)) == "default"
    assert rule(grants, case(CREATE, caller=caller("s2"))) == ("session:auto_approve" if client is None else "default")


def test_auto_approve_never_outweighs_a_denial(grants: GrantStore) -> None:
    grants.auto_approve(Operation.CREATE, None, enabled=True)
    assert decide(case(CREATE, mode=ConsentMode.NEVER_ALLOW), grants).outcome == "deny"
    grants.remember(Decision.DENY_SESSION, CREATE)
    assert decide(CREATE, grants).outcome == "deny"


def test_auto_approve_is_switched_off_or_revoked(grants: GrantStore) -> None:
    assert grants.auto_approve(Operation.CREATE, "Robot", enabled=False) is None
    first = grants.auto_approve(Operation.CREATE, None, enabled=True)
    assert grants.auto_approve(Operation.CREATE, None, enabled=True) == first
    assert grants.auto_approve(Operation.CREATE, None, enabled=False) is None
    assert rule(grants, CREATE) == "default"
    grant = grants.auto_approve(Operation.UPDATE, None, enabled=True)
    assert grant is not None
    assert grants.revoke(grant.grant_id)
    assert grants.list() == []


def test_a_tool_that_touches_nothing_is_asked_about_no_more_after_three_denials_within_a_minute(
    grants: GrantStore,
) -> None:
    for number in range(3):
        asked = case(READ, targets=(), call=f"call-{number}")
        assert decide(asked, grants).outcome == "ask"
        grants.remember(Decision.DENY_ONCE, asked)
    assert rule(grants, case(READ, targets=(), call="another")) == "session:deny"
    assert decide(case(READ, tool="grep", targets=(), call="another"), grants).outcome == "ask"
    (held,) = [grant for grant in grants.list() if grant.kind == "session"]
    assert grants.revoke(held.grant_id)
    assert decide(case(READ, targets=(), call="another"), grants).outcome == "ask"


def test_nothing_said_of_a_revoked_client_is_left(grants: GrantStore) -> None:
    grants.auto_approve(Operation.CREATE, "s1", enabled=True)
    grants.auto_approve(Operation.CREATE, None, enabled=True)
    grants.remember(Decision.ALLOW_SESSION, READ)
    grants.remember(Decision.ALLOW_ALWAYS, case(READ, tool="grep"))
    grants.remember(Decision.DENY_ONCE, CREATE)
    grants.forget_client("s1")
    assert [(grant.kind, grant.client_id) for grant in grants.list()] == [("auto", None)]
