"""The open questions: one outcome each."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.clock import SystemClock
from bridge.consent.broker import MAX_FEEDBACK, MAX_OPEN, Broker
from bridge.consent.question import Change, ConsentAnswer, Handling
from bridge.contract.base import Event
from bridge.contract.consent import (
    ConsentReply,
    ConsentRequest,
    Decision,
    Operation,
    Outcome,
    Revision,
    RiskLevel,
    ToolFace,
)
from bridge.errors import Conflict, InvalidParameters, PermissionDenied, RateLimited, ToolFailure
from bridge.identity.caller import HOST, HOST_ID, Caller
from bridge.vault.person_edits import HunkText
from tests.identities import answer_to, caller
from tests.loop_time import LoopClock, run, skip, turns
from tests.turns import turns_counted

DIGEST = "sha256:right"
EDITED = "sha256:edited"
TEXT = HunkText("Notes/Meeting.md", 0, "other text\n")
OFFERED = (Decision.ALLOW_ONCE, Decision.DENY_ONCE, Decision.DENY_SESSION, Decision.DENY_ALWAYS)

Revise = Callable[[Change, Caller | None], Awaitable[ConsentRequest]]
Covered = Callable[[], bool | None]


def question(request_id: str = "c-1", *, plan_digest: str | None = DIGEST) -> ConsentRequest:
    return ConsentRequest(
        request_id=request_id,
        client="Claude Code",
        session_id="s1",
        tool=ToolFace(name="apply_patch", title="Apply Patch", description="Edits.", icon="wrench"),
        risk_level=RiskLevel.HIGH,
        operation=Operation.UPDATE,
        summary="Edit Notes/Meeting.md",
        parameters={},
        targets=("Notes/Meeting.md",),
        can_bypass=False,
        choices=OFFERED,
        plan_digest=plan_digest,
        editable=True,
        created_at="2026-01-01T00:00:00.000Z",
        expires_at="2026-01-01T00:05:00.000Z",
    )


@dataclass
class Screen:
    """A host that remembers what it was sent."""

    id: str
    notified: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    @property
    def name(self) -> str:
        return f"Screen {self.id}"

    @property
    def caller(self) -> Caller:
        return Caller(HOST, self.id, self.name)

    def notify(self, event: Event) -> None:
        self.notified.append((event.event_name, event.to_wire()))

    def methods(self) -> list[str]:
        return [method for method, _ in self.notified]


class BrokenScreen(Screen):
    def notify(self, event: Event) -> None:
        super().notify(event)
        raise ConnectionResetError("gone")


def begin(
    broker: Broker,
    asked: ConsentRequest | None = None,
    *,
    timeout: float = 300.0,
    wait_for_host: bool = False,
    check: Callable[[], Awaitable[None]] | None = None,
    revise: Revise | None = None,
    covered: Covered | None = None,
) -> asyncio.Task[ConsentAnswer]:
    return asyncio.create_task(
        broker.ask(
            asked or question(),
            Handling(check=check, revise=revise, covered=covered),
            timeout=timeout,
            wait_for_host=wait_for_host,
        )
    )


def person(screen: str) -> Caller:
    """The person, at a screen of this name."""
    return Caller(HOST, screen, screen)


async def yes(broker: Broker, by: str = "Screen a", digest: str | None = DIGEST) -> ConsentReply:
    return await broker.respond(answer_to("c-1", Decision.ALLOW_ONCE, digest), person(by))


async def no(broker: Broker, by: str = "Screen a", feedback: str | None = None) -> ConsentReply:
    return await broker.respond(answer_to("c-1", Decision.DENY_ONCE, None, feedback=feedback), person(by))


async def edit(broker: Broker, by: str = "Screen a", digest: str = DIGEST) -> Revision:
    return await broker.revise("c-1", TEXT, plan_digest=digest, by=person(by))


def edited(*, turns_taken: int = 0, failure: ToolFailure | None = None) -> Revise:
    """Makes the question about the edited plan, after so many turns of the loop; or fails."""

    async def revise(text: Change, by: Caller | None) -> ConsentRequest:
        assert by is not None
        assert (text, by.client) == (TEXT, HOST)
        await turns(turns_taken)
        if failure is not None:
            raise failure
        return question(plan_digest=EDITED).model_copy(update={"revised": True})

    return revise


@pytest.fixture
def broker() -> Broker:
    return Broker(clock=SystemClock())


@pytest.fixture
def screen(broker: Broker) -> Screen:
    host = Screen("a")
    broker.attach(host)
    return host


async def test_a_question_goes_to_every_host_and_the_answer_to_the_asker(broker: Broker, screen: Screen) -> None:
    other = Screen("b")
    broker.attach(other)
    asking = begin(broker)
    await turns()
    assert screen.notified == other.notified == [("consent.requested", question().to_wire())]
    assert broker.pending() == [question()]
    notified = ConsentReply(accepted=True, outcome=Outcome.ALLOWED, by="Screen a", plan_digest=question().plan_digest)
    assert await yes(broker) == notified
    assert await asking == ConsentAnswer(Decision.ALLOW_ONCE, "Screen a")
    resolved = {"requestId": "c-1", "decision": "allow_once", "outcome": "allowed", "by": "Screen a"}
    assert screen.notified[1:] == other.notified[1:] == [("consent.resolved", resolved)]
    assert broker.pending() == []


async def test_a_no_is_an_answer_with_the_persons_words(broker: Broker, screen: Screen) -> None:
    asking = begin(broker)
    await turns()
    reply = await broker.respond(
        answer_to("c-1", Decision.DENY_SESSION, DIGEST, feedback="use the other heading"), person(screen.name)
    )
    assert reply == ConsentReply(accepted=True, outcome=Outcome.DENIED, by="Screen a")
    assert await asking == ConsentAnswer(Decision.DENY_SESSION, "Screen a", "use the other heading")


async def test_endless_words_are_cut(broker: Broker, screen: Screen) -> None:
    asking = begin(broker)
    await turns()
    await no(broker, screen.name, "a" * 10_000)
    assert len((await asking).feedback or "") == MAX_FEEDBACK


async def test_the_first_answer_wins_and_later_ones_learn_the_outcome(broker: Broker, screen: Screen) -> None:
    asking = begin(broker)
    await turns()
    await no(broker, screen.name)
    late = await yes(broker, "Screen b")
    assert (late.accepted, late.outcome, late.by) == (False, Outcome.DENIED, "Screen a")
    assert "ended already: denied by 'Screen a'" in str(late.reason)
    assert not (await asking).decision.allows
    assert screen.methods() == ["consent.requested", "consent.resolved"]


async def test_screens_are_sent_a_question_in_turns_of_their_own_and_none_that_has_ended(broker: Broker) -> None:
    screens = [Screen(name) for name in "abcd"]
    for screen in screens:
        broker.attach(screen)
    asking = begin(broker)
    shown: list[int] = []
    while len(shown) < 3:
        await asyncio.sleep(0)
        shown.append(sum(bool(screen.notified) for screen in screens))
    assert shown == [1, 2, 3]
    await no(broker)
    await asyncio.wait([asking])
    assert screens[3].methods() == ["consent.resolved"]


@pytest.mark.parametrize(
    ("decision", "digest"),
    [
        (Decision.ALLOW_ONCE, "sha256:wrong"),
        (Decision.ALLOW_ONCE, None),
        (Decision.ALLOW_ONCE, ""),
        (Decision.DENY_ONCE, "sha256:wrong"),
        (Decision.ALLOW_SESSION, DIGEST),
        (Decision.ALLOW_ALWAYS, DIGEST),
    ],
)
async def test_an_answer_to_another_plan_or_not_offered_changes_nothing(
    broker: Broker, screen: Screen, decision: Decision, digest: str | None
) -> None:
    asking = begin(broker)
    await turns()
    reply = await broker.respond(answer_to("c-1", decision, digest), person(screen.name))
    assert not reply.accepted
    assert reply.outcome is None
    assert reply.reason
    assert screen.methods() == ["consent.requested"]
    assert (await yes(broker)).accepted
    assert (await asking).decision is Decision.ALLOW_ONCE


async def test_a_question_without_a_plan_takes_no_digest(broker: Broker, screen: Screen) -> None:
    asking = begin(broker, question(plan_digest=None))
    await turns()
    assert not (await yes(broker, screen.name, DIGEST)).accepted
    assert (await yes(broker, screen.name, None)).accepted
    await asking


async def test_an_unknown_question_cannot_be_answered_or_cancelled(broker: Broker) -> None:
    reply = await yes(broker)
    assert (reply.accepted, reply.outcome) == (False, None)
    assert "'c-1'" in str(reply.reason)
    assert not broker.cancel("c-1")


async def test_with_nobody_there_the_question_is_refused_at_once_and_says_how_to_get_a_screen(broker: Broker) -> None:
    with pytest.raises(PermissionDenied) as refused:
        await begin(broker)
    assert refused.value.code == "no_ui"
    assert "open Obsidian" in refused.value.message
    assert "vault-bridge approve" in refused.value.message
    assert "--vault" in refused.value.message
    assert broker.pending() == []


async def test_a_question_may_wait_for_a_host(broker: Broker) -> None:
    asking = begin(broker, wait_for_host=True)
    await turns()
    screen = Screen("a")
    broker.attach(screen)
    assert screen.methods() == ["consent.requested"]
    assert (await yes(broker)).accepted
    await asking


async def test_a_host_that_leaves_ends_nothing_and_one_that_comes_back_is_asked_again(
    broker: Broker, screen: Screen
) -> None:
    asking = begin(broker)
    await turns()
    connected = [broker.connected]
    for _ in range(2):
        broker.detach(screen)
        connected.append(broker.connected)
    assert broker.pending() == [question()]
    again = Screen("a")
    broker.attach(again)
    broker.detach(screen)
    connected.append(broker.connected)
    assert connected == [True, False, False, True]
    assert again.methods() == ["consent.requested"]
    assert (await yes(broker)).accepted
    await asking
    assert screen.methods() == ["consent.requested"]
    assert again.methods() == ["consent.requested", "consent.resolved"]


async def test_a_host_that_cannot_be_reached_does_not_hurt_the_others(
    broker: Broker, caplog: pytest.LogCaptureFixture
) -> None:
    broken, screen = BrokenScreen("b"), Screen("a")
    broker.attach(broken)
    broker.attach(screen)
    asking = begin(broker)
    await turns()
    assert (await yes(broker)).accepted
    assert (await asking).by == "Screen a"
    assert screen.methods() == ["consent.requested", "consent.resolved"]
    assert "Screen b" in caplog.text


async def test_nobody_answers(broker: Broker, screen: Screen) -> None:
    with pytest.raises(PermissionDenied) as refused:
        await begin(broker, timeout=0)
    assert refused.value.code == "timed_out"
    assert "within 0 seconds" in refused.value.message
    assert screen.notified[-1] == (
        "consent.resolved",
        {"requestId": "c-1", "decision": None, "outcome": "timed_out", "by": None},
    )
    late = await yes(broker)
    assert (late.accepted, late.outcome, late.by) == (False, Outcome.TIMED_OUT, None)


async def test_a_cancelled_question_says_so(broker: Broker, screen: Screen) -> None:
    asking = begin(broker)
    await turns()
    assert broker.cancel("c-1", by="Claude Code")
    assert not broker.cancel("c-1")
    with pytest.raises(PermissionDenied) as refused:
        await asking
    assert refused.value.code == "cancelled"
    assert screen.notified[-1][1]["by"] == "Claude Code"
    assert (await yes(broker)).outcome is Outcome.CANCELLED


async def test_an_asker_that_is_cancelled_closes_its_question(broker: Broker, screen: Screen) -> None:
    asking = begin(broker)
    await turns()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert broker.pending() == []
    assert screen.notified[-1][1]["outcome"] == "cancelled"
    assert (await yes(broker)).outcome is Outcome.CANCELLED


async def test_a_yes_counts_only_after_the_files_were_looked_at_again(broker: Broker, screen: Screen) -> None:
    looked = asyncio.Event()

    async def look() -> None:
        await looked.wait()

    asking = begin(broker, check=look)
    await turns()
    answering = asyncio.create_task(yes(broker))
    await turns()
    assert not asking.done()
    meanwhile = [await yes(broker, "Screen b"), await no(broker, "Screen b")]
    assert [(reply.accepted, reply.outcome) for reply in meanwhile] == [(False, None)] * 2
    looked.set()
    assert (await answering).accepted
    assert (await asking).by == "Screen a"
    assert screen.methods() == ["consent.requested", "consent.resolved"]


async def test_files_that_changed_make_the_question_stale(broker: Broker, screen: Screen) -> None:
    async def changed() -> None:
        raise Conflict("'Notes/Meeting.md' has changed since", code="stale")

    asking = begin(broker, check=changed)
    await turns()
    reply = await yes(broker)
    assert (reply.accepted, reply.outcome, reply.by) == (False, Outcome.STALE, "Screen a")
    assert "has changed" in str(reply.reason)
    with pytest.raises(Conflict, match="has changed") as stale:
        await asking
    assert stale.value.code == "stale"
    assert screen.notified[-1][1] == {"requestId": "c-1", "decision": None, "outcome": "stale", "by": "Screen a"}


async def test_a_no_needs_no_look_at_the_files(broker: Broker, screen: Screen) -> None:
    async def never() -> None:
        pytest.fail("looked")

    asking = begin(broker, check=never)
    await turns()
    assert (await no(broker, screen.name)).accepted
    await asking


async def test_a_check_that_breaks_leaves_the_question_open(broker: Broker, screen: Screen) -> None:
    faults: list[Exception] = [ZeroDivisionError()]

    async def breaks_once() -> None:
        if faults:
            raise faults.pop()

    asking = begin(broker, check=breaks_once)
    await turns()
    with pytest.raises(ZeroDivisionError):
        await yes(broker)
    assert screen.methods() == ["consent.requested"]
    assert (await yes(broker)).accepted
    await asking


async def test_a_host_that_goes_while_its_yes_is_checked_leaves_the_question_open(
    broker: Broker, screen: Screen
) -> None:
    looked = asyncio.Event()

    async def look() -> None:
        await looked.wait()

    asking = begin(broker, check=look)
    await turns()
    answering = asyncio.create_task(yes(broker))
    await turns()
    answering.cancel()
    await asyncio.wait([answering])
    assert broker.pending() == [question()]
    assert (await no(broker, "Screen b")).accepted
    assert (await asking).by == "Screen b"
    assert screen.methods() == ["consent.requested", "consent.resolved"]


async def test_an_id_is_asked_once(broker: Broker, screen: Screen) -> None:
    asking = begin(broker)
    await turns()
    with pytest.raises(ValueError, match="asked before"):
        await begin(broker)
    await no(broker, screen.name)
    await asking
    with pytest.raises(ValueError, match="asked before"):
        await begin(broker)


async def test_many_questions_wait_side_by_side(broker: Broker, screen: Screen) -> None:
    asking = [begin(broker, question(f"c-{number}"), wait_for_host=True) for number in range(MAX_OPEN)]
    await turns()
    assert [open_.request_id for open_ in broker.pending()] == [f"c-{number}" for number in range(MAX_OPEN)]
    for number in reversed(range(MAX_OPEN)):
        reply = await broker.respond(
            answer_to(f"c-{number}", Decision.ALLOW_ONCE, DIGEST, feedback=str(number)), person(screen.name)
        )
        assert reply.accepted
    assert [answer.feedback for answer in await asyncio.gather(*asking)] == [str(number) for number in range(MAX_OPEN)]


async def test_a_client_has_a_few_questions_open_and_the_rest_is_refused_at_once(
    broker: Broker, screen: Screen
) -> None:
    asking = [begin(broker, question(f"c-{number}"), wait_for_host=True) for number in range(400)]
    await turns()
    assert len(broker.pending()) == len(screen.notified) == MAX_OPEN
    refused = [asked.exception() for asked in asking if asked.done()]
    assert len(refused) == 400 - MAX_OPEN
    assert all(isinstance(failure, RateLimited) for failure in refused)
    other = begin(broker, question("other").model_copy(update={"client_id": "other"}))
    own = [begin(broker, question(f"own-{n}").model_copy(update={"client_id": HOST_ID})) for n in range(MAX_OPEN + 1)]
    await turns()
    assert not any(asked.done() for asked in (other, *own)), "others have their own, and the person has no limit"
    await broker.respond(answer_to("c-3", Decision.DENY_ONCE, None), person(screen.name))
    next_one = begin(broker, question("c-next"))
    await turns()
    assert not next_one.done()
    for asked in (*asking, next_one, other, *own):
        asked.cancel()


async def test_an_edited_text_makes_another_plan_and_only_that_can_be_allowed(broker: Broker, screen: Screen) -> None:
    other = Screen("b")
    broker.attach(other)
    asking = begin(broker, revise=edited())
    await turns()
    revision = await edit(broker)
    assert revision.accepted
    assert revision.question is not None
    assert (revision.question.request_id, revision.question.plan_digest) == ("c-1", EDITED)
    assert screen.methods() == other.methods() == ["consent.requested", "consent.revised"]
    assert screen.notified[1][1]["planDigest"] == EDITED
    assert [shown.plan_digest for shown in broker.pending()] == [EDITED]
    assert "digest" in ((await yes(broker, digest=DIGEST)).reason or "")
    assert "digest" in ((await edit(broker, digest=DIGEST)).reason or "")
    assert (await yes(broker, digest=EDITED)).plan_digest == EDITED
    assert (await asking).decision is Decision.ALLOW_ONCE


@pytest.mark.usefixtures("screen")
async def test_a_screen_that_connects_later_is_shown_the_edited_question(broker: Broker) -> None:
    asking = begin(broker, revise=edited())
    await turns()
    await edit(broker)
    late = Screen("late")
    broker.attach(late)
    assert [(method, params["planDigest"], params["revised"]) for method, params in late.notified] == [
        ("consent.requested", EDITED, True)
    ]
    assert (await no(broker)).accepted
    await asking


async def test_a_screen_that_connects_is_sent_a_question_a_turn_and_none_that_has_ended(broker: Broker) -> None:
    asking = [begin(broker, question(f"c-{number}"), wait_for_host=True) for number in range(4)]
    await turns()
    sent: list[tuple[int, str]] = []
    with turns_counted() as turn:

        class Noting(Screen):
            def notify(self, event: Event) -> None:
                if isinstance(event, ConsentRequest):
                    sent.append((turn.now, event.request_id))

        broker.attach(Noting("late"))
        broker.cancel("c-2")
        await turns()
        gone = Noting("gone")
        broker.attach(gone)
        broker.detach(gone)
        await turns()
    assert [request_id for _turn, request_id in sent] == ["c-0", "c-1", "c-3", "c-0"]
    # Between two counts there is the end of one turn and the beginning of the next.
    assert len({turn for turn, _request_id in sent[:3]}) > 1
    for one in asking:
        one.cancel()
    await asyncio.gather(*asking, return_exceptions=True)


async def test_a_text_that_cannot_be_taken_leaves_everything_as_it_was(broker: Broker, screen: Screen) -> None:
    asking = begin(broker, revise=edited(failure=InvalidParameters("The text is as it was")))
    await turns()
    assert (await edit(broker)).reason == "The text is as it was"
    assert screen.methods() == ["consent.requested"]
    assert (await yes(broker)).accepted
    await asking


async def test_an_edit_of_a_file_that_has_changed_since_ends_the_question(broker: Broker, screen: Screen) -> None:
    asking = begin(broker, revise=edited(failure=Conflict("It has changed", code="stale")))
    await turns()
    assert (await edit(broker)).reason == "It has changed"
    assert screen.notified[-1][1]["outcome"] == "stale"
    with pytest.raises(Conflict):
        await asking
    assert "ended already" in ((await edit(broker)).reason or "")


async def test_nothing_is_answered_while_a_text_is_taken_and_no_text_is_taken_while_a_yes_is_checked(
    broker: Broker, screen: Screen
) -> None:
    asking = begin(broker, revise=edited(turns_taken=4), check=lambda: turns(4))
    await turns()
    editing = asyncio.create_task(edit(broker))
    await turns(1)
    assert "being checked" in ((await yes(broker)).reason or "")
    assert "being checked" in ((await edit(broker)).reason or "")
    assert (await editing).accepted
    allowing = asyncio.create_task(yes(broker, digest=EDITED))
    await turns(1)
    assert "being checked" in ((await edit(broker, digest=EDITED)).reason or "")
    assert (await allowing).accepted
    assert (await asking).decision is Decision.ALLOW_ONCE
    assert screen.methods() == ["consent.requested", "consent.revised", "consent.resolved"]


@pytest.mark.parametrize("edited_first", [False, True])
def test_a_question_ends_when_it_would_have_ended_without_the_edit(edited_first: bool) -> None:
    async def scenario() -> None:
        broker, screen = Broker(clock=LoopClock()), Screen("a")
        broker.attach(screen)
        asking = begin(broker, revise=edited(turns_taken=0 if edited_first else 50))
        await turns()
        skip(200)
        editing = asyncio.create_task(edit(broker))
        await turns()
        skip(101)
        with pytest.raises(PermissionDenied):
            await asking
        assert (await editing).accepted is edited_first
        assert screen.methods()[-1] == "consent.resolved"

    run(scenario())


@pytest.mark.usefixtures("screen")
async def test_who_may_not_answer_may_not_edit(broker: Broker) -> None:
    own = question().model_copy(update={"client_id": "s1"})
    asking = begin(broker, own, revise=edited())
    await turns()
    refused = await broker.revise("c-1", TEXT, plan_digest=DIGEST, by=caller("s1"))
    assert refused.reason == "A client never answers its own questions"
    assert (await broker.revise("c-2", TEXT, plan_digest=DIGEST, by=person("a"))).accepted is False
    await no(broker)
    await asking


@pytest.mark.usefixtures("screen")
async def test_a_question_that_is_not_editable_takes_no_text(broker: Broker) -> None:
    fixed = question().model_copy(update={"editable": False})
    asking = begin(broker, fixed, revise=edited())
    await turns()
    assert "cannot be edited" in ((await edit(broker)).reason or "")
    await no(broker)
    await asking


@pytest.mark.parametrize(
    ("decision", "ends"),
    [
        (Decision.DENY_SESSION, {"c-2": "denied"}),
        (Decision.DENY_ONCE, {"c-2": "denied"}),
        (Decision.ALLOW_ONCE, {}),
        (Decision.ALLOW_SESSION, {"c-4": "allowed"}),
    ],
)
async def test_an_answer_ends_the_other_questions_that_it_covers(
    broker: Broker, screen: Screen, decision: Decision, ends: dict[str, str]
) -> None:
    says: dict[str, bool | None] = {"c-2": False, "c-3": None, "c-4": True}
    offered = {"choices": (*OFFERED, Decision.ALLOW_SESSION)}
    asking = {"c-1": begin(broker, question().model_copy(update=offered))}
    for number, covered in says.items():
        asking[number] = begin(broker, question(number), covered=lambda covered=covered: covered)  # type: ignore[misc]
    await turns()
    reply = await broker.respond(answer_to("c-1", decision, DIGEST, feedback="not now"), person("Screen a"))
    assert reply.accepted
    await asking["c-1"]
    resolved = {
        params["requestId"]: (params["outcome"], params["decision"], params["by"])
        for method, params in screen.notified
        if method == "consent.resolved" and params["requestId"] != "c-1"
    }
    assert resolved == {number: (outcome, decision.value, "Screen a") for number, outcome in ends.items()}
    for number in ends:
        answer = await asking[number]
        said = None if decision.allows else "not now"  # a yes is commented for the call that was looked at
        assert (answer.decision, answer.feedback, answer.option) == (decision, said, None)
    for open_ in broker.pending():
        broker.cancel(open_.request_id)
    await asyncio.gather(*asking.values(), return_exceptions=True)


@dataclass(frozen=True)
class Act:
    """One thing that happens, after so many turns of the loop."""

    what: str
    turns: int


async def wrong(broker: Broker, by: str) -> ConsentReply:
    return await yes(broker, by, "sha256:wrong")


async def yes_to_the_edited_plan(broker: Broker, by: str) -> ConsentReply:
    return await yes(broker, by, EDITED)


ANSWERS = {"yes": yes, "no": no, "wrong": wrong, "new": yes_to_the_edited_plan}

ACTS = st.lists(
    st.builds(
        Act,
        what=st.sampled_from(
            ["yes a", "yes b", "yes c", "no a", "no b", "wrong c", "new a", "edit b", "time-out", "cancel", "abort"]
        ),
        turns=st.integers(0, 4),
    ),
    min_size=1,
    max_size=8,
)


@settings(max_examples=300, deadline=None)
@given(acts=ACTS, look=st.integers(0, 4), stale=st.booleans())
def test_answers_time_out_and_cancel_together_give_exactly_one_outcome(acts: list[Act], look: int, stale: bool) -> None:
    run(_race(acts, look, stale=stale))


async def _race(acts: list[Act], look: int, *, stale: bool) -> None:
    broker = Broker(clock=LoopClock())
    screens = [Screen(name) for name in "abc"]
    for screen in screens:
        broker.attach(screen)

    async def check() -> None:
        await turns(look)
        if stale:
            raise Conflict("changed", code="stale")

    asking = begin(broker, check=check, revise=edited(turns_taken=look))
    await turns()
    answering: list[asyncio.Task[ConsentReply]] = []
    editing: list[asyncio.Task[Revision]] = []
    cancelled = 0
    for act in acts:
        what, _, who = act.what.partition(" ")
        if what in ANSWERS:
            answering.append(asyncio.create_task(ANSWERS[what](broker, who)))
        elif what == "edit":
            editing.append(asyncio.create_task(edit(broker, who)))
        elif what == "time-out":
            skip(301)
        elif what == "cancel":
            cancelled += broker.cancel("c-1")
        else:
            asking.cancel()
        await turns(act.turns)
    replies = [await answer for answer in answering]
    revisions = [await revision for revision in editing]
    assert sum(revision.accepted for revision in revisions) <= 1, "the digest is another one after the first"
    skip(301)
    (outcome,) = await asyncio.gather(asking, return_exceptions=True)
    _judge(screens, replies, outcome, cancelled=cancelled, stale=stale)
    assert broker.pending() == []


def _judge(
    screens: list[Screen],
    replies: list[ConsentReply],
    outcome: ConsentAnswer | BaseException,
    *,
    cancelled: int,
    stale: bool,
) -> None:
    ends = [params for method, params in screens[0].notified if method == "consent.resolved"]
    assert len(ends) == 1
    assert all(screen.notified == screens[0].notified for screen in screens)
    ended = Outcome(ends[0]["outcome"])
    digest = EDITED if "consent.revised" in screens[0].methods() else DIGEST
    assert all(reply.plan_digest in {None, digest} for reply in replies), "only what is shown is allowed"
    accepted = [reply for reply in replies if reply.accepted]
    assert [(reply.outcome, reply.by) for reply in accepted] == (
        [(ended, ends[0]["by"])] if ended in {Outcome.ALLOWED, Outcome.DENIED} else []
    )
    assert all(reply.outcome in {None, ended} for reply in replies)
    assert cancelled <= (ended is Outcome.CANCELLED)
    assert not (ended is Outcome.ALLOWED and stale)
    # The asker learns the outcome the hosts were told, unless it had gone by then.
    match outcome:
        case asyncio.CancelledError():
            pass
        case ConsentAnswer():
            assert ended is (Outcome.ALLOWED if outcome.decision.allows else Outcome.DENIED)
        case ToolFailure():
            assert outcome.code == ended.value
        case _:
            raise outcome


def test_closed_questions_are_forgotten_in_the_end() -> None:
    async def scenario() -> None:
        broker = Broker(clock=SystemClock())
        broker.attach(Screen("a"))
        for number in range(1_100):
            asking = begin(broker, question(f"c-{number}"), wait_for_host=True)
            await turns(1)
            broker.cancel(f"c-{number}")
            await asyncio.gather(asking, return_exceptions=True)
        assert len(broker._ended) == 1_000

    run(scenario())
