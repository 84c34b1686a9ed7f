"""One server: connected when it is first needed, called, found again when it has ended, and ended with the bridge."""

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from functools import cache
from importlib import import_module
from typing import Any, Final, Literal, Self

from bridge.errors import DeadlineExceeded, ExecutionFailed, ToolFailure
from bridge.servers.configuration import MOST_TOOLS, Definition, ServerEntry, accepted, take_out_malformed

_LOG_LINES: Final = 200
_LOG_LINE: Final = 500


class ServerLog:
    """The last lines that a server wrote to its error output; the user may look at them, agents may not."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque(maxlen=_LOG_LINES)

    def add(self, line: str) -> None:
        """Keep a line."""
        self._lines.append(line.rstrip("\r\n")[:_LOG_LINE])

    @property
    def lines(self) -> tuple[str, ...]:
        """Return all that are kept, oldest first."""
        return tuple(self._lines)


_HEAVY: Final = ("mcp.client.client", "bridge.servers.streams")

logger = logging.getLogger(__name__)

State = Literal["off", "starting", "ready", "failed"]
Open = Callable[[str, ServerEntry, ServerLog], AbstractAsyncContextManager[Any]]
"""Opens a server as streams of the SDK's messages."""
Progress = Callable[[float, float | None, str | None], None]

START_SECONDS: Final = 30.0
LIST_SECONDS: Final = 20.0
_PAGES: Final = 50
FIRST_PAUSE: Final = 1.0
"""Seconds between two looks at the tools of a server that says that they have changed. Each time they double."""
LONGEST_PAUSE: Final = 300.0
"""Seconds to which they grow; a server that has been quiet for so long begins anew."""
_LONGEST_REASON: Final = 300


def _load() -> None:
    """Import what servers need, which takes a second: in a thread, so that nobody waits for it meanwhile."""
    for name in _HEAVY:
        import_module(name)


