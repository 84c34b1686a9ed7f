"""Have a program's own editor ask before it changes a file of the vault, and take that back.

Everything goes into the user's settings of the program, never into the vault's or a project's. What would be done is a
plan, which is shown; what was done is written down, so that it can be taken back byte for byte and looked for later.
"""

import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel

from bridge import hook as hook_program
from bridge.agents.credential import Clients, end_client, ensure_client
from bridge.agents.file_change import FileChange, Written, digest, find, real_file, understanding
from bridge.agents.machine import ConfigurationRefused, Machine, slug_of
from bridge.agents.program import command_line
from bridge.agents.protected import PROTECTED, PROTECTED_BY_ID, Edits, Hook, Protected
from bridge.client import token_storage
from bridge.client.errors import TokenNotFound
from bridge.client.token_storage import config_folder
from bridge.contract.discovery import AGENT_FILE
from bridge.errors import ExecutionFailed
from bridge.records.folder import RecordFolder, RecordStore, RunFolder, place, state_folder

FILE: Final = "protections.json"
USUAL_SECONDS: Final = 300
PRESET: Final = "minimal"
"""The tools that the editor's client has besides; the one that asks belongs to no set."""

WithoutBridge = Literal["allow", "refuse"]


class Options(BaseModel):
    """The user's choices for a protected program.

    Attributes:
        edits: The treatment of the program's edits in the vault.
        without_bridge: Their treatment while no bridge serves the vault.
        seconds: Time that a person has to answer.
    """

    edits: Edits = "ask"
    without_bridge: WithoutBridge = "allow"
    seconds: int = USUAL_SECONDS


class ProtectionRecord(BaseModel):
    """One program's protection of one vault.

    Attributes:
        client: The client that its editor is in the bridge.
        made_client: Whether that was added for it.
        options: The user's choices.
        files: What was written.
    """

    client: str
    made_client: bool
    options: Options
    files: list[Written]


@dataclass(frozen=True, slots=True)
class ProtectionPlan:
    """A plan that has not been carried out yet.

    Attributes:
        program: The program.
        client: The client that its editor is in the bridge.
        options: The user's choices.
        changes: The files that change, in the order in which they are written.
        removes: Whether the protection is taken back.
        record: What was done before.
        kept: Sentences about what is left as it is.
    """

    program: Protected
    client: str
    options: Options
    changes: tuple[FileChange, ...]
    removes: bool
    record: ProtectionRecord | None
    kept: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProtectionResult:
    """The result of protecting, or of taking protection back.

    Attributes:
        backups: The former bytes, if they were kept.
        added_client: Whether a client was added to the bridge.
        revoked_client: Whether a client was revoked.
    """

    backups: tuple[Path, ...] = ()
    added_client: bool = False
    revoked_client: bool = False


