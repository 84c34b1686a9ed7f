"""The drafts of clients that nobody sits beside: handed in when their session ends, and put to the person.

A draft that is handed in is kept on the disk as such; there is no question while nobody is there. As soon as a screen
is, the oldest of each client is submitted as the client itself would do it, with the plan made anew for the vault as it
is then: so it is a question like any other. Where the vault changes while the person looks, it is put again.

While no screen is connected, a notification of the system says that something waits. Its text holds numbers and names
of clients, and nothing of the vault. However much comes, it is one notification in a few minutes: what came meanwhile
is counted in the next. What waited before the bridge started is not told again, and what a screen has shown is known.
"""

import asyncio
import logging
import os
import shutil
import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from bridge.clock import Clock, moment_of, stamp
from bridge.consent.broker import Broker
from bridge.contract.drafts import ReviewComment
from bridge.contract.tools import ToolResult
from bridge.drafts.draft import Draft
from bridge.drafts.store import Drafts
from bridge.errors import ToolFailure
from bridge.identity.caller import Caller, Client
from bridge.toolkit.tool_call import ToolCall
from bridge.vault.text import counted, with_hidden_characters_shown

if TYPE_CHECKING:
    from datetime import datetime

logger = logging.getLogger(__name__)

LOOK_SECONDS: Final = 1.0
"""The interval of checks whether a session has ended or a screen has come."""
TOOL: Final = "draft"
"""The tool that submits a draft."""


class HandingIn:
    """The step that hands in what sessions have left, and puts it to the person. Use it on the event loop.

    Args:
        drafts: All drafts.
        broker: The person's screens, and what they are asked.
        call: Makes a call.
        client: Returns a client as it is now, by its id; None where there is none.
        connections: Returns how many connections of a client are open.
        clock: The time.
    """

    def __init__(
        self,
        drafts: Drafts,
        broker: Broker,
        *,
        call: Callable[[ToolCall], Awaitable[ToolResult]],
        client: Callable[[str], Client | None],
        connections: Callable[[str], int],
        clock: Clock,
    ) -> None:
        self._drafts, self._broker, self._clock = drafts, broker, clock
        self._call, self._client, self._connections = call, client, connections
        self._gone: dict[str, datetime] = {}  # since when no connection of a client is open
        self._reviews: dict[str, asyncio.Task[None]] = {}  # the drafts that are put to the person
        self._failed: set[str] = set()  # those that could not be put, until the person comes again
        self._left: set[str] = set()  # those that could not be handed in when this was tried last
        self._looking: asyncio.Task[None] | None = None
        self._changed: set[str] = set()  # the paths that have changed in the vault since the last look

    def changed(self, paths: Iterable[str]) -> None:
        """Take note that something has changed in the vault: the next look shows it anew. Any thread."""
        self._changed |= set(paths)

    def start(self) -> None:
        """Look from now on."""
        said = "looking after drafts failed; they stay as they are"
        self._looking = asyncio.create_task(_look_often(self.look, LOOK_SECONDS, said))

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
        for question in self._broker.pending():
            shown = question.preview
            if question.draft is None or shown is None or not self._drafts.is_handed_in(question.draft):
                continue
            about = {path for file in shown.files for path in (file.path, file.new_path)}
            about |= {place.path for place in shown.conflicts}
            if about & changed:
                await self._broker.renew(question.request_id)

    @property
    def awaits_sessions(self) -> bool:
        """Return whether something will be handed in when its session has ended, if this goes on looking until then."""
        drafts = (draft for draft in self._of_clients_in_drafts() if draft.head.draft_id not in self._left)
        return any(draft.steps and draft.head.state != "handed_in" and draft.is_new for draft in drafts)

    def _of_clients_in_drafts(self) -> Iterator[Draft]:
        for draft in self._drafts.worked_on():
            client = self._client(draft.head.client_id)
            if client is not None and client.drafts:
                yield draft

    def _is_over(self, client_id: str) -> bool:
        """Return whether the session of a client has ended."""
        if self._connections(client_id):
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
        except (ToolFailure, OSError) as failure:  # a chain is being staged, or the disk fails: it is tried again
            self._left.add(draft.head.draft_id)
            logger.warning("%s cannot be handed in yet: %s", draft.head.draft_id, failure)

    def _put(self) -> None:
        """Put the oldest draft of each client to the person, where there is a screen; take back what has ended."""
        waiting = {draft.head.draft_id: draft for draft in self._drafts.worked_on() if draft.head.state == "handed_in"}
        for draft_id, task in self._reviews.items():
            if draft_id not in waiting:
                task.cancel()
        if not self._broker.connected:
            self._failed.clear()
            return
        busy = {waiting[draft_id].head.client_id for draft_id in self._reviews if draft_id in waiting}
        for draft in sorted(waiting.values(), key=lambda one: one.head.since or ""):
            draft_id, client_id = draft.head.draft_id, draft.head.client_id
            client = self._client(client_id)
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
            result = await self._call(
                ToolCall(
                    caller,
                    TOOL,
                    arguments,
                    wait_for_host=True,
                    ticket_until=self._drafts.kept_until(draft),
                    since=moment_of(draft.head.since or draft.head.created),
                    counted=False,
                )
            )
            data: dict[str, Any] = result.data if isinstance(result.data, dict) else {}
            if result.success:  # taken, and ended by that; or nothing of it differs from the vault any more
                if "sentBack" not in data:  # else the rest is still in it, also where that could not be noted
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


