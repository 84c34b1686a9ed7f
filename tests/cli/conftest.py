"""A consent question to draw, a served vault to command, and a terminal to command it in."""

import asyncio
import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pyte
import pytest

from bridge.app import Bridge
from bridge.client import Result, connect
from bridge.clock import stamp
from bridge.contract.consent import ConsentRequest
from tests.cli.offers import OPTIONS
from tests.patience import PATIENCE
from tests.terminals import close_terminal

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")

NOW = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)

DIFF = """--- Notes/Meeting.md
+++ Notes/Meeting.md
@@ -5,3 +5,3 @@
 ## Agenda
-The fox links to [[Plan]] and jumps.
+The fox links to [[Plan B]] and jumps.
 - tea
"""


@pytest.fixture
def now() -> datetime:
    """The moment at which questions are drawn."""
    return NOW


@pytest.fixture
def make_request() -> Callable[..., ConsentRequest]:
    """A question like those the bridge sends; keywords replace members of its wire form."""

    def make(**members: Any) -> ConsentRequest:
        wire: dict[str, Any] = {
            "requestId": "c-1",
            "client": "Claude Code",
            "sessionId": "s-1",
            "tool": {"name": "apply_patch", "title": "Apply Patch", "description": "Changes lines.", "icon": "wrench"},
            "riskLevel": "high",
            "operation": "update",
            "summary": "Edit Notes/Meeting.md: 1 line changed",
            "reason": "fix the link",
            "parameters": {"path": "Notes/Meeting.md", "patches": [{"startLine": 6, "endLine": 6, "newContent": "x"}]},
            "targets": ["Notes/Meeting.md"],
            "canBypass": False,
            "choices": ["allow_once", "deny_once", "deny_session", "deny_always"],
            "preview": {
                "files": [{"path": "Notes/Meeting.md", "change": "modify", "added": 1, "removed": 1, "diff": DIFF}],
                "backup": ".vault-bridge/backups/patch-1/",
                "warnings": ["2 notes link here"],
            },
            "planDigest": "sha256:00",
            "createdAt": stamp(NOW),
            "expiresAt": stamp(NOW + timedelta(seconds=300)),
        }
        wire |= members
        return ConsentRequest.model_validate({"options": [OPTIONS[choice] for choice in wire["choices"]]} | wire)

    return make


