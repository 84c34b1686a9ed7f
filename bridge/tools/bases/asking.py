"""Answers from a base, or from a filter alone: the rows of a view with what is in their columns. And its mistakes."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from bridge.bases.base_file import Base, Group, PropertyId, Statement, read_base
from bridge.bases.dates import Date
from bridge.bases.failures import BaseError, TooMuch
from bridge.bases.lists import shown
from bridge.bases.rows import Row, Value
from bridge.bases.values import plain
from bridge.bases.views import Broken, ViewTable, check, evaluate, of_filter, view_of
from bridge.clock import Clock
from bridge.errors import DeadlineExceeded, InvalidParameters, NotFound
from bridge.index.base_rows import BaseVaults
from bridge.notes.markdown import MOST_BASES, base_blocks
from bridge.toolkit.tool import CallContext, Output
from bridge.tools.bases.holding import EXTENSION
from bridge.tools.formatting import page, shortened
from bridge.tools.notes.lookup import NoteLookup
from bridge.tools.paths import existing_path, vault_path
from bridge.tools.storage import Storage, exists
from bridge.vault.text import counted, is_note

if TYPE_CHECKING:
    from bridge.tools.agent.query import QueryParams

PATH: Final = PropertyId("file", "path")
_MOST_BYTES: Final = 1 << 20
_LONGEST_CELL: Final = 200
_MOST_VALUES: Final = 4_000_000
"""Characters and items of all values of an answer together."""
_NAMED: Final = 5
"""Problems that the text names; the data has them all."""


class BaseQueries:
    """The answers of bases.

    Args:
        storage: The vault.
        clock: The time.
    """

    def __init__(self, storage: Storage, clock: Clock) -> None:
        self._storage = storage
        self._clock = clock
        self._notes = NoteLookup(storage)
        self._vaults = BaseVaults(storage.knowledge)

    def said(self, asked: "QueryParams") -> str:
        """Return the question's sentence."""
        if asked.base is None:
            return f"List the files that the filter {shortened(asked.filter or '')} fits"
        view = f" (view {shortened(asked.view)})" if asked.view else ""
        narrowed = f", as far as {shortened(asked.filter)}" if asked.filter else ""
        return f"Show the rows of the base {shortened(asked.base)}{view}{narrowed}"

    def run(self, asked: "QueryParams", folder: str, limit: int, context: CallContext) -> Output:
        """Return the rows.

        Args:
            asked: The base, with one of its views (else its first); or a filter alone. `this` is the note that it is
                looked at from, if not the base or the note that it is in.
            folder: Where the files must be, with a final slash; empty for everywhere.
            limit: The number of rows at most.
            context: The call.

        Raises:
            InvalidParameters: The base or an expression is wrong; the data say where.
        """
        indexing = self._storage.knowledge.status().indexing

        def pause() -> None:
            if self._clock.monotonic() > context.deadline:
                raise DeadlineExceeded("The base was not evaluated in time; filter earlier, or set a limit")

        try:
            base, name, source = self._base(asked)
            base = _narrowed(base, asked, folder)
            vault = self._vaults.get()
            this = self._this(asked, source)
            now = Date(round(self._clock.now().timestamp() * 1000), vault.zone)
            table = evaluate(base, view_of(base, name), vault, now, this=this, pause=pause)
            shown = page(table.rows, lambda row: row.path, asked.cursor, limit)
            start = next((place for place, row in enumerate(table.rows) if shown.items and row is shown.items[0]), 0)
            cells = table.cells(start, start + len(shown.items))
        except BaseError as error:
            raise InvalidParameters(
                f"The base cannot be shown: {error}",
                data={"where": error.where, "expression": error.expression, "position": error.position},
            ) from None
        problems = [str(problem) for problem in table.problems]
        if indexing:
            problems.append("the index is not complete yet; ask again")
        data = _data(table, shown.items, cells, problems)
        text = _text(table, start, shown.items, cells)
        if shown.cursor is not None:
            text.append(f"[{len(shown.items)} of {shown.total} rows. For the next, set cursor to {shown.cursor!r}.]")
        text += [f"Not complete: {problem}" for problem in problems[:_NAMED]]
        if len(problems) > _NAMED:
            text.append(f"Not complete for {len(problems) - _NAMED} more reasons")
        text += [f"Note: {remark}" for remark in table.remarks]
        return Output(data, "\n".join(text), shown.metadata | {"complete": not problems})

    def _base(self, asked: "QueryParams") -> tuple[Base, str | None, str | None]:
        """Return the base, which view of it is asked for, and the file that it is in."""
        if asked.base is None:
            return of_filter(asked.filter or "", (PATH,)), None, None
        named, _mark, subpath = (
            asked.base.strip().removeprefix("!").removeprefix("[[").removesuffix("]]").partition("#")
        )
        view = asked.view or subpath.partition("|")[0] or None
        if named.lower().endswith(EXTENSION):
            path = self._storage.resolve(existing_path(named, self._storage, "base"))
            data, _stat = self._storage.read(path, limit=_MOST_BYTES)
            return read_base(data.decode("utf-8", "surrogateescape")), view, str(path)
        if is_note(named):
            existing_path(named, self._storage, "base")  # refuses what is closed, as of any path
        try:
            note = self._notes.resolve(named)
        except NotFound:
            ended = f"{named}{EXTENSION}"
            if is_note(named) or not exists(self._storage, vault_path(ended, self._storage, "base")):
                raise
            return self._base(asked.model_copy(update={"base": ended, "view": view}))
        text = self._notes.read(note).decode("utf-8", "surrogateescape")
        bases = [read_base(block.text) for block in islice(base_blocks(text), MOST_BASES)]
        if not bases:
            raise NotFound(f"{note.path!r} holds no base: no code block of the language base")
        fitting = [base for base in bases if view and any(view.lower() == each.name.lower() for each in base.views)]
        return (fitting or bases)[0], view, note.path

    def _this(self, asked: "QueryParams", source: str | None) -> Row | None:
        if asked.this is None:
            return None if source is None else self._vaults.get().row(source)
        try:
            path = str(self._storage.resolve(existing_path(asked.this, self._storage, "this")))
        except NotFound:
            path = self._notes.resolve(asked.this).path
        return self._vaults.get().row(path)


