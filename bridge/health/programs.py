"""Processes that do a part of the work: workers, and the programs that agents can have started.

Each worker is started once, and ended. The programs are commands, other servers, and the user's own tools; what
confines them is looked at too.
"""

import asyncio
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from bridge.client.token_storage import config_folder
from bridge.custom.process import Processes, node
from bridge.custom.storage import FILE, LARGEST, parse_file
from bridge.errors import InvalidParameters, ToolFailure
from bridge.health.finding import Finding, LookedAtFolder
from bridge.health.reinstalling import install_again
from bridge.health.state import settings_of
from bridge.index.texts.patterns import SEARCHING
from bridge.index.vectors.embedder import EMBEDDING, packaged_model, transformer_files
from bridge.pdf.reader import READING as READING_PDFS
from bridge.pictures.reader import RECOGNISING, SHOWING, recognition_files
from bridge.policy.redaction import hide_secrets
from bridge.sandbox.sandbox import Programs, probe, remedy
from bridge.servers.configuration import ServerEntry, ServersFile
from bridge.servers.servers import Approvals, find_program
from bridge.settings.model import Settings, requires_sandbox
from bridge.tools import specs
from bridge.web.extraction.reader import READING
from bridge.workers.pool import Job, Worker, WorkerGone


def check_sandbox(_vault: Path) -> Iterator[Finding]:
    """Check which sandbox works here, and what it cannot do."""
    found = probe()
    if not found.confines:
        what = "None works: what a program can reach is not limited here"
        yield Finding("sandbox", "warn" if remedy() else "ok", what, remedy())
        return
    lacks = "".join(f"; {lack[0].lower()}{lack[1:]}" for lack in found.lacks)
    yield Finding("sandbox", "ok", f"{found.sentence}{lacks}")


def check_commands(vault: Path) -> Iterator[Finding]:
    """Check whether agents may run commands, and under which conditions."""
    settings, proposed = settings_of(vault)
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
        what = f"They are allowed, {held}, {network} the network, {settings.terminal_timeout:g} s each"
        yield Finding("commands", "ok", what)


def check_servers(vault: Path) -> Iterator[Finding]:
    """Check the state of each of the user's other MCP servers. None is started or reached."""
    folder = LookedAtFolder(config_folder())
    file = ServersFile(folder)
    entries = file.read()
    if file.fault is not None:
        yield Finding("servers", "fail", file.fault, f"Correct {file.path}; until then no server is used")
        return
    settings, proposed = settings_of(vault)
    if not entries:
        yield Finding("servers", "ok", "No other server is entered")
        return
    if "allowMcpServers" in proposed:
        what = "allowMcpServers is set in the vault, but not confirmed on this computer: agents cannot use any"
        yield Finding("servers", "warn", what, "`vault-bridge settings set allowMcpServers=true`, or `…=false`")
    elif not settings.allow_mcp_servers:
        yield Finding("servers", "ok", "Agents cannot use any: `allowMcpServers` is off")
    approvals = Approvals(folder)
    if approvals.file.fault is not None:
        yield Finding("servers", "warn", approvals.file.fault, "You are asked again; what you allow then is kept")
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
    cure = cure if entry.enabled else ""
    return Finding("servers", "warn" if cure else "ok", ", ".join(said), cure)


def check_own_tools(_vault: Path) -> Iterator[Finding]:
    """Check whether the user's own tools are stored well, and whether their runtimes are there."""
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


SECONDS: Final = 60.0
"""The time one may take to start; on most computers it is less than a second."""
_EXTRAS: Final = {EMBEDDING.program: "semantic", RECOGNISING.program: "drawn-text"}
"""What brings the packages that a program needs, where they are not the bridge's own."""
_LIES_IDLE: Final = {
    SEARCHING.program: "patterns with look-around or back-references are not searched for",
    READING.program: "pages of the web can only be fetched as `raw`",
    READING_PDFS.program: "the text of PDF files is neither found nor read",
    SHOWING.program: "pictures are not shown to agents",
    RECOGNISING.program: "pictures are not found by the text in them",
    EMBEDDING.program: "questions find notes by their words only",
}


def check_workers(_vault: Path) -> Iterator[Finding]:
    """Check whether each worker process can start; those of extras if they are installed."""
    jobs = [SEARCHING, READING, READING_PDFS, SHOWING]
    if packaged_model() is not None or transformer_files() is not None:
        jobs.append(EMBEDDING)
    if recognition_files() is not None:
        jobs.append(RECOGNISING)
    failed = 0
    for job in jobs:
        if why := _fault(job):
            failed += 1
            what = f"The process for {job.work} cannot start ({why}): {_LIES_IDLE[job.program]}"
            yield Finding("workers", "fail", what, install_again(_EXTRAS.get(job.program, "")))
    if not failed:
        works = ", ".join(job.work for job in jobs)
        yield Finding("workers", "ok", f"All {len(jobs)} kinds start ({works})")


def check_programs(vault: Path) -> Iterator[Finding]:
    """Check whether the process that watches programs starts, and in it the runtimes of the user's own tools."""
    for where in ("python", *(["node"] if node() is not None else [])):
        try:
            said = asyncio.run(_run(vault, where))
            why = None if said.success and said.result == len(where) else said.error or "its answer is wrong"
        except ToolFailure as failure:
            why = failure.message
        if why is not None:
            remedy = install_again() if where == "python" else "Install Node.js again, from https://nodejs.org"
            yield Finding("programs", "fail", f"Own tools in {where} cannot run: {why}", remedy)
        else:
            yield Finding("programs", "ok", f"Own tools in {where} can run")


def _fault(job: Job) -> str:
    """Return why a worker cannot start; empty where it can."""
    try:
        worker = Worker(job.program)
    except OSError as error:
        return error.strerror or type(error).__name__
    alarm = threading.Timer(SECONDS, worker.kill)
    alarm.start()
    try:
        worker.start()
    except WorkerGone:
        return hide_secrets(worker.end()[1])
    finally:
        alarm.cancel()
        worker.close()
    return ""


async def _run(vault: Path, where: str) -> Any:
    with tempfile.TemporaryDirectory(prefix="vault-bridge-doctor-") as scratch:
        processes = Processes(Programs((), Path(scratch), required=lambda: False), vault)
        return await processes.run(where, f"return {len(where)}", {}, int(SECONDS * 1000), _nobody)


async def _nobody(_message: Any) -> dict[str, Any]:
    return {"success": False, "error": "Nobody can be asked here"}
