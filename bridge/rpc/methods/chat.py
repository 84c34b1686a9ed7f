"""chat.*: talking with a model. For the person's own programs alone: whoever could send would act under its answers."""

import asyncio

from bridge.contract.base import Params
from bridge.contract.chat import (
    ChatAllowParams,
    ChatDeleted,
    ChatExportParams,
    ChatModels,
    ChatSendParams,
    ChatStarted,
    Conversation,
    ConversationInfo,
    ConversationParams,
)
from bridge.contract.identity import Capability
from bridge.contract.result import PendingCall, ToolResult
from bridge.contract.tools import Cancelled
from bridge.rpc.dispatch import Method, RequestContext


async def send(context: RequestContext, params: ChatSendParams) -> ChatStarted:
    """Say something to the model; what it says comes as events."""
    return await context.services.chats.send(params.text, params.conversation_id, params.model, params.replaces)


async def cancel(context: RequestContext, params: ConversationParams) -> Cancelled:
    """Stop the model."""
    return Cancelled(cancelled=await context.services.chats.cancel(params.conversation_id))


async def list_conversations(context: RequestContext, _params: Params) -> list[ConversationInfo]:
    """Every conversation, the latest first."""
    return list(await context.services.chats.list())


async def read(context: RequestContext, params: ConversationParams) -> Conversation:
    """One conversation with all that was said."""
    return await context.services.chats.read(params.conversation_id)


async def delete(context: RequestContext, params: ConversationParams) -> ChatDeleted:
    """Remove a conversation for good."""
    await context.services.chats.delete(params.conversation_id)
    return ChatDeleted(conversation_id=params.conversation_id)


async def export(context: RequestContext, params: ChatExportParams) -> ToolResult | PendingCall:
    """Make a note of a conversation, which is asked about."""
    return await context.services.chats.export(params.conversation_id, params.path)


async def models(context: RequestContext, _params: Params) -> ChatModels:
    """Where the model runs, and which there are."""
    return await context.services.chats.models()


async def allow(context: RequestContext, params: ChatAllowParams) -> ChatModels:
    """Agree to an address outside this machine."""
    await context.services.chats.allow(params.endpoint)
    facts = {"event": "endpoint_allowed", "of": params.endpoint, "by": context.session.name}
    await asyncio.to_thread(context.services.note, "chat", facts)
    return await context.services.chats.models()


METHODS = (
    Method("chat.send", send, ChatStarted, ChatSendParams, Capability.ADMINISTER, person_only=True),
    Method("chat.cancel", cancel, Cancelled, ConversationParams, Capability.ADMINISTER, person_only=True),
    Method("chat.list", list_conversations, list[ConversationInfo], needs=Capability.ADMINISTER, person_only=True),
    Method("chat.read", read, Conversation, ConversationParams, Capability.ADMINISTER, person_only=True),
    Method("chat.delete", delete, ChatDeleted, ConversationParams, Capability.ADMINISTER, person_only=True),
    Method("chat.export", export, ToolResult | PendingCall, ChatExportParams, Capability.ADMINISTER, person_only=True),
    Method("chat.models", models, ChatModels, needs=Capability.ADMINISTER, person_only=True),
    Method("chat.allow", allow, ChatModels, ChatAllowParams, Capability.ADMINISTER, person_only=True),
)
