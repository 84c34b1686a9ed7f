"""The drafts of clients that nobody sits beside: handed in when their session ends, and put to the person.

A draft that is handed in is kept on the disk as such; there is no question while nobody is there. As soon as a screen
is, the oldest of each client is submitted as the client itself would do it, with the plan made anew for the vault as it
is then: so it is a question like any other. Where the vault changes while the person looks, it is put again.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Final

from bridge.clock import Clock
from bridge.contract.consent import ConsentRequest
from bridge.contract.drafts import ReviewComment
from bridge.contract.tools import ToolResult
from bridge.drafts.draft import Draft
from bridge.drafts.store import Drafts
from bridge.errors import ToolFailure
from bridge.identity.caller import Caller, Client
from bridge.toolkit.tool_call import ToolCall

logger = logging.getLogger(__name__)

LOOK_SECONDS: Final = 1.0
"""The interval of checks whether a session has ended or a screen has come."""
TOOL: Final = "draft"
"""The tool that submits a draft."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """The surroundings of the drafts.

    Attributes:
        call: Makes a call.
        client: A client as it is now, by its id; None where there is none.
        connections: How many connections of a client are open.
        has_screen: Whether a screen of the person's is there to be asked at.
        questions: What the person is asked.
        renew: Shows one of these questions anew, with what the vault is like now.
    """

    call: Callable[[ToolCall], Awaitable[ToolResult]]
    client: Callable[[str], Client | None]
    connections: Callable[[str], int]
    has_screen: Callable[[], bool]
    questions: Callable[[], Sequence[ConsentRequest]]
    renew: Callable[[str], Awaitable[None]]


class HandingIn:
    """The step that hands in what sessions have left, and puts it to the person. Use it on the event loop.

    Args:
        drafts: All drafts.
        around: What is around them.
        clock: The time.
    """

    def __init__(self, drafts: Drafts, around: Around, clock: Clock) -> None:
        self._drafts = drafts
        self._around = around
        self._clock = clock
        self._gone: dict[str, datetime] = {}
        """Since when no connection of a client is open."""
        self._reviews: dict[str, asyncio.Task[None]] = {}
        """The drafts that are put to the person."""
        self._failed: set[str] = set()
        """Those that could not be put, until the person comes again."""
        self._left: set[str] = set()
        """Those that could not be handed in when this was tried last."""
        self._looking: asyncio.Task[None] | None = None
        self._changed: set[str] = set()
        """The paths that have changed in the vault since the last look."""

    def changed(self, paths: Iterable[str]) -> None:
        """Take note that something has changed in the vault: the next look shows it anew. Any thread."""
        self._changed |= set(paths)

    def start(self) -> None:
        """Look from now on."""
        self._looking = asyncio.create_task(self._look_often())

    async def stop(self) -> None:
        """Stop; what waits for the person is put to them again after the next start."""
        tasks = [*self._reviews.values(), *([self._looking] if self._looking else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def look(self) -> None:
        """Hand in what sessions have left, and put to the person what is handed in."""
        for draft in self._of_clients_in_drafts():
            if self._is_over(draft.head.client_id):
                await self._end_session(draft)
        changed, self._changed = self._changed, set()
        if changed:
            await self._renew(changed)
        self._put()

    async def _renew(self, changed: set[str]) -> None:
        """Show the drafts anew that are shown and have to do with files that have changed."""
        for question in self._around.questions():
            shown = question.preview
            if question.draft is None or shown is None or not self._drafts.is_handed_in(question.draft):
                continue
            about = {path for file in shown.files for path in (file.path, file.new_path)}
            about |= {place.path for place in shown.conflicts}
            if about & changed:
                await self._around.renew(question.request_id)

    @property
    def awaits_sessions(self) -> bool:
        """Return whether something will be handed in when its session has ended, if this goes on looking until then."""
        drafts = (draft for draft in self._of_clients_in_drafts() if draft.head.draft_id not in self._left)
        return any(draft.steps and draft.head.state != "handed_in" and draft.is_new for draft in drafts)

    def _of_clients_in_drafts(self) -> Iterator[Draft]:
        for draft in self._drafts.worked_on():
            client = self._around.client(draft.head.client_id)
            if client is not None and client.drafts:
                yield draft

    def _is_over(self, client_id: str) -> bool:
        """Return whether the session of a client has ended."""
        if self._around.connections(client_id):
            self._gone.pop(client_id, None)
            return False
        now = self._clock.now()
        return now - self._gone.setdefault(client_id, now) >= self._drafts.session_lasts(client_id)

    async def _end_session(self, draft: Draft) -> None:
        """Hand a draft in; one with nothing in it ends."""
        try:
            if not draft.steps:
                await asyncio.to_thread(self._drafts.taken, draft.head.draft_id)
            elif draft.head.state != "handed_in" and draft.is_new:
                await asyncio.to_thread(self._drafts.hand_in, draft)
            self._left.discard(draft.head.draft_id)
        except (
            ToolFailure,
            OSError,
        ) as failure:  # a chain is being staged, or the disk fails: the next look tries again
            self._left.add(draft.head.draft_id)
            logger.warning("%s cannot be handed in yet: %s", draft.head.draft_id, failure)

    def _put(self) -> None:
        """Put the oldest draft of each client to the person, where there is a screen; take back what has ended."""
        waiting = {draft.head.draft_id: draft for draft in self._drafts.worked_on() if draft.head.state == "handed_in"}
        for draft_id, task in self._reviews.items():
            if draft_id not in waiting:
                task.cancel()
        if not self._around.has_screen():
            self._failed.clear()
            return
        busy = {waiting[draft_id].head.client_id for draft_id in self._reviews if draft_id in waiting}
        for draft in sorted(waiting.values(), key=lambda one: one.head.since or ""):
            draft_id, client_id = draft.head.draft_id, draft.head.client_id
            client = self._around.client(client_id)
            if client is None or client_id in busy or draft_id in self._failed or draft_id in self._reviews:
                continue
            busy.add(client_id)
            task = self._reviews[draft_id] = asyncio.create_task(self._review(draft, client))
            task.add_done_callback(partial(self._reviewed, draft_id))

    def _reviewed(self, draft_id: str, _task: asyncio.Task[None]) -> None:
        self._reviews.pop(draft_id, None)

    async def _review(self, draft: Draft, client: Client) -> None:
        """Put a draft to the person until they have decided about it."""
        draft_id = draft.head.draft_id
        arguments = {"action": "submit", "draft": draft_id}
        caller = Caller(client._replace(drafts=False), f"review-{draft_id}")  # this one call of it is asked about
        while True:
            result = await self._around.call(
                ToolCall(
                    caller,
                    TOOL,
                    arguments,
                    wait_for_host=True,
                    ticket_until=self._drafts.kept_until(draft),
                    since=datetime.fromisoformat(draft.head.since or draft.head.created),
                    counted=False,
                )
            )
            data: dict[str, Any] = result.data if isinstance(result.data, dict) else {}
            if result.success:  # taken, and ended by that; or nothing of it differs from the vault any more
                if (
                    "sentBack" not in data
                ):  # else the rest is still in it, also where the disk was too full to note that
                    await asyncio.to_thread(self._drafts.taken, draft_id)
                return
            if data.get("code") == "denied_by_user":
                comments = [ReviewComment.model_validate(one) for one in data.get("comments", ())]
                await asyncio.to_thread(self._drafts.send_back, draft, data.get("feedback"), comments)
                return
            if data.get("code") != "stale":
                self._failed.add(draft_id)
                logger.warning("%s cannot be put to the user: %s", draft_id, result.error)
                return

    async def _look_often(self) -> None:
        while True:
            try:
                await self.look()
            except Exception:
                logger.exception("looking after drafts failed; they stay as they are")
            await asyncio.sleep(LOOK_SECONDS)
