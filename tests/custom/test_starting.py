"""A tool of the user's own whose process cannot start says why, and what to do."""

import logging
import sys
from pathlib import Path

import pytest

from bridge.custom import process
from bridge.sandbox import sandbox as starting
from tests.custom.conftest import Run

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no sandbox works there")


async def test_what_keeps_the_code_from_beginning_is_told(
    run: Run, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(process, "_source", lambda _name: "import sys; sys.exit('no tea, and password: hunter2')")
    answer = await run("python", "return 1")
    assert not answer.success
    assert (answer.error or "").startswith("The tool could not be started (exit code 1): no tea, and password: [REDA")
    assert (answer.error or "").endswith(". `vault-bridge doctor` says what can be done")
    assert [(record.levelno, record.getMessage()) for record in caplog.records] == [(logging.WARNING, answer.error)]


async def test_a_process_that_is_to_watch_it_and_cannot_start_is_told_of(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = starting._PROGRAM.replace("from bridge.sandbox", f"open({str(tmp_path / 'gone')!r}); from bridge.sandbox")
    monkeypatch.setattr(starting, "_PROGRAM", broken)
    answer = await run("python", "return 1")
    assert "could not be started because the process that watches it ended: FileNotFoundError" in (answer.error or "")


async def test_code_that_ends_by_itself_after_it_began_is_no_failure_to_start(run: Run) -> None:
    answer = await run("python", "import os\nos._exit(3)")
    assert answer.error == "The tool ended without an answer (exit code 3)"
