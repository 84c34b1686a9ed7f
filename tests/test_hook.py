"""The hook: what it makes of what a client is about to do, which files are meant, and that it always answers."""

import asyncio
import contextlib
import json
import os
import socket
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge import hook
from bridge.hook import FolderChain, Refused, Unclear, answer_of, decide, edits_of, in_vault
from tests.hooked import Answered, claude, configuration, run_hook

CODEX_PATCH = """*** Begin Patch
*** Add File: notes/new.md
+# New
+
*** Update File: src/old.md
*** Move to: src/renamed.md
@@ def greet():
-print("Hi")
+print("Hello, world!")
*** Delete File: obsolete.txt
*** End Patch"""


@pytest.mark.parametrize(
    ("client", "tool", "given", "edits"),
    [
        ("claude-code", "Write", {"file_path": "/v/a.md", "content": "x"}, [{"path": "/v/a.md", "content": "x"}]),
        (
            "claude-code",
            "Edit",
            {"file_path": "/v/a.md", "old_string": "a", "new_string": "b", "replace_all": False},
            [{"path": "/v/a.md", "replace": [{"old": "a", "new": "b", "all": False}]}],
        ),
        (
            "claude-code",
            "Edit",
            {"file_path": "/v/a.md", "old_string": "a", "new_string": "b", "replace_all": "true"},
            [{"path": "/v/a.md", "replace": [{"old": "a", "new": "b", "all": True}]}],
        ),
        (
            "claude-code",
            "Edit",
            {"file_path": "/v/a.md", "old_string": "", "new_string": "b"},
            [{"path": "/v/a.md", "content": "b", "new": True}],
        ),
        (
            "claude-code",
            "MultiEdit",
            {
                "file_path": "/v/a.md",
                "edits": [
                    {"old_string": "a", "new_string": "b"},
                    {"old_string": "c", "new_string": "", "replace_all": True},
                ],
            },
            [
                {
                    "path": "/v/a.md",
                    "replace": [{"old": "a", "new": "b", "all": False}, {"old": "c", "new": "", "all": True}],
                }
            ],
        ),
        (
            "claude-code",
            "NotebookEdit",
            {"notebook_path": "/v/a.ipynb", "new_source": "1", "cell_id": "x"},
            [{"path": "/v/a.ipynb", "unsupported": "NotebookEdit"}],
        ),
        ("claude-code", "Read", {"file_path": "/v/a.md"}, []),
        ("gemini", "write_file", {"file_path": "a.md", "content": "x"}, [{"path": "a.md", "content": "x"}]),
        (
            "gemini",
            "replace",
            {"file_path": "a.md", "instruction": "Do it", "old_string": "a", "new_string": "b", "allow_multiple": True},
            [{"path": "a.md", "replace": [{"old": "a", "new": "b", "all": True}]}],
        ),
        (
            "gemini",
            "replace",
            {"file_path": "a.md", "old_string": "a", "new_string": "b", "expected_replacements": 2},
            [{"path": "a.md", "replace": [{"old": "a", "new": "b", "all": True}]}],
        ),
        (
            "opencode",
            "edit",
            {"filePath": "a.md", "oldString": "a", "newString": "b", "replaceAll": True},
            [{"path": "a.md", "replace": [{"old": "a", "new": "b", "all": True}]}],
        ),
        (
            "opencode",
            "edit",
            {"filePath": "a.md", "oldString": "", "newString": "b"},
            [{"path": "a.md", "content": "b"}],
        ),
        ("opencode", "write", {"filePath": "a.md", "content": "x"}, [{"path": "a.md", "content": "x"}]),
        (
            "codex",
            "apply_patch",
            {"command": CODEX_PATCH},
            [
                {"path": "notes/new.md", "content": "# New\n\n"},
                {
                    "path": "src/old.md",
                    "to": "src/renamed.md",
                    "patch": '@@ def greet():\n-print("Hi")\n+print("Hello, world!")',
                },
                {"path": "obsolete.txt", "delete": True},
            ],
        ),
        ("opencode", "apply_patch", {"patchText": CODEX_PATCH}, None),
    ],
)
def test_what_each_client_documents_is_understood(
    client: str, tool: str, given: dict[str, Any], edits: list[dict[str, Any]] | None
) -> None:
    found = edits_of(client, tool, given)
    assert found == (edits_of("codex", "apply_patch", {"command": CODEX_PATCH}) if edits is None else edits)


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Write", {}),
        ("Write", {"file_path": 3, "content": "x"}),
        ("Write", {"file_path": "a", "content": ["x"]}),
        ("Edit", {"file_path": "a", "old_string": None, "new_string": ""}),
        ("MultiEdit", {"file_path": "a", "edits": []}),
        ("MultiEdit", {"file_path": "a", "edits": "x"}),
        ("MultiEdit", {"file_path": "a", "edits": [1]}),
        ("apply_patch", {"command": "rm -rf"}),
        ("apply_patch", {"command": ["apply_patch"]}),
    ],
)
def test_any_other_form_of_an_edit_is_unclear(tool: str, given: dict[str, Any]) -> None:
    with pytest.raises(Unclear):
        edits_of("claude-code", tool, given)


