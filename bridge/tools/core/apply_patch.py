"""The tool `apply_patch`: edits by line numbers, or a unified diff, always shown and asked."""

import dataclasses
from collections.abc import Sequence

from pydantic import Field, model_validator

from bridge.clock import Clock
from bridge.contract.base import Params
from bridge.contract.consent import ConsentClass, FilePreview
from bridge.errors import Ambiguous, DeadlineExceeded, InvalidParameters
from bridge.index.knowledge import NoteResolver, locate
from bridge.toolkit.tool import AGENT, VAULT, Applied, CallContext, Output, WriteTool
from bridge.tools.core.hunk_matching import Check, apply_hunks, new_content
from bridge.tools.core.patch_text import FilePatch, parse_patch
from bridge.tools.formatting import counted
from bridge.tools.kinds import LONGEST_PATH, write_spec
from bridge.tools.storage import PlanningStorage, exists
from bridge.vault.edits import LineEdit, apply_edits
from bridge.vault.paths import VaultPath, parse_path
from bridge.vault.plan import ChangePlan, PlanBuilder

MOST_PATCHES = 1000
LONGEST_PATCH = 1_000_000


class LinePatch(Params):
    """One edit by line numbers."""

    start_line: int = Field(ge=1, description="First line, from 1")
    end_line: int = Field(ge=0, description="Last line, inclusive; startLine - 1 inserts before startLine")
    new_content: str = Field(description="Empty deletes the lines")


class ApplyPatchParams(Params):
    """The edits of one file (`path`, `patches`), or a unified diff (`patch`)."""

    path: str | None = Field(
        default=None,
        max_length=LONGEST_PATH,
        description="Path, name or wikilink; with patch, only if that names none",
    )
    patches: list[LinePatch] | None = Field(
        default=None,
        min_length=1,
        max_length=MOST_PATCHES,
        description="Line numbers are those before the call",
    )
    patch: str | None = Field(
        default=None,
        min_length=1,
        max_length=LONGEST_PATCH,
        description="Instead: a unified diff of one or several files; '--- /dev/null' creates a file",
    )

    @model_validator(mode="after")
    def _one_way(self) -> "ApplyPatchParams":
        if (self.patches is None) == (self.patch is None):
            raise ValueError("give either patches or patch, and not both")
        if self.patches is not None and self.path is None:
            raise ValueError("path is missing: patches need the file they edit")
        return self


