"""What a method of the protocol is: a name, who may call it, its parameters as a model, and a handler."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from bridge.contract.base import Params
from bridge.errors import InvalidParameters
from bridge.rpc.services import Services
from bridge.toolkit.arguments import explain
from bridge.toolkit.tool_call import Role

if TYPE_CHECKING:
    from bridge.rpc.session import Session

EVERYONE: Final[frozenset[Role]] = frozenset({"agent", "host"})
HOST_ONLY: Final[frozenset[Role]] = frozenset({"host"})
MAX_NAME: Final = 100
"""Characters of a parameter's name that are worth comparing with the names there are."""


class NoParams(Params):
    """For methods that take none."""


@dataclass(slots=True)
class RequestContext:
    """One request on its way, as its handler sees it.

    Attributes:
        session: The connection it came over.
        services: What the handler may use.
        kept: Whether it goes on when that connection closes.
    """

    session: "Session"
    services: Services
    kept: bool = False


@dataclass(frozen=True)
class Method:
    """One method.

    Attributes:
        name: As on the wire.
        handler: A plain function for what is done at once, in the order of arrival; a coroutine function for what may
            take time and runs beside other requests.
        params: Its parameters; by position they come in the order of the model's fields.
        roles: Who may call it.
        waits: It only waits for something that goes on without it, so it ends with its connection, whoever called.
    """

    name: str
    handler: Callable[[RequestContext, Any], Any]
    params: type[Params] = NoParams
    roles: frozenset[Role] = EVERYONE
    waits: bool = False
    immediate: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "immediate", not inspect.iscoroutinefunction(self.handler))

    def bind(self, positional: Sequence[Any], named: dict[str, Any]) -> Params:
        """The parameters as their model.

        Raises:
            InvalidParameters: Naming the first parameter that is wrong, and what is wrong with it.
        """
        if positional:
            names = [described.alias or name for name, described in self.params.model_fields.items()]
            if len(positional) > len(names):
                known = f"in this order: {', '.join(names)}" if names else "none"
                raise InvalidParameters(f"{self.name} takes {len(names)} parameters ({known}), not {len(positional)}")
            named = dict(zip(names, positional, strict=False))
        if any(len(name) > MAX_NAME for name in named):
            raise InvalidParameters(f"{self.name} has no parameter with a name that long")
        try:
            return self.params.model_validate(named, by_alias=True, by_name=False)
        except ValidationError as error:
            raise InvalidParameters(explain(error, self.params)) from None
