"""The demonstration, in a real terminal and without one."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scripts.lib.demo import NOTE, SAMPLE, Demo, copy_sample
from scripts.lib.environment import ROOT
from tests.patience import PATIENCE
from tests.terminals import close_terminal

pytestmark = pytest.mark.slow

SHOW = (
    "import sys; from pathlib import Path; from scripts.lib import start; sys.argv = ['start']; "
    "start.PLAYGROUND = Path.cwd(); sys.exit(start.main())"
)
"""`scripts/start`, but with its copies where the test stands."""


async def test_without_a_person_every_question_is_answered_with_yes_and_all_is_taken_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await Demo(None, playground=tmp_path).show()
    said = capsys.readouterr().out
    assert "answered with yes" in said
    assert "13 + - [x] Order soil before the end of March" in said
    assert f"“Demo” (not verified) changed “{NOTE}”; you allowed it, once\n" in said
    assert f"{NOTE} is byte for byte as it was before." in said
    assert (tmp_path / "vault" / NOTE).read_bytes() == (SAMPLE / NOTE).read_bytes()


def test_a_copy_that_was_made_before_is_not_touched(tmp_path: Path) -> None:
    first = copy_sample(tmp_path)
    (first / "Welcome.md").write_text("mine", encoding="utf-8")
    assert [first.name, copy_sample(tmp_path).name, copy_sample(tmp_path).name] == ["vault", "vault-2", "vault-3"]
    assert (first / "Welcome.md").read_text(encoding="utf-8") == "mine"


def test_the_sample_vault_has_what_its_notes_say() -> None:
    notes = {path.relative_to(SAMPLE).as_posix(): path.read_bytes() for path in SAMPLE.rglob("*.md")}
    assert len(notes) == 12
    crlf = [name for name, data in notes.items() if b"\r" in data]
    assert crlf == ["Garden/Watering.md"]
    assert notes["Garden/Watering.md"].count(b"\r\n") == notes["Garden/Watering.md"].count(b"\n")


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Any]:
    """The demonstration in a pseudo-terminal, with somebody at the keys."""
    pexpect = pytest.importorskip("pexpect", reason="pseudo-terminals are POSIX")
    if sys.platform == "win32":
        pytest.skip("pseudo-terminals are POSIX")
    variables = {"HOME": str(tmp_path), "TERM": "xterm", "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"}
    child = pexpect.spawn(
        *(sys.executable, ["-c", SHOW]),
        cwd=str(tmp_path),
        env=os.environ | variables,
        encoding="utf-8",
        codec_errors="replace",  # what the terminal itself writes, such as ^C, may part a letter
        dimensions=(60, 100),
        use_poll=True,
        timeout=PATIENCE,
    )
    yield child
    close_terminal(child)


def answer(terminal: Any, prompt: str, key: str) -> None:
    """Wait until something is asked, and answer it."""
    terminal.expect_exact(prompt)
    terminal.send(f"{key}\r")


def test_a_yes_is_written_and_a_no_to_the_undo_leaves_it(terminal: Any, tmp_path: Path) -> None:
    answer(terminal, "Your answer", "s")
    answer(terminal, "anything else goes back", "y")
    terminal.expect_exact("It asks to change a note")
    answer(terminal, "Your answer", "y")
    answer(terminal, "Undo it?", "n")
    terminal.expect_exact("The change stays.")
    terminal.expect_exact("README.md")
    terminal.wait()
    assert terminal.exitstatus == 0
    assert "- [x] Order soil" in (tmp_path / "vault" / NOTE).read_text(encoding="utf-8")


def test_after_a_no_nothing_is_written_and_the_agent_learns_why(terminal: Any, tmp_path: Path) -> None:
    answer(terminal, "Your answer", "s")
    answer(terminal, "anything else goes back", "y")
    terminal.expect_exact("It asks to change a note")
    answer(terminal, "Your answer", "n")
    terminal.expect_exact("Nothing was changed")
    terminal.expect_exact("The user denied this call")
    terminal.wait()
    assert terminal.exitstatus == 0
    assert (tmp_path / "vault" / NOTE).read_bytes() == (SAMPLE / NOTE).read_bytes()


def test_a_question_that_was_set_aside_is_asked_again(terminal: Any, tmp_path: Path) -> None:
    answer(terminal, "Your answer", "l")
    answer(terminal, "1 question is set aside", "")
    answer(terminal, "Your answer", "y")
    terminal.expect_exact("It asks to change a note")
    answer(terminal, "Your answer", "n")
    terminal.expect_exact("Nothing was changed")
    assert (tmp_path / "vault" / NOTE).read_bytes() == (SAMPLE / NOTE).read_bytes()


def test_leaving_with_ctrl_c_writes_nothing(terminal: Any, tmp_path: Path) -> None:
    answer(terminal, "Your answer", "s")
    answer(terminal, "anything else goes back", "y")
    terminal.expect_exact("It asks to change a note")
    terminal.expect_exact("Your answer")
    terminal.send("\x03")
    terminal.expect_exact("Left.")
    terminal.wait()
    assert terminal.exitstatus == 130
    assert (tmp_path / "vault" / NOTE).read_bytes() == (SAMPLE / NOTE).read_bytes()
