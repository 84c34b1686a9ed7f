"""The conversations of one vault, in a folder of the user's outside it, a file for each."""

import logging
import re
from collections.abc import Sequence
from typing import Final, Protocol

from pydantic import ValidationError

from bridge.contract.chat import Conversation, ConversationInfo
from bridge.errors import ExecutionFailed, NotFound

logger = logging.getLogger(__name__)

_FILE: Final = re.compile(r"([0-9a-f]{16})\.json")
LONGEST_TITLE: Final = 80
"""Characters of a title."""


class ConversationFolder(Protocol):
    """A folder of the user's, outside the vault, which nobody else can look into."""

    def read(self, name: str) -> bytes | None:
        """The content of a file; None when there is none."""
        ...

    def write(self, name: str, data: bytes) -> None:
        """Put a file there whole. Raises OSError."""
        ...

    def names(self) -> list[str]:
        """The names of the files."""
        ...

    def remove(self, *names: str) -> None:
        """Take files away."""
        ...


class Conversations:
    """Keeps conversations. Every method blocks.

    Args:
        folder: Where they lie.
    """

    def __init__(self, folder: ConversationFolder) -> None:
        self._folder = folder

    def list(self) -> Sequence[ConversationInfo]:
        """All there are, the latest first. One whose file is damaged is left out."""
        found = []
        for name in self._folder.names():
            match = _FILE.fullmatch(name)
            if match is None:
                continue
            try:
                read = self.get(match[1])
            except (NotFound, ExecutionFailed) as failure:
                logger.warning("%s", failure)
            else:
                found.append(info(read))
        return sorted(found, key=lambda one: one.updated, reverse=True)

    def get(self, conversation_id: str) -> Conversation:
        """One of them.

        Raises:
            NotFound: There is none with this id.
            ExecutionFailed: Its file is damaged.
        """
        try:
            data = self._folder.read(_name(conversation_id))
        except OSError as error:
            raise ExecutionFailed(f"The conversation {conversation_id} cannot be read: {error.strerror}") from None
        if data is None:
            raise NotFound(f"There is no conversation {conversation_id!r}; `vault-bridge chat --list` lists them")
        try:
            return Conversation.model_validate_json(data)
        except ValidationError:
            raise ExecutionFailed(f"The file of the conversation {conversation_id} is damaged; delete it") from None

    def save(self, conversation: Conversation) -> None:
        """Write one, in the place of what there was of it.

        Raises:
            ExecutionFailed: It cannot be written; what there was is still there.
        """
        try:
            self._folder.write(
                _name(conversation.conversation_id), conversation.model_dump_json(by_alias=True).encode()
            )
        except OSError as error:
            raise ExecutionFailed(
                f"The conversation cannot be kept: {error.strerror}. Make room on the disk, then ask again"
            ) from None

    def delete(self, conversation_id: str) -> None:
        """Remove one.

        Raises:
            NotFound: There is none with this id.
        """
        if _name(conversation_id) not in self._folder.names():
            raise NotFound(f"There is no conversation {conversation_id!r}; `vault-bridge chat --list` lists them")
        self._folder.remove(_name(conversation_id))


def title_of(text: str) -> str:
    """What a conversation is called that begins with this: its first words, in one line."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text[:1000]).split())
    return line if len(line) <= LONGEST_TITLE else line[: LONGEST_TITLE - 1].rstrip() + "…"


def info(conversation: Conversation, *, running: bool = False) -> ConversationInfo:
    """What the list shows of a conversation.

    Args:
        conversation: The conversation.
        running: Whether the model is at it now.
    """
    members = {name: getattr(conversation, name) for name in ConversationInfo.model_fields}
    said = sum(message.role in {"user", "assistant"} for message in conversation.history)
    return ConversationInfo(**members | {"messages": said, "running": running})


def _name(conversation_id: str) -> str:
    return f"{conversation_id}.json"
