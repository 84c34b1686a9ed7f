"""All servers: how each is opened, which of them each client has loaded, and what of them the person has approved.

A server is a program in the sandbox, with a home of its own, or an address that is reached through the door. It may
change what it runs, and a tool what it says of itself, after it was allowed. So what was allowed is kept word for word,
and anything else is asked about again, with the difference.
"""

import asyncio
import contextlib
import logging
import os
import shutil
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from bridge.errors import ExecutionFailed, NotFound, PermissionDenied, ToolFailure
from bridge.identity.caller import Caller
from bridge.records.folder import RecordFolder, RecordStore
from bridge.sandbox.profile import MEGABYTE, SEARCH_PATH, Profile, ProgramLimits, environment
from bridge.sandbox.sandbox import Programs
from bridge.servers.configuration import Definition, ServerEntry, ServersFile
from bridge.servers.connection import Open, ServerConnection, ServerLog
from bridge.vault.diff import unified_diff
from bridge.web.guard import Clearance, Service
from bridge.web.url import WebUrl

if TYPE_CHECKING:
    from bridge.web.transport import Transport


FILE: Final = "mcp-approved.json"
_LARGEST: Final = 16 << 20


@dataclass(frozen=True, slots=True)
class _Record:
    """An approval under one name, as the file holds it.

    Attributes:
        name: The name.
        told: What the person was shown.
        tools: Of a server, what they were shown of each of its tools.
    """

    name: str
    told: str
    tools: Mapping[str, str] = field(default_factory=dict)


class ApprovedTexts:
    """The texts that a person has approved, word for word. Blocks where it reads or writes.

    A file that cannot be read approves nothing, so nothing is lost when it is replaced.

    Args:
        folder: The user's configuration folder.
        file: The file's name.
        member: The member of the file that holds them.
        fault: The sentence for people when the file cannot be used; `{why}` stands for the reason.

    Attributes:
        file: The file that holds them.
    """

    def __init__(self, folder: RecordFolder, file: str, member: str, fault: str) -> None:
        self.file = RecordStore(
            folder, file, list[_Record], member=member, fault=fault, replace_damaged=True, largest=_LARGEST
        )
        self._approved = {record.name: record for record in self.file.load([])}

    def knows(self, name: str) -> bool:
        """Return whether anything was approved under a name, the same or another."""
        return name in self._approved

    def change(self, name: str, told: str) -> str | None:
        """Return how a text differs from what was approved under its name.

        Args:
            name: The name.
            told: The text.

        Returns:
            None if it does not; otherwise the lines of a diff, or all of it if nothing was approved.
        """
        known = self._approved.get(name)
        return change_since(known.told if known else None, told)

    def approve_text(self, name: str, told: str, tools: Mapping[str, str] | None = None) -> None:
        """Remember that the person has said yes to a text, and to these tools of it.

        Raises:
            ExecutionFailed: It cannot be written down.
        """
        known = self._approved.get(name)
        before = known.tools if known is not None and known.told == told else {}
        record = _Record(name, told, {**before, **(tools or {})})
        if record != known:
            self._save({**self._approved, name: record})

    def forget(self, name: str) -> None:
        """Take back what was approved under a name. Raises what `approve_text` raises."""
        if name in self._approved:
            self._save({key: known for key, known in self._approved.items() if key != name})

    def _save(self, approved: dict[str, _Record]) -> None:
        self.file.save([*approved.values()])
        self._approved = approved


class Approvals(ApprovedTexts):
    """The servers and tools that were approved. Blocks where it reads or writes.

    Args:
        folder: The user's configuration folder.
    """

    def __init__(self, folder: RecordFolder) -> None:
        fault = f"{FILE} cannot be used, so every server is asked about again: {{why}}"
        super().__init__(folder, FILE, "servers", fault)

    def entry_change(self, name: str, entry: ServerEntry) -> str | None:
        """Return how a server differs from what was approved under its name, as `change` does.

        Args:
            name: The server's name.
            entry: As it is entered now.
        """
        return self.change(name, _told(entry))

    def tool_change(self, name: str, definition: Definition) -> str | None:
        """Return how a tool differs from what was approved under its name, as `change` does."""
        known = self._approved.get(name)
        return change_since(known.tools.get(definition.name) if known else None, definition.text)

    def knows_tool(self, name: str, definition: Definition) -> bool:
        """Return whether a tool of this name was approved once, the same or another."""
        known = self._approved.get(name)
        return known is not None and definition.name in known.tools

    def approve(self, name: str, entry: ServerEntry, definitions: Sequence[Definition] = ()) -> None:
        """Remember that the person has said yes to a server, and to these tools of it. Raises as `approve_text`."""
        self.approve_text(name, _told(entry), {each.name: each.text for each in definitions})


