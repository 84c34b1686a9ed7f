"""bridge.testing: what it shows is what the bridge does, in a folder and in memory alike."""

import ast
import re
import textwrap
from pathlib import Path
from typing import Any

import pytest

import bridge.testing
from bridge.contract.consent import Decision, Operation
from bridge.errors import Conflict, ErrorType, NotFound
from bridge.journal.journal import Cause
from bridge.testing import MemoryStorage, sandbox
from bridge.testing.memory_ledger import MemoryLedger
from bridge.vault.paths import parse_path

NOTES: dict[str, bytes | str] = {
    "Home.md": "[[Tea]] and [[Plan]]\n",
    "Tea.md": "Hot\n",
    "Work/Plan.md": "# Plan\n\n1. one\n2. two\n",
    "Secret/Diary.md": "[[Tea]]\n",
}
BOTH = pytest.mark.parametrize("memory", [False, True], ids=["folder", "memory"])


async def test_the_example_of_the_docstring_runs() -> None:
    example = re.search(r"^    from .*?(?=^\S)", bridge.testing.__doc__ or "", re.MULTILINE | re.DOTALL)
    assert example
    code = textwrap.dedent(example[0])
    (name,) = [node.name for node in ast.parse(code).body if isinstance(node, ast.AsyncFunctionDef)]
    made: dict[str, Any] = {}
    exec(code, made)  # noqa: S102 - the module's own example
    await made[name]()


@BOTH
async def test_arguments_are_validated_as_a_callers_are(memory: bool) -> None:
    async with sandbox(NOTES, memory=memory) as vault:
        unknown = await vault.call("read", path="Tea.md", line=1)
        assert unknown.error_type == ErrorType.INVALID_PARAMETERS
        assert "'line'" in unknown.text
        assert (await vault.call("raed", path="Tea.md")).text.startswith(
            "Error: Unknown tool 'raed'. Did you mean 'read'"
        )


async def test_a_file_that_is_marked_read_only_is_warned_of() -> None:
    async with sandbox(NOTES) as vault:
        (vault.folder / "Tea.md").chmod(0o444)
        await vault.succeed("write_file", path="Tea.md", content="Cold\n")
        assert vault.asked[-1]["preview"]["warnings"] == ["'Tea.md' is marked read-only"]


@BOTH
async def test_nothing_is_written_when_the_person_says_no(memory: bool) -> None:
    async with sandbox(NOTES, memory=memory) as vault:
        vault.answer = Decision.DENY_ONCE
        before = vault.files()
        refused = await vault.call("write_file", path="Tea.md", content="Cold\n")
        assert refused.error_type == ErrorType.PERMISSION_DENIED
        assert vault.asked[-1]["preview"]["files"][0]["diff"].endswith("-Hot\n+Cold\n")
        assert vault.files() == before


@BOTH
async def test_a_file_that_changes_while_the_person_thinks_stops_the_write(memory: bool) -> None:
    async with sandbox(NOTES, memory=memory) as vault:
        vault.before_answer = lambda: vault.write("Tea.md", "Lukewarm\n")
        stopped = await vault.call("write_file", path="Tea.md", content="Cold\n")
        assert (stopped.error_type, vault.text("Tea.md")) == (ErrorType.CONFLICT, "Lukewarm\n")


@BOTH
async def test_only_the_hunks_that_the_person_keeps_are_written(memory: bool) -> None:
    async with sandbox({"Long.md": "".join(f"{number}\n" for number in range(30))}, memory=memory) as vault:
        vault.keep = {"Long.md": [1]}
        patches = [{"startLine": at, "endLine": at, "newContent": "x"} for at in (1, 30)]
        result = await vault.succeed("apply_patch", path="Long.md", patches=patches)
        assert vault.text("Long.md").splitlines()[::29] == ["0", "x"]
        assert "The user left out the following" in result.text


@BOTH
async def test_closed_files_are_refused_not_listed_and_never_changed(memory: bool) -> None:
    async with sandbox(NOTES, memory=memory) as vault:
        vault.close_path("Secret/")
        for refused in (
            await vault.call("read", path="secret/diary.md"),
            await vault.call("read_note", name="Secret/Diary"),
        ):
            assert not refused.success
            assert "[[Tea]]" not in refused.text
        assert "Secret" not in (await vault.succeed("list_files", pattern="**")).text
        assert "Diary" not in (await vault.succeed("find", pattern="diary")).text.partition("'")[0]
        assert (await vault.succeed("get_metadata", name="Tea")).data["backlinks"] == ["Home"]
        before = vault.files()
        assert (await vault.call("move_file", source="Tea.md", destination="Chai.md")).data["code"] == "denied_by_rule"
        assert vault.files() == before


@BOTH
async def test_a_move_with_its_links_is_undone_and_made_again(memory: bool) -> None:
    async with sandbox(NOTES, memory=memory) as vault:
        before = vault.files()
        await vault.succeed("move_file", source="Work", destination="Archive/2026")
        after = vault.files()
        assert after["Archive/2026/Plan.md"] == before["Work/Plan.md"]
        assert (await vault.preview("delete_file", path="Archive")).plan.operation == Operation.DELETE
        await vault.undo()
        assert vault.files() == before
        assert "Archive" not in vault.folders()
        await vault.redo()
        assert vault.files() == after


@BOTH
async def test_what_was_edited_since_is_not_undone(memory: bool) -> None:
    async with sandbox(NOTES, memory=memory) as vault:
        await vault.succeed("write_file", path="Tea.md", content="Cold\n")
        vault.write("Tea.md", "Mine\n")
        refused = await vault.call("history_undo", role="host")
        assert refused.data["code"] == "edited_since"
        with pytest.raises(AssertionError, match="edited"):
            await vault.undo()
        assert vault.text("Tea.md") == "Mine\n"


def is_empty(folder: Path) -> bool:
    return not any(folder.iterdir())


async def test_a_deleted_file_of_a_folder_goes_into_no_real_trash(trashed: Path) -> None:
    async with sandbox(NOTES) as vault:
        result = await vault.succeed("delete_file", path="Work")
        assert result.text == f"Deleted 'Work' to trash. ({result.execution_id})"
        assert result.data["trash"] == "system"
    assert is_empty(trashed)


@BOTH
async def test_the_files_are_as_given_and_a_temporary_folder_goes_afterwards(memory: bool) -> None:
    async with sandbox(NOTES, memory=memory) as vault:
        assert {name: data.decode() for name, data in vault.files().items()} == NOTES
        assert vault.folders() == {"Work", "Secret"}
        with pytest.raises(KeyError):
            vault.text("Nothing.md")
    assert not vault.folder.exists()


def test_a_plan_in_memory_is_made_wholly_or_not_at_all() -> None:
    storage = MemoryStorage(NOTES)
    ledger = MemoryLedger(storage.tree)
    builder = storage.plan()
    builder.modify(parse_path("Tea.md"), b"Hot\n", b"Cold\n")
    builder.modify(parse_path("Home.md"), b"not what it holds\n", b"x")
    plan, before = builder.build(Operation.UPDATE, "Two files"), dict(storage.tree.files)
    with pytest.raises(Conflict, match="has changed since it was read"):
        ledger.apply(plan, Cause("c-1", "", "Ada", "s"))
    assert storage.tree.files == before
    with pytest.raises(NotFound, match="nothing to undo"):
        ledger.undo_plan()
