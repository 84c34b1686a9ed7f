"""The plugin gets into a vault, and nothing else there changes."""

import json
import os
from pathlib import Path

import pytest

from bridge.errors import StartError
from bridge.plugin.install import FILES, LIST, find_built_plugin, install

BUILT = {
    "main.js": b"module.exports = {};\n",
    "manifest.json": b'{"id": "vault-bridge-consent", "name": "Vault Bridge", "version": "0.2.0"}',
    "styles.css": b".vault-bridge {}\n",
}


def ids(vault: Path, config: str = ".obsidian") -> list[str]:
    found: list[str] = json.loads((vault / config / LIST).read_text(encoding="utf-8"))
    return found


def test_the_files_are_put_into_place_and_the_plugin_is_enabled(vault: Path) -> None:
    done = install(vault, BUILT)
    folder = vault / ".obsidian" / "plugins" / "vault-bridge-consent"
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == BUILT
    assert ids(vault) == ["vault-bridge-consent"]
    assert (done.folder, done.version, done.previous) == (".obsidian/plugins/vault-bridge-consent", "0.2.0", None)
    assert (done.enabled, done.backup) == (True, None)


def test_other_plugins_stay_and_the_old_list_is_kept(vault: Path) -> None:
    old = '["dataview",\n "templater-obsidian"]'
    (vault / ".obsidian" / LIST).write_text(old, encoding="utf-8")
    other = vault / ".obsidian" / "plugins" / "dataview"
    other.mkdir(parents=True)
    (other / "main.js").write_text("x", encoding="utf-8")
    done = install(vault, BUILT)
    assert ids(vault) == ["dataview", "templater-obsidian", "vault-bridge-consent"]
    assert done.backup == f".obsidian/{LIST}.1.bak"
    assert (vault / done.backup).read_text(encoding="utf-8") == old
    assert (other / "main.js").read_text(encoding="utf-8") == "x"


def test_installing_again_replaces_the_files_keeps_the_data_and_adds_nothing(vault: Path) -> None:
    install(vault, BUILT)
    folder = vault / ".obsidian" / "plugins" / "vault-bridge-consent"
    (folder / "data.json").write_text("{}", encoding="utf-8")
    newer = BUILT | {"manifest.json": b'{"id": "vault-bridge-consent", "version": "0.3.0"}'}
    done = install(vault, newer)
    assert (done.version, done.previous, done.backup) == ("0.3.0", "0.2.0", None)
    assert ids(vault) == ["vault-bridge-consent"]
    assert sorted(path.name for path in folder.iterdir()) == sorted([*FILES, "data.json"])
    assert sorted(path.name for path in (vault / ".obsidian").iterdir()) == ["app.json", LIST, "plugins"]


FORMER = b'{"id": "vault-bridge", "name": "Vault Bridge", "author": "The Vault Bridge authors", "version": "0.1.0"}'


def former_in(vault: Path, manifest: bytes = FORMER) -> Path:
    """A plugin in the folder that ours had before, enabled."""
    folder = vault / ".obsidian" / "plugins" / "vault-bridge"
    folder.mkdir(parents=True)
    for name, data in (BUILT | {"manifest.json": manifest}).items():
        (folder / name).write_bytes(data)
    (vault / ".obsidian" / LIST).write_text('["dataview", "vault-bridge"]', encoding="utf-8")
    return folder


def test_the_plugin_under_its_former_id_makes_way_for_the_new_one(vault: Path) -> None:
    folder = former_in(vault)
    done = install(vault, BUILT)
    assert not folder.exists()
    assert ids(vault) == ["dataview", "vault-bridge-consent"]
    assert (done.former, done.backup) == (".obsidian/plugins/vault-bridge", f".obsidian/{LIST}.1.bak")
    assert install(vault, BUILT).former is None


def test_what_else_is_in_its_folder_stays(vault: Path) -> None:
    folder = former_in(vault)
    (folder / "data.json").write_text("{}", encoding="utf-8")
    install(vault, BUILT)
    assert [path.name for path in folder.iterdir()] == ["data.json"]


