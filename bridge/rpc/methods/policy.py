"""policy.explain: what would become of a call, and which rule decides. For hosts only."""

from typing import Annotated, Any

from pydantic import Field

from bridge.contract.base import Params
from bridge.rpc.method import HOST_ONLY, Method, RequestContext
from bridge.toolkit.tool_call import ToolCall

UNNAMED = "unnamed agent"


class ExplainParams(Params):
    """A call that an agent of this name might make."""

    name: Annotated[str, Field(min_length=1, max_length=200)]
    arguments: dict[str, Any] = Field(default_factory=dict)
    client: Annotated[str, Field(min_length=1, max_length=80)] = UNNAMED


async def explain(exchange: RequestContext, params: ExplainParams) -> dict[str, Any]:
    """What would become of the call; nothing is done, asked, logged or counted."""
    caller = exchange.session.agent(params.client)
    return await exchange.services.pipeline.explain(ToolCall(caller, params.name, params.arguments))


METHODS = (Method("policy.explain", explain, ExplainParams, HOST_ONLY),)
