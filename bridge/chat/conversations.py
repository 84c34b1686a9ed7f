"""The conversations of one vault, in a folder of the user's outside it, a file for each."""

import contextlib
import re
from collections.abc import Sequence
from typing import Final

from bridge.contract.chat import ChatMessage, Conversation, ConversationInfo
from bridge.errors import ExecutionFailed, NotFound
from bridge.records.folder import RecordFolder
from bridge.records.store import RecordStore

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
    members = {name: getattr(conversation, name) for name in ConversationInfo.model_fields}
    said = sum(message.role in {"user", "assistant"} for message in conversation.history)
    return ConversationInfo(**members | {"messages": said, "running": running})


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
