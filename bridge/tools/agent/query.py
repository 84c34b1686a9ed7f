"""The tool `query`: the notes that have some tags and properties, all tags there are, tasks, or the rows of a base."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, model_validator

from bridge.clock import Clock
from bridge.notes.properties import check_tag
from bridge.toolkit.tool import AGENT, CallContext, Output, ReadEffect, ReadTool, in_vault
from bridge.tools.everyday.tasks import TasksParams, TasksTool
from bridge.tools.formatting import listing, page, shortened, value_text
from bridge.tools.kinds import LONGEST_NAME, LONGEST_PATH, Cursor, PathText, Several, SnakeCaseParams, Tag, read_spec
from bridge.tools.notes.lookup import NoteLookup
from bridge.tools.notes.tags_and_properties import MostNames, Wanted, listed_tags, with_properties, with_tags
from bridge.tools.paths import folder_start
from bridge.tools.storage import Storage
from bridge.vault.paths import fold

if TYPE_CHECKING:
    from bridge.tools.bases.asking import BaseQueries

USUAL = 50
_LONGEST_FILTER = 20_000


class QueryParams(SnakeCaseParams):
    """The conditions that the notes must meet, or a wish for the tags or tasks instead."""

    tags: Annotated[list[Tag], Several, Field(max_length=50)] = Field(
        default_factory=list, description="Tags a note must have, or nested in them"
    )
    match: Literal["all", "any"] = "all"
    properties: Wanted = Field(
        default_factory=dict, description="Values it must have; '>5' compares; a list: any of it; null: no value"
    )
    having: Annotated[MostNames, Several] = Field(default_factory=list, description="Properties it must have")
    list_tags: bool = Field(default=False, description="Instead: all tags")
    tasks: Annotated[str | None, Field(min_length=1, max_length=4)] = Field(
        default=None, description="Instead: todo, done, all or a mark in brackets"
    )
    due_before: str | None = Field(default=None, description="Of tasks: YYYY-MM-DD")
    due_after: str | None = None
    text: Annotated[str | None, Field(min_length=1, max_length=500)] = Field(default=None, description="Of tasks")
    base: PathText | None = Field(default=None, description="Instead: rows of a .base or note")
    view: Annotated[str | None, Field(max_length=LONGEST_NAME)] = None
    filter: Annotated[str | None, Field(min_length=1, max_length=_LONGEST_FILTER)] = Field(
        default=None, description="Instead, or of it: expression of bases"
    )
    this: PathText | None = None
    folder: Annotated[str | None, Field(max_length=LONGEST_PATH)] = Field(default=None, description="Only in here")
    limit: int | None = Field(default=None, ge=1, le=1000, description="Default 50")
    cursor: Cursor | None = Field(default=None, description="From the last answer")

    @property
    def of_bases(self) -> bool:
        """Return whether rows are wanted, of a base or by an expression of bases."""
        return self.base is not None or self.filter is not None

    @model_validator(mode="after")
    def _something(self) -> "QueryParams":
        if self.of_bases:
            if self.list_tags or self.tasks or self.tags or self.properties or self.having:
                raise ValueError("base and filter go with view, this, folder, limit and cursor")
            return self
        if self.view is not None or self.this is not None:
            raise ValueError("view and this are of a base; give base or filter too")
        if self.tasks is not None:
            if self.list_tags or self.properties or self.having or len(self.tags) > 1:
                raise ValueError("tasks go with one tag, due_before, due_after, text, folder, limit and cursor")
            return self
        if self.due_before or self.due_after or self.text:
            raise ValueError("due_before, due_after and text are of tasks; give tasks too")
        if self.list_tags == bool(self.tags or self.properties or self.having):
            raise ValueError("give tags, properties or having; or list_tags, tasks, base or filter")
        if self.list_tags and self.folder is not None:
            raise ValueError("list_tags is of the whole vault; leave out folder")
        return self


def _acts(params: QueryParams, _paths: Sequence[str]) -> Iterator[frozenset[str]]:
    if params.tasks is not None:
        yield frozenset({"query", "tasks"})
        return
    if params.of_bases:
        yield frozenset({"query"})
        return
    if params.list_tags:
        yield frozenset({"query", "list_tags"})
    if params.tags:
        yield frozenset({"query", "search_by_tags"})
    if params.properties or params.having:
        yield frozenset({"query", "search_by_properties"})


class QueryTool(ReadTool[QueryParams]):
    """The tool that lists notes by what their tags and properties say, and tasks.

    Args:
        storage: The vault.
        clock: The clock that deadlines are given in.
    """

    spec = read_spec(
        name="query",
        action="look/looked for notes by tags and properties[: {count:result}]",
        description="List notes by tags and properties, all tags, tasks, or rows of a base (.base).",
        icon="list-filter",
        parameters=QueryParams,
        default_rate=60,
        presets=frozenset({AGENT}),
        replaces=frozenset({"search_by_tags", "search_by_properties", "list_tags", "tasks"}),
        acts=_acts,
    )

    def __init__(self, storage: Storage, clock: Clock) -> None:
        self._notes = NoteLookup(storage)
        self._tasks = TasksTool(storage, clock)
        self._clock = clock
        self._storage = storage
        self._made: BaseQueries | None = None

    def prepare(self, params: QueryParams, context: CallContext) -> ReadEffect:
        """Say what is looked for."""
        if (tasks := _tasks(params)) is not None:
            return self._tasks.prepare(tasks, context)
        folder = folder_start(params.folder, self._storage)
        if params.of_bases:
            return ReadEffect(in_vault(""), self._bases().said(params))
        where = f" in {folder}" if folder else ""
        if params.list_tags:
            return ReadEffect(in_vault(""), "List the tags of all notes")
        wanted = [f"#{check_tag(tag)}" for tag in params.tags]
        wanted += [f"{name}: {shortened(value_text(value))}" for name, value in params.properties.items()]
        return ReadEffect(in_vault(folder), f"List the notes with {', '.join([*wanted, *params.having])}{where}")

    def run(self, params: QueryParams, context: CallContext) -> Output:
        """Look."""
        if (tasks := _tasks(params)) is not None:
            return self._tasks.run(tasks, context)
        folder = folder_start(params.folder, self._storage, real=True)
        if params.of_bases:
            return self._bases().run(params, folder, params.limit or USUAL, context)
        if params.list_tags:
            return listed_tags(self._notes, context, params.limit or USUAL, params.cursor)
        excluded = self._notes.storage.ignored(context.settings.ignore_patterns)
        values: dict[str, dict[str, Any]] = {}
        paths: set[str] | None = None
        if params.tags:
            paths = with_tags(self._notes, params.tags, params.match)
        if params.properties or params.having:
            values = with_properties(self._notes, params.properties, params.having, self._clock, context)
            paths = set(values) if paths is None else paths & values.keys()
        start = fold(folder)
        found = [
            path
            for path in sorted(paths or ())
            if (excluded is None or not excluded(path)) and fold(path).startswith(start)
        ]
        shown = page(found, str, params.cursor, params.limit or USUAL)
        data = [{"path": path} | ({"properties": values[path]} if values else {}) for path in shown.items]
        lines = [f"{path}{_values(values.get(path, {}))}" for path in shown.items]
        return Output(data, listing(lines, shown, "No note has these."), shown.metadata)

    def _bases(self) -> "BaseQueries":
        """Return the object that answers from bases; it is made when it is first needed."""
        from bridge.tools.bases.asking import BaseQueries  # noqa: PLC0415 - a start is faster without

        if self._made is None:
            self._made = BaseQueries(self._storage, self._clock)
        return self._made


def _tasks(params: QueryParams) -> TasksParams | None:
    """Return the tasks that are wanted; None where notes or tags are."""
    if params.tasks is None:
        return None
    same = params.model_dump(include={"folder", "due_before", "due_after", "text", "cursor"})
    tag = params.tags[0] if params.tags else None
    return TasksParams(status=params.tasks, tag=tag, limit=params.limit or USUAL, **same)


def _values(values: dict[str, Any]) -> str:
    if not values:
        return ""
    return f" ({', '.join(f'{name}: {shortened(value_text(value))}' for name, value in values.items())})"
