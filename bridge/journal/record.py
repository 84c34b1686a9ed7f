"""Data that comes with a change to the ledger, and that the ledger returns about it."""

from typing import Literal, NamedTuple

from bridge.contract.consent import FilePreview
from bridge.identity.caller import SHARED_ID
from bridge.vault.plan import ChangePlan, Disposal, LeftFile

HistoryState = Literal["applied", "undone", "conflicted"]


class Cause(NamedTuple):
    """The reason for applying a plan.

    Attributes:
        execution_id: The name of the change in the history, and of its backup folder.
        tool: The tool that planned it.
        client: The caller's name, for people.
        session_id: The caller's session.
        call_id: The caller's own id, which makes the call idempotent.
        arguments_hash: Hash of tool and arguments, to recognise a call id used twice for different things.
        reverses: The change that an undo takes back or a redo repeats.
        kind: A change of its own, or the undo or redo of one.
        credential: The id of the caller's credential: whose change it is.
        grant: The id of the remembered answer that allowed it, if one did.
    """

    execution_id: str
    tool: str
    client: str
    session_id: str
    call_id: str | None = None
    arguments_hash: str | None = None
    reverses: str | None = None
    kind: Literal["change", "undo", "redo"] = "change"
    credential: str = SHARED_ID
    grant: str | None = None


class AppliedPlan(NamedTuple):
    """A plan that was applied.

    Attributes:
        execution_id: Its name in the history.
        backup: The folder with the bytes as they were, vault-relative with a final `/`; None when nothing was kept.
        plan: The plan that was applied.
        disposal: Where what it deleted went, which may be the vault's own trash though the system's was planned; None
            when it only stays in the backups.
    """

    execution_id: str
    backup: str | None
    plan: ChangePlan
    disposal: Disposal | None = None


class Recovery(NamedTuple):
    """The changes that were found half done when the bridge started, and what was done about them.

    Attributes:
        rolled_back: Changes that were taken back completely.
        completed: Changes that were complete and only had not been marked so.
        conflicted: Changes that could be taken back only in part, because someone edited a file meanwhile.
        messages: What a person should know, one sentence each.
    """

    rolled_back: tuple[str, ...] = ()
    completed: tuple[str, ...] = ()
    conflicted: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()


class HistoryEntry(NamedTuple):
    """One change, as the history shows it.

    Attributes:
        execution_id: Its name.
        tool: The tool that planned it.
        client: Who asked for it.
        time: The time, ISO 8601 UTC.
        state: `conflicted` when a crash interrupted it and someone edited a file before it could be taken back.
        files: Every path it touched.
        added: Lines added.
        removed: Lines removed.
        call_id: The caller's id for the call.
        arguments_hash: Of that call's tool and arguments.
        can_undo: False when the bytes it replaced were not kept.
        credential: The id of the credential that it was asked for with.
        summary: The plan's sentence.
        grant: The id of the remembered answer that allowed it; None when none did.
        left: Of one that is undone, the files that are not, and why.
    """

    execution_id: str
    tool: str
    client: str
    time: str
    state: HistoryState
    files: tuple[str, ...]
    added: int
    removed: int
    call_id: str | None = None
    arguments_hash: str | None = None
    can_undo: bool = True
    credential: str = SHARED_ID
    summary: str = ""
    grant: str | None = None
    left: tuple[LeftFile, ...] = ()

    @property
    def client_id(self) -> str:
        """Return the credential, as the wire calls it."""
        return self.credential


class ChangeDiff(NamedTuple):
    """The effect of a change on each file.

    Attributes:
        files: The files, with their diffs, in the order in which the change reached them.
        lost: Files of which the bytes from before or after are no longer kept.
    """

    files: tuple[FilePreview, ...]
    lost: tuple[str, ...] = ()
