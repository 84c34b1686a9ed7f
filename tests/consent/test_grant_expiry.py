"""What is granted for good ends when nobody uses it; what is denied does not."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bridge.clock import SystemClock
from bridge.consent.grants import GrantStore
from bridge.consent.permission_file import PermissionFile
from bridge.contract.consent import ConsentClass, ConsentMode, Coverage, Covers, Decision, Holder, Operation
from bridge.policy.consent import ConsentCase, Verdict, decide
from bridge.vault.folder import Folder
from tests.identities import caller, client_grants, say, touching


class Calendar(SystemClock):
    """Stands still until a day is turned."""

    def __init__(self) -> None:
        self.day = datetime.now(UTC) + timedelta(hours=1)

    def now(self) -> datetime:
        return self.day

    def turn(self, days: float) -> None:
        self.day += timedelta(days=days)


def reading(path: str) -> ConsentCase:
    return ConsentCase(
        tool="read",
        operation=Operation.READ,
        consent_class=ConsentClass.ALWAYS,
        covers=Covers.TOOL,
        targets=touching(path),
        caller=caller("s1"),
        mode=ConsentMode.SESSION_ALLOW,
        developer_mode=False,
    )


class Years:
    """Grants whose calendar the test turns, and which may be closed and opened again."""

    def __init__(self, state: Folder) -> None:
        self.state = state
        self.clock = Calendar()
        self.days: int | None = 30
        self.modes: dict[str, str] = {}
        self.restart()

    def restart(self) -> None:
        self.grants = GrantStore(
            PermissionFile(self.state, clock=self.clock),
            clock=self.clock,
            modes=lambda: self.modes,
            set_mode=self.set_mode,
            clients=client_grants(),
            days=lambda: self.days,
        )

    def set_mode(self, tool: str, mode: ConsentMode | None, by: str | None = None) -> None:
        del by
        self.modes = {} if mode is None else {tool: mode.value}

    def call(self, path: str = "Notes/a.md") -> Verdict:
        verdict = decide(reading(path), self.grants)
        if verdict.outcome == "allow":
            self.grants.used(reading(path), verdict.rule)
        return verdict


@pytest.fixture
def years(state: Folder) -> Years:
    return Years(state)


def test_a_hand_written_grant_counts_from_first_sight(years: Years, file: Path) -> None:
    file.write_text('{"Notes/": "r??"}', encoding="utf-8")
    years.clock.turn(100)
    assert years.call().outcome == "allow"
    years.clock.turn(30)
    verdict = years.call()
    assert (verdict.outcome, verdict.rule) == ("ask", "lapsed")
    assert "'Notes/'" in verdict.why
    assert "30 days" in verdict.why


def test_use_keeps_a_grant_also_over_a_restart(years: Years, file: Path) -> None:
    file.write_text('{"Notes/": "rw?"}', encoding="utf-8")
    for _ in range(4):
        years.clock.turn(20)
        assert years.call().outcome == "allow"
        years.grants.sweep()
        years.restart()
    assert file.read_text(encoding="utf-8") == '{\n  "Notes/": "r??"\n}\n', "nobody used the w"


def test_use_is_written_when_it_is_swept_and_not_at_each_call(years: Years, file: Path) -> None:
    file.write_text('{"Notes/": "r??"}', encoding="utf-8")
    for _ in range(3):
        years.call()
    kept = file.with_name("grants.json")
    assert not kept.exists()
    years.grants.sweep()
    written = kept.stat()
    years.grants.sweep()
    assert kept.stat().st_mtime_ns == written.st_mtime_ns


def test_denials_and_never_do_not_end(years: Years, file: Path) -> None:
    file.write_text('{"Notes/": "-??"}', encoding="utf-8")
    years.call()
    years.clock.turn(4000)
    assert years.call().outcome == "deny"
    years.grants.sweep()
    assert "-??" in file.read_text(encoding="utf-8")


def test_null_means_for_ever(years: Years, file: Path) -> None:
    file.write_text('{"Notes/": "r??"}', encoding="utf-8")
    years.call()
    years.days = None
    years.clock.turn(4000)
    assert years.call().outcome == "allow"


def test_what_lapsed_and_is_granted_again_holds(years: Years, file: Path) -> None:
    fetch = reading("https://example.org/a")._replace(operation=Operation.NETWORK, covers=Covers.TARGET)
    say(years.grants, Decision.ALLOW_ALWAYS, fetch, who=Holder.EVERYONE)
    years.clock.turn(31)
    assert decide(fetch, years.grants).rule == "lapsed"
    assert years.grants.list() == []
    say(years.grants, Decision.ALLOW_ALWAYS, fetch, who=Holder.EVERYONE)
    assert decide(fetch, years.grants).outcome == "allow"
    years.grants.sweep()
    assert '"r??"' in file.read_text(encoding="utf-8")


def test_a_clock_that_was_ahead_does_not_lengthen_a_grant(years: Years, file: Path) -> None:
    file.write_text('{"Notes/": "r??"}', encoding="utf-8")
    years.clock.turn(1000)
    years.call()
    years.grants.sweep()
    years.clock.turn(-1000)
    years.restart()
    years.call()
    years.clock.turn(31)
    assert years.call().outcome == "ask"


def test_a_tool_allowed_for_good_by_an_answer_lapses_and_one_set_by_hand_does_not(years: Years) -> None:
    say(years.grants, Decision.ALLOW_ALWAYS, reading("x.md"), who=Holder.EVERYONE, what=Coverage.TOOL)
    assert years.modes == {"read": "always_allow"}
    years.clock.turn(20)
    years.grants.used(reading("x.md"), "mode:always_allow")
    years.clock.turn(20)
    years.grants.sweep()
    assert years.modes
    years.clock.turn(11)
    years.grants.sweep()
    assert years.modes == {}
    years.modes = {"read": "always_allow"}
    years.clock.turn(400)
    years.grants.sweep()
    assert years.modes


NAIVE = b'{"Notes/": {"r": "2026-01-01T00:00:00"}}'
"""A time without a zone, which cannot be compared with others."""


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"a": 1}', b'{"a": {"r": "then"}}', b"\xff", NAIVE])
def test_a_broken_memory_makes_everything_count_from_now(
    years: Years, file: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    file.with_name("grants.json").write_bytes(content)
    file.write_text('{"Notes/": "r??"}', encoding="utf-8")
    years.restart()
    assert "grants.json" in caplog.text
    assert years.call().outcome == "allow"
    years.clock.turn(31)
    assert years.call().outcome == "ask"


def test_the_end_is_reported(years: Years, file: Path) -> None:
    file.write_text('{"Notes/": "rw-"}', encoding="utf-8")
    years.call()
    expires = {grant.what: grant.expires for grant in years.grants.list()}
    assert expires[Coverage.RUNNING] is None
    assert (expires[Coverage.READING] or "")[:10] == (years.clock.day + timedelta(days=30)).date().isoformat()


def test_a_file_with_a_fault_forgets_no_use(years: Years, file: Path) -> None:
    file.write_text('{"Notes/": "r??"}', encoding="utf-8")
    years.call()
    years.clock.turn(20)
    file.write_text("{", encoding="utf-8")
    years.grants.sweep()
    file.write_text('{"Notes/": "r??"}', encoding="utf-8")
    years.clock.turn(11)
    assert years.call().rule == "lapsed"
