"""Calls that were denied are not asked about again, and what is approved without asking ends as it should."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bridge.clock import Clock, SystemClock
from bridge.consent import session_grants
from bridge.consent.grants import GrantStore
from bridge.consent.permission_file import PermissionFile
from bridge.contract.consent import Addition, ConsentClass, ConsentMode, Covers, Decision, Operation
from bridge.identity.caller import Caller, Client
from bridge.policy.consent import ConsentCase, decide
from bridge.policy.offers import AnswerBounds, offers
from bridge.vault.folder import Folder
from tests.identities import caller, client_grants, say, touching

READ = ConsentCase(
    tool="read",
    operation=Operation.READ,
    consent_class=ConsentClass.ALWAYS,
    covers=Covers.TOOL,
    targets=touching("a.md"),
    caller=caller("s1"),
    mode=ConsentMode.SESSION_ALLOW,
    developer_mode=False,
    call="call-1",
)
CREATE = READ._replace(
    tool="create_note",
    operation=Operation.CREATE,
    consent_class=ConsentClass.SESSION,
    covers=Covers.TARGET,
    mode=ConsentMode.SESSION_ALLOW,
)
PATCH = CREATE._replace(tool="apply_patch", operation=Operation.UPDATE, consent_class=ConsentClass.NEVER)


def case(base: ConsentCase, **changes: Any) -> ConsentCase:
    return base._replace(**changes)


class Calendar(SystemClock):
    """Stands still until it is set."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 1, 1, 12, tzinfo=UTC)

    def now(self) -> datetime:
        return self.moment


@pytest.fixture
def grants(state: Folder, clock: Clock) -> GrantStore:
    return store(state, clock)


def store(state: Folder, clock: Clock) -> GrantStore:
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
    (kept,) = say(grants, Decision.DENY_ONCE, asked, "use the inbox")
    verdict = decide(asked, grants)
    assert (verdict.outcome, verdict.rule) == ("deny", "session:same_call")
    assert "use the inbox" in verdict.why
    assert kept.grant_id in verdict.why
    for other in (case(asked, call="call-2"), case(asked, caller=caller("s2")), case(asked, tool="other")):
        assert decide(other, grants).outcome == "ask"


def test_a_denied_call_is_listed_and_taken_back(grants: GrantStore) -> None:
    say(grants, Decision.DENY_ONCE, PATCH, "no")
    (grant,) = grants.list()
    assert (grant.kind, grant.tool, grant.where, grant.feedback) == ("call", "apply_patch", ("a.md",), "no")
    assert grant.sentence.startswith("Claude Code was denied apply_patch on a.md. Exactly this is not asked about")
    assert grants.revoke(grant.grant_id)
    assert decide(PATCH, grants).outcome == "ask"


def test_what_programs_without_a_name_were_denied_is_said_of_many(grants: GrantStore) -> None:
    say(grants, Decision.DENY_ONCE, case(PATCH, caller=Caller(Client("s2", None, frozenset()), "link-s2")), "no")
    assert grants.list()[0].sentence.startswith("Programs without a name of their own were denied apply_patch")


@pytest.mark.parametrize("wider", [Decision.ALLOW_SESSION, Decision.ALLOW_ALWAYS])
def test_allowing_more_later_takes_the_denial_of_a_call_back(grants: GrantStore, wider: Decision) -> None:
    say(grants, Decision.DENY_ONCE, READ)
    say(grants, wider, case(READ, call="call-2", targets=touching("b.md")))
    assert decide(READ, grants).outcome != "deny"


def test_allowing_another_target_does_not(grants: GrantStore) -> None:
    say(grants, Decision.DENY_ONCE, CREATE)
    say(grants, Decision.ALLOW_SESSION, case(CREATE, call="call-2", targets=touching("b.md")))
    assert rule(grants, CREATE) == "session:same_call"
    say(grants, Decision.ALLOW_SESSION, case(CREATE, call="call-3", targets=touching("a.md", "b.md")))
    assert rule(grants, CREATE) == "session:allow"


@pytest.mark.parametrize(
    ("mode", "forgotten"), [("always_allow", True), ("session_allow", True), ("never_allow", False)]
)
def test_a_mode_that_allows_is_a_newer_word(grants: GrantStore, mode: str, *, forgotten: bool) -> None:
    say(grants, Decision.DENY_ONCE, READ)
    grants.mode_set("read", ConsentMode(mode))
    assert (rule(grants, READ) != "session:same_call") is forgotten


def test_denied_calls_end_with_the_session_and_do_not_pile_up(
    grants: GrantStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_grants, "MOST_CALLS", 3)
    for number in range(5):
        other = touching(f"{number}.md")
        say(grants, Decision.DENY_ONCE, case(READ, call=f"call-{number}", targets=other))
    assert len(grants.list()) == 3
    assert rule(grants, case(READ, call="call-0")) == "default"
    grants.session.end_session("s1")
    assert grants.list() == []


@pytest.mark.parametrize("client", [None, "s1"])
def test_auto_approve_covers_one_operation_of_tools_of_the_class_session(
    grants: GrantStore, client: str | None
) -> None:
    grant = grants.session.auto_approve(Operation.CREATE, client, enabled=True)
    assert grants.list() == [grant]
    assert rule(grants, CREATE) == "session:auto_approve"
    assert rule(grants, case(CREATE, tool="write_file", targets=touching("b.md"), call="x")) == "session:auto_approve"
    assert rule(grants, case(CREATE, operation=Operation.UPDATE)) == "default"
    assert rule(grants, case(PATCH, operation=Operation.CREATE)) == "class:never"
    assert rule(grants, case(READ, operation=Operation.CREATE)) == "default"
    assert rule(grants, case(CREATE, caller=caller("s2"))) == ("session:auto_approve" if client is None else "default")


