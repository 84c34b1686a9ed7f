"""The tool `rename_property`: a property gets another name in all notes, in one change."""

import re
from functools import partial

from pydantic import Field

from bridge.contract.consent import ConsentClass
from bridge.errors import InvalidParameters, NotFound
from bridge.notes.properties import rename_property
from bridge.toolkit.tool import CallContext, Output, Unchanged, in_vault
from bridge.tools.everyday.many_notes import EverywhereTool
from bridge.tools.kinds import LONGEST_PATH, LONGEST_TAG, SnakeCaseParams, write_spec
from bridge.tools.paths import folder_start
from bridge.vault.paths import fold
from bridge.vault.plan import ChangePlan

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


class RenamePropertyParams(SnakeCaseParams):
    """The property, and its new name."""

    property: str = Field(min_length=1, max_length=LONGEST_TAG, description="The property's name; case does not matter")
    new_name: str = Field(min_length=1, max_length=LONGEST_TAG, description="Its new name")
    folder: str | None = Field(default=None, max_length=LONGEST_PATH, description="Only in the notes of this folder")


class RenamePropertyTool(EverywhereTool[RenamePropertyParams]):
    """The tool that renames a property."""

    spec = write_spec(
        name="rename_property",
        title="Rename property",
        action="rename/renamed the property[ {property}][ to {new_name}]",
        description="Rename a property in all notes. Values, order and comments stay; a note that has both is left.",
        icon="list",
        parameters=RenamePropertyParams,
        consent_class=ConsentClass.NEVER,
        id_prefix="rename",
        timeout=300.0,
    )

    def prepare(self, params: RenamePropertyParams, context: CallContext) -> ChangePlan | Unchanged:
        """Plan the property in every note."""
        from bridge.bases.following import PropertyFollower  # noqa: PLC0415 - a start is faster without

        old, new = params.property.strip(), params.new_name.strip()
        if not new or _CONTROL.search(new):
            raise InvalidParameters(f"{params.new_name!r} cannot be the name of a property; give one line")
        inside = folder_start(params.folder, self._storage, real=True)
        knowledge = self._storage.knowledge
        knowledge.refresh()
        paths = [
            facts.path
            for facts in knowledge.notes()
            if facts.path.startswith(inside) and any(fold(name) == fold(old) for name in facts.properties)
        ]
        if not paths:
            raise NotFound(f"No note has the property {old!r}")
        builder = self._storage.plan()
        changed, left = self._notes.edit(
            builder, paths, partial(rename_property, old=old, new=new), context, PropertyFollower(old, new)
        )
        if not changed:
            message = Output({"updated": [], "updatedCount": 0, "left": left}, f"Nothing to rename to {new!r}.")
            return Unchanged(in_vault(*paths), f"Look at the notes with the property {old!r}", message)
        summary = f"Rename the property {old!r} to {new!r} in {changed}"
        return builder.build(self.spec.operation, summary, left, renamed_property=old.lower())
