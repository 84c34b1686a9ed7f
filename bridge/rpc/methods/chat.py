"""chat.*: talking with a model. For the person's own programs alone: whoever could send would act under its answers."""

from bridge.contract import chat as wire
from bridge.contract.base import NoParams
from bridge.contract.identity import Capability
from bridge.contract.tools import Cancelled, PendingCall, ToolResult
from bridge.rpc.dispatch import Method, RequestContext


async def send(context: RequestContext, params: wire.ChatSendParams) -> wire.ChatStarted:
    """Say something to the model; what it says comes as events.

    Says something to the [model](chat.md), in a conversation or, without `conversationId`, in a new one. Returns
    `{conversationId, turnId, model}` at once; what the model says comes as `chat.delta`, its calls as `chat.tool`, and
    the end as `chat.done`. With `replaces` it takes the place of one of the person's messages, counted from 0, and what
    came after that one is dropped. The turn goes on if the connection ends. It is refused while a turn of the
    conversation is under way, and while nobody has agreed to an address outside this machine (`chat.allow`). All of
    `chat.*` is for the person's own programs alone, whatever else a client may do: whoever could send would act under
    what the person allows the chat.
    """
    return await context.services.parts.chats.get().send(
        params.text, params.conversation_id, params.model, params.replaces
    )


async def cancel(context: RequestContext, params: wire.ConversationParams) -> Cancelled:
    """Stop the model.

    Stops the turn of a conversation: the connection to the model is closed, and a call that has not begun to write is
    withdrawn. Returns `{cancelled}` when it has ended.
    """
    return Cancelled(cancelled=await context.services.parts.chats.get().cancel(params.conversation_id))


async def list_conversations(context: RequestContext, _params: NoParams) -> list[wire.ConversationInfo]:
    """Return every conversation, the latest first.

    Returns the conversations, the latest first: a list of `{conversationId, title, model, created, updated, messages,
    running}`.
    """
    return list(await context.services.parts.chats.get().list())


async def read(context: RequestContext, params: wire.ConversationParams) -> wire.Conversation:
    """Return one conversation with all that was said.

    Returns `{conversationId, title, model, created, updated, messages, running, history}`. Each message of `history` is
    `{role, text, time, thinking, calls, callId, tool, summary, state, executionId}`, with the role `user`, `assistant`,
    `tool` (a call's result) or `notice` (what the bridge said to the person, which the model does not get); each of
    `calls` is `{callId, tool, arguments, fault}`.
    """
    return await context.services.parts.chats.get().read(params.conversation_id)


async def delete(context: RequestContext, params: wire.ConversationParams) -> wire.ChatDeleted:
    """Remove a conversation for good.

    Removes a conversation for good. Returns `{conversationId}`.
    """
    await context.services.parts.chats.get().delete(params.conversation_id)
    return wire.ChatDeleted(conversation_id=params.conversation_id)


async def export(context: RequestContext, params: wire.ChatExportParams) -> ToolResult | PendingCall:
    """Make a note of a conversation, which is asked about.

    Makes a note of a conversation, by default in the folder `Chats`. This is a call of the client `chat`, so the person
    is asked. Returns the ToolResult.
    """
    return await context.services.parts.chats.get().export(params.conversation_id, params.path)


async def models(context: RequestContext, _params: NoParams) -> wire.ChatModels:
    """Return where the model runs, and which there are.

    Returns `{endpoint, allowed, sentence, model, models}`: where the model runs, whether the person has agreed to that,
    what they would agree to (null: nothing), the model that is set, and those that the server has, each `{name, size}`.
    A server that nobody has agreed to is not asked.
    """
    return await context.services.parts.chats.get().models()


async def allow(context: RequestContext, params: wire.ChatAllowParams) -> wire.ChatModels:
    """Agree to an address outside this machine.

    The person has agreed to the address that `chat.models` names. It is kept on this machine, not in the settings.
    Returns `{endpoint, allowed, sentence, model, models}`, as `chat.models` does.
    """
    await context.services.parts.chats.get().allow(params.endpoint)
    await context.note("chat", "endpoint_allowed", of=params.endpoint)
    return await context.services.parts.chats.get().models()


METHODS = (
    Method("chat.send", send, wire.ChatStarted, Capability.ADMINISTER, person_only=True),
    Method("chat.cancel", cancel, Cancelled, Capability.ADMINISTER, person_only=True),
    Method("chat.list", list_conversations, list[wire.ConversationInfo], Capability.ADMINISTER, person_only=True),
    Method("chat.read", read, wire.Conversation, Capability.ADMINISTER, person_only=True),
    Method("chat.delete", delete, wire.ChatDeleted, Capability.ADMINISTER, person_only=True),
    Method("chat.export", export, ToolResult | PendingCall, Capability.ADMINISTER, person_only=True),
    Method("chat.models", models, wire.ChatModels, Capability.ADMINISTER, person_only=True),
    Method("chat.allow", allow, wire.ChatModels, Capability.ADMINISTER, person_only=True),
)
