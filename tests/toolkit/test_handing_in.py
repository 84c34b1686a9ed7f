"""Drafts of clients that nobody sits beside: when they are handed in, and which is put to the person when."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from bridge.contract.consent import Operation
from bridge.contract.tools import ToolResult
from bridge.drafts.draft import Base, Draft
from bridge.drafts.store import CALLS_AGAIN, COMES_BACK, HANDED_IN, MOST_HANDED_IN, MOST_OF_ONE, Drafts
from bridge.errors import Conflict, ExecutionFailed, PermissionDenied, RateLimited
from bridge.identity.caller import Caller, Client
from bridge.index.vault_index import VaultIndex
from bridge.notes.additions import judge
from bridge.toolkit.handing_in import HandingIn
from bridge.toolkit.tool_call import ToolCall
from bridge.vault.files import VaultFiles
from bridge.vault.paths import parse_path
from bridge.vault.plan import ChangePlan, PlanBuilder
from bridge.vault.root import VaultRoot
from tests.setting_forward import Moment

if TYPE_CHECKING:
    from bridge.consent.broker import Broker
    from bridge.contract.consent import ConsentRequest

ROBOT = Client("robot", "Robot", frozenset(), drafts=True)
OTHER = Client("other", "Other", frozenset(), drafts=True)
ASKS = Client("asks", "Asks", frozenset())
CALLER = Caller(ROBOT, "c-1")


@dataclass
class World:
    """Drafts over a vault, and what is around them: who is connected, and what the person answers."""

    drafts: Drafts
    root: VaultRoot
    clock: Moment
    screen: bool = False
    connections: dict[str, int] = field(default_factory=dict)
    clients: dict[str, Client] = field(default_factory=lambda: {one.id: one for one in (ROBOT, OTHER, ASKS)})
    put: list[ToolCall] = field(default_factory=list)
    answers: "asyncio.Queue[ToolResult]" = field(default_factory=asyncio.Queue)

    def __post_init__(self) -> None:
        self.handing_in = HandingIn(
            self.drafts,
            cast("Broker", self),
            call=self.call,
            client=self.clients.get,
            connections=lambda client_id: self.connections.get(client_id, 0),
            clock=self.clock,
        )

    @property
    def connected(self) -> bool:
        """Whether a screen is there, as of a broker."""
        return self.screen

    def pending(self) -> "list[ConsentRequest]":
        return []

    async def call(self, tool_call: ToolCall) -> ToolResult:
        self.put.append(tool_call)
        return await self.answers.get()

    async def renew(self, request_id: str) -> None:
        raise AssertionError(request_id)  # nothing here is a question

    def plan(self, path: str) -> ChangePlan:
        builder = PlanBuilder(self.root, judge)
        builder.create(parse_path(path), b"new\n")
        return builder.build(Operation.CREATE, "Create it")

    def states(self) -> list[str]:
        return [draft.head.state for draft in self.drafts.worked_on()]

    def staged(self, caller: Caller, path: str = "New.md") -> Draft:
        draft = self.drafts.enter(caller)
        self.drafts.stage(draft, self.plan(path), "create_note")
        return draft

    async def look(self, times: int = 1) -> None:
        for _ in range(times):
            await self.handing_in.look()
            await asyncio.sleep(0)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    vault, state = tmp_path / "vault", tmp_path / "state"
    vault.mkdir()
    state.mkdir()
    root, clock = VaultRoot(vault), Moment()
    files = VaultFiles(root)
    index = VaultIndex(files, clock)
    index.refresh()
    base = Base(files, index, lambda: PlanBuilder(root, judge))
    drafts = Drafts(state, base, clock=clock, days=lambda: 7)
    yield World(drafts, root, clock)
    drafts.stop()
    index.close()
    root.close()


@pytest.mark.parametrize(("brief", "patience"), [(False, COMES_BACK), (True, CALLS_AGAIN)])
async def test_a_draft_is_handed_in_when_the_session_has_ended(world: World, brief: bool, patience: timedelta) -> None:
    caller = CALLER._replace(brief=brief)
    draft = world.staged(caller)
    world.connections[ROBOT.id] = 1
    world.clock.ahead += 2 * CALLS_AGAIN
    await world.look(2)
    assert world.states() == ["open"]
    world.drafts.left(caller)
    world.connections.clear()
    await world.look()
    world.clock.ahead += patience - timedelta(seconds=1)
    await world.look()
    assert world.states() == ["open"]
    assert world.staged(caller._replace(connection="c-2"), "More.md") is draft
    world.clock.ahead += timedelta(seconds=2)
    await world.look()
    assert world.states() == ["handed_in"]
    assert world.drafts.of(caller) is None
    with pytest.raises(Conflict, match="is handed in"):
        world.drafts.stage(draft, world.plan("Late.md"), "create_note")


async def test_nothing_is_handed_in_of_others_or_without_anything_staged(world: World) -> None:
    asks = world.drafts.begin(Caller(ASKS, "c-2"))
    world.drafts.enter(CALLER)
    await world.look()
    world.clock.ahead += 2 * CALLS_AGAIN
    await world.look()
    assert world.drafts.worked_on() == [asks]


async def test_one_of_each_client_is_put_and_only_while_a_screen_is_there(world: World) -> None:
    for caller in (CALLER, CALLER, Caller(OTHER, "c-3")):
        world.drafts.hand_in(world.staged(caller))
        world.clock.ahead += timedelta(seconds=1)
    first, second, other = world.drafts.worked_on()
    await world.look(2)
    assert world.put == []
    world.screen = True
    await world.look(3)
    assert [one.arguments["draft"] for one in world.put] == [first.head.draft_id, other.head.draft_id]
    assert all(not one.caller.client.drafts and one.ticket_until is not None for one in world.put)
    world.drafts.taken(first.head.draft_id)
    await world.look(3)
    assert [one.arguments["draft"] for one in world.put[2:]] == [second.head.draft_id]
    await world.handing_in.stop()


async def test_what_becomes_of_it_is_by_the_answer(world: World) -> None:
    draft = world.staged(CALLER)
    world.drafts.hand_in(draft)
    world.screen = True
    stale = Conflict("changed", code="stale")
    for failure in (stale, stale, ExecutionFailed("full")):
        world.answers.put_nowait(ToolResult.failed(failure))
    await world.look(9)
    assert len(world.put) == 3  # put again while the vault changes, and not again where it cannot be
    assert world.states() == ["handed_in"]
    world.screen = False
    await world.look()
    world.screen = True
    said = PermissionDenied("no", code="denied_by_user", data={"feedback": "shorter"})
    world.answers.put_nowait(ToolResult.failed(said))
    await world.look()
    (task,) = world.handing_in._reviews.values()
    await task
    assert (draft.head.state, draft.head.words, draft.is_new) == ("sent_back", "shorter", False)
    assert world.drafts.of(CALLER._replace(connection="c-9")) is draft
    assert "shorter" in (world.drafts.news(CALLER) or "")
    assert world.drafts.news(CALLER) is None
    assert world.drafts.news(Caller(OTHER, "c-3")) is None


async def test_drafts_that_are_handed_in_leave_room_for_more_up_to_a_number_and_stay_long(world: World) -> None:
    assert MOST_HANDED_IN > MOST_OF_ONE
    for number in range(MOST_HANDED_IN):
        world.drafts.hand_in(world.staged(CALLER, f"{number}.md"))
    with pytest.raises(RateLimited, match="wait for the user"):
        world.drafts.enter(CALLER)
    world.drafts.enter(Caller(OTHER, "c-3"))
    world.clock.ahead += HANDED_IN - timedelta(minutes=1)
    world.drafts.sweep()
    assert len(world.drafts.worked_on()) == MOST_HANDED_IN
    world.clock.ahead += timedelta(minutes=2)
    world.drafts.sweep()
    assert world.drafts.worked_on() == []


async def test_a_draft_of_which_the_rest_goes_back_stays_also_where_that_could_not_be_kept(world: World) -> None:
    draft = world.staged(CALLER)
    world.drafts.hand_in(draft)
    world.screen = True
    taken = ToolResult(success=True, data={"sentBack": []}, text="", execution_id="draft-1", metadata={})
    world.answers.put_nowait(taken)
    await world.look()
    (task,) = world.handing_in._reviews.values()
    await task
    assert world.drafts.worked_on() == [draft]
