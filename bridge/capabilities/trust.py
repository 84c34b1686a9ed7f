"""Clients and what they were allowed: who there is, the answers that were remembered, and for how long."""

import asyncio
from typing import Final, NamedTuple

from bridge.capabilities.base import Base
from bridge.consent.client_grants import ClientGrants
from bridge.consent.grants import GrantStore
from bridge.consent.permission_file import PermissionFile
from bridge.consent.screens import Screens
from bridge.consent.web_readers import AgentsAddresses, WebReaders
from bridge.contract.hosts import ScreenShow
from bridge.errors import DeadlineExceeded
from bridge.identity.store import ClientStore
from bridge.rpc.hosts import HostEditors
from bridge.settings.model import SettingsChange

SWEEP_SECONDS: Final = 60.0
"""The interval at which grants that nobody uses are ended, and the use of the others is written down."""


class Trust(NamedTuple):
    """The callers, and what they may do without asking.

    Attributes:
        clients: The clients with a name of their own.
        grants: The remembered answers.
        web_readers: The clients that have read from the web.
        agents_addresses: The addresses that agents put together and wrote.
        screens: The person's screen in Obsidian.
    """

    clients: ClientStore
    grants: GrantStore
    web_readers: WebReaders
    agents_addresses: AgentsAddresses
    screens: Screens


async def open_trust(base: Base) -> Trust:
    """Build it. The remembered answers and the settings are bound both ways."""
    settings, clock, folder = base.settings, base.clock, base.kept("clients")

    def days() -> int | None:
        return settings.current.grant_expiry_days

    clients = ClientStore(folder, clock=clock, on_change=base.clients_changed)
    permissions = PermissionFile(base.state, clock=clock)
    answers = ClientGrants(folder, clock=clock, days=days, name_of=clients.name_of)
    grants = GrantStore(
        permissions,
        clock=clock,
        modes=lambda: settings.current.consent_mode,
        set_mode=settings.set_mode,
        clients=answers,
        title_of=base.registry.title_of,
        always_allowed=base.registry.always_allowed,
        days=days,
    )

    def modes_changed(change: SettingsChange) -> None:
        for tool, mode in change.modes().items():
            grants.mode_set(tool, mode)

    settings.on_change(modes_changed)
    base.session_ended.on(grants.session.end_session)
    base.stack.callback(grants.sweep)
    await asyncio.to_thread(grants.sweep)
    base.repeat(SWEEP_SECONDS, grants.sweep)
    editors = HostEditors(base.hub, clock)

    def unsaved(path: str) -> bool | None:
        try:
            return path in editors.look([path]).unsaved
        except DeadlineExceeded:
            return None

    def show(told: ScreenShow) -> bool:
        plugins = [peer for peer in base.hub.peers if "dirty" in peer.can]
        base.hub.notify(plugins[-1:], told)
        return bool(plugins)

    screens = Screens(
        grants,
        clock=clock,
        settings=lambda: settings.current,
        is_open=lambda connection: any(peer.id == connection for peer in base.hub.peers),
        client=clients.by_id,
        notify=base.hub.notify_client,
        present=show,
        is_unsaved=unsaved,
    )
    base.session_ended.on(screens.forget)
    trust = Trust(clients, grants, WebReaders(folder, clock), AgentsAddresses(folder), screens)
    base.faults.look_at(permissions, clients, answers.file, trust.web_readers.file, trust.agents_addresses.file)
    return trust
