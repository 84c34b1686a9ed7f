"""JSON-RPC 2.0 as bytes: from a frame to what it asks for, or to the exact error for it; and from answers to bytes.

orjson is strict where the standard is: NaN, Infinity, invalid UTF-8 and lone surrogates are no JSON. What it does not
know (nesting, batches, the shape of a request) is checked here, before anything else sees the message. Small frames are
read at once, large ones in a thread, so that nobody waits for what another client sends.

What we send is encoded here and nowhere else; `error.data` is always `{"hint": ...}`.
"""

import asyncio
import logging
import math
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Final, NamedTuple

import orjson
import re2

from bridge.contract.base import Event
from bridge.identity.caller import Client
from bridge.json_values import LARGE, TooManyValues, load
from bridge.toolkit.fairness import FairTurns

logger = logging.getLogger(__name__)

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
FORBIDDEN: Final = -32001
BUSY: Final = -32002
STOPPED: Final = -32003
CODES: Final = {
    PARSE_ERROR: "Not JSON: also NaN and Infinity, invalid UTF-8, lone surrogates, and nesting deeper than 64.",
    INVALID_REQUEST: (
        "Not a request; an empty batch; more than 50 in a batch (one error for the whole). A bad item in a batch "
        "gets its own error."
    ),
    METHOD_NOT_FOUND: "No such method; `error.data.hint` suggests the nearest names.",
    INVALID_PARAMS: (
        "A wrong, missing or unknown parameter of the method itself. (The tool judges its own arguments, and "
        "answers with a `ToolResult`.)"
    ),
    INTERNAL_ERROR: (
        "It could not be done: the hint says why where the reason is known (the disk, a file that is there "
        "already). Otherwise it is a fault in the bridge, whose details are on its console and never in the answer."
    ),
    FORBIDDEN: "The client lacks the capability that this method needs, or its token was revoked.",
    BUSY: "64 requests of this connection are already in flight.",
    STOPPED: (
        "The bridge stopped before this was done. Connect again; a call with a `callId` can be made again under it."
    ),
}
"""Every code, and when it is sent, for the page of the protocol."""

NO_HINT: Final = "The bridge's console says more"
CRASHED: Final = "Something failed in the bridge. Its console says more"

MAX_FRAME: Final = 16 * 1024 * 1024
"""Bytes of one frame or one POST body."""
MAX_BATCH: Final = 50
MAX_DEPTH: Final = 64
MAX_VALUES: Final = 20_000
"""JSON values in one frame, nested ones included. Parsing many takes long, and nothing else can happen meanwhile."""
MAX_EXACT: Final = 2**53
"""Beyond this a JSON number may come back changed, so it cannot be an id."""

Id = str | int | float | None


class Request(NamedTuple):
    """A call, or a notification, which is a call nobody waits for."""

    method: str
    params: dict[str, Any] | list[Any]
    id: Id = None
    notification: bool = False


class Response(NamedTuple):
    """The other side's answer to a request of ours."""

    id: Id
    result: Any = None
    error: Any = None


class Fault(NamedTuple):
    """A message that cannot be understood, and the error it gets."""

    id: Id
    code: int
    message: str
    hint: str


Item = Request | Response | Fault


class Frame(NamedTuple):
    """Everything one frame holds. The answers of a batch go back together, in order."""

    items: tuple[Item, ...]
    batch: bool = False


def parse(data: bytes, *, most_values: int | None = MAX_VALUES) -> Frame:
    """Read one frame. Raises nothing: what is wrong with it is in the result.

    Args:
        data: UTF-8 JSON, at most `MAX_FRAME` bytes.
        most_values: How many values a large frame may hold; None for any number.
    """
    try:
        value = load(data, most_values)
    except TooManyValues:
        return _unreadable(f"Send at most {most_values:,} values in one frame, nested ones included")
    except orjson.JSONDecodeError:
        return _unreadable(
            "Send one JSON-RPC 2.0 object or batch as UTF-8 JSON, without NaN, Infinity or lone surrogates"
        )
    # Whether it nests too deeply is seen without a step in Python for each of its bytes.
    if data.count(b"[") + data.count(b"{") > MAX_DEPTH and _SHALLOW.fullmatch(data) is None:
        return _unreadable(f"Nest arrays and objects at most {MAX_DEPTH} deep")
    if not isinstance(value, list):
        return Frame((_item(value),))
    if 0 < len(value) <= MAX_BATCH:
        return Frame(tuple(_item(member) for member in value), batch=True)
    hint = f"A batch holds 1 to {MAX_BATCH} requests; this one has {len(value)}"
    return Frame((Fault(None, INVALID_REQUEST, "Invalid Request", hint),))


def _unreadable(hint: str) -> Frame:
    return Frame((Fault(None, PARSE_ERROR, "Parse error", hint),))