def _told(entry: ServerEntry) -> str:
    return "\n".join(entry.told()) + "\n"


def change_since(before: str | None, now: str) -> str | None:
    """Return how a text differs from the approved one: None where it does not, all of it where nothing was approved."""
    if before is None:
        return now
    if before == now:
        return None
    old, new = (text.encode(errors="surrogatepass") for text in (before, now))
    diff = unified_diff(old, new, old_path="before", new_path="now")
    _old_name, _new_name, changes = diff.text.split("\n", 2)
    return changes + ("… and more than can be shown\n" if diff.truncated else "")


logger = logging.getLogger(__name__)


class Loaded(NamedTuple):
    """The result of loading all servers.

    Attributes:
        ready: Those that are connected.
        failed: Why the others are not, by name.
    """

    ready: tuple[ServerConnection, ...]
    failed: Mapping[str, str]


class Servers:
    """The user's servers, and connections to them. To be used on the event loop, but for `entries`.

    Args:
        file: Where the user has entered them.
        approvals: The person's approvals.
        open_streams: Opens a server.
        hide: Called with values that no log may hold.

    Attributes:
        file: As given.
        approvals: As given.
        everything: The servers by name, as of the last look at the file; those that are switched off, too.
        connections: The connections of servers, by name.
    """

    def __init__(
        self, file: ServersFile, approvals: Approvals, open_streams: Open, hide: Callable[[str], None]
    ) -> None:
        self.file = file
        self.approvals = approvals
        self._open = open_streams
        self._hide = hide
        self.everything: Mapping[str, ServerEntry] = {}
        self.connections: dict[str, ServerConnection] = {}
        self._loaded: dict[str, frozenset[str]] = {}
        """The servers that each session has loaded."""
        self._changed: Callable[[], None] = lambda: None

    async def start(self, changed: Callable[[], None]) -> None:
        """Look which servers there are; none of them is started.

        Args:
            changed: Called when the tools of a client have come or gone.
        """
        self._changed = changed
        await self.refresh()

    @property
    def entries(self) -> Mapping[str, ServerEntry]:
        """Return those that can be loaded, by name, as of the last look at the file."""
        return {name: entry for name, entry in self.everything.items() if entry.enabled}

    async def refresh(self) -> None:
        """Look at the file again. What is connected otherwise than it is entered is ended."""
        entries = await asyncio.to_thread(self.file.read)
        for entry in entries.values():
            for secret in entry.secrets:
                self._hide(secret)
        if self.file.fault is not None:
            logger.warning("%s", self.file.fault)
            return  # what was in force stays in force
        before, self.everything = self.everything, entries
        for name, held in list(self.connections.items()):
            now = entries.get(name)
            if now is None or not now.enabled or not now.is_started_as(held.entry):
                await self._drop(name)
            elif now != held.entry:
                held.take(now)
        if before != entries:
            self._changed()

    async def enter(self, entries: Mapping[str, ServerEntry]) -> None:
        """Write the servers down, and go by them.

        Raises:
            ExecutionFailed: The file cannot be used, or the disk failed.
            InvalidParameters: There are too many.
        """
        await asyncio.to_thread(self.file.write, entries)
        await self.refresh()

    async def load(self, caller: Caller) -> Loaded:
        """Connect all servers, several at once, and give their tools to a client. The fault of one touches no other.

        Args:
            caller: Whose session gets them.
        """
        names = list(self.entries)
        found = await asyncio.gather(*(self._connect(name) for name in names))
        ready = tuple(each for each in found if isinstance(each, ServerConnection))
        failed = {name: each for name, each in zip(names, found, strict=True) if isinstance(each, str)}
        self._loaded[caller.session_id] = frozenset(each.name for each in ready)
        self._changed()
        return Loaded(ready, failed)

    def of(self, caller: Caller) -> Iterator[ServerConnection]:
        """Yield the servers whose tools a caller has: those that it has loaded; for the person, all connected ones."""
        for name, held in list(self.connections.items()):
            if caller.client.is_person or caller.explains or name in self._loaded.get(caller.session_id, frozenset()):
                yield held

    def why_unknown(self, tool: str) -> str | None:
        """Explain why nothing is known of a tool that a server may have; None where it is known, or is none of theirs.

        Args:
            tool: What agents call it by.
        """
        name = next((name for name in self.everything if tool.startswith(f"mcp__{name}__")), None)
        if name is None or ((held := self.connections.get(name)) is not None and held.definitions):
            return None
        return (
            f"The server {name} has not been connected yet, so nothing is known of its tools. "
            f"`vault-bridge servers test {name}` connects it; an agent does with `mcp_loader`"
        )

    def session_ended(self, session_id: str) -> None:
        """Forget a program without a name that is gone, and what it had loaded."""
        self._loaded.pop(session_id, None)

    async def restart(self, name: str) -> ServerConnection:
        """End a server and connect it again.

        Raises:
            NotFound: There is none of this name.
            ToolFailure: It cannot be connected.
        """
        await self._drop(name)
        if name not in self.everything:
            raise NotFound(f"There is no server {name!r}")
        held = self._held(name)
        await held.connect()
        return held

    async def stop(self) -> None:
        """End them all."""
        await asyncio.gather(*(held.stop(for_good=True) for held in self.connections.values()))
        self.connections = {}

    async def _connect(self, name: str) -> ServerConnection | str:
        held = self._held(name)
        try:
            await held.connect()
        except ToolFailure as failure:
            return failure.message
        return held

    def _held(self, name: str) -> ServerConnection:
        held = self.connections.get(name)
        if held is None:
            held = ServerConnection(name, self.everything[name], self._open, self._notify)
            self.connections[name] = held
        return held

    def _notify(self) -> None:
        self._changed()  # as it is then: connections are made before anybody listens, too

    async def _drop(self, name: str) -> None:
        held = self.connections.pop(name, None)
        if held is not None:
            with contextlib.suppress(ToolFailure):
                await held.stop(for_good=True)


