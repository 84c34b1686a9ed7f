"""The tool `edit_tasks`: tasks are ticked, unticked, moved to another note, or added, in one change."""

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field

from bridge.clock import Clock
from bridge.errors import Conflict, InvalidParameters, NotFound
from bridge.notes.parts import Outline, block_keys
from bridge.notes.rewriting import Edit, LinkTarget, Redirection, apply
from bridge.notes.tasks import DONE, TODO, Task, tasks_of, with_done_date
from bridge.toolkit.tool import Applied, CallContext, Output, Unchanged, in_vault
from bridge.tools.everyday.sections import with_text_below
from bridge.tools.files.link_keeping import KeptLinks, LinkKeeper, broken_data, broken_sentence
from bridge.tools.formatting import counted, shortened, some
from bridge.tools.joining import free_block, parsed, with_blocks
from bridge.tools.kinds import NoteName, SnakeCaseParams, write_spec
from bridge.tools.notes.lookup import NoteWriteTool, decoded, encoded
from bridge.tools.storage import PlanningStorage
from bridge.vault.paths import fold, parse_path
from bridge.vault.plan import ChangeKind, ChangePlan

MOST = 200

_DONE = {"Tick": "Ticked", "Untick": "Unticked", "Move": "Moved", "Add": "Added"}


class TaskPlace(SnakeCaseParams):
    """One task, as the tool `tasks` lists it."""

    path: NoteName = Field(description="Its note")
    line: int = Field(ge=1, description="Its line")
    text: str | None = Field(default=None, max_length=2000, description="What it says, to be sure that it is the one")


class EditTasksParams(SnakeCaseParams):
    """The tasks, and what to do with them."""

    action: Literal["tick", "untick", "move", "add"] = Field(description="What to do")
    tasks: list[TaskPlace] | None = Field(
        default=None, min_length=1, max_length=MOST, description="For tick, untick and move: which tasks"
    )
    texts: list[str] | None = Field(
        default=None, min_length=1, max_length=MOST, description="For add: what the tasks say, without '- [ ]'"
    )
    to: NoteName | None = Field(default=None, description="For move and add: the note")
    heading: str | None = Field(default=None, max_length=1000, description="For move and add: below which heading")
    done_date: bool = Field(default=False, description="For tick: add today's date, as the plugin Tasks does")


class EditTasksTool(NoteWriteTool[EditTasksParams]):
    """The tool that changes tasks.

    Args:
        storage: The vault.
        clock: The time, and what deadlines are given in.
    """

    spec = write_spec(
        name="edit_tasks",
        title="Edit tasks",
        action="change/changed tasks in {files|a note}",
        description="Tick or untick tasks, move them with what is below them to another note, or add new ones.",
        icon="list-todo",
        parameters=EditTasksParams,
        id_prefix="tasks",
    )

    def __init__(self, storage: PlanningStorage, clock: Clock) -> None:
        super().__init__(storage)
        self._clock = clock
        self._keeper = LinkKeeper(storage, clock)

    def prepare(self, params: EditTasksParams, context: CallContext) -> ChangePlan | Unchanged:
        """Plan the lines."""
        if params.action == "add":
            return self._added(params)
        if not params.tasks:
            raise InvalidParameters(f"Name the tasks to {params.action}, with their path and line")
        return self._moved(params, context) if params.action == "move" else self._ticked(params)

    def report(self, params: EditTasksParams, applied: Applied) -> Output:
        """Report which notes changed."""
        del params
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
        if any("\n" in text or not text.strip() for text in params.texts):
            raise InvalidParameters("A task is one line that says something")
        path, data = self._note(params.to)
        lines = "\n".join(f"- [ ] {text.strip()}" for text in params.texts)
        new = with_text_below(decoded(data), path, lines, params.heading)
        summary = f"Add {counted(len(params.texts), 'task')} to {path}"
        return self._plan(path, data, encoded(new), summary)

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
                    line = text[start:stop]
                    edits.append(Edit(start, stop, with_done_date(line, today if tick else None)))
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
            here = Redirection(
                moving.before, moving.after, {}, moving.form, moving.outlines, moving.outlines_after, moving.parts,
                {path: target},
            )  # fmt: skip
            for start, end in spans[path]:
                piece = self._rewritten(path, encoded(_dedented(text[start:end])), here, kept)
                pieces.append(with_blocks(piece, ids[path]).rstrip("\r\n"))
            rest = apply(text, [Edit(start, end, "") for start, end in spans[path]])
            builder.modify(parse_path(path), old, encoded(self._rewritten(path, encoded(rest), moving, kept)))
        joined = "\n".join(piece.replace("\r\n", "\n") for piece in pieces)
        new = with_text_below(self._rewritten(target, data, moving, kept), target, joined, params.heading)
        builder.modify(parse_path(target), data, encoded(new))
        others = [path for path in self._keeper.sources(moving, list(notes)) if path not in {target, *notes}]
        for found in self._keeper.rewritten(moving, others, kept, context):
            builder.modify(parse_path(found.path), found.old, found.new, follows=True)
        summary = f"Move {counted(sum(map(len, spans.values())), 'task')} to {target}{kept.sentence}"
        return builder.build(self.spec.operation, summary, kept.warnings, broken=kept.broken, whole=True)

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
        names = self._keeper.moving({}).before
        form = self._storage.app_settings.new_link_format
        return Redirection(names, names, {}, form, outlines, after, parts), ids

    def _rewritten(self, path: str, data: bytes, moving: Redirection, kept: KeptLinks) -> str:
        found = self._keeper.rewrite(path, data, moving, kept)
        return decoded(found.new if found else data)

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
        start, end = text.rfind("\n", 0, task.start) + 1, min(_line_end(text, task.last - 1) + 1, len(text))
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
