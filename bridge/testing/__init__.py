r"""Test a tool the way callers meet it: its arguments validated, its question asked, its plan applied, and undone.

    from bridge.testing import sandbox

    async def test_a_tag_is_added_and_can_be_taken_back() -> None:
        async with sandbox({"Tea.md": "Hot\n"}) as vault:
            result = await vault.call("add_tag", name="Tea", tag="drink")
            assert result.success, result.text
            assert vault.text("Tea.md") == "---\ntags:\n  - drink\n---\nHot\n"
            assert vault.asked[-1]["summary"] == "Add the tag #drink to Tea.md"
            await vault.undo()
            assert vault.text("Tea.md") == "Hot\n"

`await vault.add(MyTool(vault.storage))` registers a tool of your own, or a provider of tools. `vault.answer =
Decision.DENY_ONCE` makes the person say no. Nothing here is kinder than the bridge: the pipeline, the consent rules,
the limits and the audit log are the bridge's own, and so are, in a folder, the ledger and the index. With
`memory=True` the notes are in memory instead, so that a test can show that a tool does not depend on files. The tools
that search texts (grep, search_files, search_notes) are left out there.
"""

from bridge.testing.memory import MemoryStorage
from bridge.testing.sandbox import Sandbox, sandbox

__all__ = ["MemoryStorage", "Sandbox", "sandbox"]
