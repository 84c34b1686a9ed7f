"""Whom an answer, a limit or a result holds for."""

from bridge.contract.identity import Capability
from bridge.identity.caller import HOST, SHARED, Caller, Client

NAMED = Client("0a1b", "Claude Code", frozenset({Capability.CALL}))


def test_a_client_with_a_name_is_the_same_on_every_connection_whatever_it_calls_itself() -> None:
    one, other = Caller(NAMED, "link-1", "claude"), Caller(NAMED, "link-2", "someone else")
    assert (one.subject, one.session_id, one.name) == (other.subject, other.session_id, other.name)
    assert one.name == "Claude Code"


def test_programs_without_a_name_share_denials_and_limits_but_no_answers_for_a_session() -> None:
    one, other = Caller(SHARED, "link-1", "Claude"), Caller(SHARED, "link-2", "Claude")
    assert one.subject == other.subject
    assert one.session_id != other.session_id


def test_a_name_that_a_program_gives_itself_is_shown_as_such() -> None:
    assert Caller(SHARED, "link-1", "Claude").name == "a program without a name of its own, calls itself 'Claude'"
    assert Caller(SHARED, "link-1").name == "a program without a name of its own"


def test_only_the_persons_own_programs_may_do_everything() -> None:
    assert all(Caller(HOST, "link-1").can(capability) for capability in Capability)
    assert [capability for capability in Capability if Caller(SHARED, "link-1").can(capability)] == [Capability.CALL]
