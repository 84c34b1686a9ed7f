"""The parameters and results of the methods for the log: `audit.*`."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from bridge.contract.base import ANY_TEXT, SKIP_UNKNOWN, Params, Wire

Text = Annotated[str, Field(max_length=1000)]


def _number_as_text(value: Any) -> Any:
    """Accept a record's `seq`, a number, where a cursor, a text, is expected."""
    return str(value) if type(value) is int else value


class AuditFilters(Params):
    """A choice of records. `code` is how a call ended, such as `timed_out`; `since` and `until` are ISO 8601 times."""

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
    """The format, and the file to write."""

    format: Literal["json", "csv"]
    path: Text | None = None


class AuditExportParams(AuditFilters, AuditForm):
    """The records to export, the format, and the file to write."""


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
    """The number of records removed."""

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
        file: The file of the log.
        line: The line of it, counted from 1; None when it is about the whole file or its end.
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
    """The result of checking the log for alterations.

    Attributes:
        whole: Whether it is as it was written.
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


class AuditActivityParams(Params):
    """The number of days, with today."""

    days: Annotated[int, Field(ge=1, le=90)] = 7


class ActivityCounts(Wire):
    """The number of calls and answers, by how they ended.

    Attributes:
        calls: Calls of tools: those that succeeded, failed and were refused.
        succeeded: Calls that did what was asked.
        failed: Calls that could not.
        refused: Calls that a person, a rule or a limit refused, or nobody answered in time.
        allowed: Questions that a person answered with a yes.
        denied: Questions that a person answered with a no.
        timed_out: Questions that nobody answered in time.
        withdrawn: Questions that were called off, or that the vault had changed under.
        created: Files that were created.
        modified: Files whose content was changed.
        deleted: Files that were deleted.
        moved: Files that were moved.
        unlisted: Folders made and removed, and files of changes so large that the log only counts them.
        cache_hits: Calls to the web that were answered from what was kept of it.
        cache_misses: Calls to the web that went there.
    """

    calls: int = 0
    succeeded: int = 0
    failed: int = 0
    refused: int = 0
    allowed: int = 0
    denied: int = 0
    timed_out: int = 0
    withdrawn: int = 0
    created: int = 0
    modified: int = 0
    deleted: int = 0
    moved: int = 0
    unlisted: int = 0
    cache_hits: int = 0
    cache_misses: int = 0


class ActivityDay(ActivityCounts):
    """One day (`2026-01-31`), from midnight to midnight where the bridge runs."""

    day: str


class ActivityClient(ActivityCounts):
    """One client, as the log's sentences call it, with its calls and its changes of files on each of the days."""

    name: str
    calls_by_day: tuple[int, ...]
    changes_by_day: tuple[int, ...]


class ActivityTool(Wire):
    """One tool, and how long its calls took that succeeded.

    Attributes:
        tool: Its name.
        calls: The number of calls.
        succeeded: Of these, those that did what was asked.
        p50: Half of these took at most so many milliseconds, without the time that questions were open; None where the
            log does not say.
        p95: The same for 95 of a hundred.
    """

    tool: str
    calls: int
    succeeded: int
    p50: float | None
    p95: float | None


class ActivityAnswers(Wire):
    """The time that the person took to answer.

    Attributes:
        count: Answers of which the log says how long their question was open.
        median: Half of them took at most so many milliseconds; None where there are none.
        p90: The same for 90 of a hundred.
    """

    count: int
    median: float | None
    p90: float | None


class AuditActivity(Wire):
    """The activity of agents over some days, according to the log.

    Attributes:
        days: Every day, the oldest first.
        clients: The twenty that did most, the busiest first.
        others: All others together; None when there are none.
        tools: The twenty that were called most, the most called first.
        answers: The time that the person's answers took.
        zone: The time zone of the days, as an offset such as `UTC+01:00`, as it is today.
        records: How many records were read.
        damaged: Lines that could not be read.
        complete: Whether all records of these days were counted; if not, of the oldest days some are missing, which
            were removed from the log to make room, or not read because it is so large.
    """

    days: tuple[ActivityDay, ...]
    clients: tuple[ActivityClient, ...]
    others: ActivityClient | None
    tools: tuple[ActivityTool, ...]
    answers: ActivityAnswers
    zone: str
    records: int
    damaged: int
    complete: bool


class AuditStats(Wire):
    """The log's size and state.

    Attributes:
        size: Bytes on the disk.
        generations: Files that were rotated.
        records: The number of records.
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
