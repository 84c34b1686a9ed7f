"""audit.*: what was done and decided, and whether the log of it is whole. For hosts only."""

import asyncio
from collections.abc import Sequence
from typing import Any

from bridge.audit.sentences import ToolWords
from bridge.contract import audit as wire
from bridge.contract.base import NoParams
from bridge.contract.identity import Capability
from bridge.rpc.dispatch import Method, RequestContext
from bridge.toolkit.tool import ToolSpec


async def query(context: RequestContext, params: wire.AuditQueryParams) -> Sequence[dict[str, Any]]:
    """Return the records that fit, newest first, as they were written, each with a sentence that says it.

    Returns the records of [the log](#the-log) that fit, newest first, from all its files: 100, at most 1,000. Each has
    a `sentence` that says it to people, in which everything from outside is in quotation marks. With `actions`, a call
    is one entry: its execution has `decisions`, the records of the decisions about it, and a decision is an entry of
    its own only while its call is under way. `code` is how a call ended, such as `timed_out`. `text` may be anywhere in
    a record, in upper or lower case. `since` and `until` are ISO 8601 times (a day as `until` is meant to its end);
    `before` is the `seq` that the page before ended with.
    """
    filters = dict(params)
    filters["by_action"] = filters.pop("actions")
    registry, caller = context.services.registry, context.session.caller
    words = {tool.name: _words(tool.spec) for tool in registry.tools(caller)}
    return await asyncio.to_thread(context.services.parts.audit.get().query, words.get, **filters)


async def export(context: RequestContext, params: wire.AuditExportParams) -> wire.AuditExport | wire.AuditExportFile:
    """Return the records that fit, oldest first: as text, or in a file of `.vault-bridge/exports/`.

    Exports the records that fit, oldest first, as `json` (an array) or `csv` (a cell that a spreadsheet could take for
    a formula has an apostrophe before it). Without `path` it returns `{format, text, records, truncated}`: the text has
    at most 8 MB, and if there are too many records it holds the newest that fit, and `truncated` is true. `path` is the
    name of a new file in `.vault-bridge/exports/`: then all records go there, and the result is `{format, path,
    records}`.
    """
    audit = context.services.parts.audit.get()
    filters = {name: value for name, value in dict(params).items() if name not in {"format", "path"}}
    if params.path is None:
        return wire.AuditExport(**await asyncio.to_thread(audit.export, params.format, **filters))
    return wire.AuditExportFile(**await asyncio.to_thread(audit.export_to, params.path, params.format, **filters))


async def clear(context: RequestContext, _params: NoParams) -> wire.AuditCleared:
    """Remove every record of the log.

    Removes every record. A signed-off one stays at the beginning and says when, by whom, how many records there were
    and what the last was. Returns `{cleared}`, how many were removed.
    """
    return wire.AuditCleared(**await asyncio.to_thread(context.services.parts.audit.get().clear, context.session.name))


async def verify(context: RequestContext, _params: NoParams) -> wire.AuditVerification:
    """Return whether the log is as it was written.

    Checks the chain of the whole log. Returns `{whole, records, lost, unverified, faults, faultCount, droppedEarly,
    begins, head}`.

    - `whole`: nothing was edited, removed, inserted, moved or cut off since it was written.
    - `lost`: records that could not be written at the time, for example on a full disk; the chain itself records that,
      and it is no fault.
    - `unverified`: records from before this user had a key for this vault; they cannot be checked.
    - `faults`: the first twenty, each `{kind, file, line, seq, message}` with the kind `altered`, `missing`,
      `out_of_order`, `foreign` or `unreadable`; `faultCount` counts all.
    - `droppedEarly`: `{records, since, until}`, how many records of calls that changed nothing were removed to make
      room, and between which times they were written; null when none were. It is no fault.
    - `begins`: the last record before the beginning of the log, when the beginning was cleared or was too old. `head`:
      the last record that fits.
    """
    return wire.AuditVerification.model_validate(await asyncio.to_thread(context.services.parts.audit.get().verify))


async def stats(context: RequestContext, _params: NoParams) -> wire.AuditStats:
    """Return the log's size and state.

    Returns `{size, generations, records, oldest, newest, fault, lost, chain}`: bytes on the disk, rotated files,
    records, the times of the first and the last, what went wrong with the log in this run and what to do (or null), how
    many records could not be written in this run, and the last record's `{seq, chain, total}`.
    """
    return wire.AuditStats(**await asyncio.to_thread(context.services.parts.audit.get().stats))


async def activity(context: RequestContext, params: wire.AuditActivityParams) -> wire.AuditActivity:
    """Return what agents did in the last days.

    Counts what agents did in the last days (7, at most 90, today among them) by [the log](#the-log). Returns `{days,
    clients, others, tools, answers, zone, records, damaged, complete}`.

    - `days`: every day, the oldest first, each `{day, ...}` with these counts: `calls`, of which `succeeded`, `failed`
      and `refused` (by a person, a rule or a limit, or because nobody answered); questions that were `allowed`,
      `denied`, `timedOut`, or `withdrawn` (called off, or the vault had changed); files `created`, `modified`,
      `deleted` and `moved`, and `unlisted`: folders, and files of changes so large that the log only counts them;
      `cacheHits` and `cacheMisses` of calls to the web.
    - `clients`: the twenty that made the most calls, with the same counts and `name` (as the sentences of the log call
      it), `callsByDay` and `changesByDay`; `others`: all others together, or null.
    - `tools`: the twenty that were called most, each `{tool, calls, succeeded, p50, p95}`: half, and 95 of a hundred,
      of the calls that succeeded took at most so many milliseconds, without the time that questions were open. Null
      where none succeeded.
    - `answers`: `{count, median, p90}`, how long the person's answers took, in milliseconds; null where there are none.
      Records of versions before this one do not say it.
    - `zone`: the time zone of the bridge's machine, in which the days begin and end, as an offset such as `UTC+01:00`.
      `records` and `damaged`: records counted, and lines that could not be read. `complete`: whether all records of
      these days were counted; of a very large log, some of the oldest days are removed to make room, or not read.
    """
    found = await asyncio.to_thread(context.services.parts.audit.get().activity, params.days)
    return wire.AuditActivity.model_validate(found)


def _words(spec: ToolSpec) -> ToolWords:
    if not spec.action:
        return ToolWords.plain(spec.title, writes=spec.writes)
    return ToolWords(spec.title, spec.action, spec.writes)


METHODS = (
    Method("audit.query", query, list[wire.AuditRecord], Capability.ADMINISTER),
    Method("audit.export", export, wire.AuditExport | wire.AuditExportFile, Capability.ADMINISTER),
    Method("audit.clear", clear, wire.AuditCleared, Capability.ADMINISTER),
    Method("audit.verify", verify, wire.AuditVerification, Capability.ADMINISTER),
    Method("audit.activity", activity, wire.AuditActivity, Capability.ADMINISTER),
    Method("audit.stats", stats, wire.AuditStats, Capability.ADMINISTER),
)
