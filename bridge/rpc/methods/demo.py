"""demo.ask: one harmless question, so that a person sees how questions look before an agent asks any."""

from bridge.contract.base import NoParams
from bridge.contract.identity import Capability
from bridge.contract.tools import PendingCall, ToolResult
from bridge.identity.caller import DEMO, Caller
from bridge.rpc.dispatch import Method, RequestContext


async def ask(context: RequestContext, _params: NoParams) -> ToolResult | PendingCall:
    """Propose the demo note, and say what became of it.

    Asks the person one harmless question, with the diff, as an agent would: whether a note `Vault Bridge demo.md` may
    be created at the top of the vault (with a number in its name if there is one). It goes through consent, journal and
    log like any write, is asked about every time, works whichever tools are enabled, and can be undone. The client that
    asks is "The demonstration of Vault Bridge"; it has no token. Returns the ToolResult once the person has answered.
    """
    caller = Caller(DEMO, connection=DEMO.id)
    context.services.session_ended(caller.session_id)  # a no of last time does not answer for this time
    why = "This is a demonstration. Nothing but this note is made, and you can undo it."
    return await context.services.calls.call(caller, "demo_note", {}, reason=why)


METHODS = (Method("demo.ask", ask, ToolResult, needs=Capability.ADMINISTER),)
