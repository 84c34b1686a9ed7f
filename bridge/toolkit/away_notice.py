"""The system's notification that something waits for the person while no screen is connected.

The text holds numbers and names of clients, and nothing of the vault. However much comes, it is one notification in a
few minutes: what came meanwhile is counted in the next. What waited before the bridge started is not told
again, and what a screen has shown is known.
"""

import asyncio
import logging
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from bridge.clock import Clock, stamp
from bridge.contract.consent import ConsentRequest
from bridge.drafts.draft import Draft
from bridge.drafts.store import summary
from bridge.vault.text import with_hidden_characters_shown

logger = logging.getLogger(__name__)

LOOK_SECONDS = 5.0
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
        drafts: The drafts that somebody works on or that wait.
        questions: The open questions.
        client_name: The name of a client, by its id.
        has_screen: Whether a screen is connected.
        is_on: Whether the person wants it.
        clock: The time.
    """

    def __init__(
        self,
        *,
        drafts: Callable[[], Iterable[Draft]],
        questions: Callable[[], Sequence[ConsentRequest]],
        client_name: Callable[[str], str],
        has_screen: Callable[[], bool],
        is_on: Callable[[], bool],
        clock: Clock,
    ) -> None:
        self._drafts = drafts
        self._questions = questions
        self._client_name = client_name
        self._has_screen = has_screen
        self._is_on = is_on
        self._clock = clock
        self._began = stamp(clock.now())
        self._known: set[str] = set()
        """The questions and drafts that the person has been told of, or could see."""
        self._seen: set[str] = set()
        """The questions and drafts that waited at the last look."""
        self._told_at: float | None = None
        self._looking: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Look from now on, where the system has a program for this."""
        if system_command() is not None:
            self._looking = asyncio.create_task(self._look_often())

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
        if self._has_screen() or not self._is_on():
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
        handed_in = [draft for draft in self._drafts() if draft.head.state == "handed_in"]
        for draft in handed_in:
            if self._is_new(draft.head.since or draft.head.created):
                yield _Waiting(draft.head.draft_id, self._client_name(draft.head.client_id), draft)
        put = {draft.head.draft_id for draft in handed_in}
        for question in self._questions():
            if question.draft not in put and self._is_new(question.created_at):
                yield _Waiting(question.request_id, question.client)

    def _is_new(self, since: str) -> bool:
        return since >= self._began

    async def _look_often(self) -> None:
        while True:
            try:
                await self.look()
            except Exception:
                logger.exception("the system does not say what waits; the inbox has it")
            await asyncio.sleep(LOOK_SECONDS)


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
    files = sum(len(summary(one.draft).files) for one in drafts if one.draft is not None)
    said = [f"{_who(drafts)} handed in {files:,} {'file' if files == 1 else 'files'}"] if drafts else []
    if questions:
        said.append(f"{_who(questions)} asked {len(questions):,} {'question' if len(questions) == 1 else 'questions'}")
    return ", ".join(said)


def _who(things: Sequence[_Waiting]) -> str:
    """Return the name of the one client, with nothing in it that acts or is not seen; or how many there are."""
    names = {one.client for one in things}
    if len(names) > 1:
        return f"{len(names):,} programs"
    shown = with_hidden_characters_shown(" ".join(names.pop().split())).encode(errors="replace").decode()
    return shown if len(shown) <= LONGEST_NAME else f"{shown[: LONGEST_NAME - 1]}…"
