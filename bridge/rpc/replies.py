"""What we send, as bytes: answers, errors and notifications. `error.data` is always `{"hint": ...}`."""

import logging
from collections.abc import Sequence
from typing import Any

import orjson

from bridge.rpc.codes import INTERNAL_ERROR
from bridge.rpc.frames import Fault, Id

logger = logging.getLogger(__name__)

NO_HINT = "The bridge's console says more"


def encode(answer: dict[str, Any]) -> bytes:
    """A whole answer. When its result is not JSON, which is a bug of ours, the caller gets an internal error."""
    try:
        return _encode(answer)
    except orjson.JSONEncodeError:
        logger.exception("A result cannot be told as JSON")
        return failure(answer["id"], INTERNAL_ERROR, "Internal error", NO_HINT)


def failure(id: Id, code: int, message: str, hint: str) -> bytes:
    """The error a request gets."""
    error = {"code": code, "message": message, "data": {"hint": hint}}
    return _encode({"jsonrpc": "2.0", "id": id, "error": error})


def fault(found: Fault) -> bytes:
    """The error a message gets that is no request."""
    return failure(found.id, found.code, found.message, found.hint)


def notification(method: str, params: dict[str, Any]) -> bytes:
    """Something a caller is told unasked.

    Raises:
        orjson.JSONEncodeError: When the parameters are not JSON.
    """
    return _encode({"jsonrpc": "2.0", "method": method, "params": params})


def request(id: Id, method: str, params: dict[str, Any]) -> bytes:
    """A call from the bridge to a host."""
    return _encode({"jsonrpc": "2.0", "id": id, "method": method, "params": params})


def batch(replies: Sequence[bytes]) -> bytes:
    """The answers of a batch, already encoded, as one array."""
    return b"[" + b",".join(replies) + b"]"


def _encode(message: dict[str, Any]) -> bytes:
    return orjson.dumps(message, default=_wire)


def _wire(value: Any) -> Any:
    """Wire models say themselves what they are as JSON."""
    if hasattr(value, "to_wire"):
        return value.to_wire()
    raise TypeError(f"{type(value).__name__} is not JSON")
