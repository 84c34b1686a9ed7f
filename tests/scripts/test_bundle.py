"""The MCP bundle and the registry's file are what their published schemas ask for, and are made of the built wheel."""

import hashlib
import json
import runpy
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

import bridge
from bridge.client.token_storage import find_token
from scripts.lib.bundle import DISTRIBUTION, SERVER, build, bundle_name, main, manifest, server_json, wheel_name
from scripts.lib.release import bundle_faults

SCHEMAS = Path(__file__).with_name("schemas")
REPOSITORY = "https://github.com/ada/notes"
VERSION = bridge.__version__


def faults(schema: str, value: Any) -> list[str]:
    validator = Draft7Validator(
        json.loads((SCHEMAS / schema).read_text("utf-8")), format_checker=Draft7Validator.FORMAT_CHECKER
    )
    return [error.message for error in validator.iter_errors(value)]


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """A folder with a wheel, and what is made of it."""
    (tmp_path / wheel_name(VERSION)).write_bytes(b"the wheel")
    build(VERSION, REPOSITORY, tmp_path)
    return tmp_path


def test_the_manifest_is_as_its_schema_says() -> None:
    made = manifest(VERSION, REPOSITORY)
    assert faults("mcpb-manifest-v0.4.schema.json", made) == []
    assert made["server"]["type"] == "uv"
    assert made["user_config"]["vault"]["type"] == "directory"
    assert made["server"]["mcp_config"]["args"][-1] == "${user_config.vault}"
    assert faults("mcpb-manifest-v0.4.schema.json", {**made, "server": {"type": "uv"}})


def test_the_registrys_file_is_as_its_schema_says() -> None:
    made = server_json(VERSION, REPOSITORY, "0" * 64)
    assert faults("server-2025-12-11.schema.json", made) == []
    assert made["name"] == "io.github.ada/vault-bridge"
    assert faults("server-2025-12-11.schema.json", {**made, "description": "x" * 101})
    assert faults("server-2025-12-11.schema.json", {**made, "packages": [{**made["packages"][0], "fileSha256": "no"}]})


@pytest.mark.parametrize("repository", ["https://example.org/ada/notes", "https://github.com/ada", "notes"])
def test_only_a_repository_on_github_can_be_named(repository: str) -> None:
    with pytest.raises(ValueError, match="is not https://github"):
        server_json(VERSION, repository, "0" * 64)


def test_the_bundle_holds_the_wheel_and_asks_no_index_for_it(built: Path) -> None:
    with zipfile.ZipFile(built / bundle_name(VERSION)) as packed:
        assert packed.read(wheel_name(VERSION)) == b"the wheel"
        assert json.loads(packed.read("manifest.json")) == manifest(VERSION, REPOSITORY)
        assert b"ensure_client" in packed.read("server.py")
        project = tomllib.loads(packed.read("pyproject.toml").decode())
    assert project["tool"]["uv"]["sources"][DISTRIBUTION] == {"path": wheel_name(VERSION)}


@pytest.mark.slow
def test_the_first_start_makes_the_program_a_client_and_the_second_nothing(vault: Path) -> None:
    prepare, folder = runpy.run_path(str(SERVER))["prepare"], vault.resolve()
    prepare(folder)
    token = find_token(folder, "Claude Desktop")
    prepare(folder)
    assert find_token(folder, "Claude Desktop") == token


def test_the_same_wheel_makes_the_same_bundle(built: Path) -> None:
    first = (built / bundle_name(VERSION)).read_bytes()
    build(VERSION, REPOSITORY, built)
    assert (built / bundle_name(VERSION)).read_bytes() == first
    described = json.loads((built / "server.json").read_text("utf-8"))
    assert described["packages"][0]["fileSha256"] == hashlib.sha256(first).hexdigest()


def test_a_release_with_them_is_whole_and_without_them_is_not(built: Path) -> None:
    assert list(bundle_faults(VERSION, built)) == []
    (built / wheel_name(VERSION)).write_bytes(b"another wheel")
    assert "does not hold" in next(bundle_faults(VERSION, built))
    (built / "server.json").unlink()
    assert list(bundle_faults(VERSION, built)) == ["server.json was not built."]


def test_without_a_wheel_nothing_is_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([VERSION, "--repository", REPOSITORY, "--built", str(tmp_path)]) == 1
    assert wheel_name(VERSION) in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
