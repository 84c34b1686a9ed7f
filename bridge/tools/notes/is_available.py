"""The tool `is_available`: whether a new note may have a name."""

from pydantic import Field

from bridge.contract.consent import RiskLevel
from bridge.errors import InvalidParameters
from bridge.toolkit.output_schema import TEXT, YES_OR_NO, a_list, members
from bridge.toolkit.tool import CallContext, Output, ReadEffect, in_vault
from bridge.tools.formatting import UNLINKABLE
from bridge.tools.kinds import read_spec
from bridge.tools.notes.lookup import NoteReadTool
from bridge.tools.parameters import NoteName, SnakeCaseParams
from bridge.vault.paths import check_new_name, parse_path
from bridge.vault.text import NOTE_EXTENSION, is_note


class IsAvailableParams(SnakeCaseParams):
    """The name, and where."""

    name: NoteName = Field(description="Note name (without extension)")
    folder: str | None = Field(
        default=None, max_length=2000, description="Folder for the note (default: the whole vault is searched)"
    )


class IsAvailableTool(NoteReadTool[IsAvailableParams]):
    """The tool that tells whether no note has a name yet."""

    spec = read_spec(
        name="is_available",
        title="Is available",
        action="check/checked whether {name|a name} is free",
        description=(
            "Check whether a note name is still free, in a folder or in the whole vault, before creating a note."
        ),
        icon="circle-check",
        parameters=IsAvailableParams,
        output=members(available=YES_OR_NO, name=TEXT, path=TEXT, matches=a_list(members(name=TEXT, path=TEXT))),
        risk=RiskLevel.SAFE,
    )

    def prepare(self, params: IsAvailableParams, context: CallContext) -> ReadEffect:
        """Check the name."""
        path = _path(params, portable=context.settings.portable_names)
        return ReadEffect(in_vault(path), f"Check whether {path!r} is free")

    def run(self, params: IsAvailableParams, context: CallContext) -> Output:
        """Look."""
        path = _path(params, portable=context.settings.portable_names)
        name = path.rpartition("/")[2][: -len(NOTE_EXTENSION)]
        free = self._notes.is_available(params.name, params.folder)
        taken = [] if free else [match.to_wire() for match in self._notes.find_matches(params.name)[:50]]
        where = "in the vault" if params.folder is None else f"in {params.folder.strip('/') or 'the top folder'!r}"
        text = f"{name!r} is available {where}." if free else f"{name!r} is taken {where}."
        if free and any(character in name for character in UNLINKABLE):
            text += " Links will not work with a name that contains # ^ [ ] |."
        return Output({"available": free, "name": name, "path": path, "matches": taken}, text)


def _path(params: IsAvailableParams, *, portable: bool) -> str:
    """Return where the note would be.

    Raises:
        InvalidParameters: No note can be there.
    """
    name = params.name.strip().strip("/")
    if not name:
        raise InvalidParameters("name is empty; give the new note's name, such as 'My Note'")
    name = name if is_note(name) else name + NOTE_EXTENSION
    path = parse_path(f"{(params.folder or '').strip('/')}/{name}", strip_slashes=True)
    check_new_name(path.name, portable=portable)
    return str(path)
