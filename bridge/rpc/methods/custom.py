"""custom.*: tools of the user's own, which the person writes, tries, changes and takes away."""

from bridge.contract.base import Params
from bridge.contract.custom import (
    CustomAddParams,
    CustomAnswer,
    CustomCallParams,
    CustomParams,
    CustomResult,
    CustomTestParams,
    CustomToolList,
    CustomToolSaved,
    CustomUpdateParams,
)
from bridge.contract.identity import Capability
from bridge.errors import ExecutionFailed
from bridge.rpc.dispatch import Method, RequestContext


async def unavailable(context: RequestContext, params: Params) -> None:
    """Refused until the tools can run."""
    del context, params
    raise ExecutionFailed("Tools of your own cannot be used yet")


METHODS = (
    Method("custom.list", unavailable, CustomToolList, needs=Capability.ADMINISTER),
    Method("custom.add", unavailable, CustomToolSaved, CustomAddParams, needs=Capability.ADMINISTER),
    Method("custom.update", unavailable, CustomToolSaved, CustomUpdateParams, needs=Capability.ADMINISTER),
    Method("custom.remove", unavailable, CustomToolList, CustomParams, needs=Capability.ADMINISTER),
    Method("custom.test", unavailable, CustomResult, CustomTestParams, needs=Capability.ADMINISTER, person_only=True),
    Method("custom.call", unavailable, CustomAnswer, CustomCallParams, needs=Capability.ADMINISTER, person_only=True),
)
