"""The tool `edit_canvas`: cards that are added, changed, removed, connected and arranged, in one change."""

from pydantic import Field

from bridge.errors import InvalidParameters
from bridge.notes.canvas_board import CANVAS
from bridge.notes.canvas_edit import CanvasOperation, edit_canvas
from bridge.toolkit.tool import CallContext, Output, Unchanged, in_vault
from bridge.tools.formatting import some
from bridge.tools.kinds import RequiredPath, SnakeCaseParams, VaultWriteTool, write_spec
from bridge.tools.paths import existing_path, read_text
from bridge.vault.plan import Applied, ChangePlan
from bridge.vault.text import encode

MOST_OPERATIONS = 100


class EditCanvasParams(SnakeCaseParams):
    """The canvas, and the changes to it."""

    path: RequiredPath = Field(description="The canvas")
    operations: list[CanvasOperation] = Field(
        min_length=1, max_length=MOST_OPERATIONS, description="One after the other; read with outline lists the cards"
    )


class EditCanvasTool(VaultWriteTool[EditCanvasParams]):
    """The tool that changes a canvas."""

    spec = write_spec(
        name="edit_canvas",
        action="change/changed {files|a canvas}",
        description=(
            "Add, change, remove, connect or arrange cards of a canvas. New cards overlap no other; "
            "nothing else in the file changes."
        ),
        icon="layout-dashboard",
        parameters=EditCanvasParams,
        id_prefix="canvas",
        acts=lambda _params, _paths: [frozenset({"edit_canvas", "edit", "edit_file"})],
    )

    def prepare(self, params: EditCanvasParams, _context: CallContext) -> ChangePlan | Unchanged:
        """Work out what the file will be."""
        place = existing_path(params.path, self._storage)
        if not str(place).lower().endswith(CANVAS):
            raise InvalidParameters(f'"{place}" is no canvas; use edit')
        path, data = read_text(self._storage, place)
        operations = [self._operation(each) for each in params.operations]
        text, deeds = edit_canvas(data.decode("utf-8"), operations)
        new = encode(text)
        if new == data:
            output = Output({"path": str(path)}, f'No changes made: "{path}" already is as asked.')
            return Unchanged(in_vault(str(path)), f"Compare {path} with a change", output)
        builder = self._storage.plan()
        builder.modify(path, data, new)
        # That a card was made says that its file is there: it takes what reading that file takes.
        files = sorted({each.file for each in operations if each.file is not None})
        return builder.build(self.spec.operation, f"Edit {path}: {some(deeds, '; ')}", reads=files)

    def _operation(self, asked: CanvasOperation) -> CanvasOperation:
        """Return a change with its file by its whole path in the vault.

        Raises:
            NotFound: There is no such file.
            InvalidParameters: It is no path.
        """
        if asked.file is None:
            return asked
        path = self._storage.stat(existing_path(asked.file, self._storage, "file")).path
        return asked.model_copy(update={"file": str(path)})

    def report(self, _params: EditCanvasParams, applied: Applied) -> Output:
        """Report what was done, in words."""
        (shown,) = applied.plan.previews
        text = f"Done: {applied.plan.summary}. ({applied.execution_id})"
        return Output({"path": shown.path, "diff": shown.diff}, text)
