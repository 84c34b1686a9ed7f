"""demo.ask: one harmless question, so that a person sees how questions look before an agent asks any."""

from bridge.contract.base import NoParams
from bridge.contract.identity import Capability
from bridge.contract.result import PendingCall, ToolResult
from bridge.identity.caller import DEMO, Caller
from bridge.rpc.dispatch import Method, RequestContext


async def ask(context: RequestContext, _params: NoParams) -> ToolResult | PendingCall:
    """Propose the demo note, and say what became of it."""
    caller = Caller(DEMO, connection=DEMO.id)
    context.services.session_ended(caller.session_id)  # a no of last time does not answer for this time
    why = "This is a demonstration. Nothing but this note is made, and you can undo it."
    return await context.services.calls.call(caller, "demo_note", {}, reason=why)


METHODS = (Method("demo.ask", ask, ToolResult, needs=Capability.ADMINISTER),)
