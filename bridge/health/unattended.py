"""Programs with agents: clients that work in drafts unattended, and editors that ask before they change files."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from bridge.agents.connection import Connector
from bridge.agents.machine import ConfigurationRefused, this_machine
from bridge.agents.program import command_line
from bridge.agents.protection import vault_protector
from bridge.agents.table import AGENTS, Agent, words_of
from bridge.client.errors import TokenNotFound
from bridge.client.token_storage import find_token, token_file
from bridge.clock import SystemClock
from bridge.consent.client_grants import ClientGrants
from bridge.contract.consent import Coverage
from bridge.health.finding import Finding, LookedAtFolder
from bridge.health.reinstalling import install_again
from bridge.identity.store import ClientStore
from bridge.own_commands import own_command
from bridge.records.folder import place

LETS: Final[dict[str, tuple[str, Any]]] = {
    "codex": ("default_tools_approval_mode", "approve"),
    "gemini": ("trust", True),
}
"""The field of the entry, and its value, by which a program calls our tools without asking in a terminal of its own."""
ALLOWED: Final = "--allowedTools mcp__vault-bridge"
"""The same for Claude Code, which has to be given it in its command line."""
_TICKETS: Final = "each note that nothing else lets it read becomes a question, also where it only writes to it"
SECONDS: Final = 60.0
_KEPT: Final = ("HOME", "PATH", "SYSTEMROOT", "USERPROFILE", "VAULT_BRIDGE_CONFIG", "VAULT_BRIDGE_STATE")
"""The environment variables that a scheduler's job has too."""


def check_unattended(vault: Path) -> Iterator[Finding]:
    """Check whether the clients that work in drafts have what they need when no person and no terminal is there."""
    real = Path(os.path.realpath(vault))
    folder = LookedAtFolder(place(real, kind="clients"))
    clients = [client for client in ClientStore(folder, clock=SystemClock()).list() if client.drafts]
    if not clients:
        yield Finding("unattended", "ok", "No client works in drafts")
        return
    if why := _why_it_does_not_start():
        yield Finding("unattended", "fail", f"Without a terminal vault-bridge does not start: {why}", install_again())
    connector = Connector(this_machine(), real, command_line, folder)
    answers = ClientGrants(folder, clock=SystemClock(), days=lambda: None)
    read = {one.client_id for one in answers.list() if one.what is Coverage.READING and one.decision.allows}
    everybody = any(one.extent.what is Coverage.READING and one.decision.allows for one in answers.written())
    for client in clients:
        yield from _client(client.name, real, connector)
        if not everybody and client.client_id not in read:
            what = f"{client.name} works in drafts, and you have not said what it may read: {_TICKETS}"
            yield Finding("unattended", "warn", what, "`vault-bridge install-client` without a program asks for it")


def _client(name: str, vault: Path, connector: Connector) -> Iterator[Finding]:
    connect = own_command("install-client", "PROGRAM", "--client", name, "--drafts")
    try:
        find_token(vault, name)
    except TokenNotFound as missing:
        yield Finding("unattended", "fail", f"{name} works in drafts and cannot connect: {missing}", connect)
        return
    if not token_file(vault, name).exists():
        what = f"{name} has its token in the keyring, which may be locked while you are not logged in"
        yield Finding("unattended", "warn", what, f"{connect} keeps a new one in a file, after `clients revoke`")
    found = False
    for agent in AGENTS:
        try:
            entry = connector.entry(agent, name)
        except ConfigurationRefused as refused:
            yield Finding("unattended", "warn", f"{agent.title}: {refused}", "Correct that file")
            continue
        if entry is not None:
            found = True
            yield _program(agent, entry, name)
    if not found:
        yield Finding("unattended", "warn", f"{name} works in drafts, and no program here is connected as it", connect)


def _program(agent: Agent, entry: dict[str, Any], name: str) -> Finding:
    """Return how a program stands that is connected as a client that works in drafts."""
    command = words_of(entry)[0]
    if not (Path(command).is_absolute() and os.access(command, os.X_OK)):
        remedy = f"{own_command('install-client', agent.id, '--client', name)} writes where it is now"
        return Finding("unattended", "fail", f"{agent.title} cannot start {command} for {name}", remedy)
    field, value = LETS.get(agent.id, ("", None))
    if field and entry.get(field) != value:
        what = f"As {name}, {agent.title} asks in its terminal before it calls our tools, and does nothing without one"
        said = f'`{field} = "{value}"`' if isinstance(value, str) else f'`"{field}": true`'
        return Finding("unattended", "warn", what, f"Write {said} into the entry (docs/unattended.md)")
    flag = f"; its job needs `{ALLOWED}`" if agent.id == "claude-code" else ""
    return Finding("unattended", "ok", f"{name} works in drafts, with {agent.title}{flag}")


def _why_it_does_not_start() -> str:
    """Return why this program does not start as a scheduler starts it, without a terminal; empty where it does."""
    bare = {name: os.environ[name] for name in _KEPT if name in os.environ}
    command = [sys.executable, "-P", "-m", "bridge", "--version"]
    try:
        done = subprocess.run(  # noqa: S603 - ourselves
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=bare, timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return type(error).__name__
    return "" if done.returncode == 0 else (done.stderr.strip().splitlines() or ["it ends at once"])[-1]


def check_protection(vault: Path) -> Iterator[Finding]:
    """Check whether the programs told to ask before they edit the vault still have what makes them ask."""
    real = Path(os.path.realpath(vault))
    protector = vault_protector(real, this_machine(), LookedAtFolder(place(real, kind="clients")))
    programs = protector.protected()
    if not programs:
        yield Finding("own editors", "ok", "No program is told to ask before its own editor changes notes")
    for program in programs:
        faults, options = protector.faults(program), protector.options(program)
        if faults:
            remedy = f"`vault-bridge protect {program.id}` writes anew what is missing, with --remove takes it back"
            yield Finding("own editors", "warn", f"{program.title} may not ask: {'; '.join(faults)}", remedy)
        else:
            how = "is refused" if options is not None and options.edits == "refuse" else "asks"
            what = f"{program.title}'s own editor {how}; what it does by a shell is recorded"
            yield Finding("own editors", "ok", what)
