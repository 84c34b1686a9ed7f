"""The methods of the protocol, and the way from a request to its answer: role, parameters, handler, failures.

The only file that knows jsonrpcserver. Its dispatcher for one request is used and nothing else of it: messages come
parsed and checked, and answers are encoded once, by `frames.py`. The package is pinned, as this is below
its documented entry points.
"""

import asyncio
import difflib
import importlib.util
import inspect
import logging
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

from pydantic import ValidationError

from bridge.contract.base import NoParams, Params
from bridge.contract.identity import Capability
from bridge.errors import Ambiguous, InvalidParameters, NotFound, PermissionDenied, ProtocolError, ToolFailure
from bridge.rpc import frames
from bridge.rpc.frames import CRASHED, FORBIDDEN, INTERNAL_ERROR, INVALID_PARAMS, NO_HINT, Request
from bridge.rpc.hub import Peer
from bridge.rpc.services import Services
from bridge.toolkit.parameters import explain

# The package's own first lines load jsonschema, which takes a tenth of a start, for checks that `frames.py` makes. So
# the package is registered without running them.
_package = importlib.util.find_spec("jsonrpcserver")
if _package is not None:
    sys.modules.setdefault("jsonrpcserver", importlib.util.module_from_spec(_package))

from jsonrpcserver.async_dispatcher import dispatch_request  # noqa: E402 - after that
from jsonrpcserver.dispatcher import to_response  # noqa: E402
from jsonrpcserver.request import Request as LibraryRequest  # noqa: E402
from jsonrpcserver.response import to_serializable_one  # noqa: E402
from jsonrpcserver.result import Error, Success  # noqa: E402

logger = logging.getLogger(__name__)

MAX_PARAMETER: Final = 100
"""Characters of a parameter's name that are worth comparing with the names there are."""
MAX_NAME: Final = 64
"""Characters of an unknown method's name that are worth comparing and repeating."""


@dataclass(slots=True)
class RequestContext:
    """One request on its way, as its handler sees it.

    Attributes:
        session: The connection it came over.
        services: What the handler may use.
        size: Bytes of the frame that it came in.
        kept: Whether it goes on when that connection closes.
    """

    session: Peer
    services: Services
    size: int = 0
    kept: bool = False

    async def note(self, kind: str, event: str, **facts: Any) -> None:
        """Log what the request has done: the kind of record, what happened, and more about that."""
        await asyncio.to_thread(self.services.note, kind, {"event": event, "by": self.session.name} | facts)


@dataclass(frozen=True)
class Method:
    """One method.

    Attributes:
        name: As on the wire.
        handler: A plain function for what is done at once, in the order of arrival; a coroutine function for what may
            take time and runs beside other requests.
        result: The type of what it returns: a model, or what is made of models. A handler may also return the JSON of
            such a model as it is, where there is much of it.
        needs: What a client must be allowed to do in order to call it.
        person_only: Whether it is for the person's own programs alone: a client that could make, name or widen clients
            could stand in for the person.
        waits: It only waits for something that goes on without it, so it ends with its connection, whoever called.
        params: The model of its parameters, which the handler is annotated with; by position they come in the order of
            the model's fields.
        immediate: Whether it is done at once.
    """

    name: str
    handler: Callable[[RequestContext, Any], Any]
    result: Any
    needs: Capability = Capability.CALL
    waits: bool = False
    person_only: bool = False
    params: type[Params] = field(init=False)
    immediate: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "params", self.handler.__annotations__.get("params", NoParams))
        object.__setattr__(self, "immediate", not inspect.iscoroutinefunction(self.handler))

    def permits(self, peer: Peer) -> bool:
        """Return whether this client may call it."""
        return peer.caller.can(self.needs) and (peer.caller.client.is_person or not self.person_only)

    def bind(self, positional: Sequence[Any], named: dict[str, Any]) -> Params:
        """Return the parameters as their model.

        Args:
            positional: Those given by position; then there are none by name.
            named: Those given by name.

        Raises:
            InvalidParameters: Naming the first parameter that is wrong, and what is wrong with it.
        """
        if positional:
            names = [described.alias or name for name, described in self.params.model_fields.items()]
            if len(positional) > len(names):
                known = f"in this order: {', '.join(names)}" if names else "none"
                raise InvalidParameters(f"{self.name} takes {len(names)} parameters ({known}), not {len(positional)}")
            named = dict(zip(names, positional, strict=False))
        if any(len(name) > MAX_PARAMETER for name in named):
            raise InvalidParameters(f"{self.name} has no parameter with a name that long")
        try:
            return self.params.model_validate(named, by_alias=True, by_name=False)
        except ValidationError as error:
            raise InvalidParameters(explain(error, self.params)) from None


class Dispatcher:
    """The dispatcher, which answers requests.

    Args:
        methods: Every method there is, by name.
    """

    def __init__(self, methods: Mapping[str, Method]) -> None:
        self._methods = methods

    def find(self, name: str) -> Method | None:
        """Return the method of this name."""
        return self._methods.get(name)

    async def answer(self, request: Request, context: RequestContext) -> bytes | None:
        """Return the encoded answer; None for a notification."""
        call = LibraryRequest(request.method, request.params, request.id)
        method = self.find(request.method)
        callables: dict[str, Callable[..., Any]] = {} if method is None else {method.name: _Callable(method)}
        _, outcome = await dispatch_request(callables, context, call)
        if request.notification:
            return None
        answer = cast("dict[str, Any]", to_serializable_one(to_response(call, outcome)))
        if method is None:
            answer["error"]["data"] = {"hint": self._nearest(request.method)}
        return frames.encode(answer)

    def _nearest(self, name: str) -> str:
        """Return the message for an unknown method, with the names the caller may have meant."""
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

    async def __call__(self, context: RequestContext, /, *args: Any, **kwargs: Any) -> Any:
        method = self._method
        if not method.permits(context.session):
            whose = "the Obsidian plugin and `vault-bridge` on this machine"
            hint = (
                f"{method.name} is for {whose} alone"
                if method.person_only
                else f"{method.name} needs the capability {method.needs.value!r}, which {whose} have, "
                "and other clients only if the user gave it to them"
            )
            return _error(FORBIDDEN, "Forbidden for this client", hint)
        try:
            result = method.handler(context, method.bind(args, kwargs))
            return Success(result if method.immediate else await result)
        except asyncio.CancelledError as stopped:
            if _is_cancelled():
                # The task keeps it, and with its traceback all that the call held, until garbage is looked for.
                raise stopped.with_traceback(None) from None
            return _failed(method, stopped)  # not we were cancelled, but something we waited for
        except Exception as error:  # noqa: BLE001 - this is the boundary: whatever it is becomes an answer
            return _failed(method, error)


def _is_cancelled() -> bool:
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


def _failed(method: Method, error: BaseException) -> Any:
    """Return an exception as the caller sees it. The tools' own failures are no errors here but ToolResults."""
    match error:
        case ProtocolError():
            return _error(error.code, error.message, error.hint or NO_HINT)
        case InvalidParameters() | NotFound() | Ambiguous() | PermissionDenied():
            return _error(INVALID_PARAMS, "Invalid params", error.message)
        case ToolFailure():
            return _error(INTERNAL_ERROR, "Internal error", error.message)
        case asyncio.CancelledError():
            return _error(INTERNAL_ERROR, "Internal error", "Something it waited for was stopped; try again")
        case _:
            logger.error("The method %s crashed", method.name, exc_info=error)
            return _error(INTERNAL_ERROR, "Internal error", CRASHED)


def _error(code: int, message: str, hint: str) -> Any:
    return Error(code, message, {"hint": hint})
