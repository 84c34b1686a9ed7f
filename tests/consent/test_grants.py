"""What people have said before."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.clock import Clock, SystemClock
from bridge.consent.grants import GrantStore
from bridge.consent.permission_file import PermissionFile
from bridge.contract.consent import ConsentClass, ConsentMode, Covers, Decision, Grant, Operation, RiskLevel
from bridge.errors import ExecutionFailed
from bridge.policy.consent import ConsentCase, Extent, decide
from bridge.policy.targets import parse_key
from bridge.vault.folder import Folder
from bridge.vault.root import VaultRoot
from tests.identities import caller, client_grants, touching

GREP = ConsentCase(
    tool="grep",
    operation=Operation.READ,
    consent_class=ConsentClass.ALWAYS,
    risk=RiskLevel.LOW,
    covers=Covers.TOOL,
    targets=touching("Notes/"),
    caller=caller("s1"),
    mode=ConsentMode.SESSION_ALLOW,
    developer_mode=False,
)
CREATE = dataclasses.replace(
    GREP,
    tool="create_note",
    operation=Operation.CREATE,
    consent_class=ConsentClass.SESSION,
    covers=Covers.TARGET,
    targets=touching("Notes/New.md"),
    mode=ConsentMode.ALWAYS_ASK,
)
PATCH = dataclasses.replace(CREATE, tool="apply_patch", operation=Operation.UPDATE, consent_class=ConsentClass.NEVER)
FETCH = dataclasses.replace(
    CREATE,
    tool="web_fetch",
    operation=Operation.NETWORK,
    consent_class=ConsentClass.ALWAYS,
    targets=touching("https://example.org/a?b=c"),
)


ALL = Extent(everyone=True)


def case(base: ConsentCase, **changes: Any) -> ConsentCase:
    return dataclasses.replace(base, **changes)


class World:
    """Grants over a real permission file and modes kept in a dictionary."""

    def __init__(self, state: Folder, clock: Clock) -> None:
        self.modes: dict[str, str] = {}
        self.permissions = PermissionFile(state, clock=clock)
        self.grants = GrantStore(
            self.permissions, clock=clock, modes=lambda: self.modes, set_mode=self.set_mode, clients=client_grants()
        )

    def set_mode(self, tool: str, mode: ConsentMode | None, by: str | None = None) -> None:
        del by
        if mode is None:
            del self.modes[tool]
        else:
            self.modes[tool] = mode.value

    def decide(self, asked: ConsentCase) -> tuple[str, str]:
        mode = ConsentMode(self.modes.get(asked.tool, asked.mode))
        verdict = decide(case(asked, mode=mode), self.grants)
        return verdict.outcome, verdict.rule


@pytest.fixture
def world(state: Folder, clock: Clock) -> World:
    return World(state, clock)


def test_allow_once_is_exactly_once(world: World) -> None:
    assert world.grants.remember(Decision.ALLOW_ONCE, GREP) == ()
    assert world.decide(GREP) == ("ask", "default")
    world.grants.remember(Decision.DENY_ONCE, GREP)
    assert world.decide(GREP) == ("ask", "default")
    assert world.grants.list() == []


def test_a_read_allowed_for_the_session_covers_the_tool_in_that_session(world: World) -> None:
    world.grants.remember(Decision.ALLOW_SESSION, GREP)
    assert world.decide(GREP) == ("allow", "session:allow")
    assert world.decide(case(GREP, targets=touching("Elsewhere.md"))) == ("allow", "session:allow")
    assert world.decide(case(GREP, tool="read")) == ("ask", "default")
    assert world.decide(case(GREP, caller=caller("s2"))) == ("ask", "default")
    assert world.decide(case(GREP, mode=ConsentMode.ALWAYS_ASK)) == ("allow", "session:allow")


def test_a_write_allowed_for_the_session_covers_the_targets_shown(world: World) -> None:
    world.grants.remember(Decision.ALLOW_SESSION, CREATE)
    assert world.decide(CREATE) == ("allow", "session:allow")
    assert world.decide(case(CREATE, targets=touching("Notes/New.md", "Other.md"))) == ("ask", "default")
    assert world.decide(case(CREATE, targets=())) == ("ask", "default")
    assert world.decide(case(CREATE, tool="write_file")) == ("ask", "default")


def test_a_session_denial_outweighs_everything(world: World) -> None:
    world.grants.remember(Decision.ALLOW_SESSION, CREATE)
    world.permissions.set([parse_key("Notes/New.md")], ["w"], allow=True)
    world.grants.remember(Decision.DENY_SESSION, CREATE)
    assert world.decide(CREATE) == ("deny", "session:deny")
    assert world.decide(case(CREATE, targets=touching("Other.md", "Notes/New.md"))) == ("deny", "session:deny")
    assert world.decide(case(CREATE, targets=touching("Other.md"))) == ("ask", "default")


def test_a_denial_without_targets_denies_the_tool(world: World) -> None:
    world.grants.remember(Decision.DENY_SESSION, case(CREATE, targets=()))
    assert world.decide(CREATE) == ("deny", "session:deny")


def test_always_for_everybody_is_a_tools_mode_and_for_a_target_a_line_in_the_file(world: World, file: Path) -> None:
    world.grants.remember(Decision.ALLOW_ALWAYS, GREP, extent=ALL)
    assert world.modes == {"grep": "always_allow"}
    assert world.decide(GREP) == ("allow", "mode:always_allow")
    world.grants.remember(Decision.DENY_ALWAYS, GREP)
    assert world.decide(GREP) == ("deny", "mode:never_allow")
    world.grants.remember(Decision.ALLOW_ALWAYS, FETCH, extent=ALL)
    assert '"https://example.org/a": "r??"' in file.read_text(encoding="utf-8")
    assert world.decide(case(FETCH, targets=touching("http://example.org/a"))) == (
        "allow",
        "file:https://example.org/a",
    )
    world.grants.remember(Decision.DENY_ALWAYS, PATCH)
    assert world.decide(PATCH) == ("deny", "file:Notes/New.md")
    assert world.decide(CREATE) == ("deny", "file:Notes/New.md")
    assert world.decide(case(GREP, tool="read", targets=touching("Notes/New.md")))[0] == "ask"


def test_a_hand_written_rule_allows_what_may_be_allowed_and_never_a_never_tool(world: World, file: Path) -> None:
    file.write_text('{"Notes/": "rw?"}', encoding="utf-8")
    assert world.decide(CREATE) == ("allow", "file:Notes/")
    assert world.decide(PATCH) == ("ask", "class:never")
    assert world.decide(case(GREP, targets=touching("Notes/a.md"))) == ("allow", "file:Notes/")
    assert world.decide(case(GREP, targets=touching("Notes/a.md", "b.md"))) == ("ask", "default")


def test_a_denied_target_denies_a_read_whatever_the_tool_was_granted(world: World, file: Path) -> None:
    world.grants.remember(Decision.ALLOW_SESSION, GREP)
    file.write_text('{"Notes/Secret.md": "---"}', encoding="utf-8")
    assert world.decide(case(GREP, targets=touching("Notes/Secret.md"))) == ("deny", "file:Notes/Secret.md")


@pytest.mark.parametrize("asked", [CREATE, PATCH, case(FETCH, targets=())])
def test_an_answer_that_was_not_offered_is_not_kept(world: World, asked: ConsentCase) -> None:
    assert world.grants.remember(Decision.ALLOW_ALWAYS, asked) == ()
    assert world.decide(asked)[0] == "ask"
    assert world.grants.list() == []


def test_what_cannot_be_kept_for_good_is_kept_for_the_session(world: World, file: Path) -> None:
    file.write_text("{", encoding="utf-8")
    kept = world.grants.remember(Decision.DENY_ALWAYS, PATCH)
    assert [grant.decision for grant in kept] == [Decision.DENY_SESSION]
    assert world.decide(PATCH) == ("deny", "session:deny")
    world.grants.remember(Decision.ALLOW_ALWAYS, FETCH, extent=ALL)
    assert world.decide(FETCH) == ("allow", "session:allow")


def test_settings_that_cannot_be_written_lose_no_denial(state: Folder, clock: Clock) -> None:
    def fail(_tool: str, _mode: ConsentMode | None, _by: str | None) -> None:
        raise ExecutionFailed("The disk is full")

    grants = GrantStore(
        PermissionFile(state, clock=clock), clock=clock, modes=dict, set_mode=fail, clients=client_grants()
    )
    grants.remember(Decision.DENY_ALWAYS, GREP)
    assert decide(GREP, grants).rule == "session:deny"


def test_every_answer_that_holds_is_listed_and_can_be_taken_back(world: World, file: Path) -> None:
    file.write_text('{"http://example.org/": "r-?"}', encoding="utf-8")
    world.grants.remember(Decision.ALLOW_SESSION, case(CREATE, targets=touching("a.md", "b.md")))
    world.grants.remember(Decision.DENY_SESSION, GREP)
    world.modes |= {"find": "always_allow", "read": "never_allow", "edit": "always_ask"}
    listed = world.grants.list()
    shown = [(g.kind, g.client, g.tool, g.target, g.operation, g.decision.value) for g in listed]
    assert shown == [
        ("session", "Claude Code", "create_note", "a.md", None, "allow_session"),
        ("session", "Claude Code", "create_note", "b.md", None, "allow_session"),
        ("session", "Claude Code", "grep", None, None, "deny_session"),
        ("mode", None, "find", None, None, "allow_always"),
        ("mode", None, "read", None, None, "deny_always"),
        ("file", None, None, "http://example.org/", "read", "allow_always"),
        ("file", None, None, "http://example.org/", "write", "deny_always"),
    ]
    assert len({grant.grant_id for grant in listed}) == len(listed)
    assert world.grants.revoke(listed[0].grant_id)
    assert [grant.target for grant in world.grants.list()][:2] == ["b.md", None]
    for grant in listed[1:]:
        assert world.grants.revoke(grant.grant_id)
    assert world.grants.list() == []
    assert not world.grants.revoke("s-unknown")
    assert not world.grants.revoke(listed[1].grant_id)
    assert world.decide(GREP) == ("ask", "default")


def test_a_grant_goes_over_the_wire_with_its_names(world: World) -> None:
    (grant,) = world.grants.remember(Decision.ALLOW_SESSION, GREP)
    wire = grant.to_wire()
    assert set(wire) == {
        *("grantId", "kind", "client", "sessionId", "tool", "target", "operation", "decision", "since"),
        *("feedback", "expires", "clientId", "reach"),
    }
    assert str(wire["since"]).endswith("Z")


def test_a_session_that_ends_takes_its_answers_with_it(world: World) -> None:
    world.grants.remember(Decision.ALLOW_SESSION, GREP)
    world.grants.remember(Decision.DENY_SESSION, case(GREP, caller=caller("s2")))
    world.grants.end_session("s1")
    assert world.decide(GREP) == ("ask", "default")
    assert world.decide(case(GREP, caller=caller("s2"))) == ("deny", "session:deny")


def test_a_tool_set_to_ask_can_lose_what_was_allowed_and_keeps_what_was_denied(world: World) -> None:
    world.grants.remember(Decision.ALLOW_SESSION, GREP)
    world.grants.remember(Decision.DENY_SESSION, case(GREP, caller=caller("s2")))
    world.grants.mode_set("grep", ConsentMode.ALWAYS_ASK)
    assert world.decide(GREP) == ("ask", "default")
    assert world.decide(case(GREP, caller=caller("s2"))) == ("deny", "session:deny")


@pytest.mark.parametrize(
    ("asked", "letters"),
    [
        (GREP, ("r",)),
        (CREATE, ("w",)),
        (case(CREATE, operation=Operation.DELETE), ("w",)),
        (case(CREATE, operation=Operation.EXECUTE), ("x",)),
        (FETCH, ("r",)),
        (case(FETCH, consent_class=ConsentClass.NEVER), ("r", "w")),
    ],
)
def test_the_operation_says_which_character_counts(asked: ConsentCase, letters: tuple[str, ...]) -> None:
    assert asked.letters == letters


STEPS = st.lists(
    st.tuples(st.sampled_from(Decision), st.sampled_from([GREP, CREATE, PATCH, FETCH])) | st.integers(0, 9),
    max_size=12,
)


@settings(max_examples=40, deadline=None)
@given(steps=STEPS)
def test_no_sequence_of_answers_makes_a_never_tool_run_unasked_and_denials_hold_until_taken_back(
    steps: list[Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    with VaultRoot(tmp_path_factory.mktemp("vault")) as root, root.state() as state:
        world = World(state, SystemClock())
        for step in steps:
            listed: list[Grant] = world.grants.list()
            if isinstance(step, int):
                if step < len(listed):
                    assert world.grants.revoke(listed[step].grant_id)
                continue
            decision, asked = step
            denied = world.decide(asked)[0] == "deny"
            world.grants.remember(decision, asked)
            # A denied call is not asked about, so nothing but taking the denial back may open it; a later
            # "always allow" of a target or tool is the user changing that very line.
            outcome = world.decide(asked)[0]
            if denied and decision is not Decision.ALLOW_ALWAYS:
                assert outcome == "deny"
            if decision in {Decision.DENY_SESSION, Decision.DENY_ALWAYS}:
                assert outcome == "deny"
            assert world.decide(PATCH)[0] != "allow"


def test_what_is_closed_is_decided_by_one_function_while_the_file_stays_the_same(world: World, file: Path) -> None:
    assert world.grants.closed() is None
    file.write_text('{"Private/": "-??"}', encoding="utf-8")
    first = world.grants.closed()
    assert first is not None
    assert first("Private/a.md") is not None
    assert first("Ideas.md") is None
    assert world.grants.closed() is first
    file.write_text('{"Private/": "-??", "Ideas.md": "-??"}', encoding="utf-8")
    second = world.grants.closed()
    assert second is not None
    assert second is not first
    assert second("Ideas.md") is not None
