"""Talking with a model: `chat.*`, and the events of a turn. For the person's own programs alone."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from bridge.contract.base import ANY_TEXT, Event, Params, Time, Wire

LONGEST_TEXT = 200_000
"""Characters of one message of the person's."""

ConversationId = Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
ModelName = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\s\x00-\x1f]+$")]

CallState = Literal["running", "done", "failed", "denied"]
TurnEnd = Literal["answered", "denied", "cancelled", "limit", "failed"]
DeltaKind = Literal["text", "thinking", "notice"]


class ChatToolCall(Wire):
    """A call that the model asked for.

    Attributes:
        call_id: Names it in the conversation.
        tool: The tool, as the model wrote it.
        arguments: Its arguments; empty where they could not be read.
        fault: Why the call could not be read; None where it could.
    """

    call_id: str
    tool: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    fault: str | None = None


class ChatMessage(Wire):
    """One message of a conversation.

    Attributes:
        role: `user`, `assistant`, `tool` (the result of a call), or `notice`: what the bridge says to the person, which
            the model never gets.
        text: Its text.
        time: When, ISO 8601 UTC.
        thinking: The model's thoughts before it, where it gives them.
        calls: The calls that the model asked for with it.
        call_id: Of a result: its call.
        tool: Of a result: its tool.
        summary: Of a result, what the call does, in a sentence.
        state: Of a result, what became of the call.
        execution_id: Of a result, the call's name in the log and in the history.
    """

    role: Annotated[Literal["user", "assistant", "tool", "notice"], ANY_TEXT]
    text: str
    time: Time
    thinking: str = ""
    calls: tuple[ChatToolCall, ...] = ()
    call_id: str | None = None
    tool: str | None = None
    summary: str = ""
    state: Annotated[CallState, ANY_TEXT] | None = None
    execution_id: str | None = None


class ConversationInfo(Wire):
    """A conversation, as the list shows it.

    Attributes:
        conversation_id: Its id.
        title: The beginning of its first message.
        model: The model that it was held with last.
        created: When it began, ISO 8601 UTC.
        updated: When the last message was added.
        messages: The number of its messages.
        running: Whether the model is answering now.
    """

    conversation_id: str
    title: str
    model: str
    created: Time
    updated: Time
    messages: int
    running: bool = False


class Conversation(ConversationInfo):
    """A conversation with all that was said."""

    history: tuple[ChatMessage, ...] = ()


class ChatSendParams(Params):
    """A message from the person, and its conversation; without one a new conversation begins.

    Attributes:
        text: Its text.
        conversation_id: The conversation.
        model: The model, where it should be another one than before.
        replaces: Which of the person's messages this one takes the place of, counted from 0: that message and all that
            came after it are dropped. None: none, it comes last.
    """

    text: Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]
    conversation_id: ConversationId | None = None
    model: ModelName | None = None
    replaces: Annotated[int, Field(ge=0, le=1_000_000)] | None = None


class ChatStarted(Wire):
    """A turn has begun: its events follow, with these ids."""

    conversation_id: str
    turn_id: str
    model: str


class ConversationParams(Params):
    """A conversation, by its id."""

    conversation_id: ConversationId


class ChatExportParams(ConversationParams):
    """The conversation to export, and the path of the note that it becomes."""

    path: Annotated[str, Field(min_length=1, max_length=4096)] | None = None


class ChatDeleted(Wire):
    """The conversation that is gone."""

    conversation_id: str


class ChatAllowParams(Params):
    """The address that the person has agreed to, as `chat.models` names it."""

    endpoint: Annotated[str, Field(min_length=1, max_length=500)]


class ChatModel(Wire):
    """A model that the server has. `size` is in bytes; 0 where the server does not say."""

    name: str
    size: int = 0


class ChatModels(Wire):
    """The address at which models run, and the models there.

    Attributes:
        endpoint: The address: scheme, host and port.
        allowed: Whether the person has agreed to it; on this machine there is nothing to agree to.
        sentence: The sentence to agree to; None where there is nothing.
        model: The model that is set; None where none is.
        models: Those that the server has; empty while it may not be asked.
    """

    endpoint: str
    allowed: bool
    sentence: str | None = None
    model: str | None = None
    models: tuple[ChatModel, ...] = ()


class ChatEvent(Event):
    """Something that happens in a turn of a conversation."""

    conversation_id: str
    turn_id: str


class ChatDelta(ChatEvent):
    """A piece of what the model says (`text`) or thinks (`thinking`), or a sentence of the bridge's (`notice`)."""

    event_name: ClassVar[str] = "chat.delta"

    kind: Annotated[DeltaKind, ANY_TEXT]
    text: str


class ChatToolEvent(ChatEvent):
    """A call of the model's has begun (`running`), or ended.

    Attributes:
        call_id: Names it in the conversation.
        tool: The tool.
        summary: Its effect, in a sentence.
        state: `running`, `done`, `failed`, or `denied`.
        text: Its result, cut where it is long; empty while it runs.
        execution_id: Its name in the log and in the history.
    """

    event_name: ClassVar[str] = "chat.tool"

    call_id: str
    tool: str
    summary: str
    state: Annotated[CallState, ANY_TEXT]
    text: str = ""
    execution_id: str | None = None


class ChatDone(ChatEvent):
    """A turn has ended.

    Attributes:
        end: `answered`; `denied`: the person has said no; `cancelled`; `limit`: it asked for tools too often; `failed`.
        message: Of a turn that failed or came to a limit, what happened and what to do, for the person.
    """

    event_name: ClassVar[str] = "chat.done"

    end: Annotated[TurnEnd, ANY_TEXT]
    message: str | None = None
