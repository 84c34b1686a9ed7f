"""Chains: several calls as one, of which later ones use what earlier ones answered."""

from typing import Annotated, Any, Final

from pydantic import Field

from bridge.contract.base import Params
from bridge.contract.consent import Id
from bridge.contract.tools import Wait

MOST_CALLS: Final = 50
"""Calls that a chain may list."""

CallName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_-]{0,63}$")]


class ChainCall(Params):
    """One call of a chain. With `each`, which stands for a list, it is made once for each item of that."""

    name: CallName = Field(description="by which later calls refer to it")
    tool: Annotated[str, Field(min_length=1, max_length=100)]
    arguments: dict[str, Any] = Field(default_factory=dict)
    each: dict[str, Any] | None = Field(
        default=None, description="what gives a list: the call is made for each item of it, `$item`"
    )


Calls = Annotated[list[ChainCall], Field(min_length=1, max_length=MOST_CALLS)]


class ToolChainParams(Params):
    """The calls; the other members are as those of `tools.call`."""

    calls: Calls
    call_id: Id | None = None
    wait: Wait | None = None
    reason: Annotated[str, Field(max_length=2000)] | None = None
    withdraw: bool = False
    ask: bool = True
    draft: Id | None = None
    ticket_if_alone: bool = False
