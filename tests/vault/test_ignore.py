"""What find and grep pass over."""

import unicodedata
from pathlib import Path

import orjson
import pytest

from bridge.errors import InvalidParameters
from bridge.vault.app_settings import ignore_rules
from bridge.vault.files import VaultFiles
from bridge.vault.paths import parse_path


def write_filters(vault: Path, filters: object, config: str = ".obsidian") -> None:
    (vault / config).mkdir(exist_ok=True)
    (vault / config / "app.json").write_bytes(orjson.dumps({"userIgnoreFilters": filters}))


def ignored(files: VaultFiles, patterns: list[str], *paths: str) -> list[bool]:
    rule = ignore_rules(files, patterns)
    return [rule(parse_path(path)) for path in paths]


def test_without_rules_nothing_is_passed_over(files: VaultFiles) -> None:
    assert ignored(files, [], "Ideas.md", "Notes/Meeting.md") == [False, False]


def test_a_filter_of_obsidian_is_the_beginning_of_a_path(files: VaultFiles, vault: Path) -> None:
    write_filters(vault, ["Archive/", "Templates", "Übung"])
    assert ignored(files, [], "Archive/x.md", "archive/y/z.md", "Notes/Archive/x.md", "Templates.md", "Archive.md") == [
        *(True, True, False, True, False)
    ]
    assert ignored(files, [], unicodedata.normalize("NFD", "Übung/x.md")) == [True]


def test_or_a_pattern_between_slashes(files: VaultFiles, vault: Path) -> None:
    write_filters(vault, ["/daily-.*/", r"/^Log\/\d+/"])
    assert ignored(files, [], "a/daily-1.md", "weekly.md", "Log/12.md", "x/Log/12.md", "Daily-1.md") == [
        *(True, False, True, False, False)
    ]


@pytest.mark.parametrize("pattern", ["/(?<=x)y/", "/(a)\\1/", "/[/", "/(a+/"])
def test_a_pattern_that_cannot_be_matched_safely_is_left_out(files: VaultFiles, vault: Path, pattern: str) -> None:
    write_filters(vault, [pattern, "Archive/"])
    assert ignored(files, [], "Archive/x.md", "xy.md", "aa.md") == [True, False, False]


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b'{"userIgnoreFilters": 3}', b'{"userIgnoreFilters": [1, ""]}', b"\xff"]
)
def test_broken_settings_have_no_filters(files: VaultFiles, vault: Path, data: bytes) -> None:
    (vault / ".obsidian/app.json").write_bytes(data)
    assert ignored(files, [], "Ideas.md") == [False]


def test_another_config_folder_is_found(files: VaultFiles, vault: Path) -> None:
    (vault / ".obsidian/app.json").unlink()
    (vault / ".git").mkdir()
    write_filters(vault, ["Archive/"], ".config-work")
    assert ignored(files, [], "Archive/x.md") == [True]


def test_a_config_folder_outside_the_vault_is_not_read(files: VaultFiles, vault: Path, outside: Path) -> None:
    write_filters(outside, ["Archive/"], ".")
    (vault / ".obsidian/app.json").unlink()
    (vault / ".obsidian").rmdir()
    (vault / ".obsidian").symlink_to(outside)
    assert ignored(files, [], "Archive/x.md") == [False]


@pytest.mark.parametrize(
    ("pattern", "path", "passed_over"),
    [
        ("*.tmp", "a.tmp", True),
        ("*.tmp", "deep/er/a.tmp", True),
        ("*.tmp", "a.tmp.md", False),
        ("Archive/", "Archive/x/y.md", True),
        ("Archive/", "deep/Archive/x.md", True),
        ("Archive/", "Archive.md", False),
        ("Archive/**", "deep/Archive/x.md", False),
        ("Notes/*.md", "Notes/x.md", True),
        ("Notes/*.md", "Notes/y/x.md", False),
        ("Notes/**/*.md", "Notes/y/x.md", True),
        ("{A,B}/*", "B/x.md", True),
        ("*.TMP", "a.tmp", False),
        (".hidden*", ".hidden.md", True),
    ],
)
def test_ignore_patterns_are_globs(files: VaultFiles, pattern: str, path: str, *, passed_over: bool) -> None:
    assert ignored(files, [pattern], path) == [passed_over]


def test_a_glob_that_explodes_is_refused(files: VaultFiles) -> None:
    with pytest.raises(InvalidParameters, match="ignorePatterns"):
        ignore_rules(files, ["{1..100000}"])