class Protector:
    """The protection of one vault from what the editors of programs do unasked.

    Args:
        machine: The machine.
        vault: The vault's real path.
        folder: Where it is written down what was done.
        endpoint: The file that says where the vault's bridge listens, while it runs.
        guarded: Folders of the bridge's own, outside the vault, that no program edits.
        stays: Raises ConfigurationRefused where this installation is gone after one run.
    """

    def __init__(
        self,
        machine: Machine,
        vault: Path,
        folder: RecordFolder,
        *,
        endpoint: Path,
        guarded: Sequence[Path],
        stays: Callable[[], object] = lambda: None,
    ) -> None:
        self.machine = machine
        self._vault, self._endpoint, self._stays = vault, endpoint, stays
        self._file = RecordStore(folder, FILE, dict[str, ProtectionRecord], replace_damaged=True)
        self._guarded = tuple(guarded)

    def plan_protect(self, program: Protected, options: Options | None = None) -> ProtectionPlan:
        """Return what protecting would do; nothing if it is done already.

        Args:
            program: The program.
            options: The user's choices; None for the former ones.

        Raises:
            ConfigurationRefused: Its settings cannot be changed; the message says why.
        """
        self._stays()
        record = self._records().get(program.id)
        options = options or (record.options if record else Options())
        hook = self._hook(program, options)
        changes = [self._configuration(program, hook, options)]
        for settings in program.places(self.machine, hook):
            file, before = find(settings.file)
            after = _text(settings.put, file, before, hook)
            if settings.own and before not in {None, after} and _written(record, file) is None:
                raise ConfigurationRefused(f"{file} is there already, and this command has not written it")
            changes.append(FileChange(file, before, after))
        return ProtectionPlan(program, program.client, options, _changing(changes), removes=False, record=record)

    def plan_remove(self, program: Protected) -> ProtectionPlan:
        """Return what removing the protection would do. Raises what `plan_protect` raises."""
        record = self._records().get(program.id)
        options = record.options if record else Options()
        hook = self._hook(program, options)
        changes, kept = [], []
        for settings in program.places(self.machine, hook):
            file, before = find(settings.file)
            if before is None:
                continue
            written = _written(record, file)
            if written is not None and written.is_still(file, before):
                changes.append(FileChange(file, before, written.former(_text(settings.take, file, before, hook))))
            elif settings.own and _text(settings.put, file, before, hook) != before:
                kept.append(f"{file} is not as it was written, so it stays.")
            elif settings.own:
                changes.append(FileChange(file, before, None))
            else:
                changes.append(FileChange(file, before, _text(settings.take, file, before, hook)))
        file, before = find(self._configuration_file(program))
        changes.append(FileChange(file, before, None))
        client, changing = record.client if record else program.client, _changing(changes)
        return ProtectionPlan(program, client, options, changing, removes=True, record=record, kept=tuple(kept))

    async def protect(self, plan: ProtectionPlan, clients: Clients) -> ProtectionResult:
        """Do what a plan says, and have the credential.

        Raises:
            ConfigurationRefused: A file has changed since or cannot be written, or the client is somebody else's.
            BridgeError: The bridge does not add the client.
        """
        added = await self._have_client(plan, clients)
        backups = []
        files = {one.file: one for one in plan.record.files} if plan.record else {}
        try:
            for change in plan.changes:
                before = files.get(change.file)
                ours = before is not None and before.is_still(change.file, change.before)
                backup = change.apply(back_up=not ours)
                kept = before if ours and before else Written.of(change, backup)
                files[change.file] = kept.model_copy(update={"written": digest(change.after)})
                backups += [backup] if backup is not None else []
                self._keep(plan, files.values(), added=added)
        except ConfigurationRefused:
            if added and not backups:
                await end_client(self._vault, plan.client, clients)
            raise
        if not plan.changes:
            self._keep(plan, files.values(), added=added)
        return ProtectionResult(tuple(backups), added_client=added)

    async def remove(self, plan: ProtectionPlan, clients: Clients) -> ProtectionResult:
        """Do what a plan says, and revoke the client if protecting added it. Raises what `protect` raises."""
        backups = []
        for change in plan.changes:
            written = _written(plan.record, change.file)
            restored = written is not None and digest(change.after) == written.original
            backup = change.apply(back_up=not restored)
            if restored and written is not None and written.backup is not None:
                written.backup.unlink(missing_ok=True)
            backups += [backup] if backup is not None else []
        made = plan.record is not None and plan.record.made_client
        ended = made and await end_client(self._vault, plan.client, clients)
        self._forget(plan.program)
        return ProtectionResult(tuple(backups), revoked_client=ended)

    def protected(self) -> list[Protected]:
        """Return the programs whose editors ask, as recorded."""
        records = self._records()
        return [one for one in PROTECTED if one.id in records]

    def options(self, program: Protected) -> Options | None:
        """Return the choices for a program; None if it is not protected."""
        record = self._records().get(program.id)
        return None if record is None else record.options

    def faults(self, program: Protected) -> list[str]:
        """Return why a protected program does not ask as it was told to; empty if all is well.

        Args:
            program: One of those of `protected`.
        """
        record = self._records().get(program.id)
        if record is None:
            return [f"{program.title} is not told to ask"]
        return list(self._looked_at(program, record))

    def all_faults(self) -> list[str]:
        """Return the same of all programs, each as a sentence that says what to do."""
        return [
            f"{program.title} may edit this vault without asking: {'; '.join(faults)}. "
            f"`vault-bridge protect {program.id}` writes anew what is missing, and with --remove takes it back"
            for program in self.protected()
            if (faults := self.faults(program))
        ]

    def _looked_at(self, program: Protected, record: ProtectionRecord) -> Iterator[str]:
        hook = self._hook(program, record.options)
        if not token_storage.token_file(self._vault, record.client).is_file():
            yield "its credential is gone"
        try:
            file, now = find(self._configuration_file(program))
            if self._configuration(program, hook, record.options).after != now:
                yield f"{file} is gone or was changed"
            for settings in program.places(self.machine, hook):
                file, now = find(settings.file)
                if now is None:
                    yield f"{file} is gone"
                elif _text(settings.put, file, now, hook) != now:
                    yield f"{file} does not have all of it any more"
        except ConfigurationRefused as refused:
            yield str(refused)
        yield from program.switched_off(self.machine)

    def _hook(self, program: Protected, options: Options) -> Hook:
        configuration = self._configuration_file(program)
        script = Path(hook_program.__file__)
        words = (_python(), "-I", "-S", str(script), str(configuration))
        name = f"vault-bridge-{slug_of(self._vault)}-{self._short}"
        plain = Hook(words, options.seconds, (), self._vault, options.edits, name)
        files = [settings.file for settings in program.places(self.machine, plain)]
        files += program.switches(self.machine)
        guarded = [*files, *map(real_file, files), script, *self._guarded]
        return replace(plain, guarded=tuple(dict.fromkeys(guarded)))

    @property
    def _short(self) -> str:
        return hashlib.sha256(os.fsencode(os.path.normcase(self._vault))).hexdigest()[:8]

    def _configuration_file(self, program: Protected) -> Path:
        return token_storage.config_folder() / "hooks" / f"{program.id}-{self._short}.json"

    def _configuration(self, program: Protected, hook: Hook, options: Options) -> FileChange:
        """Return the change to the configuration that the hook reads when it starts."""
        file, before = find(self._configuration_file(program))
        content: dict[str, Any] = {
            "client": program.id,
            "vault": str(self._vault),
            "token": str(token_storage.token_file(self._vault, program.client)),
            "endpoint": str(self._endpoint),
            "edits": options.edits,
            "withoutBridge": options.without_bridge,
            "seconds": options.seconds,
            "guarded": [str(path) for path in hook.guarded],
            "guardedNames": program.names,
        }
        return FileChange(file, before, f"{json.dumps(content, indent=2, ensure_ascii=False)}\n".encode())

    async def _have_client(self, plan: ProtectionPlan, clients: Clients) -> bool:
        """Have the credential, in a file, as the hook reads no keyring; whether a client was added for that."""
        client = plan.client
        if not token_storage.token_file(self._vault, client).exists() and plan.record and plan.record.made_client:
            await end_client(self._vault, client, clients)  # ours, and its token is lost
        try:
            added = await ensure_client(self._vault, client, clients, PRESET)
        except ConfigurationRefused:
            raise ConfigurationRefused(
                f"The bridge has a client called {client!r} already, whose token is not kept on this machine. "
                "Revoke it with `vault-bridge clients revoke`, then run this again"
            ) from None
        if not token_storage.token_file(self._vault, client).exists():
            try:
                token_storage.save_to_file(self._vault, client, token_storage.find_token(self._vault, client))
            except (OSError, TokenNotFound) as error:
                raise ConfigurationRefused(f"The credential of {client!r} cannot be kept in a file: {error}") from None
        return added

    def _records(self) -> dict[str, ProtectionRecord]:
        return {key: record for key, record in self._file.load({}).items() if key in PROTECTED_BY_ID}

    def _keep(self, plan: ProtectionPlan, files: Iterable[Written], *, added: bool) -> None:
        made = added or (plan.record is not None and plan.record.made_client)
        record = ProtectionRecord(client=plan.client, made_client=made, options=plan.options, files=[*files])
        try:
            self._file.save({**self._file.load({}), plan.program.id: record})
        except ExecutionFailed as error:
            raise ConfigurationRefused(
                f"How to take this back cannot be noted: {error.message}. Run this again with --remove"
            ) from None

    def _forget(self, program: Protected) -> None:
        records = self._file.load({})
        if records.pop(program.id, None) is not None:
            self._file.save(records)


