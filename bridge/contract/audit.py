"""What a host may ask about the log, and what it is answered: `audit.*`."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from bridge.contract.base import ANY_TEXT, SKIP_UNKNOWN, Params, Wire

Text = Annotated[str, Field(max_length=1000)]


def _number_as_text(value: Any) -> Any:
    """A record's `seq` is a number, a cursor is text: whoever hands the one back as the other is understood."""
    return str(value) if type(value) is int else value


class AuditFilters(Params):
    """Which records. `code` is how a call ended, such as `timed_out`; `since` and `until` are ISO 8601 times."""

    tool: Text | None = None
    client: Text | None = None
    kind: Text | None = None
    code: Text | None = None
    text: Text | None = None
    since: Text | None = None
    until: Text | None = None


class AuditQueryParams(AuditFilters):
    """A page of them; `before` is the `seq` that the page before ended with. `actions` takes each call as one."""

    actions: bool = False
    limit: Annotated[int, Field(ge=1, le=1000)] = 100
    before: Annotated[Text, BeforeValidator(_number_as_text)] | None = None


class AuditForm(Params):
    """As what, and into which file."""

    format: Literal["json", "csv"]
    path: Text | None = None


class AuditExportParams(AuditFilters, AuditForm):
    """Which records, as what, and into which file."""


class AuditedFile(Wire):
    """One file of a write, with the hashes of its bytes before and after; None where there was or is no file."""

    path: str
    new_path: str | None = None
    change: str
    before: str | None = None
    after: str | None = None


class AuditRecord(Wire):
    """One record of the log, as it was written: each kind has members of its own, and what is not known is left out.

    `sentence` says it to people; `audit.query` adds it.

    `docs/protocol.md` says what each kind holds; these are the members that every reader of the log needs.
    """

    seq: int | None = None
    timestamp: str
    kind: str = "execution"
    tool: str | None = None
    execution_id: str | None = None
    call_id: str | None = None
    client: str | None = None
    success: bool | None = None
    error_type: str | None = None
    duration: float | None = None
    outcome: str | None = None
    rule: str | None = None
    decision: str | None = None
    by: str | None = None
    event: str | None = None
    code: str | None = None
    count: int | None = None
    files: Annotated[tuple[AuditedFile, ...], Field(json_schema_extra={**SKIP_UNKNOWN})] = ()
    sentence: str = ""


class AuditExport(Wire):
    """The records as a text. `truncated` says that it holds only the newest that fit."""

    format: Literal["json", "csv"]
    text: str
    records: int
    truncated: bool = False


class AuditExportFile(Wire):
    """The records in a file of the vault; `path` says where."""

    format: Literal["json", "csv"]
    path: str
    records: int


class AuditCleared(Wire):
    """How many records were removed."""

    cleared: int


class AuditHead(Wire):
    """A place in the chain: a record's number, its code, and how many records there are up to it."""

    seq: int
    chain: str
    total: int


class AuditFault(Wire):
    """One place where the log is not as it was written.

    Attributes:
        kind: `altered`, `missing`, `out_of_order`, `foreign` or `unreadable`.
        file: In which file.
        line: Which line of it, counted from 1; None when it is about the whole file or its end.
        seq: The number that the line says it has, or that is missing first.
        message: The same for people.
    """

    kind: Annotated[Literal["altered", "missing", "out_of_order", "foreign", "unreadable"], ANY_TEXT]
    file: str
    line: int | None
    seq: int | None
    message: str


class AuditDropped(Wire):
    """Records that were removed to make room before they were too old, and between which times they were written."""

    records: int
    since: str
    until: str


class AuditVerification(Wire):
    """Whether the log is as it was written.

    Attributes:
        whole: It is.
        records: Records seen.
        lost: Records that could not be written at the time; no fault.
        unverified: Records from before there was a key.
        faults: The first faults.
        fault_count: All of them.
        dropped_early: Records of calls that changed nothing which were removed to make room; None when none were.
        begins: The last record before the beginning of the log, where it was cleared or was too old.
        head: The last record that fits.
    """

    whole: bool
    records: int = 0
    lost: int = 0
    unverified: int = 0
    faults: tuple[AuditFault, ...] = ()
    fault_count: int = 0
    dropped_early: AuditDropped | None = None
    begins: AuditHead | None = None
    head: AuditHead | None = None


class AuditStats(Wire):
    """The log's size and state.

    Attributes:
        size: Bytes on the disk.
        generations: Files that were rotated.
        records: How many there are.
        oldest: The time of the first record.
        newest: The time of the last.
        fault: What went wrong with the log in this run and what to do; None when nothing did.
        lost: Records of this run that could not be written.
        chain: The last record's place in the chain.
    """

    size: int
    generations: int
    records: int
    oldest: str | None
    newest: str | None
    fault: str | None
    lost: int
    chain: AuditHead
