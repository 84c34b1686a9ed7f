"""The processes that do a part of the bridge's work: each is started once, and ended."""

import asyncio
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from bridge.custom.process import Processes, node
from bridge.errors import ToolFailure
from bridge.health.finding import Finding
from bridge.health.reinstalling import install_again
from bridge.index.texts.patterns import SEARCHING
from bridge.index.vectors.embedder import packaged_model, transformer_files
from bridge.index.vectors.packaged import EMBEDDING
from bridge.pdf.reader import READING as READING_PDFS
from bridge.pictures.reader import RECOGNISING, SHOWING
from bridge.pictures.recognition import recognition_files
from bridge.policy.redaction import hide_secrets
from bridge.sandbox.programs import Programs
from bridge.web.extraction.reader import READING
from bridge.workers.pool import Job, Worker, WorkerGone

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


def check_workers(vault: Path) -> Iterator[Finding]:
    """Check whether each worker process can start; those of extras if they are installed."""
    del vault
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
