"""The opening of a server: a program in the sandbox, with a home of its own, or an address through the door."""

import asyncio
import os
import shutil
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bridge.errors import ExecutionFailed, PermissionDenied
from bridge.sandbox.profile import MEGABYTE, SEARCH_PATH, Limits, Profile, environment
from bridge.sandbox.sandbox import Programs
from bridge.servers.configuration import ServerEntry
from bridge.servers.connection import ServerLog
from bridge.web.guard import Passage, Service
from bridge.web.url import WebUrl

if TYPE_CHECKING:
    from bridge.web.transport import Transport

HOMES: Final = "servers"
"""The folder, among those of programs, with a home for each server, which stays."""
_LIMITS: Final = Limits(
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
        allow: Callable[[WebUrl, Service], Passage],
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