class ServerConnection:
    """A connection to one server, shared by all clients that have loaded it. To be used on the event loop.

    Args:
        name: The server's name.
        entry: How it is started or reached.
        open_streams: Opens it.
        on_change: Called when its state or its tools have changed.

    Attributes:
        name: As given.
        entry: As given.
        log: What it wrote to its error output.
        state: How it stands.
        reason: Why it has failed, as a sentence.
        faults: A sentence for each of its tools that cannot be used.
        definitions: Its tools, as it describes them; those of the last time while it is not connected.
    """

    def __init__(
        self, name: str, entry: ServerEntry, open_streams: Open, on_change: Callable[[], None] = lambda: None
    ) -> None:
        self.name = name
        self.entry = entry
        self.log = ServerLog()
        self.state: State = "off"
        self.reason = ""
        self.faults: list[str] = []
        self.definitions: Sequence[Definition] = ()
        self._open = open_streams
        self._on_change = on_change
        self._task: asyncio.Task[None] | None = None
        self._ready: asyncio.Future[Any] | None = None
        self._stopping = asyncio.Event()
        self._listing: asyncio.Task[None] | None = None
        self._announced = asyncio.Event()
        self._pause, self._listed = 0.0, 0.0
        self._is_over = False
        self._malformed: list[str] = []
        """A sentence for each tool of the list that has arrived last which the protocol does not allow."""

    async def connect(self) -> Sequence[Definition]:
        """Return its tools; it is connected first where it is not yet. Calls at the same time share the connection.

        Raises:
            ExecutionFailed: It cannot be started or reached, or says nothing that can be understood.
            DeadlineExceeded: It takes too long.
        """
        await self._session()
        return self.definitions

    async def call(
        self, tool: str, arguments: Mapping[str, Any], seconds: float, on_progress: Progress
    ) -> dict[str, Any]:
        """Call a tool of it.

        Args:
            tool: What the server calls it.
            arguments: They were checked against its schema.
            seconds: The most time it may take.
            on_progress: Called with what it says of its progress.

        Returns:
            The CallToolResult, as JSON.

        Raises:
            ExecutionFailed: It refused, ended, or wanted something that is not given: a question to the person, or a
                model's answer.
            DeadlineExceeded: It did not answer in time.
        """
        session = await self._session()
        import mcp_types as types  # noqa: PLC0415 - heavy, and loaded by now
        from mcp.shared.exceptions import MCPError  # noqa: PLC0415 - the same
        from pydantic import ValidationError  # noqa: PLC0415 - beside them

        async def progressed(done: float, total: float | None, message: str | None) -> None:
            on_progress(done, total, message)

        request = types.CallToolRequest(params=types.CallToolRequestParams(name=tool, arguments=dict(arguments)))
        try:
            async with asyncio.timeout(seconds):
                # Not the client's own `call_tool`, which checks results with the server's schema and no bound.
                result = await session.send_request(request, _answers(), progress_callback=progressed)
        except TimeoutError:
            raise DeadlineExceeded(f"The server {self.name} did not answer within {seconds:.0f} seconds") from None
        except MCPError as error:
            raise ExecutionFailed(f"The server {self.name} refused: {_reason(error)}") from None
        except ValidationError:
            raise ExecutionFailed(f"The server {self.name} answered what is no result") from None
        except (OSError, RuntimeError) as error:
            raise ExecutionFailed(f"The server {self.name} is gone: {_reason(error)}") from None
        if isinstance(result, types.InputRequiredResult):
            raise ExecutionFailed(
                f"The server {self.name} asked for an answer from you or from a model, which no server gets"
            )
        if result.result_type != "complete":
            raise ExecutionFailed(f"The server {self.name} answered what is no result")
        return dict(result.model_dump(mode="json", by_alias=True, exclude_none=True))

    def take(self, entry: ServerEntry) -> None:
        """Take a new entry from the user for the server, which is started or reached as before.

        Args:
            entry: As it is entered now.
        """
        self.entry = entry
        self.definitions = list(self.definitions)  # whoever has made tools of them makes them anew
        self._on_change()

    async def stop(self, *, for_good: bool = False) -> None:
        """End the connection, and the program with it.

        Args:
            for_good: Whether it is never connected again: the server is entered otherwise now, or the bridge ends.
        """
        self._is_over = self._is_over or for_good
        self._stopping.set()
        for task in (self._listing, self._task):
            if task is not None:
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task
        self._task = self._ready = self._listing = None
        self._announced.clear()
        if self.state != "failed":
            self._become("off")

    async def _session(self) -> Any:
        if self._is_over:
            raise ExecutionFailed(f"The server {self.name} was changed or taken away; load it again")
        if self._task is None or self._task.done():
            self._stopping = asyncio.Event()
            self._ready = asyncio.get_running_loop().create_future()
            self._task = asyncio.create_task(self._serve(self._ready), name=f"server {self.name}")
        ready = self._ready
        if ready is None:
            raise ExecutionFailed(f"The server {self.name} was stopped")
        try:
            return await asyncio.shield(ready)
        except asyncio.CancelledError:
            if ready.cancelled():
                raise ExecutionFailed(f"The server {self.name} was stopped") from None
            raise

    async def _serve(self, ready: "asyncio.Future[Any]") -> None:
        """Hold the connection from its beginning to its end: the SDK wants both in one task."""

        def sift(result: dict[str, Any]) -> None:
            self._malformed += take_out_malformed(result, spoken)

        self._become("starting")
        ended = asyncio.Event()
        spoken: str | None = None
        try:
            await asyncio.to_thread(_load)
            from mcp.client.client import Client  # noqa: PLC0415 - heavy, and only where servers are used

            async with contextlib.AsyncExitStack() as stack:
                async with asyncio.timeout(START_SECONDS):
                    streams = _watched(self._open(self.name, self.entry, self.log), ended, sift)
                    client = Client(streams, mode="auto", cache=None, message_handler=self._heard)
                    session = (await stack.enter_async_context(client)).session
                    spoken = session.protocol_version
                async with asyncio.timeout(LIST_SECONDS):
                    await self._list(session)
                ready.set_result(session)
                self._become("ready")
                self._look_again()
                await _either(self._stopping, ended)
            if not self._stopping.is_set():
                self._become("failed", "it has ended")
            else:
                self._become("off")
        except asyncio.CancelledError:
            ready.cancel()
            raise
        except Exception as error:  # noqa: BLE001 - whatever a stranger's program does, it ends this connection alone
            failure = _failure(self.name, error)
            self._become("failed", failure.message)
            if not ready.done():
                ready.set_exception(failure)
                ready.exception()  # nobody may be waiting any more

    async def _list(self, session: Any) -> None:
        import mcp_types as types  # noqa: PLC0415 - heavy, and only where servers are used

        tools: list[dict[str, Any]] = []
        cursor: str | None = None
        self._malformed = []
        for _page in range(_PAGES):
            listed = await session.list_tools(params=types.PaginatedRequestParams(cursor=cursor))
            tools += [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed.tools]
            cursor = listed.next_cursor
            if not cursor or len(tools) > MOST_TOOLS:
                break
        definitions, faults = await asyncio.to_thread(accepted, tools)
        self.definitions, self.faults = definitions, [*self._malformed[:MOST_TOOLS], *faults]

    async def _heard(self, message: Any) -> None:
        """Look at the tools again when the server says that they have changed, but not as often as it likes."""
        import mcp_types as types  # noqa: PLC0415 - heavy, and only where servers are used

        if isinstance(message, types.ToolListChangedNotification):
            self._announced.set()
            self._look_again()

    def _look_again(self) -> None:
        """Begin to look at the tools again, where they were announced and nobody looks yet."""
        if self._ready is None or self.state != "ready" or not self._announced.is_set():
            return  # it is connected first
        if self._listing is None or self._listing.done():
            self._listing = asyncio.create_task(self._list_again(self._ready.result()))

    async def _list_again(self, session: Any) -> None:
        """Look at the tools for as long as the server announces others. Clients hear of them where they differ."""
        loop = asyncio.get_running_loop()
        while self._announced.is_set():
            quiet = loop.time() - self._listed
            if quiet > LONGEST_PAUSE:
                self._pause = 0.0
            await asyncio.sleep(max(0.0, self._pause - quiet))
            self._announced.clear()
            known = (self.definitions, self.faults)
            try:
                async with asyncio.timeout(LIST_SECONDS):
                    await self._list(session)
            except Exception as error:  # noqa: BLE001 - as above
                self.log.add(f"[Vault Bridge] it could not list its tools again: {_reason(error)}")
            self._listed = loop.time()
            self._pause = min(max(FIRST_PAUSE, 2 * self._pause), LONGEST_PAUSE)
            if (self.definitions, self.faults) != known:
                self._on_change()

    def _become(self, state: State, reason: str = "") -> None:
        self.state, self.reason = state, reason
        self._on_change()