@pytest.mark.parametrize(
    "line",
    [
        " *** Update File: b.md",
        "*** Update File:  b.md",
        "*** Update File: b.md ",
        "\t*** Delete File: b.md",
        "*** Move to:  b.md",
        " *** Move to: b.md",
    ],
)
def test_a_patch_in_which_blanks_could_hide_a_file_is_not_guessed(line: str) -> None:
    patch = f"*** Begin Patch\n*** Update File: a.md\n@@\n-a\n+b\n{line}\n*** End Patch"
    edits = edits_of("codex", "apply_patch", {"command": patch})
    assert {place for edit in edits for place in (edit["path"], edit.get("to")) if place} == {"a.md", "b.md"}
    assert all("unsupported" in edit for edit in edits)


@pytest.mark.parametrize(
    ("client", "allowed", "answer"),
    [
        ("claude-code", None, ("", "", 0)),
        ("codex", None, ("", "", 0)),
        ("codex", True, ("", "", 0)),
        ("codex", False, ("", "No", 2)),
        ("gemini", None, ("{}", "", 0)),
        ("gemini", False, ("", "No", 2)),
        ("opencode", False, ("", "No", 2)),
        ("opencode", True, ("", "", 0)),
    ],
)
def test_the_answer_has_the_form_of_the_client(client: str, allowed: bool | None, answer: tuple[str, str, int]) -> None:
    assert answer_of(client, allowed, "No") == answer


@pytest.mark.parametrize(("allowed", "decision"), [(True, "allow"), (False, "deny")])
def test_claude_code_reads_the_decision_in_json(allowed: bool, decision: str) -> None:
    out, err, code = answer_of("claude-code", allowed, 'A "reason"\n')
    assert (err, code) == ("", 0)
    assert json.loads(out)["hookSpecificOutput"]["permissionDecision"] == decision


def settings(vault: Path, **more: Any) -> dict[str, Any]:
    content: dict[str, Any] = {"client": "claude-code", "vault": str(vault.resolve()), "guarded": [], "edits": "ask"}
    return {**content, "withoutBridge": "refuse", "endpoint": "/nowhere", "token": "/nowhere", **more}


def inside(spelled: str, vault: Path, folder: Path | None = None, **more: Any) -> str | None:
    found = in_vault([{"path": spelled, "content": ""}], settings(vault, **more), str(folder or vault.parent))
    return found[0]["path"] if found else None


