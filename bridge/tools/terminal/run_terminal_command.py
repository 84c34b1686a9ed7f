"""The tool `run_terminal_command`: a command, run on a copy of the vault, whose changes are then made in the vault."""

import asyncio
import codecs
import contextlib
import os
import shlex
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final, Literal, NamedTuple

from pydantic import Field

from bridge.contract.base import Params
from bridge.contract.consent import ConsentClass, Operation, RiskLevel
from bridge.errors import ExecutionFailed, InvalidParameters, NotFound, PermissionDenied, ToolFailure
from bridge.identity.caller import Caller
from bridge.index.knowledge import StoredLink
from bridge.sandbox.job import Ending, Report
from bridge.sandbox.profile import SEARCH_PATH
from bridge.sandbox.sandbox import Programs
from bridge.settings.model import LONGEST_COMMAND, Settings
from bridge.toolkit.parameters import ModelParameters
from bridge.toolkit.tool import CallContext, CopiedChanges, Output, ReadTool, RequestEffect, ToolSpec, running
from bridge.tools.formatting import first_of
from bridge.tools.storage import VaultStorage
from bridge.tools.terminal.commands import (
    find_program,
    git_environment,
    git_may_write,
    is_plain_repository,
    only_reads,
    parse_command,
)
from bridge.tools.terminal.workspace import MOST_LARGE_FILES, TakingOver, Workspace, lost_sentence, make_workspace
from bridge.vault.disk import as_failure
from bridge.vault.paths import VaultPath, parse_path
from bridge.vault.person_edits import NO_BACKUP
from bridge.vault.plan import Applied
from bridge.vault.text import counted, with_hidden_characters_shown
from bridge.vault.working_copy import WorkingCopy, is_too_large
from bridge.workers.pool import first_line

_SPARE: Final = 600.0
"""Seconds for the copy and for the changes, besides those of the command."""
_MOST_NAMED: Final = 50
"""Files that a text names; the data has all of them."""
_MOST_LISTED: Final = 1_000
"""Lost links, and files that were left alone, that the data has."""
_MOVE_OR_DELETE: Final = frozenset({"mv", "rm", "unlink"})
"""Programs whose words say what they move or delete."""
_MEGABYTE: Final = 1024 * 1024
_ENDINGS: Final = {
    Ending.TIMED_OUT: "It ran longer than allowed and was stopped",
    Ending.MEMORY: "It used more memory than allowed and was stopped",
    Ending.PROCESSES: "It started more processes than allowed and was stopped",
    Ending.DISK: "It wrote more than allowed and was stopped",
    Ending.OUTPUT: "It printed more than allowed and was stopped",
    Ending.STOPPED: "It was stopped",
}


class RunTerminalCommandParams(Params):
    """The command to run."""

    command: str = Field(description="The terminal command to run")


class _Planned(NamedTuple):
    """The way a command is run.

    Attributes:
        program: The real path of the program, or of the shell.
        arguments: Its arguments.
        places: Which of the arguments name a place in the vault and nothing else.
        folder: Where in the vault it runs; empty: in the vault itself.
        by_shell: Whether a shell runs it.
        only_reads: Whether it is known to run and write nothing, so that a yes to it may last.
        writes_git: Whether it is git, and may write to the vault's repository.
    """

    program: str
    arguments: tuple[str, ...]
    places: frozenset[int] = frozenset()
    folder: str = ""
    by_shell: bool = False
    only_reads: bool = False
    writes_git: bool = False


class _Said:
    """The output and the errors of a command so far, apart."""

    def __init__(self) -> None:
        self._texts: dict[str, list[str]] = {"stdout": [], "stderr": []}
        self._decoders = {name: codecs.getincrementaldecoder("utf-8")(errors="replace") for name in self._texts}

    def add(self, name: Literal["stdout", "stderr"], data: bytes) -> str:
        """Take a piece; returns it as text."""
        text = self._decoders[name].decode(data)
        self._texts[name].append(text)
        return text

    def of(self, name: str) -> str:
        """Return all of it."""
        return "".join(self._texts[name])


