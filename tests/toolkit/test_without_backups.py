"""Where no backups are kept, the question, the answer and the undo say so."""

from bridge.testing import sandbox


async def test_an_edit_without_a_backup_says_so_before_and_after() -> None:
    async with sandbox({"Tea.md": "hot\n"}) as vault:
        vault.settings.update({"patchBackupEnabled": False})
        result = await vault.succeed("edit_file", path="Tea.md", old_text="hot", new_text="cold")
        assert "No backup is kept, so this cannot be undone" in vault.asked[-1]["preview"]["warnings"]
        assert result.text.endswith("No backup was kept, so this cannot be undone.")
        undone = await vault.call("history_undo", role="host")
        assert (undone.success, undone.error_type) == (False, "not_found")
        assert "No backup was kept of 'Tea.md'" in undone.text


async def test_a_new_note_needs_no_backup_and_nothing_is_said() -> None:
    async with sandbox({}) as vault:
        vault.settings.update({"patchBackupEnabled": False})
        result = await vault.succeed("create_note", name="New", content="a")
        assert vault.asked[-1]["preview"]["warnings"] == []
        assert "backup" not in result.text