def _item(message: Any) -> Item:
    """Return one member of a batch, or the frame's only message."""
    if not isinstance(message, dict):
        return _malformed(None, "A request is an object")
    given = message.get("id")
    if not _is_id(given):
        return _malformed(None, "`id` is a string, a number or null")
    if _is_response(message):
        return Response(given, message.get("result"), message.get("error"))
    wrong = _shape_error(message)
    if wrong is not None:
        return _malformed(given, wrong)
    return Request(message["method"], message.get("params", {}), given, notification="id" not in message)


def _is_response(message: dict[str, Any]) -> bool:
    answered = ("result" in message) != ("error" in message)
    return answered and "id" in message and "method" not in message and message.get("jsonrpc") == "2.0"


def _shape_error(message: dict[str, Any]) -> str | None:
    """Return the reason why an object is no request; None when it is one."""
    if message.get("jsonrpc") != "2.0":
        return '`jsonrpc` must be "2.0"'
    if not isinstance(message.get("method"), str):
        return "`method` is missing or not a string"
    if not isinstance(message.get("params", {}), dict | list):
        return "`params` is an object, an array, or absent"
    return None


def _malformed(id: Id, hint: str) -> Fault:
    return Fault(id, INVALID_REQUEST, "Invalid Request", hint)


def _is_id(value: Any) -> bool:
    if value is None or isinstance(value, str):
        return True
    if isinstance(value, bool):
        return False
    if isinstance(value, float):  # a fraction is discouraged, not forbidden; a huge integer arrives as a float too
        return math.isfinite(value) and abs(value) < MAX_EXACT
    return isinstance(value, int)


def _shallow_pattern(levels: int) -> bytes:
    """Return JSON of at most so many levels, as a pattern: bounded nesting is regular, so RE2 decides in one pass."""
    token = rb'(?:[^\[\]{}"]|"(?:[^"\\]|\\.)*")'
    pattern = token + b"*"
    for _ in range(levels):
        pattern = b"(?:" + token + rb"|[\[{]" + pattern + rb"[\]}])*"
    return pattern


def _shallow() -> Any:
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.dot_nl = True
    return re2.compile(_shallow_pattern(MAX_DEPTH), options)


_SHALLOW = _shallow()


def encode(answer: dict[str, Any]) -> bytes:
    """Return a whole answer. When its result is not JSON, which is a bug of ours, the caller gets an internal error.

    Args:
        answer: The JSON-RPC object; models in it are written as their `to_wire` says.
    """
    try:
        return _encode(answer)
    except orjson.JSONEncodeError:
        logger.exception("A result is not JSON")
        return failure(answer["id"], INTERNAL_ERROR, "Internal error", CRASHED)


def failure(id: Id, code: int, message: str, hint: str) -> bytes:
    """Return the error a request gets.

    Args:
        id: The request's.
        code: One of `CODES`.
        message: What JSON-RPC calls the error.
        hint: What went wrong here and what to do about it.
    """
    error = {"code": code, "message": message, "data": {"hint": hint}}
    return _encode({"jsonrpc": "2.0", "id": id, "error": error})


def notification(event: Event) -> bytes:
    """Return an event, as it is sent.

    Raises:
        orjson.JSONEncodeError: When its members are not JSON.
    """
    return _encode({"jsonrpc": "2.0", "method": event.event_name, "params": event.to_wire()})


def request(id: Id, method: str, params: dict[str, Any]) -> bytes:
    """Return a call from the bridge to a host."""
    return _encode({"jsonrpc": "2.0", "id": id, "method": method, "params": params})


def batch(answers: Sequence[bytes]) -> bytes:
    """Return the answers of a batch, already encoded, as one array."""
    return b"[" + b",".join(answers) + b"]"


def _encode(message: dict[str, Any]) -> bytes:
    return orjson.dumps(message, default=_wire)


def _wire(value: Any) -> Any:
    """Return the JSON form that a model gives itself; raise TypeError for anything else."""
    if hasattr(value, "to_wire"):
        return value.to_wire()
    raise TypeError(f"{type(value).__name__} is not JSON")


class Intake:
    """The intake, which reads the frames of all connections.

    One thread reads all large frames, and at most one of each client waits for it: a client that sends many is
    slowed down itself, and holds up another's large frame by one of its own at most. Of the frames of agents, one is
    begun in each turn of the loop, however many connections they come over.
    """

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="frames")
        self._large: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._turns = FairTurns()

    async def read(self, data: bytes, client: Client) -> Frame:
        """Return the content of a frame.

        Args:
            data: The frame, or the body of a POST.
            client: The sender; the person's own programs may send any number of values.
        """
        most = None if client.is_person else MAX_VALUES
        if not client.is_person:
            await self._turns.turn(client.id)
        if len(data) <= LARGE:
            return parse(data, most_values=most)
        async with self._large[client.id]:
            reading = partial(parse, data, most_values=most)
            return await asyncio.get_running_loop().run_in_executor(self._thread, reading)

    def close(self) -> None:
        """Take no more frames."""
        self._thread.shutdown(wait=False, cancel_futures=True)