class RunTerminalCommandTool(ReadTool[RunTerminalCommandParams]):
    """The tool that runs a command.

    The command works on a copy of the vault. When it has ended by itself, what it did there is made in the vault as
    one change, if nobody else has changed the same file meanwhile. So whatever becomes of the command or the bridge,
    the vault is as it was or as the command left it, and the old bytes are in the history.

    Args:
        storage: The vault.
        programs: Starts programs.
        in_draft: Whether a caller is in a draft.
    """

    spec = ToolSpec(
        name="run_terminal_command",
        action="run/ran {command|a command}",
        description=(
            "Run a terminal command in the vault's folder and return its output. It works on a copy of the vault "
            "without closed notes and dot-folders; when it has ended, its changes are made in the vault as one change, "
            "which can be undone. The user may remember a command that only looks (`ls`, `grep`, `wc` and the like); "
            "all others are asked about every time, and so is what a command has changed. Use the tools for notes "
            "where they can do it: they keep links."
        ),
        icon="terminal",
        parameters=ModelParameters(RunTerminalCommandParams),
        operation=Operation.EXECUTE,
        risk=RiskLevel.HIGH,
        consent_class=ConsentClass.SESSION,
        default_rate=10,
        id_prefix="command",
        switched=True,
        timeout=LONGEST_COMMAND + _SPARE,
    )

    def __init__(self, storage: VaultStorage, programs: Programs, in_draft: Callable[[Caller], bool]) -> None:
        self._storage = storage
        self._programs = programs
        self._in_draft = in_draft
        self._one_at_a_time = asyncio.Lock()

    def prepare(self, params: RunTerminalCommandParams, context: CallContext) -> RequestEffect:
        """Say what will run, and what it can reach."""
        settings = context.settings
        if not settings.allow_terminal:
            raise PermissionDenied(
                "Commands are not allowed here. The user can allow them in the settings, or with "
                "`vault-bridge settings set allowTerminal=true`",
                code="terminal_off",
            )
        self._programs.refuse_unconfined()
        if self._in_draft(context.caller):
            raise InvalidParameters(f"{self.spec.title} is not possible in a draft. Submit or discard it first")
        planned = self._planned(params.command, settings)
        return RequestEffect(
            running(planned.program, planned.arguments, planned.places),
            f"Run command: {params.command.strip()}",
            exact=params.command.strip(),
            warnings=tuple(self._warnings(settings, planned)),
            insists=_insists(planned),
            sends=(params.command,) if settings.terminal_network else (),
            networked=settings.terminal_network,
        )

    async def run(
        self, params: RunTerminalCommandParams, context: CallContext
    ) -> AsyncIterator[str | Output | CopiedChanges]:
        """Run it on a copy, passing on what it says, and hand over what it did."""
        planned = await asyncio.to_thread(self._planned, params.command, context.settings)
        answer: Output | CopiedChanges | None = None
        async with contextlib.AsyncExitStack() as clearing:
            async with self._one_at_a_time:
                workspace = await asyncio.to_thread(self._workspace, context, planned)
                clearing.push_async_callback(asyncio.to_thread, workspace.remove)
                said = _Said()
                async for piece in self._run(planned, workspace, said):
                    if isinstance(piece, str):
                        yield piece
                    else:
                        answer = await self._answer(params.command.strip(), workspace.copy, piece, said)
            # The next command does not wait for the person to look at what this one has changed.
            if answer is not None:
                yield answer

    async def _answer(self, command: str, copy: WorkingCopy, report: Report, said: _Said) -> Output | CopiedChanges:
        """Return the result of a command: what it did to the copy, where it ended by itself."""
        if report.ending is not Ending.EXITED:
            return self._report(report, said, None, None)
        taking = TakingOver(self._storage, copy, await asyncio.to_thread(copy.differences))
        return CopiedChanges(partial(taking.plan, command), lambda applied: self._report(report, said, applied, taking))

    async def _run(self, planned: _Planned, workspace: Workspace, said: _Said) -> AsyncIterator[str | Report]:
        """Yield what the command prints, and then how it ended."""
        argv = [workspace.placed(word) for word in (planned.program, *planned.arguments)]
        limit = workspace.profile.limits.output
        program = await self._programs.start(
            workspace.profile, argv, folder=workspace.copy.place / planned.folder, environment=workspace.environment
        )
        try:
            async for name, data in program.output(limit):
                if text := said.add(name, data):
                    yield with_hidden_characters_shown(text)
        except BaseException:
            program.end()
            await asyncio.shield(program.ended())
            raise
        report = await program.ended()
        if report.ending is Ending.NOT_STARTED:
            words = first_line(said.of("stderr"))
            why = f"The command could not be started {report.message}{words and f': {words}'}"
            raise ExecutionFailed(why, data={"stderr": words})
        yield report

    def _planned(self, text: str, settings: Settings) -> _Planned:
        """Return how a command is run. Raises InvalidParameters or NotFound."""
        folder = settings.terminal_folder
        if folder:
            path = parse_path(folder)
            try:
                is_there = self._storage.is_folder(path)
            except NotFound:
                is_there = False
            if not is_there:
                raise NotFound(f"There is no folder {folder!r}, in which commands run (setting `terminalFolder`)")
            folder = str(path)
        command = parse_command(text)
        if command.argv is None:
            program, first = _shell()
            return _Planned(program, (*first, command.text), folder=folder, by_shell=True)
        name, *arguments = command.argv
        search_path = SEARCH_PATH if sys.platform != "win32" else os.get_exec_path()
        found = find_program(name, search_path)
        if found is None:
            raise NotFound(f"There is no program {name!r} among those that commands can use")
        in_vault = Path(found).is_relative_to(self._storage.files.root.path)
        places = frozenset(at for at, word in enumerate(arguments) if self._place(word, folder))
        reads = not in_vault and only_reads(found, arguments, called=name, search_path=search_path)
        writes_git = (
            Path(found).name == "git"
            and self._programs.sandbox.moves
            and self._storage.closed() is None
            and git_may_write(arguments, lambda _word: True)
            and is_plain_repository(self._storage.top)
        )
        return _Planned(found, tuple(arguments), places, folder, only_reads=reads, writes_git=writes_git)

    def _is_file(self, word: str, folder: str) -> bool:
        """Return whether a word names a file of the vault."""
        place = self._place(word, folder)
        return place is not None and not self._storage.is_folder(place)

    def _place(self, word: str, folder: str) -> VaultPath | None:
        """Return the place in the vault that a word names, where it is there and the word can mean nothing else."""
        if word.startswith("-") or word in {".", ".."}:
            return None
        try:
            text = word if Path(word).is_absolute() or not folder else f"{folder}/{word}"
            path = parse_path(text, vault=self._storage.top)
            return path if path.parts and self._storage.files.exists(path) else None
        except ToolFailure:
            return None

    def _workspace(self, context: CallContext, planned: _Planned) -> Workspace:
        with_git = self._storage.closed() is None
        # What the question said holds; that what is named are files must hold still.
        is_file = partial(self._is_file, folder=planned.folder)
        writes_git = planned.writes_git and context.asked and git_may_write(planned.arguments, is_file)
        try:
            workspace = make_workspace(
                self._storage.files, self._programs, context.settings, with_git=with_git, writes_git=writes_git
            )
        except OSError as error:
            raise as_failure(error, "the copy of the vault") from error
        if writes_git:
            workspace.environment.update(git_environment(self._storage.top, planned.program))
        return workspace

    def _warnings(self, settings: Settings, planned: _Planned) -> Iterator[str]:
        sandbox = self._programs.sandbox
        if sandbox.confines:
            yield f"{sandbox.sentence}: it sees a copy of the vault without what you have closed, and no other files"
            yield "It can use the network" if settings.terminal_network else "It cannot use the network"
        else:
            yield "Runs without a sandbox here"
        yield from sandbox.lacks
        if planned.writes_git:
            yield "It changes the history of the vault's git repository, which undo does not take back"
        elif Path(planned.program).name == "git":
            yield "It can read the vault's git repository at most, and not write to it"
        if planned.folder:
            yield f"It runs in the folder {planned.folder!r}"
        if links := list(self._leading_to(planned)):
            notes = counted(len({link.source for link in links}), "note")
            yield f"{counted(len(links), 'link')} in {notes} to what it moves or deletes will not follow"
        if large := sum(is_too_large(file, settings.terminal_largest_file) for file in self._storage.files.walk()):
            size = settings.terminal_largest_file / _MEGABYTE
            more = f", {MOST_LARGE_FILES} of them at most" if large > MOST_LARGE_FILES else ""
            yield f"Files over {size:g} MB that are no notes ({large}) can be read{more}, and are not changed"
        if not settings.patch_backup_enabled:
            yield NO_BACKUP

    def _leading_to(self, planned: _Planned) -> Iterator[StoredLink]:
        """Yield the links to what a command moves or deletes, where its words say what that is."""
        name = Path(planned.program).name
        if planned.by_shell or name not in _MOVE_OR_DELETE:
            return
        knowledge = self._storage.everything.knowledge
        last = len(planned.arguments) - 1
        named = [
            str(place)
            for at in sorted(planned.places)
            if (name != "mv" or at != last) and (place := self._place(planned.arguments[at], planned.folder))
        ]

        def goes(path: str) -> bool:
            return any(path == place or path.startswith(f"{place}/") for place in named)

        gone = [file.path for file in knowledge.files() if goes(file.path)] if named else []
        for path in gone:
            yield from (link for link in knowledge.backlinks(path) if not goes(link.source))

    def _report(self, report: Report, said: _Said, applied: Applied | None, taking: TakingOver | None) -> Output:
        """Return the report on a command."""
        left = taking.left if taking else []
        lost = taking.lost if taking and applied else []
        denial = self._storage.closed()
        seen = [link for link in lost if denial is None or denial(link.path) is None]
        stdout, stderr = said.of("stdout"), said.of("stderr")
        changed = list(dict.fromkeys(applied.plan.subjects)) if applied else []
        lines = [_ENDINGS.get(report.ending, f"Exit code {report.code}")]
        if report.ending is not Ending.EXITED:
            lines[0] += "; nothing was changed"
        lines += [stdout.rstrip("\n")] if stdout else []
        lines += ["[errors]", stderr.rstrip("\n")] if stderr else []
        lines += [f"Changed: {_named(changed)}"] if changed else []
        notes = list(dict.fromkeys(link.path for link in seen))
        lines += [f"{lost_sentence(lost)}{f': in {_named(notes)}' if notes else ''}"] if lost else []
        lines += [f"Left alone: {path}: {why}" for path, why in left[:_MOST_NAMED]]
        lines += [f"and {len(left) - _MOST_NAMED} more"] if len(left) > _MOST_NAMED else []
        data = {
            "exitCode": report.code,
            "ended": report.ending.value,
            "stdout": stdout,
            "stderr": stderr,
            "changed": changed,
            "lostLinks": [link._asdict() for link in seen[:_MOST_LISTED]],
            "leftAlone": [{"path": path, "why": why} for path, why in left[:_MOST_LISTED]],
        }
        # Programs show this text to people, in terminals too; what is data stays as it came.
        return Output(data, with_hidden_characters_shown("\n".join(lines)))


def _insists(planned: _Planned) -> str:
    """Return why a command is asked about every time; empty where it need not be."""
    if planned.by_shell:
        return "a shell runs this, and it can do more than one program; so it is asked about every time"
    if planned.only_reads:
        return ""
    return "this is not among the commands that are known to change and run nothing; so it is asked about every time"


def _shell() -> tuple[str, tuple[str, ...]]:
    """Return the shell's real path, and what it is told before a command."""
    if sys.platform == "win32":
        return os.environ.get("COMSPEC", r"C:\Windows\System32\cmd.exe"), ("/d", "/s", "/c")
    return os.path.realpath("/bin/sh"), ("-c",)


def _named(paths: list[str]) -> str:
    return first_of(list(map(shlex.quote, paths)), _MOST_NAMED)