HOMES: Final = "servers"
"""The folder, among those of programs, with a home for each server, which stays."""
_LIMITS: Final = ProgramLimits(
    seconds=None, grace=2.0, memory=4096 * MEGABYTE, processes=64, disk=4096 * MEGABYTE, output=None
)
_PACKAGE: Final = ("package.json", "pyproject.toml")
_PROJECT_LEVELS: Final = 4
_NODE_MODULES: Final = "node_modules"
_SHARED: Final = frozenset({".local", ".cargo"})
"""The folders where the programs of a user lie beside the data and keys of others."""
_CODE: Final = frozenset({".py", ".pyz", ".js", ".mjs", ".cjs", ".ts", ".mts", ".rb", ".pl", ".php", ".sh"})
"""Endings of files that load others which lie beside them."""


def find_program(entry: ServerEntry) -> str | None:
    """Return where the program of a server lies; None where there is none, or where the server is an address."""
    return None if entry.command is None else shutil.which(entry.command, path=os.environ.get("PATH"))


class Opener:
    """The opener of servers.

    Args:
        programs: Starts programs.
        transport: Makes what makes connections; slow.
        allow: The door's guard.
        vault: The folder of the vault that is served; no server sees it.
    """

    def __init__(
        self,
        programs: Programs,
        transport: Callable[[], "Transport"],
        allow: Callable[[WebUrl, Service], Clearance],
        vault: Path,
    ) -> None:
        self._programs = programs
        self._transport = transport
        self._allow = allow
        self._vault = vault

    @asynccontextmanager
    async def __call__(self, name: str, entry: ServerEntry, log: ServerLog) -> AsyncIterator[Any]:
        """Yield a server's streams of messages, until the end of the block.

        Args:
            name: The server's name.
            entry: How it is started or reached.
            log: Where its error output goes.

        Raises:
            ExecutionFailed: There is no such program.
            PermissionDenied: No sandbox works and one is required; or the address may not be reached.
        """
        from bridge.servers.streams import addressed, piped  # noqa: PLC0415 - heavy, and only where servers are used

        if entry.url is not None:
            transport = await asyncio.to_thread(self._transport)
            async with addressed(name, entry.url, entry.headers, transport, self._allow) as streams:
                yield streams
            return
        program = find_program(entry)
        if program is None:
            raise ExecutionFailed(f"The server {name} cannot be started: there is no program {entry.command!r}")
        home = self._programs.scratch / HOMES / name
        (home / "tmp").mkdir(mode=0o700, parents=True, exist_ok=True)
        profile = await asyncio.to_thread(self._profile, entry, Path(program), home)
        path = os.pathsep.join([str(Path(program).parent), *SEARCH_PATH])
        given = environment(home=home, temporary=home / "tmp", path=path) | entry.env
        argv = [program, *entry.args]
        process = await self._programs.start(profile, argv, folder=home, environment=given, talks=True)
        async with piped(process, log) as streams:
            yield streams

    def _profile(self, entry: ServerEntry, program: Path, home: Path) -> Profile:
        """Return what a program may reach: its own files, its home, and what the user has named. Never the vault.

        Agents have tools of ours for the vault; what another program wrote there would go round all that they hold to.
        """
        read, write = list(own_files(program)), [home, *(Path(folder) for folder in entry.folders)]
        for each in entry.args:
            place = Path(each)
            if place.is_absolute() and place.is_dir():
                write.append(place)
            elif place.is_absolute() and place.is_file():
                read.append(_project(place))
        vault = Path(os.path.realpath(self._vault))
        for place in (*read, *write):
            if Path(os.path.realpath(place)).is_relative_to(vault):
                raise PermissionDenied(f"{place} is in the vault, which no other server is given", code="vault")
        return Profile(
            read=tuple(place for place in read if not any(place.is_relative_to(given) for given in write)),
            write=tuple(write),
            hidden=(self._vault,),
            network=entry.network,
            limits=_LIMITS,
        )


