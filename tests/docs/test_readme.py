"""The README's transcript is part of what the demonstration prints, its examples run, and its commands exist."""

import asyncio
import os
import re
import shutil
import sys
import tomllib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from aiohttp import web

from bridge.app import Bridge
from bridge.cli.main import COMMANDS
from bridge.identity.caller import PERSON
from bridge.toolkit.tool import VAULT
from bridge.tools import specs
from scripts.lib.consenting import consenting_host
from scripts.lib.environment import ROOT
from tests.patience import PATIENCE
from tests.terminals import close_terminal

pytestmark = pytest.mark.slow

README = (ROOT / "README.md").read_text(encoding="utf-8")
VARYING = (
    (r"127\.0\.0\.1:\d+", "127.0.0.1:PORT"),
    (r"\b(patch|agent)-[0-9a-f]{8,12}\b", r"\1-ID"),
    (r"\d\d-\d\d (?=\d\d:)", "DAY "),
    (r"\d\d:\d\d:\d\d", "TIME"),
    (r"expires in [\w ]+?(?=\))", "expires in LONG"),
    (r"\S*/vault-bridge(?= history| log)", "COMMAND"),
)
VAULT_TOOLS = {spec.name for spec in specs() if VAULT in spec.presets or spec.own}
LEFT_OUT = "\n…\n"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


AGENT, CLIENT, RAW = blocks("python")
TYPED = [line.removeprefix("$ ") for block in blocks("console") for line in block.splitlines()]
"""Every command that the README has somebody type."""


def stable(transcript: str) -> str:
    """A transcript without what differs from run to run."""
    for pattern, instead in VARYING:
        transcript = re.sub(pattern, instead, transcript)
    return transcript.strip()


async def output_of(
    *command: str, home: Path | None = None, place: Path = ROOT, answers: str = "", ends_with: int = 0, **more: str
) -> str:
    """What a program prints, as in a terminal of 80 columns; it must end with that exit code."""
    variables = {**os.environ, "COLUMNS": "80", "PYTHONUTF8": "1", "PYTHONPATH": str(ROOT), **more}
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
    said, _ = await asyncio.wait_for(process.communicate(answers.encode()), PATIENCE)
    assert process.returncode == ends_with, said.decode()
    return said.decode()


def home_of(vault: Path, tmp_path: Path) -> Path:
    """A home in which a vault is `Notes`."""
    place = tmp_path / "home"
    place.mkdir()
    (place / "Notes").symlink_to(vault, target_is_directory=True)
    return place


@pytest.fixture
def home(served: Path, tmp_path: Path) -> Path:
    """A home in which the served sample vault is `Notes`."""
    return home_of(served, tmp_path)


@pytest.fixture
async def home_without_todo(tmp_path: Path) -> AsyncIterator[Path]:
    """A home in which `Notes` is a served vault of one note that has nothing to do."""
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "Idea.md").write_text("A plain thought.\n", encoding="utf-8")
    async with Bridge(vault) as bridge:
        bridge.settings.update({"enabledTools": list(bridge.services.registry.presets(PERSON)["vault"])})
        async with consenting_host(vault):
            yield home_of(vault, tmp_path)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a pipe cannot answer the demonstration there")
async def test_the_transcript_is_part_of_what_the_demonstration_prints(tmp_path: Path) -> None:
    """On a mismatch, put what is printed into the README. A line of one `…` stands for what is left out."""
    demo = (
        "import asyncio; from pathlib import Path; from scripts.lib.demo import Demo; "
        "from scripts.lib.answers import open_answers; "
        "asyncio.run(Demo(open_answers(yes=False), playground=Path.cwd() / 'playground').show())"
    )
    printed = stable(await output_of(sys.executable, "-c", demo, place=tmp_path, answers="s\ny\ny\ny\n"))
    for part in stable(blocks("text")[0]).split(LEFT_OUT):
        assert part in printed
        printed = printed.split(part, 1)[1]


@pytest.mark.slow
@pytest.mark.parametrize("example", [CLIENT, RAW], ids=["client", "raw"])
async def test_the_python_examples_run(home: Path, example: str) -> None:
    printed = await output_of(sys.executable, "-c", example, home=home)
    assert "TODO: find the leak in the can" in printed


@pytest.mark.parametrize("example", [CLIENT, RAW], ids=["client", "raw"])
async def test_where_no_note_has_the_word_the_examples_say_so_and_end(home_without_todo: Path, example: str) -> None:
    printed = await output_of(sys.executable, "-c", example, home=home_without_todo)
    assert re.fullmatch(r"No match[^\n]*'TODO'[^\n]*\n", printed)


async def test_the_client_example_changes_what_it_says(home: Path, served: Path) -> None:
    await output_of(sys.executable, "-c", CLIENT, home=home)
    assert "DONE: write a line about yourself here." in (served / "Welcome.md").read_text(encoding="utf-8")


