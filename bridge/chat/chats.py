"""The chat of one vault: begins turns, stops them, and keeps the conversations, in a file each outside the vault."""

import asyncio
import contextlib
import logging
import re
import secrets
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from bridge.chat.endpoints import AgreedEndpoints
from bridge.chat.ollama import ModelFailure
from bridge.chat.turn import Ended, Surroundings, Turn
from bridge.clock import stamp
from bridge.contract.chat import ChatDone, ChatMessage, ChatModels, ChatStarted, Conversation, ConversationInfo
from bridge.contract.identity import Preset
from bridge.contract.tools import PendingCall, ToolResult
from bridge.errors import BridgeError, Conflict, ExecutionFailed, InvalidParameters, NotFound
from bridge.identity.caller import CHAT, Caller
from bridge.keys.store import origin
from bridge.own_commands import own_command
from bridge.records.folder import RecordFolder, RecordStore
from bridge.settings.model import Settings

_FILE: Final = re.compile(r"([0-9a-f]{16})\.json")
LONGEST_TITLE: Final = 80
"""Characters of a title."""


class Conversations:
    """The store of conversations. Every method blocks.

    Args:
        folder: Where they lie.
    """

    def __init__(self, folder: RecordFolder) -> None:
        self._folder = folder

    def list(self) -> Sequence[ConversationInfo]:
        """Return all there are, the latest first. One whose file is damaged is left out."""
        found = []
        for name in self._folder.names():
            match = _FILE.fullmatch(name)
            if match is None:
                continue
            with contextlib.suppress(NotFound, ExecutionFailed):
                found.append(info(self.get(match[1])))
        return sorted(found, key=lambda one: one.updated, reverse=True)

    def get(self, conversation_id: str) -> Conversation:
        """Return one of them.

        Raises:
            NotFound: There is none with this id.
            ExecutionFailed: Its file is damaged.
        """
        store = self._store(conversation_id)
        found = store.load(None)
        if store.fault is not None:
            raise ExecutionFailed(store.fault)
        if found is None:
            raise NotFound(f"There is no conversation {conversation_id!r}; `vault-bridge chat --list` lists them")
        return found

    def save(self, conversation: Conversation) -> None:
        """Write one, in the place of what there was of it.

        Raises:
            ExecutionFailed: It cannot be written; what there was is still there.
        """
        self._store(conversation.conversation_id).save(conversation)

    def delete(self, conversation_id: str) -> None:
        """Remove one.

        Raises:
            NotFound: There is none with this id.
        """
        if _name(conversation_id) not in self._folder.names():
            raise NotFound(f"There is no conversation {conversation_id!r}; `vault-bridge chat --list` lists them")
        self._folder.remove(_name(conversation_id))

    def _store(self, conversation_id: str) -> RecordStore[Conversation | None]:
        fault = f"The file of the conversation {conversation_id} is damaged: {{why}}. Repair or delete it"
        return RecordStore[Conversation | None](self._folder, _name(conversation_id), Conversation, fault=fault)


def title_of(text: str) -> str:
    """Return the title of a conversation that begins with this text: its first words, in one line."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text[:1000]).split())
    return line if len(line) <= LONGEST_TITLE else line[: LONGEST_TITLE - 1].rstrip() + "…"


def info(conversation: Conversation, *, running: bool = False) -> ConversationInfo:
    """Return what the list shows of a conversation.

    Args:
        conversation: The conversation.
        running: Whether the model is at it now.
    """
    said = sum(message.role in {"user", "assistant"} for message in conversation.history)
    return ConversationInfo.of(conversation, messages=said, running=running)


def _name(conversation_id: str) -> str:
    return f"{conversation_id}.json"


_NOT_IN_NAMES: Final = re.compile(r'[\\/:*?"<>|#^\[\]%\x00-\x1f]+')
"""The characters that names of notes cannot have on one of the systems, or that break links to them."""
LONGEST_NAME: Final = 60
_STATES: Final = {"done": "done", "failed": "failed", "denied": "refused"}


def file_name(conversation: Conversation) -> str:
    """Return the name of a conversation's note: its day, its title, and the beginning of its id."""
    title = " ".join(_NOT_IN_NAMES.sub(" ", conversation.title).split())[:LONGEST_NAME].strip(" .")
    return f"{conversation.created[:10]} {title or 'Chat'} {conversation.conversation_id[:4]}"


def as_note(conversation: Conversation) -> str:
    """Return a conversation as Markdown: what was said, and which tools were used; not what the model thought."""
    lines = [f"# {conversation.title}", "", f"A chat with {conversation.model} on {conversation.created[:10]}."]
    for message in conversation.history:
        lines += _lines(message)
    return "\n".join(lines) + "\n"


