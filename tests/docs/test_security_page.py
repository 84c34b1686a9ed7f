"""What the security page promises is held by tests: each row has its probe, and the table of promises is theirs."""

import re
from pathlib import Path

import pytest

from scripts.lib.promises import BEGIN, BEGIN_ROWS, END, END_ROWS, PAGE, in_order, main
from tests.sandbox.rows import ROWS as TRIED

TESTS = Path(__file__).resolve().parents[1]
TEXT = PAGE.read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (.+?) \| ", TEXT.split("## Threat by threat")[1].split("\n## ")[0], re.MULTILINE)[1:]

HELD_BY = {
    "An agent writes what you did not see": "security/test_one_way.py",
    "An agent answers its own question": "security/test_attacks.py",
    "A model in the chat that follows instructions in a note": "chat/test_hostile_model.py",
    "A vault whose settings send the chat elsewhere": "chat/test_endpoints.py",
    "An agent poses as another one": "security/test_who_is_asked_about.py identity/test_names.py",
    "An agent takes the results of another one": "security/test_results.py",
    "An agent gives itself more permissions": "security/test_capabilities.py",
    "You approve one thing, and another is written": "journal/test_ledger.py e2e/test_main_job.py",
    "Your yes lasts longer than you meant": "policy/test_consent.py consent/test_session_grants.py",
    "Nobody is there to ask": "consent/test_broker.py",
    "Two screens answer, or the time runs out while you answer": "consent/test_broker.py",
    "A change whose diff is hidden": "tools/test_text_is_shown.py",
    "Text that deceives on the screen": "cli/test_sanitize.py vault/test_hidden_characters.py",
    "Letters that look like other letters": "vault/test_lookalikes.py policy/test_disguises.py",
    "A note made to keep the bridge busy": "index/test_hostile_vault.py",
    "A change that cannot be undone": "toolkit/test_without_backups.py",
    "A path that leaves the vault": "vault/test_paths.py vault/test_containment.py",
    "A symlink that leaves the vault": "vault/test_containment.py",
    "Configuration and data of other programs": "vault/test_paths.py",
    "Hard links": "journal/test_ledger.py",
    "A crash, a full disk, a failing disk": "journal/test_crash.py journal/test_faults.py",
    "Undo would overwrite your later edits": "journal/test_undo.py",
    "A search pattern that never ends": "index/texts/test_patterns.py index/texts/test_pcre2_worker.py",
    "A command that an agent wants to run": "tools/terminal/test_run_terminal_command.py",
    "A tool of your own that does more than you meant": "tools/custom/test_custom_tools.py custom/test_process.py",
    "An agent that makes too many calls": "policy/test_limits.py server/test_holdings.py",
    "An agent that buries you in questions": "security/test_hostile_agent.py",
    "A program without a token that keeps connections open": "server/test_door.py",
    "Two bridges on one vault": "server/test_lock.py",
    "The vault's folder is moved or replaced while it is served": "vault/test_root.py",
    "An agent that speaks MCP": "mcp/test_http.py mcp/test_elicitation.py",
    "A web page that tries to reach the bridge": "server/test_auth.py",
    "Another user of this machine": "records/test_folder.py",
    "A log that reveals too much": "policy/test_secrets_in_text.py security/test_anonymous_log.py",
    "A log that was edited": "audit/test_tampering.py",
    "An agent that asks until you give in": "security/test_who_is_asked_about.py",
    "A note that no agent should see": "security/test_closed_notes.py",
    "A settings or permission file with a mistake": "consent/test_permission_file.py settings/test_store.py",
    "A permission that you forgot": "consent/test_grant_expiry.py",
    "An error message that reveals too much": "security/test_failures_tell_nothing.py",
    "Text that you changed before saying yes": "security/test_edited_proposals.py",
}
"""Which tests hold what each row of the page's first table says."""


def test_every_row_of_the_page_is_held_by_tests() -> None:
    assert set(ROWS) == set(HELD_BY), "a new row needs its tests here, and one that is gone needs none"
    for row, files in HELD_BY.items():
        for file in files.split():
            assert "def test_" in (TESTS / file).read_text(encoding="utf-8"), f"{row}: {file}"


def test_every_folder_and_file_that_is_kept_outside_the_vault_is_named() -> None:
    section = TEXT.split("\n## Files outside the vault\n")[1].split("\n## ")[0]
    code = "\n".join(file.read_text(encoding="utf-8") for file in sorted((TESTS.parent / "bridge").rglob("*.py")))
    folders = re.findall(
        r"(?:\.kept\(|RunFolder\([^\n]*kind=|^KIND: Final = )\"([a-z]+(?:-[a-z]+)*)\"", code, re.MULTILINE
    )
    assert {"tickets", "programs", "tool-lists"} <= set(folders)
    own = ("tools", "tools-approved", "mcp", "mcp-approved")
    named = [*(f"{folder}/" for folder in folders if folder != "log"), *(f"{file}.json" for file in own)]
    assert [name for name in named if f"`{name}`" not in section and f"/{name}`" not in section] == []


def test_the_tables_are_what_the_probes_say() -> None:
    assert in_order(TEXT) == TEXT, "run `python3 scripts/list-promises`"


def test_each_row_of_what_programs_can_do_is_tried_and_shown_where_it_can_be_done() -> None:
    for row in TRIED:
        assert row.attempts, row.what
        assert (row.shows in row.attempts) is ("yes" in row.without or "may" in row.without), row.what


def test_a_promise_that_is_new_comes_into_the_page_and_one_that_is_none_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "security.md"
    page.write_text(
        f"# Security\n\n{BEGIN}\nold\n{END}\n\n{BEGIN_ROWS}\nold\n{END_ROWS}\n\nThe end\n", encoding="utf-8"
    )
    (tmp_path / "test_b.py").write_text('"""Nobody gets in.\n\nAnd so on."""\n', encoding="utf-8")
    (tmp_path / "test_a.py").write_text('"""Water stays out."""\n', encoding="utf-8")
    assert main(["--check"], page, tmp_path) == 1
    assert "old" in page.read_text(encoding="utf-8")
    assert (main([], page, tmp_path), main(["--check"], page, tmp_path)) == (0, 0)
    listed, _, tried = page.read_text(encoding="utf-8").partition(END)
    assert all(row.what in tried for row in TRIED)
    rows = [line for line in listed.splitlines() if line.startswith("| ")][1:]
    assert rows == [
        "| Nobody gets in. | [test_b.py](../tests/security/test_b.py) |",
        "| Water stays out. | [test_a.py](../tests/security/test_a.py) |",
    ]
    (tmp_path / "test_c.py").write_text('"""What is no sentence"""\n', encoding="utf-8")
    assert main([], page, tmp_path) == 1
    assert "test_c.py must begin with its promise" in capsys.readouterr().err
