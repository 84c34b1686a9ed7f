"""Connect a program to a vault, and take that back: exactly as it was planned and shown.

The program's configuration gets a command and no token: the command finds the client's token in the user's own folder.
What was done is recorded there too, so that it can be undone exactly. A program that supports skills also gets one,
`SKILL.md` beside this file: what an agent that works on the command line reads about a vault.
"""

import asyncio
import hashlib
import json
import os
import re
import shlex
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any, Final

from bridge.agents.credential import Clients, end_client, ensure_client
from bridge.agents.documents import JsonEntries, TomlEntries
from bridge.agents.file_change import FileChange, Written, digest, find, read, real_file, remove_empty, understanding
from bridge.agents.machine import ConfigurationRefused, Machine, slug_of
from bridge.agents.table import Agent, ServerCommand, words_of
from bridge.errors import ExecutionFailed
from bridge.records.folder import RecordFolder, RecordStore

NAME: Final = "vault-bridge"
"""Name of our entry in a program's configuration, unless it is taken."""
FILE: Final = "agents.json"
SKILL: Final = "SKILL.md"
_VAULT, _CLIENT = "--vault", "--client"
_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,48}")


class ConnectionRecord(Written):
    """One program's connection to one vault, with its configuration file as it was left.

    Attributes:
        name: The entry's name in the program's configuration.
        client: The client that it is in the bridge.
        made_client: Whether connecting added that client.
        skill: The skill's file, where one was written.
        skill_written: The hash of that file.
    """

    name: str
    client: str
    made_client: bool
    skill: Path | None = None
    skill_written: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan that has not been carried out yet.

    Attributes:
        agent: The program.
        vault: The vault's real path.
        name: The entry's name.
        client: The client in the bridge.
        configuration: The change to the configuration file.
        skill: The change to the skill, if the program supports skills.
        removes: Whether the connection is taken back.
        record: What was done before, if known.
        kept: Sentences about what is left as it is.
    """

    agent: Agent
    vault: Path
    name: str
    client: str
    configuration: FileChange
    skill: FileChange | None
    removes: bool
    record: ConnectionRecord | None
    kept: tuple[str, ...] = ()

    @property
    def files(self) -> tuple[FileChange, ...]:
        """Return the files that change."""
        both = (self.configuration, self.skill)
        return tuple(change for change in both if change is not None and change.changes)

    @property
    def digest(self) -> str:
        """Return a hash of exactly this plan: what was shown is what is done."""
        parts = [self.agent.key_of_record, self.name, self.client, str(self.removes)]
        for change in self.files:
            parts += [str(change.file), digest(change.before), digest(change.after)]
        return "sha256:" + hashlib.sha256("\n".join(parts).encode()).hexdigest()


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


class Connector:
    """The connections of programs on one machine to one vault: planned, made, and taken back.

    Args:
        machine: The machine.
        vault: The vault's real path.
        words: The command that starts `vault-bridge` on it.
        folder: Where it is written down what was connected.
    """

    def __init__(self, machine: Machine, vault: Path, words: Callable[[], Sequence[str]], folder: RecordFolder) -> None:
        self.machine = machine
        self._vault, self._words = vault, words
        self._file = RecordStore(folder, FILE, dict[str, ConnectionRecord], replace_damaged=True)

    def server(self, client: str) -> ServerCommand:
        """Return the command that a program starts."""
        program, *first = self._words()
        return ServerCommand(program, (*first, "mcp", _VAULT, str(self._vault), _CLIENT, client))

    def connected(self, agent: Agent) -> str | None:
        """Return the client as which a program is connected to this vault; None if it is not.

        Raises:
            ConfigurationRefused: Its configuration cannot be read.
        """
        return next((client for entry in self._held(agent).values() if (client := self._client_of(entry))), None)

    def entry(self, agent: Agent, client: str) -> dict[str, Any] | None:
        """Return the entry by which a program is connected to this vault as a client; None if there is none.

        Raises:
            ConfigurationRefused: Its configuration cannot be read.
        """
        return next((entry for entry in self._held(agent).values() if self._client_of(entry) == client), None)

    def plan_connect(
        self, agent: Agent, *, client: str | None = None, name: str | None = None, skill: bool = True
    ) -> Plan:
        """Return what connecting a program would do; nothing if it is connected already.

        Args:
            agent: The program.
            client: Its client in the bridge; by default the former one, else the program's name.
            name: The name of the entry; by default the former one, else a free name.
            skill: Whether to write the skill too, if the program supports skills.

        Raises:
            ConfigurationRefused: Its configuration cannot be changed; the message says why.
        """
        file, before, entries = self._opened(agent)
        held = entries.read()
        record = self._file.load({}).get(agent.key_of_record)
        name = name or self._own_name(held) or self._free_name(held)
        if not _NAME.fullmatch(name):
            raise ConfigurationRefused(f"{name!r} is no name for a server: letters, digits, - and _ only")
        if name in held and self._client_of(held[name]) is None:
            raise ConfigurationRefused(f"{file} has another server called {name!r}. Name ours with --name")
        chosen = client or self._client_of(held.get(name)) or agent.title
        if record is not None and record.client.casefold() == chosen.casefold():
            chosen = record.client  # to the bridge they are one
        wanted = agent.entry(self.server(chosen))
        old = held.get(name)
        entry = {**old, **wanted} if isinstance(old, dict) else wanted
        entry |= {field: value for field, value in agent.defaults.items() if field not in entry}
        with _naming(file):
            after = before if entry == old else entries.put(name, entry).encode()
        written, kept = self._skill_change(agent, name, chosen, record) if skill else (None, ())
        change = FileChange(file, before, after)
        return Plan(agent, self._vault, name, chosen, change, written, removes=False, record=record, kept=kept)

    def plan_disconnect(self, agent: Agent) -> Plan:
        """Return what disconnecting a program would do. Raises what `plan_connect` raises."""
        file, before, entries = self._opened(agent)
        held = entries.read()
        record = self._file.load({}).get(agent.key_of_record)
        name = self._own_name(held) or (record.name if record else NAME)
        client = self._client_of(held.get(name)) or (record.client if record else agent.title)
        after = before
        if name in held and self._client_of(held[name]) is not None:
            with _naming(file):
                after = entries.take(name).encode()
        if record is not None and record.is_still(file, before):
            after = record.former(after)
        change = FileChange(file, before, after)
        skill, kept = None, tuple[str, ...]()
        if record is not None and record.skill is not None:
            found = read(record.skill)
            if digest(found) == record.skill_written:
                skill = FileChange(record.skill, found, None)
            elif found is not None:
                kept = (f"{record.skill} has been edited, so it stays.",)
        return Plan(agent, self._vault, name, client, change, skill, removes=True, record=record, kept=kept)

    def others(self, agent: Agent) -> dict[str, Any]:
        """Return the servers in a program's configuration, by name, without entries of ours for any vault. Blocks.

        Raises:
            ConfigurationRefused: It cannot be read.
        """
        return {name: entry for name, entry in self._held(agent).items() if not _is_ours(words_of(entry))}

    async def connect(self, plan: Plan, clients: Clients) -> ConnectionResult:
        """Do what a plan says: give the program a client's credential if it has none, and write the files.

        Raises:
            ConfigurationRefused: A file has changed since or cannot be written, or the client is somebody else's.
            BridgeError: The bridge does not add the client.
        """
        added = await ensure_client(self._vault, plan.client, clients)
        record, change = plan.record, plan.configuration
        ours = record is not None and record.is_still(change.file, change.before)
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
                await end_client(self._vault, plan.client, clients)
            raise
        if plan.files or added or record is None:
            self._note(plan, record if ours else None, backup, added=added)
        if record is not None and record.made_client and record.client != plan.client:
            await end_client(self._vault, record.client, clients)
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
            remove_empty([plan.skill.file.parent])
        if restored and record is not None and record.backup is not None:
            record.backup.unlink(missing_ok=True)
        made = record is not None and record.made_client
        ends = revoke or (made and not self._hand_on(plan))
        ended = ends and await end_client(self._vault, plan.client, clients)
        records = self._file.load({})
        if records.pop(plan.agent.key_of_record, None) is not None:
            self._file.save(records)
        return ConnectionResult(backup=backup, revoked_client=ended)

    def _hand_on(self, plan: Plan) -> bool:
        """Let the client that a connection has added be that of another connection of the same client, if there is one.

        Returns whether there is. Raises ExecutionFailed.
        """
        records, client = self._file.load({}), plan.client.casefold()
        ours = (key for key, one in records.items() if one.client.casefold() == client)
        heir = next((key for key in ours if key != plan.agent.key_of_record), None)
        if heir is not None:
            self._file.save({**records, heir: records[heir].model_copy(update={"made_client": True})})
        return heir is not None

    def _held(self, agent: Agent) -> dict[str, Any]:
        return self._opened(agent)[2].read()

    def _opened(self, agent: Agent) -> tuple[Path, bytes | None, JsonEntries | TomlEntries]:
        """Return a program's configuration: the real file, its bytes, and the entries in it."""
        file, before = find(agent.file(self.machine))
        with understanding(file):
            text = (before or b"").decode()
            if agent.form == "toml":
                return file, before, TomlEntries(text, agent.key)
            comments, commas = agent.form != "json", agent.form == "jsonc"
            return file, before, JsonEntries(text, agent.key, comments=comments, commas=commas)

    def _client_of(self, entry: Any) -> str | None:
        """Return the client that an entry of ours for this vault names; None for every other entry."""
        words = words_of(entry)
        if not _is_ours(words):
            return None
        vault = words[words.index(_VAULT) + 1]
        same = os.path.normcase(real_file(Path(vault))) == os.path.normcase(self._vault)
        return words[words.index(_CLIENT) + 1] if same else None

    def _own_name(self, held: dict[str, Any]) -> str | None:
        return next((name for name, entry in held.items() if self._client_of(entry) is not None), None)

    def _free_name(self, held: dict[str, Any]) -> str:
        """Return the usual name; beside another vault's entry, or a foreign one, a name with the vault's in it."""
        slug = slug_of(self._vault)
        names = [NAME, f"{NAME}-{slug}", *(f"{NAME}-{slug}-{number}" for number in range(2, 100))]
        return next((name for name in names if name not in held), names[-1])

    def _skill_change(
        self, agent: Agent, name: str, client: str, record: ConnectionRecord | None
    ) -> tuple[FileChange | None, tuple[str, ...]]:
        """Return the skill's file; one that somebody else wrote or edited stays as it is."""
        if agent.skills is None:
            return None, ()
        if not str(self._vault).isprintable():
            return None, ("There is no skill for a vault whose path holds characters that cannot be shown.",)
        file, found = find(agent.skills(self.machine) / name / SKILL)
        text = skill_text(name, self._words(), self._vault, client, windows=self.machine.system == "windows")
        ours = record is not None and record.skill == file and digest(found) == record.skill_written
        if found is not None and found != text and not ours:
            return None, (f"{file} is there already and is not as this command writes it, so it stays.",)
        return FileChange(file, found, text), ()

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
            self._file.save({**self._file.load({}), plan.agent.key_of_record: record})
        except ExecutionFailed as error:
            raise ConfigurationRefused(
                f"{plan.agent.title} is connected, but how to take that back cannot be noted: {error.message}"
            ) from None


