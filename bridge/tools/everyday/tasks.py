"""The tool `tasks`: the tasks of all notes, or of some, with their places."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import date
from typing import Any, NamedTuple

from pydantic import Field

from bridge.clock import Clock
from bridge.errors import DeadlineExceeded, InvalidParameters, ToolFailure
from bridge.notes.note import TooMuchWork
from bridge.notes.tasks import DONE, LIKELY, TODO, Task, tasks_of
from bridge.toolkit.output_schema import ANY_OBJECT, TEXT, TEXTS, WHOLE, a_list, members
from bridge.toolkit.tool import CallContext, Output, ReadEffect, ReadTool, in_vault
from bridge.tools.formatting import listing, page
from bridge.tools.kinds import LONGEST_PATH, Cursor, NoteName, SnakeCaseParams, Tag, read_spec
from bridge.tools.notes.lookup import NoteLookup, decoded
from bridge.tools.paths import folder_start
from bridge.tools.storage import Storage
from bridge.vault.paths import fold, parse_path
from bridge.vault.text import is_note

MOST = 1000
STATUSES = ("todo", "done", "all")


class TasksParams(SnakeCaseParams):
    """The conditions for tasks to list."""

    status: str = Field(
        default="todo", min_length=1, max_length=4, description="todo, done, all, or the character in the brackets"
    )
    path: NoteName | None = Field(default=None, description="Only of this note, by name, path or wikilink")
    folder: str | None = Field(default=None, max_length=LONGEST_PATH, description="Only of the notes in this folder")
    tag: Tag | None = Field(default=None, description="Only those with this tag or one nested in it")
    due_before: str | None = Field(default=None, description="Only those due on or before this day (YYYY-MM-DD)")
    due_after: str | None = Field(default=None, description="Only those due on or after this day")
    text: str | None = Field(default=None, min_length=1, max_length=500, description="Only those that say this")
    limit: int = Field(default=50, ge=1, le=MOST, description="Maximum number of tasks to return")
    cursor: Cursor | None = Field(default=None, description="The last answer's metadata.cursor, for the next page")


class _Found(NamedTuple):
    path: str
    task: Task


class TasksTool(ReadTool[TasksParams]):
    """The tool that lists tasks.

    Args:
        storage: The vault.
        clock: The clock that deadlines are given in.
    """

    spec = read_spec(
        name="tasks",
        title="Tasks",
        action="list/listed the tasks[ of {path}][ in {folder}]",
        description="List tasks by status, due date, tag, note or folder, with their path and line.",
        icon="list-checks",
        parameters=TasksParams,
        output=a_list(members(path=TEXT, line=WHOLE, status=TEXT, text=TEXT, tags=TEXTS, dates=ANY_OBJECT)),
        default_rate=60,
    )

    def __init__(self, storage: Storage, clock: Clock) -> None:
        self._storage = storage
        self._clock = clock
        self._notes = NoteLookup(storage)

    def prepare(self, params: TasksParams, context: CallContext) -> ReadEffect:
        """Say where tasks will be looked for."""
        del context
        if len(params.status) > 1 and params.status.lower() not in STATUSES:
            raise InvalidParameters(f"{params.status!r} is no status; give todo, done, all, or one character")
        for day in (params.due_before, params.due_after):
            _checked(day)
        if params.path is not None:
            shown = params.path
            with suppress(ToolFailure):  # whether there is such a note is said only after consent
                shown = self._notes.resolve(params.path).path
            return ReadEffect(in_vault(shown), f"List the tasks of {shown}")
        where = folder_start(params.folder, self._storage)
        return ReadEffect(in_vault(where), f"List the tasks in {where or 'the vault'}")

    def run(self, params: TasksParams, context: CallContext) -> Output:
        """List them."""
        wanted = _filter(params)
        found = [each for each in self._all(params, context) if wanted(each.task)]
        if params.due_before or params.due_after:
            found.sort(key=lambda each: each.task.dates.get("due", ""))
        shown = page(found, lambda each: f"{each.path}:{each.task.line}", params.cursor, params.limit)
        lines = [f"{each.path}:{each.task.line}: [{each.task.status}] {each.task.text}" for each in shown.items]
        return Output([_wire(each) for each in shown.items], listing(lines, shown, "No task fits."), shown.metadata)

    def _all(self, params: TasksParams, context: CallContext) -> Iterator[_Found]:
        for path in self._paths(params, context):
            if self._clock.monotonic() > context.deadline:
                raise DeadlineExceeded("Looking for tasks did not end in time; name a folder")
            try:
                data, _stat = self._storage.read(parse_path(path))
                if LIKELY.search(data):
                    yield from (_Found(path, task) for task in tasks_of(decoded(data)))
            except (ToolFailure, TooMuchWork):
                if params.path is not None:
                    raise

    def _paths(self, params: TasksParams, context: CallContext) -> list[str]:
        """Return the notes to look at: one, or all that searches look at."""
        if params.path is not None:
            return [self._notes.resolve(params.path).path]
        inside = folder_start(params.folder, self._storage, real=True)
        excluded = self._storage.ignored(context.settings.ignore_patterns) or (lambda _path: False)
        paths = (file.path for file in self._storage.knowledge.files())
        return [path for path in paths if is_note(path) and path.startswith(inside) and not excluded(path)]


def _filter(params: TasksParams) -> Callable[[Task], bool]:
    status, tag = params.status.lower(), fold(params.tag.removeprefix("#")) if params.tag else None
    words = fold(params.text) if params.text else None

    def fits(task: Task) -> bool:
        by_status = {"all": True, "todo": task.status == TODO, "done": task.status in DONE}
        if not by_status.get(status, task.status == params.status):
            return False
        if tag is not None and not any(f"{fold(own[1:])}/".startswith(f"{tag}/") for own in task.tags):
            return False
        if words is not None and words not in fold(task.text):
            return False
        due = task.dates.get("due")
        if params.due_before is None and params.due_after is None:
            return True
        return due is not None and (params.due_after or "") <= due <= (params.due_before or "9999")

    return fits


def _checked(day: str | None) -> None:
    try:
        if day is not None:
            date.fromisoformat(day)
    except ValueError:
        raise InvalidParameters(f"{day!r} is no date; write YYYY-MM-DD") from None


def _wire(found: _Found) -> dict[str, Any]:
    task = found.task
    return {
        "path": found.path,
        "line": task.line,
        "status": task.status,
        "text": task.text,
        "tags": list(task.tags),
        "dates": dict(task.dates),
        "priority": task.priority or None,
        "recurs": task.recurs,
    }
