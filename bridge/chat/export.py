"""A conversation as a note."""

import re
from typing import Final

from bridge.contract.chat import ChatMessage, Conversation

_NOT_IN_NAMES: Final = re.compile(r'[\\/:*?"<>|#^\[\]%\x00-\x1f]+')
"""What names of notes cannot have on one of the systems, or what breaks links to them."""
LONGEST_NAME: Final = 60
_STATES: Final = {"done": "done", "failed": "failed", "denied": "refused"}


def file_name(conversation: Conversation) -> str:
    """What the note of a conversation is called: its day, its title, and what tells it from others."""
    title = " ".join(_NOT_IN_NAMES.sub(" ", conversation.title).split())[:LONGEST_NAME].strip(" .")
    return f"{conversation.created[:10]} {title or 'Chat'} {conversation.conversation_id[:4]}"


def as_note(conversation: Conversation) -> str:
    """A conversation as Markdown: what was said, and which tools were used; not what the model thought."""
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
