"""What a host may do with the log: query it, export it, check it, look at its size, and clear it."""

from collections.abc import Iterator
from typing import Final

import orjson

from bridge.audit.activity import Activity
from bridge.audit.export import Format, export_name, frame, pieces, row, write_export
from bridge.audit.files import NAME
from bridge.audit.log import AuditLog
from bridge.audit.records import AuditRecord, RecordFilter, parse
from bridge.audit.sentences import Words, sentence
from bridge.audit.verify import ChainWalk
from bridge.vault.folder import Folder

MAX_TEXT: Final = 8 * 1024 * 1024
"""Bytes that an export may have in an answer."""


class AuditService:
    """The log, for hosts. Everything blocks.

    Args:
        log: The log.
        state: The vault's `.vault-bridge` folder, held open.
    """

    def __init__(self, log: AuditLog, state: Folder) -> None:
        self._log = log
        self._state = state
        self.clear = log.clear

    def query(
        self, words: Words = lambda _name: None, *, limit: int = 100, by_action: bool = False, **filters: str | None
    ) -> list[AuditRecord]:
        """Records, newest first, each with its `sentence`.

        Args:
            words: What the tools are called; without it, they are called by their names.
            limit: At most so many.
            by_action: Whether a call and the decisions about it are one; see `actions.py`.
            **filters: See `RecordFilter`.

        Raises:
            InvalidParameters: A filter cannot be read.
            ExecutionFailed: The log cannot be read.
        """
        found = self._log.query(limit=limit, by_action=by_action, **filters)
        for record in found:
            for one in (record, *record.get("decisions", ())):
                one["sentence"] = sentence(one, words)
        return found

    def export(self, form: Format, **filters: str | None) -> AuditRecord:
        """The records as a text, oldest first; when they are too many, the newest that fit.

        Args:
            form: `json` or `csv`.
            **filters: See `RecordFilter`.

        Returns:
            `{format, text, records, truncated}`.

        Raises:
            InvalidParameters: A filter cannot be read.
            ExecutionFailed: The log cannot be read.
        """
        wanted, size, truncated = RecordFilter(**filters), 0, False
        rows: list[str] = []
        with self._log.snapshot() as seen:
            for record in wanted.select(seen.newest_first(wanted.needle)):
                text = row(record, form)
                size += len(orjson.dumps(text))  # as it is in the answer
                if size > MAX_TEXT:
                    truncated = True
                    break
                rows.append(text)
        head, between, foot = frame(form)
        whole = head + between.join(reversed(rows)) + foot
        return {"format": form, "text": whole, "records": len(rows), "truncated": truncated}

    def export_to(self, path: str, form: Format, **filters: str | None) -> AuditRecord:
        """All of the records into a new file in `.vault-bridge/exports/`, oldest first.

        Args:
            path: The name of the file.
            form: `json` or `csv`.
            **filters: See `RecordFilter`.

        Returns:
            `{format, path, records}`.

        Raises:
            InvalidParameters: The name or a filter cannot be used.
            Conflict: There is such a file.
            ExecutionFailed: The log cannot be read, or the file not be written.
        """
        name, wanted, count = export_name(path), RecordFilter(**filters), 0

        def picked(lines: Iterator[bytes]) -> Iterator[AuditRecord]:
            nonlocal count
            for record in filter(None, map(wanted.match, lines)):
                count += 1
                yield record

        with self._log.snapshot() as seen:
            written = write_export(self._state, name, pieces(picked(seen.oldest_first()), form))
        return {"format": form, "path": written, "records": count}

    def verify(self) -> AuditRecord:
        """Walk along the whole chain and tell every break: see `ChainWalk.report`.

        Raises:
            ExecutionFailed: The log cannot be read.
        """
        with self._log.snapshot() as seen:
            walk = ChainWalk(seen.chain, seen.adopted, seen.head)
            for source in seen.sources:
                walk.walk_file(source)
            walk.end()
            return walk.report()

    def stats(self) -> AuditRecord:
        """`{size, generations, records, oldest, newest, fault, lost, chain}`, without reading the whole log.

        Raises:
            ExecutionFailed: The log cannot be read.
        """
        with self._log.snapshot() as seen:
            beginning = next(seen.oldest_first(), b"")
            began = seen.chain.signed_off(beginning)
            return {
                "size": sum(source.size for source in seen.sources),
                "generations": sum(source.name != NAME for source in seen.sources),
                "records": seen.head.total - (began.total if began else 0) - seen.thinned(beginning),
                "oldest": _time(beginning),
                "newest": _time(next(seen.newest_first(), b"")),
                "fault": self._log.fault,
                "lost": seen.lost,
                "chain": seen.head.wire(),
            }

    def activity(self, days: int) -> AuditRecord:
        """What agents did in the last days, today among them: see `Activity.report`.

        Args:
            days: How many, at least 1.

        Raises:
            ExecutionFailed: The log cannot be read.
        """
        found = Activity(self._log.clock, days)
        with self._log.snapshot() as seen:
            found.read(seen.newest_first())
        return found.report()


def _time(line: bytes) -> str | None:
    time = (parse(line) or {}).get("timestamp")
    return time if isinstance(time, str) else None