@cache
def _answers() -> Any:
    """Return the adapter that checks the answers to a call: making it takes longer than most calls."""
    import mcp_types as types  # noqa: PLC0415 - heavy, and only where servers are used
    from pydantic import TypeAdapter  # noqa: PLC0415 - beside it

    return TypeAdapter(types.InputRequiredResult | types.CallToolResult)


@contextlib.asynccontextmanager
async def _watched(
    streams: AbstractAsyncContextManager[Any], ended: asyncio.Event, sift: Callable[[dict[str, Any]], None]
) -> Any:
    """Yield streams that tell when the server's side has ended, and sift its answers before anybody sees them."""
    async with streams as (incoming, outgoing):
        yield _Incoming(incoming, ended, sift), outgoing


class _Incoming:
    """The messages that come from a server."""

    def __init__(self, stream: Any, ended: asyncio.Event, sift: Callable[[dict[str, Any]], None]) -> None:
        self._stream = stream
        self._ended = ended
        self._sift = sift

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        try:
            arrived = await self._stream.__anext__()
        except StopAsyncIteration:
            self._ended.set()
            raise
        result = getattr(getattr(arrived, "message", None), "result", None)
        if isinstance(result, dict):
            self._sift(result)
        return arrived

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        self._ended.set()
        await self._stream.aclose()


async def _either(*events: asyncio.Event) -> None:
    """Return when one of them is set."""
    tasks = [asyncio.create_task(event.wait()) for event in events]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()


def _failure(name: str, error: BaseException) -> ToolFailure:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, ToolFailure):
        return error
    if isinstance(error, TimeoutError):
        return DeadlineExceeded(f"The server {name} did not answer in time when it was connected")
    if isinstance(error, FileNotFoundError):
        return ExecutionFailed(f"The server {name} cannot be started: there is no program {error.filename!r}")
    return ExecutionFailed(f"The server {name} cannot be used: {_reason(error)}")


def _reason(error: BaseException) -> str:
    from pydantic import ValidationError  # noqa: PLC0415 - there already, where servers are used

    if isinstance(error, ValidationError):
        return "it says what the protocol does not have"
    return (str(error) or type(error).__name__)[:_LONGEST_REASON]
