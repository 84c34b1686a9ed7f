"""The tool `history`: what the caller has changed, what a change did, and several changes taken back as one."""

import sys
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

from pydantic import Field

from bridge.contract.consent import ConsentClass, FilePreview
from bridge.errors import InvalidParameters, NotFound
from bridge.toolkit.permitted import Denials
from bridge.toolkit.tool import AGENT, VAULT, Applied, CallContext, Output, Unchanged, WriteTool, in_vault
from bridge.tools.formatting import NOTHING_THERE, counted, some, within
from bridge.tools.history.reversals import with_left
from bridge.tools.kinds import CountingCursor, SnakeCaseParams, write_spec
from bridge.tools.services import HistoryPort, PastChange
from bridge.vault.plan import ChangePlan

MOST = 200
"""Changes that are listed, or taken back at once."""

_NAMED = 3
_ROOM = 1000
"""Bytes of a diff's text that are kept for the change's summary, and for how to go on."""


class HistoryParams(SnakeCaseParams):
    """The action, and the changes that it is for."""

    action: Literal["list", "diff", "undo"] = "list"
    execution_id: str | None = Field(
        default=None, min_length=1, max_length=200, description="Default: the newest. For list: only older"
    )
    count: int = Field(default=1, ge=1, le=MOST, description="For undo: how many, as one question")
    limit: int = Field(default=20, ge=1, le=MOST, description="For list: how many")
    cursor: CountingCursor | None = None


class _Entry(NamedTuple):
    """A change, and the files of it that the caller may see."""

    change: PastChange
    files: tuple[str, ...]
    left: tuple[str, ...]


class HistoryTool(WriteTool[HistoryParams]):
    """The tool that lists and takes back changes. A caller has only its own, without files that the user has closed.

    Args:
        history: The changes.
        closed: The rules that close files.
    """

    spec = write_spec(
        name="history",
        action="look/looked at the history or took back changes[: {files}]",
        description="Your own changes: list them, show the diff of one, undo the newest.",
        icon="history",
        parameters=HistoryParams,
        consent_class=ConsentClass.NEVER,
        id_prefix="undo",
        presets=frozenset({AGENT, VAULT}),
        stages=False,
    )

    def __init__(self, history: HistoryPort, closed: Denials) -> None:
        self._history = history
        self._closed = closed

    def prepare(self, params: HistoryParams, context: CallContext) -> ChangePlan | Unchanged:
        """Return the changes that there are, or the plan that takes them back."""
        credential = context.caller.sees_changes_of
        entries = self._entries(context)
        if params.action == "list":
            if params.execution_id is not None:
                entries = entries[entries.index(_one(entries, params.execution_id)) + 1 :]
            return _listed(entries, params.limit)
        applied = [entry for entry in entries if entry.change.state == "applied"]
        if params.action == "diff":
            return self._diff(_one(entries, params.execution_id), int(params.cursor or 0), context)
        if params.execution_id is not None:
            if params.count > 1:
                raise InvalidParameters("Give either execution_id or count, and not both")
            return self._history.undo_plan(_one(entries, params.execution_id).change.execution_id, credential)[1]
        if len(applied) < params.count:
            raise NotFound(f"You have made {counted(len(applied), 'change')} that can be undone, and no more")
        chosen = [entry.change.execution_id for entry in applied[: params.count]]
        return self._history.undo_several_plan(chosen, credential)

    def report(self, params: HistoryParams, applied: Applied) -> Output:
        """Report which changes were taken back."""
        del params
        changes = (applied.plan.reverses or "").split(",")
        files = list(applied.plan.targets)
        named = _named(files) if len(files) <= _NAMED else f"{applied.plan.counted_files}, such as {files[0]}"
        undone = Output({"undone": changes, "files": files}, f"Undone: {some(changes)} ({named})")
        return with_left(undone, applied.plan, brief=True)

    def _entries(self, context: CallContext) -> list[_Entry]:
        """Return the caller's changes, the newest first; those to closed files alone are left out."""
        is_open, entries = self._opens(context), list[_Entry]()
        for change in self._history.history(limit=sys.maxsize, credential=context.caller.sees_changes_of):
            if files := tuple(filter(is_open, change.files)):
                entries.append(_Entry(change, files, tuple(str(one) for one in change.left if is_open(one.path))))
        return entries

    def _opens(self, context: CallContext) -> Callable[[str], bool]:
        """Return a function that tells whether the caller may see a file."""
        denial = None if context.caller.client.is_person else self._closed()
        return lambda path: denial is None or denial(path) is None

    def _diff(self, entry: _Entry, first: int, context: CallContext) -> Unchanged:
        """Return what a change did to each file, as far as there is room, without the first so many files."""
        found, is_open = self._history.diff(entry.change.execution_id), self._opens(context)
        files = [file for file in found.files if all(map(is_open, _places(file)))]
        lost = list(filter(is_open, found.lost))
        data = {
            "execution_id": entry.change.execution_id,
            "files": [
                {"path": file.path, "change": file.change, "new_path": file.new_path, "diff": file.diff}
                for file in files
            ],
            "lost": lost,
        }
        if first and first >= len(files):
            raise InvalidParameters(NOTHING_THERE)
        diffs = [file.diff or _without_diff(file) for file in files[first:]]
        shown = within(diffs, context.settings.max_output_bytes - _ROOM) or diffs[:1]
        metadata: dict[str, Any] = {"truncated": any(file.truncated for file in files)}
        end = first + len(shown)
        if end < len(files):
            metadata |= {"truncated": True, "cursor": str(end)}
            shown.append(f"[Files {first + 1}-{end} of {len(files)}; next: cursor={end}]")
        text = "\n".join([f"{entry.change.execution_id}: {entry.change.summary}", *shown])
        what = f"Show what the change {entry.change.execution_id} did"
        return Unchanged(in_vault(*entry.files), what, Output(data, text, metadata))