def skill_text(name: str, words: Sequence[str], vault: Path, client: str, *, windows: bool) -> bytes:
    """Return the skill of one vault and client.

    Args:
        name: The name of the skill.
        words: The command that starts `vault-bridge`.
        vault: The vault's folder.
        client: The client that the agent is in the bridge.
        windows: Whether commands are quoted as on Windows.
    """

    def line(command: str) -> str:
        whole = [*words, command, "--vault", str(vault), "--client", client]
        return subprocess.list2cmdline(whole) if windows else shlex.join(whole)

    shown = "".join(char for char in vault.name if char.isprintable() and char not in "`$<>[]*_#") or "the vault"
    about = (
        f"Find, read and change the user's Obsidian notes in {shown} by a command that asks the user. "
        "Use it for everything about these notes, and do not edit their files."
    )
    text = Template(Path(__file__).with_name(SKILL).read_text(encoding="utf-8")).substitute(
        name=name,
        description=json.dumps(about, ensure_ascii=False),
        vault=shown,
        **{command: line(command) for command in ("call", "tools", "preview", "history")},
    )
    return text.encode()


@contextmanager
def _naming(file: Path) -> Iterator[None]:
    try:
        yield
    except ConfigurationRefused as refused:
        raise ConfigurationRefused(f"{file}: {refused}") from None


def _is_ours(words: list[str]) -> bool:
    """Return whether a command starts our own server."""
    return "mcp" in words[1:] and _CLIENT in words[:-1] and _VAULT in words[:-1]
