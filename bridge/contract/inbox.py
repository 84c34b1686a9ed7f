"""`inbox.list`: what waits for the person, whatever it is."""

from typing import Annotated, Literal

from bridge.contract.base import ANY_TEXT, Time, Wire


class InboxLine(Wire):
    """An item that waits for the person: one thing, or many of a kind from one client.

    Attributes:
        kind: `question`, `draft` (handed in), `left` (a draft whose client is gone) or `changes` (by other programs).
        client: Whose it is, for people.
        client_id: The id of that client's credential; empty for what other programs changed.
        count: The number of things.
        since: Since when it waits; of several, the oldest.
        files: The number of files it is about.
        summary: A summary in a few words.
        reason: Why, in the client's words; None where it is not known, or is of several.
        kept_until: When it ends if nobody decides; of several, when the first does.
        ids: The questions, drafts or entries, the oldest first; of very many only the first.
        questions: The open questions that decide about it.
    """

    kind: Annotated[Literal["question", "draft", "left", "changes"], ANY_TEXT]
    client: str
    client_id: str = ""
    count: int = 1
    since: Time
    files: int = 0
    summary: str
    reason: str | None = None
    kept_until: Time | None = None
    ids: tuple[str, ...]
    questions: tuple[str, ...] = ()
