"""From a request to its answer: role, parameters, handler, and what goes wrong with them.

The only file that knows jsonrpcserver. Its dispatcher for one request is used and nothing else of it: messages come
parsed and checked (`frames.py`) and answers are encoded once (`replies.py`). The package is pinned, as this is below
its documented entry points.
"""

import asyncio
import difflib
import inspect
import logging
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Final, cast

from bridge.errors import Ambiguous, InvalidParameters, NotFound, PermissionDenied, ProtocolError, ToolFailure
from bridge.rpc import replies
from bridge.rpc.codes import FORBIDDEN, INTERNAL_ERROR, INVALID_PARAMS
from bridge.rpc.frames import Request
from bridge.rpc.method import Method, RequestContext

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it imports pkg_resources, which announces its own end
    from jsonrpcserver.async_dispatcher import dispatch_request
    from jsonrpcserver.dispatcher import to_response
    from jsonrpcserver.request import Request as LibraryRequest
    from jsonrpcserver.response import to_serializable_one
    from jsonrpcserver.result import Error, Success

logger = logging.getLogger(__name__)

MAX_NAME: Final = 64
"""Characters of an unknown method's name that are worth comparing and repeating."""


class Dispatcher:
    """Answers requests.

    Args:
        methods: Every method there is.
    """

    def __init__(self, methods: Sequence[Method]) -> None:
        self._methods: dict[str, Callable[..., Any]] = {method.name: _Callable(method) for method in methods}
        self._found = {method.name: method for method in methods}

    def find(self, name: str) -> Method | None:
        """The method of this name."""
        return self._found.get(name)

    async def answer(self, request: Request, exchange: RequestContext) -> bytes | None:
        """The encoded answer; None for a notification."""
        call = LibraryRequest(request.method, request.params, request.id)
        _, outcome = await dispatch_request(self._methods, exchange, call)
        if request.notification:
            return None
        answer = cast("dict[str, Any]", to_serializable_one(to_response(call, outcome)))
        if request.method not in self._methods:
            answer["error"]["data"] = {"hint": self._nearest(request.method)}
        return replies.encode(answer)

    def _nearest(self, name: str) -> str:
        """What the caller may have meant."""
        if len(name) > MAX_NAME:
            return "No method has a name that long"
        near = difflib.get_close_matches(name, self._methods, n=3, cutoff=0.6)
        meant = f"Did you mean {' or '.join(repr(method) for method in near)}?" if near else "See docs/protocol.md"
        return f"There is no method {name!r}. {meant}"


class _AnyCall(inspect.Signature):
    """A signature that everything fits: parameters are checked by the method's model, with better words."""

    def bind(self, /, *_args: Any, **_kwargs: Any) -> inspect.BoundArguments:
        """Bind nothing; the library only wants to know whether this raises."""
        return _NOTHING_BOUND


_NOTHING_BOUND = inspect.Signature().bind()


class _Callable:
    """A method as jsonrpcserver calls it. It inspects the signature at every request, so that one is ready-made."""

    __signature__ = _AnyCall()

    def __init__(self, method: Method) -> None:
        self._method = method

    async def __call__(self, exchange: RequestContext, /, *args: Any, **kwargs: Any) -> Any:
        method = self._method
        if exchange.session.role not in method.roles:
            hint = f"{method.name} is for the host: the Obsidian plugin or `vault-bridge` on this machine, not agents"
            return _error(FORBIDDEN, "Forbidden for this role", hint)
        try:
            result = method.handler(exchange, method.bind(args, kwargs))
            return Success(result if method.immediate else await result)
        except asyncio.CancelledError as stopped:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            return _told(method, stopped)  # not we were cancelled, but something we waited for
        except Exception as error:  # noqa: BLE001 - this is the boundary: whatever it is becomes an answer
            return _told(method, error)


def _told(method: Method, error: BaseException) -> Any:
    """What the caller is told of an exception. The tools' own failures are no errors here but ToolResults."""
    match error:
        case ProtocolError():
            return _error(error.code, error.message, error.hint or replies.NO_HINT)
        case InvalidParameters() | NotFound() | Ambiguous() | PermissionDenied():
            return _error(INVALID_PARAMS, "Invalid params", error.message)
        case ToolFailure():
            return _error(INTERNAL_ERROR, "Internal error", error.message)
        case asyncio.CancelledError():
            return _error(INTERNAL_ERROR, "Internal error", "Something it waited for was stopped; try again")
        case _:
            logger.error("The method %s crashed", method.name, exc_info=error)
            return _error(INTERNAL_ERROR, "Internal error", replies.NO_HINT)


def _error(code: int, message: str, hint: str) -> Any:
    return Error(code, message, {"hint": hint})
