"""The tool that `docs/development.md` shows how to write works, its test passes, and both pass the project's lint."""

import inspect
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from bridge.app import Bridge
from bridge.client import connect
from bridge.identity.caller import PERSON
from bridge.journal.ledger import Ledger
from bridge.toolkit.registry import StaticProvider
from bridge.tools.services import ToolServices
from bridge.vault.files import VaultFiles
from bridge.vault.root import VaultRoot
from scripts.lib.consenting import consenting_host
from scripts.lib.demo import copy_sample

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "development.md").read_text(encoding="utf-8")
TOOL, TEST = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
PLACES = [folder + name for name, folder in re.findall(r"goes into a new file, (\w+\.py), in `([\w/]+)`:", PAGE)]


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The page's module, as if its file were where the page puts it."""
    module = ModuleType("bridge.tools.notes.count_words")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(TOOL, "count_words.py", "exec"), module.__dict__)  # noqa: S102 - the page's own example
    return module


async def test_the_tool_of_the_page_can_be_registered_and_called(tmp_path: Path, tool: Any, indexed: Any) -> None:
    vault = copy_sample(tmp_path)
    with VaultRoot(vault) as root:
        async with Bridge(vault) as bridge:
            history = Ledger.__new__(Ledger)  # not asked anything here
            services = ToolServices(VaultFiles(root), indexed(vault), history)
            made = tool.CountWordsTool(services.storage)
            if bridge.services.registry.get(made.name, PERSON) is None:  # unless somebody has followed the page
                await bridge.services.registry.add(StaticProvider(id="counting", tools=[made]))
            bridge.settings.update({"enabledTools": ["count_words"]})
            async with consenting_host(vault), connect(vault, name="me") as agent:
                result = await agent.call("count_words", path="Kitchen/Plum jam.md")
                missing = await agent.call("count_words", path="Kitchen/Pear jam.md")
    assert result.text == "Kitchen/Plum jam.md has 38 words"
    assert missing.error_type == "not_found"


async def test_the_test_of_the_page_passes(tool: Any) -> None:
    del tool
    written: dict[str, Any] = {"__name__": "test_count_words"}
    exec(compile(TEST, "test_count_words.py", "exec"), written)  # noqa: S102 - the page's own example
    tests = [member for name, member in written.items() if name.startswith("test_")]
    assert len(tests) == 2
    for test in tests:
        for memory in [False, True] if "memory" in inspect.signature(test).parameters else [None]:
            await (test() if memory is None else test(memory=memory))


@pytest.mark.parametrize(("source", "place"), list(zip([TOOL, TEST], PLACES, strict=True)), ids=PLACES)
@pytest.mark.parametrize("command", [["check"], ["format", "--check"]], ids=["lint", "format"])
def test_what_the_page_shows_passes_the_projects_lint(source: str, place: str, command: list[str]) -> None:
    ours = 'lint.isort.known-first-party = ["bridge"]'  # the page's module is not there to be found
    run = subprocess.run(  # noqa: S603 - the project's own linter
        [sys.executable, "-m", "ruff", *command, "--config", ours, "--stdin-filename", place, "-"],
        input=source,
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