def _lines(message: ChatMessage) -> list[str]:
    match message.role:
        case "user":
            return ["", "## You", "", message.text]
        case "assistant" if message.text.strip():
            return ["", "## Answer", "", message.text]
        case "tool":
            return ["", f"> Used the tool `{message.tool}`: {_STATES.get(message.state or '', 'done')}"]
        case "notice":
            return ["", f"> {' '.join(message.text.split())}"]
        case _:
            return []


logger = logging.getLogger(__name__)

MOST_RUNNING: Final = 4
"""Turns at a time; a model's server makes them wait for each other anyway."""
EXPORT_TOOL: Final = "create_note"
FOLDER: Final = PurePosixPath("Chats")
"""The folder for notes made of conversations, unless the person names another."""


@dataclass(slots=True)
class _Running:
    """A turn that goes on; one that is being stopped keeps what has come, in which it is not interrupted."""

    turn: Turn
    task: asyncio.Task[None]
    stopping: bool = False


class Chats:
    """The chat: conversations with a model.

    Args:
        around: The surroundings of turns.
        conversations: Keeps the conversations.
        agreed: The addresses that the person has agreed to.
    """

    def __init__(self, around: Surroundings, conversations: Conversations, agreed: AgreedEndpoints) -> None:
        self._around = around
        self._conversations = conversations
        self._agreed = agreed
        self._running: dict[str, _Running] = {}
        self._beginning: set[str] = set()
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="chat")  # one, so that nothing older is written last

    async def send(
        self, text: str, conversation_id: str | None = None, model: str | None = None, replaces: int | None = None
    ) -> ChatStarted:
        """Begin a turn. Its events follow.

        Args:
            text: The person's message.
            conversation_id: The conversation; None begins one.
            model: The model; None takes the conversation's, then the one that is set, then the only one.
            replaces: Which of the person's messages this one takes the place of, with all that came after it.

        Raises:
            PermissionDenied: The person has not agreed to the address.
            InvalidParameters: No model is chosen, the text is empty, or there is no such message to take the place of.
            NotFound: There is no such conversation.
            Conflict: The model is still at it, or at too many others.
            ModelFailure: The server does not say which models there are.
        """
        if not text.strip():
            raise InvalidParameters("The message is empty")
        settings = self._around.settings()
        if not self._agreed.allows(settings):
            raise self._agreed.refusal(settings)
        named = conversation_id or secrets.token_hex(8)
        if named in self._running or named in self._beginning:
            raise Conflict("The model is still at the last message; stop it, or wait", code="busy")
        if len(self._running) + len(self._beginning) >= MOST_RUNNING:
            raise Conflict(f"{MOST_RUNNING} conversations are under way; wait for one of them", code="busy")
        self._beginning.add(named)
        try:
            turn = await self._begin(named, text, model, settings, new=conversation_id is None, replaces=replaces)
            turn_id = secrets.token_hex(8)
            made = Turn(self._around, turn, turn_id, self._save)
            task = asyncio.create_task(self._run(made, turn_id))
            self._running[named] = _Running(made, task)
        finally:
            self._beginning.discard(named)
        return ChatStarted(conversation_id=named, turn_id=turn_id, model=turn.model)

    async def cancel(self, conversation_id: str) -> bool:
        """Stop the turn of a conversation: the model stops, and a call that has not begun to write is withdrawn.

        Returns:
            Whether there was one.
        """
        running = self._running.get(conversation_id)
        if running is None:
            return False
        if not running.stopping:
            running.stopping = True
            running.task.cancel()
        await asyncio.wait([running.task])
        return True

    async def list(self) -> Sequence[ConversationInfo]:
        """Return every conversation, the latest first."""
        found = await asyncio.to_thread(self._conversations.list)
        return [one.model_copy(update={"running": one.conversation_id in self._running}) for one in found]

    async def read(self, conversation_id: str) -> Conversation:
        """Return one conversation, as it is now. Raises NotFound."""
        running = self._running.get(conversation_id)
        found = running.turn.conversation if running else None
        if found is None:
            found = await asyncio.to_thread(self._conversations.get, conversation_id)
        shown = info(found, running=running is not None)
        return found.model_copy(update={"running": shown.running, "messages": shown.messages})

    async def delete(self, conversation_id: str) -> None:
        """Remove a conversation for good; a turn of it is stopped. Raises NotFound."""
        await self.cancel(conversation_id)
        await asyncio.get_running_loop().run_in_executor(self._writer, self._conversations.delete, conversation_id)

    async def export(self, conversation_id: str, path: str | None = None) -> ToolResult | PendingCall:
        """Make a note of a conversation. That is a call of the chat's, which the person is asked about.

        Args:
            conversation_id: The conversation.
            path: The note; None: one in the folder `Chats`, named after the conversation.

        Raises:
            NotFound: There is no such conversation.
        """
        found = await self.read(conversation_id)
        place = path or str(FOLDER / f"{file_name(found)}.md")
        arguments = {"path": place, "content": as_note(found)}
        caller = Caller(CHAT._replace(preset=Preset.EVERYTHING.value), CHAT.id)
        return await self._around.calls.call(caller, EXPORT_TOOL, arguments, reason="You asked for a note of this chat")

    async def models(self) -> ChatModels:
        """Return where the model runs and which there are. A server that nobody has agreed to is not asked.

        Raises:
            ModelFailure: The server does not say.
        """
        settings = self._around.settings()
        allowed = self._agreed.allows(settings)
        return ChatModels(
            endpoint=origin(settings.chat_endpoint),
            allowed=allowed,
            sentence=None if allowed else self._agreed.sentence(settings),
            model=settings.chat_model or None,
            models=await self._around.server.models(settings) if allowed else (),
        )

    async def allow(self, endpoint: str) -> None:
        """Record that the person agrees to an address outside this machine; raises InvalidParameters for another."""
        await asyncio.to_thread(self._agreed.agree, endpoint, self._around.settings())

    async def stop(self) -> None:
        """Stop every turn; what has come is kept."""
        for conversation_id in list(self._running):
            await self.cancel(conversation_id)
        self._writer.shutdown()

    async def _begin(
        self, conversation_id: str, text: str, model: str | None, settings: Settings, *, new: bool, replaces: int | None
    ) -> Conversation:
        """Return the conversation with what the person says as its last message, kept."""
        now = stamp(self._around.clock.now())
        found = None if new else await asyncio.to_thread(self._conversations.get, conversation_id)
        if replaces is not None:
            found = _before(found, replaces, text)
        chosen = model or (found.model if found is not None else "") or await self._model(settings)
        if found is None:
            named = {"conversation_id": conversation_id, "title": title_of(text), "model": chosen}
            found = Conversation(**named, created=now, updated=now, messages=0)
        said = ChatMessage(role="user", text=text, time=now)
        found = found.model_copy(update={"model": chosen, "updated": now, "history": (*found.history, said)})
        await self._save(found)
        return found

    async def _model(self, settings: Settings) -> str:
        """Return the model to talk to where the person has named none."""
        if settings.chat_model:
            return settings.chat_model
        there = await self._around.server.models(settings)
        if len(there) == 1:
            return there[0].name
        if not there:
            raise InvalidParameters("The Ollama server has no model yet. Pull one, for instance `ollama pull qwen3:8b`")
        names = ", ".join(one.name for one in there[:20])
        raise InvalidParameters(
            f"Which model? There are: {names}. Choose one with `--model`, or for good: "
            + own_command("settings", "set", f"chatModel={there[0].name}")
        )

    async def _run(self, turn: Turn, turn_id: str) -> None:
        """Run a turn to its end, whatever that is, and say how it ended."""
        conversation_id = turn.conversation.conversation_id
        ended = Ended("cancelled")
        try:
            ended = await turn.run()
        except asyncio.CancelledError:
            ended = Ended("cancelled")  # nobody waits for this task but who cancelled it
        except ModelFailure as failure:
            ended = Ended("failed", failure.message)
        except BridgeError as failure:
            ended = Ended("failed", str(failure))
        except Exception:
            logger.exception("A turn of the chat crashed")
            ended = Ended("failed", "Something in the bridge went wrong; its own messages say what")
        finally:
            with contextlib.suppress(BridgeError):  # the conversation cannot be kept, which the turn has said already
                await turn.close()
                if ended.message is not None:  # what the person is told at the end is kept
                    said = ChatMessage(role="notice", text=ended.message, time=stamp(self._around.clock.now()))
                    found = turn.conversation
                    await self._save(found.model_copy(update={"history": (*found.history, said)}))
            self._running.pop(conversation_id, None)
            self._around.notify(ChatDone.of(ended, conversation_id=conversation_id, turn_id=turn_id))

    async def _save(self, conversation: Conversation) -> None:
        await asyncio.get_running_loop().run_in_executor(self._writer, self._conversations.save, conversation)


def _before(conversation: Conversation | None, number: int, text: str) -> Conversation:
    """Return a conversation without one of the person's messages and all that came after it.

    Args:
        conversation: The conversation; None: there is none yet.
        number: Which of the person's messages, counted from 0.
        text: What is said in its place, after which a conversation is called that begins with it.

    Raises:
        InvalidParameters: It has no such message.
    """
    history = conversation.history if conversation is not None else ()
    said = [at for at, message in enumerate(history) if message.role == "user"]
    if conversation is None or number >= len(said):
        raise InvalidParameters(f"The conversation has no message {number} of yours to say anew")
    named = {"title": title_of(text)} if number == 0 else {}
    return conversation.model_copy(update={"history": history[: said[number]], **named})