@pytest.mark.parametrize(
    "manifest",
    [
        b'{"id": "vault-bridge", "name": "Vault Bridge", "author": "Somebody else", "version": "1.0.1"}',
        b'{"id": "another", "author": "The Vault Bridge authors"}',
        b"[]",
        b"{broken",
    ],
)
def test_a_plugin_of_somebody_else_with_that_id_stays_and_stays_enabled(vault: Path, manifest: bytes) -> None:
    folder = former_in(vault, manifest)
    assert install(vault, BUILT).former is None
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == BUILT | {"manifest.json": manifest}
    assert ids(vault) == ["dataview", "vault-bridge", "vault-bridge-consent"]


def test_a_link_in_the_place_of_its_folder_is_not_followed(vault: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    former_in(vault).rename(elsewhere)
    (vault / ".obsidian" / "plugins" / "vault-bridge").symlink_to(elsewhere, target_is_directory=True)
    assert install(vault, BUILT).former is None
    assert sorted(path.name for path in elsewhere.iterdir()) == sorted(FILES)


def test_backups_of_the_list_are_never_overwritten(vault: Path) -> None:
    (vault / ".obsidian" / LIST).write_text('["a"]', encoding="utf-8")
    (vault / ".obsidian" / f"{LIST}.1.bak").write_text("mine", encoding="utf-8")
    assert install(vault, BUILT).backup == f".obsidian/{LIST}.2.bak"
    assert (vault / ".obsidian" / f"{LIST}.1.bak").read_text(encoding="utf-8") == "mine"


def test_it_may_be_left_to_the_user_to_enable_it(vault: Path) -> None:
    (vault / ".obsidian" / LIST).write_text("{broken", encoding="utf-8")
    assert not install(vault, BUILT, enable=False).enabled
    assert (vault / ".obsidian" / LIST).read_text(encoding="utf-8") == "{broken"


@pytest.mark.parametrize("broken", ["{broken", '{"dataview": true}'])
def test_a_list_that_is_none_is_left_alone_and_nothing_is_written(vault: Path, broken: str) -> None:
    (vault / ".obsidian" / LIST).write_text(broken, encoding="utf-8")
    with pytest.raises(StartError, match="left alone"):
        install(vault, BUILT)
    assert (vault / ".obsidian" / LIST).read_text(encoding="utf-8") == broken
    assert not (vault / ".obsidian" / "plugins").exists()


def test_a_configuration_folder_of_another_name_is_found(vault: Path) -> None:
    (vault / ".obsidian").rename(vault / ".config-work")
    assert install(vault, BUILT).folder == ".config-work/plugins/vault-bridge-consent"
    assert ids(vault, ".config-work") == ["vault-bridge-consent"]


def test_a_vault_that_obsidian_has_just_made_will_do(vault: Path) -> None:
    (vault / ".obsidian" / "app.json").unlink()
    assert install(vault, BUILT).enabled


def test_a_folder_that_is_no_vault_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(StartError, match="Open it in Obsidian"):
        install(tmp_path, BUILT)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_reported(vault: Path) -> None:
    (vault / ".obsidian").chmod(0o500)
    with pytest.raises(StartError, match="permissions"):
        install(vault, BUILT)


def test_a_plugins_folder_that_is_a_file_is_reported(vault: Path) -> None:
    (vault / ".obsidian" / "plugins").write_text("", encoding="utf-8")
    with pytest.raises(StartError, match="could not be put"):
        install(vault, BUILT)


def test_the_built_plugin_is_found_in_the_package_or_in_the_checkout(tmp_path: Path) -> None:
    packed, checkout = tmp_path / "packed", tmp_path / "repository" / "obsidian-plugin"
    with pytest.raises(StartError, match="no Obsidian plugin in it"):
        find_built_plugin(packed, checkout)
    checkout.mkdir(parents=True)
    (checkout / "package.json").write_text("{}", encoding="utf-8")
    with pytest.raises(StartError, match="scripts/build-plugin"):
        find_built_plugin(packed, checkout)
    packed.mkdir()
    for name, data in BUILT.items():
        (packed / name).write_bytes(data)
    assert find_built_plugin(packed, checkout) == BUILT
    (checkout / "main.js").write_bytes(b"newer")
    (checkout / "styles.css").write_bytes(b"")
    (checkout.parent / "manifest.json").write_bytes(BUILT["manifest.json"])
    assert find_built_plugin(packed, checkout) == BUILT | {"main.js": b"newer", "styles.css": b""}