def _python() -> str:
    """Return this Python, by the one of its names that does not depend on how it was started."""
    usual = (Path(sys.prefix, "bin", "python"), Path(sys.prefix, "Scripts", "python.exe"))
    real = os.path.realpath(sys.executable)
    return next((str(one) for one in usual if one.is_file() and os.path.realpath(one) == real), sys.executable)


def _text(change: Callable[[str, Hook], str], file: Path, before: bytes | None, hook: Hook) -> bytes:
    """Return the new bytes of a file. Raises ConfigurationRefused if it cannot be understood."""
    with understanding(file):
        return change((before or b"").decode(), hook).encode()


def _changing(changes: Sequence[FileChange]) -> tuple[FileChange, ...]:
    return tuple(change for change in changes if change.changes)


def _written(record: ProtectionRecord | None, file: Path) -> Written | None:
    return next((one for one in record.files if one.file == file), None) if record else None


def vault_protector(vault: Path, machine: Machine, folder: RecordFolder | None = None) -> Protector:
    """Return the protector of a vault, for the commands, the checks and the bridge.

    Args:
        vault: The vault's real path.
        machine: The machine.
        folder: Where it is written down what was done; None: where it always is.
    """
    return Protector(
        machine,
        vault,
        folder or RunFolder(vault, kind="clients", durable=True),
        endpoint=place(vault) / AGENT_FILE,
        guarded=(config_folder(), state_folder().absolute()),
        stays=command_line,
    )
