"""The plugin reaches out of Obsidian only where the README says that it does."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "obsidian-plugin" / "src"
README = (ROOT / "README.md").read_text(encoding="utf-8")


def users_of(pattern: str) -> set[str]:
    """The source files that hold something."""
    return {
        file.relative_to(SOURCE).as_posix()
        for file in SOURCE.rglob("*.ts")
        if re.search(pattern, file.read_text(encoding="utf-8"))
    }


@pytest.mark.parametrize(
    ("pattern", "files"),
    [
        (r"new WebSocket\b", {"platform/socket.ts"}),
        # it takes them away from tools
        (r"\b(fetch|requestUrl|sendBeacon)\(|\b(XMLHttpRequest|EventSource)\b", {"platform/toolWorker.ts"}),
        (r'"node:child_process"', {"platform/sidecar.ts"}),
        (r'"node:fs', {"platform/outside.ts"}),
        (r'"electron"', {"platform/chosenFile.ts", "platform/electron.d.ts"}),
        (r'"node:(?!child_process"|fs/promises"|path")', set()),
        (r"\bnew (Worker|Function)\b|\beval\(|\bAsyncFunction\b", {"platform/toolWorker.ts"}),
        (r'srcdoc|createEl\("iframe', {"platform/toolRuns.ts"}),
    ],
    ids=["socket", "requests", "programs", "files", "the app", "other ways", "code", "frames"],
)
def test_one_file_does_it_and_no_other(pattern: str, files: set[str]) -> None:
    assert users_of(pattern) == files


def test_the_readme_discloses_each_of_them() -> None:
    disclosed = README.split("**The Obsidian plugin**", 1)[1].split("\n## ", 1)[0]
    for word in (
        "WebSocket",
        "127.0.0.1",
        "host.json",
        "start one, the bridge",
        "not before you confirm it",
        "asks it for its version",
        "sandboxed frame without an origin",
    ):
        assert word in disclosed
