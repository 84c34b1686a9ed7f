"""Answers for good that hold for one client."""

from datetime import UTC, datetime, timedelta

import orjson
import pytest

from bridge.clock import SystemClock
from bridge.consent.client_grants import FILE, ClientGrants
from bridge.contract.consent import ConsentClass, ConsentMode, Covers, Decision, Holder, Operation, Reach
from bridge.errors import ExecutionFailed
from bridge.identity.caller import Caller
from bridge.policy.consent import ConsentCase
from bridge.policy.offers import AnswerBounds, offers
from bridge.policy.targets import Target
from tests.identities import PrivateFiles, caller, client_grants, touching


class Calendar(SystemClock):
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        return self.moment


def fetching(*targets: Target, who: Caller | None = None, tool: str = "web_fetch") -> ConsentCase:
    return ConsentCase(
        tool=tool,
        operation=Operation.NETWORK,
        consent_class=ConsentClass.ALWAYS,
        covers=Covers.TARGET,
        targets=targets or touching("https://example.org/a"),
        caller=who or caller("s1"),
        mode=ConsentMode.SESSION_ALLOW,
        developer_mode=False,
    )


def always(
    grants: ClientGrants, case: ConsentCase, reach: Reach = Reach.PAGE, decision: Decision = Decision.ALLOW_ALWAYS
) -> None:
    offered = offers(case, AnswerBounds(), datetime.now(UTC))
    extent = next(
        one.extent
        for one in offered
        if (one.decision, one.extent.who) == (decision, Holder.CLIENT) and one.extent.rungs[0].reach is reach
    )
    grants.keep(decision, extent, case)


def test_an_allow_holds_for_the_one_client_and_what_its_rung_covers() -> None:
    grants = client_grants()
    always(grants, fetching(), Reach.SITE)
    assert grants.grant(fetching(*touching("https://example.org/other"))) is not None
    assert grants.grant(fetching(*touching("https://example.com/a"))) is None
    assert grants.grant(fetching(*touching("https://example.org/a", "https://example.com/"))) is None
    assert grants.grant(fetching(who=caller("s2"))) is None
    assert grants.grant(fetching(tool="web_search")) is None


def test_a_never_holds_for_the_one_client_and_below_what_it_names() -> None:
    grants = client_grants()
    case = fetching(*touching("https://example.org/docs"))
    always(grants, case, decision=Decision.DENY_ALWAYS)
    assert grants.denial(fetching(*touching("https://example.org/docs/deep"))) is not None
    assert grants.denial(fetching(*touching("https://example.org/"))) is None
    assert grants.denial(fetching(*touching("https://example.org/docs"), who=caller("s2"))) is None


def test_answers_are_there_after_a_restart_and_gone_with_their_client() -> None:
    files = PrivateFiles()
    grants = client_grants(files)
    always(grants, fetching())
    always(grants, fetching(who=caller("s2")))
    again = client_grants(files)
    assert [grant.client_id for grant in again.list()] == ["s1", "s2"]
    again.forget_client("s1")
    assert [grant.client_id for grant in client_grants(files).list()] == ["s2"]


def test_an_answer_is_listed_with_its_rung_and_taken_back_by_its_id() -> None:
    grants = client_grants()
    always(grants, fetching(), Reach.SITE)
    (grant,) = grants.list()
    assert (grant.kind, grant.tool, grant.where) == ("client", "web_fetch", ("https://example.org/",))
    assert grants.revoke(grant.grant_id)
    assert not grants.revoke(grant.grant_id)
    assert grants.grant(fetching()) is None


def test_what_nobody_uses_lapses_and_says_so() -> None:
    clock = Calendar()
    files = PrivateFiles()
    grants = client_grants(files, clock=clock, days=30)
    always(grants, fetching())
    clock.moment += timedelta(days=29)
    assert grants.grant(fetching()) is not None
    clock.moment += timedelta(days=29)
    assert grants.grant(fetching()) is not None
    clock.moment += timedelta(days=30)
    assert grants.grant(fetching()) is None
    assert "30 days" in str(grants.lapsed(fetching()))
    grants.sweep()
    assert client_grants(files).list() == ()


def test_the_same_answer_given_twice_is_one() -> None:
    grants = client_grants()
    always(grants, fetching())
    always(grants, fetching())
    assert len(grants.list()) == 1


def test_what_an_older_version_wrote_still_holds() -> None:
    files = PrivateFiles()
    files.held[FILE] = orjson.dumps(
        {
            "version": 1,
            "grants": [
                {
                    "id": "c-1",
                    "client": "s1",
                    "tool": "web_fetch",
                    "reach": "site",
                    "key": "https://example.org/",
                    "decision": "allow_always",
                    "since": "2026-01-01T00:00:00.000Z",
                    "used": "2026-01-01T00:00:00.000Z",
                    "feedback": None,
                }
            ],
        }
    )
    grants = client_grants(files)
    assert grants.file.fault is None
    assert grants.grant(fetching(*touching("https://example.org/other"))) is not None


WITHOUT_ZONE = (
    b'{"version": 1, "grants": [{"id": "c-1", "client": "s1", "tool": "web_fetch", "reach": "site", "key": '
    b'"https://example.org/", "decision": "allow_always", "since": "2026-01-01T00:00:00", "used": "2026-01-01T00:00"}]}'
)


@pytest.mark.parametrize(
    "data", [b"", b"{}", b'{"version": 1, "grants": [{"id": 1}]}', b'{"version": 7, "grants": []}', WITHOUT_ZONE]
)
def test_a_damaged_file_allows_nothing_and_is_not_overwritten(data: bytes) -> None:
    files = PrivateFiles()
    files.held[FILE] = data
    grants = client_grants(files)
    assert grants.file.fault is not None
    with pytest.raises(ExecutionFailed, match="cannot be read"):
        always(grants, fetching())
    grants.sweep()
    assert files.held[FILE] == data


def test_a_full_disk_keeps_nothing_and_says_so() -> None:
    files = PrivateFiles()
    grants = client_grants(files)
    files.full = True
    with pytest.raises(ExecutionFailed, match="Make room"):
        always(grants, fetching())
    assert grants.list() == ()


def test_a_tool_that_may_not_be_allowed_for_good_is_not_whatever_the_file_says() -> None:
    files = PrivateFiles()
    grants = client_grants(files)
    always(grants, fetching())
    files.held[FILE] = files.held[FILE].replace(b'"web_fetch"', b'"apply_patch"')
    patch = ConsentCase(
        tool="apply_patch",
        operation=Operation.UPDATE,
        consent_class=ConsentClass.NEVER,
        covers=Covers.TARGET,
        targets=touching("https://example.org/a"),
        caller=caller("s1"),
        mode=ConsentMode.SESSION_ALLOW,
        developer_mode=False,
    )
    assert client_grants(files).grant(patch) is None
