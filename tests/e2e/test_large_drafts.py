"""A draft of 500 files is right at that size: one question, every byte as staged, and as before after one undo."""

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.test_drafting import at_work, done

FILES = 500


def everything(vault: Path) -> dict[str, bytes]:
    files = (file for file in vault.rglob("*") if file.is_file() and ".vault-bridge" not in file.parts)
    return {file.relative_to(vault).as_posix(): file.read_bytes() for file in files}


@pytest.mark.long
async def test_500_files_in_one_draft_are_one_question_and_one_undo_to_the_byte(tmp_path: Path) -> None:
    vault = tmp_path / "Notes"
    vault.mkdir()
    (vault / "Home.md").write_bytes("".join(f"[[Note {number}]]\n" for number in range(FILES)).encode())
    for number in range(FILES):
        end = b"\r\n" if number % 3 == 0 else b"\n"
        text = end.join([b"\xef\xbb\xbf# Note" if number % 5 == 0 else b"# Note", b"first", b"last"])
        (vault / f"Note {number}.md").write_bytes(text + end * (number % 2))
    before = everything(vault)
    async with at_work(vault) as (person, agent):
        rates = dict.fromkeys(("apply_patch", "move_file", "create_note", "delete_file", "draft"), 1000)
        await person.host.request("settings.update", patch={"globalRateLimit": 1000, "rateLimits": rates})
        await done(agent, "draft", action="begin")
        wanted = dict(before)
        for number in range(FILES):
            path = f"Note {number}.md"
            if number % 50 == 0:
                await done(agent, "delete_file", path=path)
                del wanted[path]
            elif number % 50 == 1:
                await done(agent, "move_file", source=path, destination=f"Moved/Now {number}.md")
                wanted[f"Moved/Now {number}.md"] = wanted.pop(path)
                wanted["Home.md"] = wanted["Home.md"].replace(b"[[Note %d]]" % number, b"[[Now %d]]" % number)
            else:
                patch = {"startLine": 2, "endLine": 2, "newContent": f"changed {number}"}
                await done(agent, "apply_patch", path=path, patches=[patch])
                wanted[path] = wanted[path].replace(b"first", b"changed %d" % number)
        assert person.asked == []
        assert everything(vault) == before
        submitted = await done(agent, "draft", action="submit")
        (question,) = person.asked
        named = {file["path"] for file in question["preview"]["files"] if file["change"] != "mkdir"}
        assert named == {path for path in before if before[path] != wanted.get(path)}
        found = {path: data for path, data in everything(vault).items() if not path.startswith(".trash/")}
        assert found == wanted
        undone: Any = await person.host.request("history.undo", executionId=submitted["executionId"])
        assert undone["success"], undone
        assert everything(vault) == before