SCREEN_SECONDS = 5.0
"""The interval of looks. What waits is told when it is seen a second time: a screen may just reconnect."""
QUIET_SECONDS = 300.0
"""Between two notifications, at least."""
MOST_SECONDS = 10.0
"""The time the system's program may take."""
LONGEST_NAME: Final = 60
"""Characters of a client's name."""
REMEDY: Final = "vault-bridge inbox shows what waits"

_SCRIPT: Final = ("on run argv", "display notification (item 2 of argv) with title (item 1 of argv)", "end run")
"""AppleScript, which gets the text as arguments: no text becomes a part of it."""
_ENVIRONMENT: Final = (
    *("DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY"),
    *("HOME", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH"),
)
"""The variables that reach the desktop and give the encoding of text; none holds a secret of the bridge's."""


class _Waiting(NamedTuple):
    """A draft that was handed in, or a question (without one)."""

    thing_id: str
    client: str
    draft: Draft | None = None


class AwayNotice:
    """The notice by which the system says that something waits. To be used on the event loop.

    Args:
        drafts: All drafts.
        broker: The person's screens, and what they are asked.
        client_name: The name of a client, by its id.
        is_on: Whether the person wants it.
        clock: The time.
    """

    def __init__(
        self,
        drafts: Drafts,
        broker: Broker,
        *,
        client_name: Callable[[str], str],
        is_on: Callable[[], bool],
        clock: Clock,
    ) -> None:
        self._drafts, self._broker, self._clock = drafts, broker, clock
        self._client_name, self._is_on = client_name, is_on
        self._began = stamp(clock.now())
        self._known: set[str] = set()  # the questions and drafts that the person has been told of, or could see
        self._seen: set[str] = set()  # the questions and drafts that waited at the last look
        self._told_at: float | None = None
        self._looking: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Look from now on, where the system has a program for this."""
        if system_command() is not None:
            said = "the system does not say what waits; the inbox has it"
            self._looking = asyncio.create_task(_look_often(self.look, SCREEN_SECONDS, said))

    async def stop(self) -> None:
        """Stop, and end the system's program if it still runs."""
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)

    async def look(self) -> None:
        """Have the system say what has come, if nobody can see it and it has not just said something."""
        waiting = list(self._waiting())
        ids = {one.thing_id for one in waiting}
        self._known &= ids
        seen, self._seen = self._seen, ids
        if self._broker.connected or not self._is_on():
            self._known = ids
            return
        new = [one for one in waiting if one.thing_id not in self._known]
        now = self._clock.monotonic()
        if not any(one.thing_id in seen for one in new):
            return
        if self._told_at is not None and now - self._told_at < QUIET_SECONDS:
            return
        self._told_at = now
        self._known = ids
        await _show(f"Vault Bridge: {_told(new)}", REMEDY)

    def _waiting(self) -> Iterator[_Waiting]:
        """Yield what has come to wait since the start."""
        handed_in = [draft for draft in self._drafts.worked_on() if draft.head.state == "handed_in"]
        for draft in handed_in:
            if self._is_new(draft.head.since or draft.head.created):
                yield _Waiting(draft.head.draft_id, self._client_name(draft.head.client_id), draft)
        put = {draft.head.draft_id for draft in handed_in}
        for question in self._broker.pending():
            if question.draft not in put and self._is_new(question.created_at):
                yield _Waiting(question.request_id, question.client)

    def _is_new(self, since: str) -> bool:
        return since >= self._began


async def _look_often(look: Callable[[], Awaitable[None]], seconds: float, otherwise: str) -> None:
    """Look again and again; a look that fails is logged, with what holds otherwise."""
    while True:
        try:
            await look()
        except Exception:
            logger.exception(otherwise)
        await asyncio.sleep(seconds)


def system_command() -> list[str] | None:
    """Return the system's program that shows a title and a text, given as two more arguments; None without one.

    Windows has none that takes the text as arguments.
    """
    if sys.platform == "win32" or (sys.platform != "darwin" and "DBUS_SESSION_BUS_ADDRESS" not in os.environ):
        return None
    found = shutil.which("osascript" if sys.platform == "darwin" else "notify-send")
    if found is None or not Path(found).is_absolute():
        return None
    return [found, *(part for line in _SCRIPT for part in ("-e", line))] if sys.platform == "darwin" else [found]


async def _show(title: str, text: str) -> None:
    command = system_command()
    if command is None:
        return
    process = await asyncio.create_subprocess_exec(
        *command,
        title,
        text,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        cwd=Path(command[0]).anchor,
        env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
    )
    try:
        async with asyncio.timeout(MOST_SECONDS):
            await process.wait()
    except TimeoutError:
        logger.info("%s took too long and was ended", command[0])
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def _told(new: Sequence[_Waiting]) -> str:
    """Return what came, in numbers and names of clients."""
    drafts = [one for one in new if one.draft is not None]
    questions = [one for one in new if one.draft is None]
    files = sum(len(one.draft.paths) for one in drafts if one.draft is not None)
    said = [f"{_who(drafts)} handed in {counted(files, 'file')}"] if drafts else []
    if questions:
        said.append(f"{_who(questions)} asked {counted(len(questions), 'question')}")
    return ", ".join(said)


def _who(things: Sequence[_Waiting]) -> str:
    """Return the name of the one client, with nothing in it that acts or is not seen; or how many there are."""
    names = {one.client for one in things}
    if len(names) > 1:
        return f"{len(names):,} programs"
    shown = with_hidden_characters_shown(" ".join(names.pop().split())).encode(errors="replace").decode()
    return shown if len(shown) <= LONGEST_NAME else f"{shown[: LONGEST_NAME - 1]}…"
