"""The tool `delete`: files, folders and notes, into the trash, in one change."""

from collections.abc import Iterator, Sequence
from typing import Annotated

from pydantic import Field

from bridge.contract.consent import ConsentClass, Operation
from bridge.toolkit.tool import AGENT, CallContext
from bridge.tools.agent.several import MOST_FILES, Several
from bridge.tools.files.deletion_plan import DeletingTool
from bridge.tools.files.paths import existing_path
from bridge.tools.kinds import by_kind, write_spec
from bridge.tools.parameters import LONGEST_PATH, SnakeCaseParams
from bridge.vault.plan import ChangePlan


class DeleteParams(SnakeCaseParams):
    """The files and folders to delete."""

    paths: Annotated[list[Annotated[str, Field(min_length=1, max_length=LONGEST_PATH)]], Several] = Field(
        min_length=1, max_length=MOST_FILES, description="By path, name or wikilink"
    )


_FILE = frozenset({"delete", "delete_file"})


def _acts(_params: DeleteParams, paths: Sequence[str]) -> Iterator[frozenset[str]]:
    return by_kind(paths, _FILE | {"delete_note"}, _FILE)


class DeleteTool(DeletingTool[DeleteParams]):
    """The tool that puts files and folders into the trash."""

    spec = write_spec(
        name="delete",
        title="Delete",
        action="delete/deleted {files|files}",
        description="Delete notes, files or folders, into the user's trash.",
        icon="trash-2",
        parameters=DeleteParams,
        operation=Operation.DELETE,
        consent_class=ConsentClass.NEVER,
        presets=frozenset({AGENT}),
        replaces=frozenset({"delete_file", "delete_note"}),
        acts=_acts,
    )

    def prepare(self, params: DeleteParams, context: CallContext) -> ChangePlan:
        """Plan what goes."""
        places = []
        for name in params.paths:
            path = existing_path(name, self._storage)
            self._storage.is_folder(path)
            places.append(path)
        return self._deletions.plan(places, context)
