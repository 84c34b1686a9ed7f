"""A write that fails tells nothing about a note to an agent that may not read it."""

from typing import Any

import pytest

from bridge.contract.consent import Decision
from tests.tools.files.conftest import text_of

PATCH = "--- a/Ideas.md\n+++ b/Ideas.md\n@@ -1 +1 @@\n-a guess\n+another\n"
FAILING = [
    ("apply_patch", {"patch": PATCH}, "does not match"),
    ("apply_patch", {"patch": PATCH.replace("a guess", "# ideas")}, "the file has `# Ideas`"),
    ("apply_patch", {"path": "Ideas.md", "patches": [{"startLine": 99, "endLine": 99, "newContent": "x"}]}, "line"),
    ("apply_patch", {"path": "Ideas.md", "patches": [{"startLine": 1, "endLine": 1, "newContent": "# Ideas"}]}, "has"),
    ("edit_file", {"path": "Ideas.md", "old_text": "a guess", "new_text": "x"}, "not found"),
    ("edit_file", {"path": "Ideas.md", "delete_lines": {"start": 50, "end": 51}}, "does not exist"),
    ("edit_file", {"path": "Ideas.md", "old_text": "# Ideas", "new_text": "# Ideas"}, "No changes made"),
    ("modify_note", {"path": "Ideas.md", "operation": "replace", "search": "a guess", "content": "x"}, "not found"),
    ("add_tag", {"name": "Broken", "tag": "x"}, "properties"),
    ("add_tag", {"name": "Tagged", "tag": "secret"}, "already has"),
    ("remove_tag", {"name": "Tagged", "tag": "other"}, "does not have"),
    ("write_file", {"path": "Tagged.md", "content": "---\ntags: [secret]\n---\n"}, "already"),
]


@pytest.mark.parametrize(("tool", "arguments", "says"), FAILING)
async def test_the_reason_goes_only_to_callers_that_may_read(
    any_vault: Any, tool: str, arguments: dict[str, Any], says: str
) -> None:
    any_vault.write("Broken.md", "---\ntags: [a\nb: : c\n---\n")
    any_vault.write("Tagged.md", "---\ntags: [secret]\n---\n")
    any_vault.storage.everything.knowledge.refresh()
    assert says in await text_of(any_vault, tool, **arguments)
    (question,) = any_vault.asked
    assert (question["operation"], question["preview"]) == ("read", None)
    any_vault.answer = Decision.DENY_ONCE
    for mode in ("always_ask", "never_allow"):
        any_vault.settings.update({"consentMode": {"read": mode}})
        result = await any_vault.call(tool, session=mode, **arguments)
        assert (result.success, result.data["code"]) == (False, "denied_by_user")
        assert says not in result.text
    any_vault.settings.update({"consentMode": {"read": "always_allow"}})
    assert says in await text_of(any_vault, tool, **arguments)
    assert len(any_vault.asked) == 3, "who may read is not asked about"
