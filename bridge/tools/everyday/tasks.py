"""The tools `tasks`, which lists tasks with their places, and `edit_tasks`, which ticks, moves or adds some."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date
from typing import Any, Literal, NamedTuple

from pydantic import Field

from bridge.clock import Clock
from bridge.errors import Conflict, DeadlineExceeded, InvalidParameters, NotFound, ToolFailure
from bridge.notes.note import TooMuchWork
from bridge.notes.parts import Outline, block_keys
from bridge.notes.rewriting import Edit, LinkTarget, Redirection, apply
from bridge.notes.tasks import DONE, LIKELY, TODO, Task, tasks_of, with_done_date
from bridge.toolkit.parameters import ANY_OBJECT, TEXT, TEXTS, WHOLE, a_list, members
from bridge.toolkit.tool import CallContext, Output, ReadEffect, ReadTool, Unchanged, in_vault
from bridge.tools.everyday.places import RelocatingTool, with_text_below
from bridge.tools.files.link_keeping import KeptLinks, broken_data, broken_sentence
from bridge.tools.formatting import listing, page, shortened, some
from bridge.tools.joining import free_block, parsed, with_blocks
from bridge.tools.kinds import LONGEST_PATH, Cursor, NoteName, SnakeCaseParams, Tag, read_spec, write_spec
from bridge.tools.notes.lookup import NoteLookup, decoded, encoded
from bridge.tools.paths import folder_start
from bridge.tools.storage import Storage
from bridge.vault.paths import fold, parse_path
from bridge.vault.plan import Applied, ChangeKind, ChangePlan
from bridge.vault.text import counted, is_note

MOST_LISTED = 1000
MOST_CHANGED = 200
STATUSES = ("todo", "done", "all")
_DONE = {"Tick": "Ticked", "Untick": "Unticked", "Move": "Moved", "Add": "Added"}


class TasksParams(SnakeCaseParams):
    """The conditions for tasks to list."""

    status: str = Field(
        "todo", min_length=1, max_length=4, description="todo, done, all, or the character in the brackets"
    )
    path: NoteName | None = Field(None, description="Only of this note, by name, path or wikilink")
    folder: str | None = Field(None, max_length=LONGEST_PATH, description="Only of the notes in this folder")
    tag: Tag | None = Field(None, description="Only those with this tag or one nested in it")
    due_before: str | None = Field(None, description="Only those due on or before this day (YYYY-MM-DD)")
    due_after: str | None = Field(None, description="Only those due on or after this day")
    text: str | None = Field(None, min_length=1, max_length=500, description="Only those that say this")
    limit: int = Field(50, ge=1, le=MOST_LISTED, description="Maximum number of tasks to return")
    cursor: Cursor | None = Field(None, description="The last answer's metadata.cursor, for the next page")


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

    def prepare(self, params: TasksParams, _context: CallContext) -> ReadEffect:
        """Say where tasks will be looked for."""
        if len(params.status) > 1 and params.status.lower() not in STATUSES:
            raise InvalidParameters(f"{params.status!r} is no status; give todo, done, all, or one character")
        for day in (params.due_before, params.due_after):
            if day is not None and not _is_day(day):
                raise InvalidParameters(f"{day!r} is no date; write YYYY-MM-DD")
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


def _is_day(text: str) -> bool:
    """Return whether a text is a day in the one form in which days can be compared as texts."""
    with suppress(ValueError):
        return date.fromisoformat(text).isoformat() == text
    return False


def _filter(params: TasksParams) -> Callable[[Task], bool]:
    status, tag = params.status.lower(), fold(params.tag.removeprefix("#")) if params.tag else None
    words = fold(params.text) if params.text else None
    bounded = params.due_before is not None or params.due_after is not None

    def fits(task: Task) -> bool:
        by_status = {"all": True, "todo": task.status == TODO, "done": task.status in DONE}
        due = task.dates.get("due")
        return (
            by_status.get(status, task.status == params.status)
            and (tag is None or any(f"{fold(own[1:])}/".startswith(f"{tag}/") for own in task.tags))
            and (words is None or words in fold(task.text))
            and (not bounded or (due is not None and (params.due_after or "") <= due <= (params.due_before or "9999")))
        )

    return fits


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


class TaskPlace(SnakeCaseParams):
    """One task, as the tool `tasks` lists it."""

    path: NoteName = Field(description="Its note")
    line: int = Field(ge=1, description="Its line")
    text: str | None = Field(None, max_length=2000, description="What it says, to be sure that it is the one")


class EditTasksParams(SnakeCaseParams):
    """The tasks, and what to do with them."""

    action: Literal["tick", "untick", "move", "add"] = Field(description="What to do")
    tasks: list[TaskPlace] | None = Field(
        None, min_length=1, max_length=MOST_CHANGED, description="For tick, untick and move: which tasks"
    )
    texts: list[str] | None = Field(
        None, min_length=1, max_length=MOST_CHANGED, description="For add: what the tasks say, without '- [ ]'"
    )
    to: NoteName | None = Field(None, description="For move and add: the note")
    heading: str | None = Field(None, max_length=1000, description="For move and add: below which heading")
    done_date: bool = Field(default=False, description="For tick: add today's date, as the plugin Tasks does")


class EditTasksTool(RelocatingTool[EditTasksParams]):
    """The tool that changes tasks."""

    spec = write_spec(
        name="edit_tasks",
        action="change/changed tasks in {files|a note}",
        description="Tick or untick tasks, move them with what is below them to another note, or add new ones.",
        icon="list-todo",
        parameters=EditTasksParams,
        id_prefix="tasks",
    )

    def prepare(self, params: EditTasksParams, context: CallContext) -> ChangePlan | Unchanged:
        """Plan the lines."""
        if params.action == "add":
            return self._added(params)
        if not params.tasks:
            raise InvalidParameters(f"Name the tasks to {params.action}, with their path and line")
        return self._moved(params, context) if params.action == "move" else self._ticked(params)

    def report(self, _params: EditTasksParams, applied: Applied) -> Output:
        """Report which notes changed."""
        plan = applied.plan
        verb, _, rest = plan.summary.partition(" ")
        data: dict[str, Any] = {
            "updated": [change.path for change in plan.changes if change.kind is ChangeKind.MODIFY],
            "count": int(rest.partition(" ")[0].replace(",", "")),
        }
        said = f"{_DONE[verb]} {rest}.{broken_sentence(plan)} ({applied.execution_id})"
        return Output(data | broken_data(plan), said)

    # -- adding -------------------------------------------------------------------------------------------------

    def _added(self, params: EditTasksParams) -> ChangePlan:
        if params.to is None or not params.texts or params.tasks:
            raise InvalidParameters("To add tasks, give texts and the note they go to")
        if any("\n" in text or "\r" in text or not text.strip() for text in params.texts):
            raise InvalidParameters("A task is one line that says something")
        path, data = self._note(params.to)
        lines = "\n".join(f"- [ ] {text.strip()}" for text in params.texts)
        new = with_text_below(decoded(data), path, lines, params.heading)
        return self._changed(
            parse_path(path), data, encoded(new), f"Add {counted(len(params.texts), 'task')} to {path}"
        )

    # -- ticking ------------------------------------------------------------------------------------------------

    def _ticked(self, params: EditTasksParams) -> ChangePlan | Unchanged:
        """Return the tasks with another character in their brackets."""
        tick = params.action == "tick"
        today = self._clock.now().astimezone().date().isoformat()
        builder, changed, recurring = self._storage.plan(), 0, list[str]()
        notes = self._tasks(params.tasks or [])
        for path, (data, tasks) in notes.items():
            text, edits = decoded(data), list[Edit]()
            for task in tasks:
                if (task.status in DONE) == tick:
                    continue
                changed += 1
                if tick and task.recurs:
                    recurring.append(f"{path} line {task.line}")
                edits.append(Edit(task.box, task.box + 1, "x" if tick else TODO))
                start, stop = task.box + 1, _line_end(text, task.box)
                if params.done_date:
                    edits.append(Edit(start, stop, with_done_date(text[start:stop], today if tick else None)))
            builder.modify(parse_path(path), data, encoded(apply(text, edits)))
        verb = "Tick" if tick else "Untick"
        if not changed:
            message = f"{'All' if len(params.tasks or ()) > 1 else 'The task'} {params.action}ed already."
            return Unchanged(in_vault(*notes), "Look at the tasks", Output({"updated": [], "count": 0}, message))
        warnings = [f"They recur, and only the plugin Tasks makes the next ones: {some(recurring)}"]
        summary = f"{verb} {counted(changed, 'task')} in {some(list(notes))}"
        return builder.build(self.spec.operation, summary, warnings if recurring else [])

    # -- moving -------------------------------------------------------------------------------------------------

    def _moved(self, params: EditTasksParams, context: CallContext) -> ChangePlan:
        """Return the tasks in another note, with the items below them, and links to their blocks."""
        if params.to is None:
            raise InvalidParameters("Say with `to` which note the tasks go to")
        target, data = self._note(params.to)
        notes = self._tasks(params.tasks or [])
        if target in notes:
            raise InvalidParameters(f"A task is in {target!r} already; move lines within a note with apply_patch")
        spans = {path: _spans(decoded(old), tasks) for path, (old, tasks) in notes.items()}
        moving, ids = self._moving(target, data, {path: old for path, (old, _tasks) in notes.items()}, spans)
        kept, builder, pieces = KeptLinks(), self._storage.plan(), list[str]()
        for path, (old, _tasks) in notes.items():
            text = decoded(old)
            here = replace(moving, here={path: target})
            for start, end in spans[path]:
                piece = self._rewritten(path, encoded(_dedented(text[start:end])), here, kept)
                pieces.append(with_blocks(piece, ids[path]).rstrip("\r\n"))
            rest = apply(text, [Edit(start, end, "") for start, end in spans[path]])
            builder.modify(parse_path(path), old, encoded(self._rewritten(path, encoded(rest), moving, kept)))
        joined = "\n".join(piece.replace("\r\n", "\n") for piece in pieces)
        new = with_text_below(self._rewritten(target, data, moving, kept), target, joined, params.heading)
        builder.modify(parse_path(target), data, encoded(new))
        summary = f"Move {counted(sum(map(len, spans.values())), 'task')} to {target}"
        return self._relocation(builder, moving, {target, *notes}, kept, context, summary=summary)

    def _moving(
        self, target: str, data: bytes, notes: dict[str, bytes], spans: dict[str, list[tuple[int, int]]]
    ) -> tuple[Redirection, dict[str, dict[str, str]]]:
        """Return where the blocks of the tasks go, and the ids that they get there."""
        outlines = {target: Outline.of(parsed(decoded(data)))}
        after, parts, ids = dict(outlines), dict[LinkTarget, LinkTarget](), dict[str, dict[str, str]]()
        taken = set(outlines[target].blocks)
        for path, old in notes.items():
            note = parsed(decoded(old))
            outlines[path] = Outline.of(note)
            inside = block_keys(
                block for block in note.blocks if any(start <= block.start < end for start, end in spans[path])
            )
            ids[path] = {}
            for block in sorted(inside):
                ids[path][block] = free_block(block, taken)
                taken.add(ids[path][block])
                parts[LinkTarget(path, block)] = LinkTarget(target, ids[path][block])
            after[path] = Outline(outlines[path].headings, outlines[path].blocks - inside)
        after[target] = Outline(outlines[target].headings, frozenset(taken))
        whole = self._keeper.moving({})
        return Redirection(whole.before, whole.before, {}, whole.form, outlines, after, parts), ids

    # -- finding ------------------------------------------------------------------------------------------------

    def _tasks(self, places: Sequence[TaskPlace]) -> dict[str, tuple[bytes, list[Task]]]:
        """Return the tasks at some places, by note."""
        found: dict[str, tuple[bytes, list[Task]]] = {}
        known: dict[str, dict[int, Task]] = {}
        for place in places:
            path, data = self._note(place.path)
            if path not in known:
                known[path] = {task.line: task for task in tasks_of(decoded(data))}
                found[path] = data, []
            task = known[path].get(place.line)
            if task is None:
                raise NotFound(f"There is no task in line {place.line} of {path!r}; list them with tasks")
            if place.text is not None and fold(place.text.strip()) not in fold(task.text):
                raise Conflict(
                    f"Line {place.line} of {path!r} says {shortened(task.text)!r} now; list the tasks again",
                    code="no_match",
                )
            if task not in found[path][1]:
                found[path][1].append(task)
        return found


def _spans(text: str, tasks: Sequence[Task]) -> list[tuple[int, int]]:
    """Return the lines of tasks with the items below them, each once."""
    spans: list[tuple[int, int]] = []
    for task in sorted(tasks, key=lambda each: each.start):
        start, end = text.rfind("\n", 0, task.start) + 1, text.find("\n", task.last - 1) + 1 or len(text)
        if not spans or start >= spans[-1][1]:
            spans.append((start, end))
    return spans


def _dedented(lines: str) -> str:
    """Return lines without the indentation of the first."""
    indent = lines[: len(lines) - len(lines.lstrip(" \t>"))]
    return "\n".join(line.removeprefix(indent) for line in lines.split("\n"))


def _line_end(text: str, at: int) -> int:
    """Return where the line of a place ends, before its line ending."""
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    return end - 1 if text[end - 1 : end] == "\r" else end
