"""If a program changes the permissions of the bridge's own files, they are restored afterwards, and this is logged."""

import asyncio
import os
import stat
from pathlib import Path

import pytest

from bridge.app import Bridge
from bridge.client.token_storage import config_folder, save_to_file
from bridge.records.folder import RunFolder, UserFolder, cache_folder, place
from bridge.sandbox.profile import Profile
from bridge.sandbox.sandbox import NO_SANDBOX, Programs
from bridge.server.private_files import make_private, private_places

pytestmark = pytest.mark.skipif(os.name != "posix", reason="permissions as POSIX has them")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("changed", [0o644, 0o777, 0o000])
def test_files_and_folders_are_private_again(tmp_path: Path, changed: int) -> None:
    folder = RunFolder(tmp_path.resolve())
    folder.write("host.json", b"the token")
    other = RunFolder(tmp_path.resolve(), kind="audit")
    other.write("key", b"a key")
    assert make_private(folder.vault) == []
    for path in (folder.path / "host.json", other.path / "key"):
        path.chmod(changed)
    folder.path.chmod(0o755)
    assert len(make_private(folder.vault)) == 3
    assert mode(folder.path) == 0o700
    assert [mode(path) for path in (folder.path / "host.json", other.path / "key")] == [0o600, 0o600]
    assert make_private(folder.vault) == []


@pytest.mark.parametrize("changed", [0o644, 0o777, 0o000])
def test_so_are_tokens_and_keys_beside_them_and_nobody_elses_files(tmp_path: Path, changed: int) -> None:
    vault = tmp_path.resolve()
    token = save_to_file(vault, "Robot", "the token")
    keys = UserFolder(config_folder() / "keys")
    keys.write("master", b"a key")
    own = UserFolder(config_folder(), above=False)
    own.write("mcp.json", b"{}")
    other = config_folder() / "other.json"
    other.touch(mode=0o644)
    changing = [token, keys.path / "master", own.path / "mcp.json"]
    for path in (*changing, token.parent):
        path.chmod(changed | (0o700 if path.is_dir() else 0))
    assert len(make_private(vault)) == len(changing) + (changed != 0)
    assert [mode(path) for path in changing] == [0o600] * 3
    assert (mode(token.parent), mode(other)) == (0o700, 0o644)
    assert make_private(vault) == []


def test_so_is_the_index_where_it_has_a_place_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VAULT_BRIDGE_STATE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "states"))
    monkeypatch.setenv("HOME", str(tmp_path))
    vault = tmp_path.resolve()
    folder = cache_folder(vault)
    assert folder is not None
    (folder / "text").touch(mode=0o600)
    for path in (folder, folder / "text"):
        path.chmod(0o777)
    assert len(make_private(vault)) == 2
    assert (mode(folder), mode(folder / "text")) == (0o700, 0o600)


async def test_they_are_looked_at_after_each_program(tmp_path: Path) -> None:
    file = tmp_path / "host.json"
    file.write_text("the token", encoding="ascii")
    seen: list[int] = []
    programs = Programs([], tmp_path, lambda: False, lambda: NO_SANDBOX, lambda: seen.append(mode(file)))
    running = await programs.start(
        Profile(), ["/bin/chmod", "644", str(file)], folder=tmp_path, environment={"PATH": "/usr/bin:/bin"}
    )
    await running.ended()
    assert seen == [0o644]


async def test_a_bridge_repairs_them_at_its_start_and_logs_it(tmp_path: Path) -> None:
    vault = (tmp_path / "Vault").resolve()
    vault.mkdir()
    async with Bridge(vault):
        pass
    key = next(path for path in private_places(vault) if path.is_file() and path.parent == place(vault, kind="audit"))
    key.chmod(0o644)
    async with Bridge(vault):
        assert mode(key) == 0o600
    log = await asyncio.to_thread((vault / ".vault-bridge" / "logs" / "tools.log").read_text, "utf-8")
    assert "made_private" in log
    assert key.name in log
