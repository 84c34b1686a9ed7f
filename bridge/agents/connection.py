"""Connect a program to a vault, and take that back: exactly as it was planned and shown."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

from bridge.agents.credential import Clients, ensure_client
from bridge.agents.file_change import digest
from bridge.agents.machine import ConfigurationRefused
from bridge.agents.planning import Plan, Planner
from bridge.agents.record import ConnectionRecord
from bridge.client import token_storage
from bridge.errors import ExecutionFailed


@dataclass(frozen=True, slots=True)
class ConnectionResult:
    """The result of connecting or disconnecting.

    Attributes:
        backup: The configuration's former bytes, if they were kept.
        added_client: Whether a client was added to the bridge.
        revoked_client: Whether a client was revoked.
    """

    backup: Path | None = None
    added_client: bool = False
    revoked_client: bool = False


class Connector(Planner):
    """The connections of programs on one machine to one vault. Its arguments are the planner's."""

    async def connect(self, plan: Plan, clients: Clients) -> ConnectionResult:
        """Do what a plan says: give the program a client's credential if it has none, and write the files.

        Raises:
            ConfigurationRefused: A file has changed since or cannot be written, or the client is somebody else's.
            BridgeError: The bridge does not add the client.
        """
        added = await ensure_client(self._vault, plan.client, clients)
        record, change = plan.record, plan.configuration
        ours = record is not None and record.file == change.file and digest(change.before) == record.written
        try:
            made = change.missing_folders()
            backup = await asyncio.to_thread(change.apply, back_up=not ours)
            if plan.skill is not None:
                try:
                    await asyncio.to_thread(plan.skill.apply, back_up=False)
                except ConfigurationRefused:
                    await asyncio.to_thread(change.take_back, backup, made)
                    raise
        except ConfigurationRefused:
            if added:
                await self._end_client(plan.client, clients)
            raise
        if plan.files or added or record is None:
            self._note(plan, record if ours else None, backup, added=added)
        replaced = record is not None and record.made_client and record.client != plan.client
        if replaced and record is not None:
            await self._end_client(record.client, clients)
        return ConnectionResult(backup=backup, added_client=added)

    async def disconnect(self, plan: Plan, clients: Clients, *, revoke: bool = False) -> ConnectionResult:
        """Do what a plan says, and revoke the client if connecting added it.

        Args:
            plan: From `plan_disconnect`.
            clients: The bridge's.
            revoke: Whether the client is revoked even if it was there before.

        Raises:
            ConfigurationRefused: A file has changed since or cannot be written.
            BridgeError: The bridge does not revoke the client.
        """
        change, record = plan.configuration, plan.record
        restored = record is not None and digest(change.after) == record.original
        backup = await asyncio.to_thread(change.apply, back_up=not restored)
        if plan.skill is not None:
            await asyncio.to_thread(plan.skill.apply, back_up=False)
            _remove_if_empty(plan.skill.file.parent)
        if restored and record is not None and record.backup is not None:
            record.backup.unlink(missing_ok=True)
        made = record is not None and record.made_client
        ends = revoke or (made and not self._records.hand_on(plan.agent.key_of_record, plan.client))
        ended = ends and await self._end_client(plan.client, clients)
        self._records.forget(plan.agent.key_of_record)
        return ConnectionResult(backup=backup, revoked_client=ended)

    def _note(self, plan: Plan, first: ConnectionRecord | None, backup: Path | None, *, added: bool) -> None:
        """Write down how to take this back.

        Args:
            plan: The plan that was carried out.
            first: The record of before, where the file is still as that says: its original is what is gone back to.
            backup: The bytes of before.
            added: Whether the client was added.
        """
        change, skill, before = plan.configuration, plan.skill, plan.record
        made = before is not None and before.made_client and before.client == plan.client
        record = ConnectionRecord(
            name=plan.name,
            client=plan.client,
            made_client=added or made,
            file=change.file,
            written=digest(change.after),
            backup=first.backup if first else backup,
            original=first.original if first else digest(change.before),
            skill=skill.file if skill else before.skill if before else None,
            skill_written=digest(skill.after) if skill else before.skill_written if before else "",
        )
        try:
            self._records.keep(plan.agent.key_of_record, record)
        except ExecutionFailed as error:
            raise ConfigurationRefused(
                f"{plan.agent.title} is connected, but how to take that back cannot be noted: {error.message}"
            ) from None

    async def _end_client(self, name: str, clients: Clients) -> bool:
        known = any(name.casefold() == other.casefold() for other in await clients.names())
        if known:
            await clients.revoke(name)
        token_storage.remove(self._vault, name)
        return known


def _remove_if_empty(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError:
        return
