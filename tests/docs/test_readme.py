"""The README's transcript is what the demonstration prints, and its examples run."""

import asyncio
import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from bridge.cli.main import COMMANDS
from scripts.lib.environment import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
VARYING = (
    (r"127\.0\.0\.1:\d+", "127.0.0.1:PORT"),
    (r"\b(patch|agent)-[0-9a-f]{8,12}\b", r"\1-ID"),
    (r"\d\d:\d\d:\d\d", "TIME"),
    (r"expires in [\w ]+?(?=\))", "expires in LONG"),
    (r"\S*/vault-bridge(?= history| log)", "COMMAND"),
)
LOG_LINE = re.compile(r"(?<=tools\.log:\n).*?(?=\n\n)", re.DOTALL)


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def stable(transcript: str) -> str:
    """A transcript without what differs from run to run."""
    for pattern, instead in VARYING:
        transcript = re.sub(pattern, instead, transcript)
    return LOG_LINE.sub("     THE LINE", transcript).strip()


async def output_of(*command: str, home: Path | None = None, place: Path = ROOT, answers: str = "") -> str:
    """What a program prints, as in a terminal of 80 columns; it must end well."""
    variables = {**os.environ, "COLUMNS": "80", "PYTHONUTF8": "1", "PYTHONPATH": str(ROOT)}
    if home is not None:
        variables["HOME"] = variables["USERPROFILE"] = str(home)
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=place,
        env=variables,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await asyncio.wait_for(process.communicate(answers.encode()), 60)
    assert process.returncode == 0, said.decode()
    return said.decode()


@pytest.fixture
def home(served: Path, tmp_path: Path) -> Path:
    """A home in which the served vault is `Notes`."""
    place = tmp_path / "home"
    place.mkdir()
    (place / "Notes").symlink_to(served, target_is_directory=True)
    return place


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a pipe cannot answer the demonstration there")
async def test_the_transcript_is_what_the_demonstration_prints(tmp_path: Path) -> None:
    """On a mismatch, put what is printed into the README."""
    demo = (
        "import asyncio; from pathlib import Path; from scripts.lib.demo import Demo; "
        "from scripts.lib.answers import open_answers; "
        "asyncio.run(Demo(open_answers(yes=False), playground=Path.cwd() / 'playground').show())"
    )
    printed = await output_of(sys.executable, "-c", demo, place=tmp_path, answers="s\ny\ny\n")
    assert stable(blocks("text")[0]) == stable(printed)


@pytest.mark.slow
@pytest.mark.parametrize("example", blocks("python"), ids=["client", "raw"])
async def test_the_python_examples_run(home: Path, example: str) -> None:
    printed = await output_of(sys.executable, "-c", example, home=home)
    assert "TODO: find the leak in the can" in printed


async def test_the_client_example_changes_what_it_says(home: Path, served: Path) -> None:
    await output_of(sys.executable, "-c", blocks("python")[0], home=home)
    assert "DONE: write a line about yourself here." in (served / "Welcome.md").read_text(encoding="utf-8")


@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("jq")), reason="curl and jq are not installed")
async def test_the_curl_example_runs(home: Path) -> None:
    printed = await output_of("sh", "-c", blocks("sh")[0], home=home)
    assert "TODO: find the leak in the can" in printed


def test_the_command_line_in_short_names_every_command() -> None:
    table = README.split("## The command line", 1)[1].split("\n## ", 1)[0]
    assert all(f"`{name}`" in table or f"`vault-bridge {name}`" in table for name in [*COMMANDS, "policy", "settings"])