class Served:
    """A vault that is served, on a loop in a thread of its own, so that the test may wait for a terminal.

    Args:
        vault: The vault's folder.
    """

    def __init__(self, vault: Path) -> None:
        self.vault = vault
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self._bridge: Bridge | None = None

    def start(self) -> None:
        """Serve it."""
        self._bridge = Bridge(self.vault)
        self.run(self._bridge.start())

    def stop(self) -> None:
        """Stop serving it."""
        if self._bridge is not None:
            self.run(self._bridge.stop())
            self._bridge = None

    def close(self) -> None:
        """End the thread too."""
        self.stop()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE)
        self._loop.close()

    def begin(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        """Start something on the loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Do something on the loop."""
        return self.begin(work).result(PATIENCE)

    def call(self, tool: str, client: str = "Robot", reason: str | None = None, **arguments: Any) -> "Future[Result]":
        """Begin a call as an agent, for whom a consent screen may still come."""

        async def work() -> Result:
            async with connect(self.vault, name=client) as agent:
                return await agent.call(tool, arguments, wait=PATIENCE, reason=reason)

        return self.begin(work())

    @contextlib.contextmanager
    def agent(self, client: str = "Robot") -> Iterator[Callable[..., "Future[Result]"]]:
        """A connection that stays open; begins calls on it."""
        connection = connect(self.vault, name=client)
        agent = self.run(connection.__aenter__())
        try:
            yield lambda tool, **arguments: self.begin(agent.call(tool, arguments, wait=PATIENCE))
        finally:
            self.run(connection.__aexit__(None, None, None))

    def patch(self, text: str, path: str = "Ideas.md", **more: Any) -> "Future[Result]":
        """Begin to replace the third line of a note."""
        return self.call("apply_patch", path=path, patches=[{"startLine": 3, "endLine": 3, "newContent": text}], **more)

    def host(self, method: str, **params: Any) -> Any:
        """Ask something as another host would."""

        async def work() -> Any:
            async with connect(self.vault, name="Obsidian", role="host") as host:
                return await host.request(method, **params)

        return self.run(work())

    def pending(self, count: int) -> list[dict[str, Any]]:
        """The open questions, once there are so many."""
        deadline = time.monotonic() + PATIENCE
        while len(questions := self.host("consent.pending")) != count:
            assert time.monotonic() < deadline, f"{len(questions)} questions are open, not {count}"
        return list(questions)


@pytest.fixture
def served(vault: Path) -> Iterator[Served]:
    """The small vault, served, with all its tools enabled."""
    state = vault / ".vault-bridge"
    state.mkdir()
    (state / "settings.json").write_text('{"enabledTools": ["find", "grep", "read", "apply_patch"]}', encoding="utf-8")
    served = Served(vault)
    try:
        served.start()
        yield served
    finally:
        served.close()


class Screen:
    """A program in a pseudo-terminal, and what a person sees of it.

    Args:
        arguments: Of `vault-bridge`.
        columns: Of the terminal.
        rows: Of the terminal.
        environment: Variables on top of ours.
    """

    def __init__(self, arguments: tuple[str, ...], columns: int, rows: int, environment: dict[str, str]) -> None:
        pexpect = pytest.importorskip("pexpect", reason="pseudo-terminals are POSIX")
        self._eof, self._timeout = pexpect.EOF, pexpect.TIMEOUT
        self.child = pexpect.spawn(
            sys.executable,
            ["-m", "bridge", *arguments],
            encoding="utf-8",
            codec_errors="replace",  # what the terminal itself writes, such as ^C, may part a letter
            timeout=PATIENCE,
            dimensions=(rows, columns),
            use_poll=True,
            env=_inherited() | {"TERM": "xterm-256color"} | environment,
            preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # ignored where a shell runs us with `&`
        )
        self.child.delaybeforesend = None
        self.raw = ""
        self._screen = pyte.HistoryScreen(columns, rows, history=5000)
        self._stream = pyte.Stream(self._screen)

    def see(self, text: str, *, after: str = "") -> str:
        """Everything that is on the screen and above it, once `text` is there, below the last `after`."""
        deadline = time.monotonic() + PATIENCE
        while text not in (seen := self.text()).rpartition(after or "\0")[2] or after not in seen:
            try:
                piece = self.child.read_nonblocking(65_536, timeout=max(0.0, deadline - time.monotonic()))
            except (self._eof, self._timeout):
                pytest.fail(f"{text!r} does not appear:\n{seen}")
            self.raw += piece
            self._stream.feed(piece)
            assert time.monotonic() < deadline, f"{text!r} does not appear:\n{seen}"
        return seen

    def text(self) -> str:
        """What can be seen, also by scrolling back; without the blanks at the ends of lines."""
        above = [
            "".join(row[column].data for column in range(self._screen.columns)) for row in self._screen.history.top
        ]
        return "\n".join(row.rstrip() for row in [*above, *self._screen.display]).rstrip()

    def last_rows(self, count: int) -> str:
        """What stands in the row of the cursor and in those above it, as many as said."""
        end = self._screen.cursor.y + 1
        return "\n".join(row.rstrip() for row in self._screen.display[max(0, end - count) : end])

    def type(self, keys: str) -> None:
        """Press keys; Enter is a carriage return."""
        self.child.send(keys)

    def modes(self) -> list[Any]:
        """The terminal's settings: echo, line mode and the like."""
        import termios  # noqa: PLC0415 - there is none where there are no pseudo-terminals

        return termios.tcgetattr(self.child.child_fd)

    def interrupt(self) -> None:
        """Press Ctrl-C."""
        self.child.sendintr()

    def end(self) -> int:
        """The exit code, once the program has ended."""
        with contextlib.suppress(self._eof):
            while True:
                piece = self.child.read_nonblocking(65_536, timeout=PATIENCE)
                self.raw += piece
                self._stream.feed(piece)
        self.child.wait()
        assert self.child.exitstatus is not None, f"killed by signal {self.child.signalstatus}"
        return int(self.child.exitstatus)

    def close(self) -> None:
        """End the program, whatever it does."""
        close_terminal(self.child)


def _inherited() -> dict[str, str]:
    """Our variables, without the size of another terminal."""
    return {name: value for name, value in os.environ.items() if name not in {"LINES", "COLUMNS"}}


@pytest.fixture
def terminal() -> Iterator[Callable[..., Screen]]:
    """Starts `vault-bridge` with the arguments given, in a terminal of 80 columns and 60 rows, or as is said."""
    screens: list[Screen] = []

    def start(*arguments: str, columns: int = 80, rows: int = 60, **environment: str) -> Screen:
        screens.append(Screen(arguments, columns, rows, environment))
        return screens[-1]

    yield start
    for screen in screens:
        screen.close()
