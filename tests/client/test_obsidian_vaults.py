"""The vaults that Obsidian knows, read from its own list."""

import json
from pathlib import Path
from typing import Any

import pytest

from bridge.client.discovery import _places, known_vaults

HOME = Path("/home/ada")


def listed(file: Path, *vaults: Any) -> Path:
    file.write_text(json.dumps({"vaults": {str(at): vault for at, vault in enumerate(vaults)}}), encoding="utf-8")
    return file


def test_vaults_that_are_there_come_newest_first(tmp_path: Path) -> None:
    here = tmp_path.resolve()
    old, new = here / "old", here / "new ü"
    old.mkdir()
    new.mkdir()
    first = listed(here / "a.json", {"path": str(old), "ts": 1}, {"path": str(here / "gone"), "ts": 9})
    second = listed(here / "b.json", {"path": str(new), "ts": 2, "open": True}, {"path": str(old), "ts": 1.5})
    assert known_vaults([first, second, here / "none.json"]) == [new, old]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b'{"vaults": []}',
        b'{"vaults": {"a": 1, "b": {"path": 2}, "c": {"path": "x\\u0000"}}}',
        b"\xff",
    ],
)
def test_a_damaged_list_has_no_vaults(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "obsidian.json").write_bytes(data)
    assert known_vaults([tmp_path / "obsidian.json"]) == []


@pytest.mark.parametrize("path", ["relative", ".", ""])
def test_only_whole_paths_count(path: str, tmp_path: Path) -> None:
    assert known_vaults([listed(tmp_path / "obsidian.json", {"path": path, "ts": 1})]) == []


@pytest.mark.parametrize(
    ("system", "environ", "places"),
    [
        (
            "linux",
            {},
            [
                ".config/obsidian/obsidian.json",
                ".var/app/md.obsidian.Obsidian/config/obsidian/obsidian.json",
                "snap/obsidian/current/.config/obsidian/obsidian.json",
            ],
        ),
        ("darwin", {}, ["Library/Application Support/obsidian/obsidian.json"]),
        ("win32", {}, ["AppData/Roaming/obsidian/obsidian.json"]),
        ("win32", {"APPDATA": "/roam"}, ["/roam/obsidian/obsidian.json"]),
    ],
)
def test_the_list_is_looked_for_where_obsidian_keeps_it(
    system: str, environ: dict[str, str], places: list[str]
) -> None:
    assert list(_places(system, HOME, environ)) == [HOME / place for place in places]


def test_a_path_that_no_folder_can_have_is_left_out(tmp_path: Path) -> None:
    assert known_vaults([listed(tmp_path / "a.json", {"path": f"/{'x' * 5000}", "ts": 1})]) == []