@pytest.mark.parametrize(
    ("spelled", "path"),
    [
        ("{vault}/Ideas.md", "Ideas.md"),
        ("Vault/Ideas.md", "Ideas.md"),
        ("./Vault//Notes/../Ideas.md", "Ideas.md"),
        ("{vault}/Notes/./New.md", "Notes/New.md"),
        ("{vault}/../Vault/Ideas.md", "Ideas.md"),
        ("{vault}/not/there/yet.md", "not/there/yet.md"),
        ("{vault}", "."),
        ("{vault}/.obsidian/app.json", ".obsidian/app.json"),
        ("{vault}/../Elsewhere.md", None),
        ("{vault}er/Ideas.md", None),
        ("Elsewhere.md", None),
    ],
)
def test_a_path_is_known_however_it_is_spelled(vault: Path, spelled: str, path: str | None) -> None:
    assert inside(spelled.format(vault=vault), vault) == path


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_links_lead_into_the_vault_and_none_leads_out_of_the_question(vault: Path, tmp_path: Path) -> None:
    (tmp_path / "way").symlink_to(vault)
    (tmp_path / "note.md").symlink_to(vault / "Ideas.md")
    (tmp_path / "out.md").write_text("", encoding="utf-8")
    (vault / "out.md").symlink_to(tmp_path / "out.md")
    (vault / "up").symlink_to(tmp_path)
    assert inside(f"{tmp_path}/way/Notes/New.md", vault) == "Notes/New.md"
    assert inside(f"{tmp_path}/note.md", vault) == "Ideas.md"
    assert inside(f"{vault}/out.md", vault) == "out.md"  # the bridge refuses it: it leads out
    assert inside(f"{vault}/up/Vault/Ideas.md", vault) == "Ideas.md"
    assert inside(f"{vault}/up/Elsewhere.md", vault) == "up/Elsewhere.md"
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert inside(f"{tmp_path}/loop/x.md", vault) is None


