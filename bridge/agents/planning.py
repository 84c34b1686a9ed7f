"""Plans for connecting a program to a vault, which can be shown before anything is done.

The program's configuration gets a command and no token: the command finds the client's token in the user's own folder.
"""

import hashlib
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bridge.agents.file_change import FileChange, digest, read, real_file
from bridge.agents.json_document import JsonEntries
from bridge.agents.machine import ConfigurationRefused, Machine
from bridge.agents.record import ConnectionRecord, ConnectionRecords
from bridge.agents.skill import FILE, skill_text
from bridge.agents.table import Agent, ServerCommand
from bridge.agents.toml_entry import TomlEntries
from bridge.records.folder import RecordFolder

NAME: Final = "vault-bridge"
"""Name of our entry in a program's configuration, unless it is taken."""
_VAULT, _CLIENT = "--vault", "--client"
_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,48}")


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


class Planner:
    """The planner of connections from programs on one machine to one vault.

    Args:
        machine: The machine.
        vault: The vault's real path.
        words: The command that starts `vault-bridge` on it.
        folder: Where it is written down what was connected.
    """

    def __init__(self, machine: Machine, vault: Path, words: Callable[[], Sequence[str]], folder: RecordFolder) -> None:
        self.machine = machine
        self._vault, self._words = vault, words
        self._records = ConnectionRecords(folder)

    def server(self, client: str) -> ServerCommand:
        """Return the command that a program starts."""
        program, *first = self._words()
        return ServerCommand(program, (*first, "mcp", _VAULT, str(self._vault), _CLIENT, client))

    def connected(self, agent: Agent) -> str | None:
        """Return the client as which a program is connected to this vault; None if it is not.

        Raises:
            ConfigurationRefused: Its configuration cannot be read.
        """
        entries = self._entries(agent, _bytes(real_file(agent.file(self.machine))))
        return next((client for entry in entries.read().values() if (client := self._client_of(entry))), None)

    def entry(self, agent: Agent, client: str) -> dict[str, Any] | None:
        """Return the entry by which a program is connected to this vault as a client; None if there is none.

        Raises:
            ConfigurationRefused: Its configuration cannot be read.
        """
        held = self._entries(agent, _bytes(real_file(agent.file(self.machine)))).read()
        return next((entry for entry in held.values() if self._client_of(entry) == client), None)

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
        file = real_file(agent.file(self.machine))
        before = _bytes(file)
        entries = self._entries(agent, before)
        held = entries.read()
        record = self._records.find(agent.key_of_record)
        name = name or self._own_name(held) or self._free_name(held)
        if not _NAME.fullmatch(name):
            raise ConfigurationRefused(f"{name!r} is no name for a server: letters, digits, - and _ only")
        if name in held and self._client_of(held[name]) is None:
            raise ConfigurationRefused(f"{file} has another server called {name!r}. Name ours with --name")
        chosen = client or self._client_of(held.get(name)) or agent.title
        wanted = agent.entry(self.server(chosen))
        old = held.get(name)
        entry = {**old, **wanted} if isinstance(old, dict) else wanted
        entry |= {field: value for field, value in agent.defaults.items() if field not in entry}
        try:
            after = before if entry == old else entries.put(name, entry).encode()
        except ConfigurationRefused as refused:
            raise ConfigurationRefused(f"{file}: {refused}") from None
        written, kept = self._skill_change(agent, name, chosen, record) if skill else (None, ())
        change = FileChange(file, before, after)
        return Plan(agent, self._vault, name, chosen, change, written, removes=False, record=record, kept=kept)

    def plan_disconnect(self, agent: Agent) -> Plan:
        """Return what disconnecting a program would do. Raises what `plan_connect` raises."""
        file = real_file(agent.file(self.machine))
        before = _bytes(file)
        entries = self._entries(agent, before)
        held = entries.read()
        record = self._records.find(agent.key_of_record)
        name = self._own_name(held) or (record.name if record else NAME)
        client = self._client_of(held.get(name)) or (record.client if record else agent.title)
        after = before
        if name in held and self._client_of(held[name]) is not None:
            try:
                after = entries.take(name).encode()
            except ConfigurationRefused as refused:
                raise ConfigurationRefused(f"{file}: {refused}") from None
        if record is not None and record.file == file and digest(before) == record.written:
            after = self._original(record, after)
        change = FileChange(file, before, after)
        skill, kept = None, tuple[str, ...]()
        if record is not None and record.skill is not None:
            found = _bytes(record.skill)
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
        held = self._entries(agent, _bytes(real_file(agent.file(self.machine)))).read()
        return {name: entry for name, entry in held.items() if not _is_ours(words_of(entry))}

    def _entries(self, agent: Agent, before: bytes | None) -> JsonEntries | TomlEntries:
        file = real_file(agent.file(self.machine))
        try:
            text = (before or b"").decode()
        except UnicodeDecodeError as error:
            raise ConfigurationRefused(f"{file} is not UTF-8 (at byte {error.start}). Nothing was changed") from None
        try:
            if agent.form == "toml":
                return TomlEntries(text, agent.key)
            return JsonEntries(text, agent.key, comments=agent.form != "json", commas=agent.form == "jsonc")
        except ConfigurationRefused as refused:
            raise ConfigurationRefused(
                f"{file} cannot be understood: {refused}. Nothing was changed; correct the file, then try again"
            ) from None

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
        slug = re.sub(r"[^a-z0-9]+", "-", self._vault.name.lower()).strip("-")[:24] or "vault"
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
        file = real_file(agent.skills(self.machine) / name / FILE)
        found = _bytes(file)
        text = skill_text(name, self._words(), self._vault, client, windows=self.machine.system == "windows")
        ours = record is not None and record.skill == file and digest(found) == record.skill_written
        if found is not None and found != text and not ours:
            return None, (f"{file} is there already and is not as this command writes it, so it stays.",)
        return FileChange(file, found, text), ()

    def _original(self, record: ConnectionRecord, otherwise: bytes | None) -> bytes | None:
        """Return the former bytes, if they are still known for certain."""
        if record.original == digest(None):
            return None
        original = _bytes(record.backup) if record.backup else None
        return original if digest(original) == record.original else otherwise


def _is_ours(words: list[str]) -> bool:
    """Return whether a command starts our own server."""
    return "mcp" in words[1:] and _CLIENT in words[:-1] and _VAULT in words[:-1]


def words_of(entry: Any) -> list[str]:
    """Return the command of an entry, in whichever form the program has it."""
    if not isinstance(entry, dict):
        return []
    command, args = entry.get("command"), entry.get("args", [])
    words = [*(command if isinstance(command, list) else [command]), *(args if isinstance(args, list) else [])]
    return [word for word in words if isinstance(word, str)]


def _bytes(file: Path) -> bytes | None:
    try:
        return read(file)
    except OSError as error:
        raise ConfigurationRefused(f"{file} cannot be read: {error.strerror or error}") from None
