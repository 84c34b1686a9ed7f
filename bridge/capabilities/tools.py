"""The tools that look at the vault, over the vault and over each draft; and the drafts themselves."""

import asyncio
from dataclasses import replace
from typing import NamedTuple

from bridge.capabilities.base import Base
from bridge.capabilities.history import RETAIN_SECONDS, History
from bridge.capabilities.trust import Trust
from bridge.contract.events import DraftsChanged
from bridge.drafts.draft import Base as DraftBase
from bridge.drafts.draft import DraftLimits
from bridge.drafts.store import Drafts
from bridge.index.vault_index import VaultIndex
from bridge.notes.additions import judge
from bridge.pictures.reader import PictureReader
from bridge.policy.redaction import hide_secrets
from bridge.ports import Late, Signal
from bridge.toolkit.call_registry import CallRegistry
from bridge.tools import draft_provider, providers
from bridge.tools.drafts import DraftedTools
from bridge.tools.services import ToolServices
from bridge.tools.templates.templates import TemplateStore
from bridge.vault.plan import ChangePlan, PlanBuilder


class VaultTools(NamedTuple):
    """The tools that look at the vault.

    Attributes:
        services: The services they are built from.
        drafts: The drafts of the vault's clients.
        templates: The chains that the user keeps under a name.
    """

    services: ToolServices
    drafts: Drafts
    templates: TemplateStore


async def open_tools(
    base: Base, trust: Trust, history: History, index: VaultIndex, *, calls: Late[CallRegistry]
) -> VaultTools:
    """Register them, with the drafts that there are.

    Args:
        base: The foundation they are built on.
        trust: The rules that close files.
        history: What undo and redo take back and repeat.
        index: The index of the vault.
        calls: Where the calls will be that have a ticket: they are made by the tools.
    """
    base.stack.push_async_callback(base.registry.stop)
    pictures = PictureReader(base.clock, hide_secrets)
    base.stop_in_thread(pictures.close)
    services = ToolServices(
        files=base.files,
        everything=index,
        history=history.ledger,
        clock=base.clock,
        denied=trust.grants.closed,
        meaning=lambda: base.vectors.made,
        file_texts=base.file_texts,
        pictures=pictures,
        screens=trust.screens,
        handed=base.session_files.handed,
        calls=calls.get,
        decided=lambda caller: drafts.decided(caller),  # noqa: PLW0108 - they are made below
    )
    ended: Signal[[str]] = Signal()

    def limits() -> DraftLimits:
        current = base.settings.current
        return DraftLimits(current.draft_files, current.draft_megabytes)

    drafts = Drafts(
        base.kept("drafts").path,
        DraftBase(base.files, index, lambda: PlanBuilder(base.root, judge), limits),
        clock=base.clock,
        days=lambda: base.settings.current.draft_days,
        on_change=lambda: base.on_loop(lambda: base.hub.notify_hosts(DraftsChanged())),
        on_end=ended,
    )
    drafted = DraftedTools(
        drafts, lambda draft: providers(replace(services, files=draft.files, everything=draft.index))
    )
    ended.on(lambda draft_id: base.on_loop(lambda: base.hub.spawn(drafted.end(draft_id))))
    base.stop_in_thread(drafts.stop)
    base.stack.push_async_callback(drafted.stop)
    await asyncio.to_thread(drafts.load)
    base.hub.spawn(asyncio.to_thread(drafts.prepare))
    base.repeat(RETAIN_SECONDS, drafts.sweep)
    base.touched.on(drafts.changed)

    def applied(plan: ChangePlan) -> None:
        drafts.changed(plan.targets)
        if plan.draft is not None:
            drafts.taken(plan.draft, plan.rest)

    base.applied.on(applied)
    templates = TemplateStore(base.kept("templates"))
    base.faults.look_at(templates.file)
    for provider in (*drafted.wrapped(providers(services)), draft_provider(drafts, templates, base.clock)):
        await base.registry.add(provider)
    return VaultTools(services, drafts, templates)