def test_a_folder_is_the_same_by_any_of_its_names(vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a disk that does not tell upper and lower case apart, or where a folder is mounted twice."""
    identity = hook._identity
    monkeypatch.setattr(hook, "_identity", lambda path: identity(path.replace("VAULT", "Vault")))
    assert FolderChain(str(tmp_path / "VAULT" / "Ideas.md")).below(str(vault)) == "Ideas.md"


def test_a_home_is_known_by_its_sign(vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert inside("~/Vault/Ideas.md", vault, tmp_path / "elsewhere") == "Ideas.md"


@pytest.mark.parametrize("spelled", ["{vault}/a\0b.md", "{vault}/\ud800.md"])
def test_what_can_be_no_path_is_refused(vault: Path, spelled: str) -> None:
    with pytest.raises(Refused):
        inside(spelled.format(vault=vault), vault)


def test_what_protects_the_vault_is_refused_wherever_it_is(vault: Path, tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    file = tmp_path / "settings.json"
    file.write_text("{}", encoding="utf-8")
    guarded = [str(file), str(tmp_path / "config")]
    for spelled in (str(file), "settings.json", "x/../settings.json", f"{tmp_path}/config/tokens/new"):
        with pytest.raises(Refused, match="Only the user changes it"):
            inside(spelled, vault, guarded=guarded)
    assert inside(f"{tmp_path}/config2", vault, guarded=guarded) is None


def test_a_file_does_not_move_in_or_out_unseen(vault: Path, tmp_path: Path) -> None:
    for path, to in (("Vault/Ideas.md", "Ideas.md"), ("a.md", "Vault/a.md")):
        with pytest.raises(Refused, match="moved into the vault or out of it"):
            in_vault([{"path": path, "to": to, "patch": ""}], settings(vault), str(tmp_path))


def deciding(event: bytes, vault: Path, **more: Any) -> bool | None:
    return decide(settings(vault, **more), event, lambda: 5.0)


@pytest.mark.parametrize(
    "event",
    [
        b"",
        b"{",
        b"[]",
        b'"x"',
        b"null",
        b"{}",
        b'{"tool_name": "Write"}',
        b'{"tool_name": 1, "tool_input": {}}',
        b'{"tool_name": "Write", "tool_input": []}',
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"tool_name": "Write", "tool_input": ' + b'{"a":' * 50_000,
    ],
    ids=lambda event: repr(event[:30]),
)
def test_what_cannot_be_read_is_refused(vault: Path, event: bytes) -> None:
    with pytest.raises(Refused, match="cannot be read"):
        deciding(event, vault)


def test_what_is_too_large_is_refused(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hook, "LARGEST_EVENT", 1000)
    event = json.dumps(claude("Write", vault, file_path=str(vault / "Ideas.md"), content="x" * 1000)).encode()
    with pytest.raises(Refused, match="too large"):
        deciding(event, vault)


def test_an_unclear_edit_is_refused_where_it_may_be_about_the_vault(vault: Path, tmp_path: Path) -> None:
    def event(folder: Path, **given: Any) -> bytes:
        return json.dumps(claude("Edit", folder, **given)).encode()

    for folder, sent in ((vault, {}), (vault / "Notes", {"x": 1}), (tmp_path, {"where": str(vault / "Ideas.md")})):
        with pytest.raises(Refused, match="not known to it"):
            deciding(event(folder, **sent), vault)
    assert deciding(event(tmp_path, where="/elsewhere"), vault) is None


def test_the_users_wish_to_have_no_such_edits_needs_no_bridge(vault: Path) -> None:
    event = json.dumps(claude("Write", vault, file_path="New.md", content="")).encode()
    with pytest.raises(Refused, match="Vault Bridge's tools only"):
        deciding(event, vault, edits="refuse", withoutBridge="allow")


@given(st.binary(max_size=200) | st.dictionaries(st.text(), st.text()).map(lambda one: json.dumps(one).encode()))
def test_no_event_makes_it_crash(event: bytes) -> None:
    with contextlib.suppress(Refused):
        assert decide(settings(Path("/nowhere/at/all")), event, lambda: 5.0) is None


# -- as a process ---------------------------------------------------------------------------------------------------


async def asked(vault: Path, tmp_path: Path, event: bytes | dict[str, Any], **more: Any) -> Answered:
    return await run_hook(configuration(vault, tmp_path, **more), event)


async def test_about_files_elsewhere_it_says_nothing(vault: Path, tmp_path: Path) -> None:
    for event in (
        claude("Write", tmp_path, file_path=str(tmp_path / "x.md"), content=""),
        claude("Bash", vault, command="rm -rf ."),
        claude("Read", vault, file_path=str(vault / "Ideas.md")),
    ):
        assert (await asked(vault, tmp_path, event)).is_silent


@pytest.mark.parametrize(
    ("chosen", "reason"), [("allow", None), ("refuse", "does not run, and without it this vault is not changed")]
)
async def test_without_a_bridge_it_does_as_the_user_set(
    vault: Path, tmp_path: Path, chosen: str, reason: str | None
) -> None:
    event = claude("Write", vault, file_path=str(vault / "Ideas.md"), content="x")
    answered = await asked(vault, tmp_path, event, withoutBridge=chosen)
    if reason is None:
        assert answered.is_silent
    else:
        assert answered.decision[0] == "deny"
        assert reason in answered.decision[1]


def left_behind(folder: Path, vault: Path, port: int) -> Path:
    """A file that says that a bridge listens there."""
    file = folder / "agent.json"
    file.write_text(json.dumps({"http": f"http://127.0.0.1:{port}", "vault": str(vault.resolve())}), "utf-8")
    return file


async def test_a_bridge_that_has_left_its_files_behind_is_none(vault: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    endpoint = left_behind(tmp_path, vault, port)
    event = claude("Write", vault, file_path=str(vault / "Ideas.md"), content="x")
    (tmp_path / "token").write_text("vb_x", "ascii")
    given = {"endpoint": str(endpoint), "token": str(tmp_path / "token")}
    assert (await asked(vault, tmp_path, event, **given)).is_silent


async def test_a_bridge_that_never_answers_is_waited_for_until_its_time_and_no_longer(
    vault: Path, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        endpoint = left_behind(tmp_path, vault, silent.getsockname()[1])
        (tmp_path / "token").write_text("vb_x", "ascii")
        event = claude("Write", vault, file_path=str(vault / "Ideas.md"), content="x")
        answered = await asked(vault, tmp_path, event, endpoint=str(endpoint), token=str(tmp_path / "token"), seconds=1)
    assert answered.decision == ("deny", hook.LATE)


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"HTTP/1.1 200 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n\r\n<html>",
        b"HTTP/1.1 200 OK\r\n\r\n[]",
        b'HTTP/1.1 200 OK\r\n\r\n{"jsonrpc": "2.0", "id": 1, "result": true}',
        b'HTTP/1.1 200 OK\r\n\r\n{"jsonrpc": "2.0", "id": 1, "result": {"success": "true"}}',
        b'HTTP/1.1 200 OK\r\n\r\n{"jsonrpc": "2.0", "id": 1, "error": {"message": "No"}}',
        b'HTTP/1.1 413 Too Large\r\n\r\n{"error": "Too large", "hint": "Send less"}',
        b"HTTP/1.1 500 Oh\r\n\r\noh",
        b"\xff" * 5000,
    ],
    ids=lambda answer: repr(answer[:60]),
)
async def test_whatever_answers_in_the_place_of_the_bridge_is_no_yes(
    vault: Path, tmp_path: Path, answer: bytes
) -> None:
    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        writer.close()

    (tmp_path / "token").write_text("vb_x", "ascii")
    event = claude("Write", vault, file_path=str(vault / "Ideas.md"), content="x")
    async with await asyncio.start_server(take, "127.0.0.1", 0) as server:
        endpoint = left_behind(tmp_path, vault, server.sockets[0].getsockname()[1])
        answered = await asked(vault, tmp_path, event, endpoint=str(endpoint), token=str(tmp_path / "token"))
    assert answered.decision[0] == "deny"


async def test_a_client_that_never_says_what_it_wants_is_refused(vault: Path, tmp_path: Path) -> None:
    """Its standard input stays open: the watch answers."""
    read, write = os.pipe()
    try:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-S", hook.__file__, str(configuration(vault, tmp_path, seconds=0.2))),
            stdin=read,
            stdout=asyncio.subprocess.PIPE,
        )
        out, _ = await process.communicate()
    finally:
        os.close(read)
        os.close(write)
    assert Answered(out.decode(), "", 0).decision == ("deny", hook.LATE)


async def test_without_its_configuration_it_blocks(vault: Path, tmp_path: Path) -> None:
    event = claude("Write", tmp_path, file_path="x.md", content="")
    answered = await run_hook(tmp_path / "gone.json", event)
    assert answered.code == hook.BLOCK
    assert "vault-bridge protect" in answered.err
    del vault


async def test_it_loads_nothing_that_takes_long(vault: Path, tmp_path: Path) -> None:
    event = claude("Write", vault, file_path=str(vault / "Ideas.md"), content="x")
    answered = await run_hook(configuration(vault, tmp_path), event, "-X", "importtime")
    loaded = {line.rpartition("|")[2].strip() for line in answered.err.splitlines()}
    heavy = {"asyncio", "bridge", "http.client", "pathlib", "site", "ssl", "subprocess", "typing", "urllib.request"}
    assert not loaded & heavy
    assert "json" in loaded


BODY = "*** Begin Patch\n*** Delete File: Ideas.md\n*** End Patch\n"


@pytest.mark.parametrize(
    ("folder", "command", "edits"),
    [
        ("{vault}", f"apply_patch <<'EOF'\n{BODY}EOF", [{"path": "Ideas.md", "delete": True}]),
        ("{vault}", f"applypatch <<EOF\n{BODY}EOF\n", [{"path": "Ideas.md", "delete": True}]),
        ("/", f"cd {{vault}} && apply_patch <<'EOF'\n{BODY}EOF", [{"path": "Ideas.md", "delete": True}]),
        ("/", f"cd '{{vault}}' && apply_patch <<'EOF'\n{BODY}EOF", [{"path": "Ideas.md", "delete": True}]),
        ("{vault}", f"true; apply_patch <<'EOF'\n{BODY}EOF", [{"path": "Ideas.md", "unsupported": True}]),
        ("/", f"apply_patch <<'EOF'\n{BODY}EOF", []),
        ("{vault}", "rm Ideas.md", []),
        ("{vault}", "grep -r 'apply_patch' .", []),
        ("{vault}", f"cat <<'EOF'\n{BODY}EOF", []),
    ],
)
def test_a_patch_that_codexs_shell_is_given_is_an_edit(
    vault: Path, folder: str, command: str, edits: list[dict[str, Any]]
) -> None:
    given = {"command": command.replace("{vault}", str(vault))}
    found = in_vault(edits_of("codex", "Bash", given), settings(vault), folder.replace("{vault}", str(vault)))
    assert [one | ({"unsupported": True} if "unsupported" in one else {}) for one in found] == edits
    assert edits_of("claude-code", "Bash", given) == []