class ApplyPatchTool(WriteTool[ApplyPatchParams]):
    """The tool that changes lines of files.

    Args:
        storage: The vault.
        clock: The clock that deadlines are given in.
    """

    spec = write_spec(
        name="apply_patch",
        title="Apply patch",
        action="change/changed {files|a file}",
        description=(
            "Propose and apply file edits with diff preview and undo support: line ranges of one file (path, patches), "
            "or a unified diff (patch)."
        ),
        icon="wrench",
        parameters=ApplyPatchParams,
        fixed_risk=True,
        consent_class=ConsentClass.NEVER,
        id_prefix="patch",
        presets=frozenset({AGENT, VAULT}),
    )

    def __init__(self, storage: PlanningStorage, clock: Clock) -> None:
        self._storage = storage
        self._resolver = NoteResolver(storage.knowledge)
        self._clock = clock

    def prepare(self, params: ApplyPatchParams, context: CallContext) -> ChangePlan:
        """Work out the new content of every file."""

        def check() -> None:
            if self._clock.monotonic() > context.deadline:
                raise DeadlineExceeded("Finding the hunks' places did not end in time; use patches with line numbers")

        builder = self._storage.plan()
        if params.patches is not None:
            path, data = self._read(params.path or "")
            edits = [LineEdit(patch.start_line, patch.end_line, patch.new_content) for patch in params.patches]
            edited = apply_edits(data, edits, path)
            if edited.data == data:
                raise InvalidParameters(f"Nothing would change: {str(path)!r} already has exactly this content")
            builder.modify(path, data, edited.data, edited.regions)
        else:
            for patch, name in self._named(parse_patch(params.patch or "", params.path), params.path):
                self._plan(builder, patch, name, check)
        plan = builder.build(self.spec.operation, "")
        return dataclasses.replace(plan, summary=_summary(plan.previews))

    def report(self, params: ApplyPatchParams, applied: Applied) -> Output:
        """Report the diff that was applied, and where the bytes from before are."""
        del params
        files = [preview for preview in applied.plan.previews if preview.change in {"modify", "create"}]
        overwritten = [preview.path for preview in files if preview.change == "modify"]
        backup = applied.backup if overwritten else None
        if backup is not None and len(overwritten) == 1:
            backup += overwritten[0]
        data = {
            "modified": True,
            "diff": "".join(preview.diff for preview in files),
            "backupPath": backup,
            "files": [
                {"path": file.path, "change": file.change, "added": file.added, "removed": file.removed}
                for file in files
            ],
        }
        return Output(data, f"Done: {applied.plan.summary} ({applied.execution_id}).")

    def _read(self, name: str) -> tuple[VaultPath, bytes]:
        data, stat = self._storage.read(locate(self._storage, self._resolver, name, certain=True))
        return stat.path, data

    def _plan(self, builder: PlanBuilder, patch: FilePatch, name: str, check: Check) -> None:
        """Add one file of a diff to the plan."""
        if patch.creates:
            builder.create(self._storage.resolve_new(parse_path(name)), new_content(patch.hunks))
            return
        path, data = self._read(name)
        edited = apply_hunks(data, patch.hunks, path, check)
        if edited.data == data:
            raise InvalidParameters(f"The patch changes nothing in {str(path)!r}; leave that file out of it")
        builder.modify(path, data, edited.data, edited.regions)

    def _named(self, patches: Sequence[FilePatch], path: str | None) -> list[tuple[FilePatch, str]]:
        """Return every file of a diff with its path. If `path` is given, it must agree with that."""
        if path is None:
            return [(patch, self._name(patch)) for patch in patches]
        if len(patches) > 1:
            raise InvalidParameters(f"The patch is of {len(patches)} files, so leave path out, or send a patch a file")
        names = patches[0].names
        if names == ("",) or parse_path(path) in map(parse_path, names):
            return [(patches[0], path)]
        located = parse_path(path)
        if not patches[0].creates:
            located = locate(self._storage, self._resolver, path, certain=True)
        if located not in map(parse_path, names):
            raise InvalidParameters(f"path is {path!r}, but the patch is of {names[0]!r}; leave out one of the two")
        return [(patches[0], str(located))]

    def _name(self, patch: FilePatch) -> str:
        """Return the path in a diff. Raises Ambiguous when it is not certain."""
        if len(patch.names) > 1 and exists(self._storage, parse_path("b")):
            raise Ambiguous(
                f"The patch creates {patch.names[1]!r}: its 'b/' may be git's or the folder 'b'. Give the path too",
                candidates=patch.names,
            )
        return patch.names[0]


def _summary(previews: Sequence[FilePreview]) -> str:
    """Return the question's sentence."""
    files = [preview for preview in previews if preview.change in {"modify", "create"}]
    counts = _counts(sum(file.added for file in files), sum(file.removed for file in files))
    if len(files) == 1:
        return f"{'Create' if files[0].change == 'create' else 'Edit'} {files[0].path}: {counts}"
    names = ", ".join(file.path for file in files[:3])
    more = f" and {len(files) - 3} more" if len(files) > 3 else ""  # noqa: PLR2004 - as many as are named
    return f"Edit {len(files)} files: {counts} in {names}{more}"


def _counts(added: int, removed: int) -> str:
    """Say how many lines changed."""
    if added == removed:
        return f"{counted(added, 'line')} changed"
    if not removed:
        return f"{counted(added, 'line')} added"
    if not added:
        return f"{counted(removed, 'line')} removed"
    return f"{counted(added, 'line')} added, {removed} removed"