def _narrowed(base: Base, asked: "QueryParams", folder: str) -> Base:
    """Return the base, of which rows must fulfil what is asked besides."""
    more: list[Statement] = []
    if asked.base is not None and asked.filter is not None:
        more.append(Statement(asked.filter, "filter"))
    if folder:
        quoted = folder.rstrip("/").replace("\\", "\\\\").replace('"', '\\"')
        more.append(Statement(f'file.inFolder("{quoted}")', "folder"))
    if not more:
        return base
    own = [] if base.filter is None else [base.filter]
    return replace(base, filter=Group("and", (*own, *more)))


def _data(table: ViewTable, rows: Sequence[Row], cells: list[list[Value]], problems: list[str]) -> dict[str, Any]:
    ids = [str(column.id) for column in table.columns]
    first = table.rows.index(rows[0]) if rows else 0
    room, left_out = [_MOST_VALUES], False

    def said(value: Value) -> Any:
        nonlocal left_out
        try:
            return {"error": value.message} if isinstance(value, Broken) else plain(value, left=room)
        except TooMuch as error:
            left_out = True
            return {"error": error.message}

    data: dict[str, Any] = {
        "view": table.view.name,
        "type": table.view.type,
        "columns": [{"id": name, "title": column.title} for name, column in zip(ids, table.columns, strict=True)],
        "rows": [
            {"path": row.path, "values": dict(zip(ids, map(said, values), strict=True))}
            for row, values in zip(rows, cells, strict=True)
        ],
        "found": table.found,
    }
    if table.groups:
        data["groups"] = [
            {
                "title": group.title,
                "rows": group.end - group.start,
                "summaries": {str(each): said(value) for each, value in group.summaries.items()},
            }
            for group in table.groups
        ]
        data["firstRow"] = first
    if table.summaries:
        data["summaries"] = {str(each): said(value) for each, value in table.summaries.items()}
    if left_out:
        problems.append("some values are too large to be told; show fewer rows or columns")
    data["complete"] = not problems
    if problems:
        data["problems"] = problems
    if table.remarks:
        data["remarks"] = list(table.remarks)
    return data


def _cell(value: Value) -> str:
    said = f"(error: {value.message})" if isinstance(value, Broken) else shown(value)
    return shortened(" ".join(said.split()), _LONGEST_CELL).replace("|", "\\|")


def _summary(table: ViewTable, summaries: Any, title: str) -> list[str]:
    titles = {column.id: column.title for column in table.columns}
    said = [
        f"{table.view.summaries[each]} of {titles.get(each, each.name)}: {_cell(value)}"
        for each, value in summaries.items()
    ]
    return [f"{title}{'; '.join(said)}"] if said else []


def _text(table: ViewTable, start: int, rows: Sequence[Row], cells: list[list[Value]]) -> list[str]:
    limited = f", {counted(len(table.rows), 'row')} by its limit" if len(table.rows) < table.found else ""
    view = f"View {table.view.name}: " if table.view.name else ""
    lines = [f"{view}{counted(table.found, 'file')}{limited}"]
    if not rows:
        return lines
    # The path says which file a row is; a column that says the same is not needed twice.
    others = [at for at, column in enumerate(table.columns) if column.id != PATH]
    lines.append(" | ".join(["path", *(table.columns[at].title.replace("|", "\\|") for at in others)]))
    for place, (row, values) in enumerate(zip(rows, cells, strict=True), start):
        for group in table.groups:
            if group.start == place or (place == start and group.start < place < group.end):
                lines.append(f"## {group.title or '(no value)'} ({counted(group.end - group.start, 'row')})")
                lines += _summary(table, group.summaries, "")
        lines.append(" | ".join([row.path, *(_cell(values[at]) for at in others)]))
    return lines + _summary(table, table.summaries, "In all: ")


def mistakes(path: str, text: str) -> Iterator[str]:
    """Yield a sentence for each mistake in the bases of a file.

    Args:
        path: The file: a base, or a note.
        text: Its text.
    """
    of_base = path.lower().endswith(EXTENSION)
    texts = [text] if of_base else [block.text for block in islice(base_blocks(text), MOST_BASES + 1)]
    if len(texts) > MOST_BASES:
        yield str(BaseError(f"more than {MOST_BASES} bases of a note are not read", "the note"))
    for each in texts[:MOST_BASES]:
        try:
            yield from map(str, check(read_base(each)))
        except BaseError as error:
            yield str(error)
