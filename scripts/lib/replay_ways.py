"""The same tasks in other ways: in drafts, and with the tools that take many files in one call."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from scripts.lib.replay_tasks import Call, Task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

MOST_TASKS = 10
"""Tasks that share a draft."""
BEGIN = Call("draft", {"action": "begin"})
SUBMIT = Call("draft", {"action": "submit"})


def in_own_drafts(tasks: Sequence[Task]) -> tuple[Task, ...]:
    """Each task that writes has a draft of its own; those that only read have none."""
    return tuple(_with(task, first=True, last=True) if task.writes else task for task in tasks)


def in_shared_drafts(tasks: Sequence[Task]) -> tuple[Task, ...]:
    """Ten tasks in a row share a draft, which is submitted with the last of them that writes."""
    drafted: list[Task] = []
    for start in range(0, len(tasks), MOST_TASKS):
        group = list(tasks[start : start + MOST_TASKS])
        writing = [number for number, task in enumerate(group) if task.writes]
        for number in writing:
            group[number] = _with(group[number], first=number == writing[0], last=number == writing[-1])
        drafted += group
    return tuple(drafted)


def in_batches(tasks: Sequence[Task]) -> tuple[Task, ...]:
    """Calls in a row that do the same to several files are one call of a tool that takes many."""
    return tuple(Task(task.said, tuple(_batched(task))) for task in tasks)


def _with(task: Task, *, first: bool, last: bool) -> Task:
    return Task(task.said, (*([(BEGIN,)] if first else []), *task.turns, *([(SUBMIT,)] if last else [])))


def _batched(task: Task) -> Iterator[tuple[Call, ...]]:
    """The turns of a task, in which calls that do the same are one."""
    runs = itertools.groupby(task.turns, lambda turn: _kind(turn[0]) if _is_uniform(turn) else None)
    for kind, run in runs:
        turns = list(run)
        calls = [call for turn in turns for call in turn]
        if kind is None or len(calls) == 1:
            yield from turns
        else:
            yield (_BATCHES[kind[0]](calls),)


def _is_uniform(turn: tuple[Call, ...]) -> bool:
    return len({_kind(call) for call in turn}) == 1


def _kind(call: Call) -> tuple[str, str] | None:
    """Return the kind and arguments by which calls can be made one; None where they cannot."""
    batch = _KINDS.get(call.tool)
    if call.failure or batch is None or (batch == "read" and len(call.arguments) > 1):
        return None
    common = {name: call.arguments[name] for name in ("tag", "in_body") if name in call.arguments}
    return batch, f"{call.tool if batch == 'set_properties' else ''}{sorted(common.items())}"


def _paths(calls: Sequence[Call]) -> list[str]:
    return [str(call.arguments.get("path") or call.arguments["name"]) for call in calls]


def _read(calls: Sequence[Call]) -> Call:
    return Call("read", {"paths": _paths(calls)})


def _delete(calls: Sequence[Call]) -> Call:
    return Call("delete", {"paths": _paths(calls)})


def _move(calls: Sequence[Call]) -> Call:
    return Call("move", {"moves": [call.arguments for call in calls]})


def _tag(calls: Sequence[Call]) -> Call:
    first = calls[0]
    which = "add_tags" if first.tool == "add_tag" else "remove_tags"
    in_text = {"in_text": True} if first.arguments.get("in_body") else {}
    return Call("set_properties", {"paths": _paths(calls), which: [first.arguments["tag"]], **in_text})


def _edit(calls: Sequence[Call]) -> Call:
    return Call("edit", {"edits": [_one_edit(call.arguments) for call in calls]})


def _one_edit(arguments: dict[str, Any]) -> dict[str, Any]:
    """An edit of one of the older tools, as a member of a call of `edit`."""
    match arguments:
        case {"path": path, "operation": ("append" | "prepend") as where, "content": text}:
            return {"path": path, where: text}
        case {"path": path, "operation": "replace", "search": old, "content": new}:
            return {"path": path, "old_text": old, "new_text": new}
        case {"path": path, "insert_after_line": line, "content": text}:
            return {"path": path, "after_line": line, "new_text": text}
    return arguments


_KINDS = {
    "read_note": "read",
    "read_file": "read",
    "add_tag": "set_properties",
    "remove_tag": "set_properties",
    "edit_file": "edit",
    "modify_note": "edit",
    "move_file": "move",
    "organize_note": "move",
    "delete_file": "delete",
    "delete_note": "delete",
}
_BATCHES: dict[str, Callable[[Sequence[Call]], Call]] = {
    "read": _read,
    "set_properties": _tag,
    "edit": _edit,
    "move": _move,
    "delete": _delete,
}
