"""Organize note: move or rename a note; links follow (seed S, "organize_note")."""

from pydantic import Field

from bridge.tools.files.move_answers import RequiredDestination, RequiredSource
from bridge.tools.files.move_file import MoveFileParams, MoveFileTool
from bridge.tools.files.paths import note_path
from bridge.vault.paths import VaultPath


class OrganizeNoteParams(MoveFileParams):
    """Seed S's parameters."""

    source: RequiredSource = Field(description="Current path of the note")
    destination: RequiredDestination = Field(
        description="New path of the note, its name included; missing folders are made"
    )


class OrganizeNoteTool(MoveFileTool):
    """Moves a note: as a file is moved, but `.md` may be left out."""

    name = "organize_note"
    title = "Organize Note"
    description = (
        "Rename or move a note; .md is added where missing. Links in all notes, properties and canvases follow, in "
        "one change with one undo; the user sees each of them first. Never overwrites."
    )
    icon = "folder-tree"
    parameters = OrganizeNoteParams
    id_prefix = "organize"

    def _place(self, text: str, parameter: str) -> VaultPath:
        return note_path(text, self._files, parameter)
