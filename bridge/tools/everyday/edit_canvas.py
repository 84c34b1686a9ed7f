"""The tool `edit_canvas`: cards that are added, changed, removed, connected and arranged, in one change."""

from typing import Annotated

from pydantic import Field

from bridge.errors import InvalidParameters
from bridge.notes.canvas_board import CANVAS, Side
from bridge.notes.canvas_edit import Action, CanvasOperation, edit_canvas
from bridge.toolkit.tool import CallContext, Output, Unchanged, in_vault
from bridge.tools.formatting import some
from bridge.tools.kinds import LONGEST_PATH, RequiredPath, SnakeCaseParams, VaultWriteTool, write_spec
from bridge.tools.paths import existing_path, read_text
from bridge.vault.plan import Applied, ChangePlan
from bridge.vault.text import encode

MOST_OPERATIONS = 100

_Card = Annotated[str, Field(min_length=1, max_length=2000)]
_Length = Annotated[int, Field(ge=20, le=20_000)]


class Operation(SnakeCaseParams):
    """One change of a canvas."""

    action: Action = Field(description="What to do")
    card: _Card | None = Field(
        None, description="For change and remove: a card, by id, first line, file or URL; or a connection's id"
    )
    cards: list[_Card] | None = Field(
        None, max_length=1000, description="For arrange: which cards (default: those of group)"
    )
    name: _Card | None = Field(None, description="For add: what later operations of the call name it")
    text: str | None = Field(None, max_length=200_000, description="A text card's Markdown")
    file: str | None = Field(None, min_length=1, max_length=LONGEST_PATH, description="A file card's note or file")
    subpath: str | None = Field(
        None, max_length=2000, pattern="^(#.+)?$", description="Of file: '#Heading' or '#^block'; empty: all"
    )
    url: str | None = Field(None, max_length=4000, pattern=r"^https?://\S+$", description="A web card's page")
    label: str | None = Field(
        None, max_length=2000, description="Of a connection, or for add alone: a new group; empty removes it"
    )
    group: _Card | None = Field(None, description="Place in this group, which grows if need be")
    beside: _Card | None = Field(None, description="Place beside this card")
    side: Side = Field("right", description="Of beside")
    color: str | None = Field(
        None, pattern=r"^([1-6]|#[0-9a-fA-F]{6})?$", description="'1' to '6' or '#rrggbb'; empty removes it"
    )
    width: _Length | None = Field(None, description="In pixels")
    height: _Length | None = None
    from_card: _Card | None = Field(None, description="For connect")
    to_card: _Card | None = Field(None, description="For connect")


class EditCanvasParams(SnakeCaseParams):
    """The canvas, and the changes to it."""

    path: RequiredPath = Field(description="The canvas")
    operations: list[Operation] = Field(
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

    def _operation(self, asked: Operation) -> CanvasOperation:
        """Return a change as the canvas takes it: a file by its whole path in the vault.

        Raises:
            NotFound: There is no such file.
            InvalidParameters: It is no path.
        """
        values = asked.model_dump()
        if asked.file is not None:
            values["file"] = str(self._storage.stat(existing_path(asked.file, self._storage, "file")).path)
        return CanvasOperation(**values)

    def report(self, _params: EditCanvasParams, applied: Applied) -> Output:
        """Report what was done, in words."""
        (shown,) = applied.plan.previews
        text = f"Done: {applied.plan.summary}. ({applied.execution_id})"
        return Output({"path": shown.path, "diff": shown.diff}, text)