def test_auto_approve_never_outweighs_a_denial(grants: GrantStore) -> None:
    grants.session.auto_approve(Operation.CREATE, None, enabled=True)
    assert decide(case(CREATE, mode=ConsentMode.NEVER_ALLOW), grants).outcome == "deny"
    say(grants, Decision.DENY_SESSION, CREATE)
    assert decide(CREATE, grants).outcome == "deny"


def test_auto_approve_is_switched_off_or_revoked(grants: GrantStore) -> None:
    assert grants.session.auto_approve(Operation.CREATE, "Robot", enabled=False) is None
    first = grants.session.auto_approve(Operation.CREATE, None, enabled=True)
    assert grants.session.auto_approve(Operation.CREATE, None, enabled=True) == first
    assert grants.session.auto_approve(Operation.CREATE, None, enabled=False) is None
    assert rule(grants, CREATE) == "default"
    grant = grants.session.auto_approve(Operation.UPDATE, None, enabled=True)
    assert grant is not None
    assert grants.revoke(grant.grant_id)
    assert grants.list() == []


def test_a_tool_that_touches_nothing_is_asked_about_no_more_after_three_denials_within_a_minute(
    grants: GrantStore,
) -> None:
    for number in range(3):
        asked = case(READ, targets=(), call=f"call-{number}")
        assert decide(asked, grants).outcome == "ask"
        say(grants, Decision.DENY_ONCE, asked)
    assert rule(grants, case(READ, targets=(), call="another")) == "session:silenced"
    assert decide(case(READ, tool="grep", targets=(), call="another"), grants).outcome == "ask"
    (held,) = [grant for grant in grants.list() if grant.kind == "session"]
    assert grants.revoke(held.grant_id)
    assert decide(case(READ, targets=(), call="another"), grants).outcome == "ask"


def test_nothing_said_of_a_revoked_client_is_left(grants: GrantStore) -> None:
    grants.session.auto_approve(Operation.CREATE, "s1", enabled=True)
    grants.session.auto_approve(Operation.CREATE, None, enabled=True)
    say(grants, Decision.ALLOW_SESSION, READ)
    say(grants, Decision.ALLOW_ALWAYS, case(READ, tool="grep"))
    say(grants, Decision.DENY_ONCE, CREATE)
    grants.forget_client("s1")
    assert [(grant.kind, grant.client_id) for grant in grants.list()] == [("auto", None)]


ADDING = case(CREATE, tool="add_tag", operation=Operation.UPDATE, title="Add tag", files=1)
ADDING = case(ADDING, targets=touching("Projects/Plan.md"), additions=frozenset({Addition.TAG}))


def adding(number: int, *kinds: Addition, **changes: Any) -> ConsentCase:
    return case(
        ADDING,
        targets=touching(f"Projects/{number}.md"),
        call=f"call-{number}",
        additions=frozenset(kinds or {Addition.TAG}),
        **changes,
    )


def test_a_permission_to_add_counts_files_and_ends_with_the_last(grants: GrantStore, clock: Clock) -> None:
    offer = next(one for one in offers(ADDING, AnswerBounds(files=3), clock.now()) if one.suggested)
    (kept,) = grants.remember(offer.decision, offer.extent, ADDING)
    for number in range(3):
        verdict = decide(adding(number), grants)
        assert (verdict.outcome, verdict.rule, verdict.grant) == ("allow", "session:adding", kept.grant_id)
        assert grants.used(adding(number), verdict.rule, verdict.grant)
    assert decide(adding(4), grants).outcome == "ask"
    (row,) = grants.session.bounded()
    assert (row.used_files, row.most_files) == (3, 3)


def test_a_permission_to_add_ends_at_its_time(state: Folder) -> None:
    calendar = Calendar()
    grants = store(state, calendar)
    offer = next(one for one in offers(ADDING, AnswerBounds(minutes=60), calendar.now()) if one.suggested)
    grants.remember(offer.decision, offer.extent, ADDING)
    calendar.moment += timedelta(minutes=59)
    assert decide(adding(1), grants).outcome == "allow"
    calendar.moment += timedelta(minutes=1)
    assert decide(adding(1), grants).outcome == "ask"
    assert grants.session.bounded() == ()


@pytest.mark.parametrize(
    "asked",
    [
        adding(1, Addition.APPEND),
        adding(1, Addition.TAG, Addition.CREATE),
        case(adding(1), additions=None),
        case(adding(1), targets=touching("Elsewhere/1.md")),
        case(adding(1), targets=touching("Projects/1.md", "Elsewhere/2.md"), files=2),
        case(adding(1), files=51),
        case(adding(1), consent_class=ConsentClass.NEVER),
        case(adding(1), caller=caller("s2")),
    ],
    ids=["another kind", "more kinds", "no addition", "elsewhere", "half elsewhere", "too many", "never", "another"],
)
def test_a_permission_to_add_tags_in_a_folder_allows_nothing_else(
    grants: GrantStore, clock: Clock, asked: ConsentCase
) -> None:
    offer = next(one for one in offers(ADDING, AnswerBounds(), clock.now()) if one.extent.additions == {Addition.TAG})
    grants.remember(offer.decision, offer.extent, ADDING)
    assert decide(adding(1), grants).outcome == "allow"
    assert decide(asked, grants).outcome == "ask"