def _listed(entries: Sequence[_Entry], limit: int) -> Unchanged:
    shown = entries[:limit]
    data: list[dict[str, Any]] = [
        {
            "execution_id": entry.change.execution_id,
            "time": entry.change.time,
            "tool": entry.change.tool,
            "state": entry.change.state,
            "files": list(entry.files),
            "added": entry.change.added,
            "removed": entry.change.removed,
            "can_undo": entry.change.can_undo and entry.change.state == "applied",
            **({"left": list(entry.left)} if entry.left else {}),
        }
        for entry in shown
    ]
    lines = [_line(entry) for entry in shown]
    if not entries:
        lines.append("You have changed nothing in this vault.")
    elif len(entries) > limit:
        last = shown[-1].change.execution_id
        lines.append(f"[{limit} of {len(entries)} changes shown. For older ones, set execution_id to {last!r}.]")
    files = dict.fromkeys(path for entry in shown for path in entry.files)
    metadata = {"total": len(entries), "truncated": len(entries) > limit}
    return Unchanged(in_vault(*files), "List the changes that it has made", Output(data, "\n".join(lines), metadata))


def _one(entries: Sequence[_Entry], execution_id: str | None) -> _Entry:
    """Return the change that is meant; the newest without an id."""
    for entry in entries:
        if execution_id in {None, entry.change.execution_id}:
            return entry
    if execution_id is None:
        raise NotFound("You have changed nothing in this vault")
    raise NotFound(f"You have made no change {execution_id!r}; the action 'list' shows those there are")


def _line(entry: _Entry) -> str:
    change = entry.change
    what = f"{change.tool} {_named(entry.files)} (+{change.added} -{change.removed})"
    return "; ".join([f"{change.execution_id} {change.time[:16]} {change.state}: {what}", *entry.left])


def _named(files: Sequence[str]) -> str:
    more = f" and {len(files) - _NAMED} more" if len(files) > _NAMED else ""
    return f"{', '.join(files[:_NAMED])}{more}"


def _places(file: FilePreview) -> Sequence[str]:
    return [path for path in (file.path, file.new_path) if path]


def _without_diff(file: FilePreview) -> str:
    return f"{file.change} {' to '.join(_places(file))}"
