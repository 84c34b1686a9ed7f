"""Staged changes that are not written yet (`drafts.*`), and all that waits for the person (`inbox.list`)."""

from typing import Annotated, Literal

from bridge.contract.base import ANY_TEXT, Params, Time, Wire
from bridge.contract.consent import FilePreview, Id, MergePlace


class DraftParams(Params):
    """A draft, by its id."""

    draft_id: Id


class DraftStep(Wire):
    """One staged change.

    Attributes:
        tool: The tool that made it.
        summary: Its effect, in a sentence.
        time: When it was staged, ISO 8601 in UTC.
    """

    tool: str
    summary: str
    time: str


class ReviewComment(Wire):
    """A person's comment on a file of a draft, or on a line of it, as sent to its client.

    Attributes:
        path: The file, where the draft has it.
        line: The line in the draft's file, from 1; None: the file.
        quote: That line, where it is one that the client proposed.
        text: The person's words.
    """

    path: str
    line: int | None = None
    quote: str | None = None
    text: str


class DraftInfo(Wire):
    """A draft.

    Attributes:
        draft_id: Its name.
        client: The client whose it is, for people.
        client_id: The id of that client's credential.
        created: When it was begun, ISO 8601 in UTC.
        touched: When something was staged last, ISO 8601 in UTC.
        steps: The staged changes, in order.
        files: The files that differ from the vault.
        state: Its stage: `open`, `handed_in` (the person is to decide about it) or `sent_back`.
        since: When it was handed in or sent back, ISO 8601 in UTC.
        words: The person's words when sending it back.
        comments: Their comments on files and lines.
        kept_until: When it is discarded, if nothing becomes of it until then, ISO 8601 in UTC.
    """

    draft_id: str
    client: str
    client_id: str
    created: str
    touched: str
    steps: tuple[DraftStep, ...]
    files: tuple[str, ...]
    state: Annotated[Literal["open", "handed_in", "sent_back"], ANY_TEXT] = "open"
    since: str | None = None
    words: str | None = None
    comments: tuple[ReviewComment, ...] = ()
    kept_until: str | None = None


class DraftPreview(Wire):
    """The effect of taking a draft on each file, as the vault is now.

    Attributes:
        files: The files, with their diffs.
        warnings: Warnings of what the diffs do not show.
        conflicts: Where others changed the same meanwhile, so that the person chooses when it is put to them.
    """

    files: tuple[FilePreview, ...] = ()
    warnings: tuple[str, ...] = ()
    conflicts: tuple[MergePlace, ...] = ()


class DraftDiscarded(Wire):
    """The result of discarding a draft: nothing of it has been written."""

    draft_id: str


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
