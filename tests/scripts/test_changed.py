"""`scripts/test --quick` runs the tests of what has changed."""

import subprocess
from pathlib import Path

import pytest

from scripts.lib import checking
from scripts.lib.changed import changed_files, select_tests
from scripts.lib.options import RunOptions
from scripts.lib.steps import Outcome


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    files = [
        *(
            "bridge/vault/diff.py",
            "bridge/vault/edits.py",
            "bridge/vault/deep/er.py",
            "bridge/app.py",
            "bridge/alone/x.py",
            "docs/page.md",
        ),
        *("tests/vault/test_diff.py", "tests/vault/test_other.py", "tests/test_app.py", "tests/vault/conftest.py"),
        *("tests/turns.py", "tests/docs/test_page.py"),
    ]
    for file in files:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text("one\n")
    (tmp_path / "tests/vault/test_other.py").write_text("from bridge.vault.edits import edit\n")
    _git(tmp_path, "init", "-q")
    _commit(tmp_path)
    return tmp_path


def _git(root: Path, *arguments: str) -> None:
    person = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", str(root), *person, *arguments], check=True, capture_output=True)  # noqa: S603, S607


def _commit(root: Path) -> None:
    _git(root, "add", "-A")
    _git(root, "commit", "-q", "-m", "A step")


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        (["bridge/vault/diff.py"], ["tests/vault/test_diff.py"]),
        (["bridge/vault/edits.py"], ["tests/vault/test_other.py"]),
        (["bridge/vault/edit.py"], ["tests/vault"]),
        (["bridge/vault/gone.py"], ["tests/vault"]),
        (["bridge/vault/deep/er.py"], ["tests/vault"]),
        (["bridge/app.py"], ["tests/test_app.py"]),
        (["bridge/alone/x.py"], []),
        (["tests/vault/test_other.py"], ["tests/vault/test_other.py"]),
        (["tests/vault/conftest.py"], ["tests/vault"]),
        (["tests/turns.py", "README.md"], []),
        (["docs/page.md", "scripts/lib/x.py"], ["tests/docs", "tests/scripts"]),
        (["bridge/vault/diff.py", "bridge/vault/gone.py", "tests/vault/test_diff.py"], ["tests/vault"]),
    ],
)
def test_a_file_has_the_tests_of_its_name_those_that_import_it_or_all_of_its_folder(
    checkout: Path, changed: list[str], expected: list[str]
) -> None:
    assert select_tests(changed, checkout) == expected


def test_what_is_not_committed_counts_and_otherwise_the_last_commit(checkout: Path) -> None:
    (checkout / "bridge/vault/diff.py").write_text("two\n")
    (checkout / "tests/vault/test_new.py").write_text("new\n")
    assert changed_files(checkout) == ["bridge/vault/diff.py", "tests/vault/test_new.py"]
    _commit(checkout)
    assert changed_files(checkout) == ["bridge/vault/diff.py", "tests/vault/test_new.py"]


def test_without_a_history_nothing_has_changed(tmp_path: Path) -> None:
    assert changed_files(tmp_path) == []


@pytest.mark.parametrize(("code", "told"), [(0, 0), (1, 1), (checking.NO_TESTS, 0)])
def test_that_all_tests_of_what_has_changed_are_slow_is_no_failure(
    code: int, told: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = [Outcome("lint", 0, 0.1, ""), Outcome("tests", code, 0.1, "")]
    monkeypatch.setattr(checking, "run_all", lambda _steps: ran)
    assert [one.code for one in checking.tests(RunOptions("quick", ()))] == [0, told]
