"""The tool `mend_links`: links that another program's moves broke lead to their files again. Only the person has it."""

from dataclasses import replace

from pydantic import Field

from bridge.clock import Clock
from bridge.contract.base import Params
from bridge.contract.consent import Operation
from bridge.errors import Conflict, NotFound, ToolFailure
from bridge.index.losses import broken_links
from bridge.toolkit.tool import Applied, CallContext, Output, WriteTool
from bridge.tools.files.link_keeping import KeptLinks, LinkKeeper, broken_data, broken_sentence
from bridge.tools.formatting import counted
from bridge.tools.history.reversals import as_shown, refuse_others
from bridge.tools.kinds import UNLISTED, write_spec
from bridge.tools.storage import PlanningStorage
from bridge.vault.paths import parse_path
from bridge.vault.plan import ChangePlan
from bridge.versions.grouping import followed
from bridge.versions.recorder import Recorder


class LinkMender:
    """The planner that mends the links that an entry broke.

    Args:
        storage: The vault.
        clock: The time.
        moves: The entries.
    """

    def __init__(self, storage: PlanningStorage, clock: Clock, moves: Recorder) -> None:
        self._storage = storage
        self._keeper = LinkKeeper(storage, clock)
        self._moves = moves

    def plan(self, entry_id: str) -> ChangePlan:
        """Return the plan, made against the vault as it is.

        Args:
            entry_id: The entry.

        Raises:
            NotFound: There is no such entry, or it broke no link that is not mended.
            Conflict: None of them can be written.
        """
        self._moves.end_entry()
        entry = self._moves.entry(entry_id)
        if entry is None:
            raise NotFound(f"There is no change {entry_id!r} in the history; history.list shows those there are")
        knowledge = self._storage.everything.knowledge
        knowledge.refresh()
        form = self._storage.app_settings.new_link_format
        found = broken_links(followed(entry, self._moves.entries()), knowledge, form)
        builder, kept = self._storage.plan(), KeptLinks()
        for place, before in found.sources.items():
            try:
                data = self._storage.everything.read(parse_path(place))[0]
            except ToolFailure:
                kept.warnings.append(f"{place!r} cannot be read, so its links stay as they are")
                continue
            rewritten = self._keeper.rewrite(before, data, found.moving, kept)
            if rewritten is not None:
                builder.modify(parse_path(place), data, rewritten.new)
        if not kept.links and not kept.warnings:
            raise NotFound(f"No links are broken by {entry_id}, or not any more")
        if not kept.links:
            raise Conflict("; ".join(kept.warnings), code="exists")
        what = f"Mend {counted(kept.links, 'link')} in {counted(kept.notes, 'note')} that {entry_id} broke"
        return replace(builder.build(Operation.UPDATE, what, kept.warnings, broken=kept.broken), restores=True)


class MendParams(Params):
    """The change that broke the links, and what was shown of it."""

    execution_id: str = Field(min_length=1, max_length=200, description="The change's id")
    plan: str = Field(min_length=1, max_length=200, description="The digest of what was shown")


class MendTool(WriteTool[MendParams]):
    """The tool that rewrites the links that another program broke by moving files.

    Args:
        mender: Makes the plan.
    """

    spec = write_spec(
        name="mend_links",
        title="Mend links",
        action="mend/mended links that another program broke[ in {files}]",
        description="Mend the links that another program broke by moving files.",
        icon="link",
        parameters=MendParams,
        id_prefix="mend",
        **UNLISTED,
    )

    def __init__(self, mender: LinkMender) -> None:
        self._mender = mender

    def prepare(self, params: MendParams, context: CallContext) -> ChangePlan:
        """Plan it against the vault as it is, if the plan is the one that was shown."""
        refuse_others(context)
        return as_shown(self._mender.plan(params.execution_id), params.plan)

    def report(self, params: MendParams, applied: Applied) -> Output:
        """Report which files were changed, and which links could not be mended."""
        files = [change.path for change in applied.plan.changes]
        text = f"Mended: links in {counted(len(files), 'file')} that {params.execution_id} broke."
        data = {"files": files, **broken_data(applied.plan)}
        return Output(data, text + broken_sentence(applied.plan))
