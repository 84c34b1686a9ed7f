"""What people have said before."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.clock import Clock, SystemClock
from bridge.consent.grants import GrantStore
from bridge.consent.permission_file import PermissionFile
from bridge.contract.consent import ConsentClass, ConsentMode, Coverage, Covers, Decision, Grant, Holder, Operation
from bridge.errors import ExecutionFailed
from bridge.policy.consent import ConsentCase, decide
from bridge.policy.targets import parse_key
from bridge.vault.folder import Folder
from bridge.vault.root import VaultRoot
from tests.identities import PrivateFiles, caller, client_grants, say, touching

GREP = ConsentCase(
    tool="grep",
    operation=Operation.READ,
    consent_class=ConsentClass.ALWAYS,
    covers=Covers.TOOL,
    targets=touching("Notes/"),
    caller=caller("s1"),
    mode=ConsentMode.SESSION_ALLOW,
    developer_mode=False,
)
CREATE = GREP._replace(
    tool="create_note",
    operation=Operation.CREATE,
    consent_class=ConsentClass.SESSION,
    covers=Covers.TARGET,
    targets=touching("Notes/New.md"),
    mode=ConsentMode.SESSION_ALLOW,
)
PATCH = CREATE._replace(tool="apply_patch", operation=Operation.UPDATE, consent_class=ConsentClass.NEVER)
FETCH = CREATE._replace(
    tool="web_fetch",
    operation=Operation.NETWORK,
    consent_class=ConsentClass.ALWAYS,
    targets=touching("https://example.org/a?b=c"),
)


def case(base: ConsentCase, **changes: Any) -> ConsentCase:
    return base._replace(**changes)


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
    assert say(world.grants, Decision.ALLOW_ONCE, GREP) == ()
    assert world.decide(GREP) == ("ask", "default")
    say(world.grants, Decision.DENY_ONCE, GREP)
    assert world.decide(GREP) == ("ask", "default")
    assert world.grants.list() == []


def test_a_read_allowed_for_the_session_covers_the_tool_in_that_session(world: World) -> None:
    say(world.grants, Decision.ALLOW_SESSION, GREP)
    assert world.decide(GREP) == ("allow", "session:allow")
    assert world.decide(case(GREP, targets=touching("Elsewhere.md"))) == ("allow", "session:allow")
    assert world.decide(case(GREP, tool="read")) == ("ask", "default")
    assert world.decide(case(GREP, caller=caller("s2"))) == ("ask", "default")
    assert world.decide(case(GREP, mode=ConsentMode.ALWAYS_ASK)) == ("ask", "mode:always_ask")


def test_a_write_allowed_for_the_session_covers_the_targets_shown(world: World) -> None:
    say(world.grants, Decision.ALLOW_SESSION, CREATE)
    assert world.decide(CREATE) == ("allow", "session:allow")
    assert world.decide(case(CREATE, targets=touching("Notes/New.md", "Other.md"))) == ("ask", "default")
    assert world.decide(case(CREATE, targets=())) == ("ask", "default")
    assert world.decide(case(CREATE, tool="write_file")) == ("ask", "default")


def test_a_session_denial_outweighs_everything(world: World) -> None:
    say(world.grants, Decision.ALLOW_SESSION, CREATE)
    world.permissions.set([parse_key("Notes/New.md")], ["w"], allow=True)
    say(world.grants, Decision.DENY_SESSION, CREATE)
    assert world.decide(CREATE) == ("deny", "session:deny")
    assert world.decide(case(CREATE, targets=touching("Other.md", "Notes/New.md"))) == ("deny", "session:deny")
    assert world.decide(case(CREATE, targets=touching("Other.md"))) == ("ask", "default")


def test_a_denial_without_targets_denies_the_tool(world: World) -> None:
    say(world.grants, Decision.DENY_SESSION, case(CREATE, targets=()))
    assert world.decide(CREATE) == ("deny", "session:deny")


def test_always_for_everybody_is_a_tools_mode_and_for_a_target_a_line_in_the_file(world: World, file: Path) -> None:
    say(world.grants, Decision.ALLOW_ALWAYS, GREP, who=Holder.EVERYONE, what=Coverage.TOOL)
    assert world.modes == {"grep": "always_allow"}
    assert world.decide(GREP) == ("allow", "mode:always_allow")
    say(world.grants, Decision.DENY_ALWAYS, GREP, who=Holder.EVERYONE, what=Coverage.TOOL)
    assert world.decide(GREP) == ("deny", "mode:never_allow")
    say(world.grants, Decision.ALLOW_ALWAYS, FETCH, who=Holder.EVERYONE)
    assert '"https://example.org/a": "r??"' in file.read_text(encoding="utf-8")
    assert world.decide(case(FETCH, targets=touching("http://example.org/a"))) == (
        "allow",
        "file:https://example.org/a",
    )
    say(world.grants, Decision.DENY_ALWAYS, PATCH)
    assert world.decide(PATCH) == ("deny", "file:Notes/New.md")
    assert world.decide(CREATE) == ("deny", "file:Notes/New.md")
    assert world.decide(case(GREP, tool="read", targets=touching("Notes/New.md")))[0] == "ask"


MOVE = case(
    PATCH,
    tool="move_file",
    targets=touching("Book.md", "Shelf/Book.md", *(f"Many/N{number}.md" for number in range(300))),
    subjects=touching("Book.md", "Shelf/Book.md"),
)


@pytest.mark.parametrize("decision", [Decision.DENY_SESSION, Decision.DENY_ALWAYS])
@pytest.mark.parametrize("who", [Holder.CLIENT, Holder.EVERYONE])
def test_a_no_to_a_move_binds_what_is_moved_and_is_one_row_that_is_taken_back_as_a_whole(
    world: World, file: Path, decision: Decision, who: Holder
) -> None:
    if (decision, who) == (Decision.DENY_SESSION, Holder.EVERYONE):
        return  # a denial for the session is the one client's
    (kept,) = say(world.grants, decision, MOVE, who=who)
    assert kept.where == ("Book.md", "Shelf/Book.md")
    edit = case(CREATE, tool="edit_file", operation=Operation.UPDATE)
    assert world.decide(case(edit, targets=touching("Many/N5.md"))) == ("ask", "default")
    for path in ("Book.md", "Shelf/Book.md"):
        assert world.decide(case(edit, targets=touching(path)))[0] == "deny"
    assert world.decide(MOVE)[0] == "deny"
    assert [grant.grant_id for grant in world.grants.list()] == [kept.grant_id]
    if who is Holder.EVERYONE:
        assert kept.sentence.startswith("No program may change Book.md and Shelf/Book.md any more")
        assert file.read_text(encoding="utf-8").count("-") == 2
    assert world.grants.revoke(kept.grant_id)
    assert world.grants.list() == []
    assert world.decide(case(edit, targets=touching("Book.md")))[0] == "ask"


def test_lines_of_one_answer_that_were_edited_by_hand_are_rows_of_their_own(world: World, file: Path) -> None:
    say(world.grants, Decision.DENY_ALWAYS, MOVE)
    file.write_text('{"Book.md": "?-?", "Shelf/Book.md": "?w?"}', encoding="utf-8")
    assert [grant.grant_id for grant in world.grants.list()] == ["f-w-Book.md", "f-w-Shelf/Book.md"]


def test_a_hand_written_rule_allows_what_may_be_allowed_and_never_a_never_tool(world: World, file: Path) -> None:
    file.write_text('{"Notes/": "rw?"}', encoding="utf-8")
    assert world.decide(CREATE) == ("allow", "file:Notes/")
    assert world.decide(PATCH) == ("ask", "class:never")
    assert world.decide(case(GREP, targets=touching("Notes/a.md"))) == ("allow", "file:Notes/")
    assert world.decide(case(GREP, targets=touching("Notes/a.md", "b.md"))) == ("ask", "default")


def test_a_denied_target_denies_a_read_whatever_the_tool_was_granted(world: World, file: Path) -> None:
    say(world.grants, Decision.ALLOW_SESSION, GREP)
    file.write_text('{"Notes/Secret.md": "---"}', encoding="utf-8")
    assert world.decide(case(GREP, targets=touching("Notes/Secret.md"))) == ("deny", "file:Notes/Secret.md")


@pytest.mark.parametrize("asked", [CREATE, PATCH, case(FETCH, targets=())])
def test_an_answer_that_was_not_offered_is_not_kept(world: World, asked: ConsentCase) -> None:
    assert say(world.grants, Decision.ALLOW_ALWAYS, asked) == ()
    assert world.decide(asked)[0] == "ask"
    assert world.grants.list() == []


def test_what_cannot_be_kept_for_good_is_kept_for_the_session(world: World, file: Path) -> None:
    file.write_text("{", encoding="utf-8")
    kept = say(world.grants, Decision.DENY_ALWAYS, PATCH)
    assert [grant.decision for grant in kept] == [Decision.DENY_SESSION]
    assert world.decide(PATCH) == ("deny", "session:deny")
    say(world.grants, Decision.ALLOW_ALWAYS, FETCH, who=Holder.EVERYONE)
    assert world.decide(FETCH) == ("allow", "session:allow")


@pytest.mark.parametrize("decision", [Decision.ALLOW_ALWAYS, Decision.DENY_ALWAYS])
def test_an_answer_for_everyone_that_is_in_the_file_is_told_so_where_it_cannot_be_noted_elsewhere(
    state: Folder, clock: Clock, decision: Decision
) -> None:
    world, files = World(state, clock), PrivateFiles()
    files.full = True
    world.grants.clients = client_grants(files)
    kept = say(world.grants, decision, GREP, who=Holder.EVERYONE, what=Coverage.READING)
    assert kept
    assert list(kept) == world.grants.list()
    for grant in kept:
        assert world.grants.revoke(grant.grant_id)
    assert world.decide(GREP)[0] == "ask"


def test_settings_that_cannot_be_written_lose_no_denial(state: Folder, clock: Clock) -> None:
    def fail(_tool: str, _mode: ConsentMode | None, _by: str | None) -> None:
        raise ExecutionFailed("The disk is full")

    grants = GrantStore(
        PermissionFile(state, clock=clock), clock=clock, modes=dict, set_mode=fail, clients=client_grants()
    )
    say(grants, Decision.DENY_ALWAYS, GREP, what=Coverage.TOOL, who=Holder.EVERYONE)
    assert decide(GREP, grants).rule == "session:deny"


def test_every_answer_that_holds_is_listed_and_can_be_taken_back(world: World, file: Path) -> None:
    file.write_text('{"http://example.org/": "r-?"}', encoding="utf-8")
    say(world.grants, Decision.ALLOW_SESSION, case(CREATE, targets=touching("a.md", "b.md")))
    say(world.grants, Decision.DENY_SESSION, GREP)
    world.modes |= {"find": "always_allow", "read": "never_allow", "edit": "always_ask"}
    listed = world.grants.list()
    shown = [(g.kind, g.client, g.tool, " ".join(g.where), g.what, g.decision.value) for g in listed]
    assert shown == [
        ("session", "Claude Code", "create_note", "a.md b.md", "tool", "allow_session"),
        ("session", "Claude Code", "grep", "Notes/", "tool", "deny_session"),
        ("mode", None, "find", "", "tool", "allow_always"),
        ("mode", None, "read", "", "tool", "deny_always"),
        ("file", None, None, "http://example.org/", "requests", "allow_always"),
        ("file", None, None, "http://example.org/", "requests", "deny_always"),
    ]
    assert all(grant.sentence.endswith(".") for grant in listed)
    assert len({grant.grant_id for grant in listed}) == len(listed)
    assert world.grants.revoke(listed[0].grant_id)
    assert [grant.tool for grant in world.grants.list()][:2] == ["grep", "find"]
    for grant in listed[1:]:
        assert world.grants.revoke(grant.grant_id)
    assert world.grants.list() == []
    assert not world.grants.revoke("s-unknown")
    assert not world.grants.revoke(listed[1].grant_id)
    assert world.decide(GREP) == ("ask", "default")


def test_a_grant_goes_over_the_wire_with_its_names(world: World) -> None:
    (grant,) = say(world.grants, Decision.ALLOW_SESSION, GREP)
    wire = grant.to_wire()
    assert set(wire) == {
        *("grantId", "kind", "client", "clientId", "sessionId", "tool", "operation", "decision", "since", "feedback"),
        *("who", "what", "where", "additions", "mostFiles", "usedFiles", "until", "expires", "sentence"),
    }
    assert str(wire["since"]).endswith("Z")


def test_a_session_that_ends_takes_its_answers_with_it(world: World) -> None:
    say(world.grants, Decision.ALLOW_SESSION, GREP)
    say(world.grants, Decision.DENY_SESSION, case(GREP, caller=caller("s2")))
    world.grants.session.end_session("s1")
    assert world.decide(GREP) == ("ask", "default")
    assert world.decide(case(GREP, caller=caller("s2"))) == ("deny", "session:deny")


def test_a_tool_set_to_ask_can_lose_what_was_allowed_and_keeps_what_was_denied(world: World) -> None:
    say(world.grants, Decision.ALLOW_SESSION, GREP)
    say(world.grants, Decision.DENY_SESSION, case(GREP, caller=caller("s2")))
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
            say(world.grants, decision, asked)
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