def own_files(program: Path) -> Iterator[Path]:
    """Yield where a program and its files lie, apart from the system's own places."""
    for place in dict.fromkeys((program, program.resolve())):
        if place.parent.name in {"bin", "Scripts"}:
            yield from _installation(place.parent)
        else:
            yield _project(place, is_program=True)
    if program.resolve() == Path(sys.executable).resolve():
        yield from map(Path, dict.fromkeys((sys.prefix, sys.base_prefix)))


def _installation(folder: Path) -> Iterator[Path]:
    """Yield what belongs to the programs of a folder `bin`: what lies beside it, but never the user's whole home."""
    around = folder.parent
    if not _is_private(around) and around.name not in _SHARED:
        yield around
        return
    yield folder
    yield from filter(Path.exists, (around / "lib",))


def _project(file: Path, *, is_program: bool = False) -> Path:
    """Return the folder of the package that a file belongs to, with the packages beside it that it may need.

    Of a script where there is no package near, its own folder; of any other file, and where that would be the user's
    whole home, the file alone.
    """
    shared = [folder for folder in file.parents if folder.name == _NODE_MODULES]
    if shared:
        return shared[-1]
    if not is_program and file.suffix.lower() not in _CODE:
        return file
    for folder in list(file.parents)[:_PROJECT_LEVELS]:
        if not _is_private(folder) and any((folder / mark).exists() for mark in _PACKAGE):
            return folder
    return file if _is_private(file.parent) else file.parent


def _is_private(folder: Path) -> bool:
    """Return whether a folder is the user's home, or holds it: more than a program is given for its own sake."""
    return Path(os.path.realpath(Path.home())).is_relative_to(os.path.realpath(folder))
