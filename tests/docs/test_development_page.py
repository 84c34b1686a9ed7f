"""The tool that `docs/development.md` shows how to write works, and its files are where the page says."""

import re
from pathlib import Path
from typing import Any

from bridge.app import Bridge
from bridge.client import connect
from bridge.toolkit.registry import ToolProvider
from bridge.vault.files import VaultFiles
from bridge.vault.root import VaultRoot
from scripts.lib.consenting import consenting_host
from scripts.lib.demo import copy_sample

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "development.md").read_text(encoding="utf-8")


async def test_the_tool_of_the_page_can_be_registered_and_called(tmp_path: Path) -> None:
    source = re.search(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert source
    written: dict[str, Any] = {"__name__": "count_words"}
    exec(compile(source[1], "count_words.py", "exec"), written)  # noqa: S102 - the page's own example
    vault = copy_sample(tmp_path)
    root = VaultRoot(vault)
    tool = written["CountWords"](VaultFiles(root))
    provider = ToolProvider(id="counting", name="Counting", description="Counts.", version="1", tools=[tool])
    async with Bridge(vault) as bridge:
        bridge.services.registry.register(provider)
        bridge.settings.update({"enabledTools": ["count_words"]})
        async with consenting_host(vault), connect(vault, name="me") as agent:
            result = await agent.call("count_words", path="Kitchen/Plum jam.md")
            missing = await agent.call("count_words", path="Kitchen/Pear jam.md")
    root.close()
    assert result.text == "Kitchen/Plum jam.md has 38 words"
    assert missing.error_type == "not_found"
