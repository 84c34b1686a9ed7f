"""The open questions: one outcome each."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.clock import SystemClock
from bridge.consent.broker import MAX_FEEDBACK, Broker, ConsentAnswer
from bridge.contract.base import Event
from bridge.contract.consent import (
    ConsentReply,
    ConsentRequest,
    Covers,
    Decision,
    Operation,
    Outcome,
    RiskLevel,
    ToolFace,
)
from bridge.errors import Conflict, PermissionDenied, ToolFailure
from bridge.identity.caller import HOST, Caller

DIGEST = "sha256:right"
OFFERED = (Decision.ALLOW_ONCE, Decision.DENY_ONCE, Decision.DENY_SESSION, Decision.DENY_ALWAYS)


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
        covers=Covers.TARGET,
        can_bypass=False,
        choices=OFFERED,
        plan_digest=plan_digest,
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


class SkippingLoop(asyncio.SelectorEventLoop):
    """A loop whose time can be moved on by hand, so that a time-out need not be waited for."""

    skipped = 0.0

    def time(self) -> float:
        return super().time() + self.skipped


def skip(seconds: float) -> None:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, SkippingLoop)
    loop.skipped += seconds


def run(scenario: Coroutine[Any, Any, None]) -> None:
    with asyncio.Runner(loop_factory=SkippingLoop) as runner:
        runner.run(scenario)


async def turns(count: int = 3) -> None:
    """Let everything that is ready go on."""
    for _ in range(count):
        await asyncio.sleep(0)


def begin(
    broker: Broker,
    asked: ConsentRequest | None = None,
    *,
    timeout: float = 300.0,
    wait_for_host: bool = False,
    check: Callable[[], Awaitable[None]] | None = None,
) -> asyncio.Task[ConsentAnswer]:
    return asyncio.create_task(
        broker.ask(asked or question(), timeout=timeout, wait_for_host=wait_for_host, check=check)
    )


def person(screen: str) -> Caller:
    """The person, at a screen of this name."""
    return Caller(HOST, screen, screen)


async def yes(broker: Broker, by: str = "Screen a", digest: str | None = DIGEST) -> ConsentReply:
    return await broker.respond("c-1", Decision.ALLOW_ONCE, plan_digest=digest, feedback=None, by=person(by))


async def no(broker: Broker, by: str = "Screen a", feedback: str | None = None) -> ConsentReply:
    return await broker.respond("c-1", Decision.DENY_ONCE, plan_digest=None, feedback=feedback, by=person(by))


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
        "c-1", Decision.DENY_SESSION, plan_digest=DIGEST, feedback="use the other heading", by=person(screen.name)
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
    reply = await broker.respond("c-1", decision, plan_digest=digest, feedback=None, by=person(screen.name))
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
    asking = [begin(broker, question(f"c-{number}")) for number in range(50)]
    await turns()
    assert [open_.request_id for open_ in broker.pending()] == [f"c-{number}" for number in range(50)]
    for number in reversed(range(50)):
        reply = await broker.respond(
            f"c-{number}", Decision.ALLOW_ONCE, plan_digest=DIGEST, feedback=str(number), by=person(screen.name)
        )
        assert reply.accepted
    assert [answer.feedback for answer in await asyncio.gather(*asking)] == [str(number) for number in range(50)]


@dataclass(frozen=True)
class Act:
    """One thing that happens, after so many turns of the loop."""

    what: str
    turns: int


async def wrong(broker: Broker, by: str) -> ConsentReply:
    return await yes(broker, by, "sha256:wrong")


ANSWERS = {"yes": yes, "no": no, "wrong": wrong}

ACTS = st.lists(
    st.builds(
        Act,
        what=st.sampled_from(["yes a", "yes b", "yes c", "no a", "no b", "wrong c", "time-out", "cancel", "abort"]),
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
    broker = Broker(clock=SystemClock())
    screens = [Screen(name) for name in "abc"]
    for screen in screens:
        broker.attach(screen)

    async def check() -> None:
        await turns(look)
        if stale:
            raise Conflict("changed", code="stale")

    asking = begin(broker, check=check)
    await turns()
    answering: list[asyncio.Task[ConsentReply]] = []
    cancelled = 0
    for act in acts:
        what, _, who = act.what.partition(" ")
        if what in ANSWERS:
            answering.append(asyncio.create_task(ANSWERS[what](broker, who)))
        elif what == "time-out":
            skip(301)
        elif what == "cancel":
            cancelled += broker.cancel("c-1")
        else:
            asking.cancel()
        await turns(act.turns)
    replies = [await answer for answer in answering]
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
            asking = begin(broker, question(f"c-{number}"))
            await turns(1)
            broker.cancel(f"c-{number}")
            await asyncio.gather(asking, return_exceptions=True)
        assert len(broker._ended) == 1_000

    run(scenario())
