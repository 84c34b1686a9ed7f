"""The programs that agents can have started: what confines them, commands, other servers, and the user's own tools."""

from collections.abc import Iterator
from pathlib import Path

from bridge.client.token_storage import config_folder
from bridge.contract.discovery import STATE_FOLDER
from bridge.custom.process import node
from bridge.custom.storage import FILE, LARGEST, parse_file
from bridge.errors import InvalidParameters
from bridge.health.finding import Finding, LookedAtFolder
from bridge.records.folder import place
from bridge.sandbox.probing import probe, remedy
from bridge.servers.approvals import Approvals
from bridge.servers.configuration import ServerEntry, ServersFile
from bridge.servers.opening import find_program
from bridge.settings.confirmations import Confirmations
from bridge.settings.file import SettingsFault, parse
from bridge.settings.model import Settings, requires_sandbox
from bridge.settings.store import FILE as SETTINGS
from bridge.settings.store import in_force, unconfirmed
from bridge.tools import specs


def check_sandbox(vault: Path) -> Iterator[Finding]:
    """Check which sandbox works here, and what it cannot do."""
    del vault
    found = probe()
    if not found.confines:
        what = "None works: what a program can reach is not limited here"
        yield Finding("sandbox", "warn" if remedy() else "ok", what, remedy())
        return
    lacks = "".join(f"; {lack[0].lower()}{lack[1:]}" for lack in found.lacks)
    yield Finding("sandbox", "ok", f"{found.sentence}{lacks}")


def check_commands(vault: Path) -> Iterator[Finding]:
    """Check whether agents may run commands, and under which conditions."""
    settings, proposed = _settings(vault)
    if "allowTerminal" in proposed:
        what = "allowTerminal is set in the vault, but not confirmed on this computer: commands are refused"
        yield Finding("commands", "warn", what, "`vault-bridge settings set allowTerminal=true`, or `…=false`")
    elif not settings.allow_terminal:
        yield Finding("commands", "ok", "Agents cannot run any: `allowTerminal` is off")
    elif not probe().confines and requires_sandbox(settings):
        yield Finding("commands", "warn", "They are allowed, and refused, because no sandbox works here", remedy())
    else:
        network = "with" if settings.terminal_network else "without"
        held = "in a sandbox" if probe().confines else "without a sandbox"
        yield Finding(
            "commands", "ok", f"They are allowed, {held}, {network} the network, {settings.terminal_timeout:g} s each"
        )


def check_servers(vault: Path) -> Iterator[Finding]:
    """Check the state of each of the user's other MCP servers. None is started or reached."""
    folder = LookedAtFolder(config_folder())
    file = ServersFile(folder)
    entries = file.read()
    if file.fault is not None:
        yield Finding("servers", "fail", file.fault, f"Correct {file.path}; until then no server is used")
        return
    settings, proposed = _settings(vault)
    if not entries:
        yield Finding("servers", "ok", "No other server is entered")
        return
    if "allowMcpServers" in proposed:
        what = "allowMcpServers is set in the vault, but not confirmed on this computer: agents cannot use any"
        yield Finding("servers", "warn", what, "`vault-bridge settings set allowMcpServers=true`, or `…=false`")
    elif not settings.allow_mcp_servers:
        yield Finding("servers", "ok", "Agents cannot use any: `allowMcpServers` is off")
    approvals = Approvals(folder)
    if approvals.fault is not None:
        yield Finding("servers", "warn", approvals.fault, "You are asked again; what you allow then is kept")
    for name, entry in entries.items():
        yield _server(name, entry, approvals, settings)


def _server(name: str, entry: ServerEntry, approvals: Approvals, settings: Settings) -> Finding:
    change = approvals.entry_change(name, entry)
    is_other = change is not None and change.startswith("@@")
    said = [f"{name} is {'trusted' if entry.trusted else 'not trusted'}"]
    if not entry.enabled:
        said.append("switched off")
    if change is not None:
        said.append("started or reached otherwise than when you allowed it" if is_other else "not allowed yet")
    cure = f"`vault-bridge servers show {name}` shows the difference; you are asked again" if is_other else ""
    if entry.url is not None:
        said.append(f"reached at {entry.url}")
    elif (program := find_program(entry)) is None:
        said.append(f"and there is no program {entry.command!r}")
        cure = f"Install it, or `vault-bridge servers remove {name}`"
    elif probe().confines:
        said.append(f"run in a sandbox: {program}")
    elif requires_sandbox(settings):
        said.append("and refused, because no sandbox works here")
        cure = remedy()
    else:
        said.append(f"run without a sandbox: {program}")
    return Finding(
        "servers", "warn" if cure and entry.enabled else "ok", ", ".join(said), cure if entry.enabled else ""
    )


def _settings(vault: Path) -> tuple[Settings, list[str]]:
    """Return the settings in force and those only proposed in the vault; the defaults where its file cannot be used."""
    confirmations = Confirmations(LookedAtFolder(place(Path(vault).resolve(), kind="settings")))
    try:
        values = parse((vault / STATE_FOLDER / SETTINGS).read_bytes())
        return in_force(values, confirmations), unconfirmed(values, confirmations)
    except (OSError, SettingsFault):
        return Settings(), []  # `check_settings` says why


def check_own_tools(vault: Path) -> Iterator[Finding]:
    """Check whether the user's own tools are stored well, and whether their runtimes are there."""
    del vault
    file = config_folder() / FILE
    if not file.exists():
        return
    try:
        with file.open("rb") as opened:
            tools = parse_file(opened.read(LARGEST + 1), [spec.name for spec in specs()])
    except InvalidParameters as fault:
        yield Finding("own tools", "fail", fault.message, f"Correct {file} by hand, or remove it")
        return
    scripts = [tool.name for tool in tools.values() if tool.environment == "node" and tool.enabled]
    if scripts and node() is None:
        what = f"There is no Node.js, which {', '.join(scripts)} need" + ("s" if len(scripts) == 1 else "")
        yield Finding("own tools", "warn", what, "Install it from https://nodejs.org, or switch them off")
        return
    yield Finding("own tools", "ok", f"{len(tools)} stored, {sum(tool.enabled for tool in tools.values())} switched on")