async def test_without_a_consent_screen_the_client_example_says_how_to_get_one(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    async with Bridge(vault):
        printed = await output_of(sys.executable, "-c", CLIENT, home=home_of(vault, tmp_path))
    assert "vault-bridge approve" in printed


class Model:
    """A server that speaks OpenAI's chat API, with a model that calls `grep` once and then repeats what it got."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []

    async def answer(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.asked.append(body)
        last = body["messages"][-1]
        message: dict[str, Any] = {"role": "assistant", "content": last["content"]}
        if last["role"] == "user":
            function = {"name": "grep", "arguments": orjson.dumps({"pattern": "TODO"}).decode()}
            call = {"id": "call-1", "type": "function", "function": function}
            message = {"role": "assistant", "content": None, "tool_calls": [call]}
        return web.json_response({"choices": [{"index": 0, "message": message}]})


@pytest.fixture
async def model(aiohttp_server: Any) -> tuple[Model, str]:
    """Such a server, and its address."""
    model = Model()
    app = web.Application()
    app.router.add_post("/v1/chat/completions", model.answer)
    server = await aiohttp_server(app)
    return model, str(server.make_url("/v1"))


async def test_the_agent_example_lets_a_model_use_the_tools(home: Path, model: tuple[Model, str]) -> None:
    server, address = model
    printed = await output_of(
        sys.executable, "-c", AGENT, "Which tasks are still open?", home=home, OPENAI_BASE_URL=address
    )
    assert "TODO: find the leak in the can" in printed
    first = server.asked[0]
    assert first["messages"] == [{"role": "user", "content": "Which tasks are still open?"}]
    assert {tool["function"]["name"] for tool in first["tools"]} == VAULT_TOOLS


async def test_without_a_models_server_the_agent_example_ends_with_a_sentence(home: Path, unused_tcp_port: int) -> None:
    address = f"http://127.0.0.1:{unused_tcp_port}/v1"
    command = (sys.executable, "-c", AGENT, "Hello?")
    printed = await output_of(*command, home=home, ends_with=1, OPENAI_BASE_URL=address)
    assert re.fullmatch(rf"The model's server at {address} failed: [^\n]+\n", printed)


@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("jq")), reason="curl and jq are not installed")
async def test_the_curl_example_runs(home: Path) -> None:
    printed = await output_of("sh", "-c", blocks("sh")[0], home=home)
    assert "TODO: find the leak in the can" in printed


@pytest.fixture
def terminals(tmp_path: Path) -> Iterator[Any]:
    """Opens pseudo-terminals for somebody whose home is empty."""
    pexpect = pytest.importorskip("pexpect", reason="pseudo-terminals are POSIX")
    if sys.platform == "win32":
        pytest.skip("pseudo-terminals are POSIX")
    variables = {"HOME": str(tmp_path), "TERM": "xterm", "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"}
    opened = []

    def open_terminal(command: str) -> Any:
        child = pexpect.spawn(
            *("/bin/sh", ["-c", command]),
            cwd=str(tmp_path),
            env=os.environ | variables,
            encoding="utf-8",
            dimensions=(60, 80),
            use_poll=True,
            timeout=PATIENCE,
        )
        opened.append(child)
        return child

    yield open_terminal
    for child in opened:
        close_terminal(child)


def test_a_vault_of_ones_own_is_served_and_the_command_that_is_printed_answers(terminals: Any, tmp_path: Path) -> None:
    vault = tmp_path / "Notes"
    vault.mkdir()
    (vault / "Tasks.md").write_text("TODO: water the plants\n", encoding="utf-8")
    serving = terminals(f"{sys.executable} -m scripts.lib.start --vault ~/Notes")
    serving.expect_exact("Enable those tools?")
    serving.send("y\r")
    serving.expect(r"(?m)^  (\S*vault-bridge approve --vault \S+)\r\n")
    approve = serving.match[1]
    assert serving.before.count(" approve ") == 0  # printed once
    if not shutil.which(approve.split()[0]):  # these tests run from a source tree that is not installed
        approve = approve.replace(approve.split()[0], f"{sys.executable} -m bridge")
    approving = terminals(approve)
    approving.expect_exact("Waiting for questions")
    (tmp_path / "script.py").write_text(CLIENT, encoding="utf-8")
    script = terminals(f"{sys.executable} script.py")
    for question in ("Grep", "Apply patch"):
        approving.expect_exact(question)
        approving.expect_exact("Your answer")
        approving.send("y\r")
    script.expect_exact("Tasks.md")
    script.wait()
    assert script.exitstatus == 0
    assert (vault / "Tasks.md").read_text(encoding="utf-8") == "DONE: water the plants\n"


@pytest.mark.parametrize("command", TYPED)
def test_a_command_that_one_is_to_type_exists(command: str) -> None:
    words = command.split()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    match words:
        case ["git", "clone", "ADDRESS", folder]:
            assert ["cd", folder] == TYPED[TYPED.index(command) + 1].split()
        case ["cd", _]:
            assert TYPED[TYPED.index(command) - 1].startswith("git clone")
        case ["python3", script, *_]:
            assert (ROOT / script).is_file()
        case [".venv/bin/vault-bridge" | "vault-bridge", name, *_]:
            assert name in COMMANDS
        case [".venv/bin/python", file, *_]:
            assert re.search(rf"[Ss]aved? (it )?as `{re.escape(file)}`", README)
        case ["pipx", "install", '".[fast,semantic,pdf]"']:
            assert {"fast", "semantic", "pdf"} <= project["optional-dependencies"].keys()
        case _:
            pytest.fail("no test knows this command")


def test_the_command_line_in_short_names_every_command() -> None:
    table = README.split("## The command line", 1)[1].split("\n## ", 1)[0]
    assert all(f"`{name}`" in table or f"`vault-bridge {name}`" in table for name in [*COMMANDS, "policy", "settings"])
