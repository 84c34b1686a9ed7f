"""`drafts.*`: what clients have staged and nobody has written, for the person."""

from typing import Annotated, Literal

from bridge.contract.base import ANY_TEXT, Params, Wire
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
