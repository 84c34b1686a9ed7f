"""The MCP bundle (`.mcpb`) and the registry's `server.json`, made from a built wheel. Standard library only.

The bundle carries the wheel itself, so that nothing is looked for under the name of the package in an index.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parents[2]
DISTRIBUTION = "obsidian-vault-bridge"
"""The project's name in a package index; the command and the package have shorter ones."""
SERVER = ROOT / "scripts" / "bundle" / "server.py"
SUMMARY = "Tools over an Obsidian vault: every change is shown to you, approved, logged and can be undone."
"""At most 100 characters, which is what the registry takes."""
SERVER_SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
_TIME = (2000, 1, 1, 0, 0, 0)
"""Of every file in the bundle, so that the same wheel makes the same bundle."""


def wheel_name(version: str) -> str:
    """The file name of a version's wheel."""
    return f"{DISTRIBUTION.replace('-', '_')}-{version}-py3-none-any.whl"


def source_name(version: str) -> str:
    """The file name of a version's source archive."""
    return f"{DISTRIBUTION.replace('-', '_')}-{version}.tar.gz"


def bundle_name(version: str) -> str:
    """The file name of a version's bundle."""
    return f"vault-bridge-{version}.mcpb"


def manifest(version: str, repository: str) -> dict[str, Any]:
    """The bundle's manifest: a server that uv runs, with the vault chosen in a folder picker.

    Args:
        version: Of the release.
        repository: The address of the source, such as `https://github.com/OWNER/NAME`.
    """
    return {
        "manifest_version": "0.4",
        "name": "vault-bridge",
        "display_name": "Vault Bridge",
        "version": version,
        "description": SUMMARY,
        "author": {"name": "The Vault Bridge authors"},
        "repository": {"type": "git", "url": repository},
        "license": "MIT",
        "keywords": ["obsidian", "notes", "consent", "undo"],
        "server": {
            "type": "uv",
            "entry_point": "server.py",
            "mcp_config": {
                "command": "uv",
                "args": ["run", "--directory", "${__dirname}", "server.py", "${user_config.vault}"],
            },
        },
        "tools_generated": True,
        "prompts_generated": True,
        "user_config": {
            "vault": {
                "type": "directory",
                "title": "Vault",
                "description": "The folder of your Obsidian vault.",
                "required": True,
            }
        },
        "compatibility": {"platforms": ["darwin", "win32", "linux"], "runtimes": {"python": ">=3.11,<3.14"}},
    }


def project(version: str) -> str:
    """The `pyproject.toml` of the bundle: it needs the wheel beside it, and nothing else by name."""
    return f"""[project]
name = "vault-bridge-bundle"
version = "{version}"
requires-python = ">=3.11,<3.14"
dependencies = ["{DISTRIBUTION}"]

[tool.uv]
package = false

[tool.uv.sources]
{DISTRIBUTION} = {{ path = "{wheel_name(version)}" }}
"""


def server_json(version: str, repository: str, sha256: str) -> dict[str, Any]:
    """Return the description of a release for the MCP registry.

    Args:
        version: Of the release.
        repository: The address of the source on GitHub.
        sha256: Of the bundle, in hexadecimal digits.

    Raises:
        ValueError: The address is not one of a repository on GitHub.
    """
    found = re.fullmatch(r"/([\w-]+)/([\w.-]+)", urlsplit(repository).path)
    if urlsplit(repository).netloc != "github.com" or found is None:
        raise ValueError(f"{repository!r} is not https://github.com/OWNER/NAME")
    return {
        "$schema": SERVER_SCHEMA,
        "name": f"io.github.{found[1]}/vault-bridge",
        "title": "Vault Bridge",
        "description": SUMMARY,
        "version": version,
        "repository": {"url": repository, "source": "github"},
        "packages": [
            {
                "registryType": "mcpb",
                "identifier": f"{repository}/releases/download/{version}/{bundle_name(version)}",
                "version": version,
                "fileSha256": sha256,
                "transport": {"type": "stdio"},
            }
        ],
    }


def build(version: str, repository: str, folder: Path) -> tuple[Path, Path]:
    """Make both files beside the wheel.

    Args:
        version: Of the release.
        repository: The address of the source on GitHub.
        folder: Where the wheel is.

    Returns:
        The bundle and `server.json`.

    Raises:
        FileNotFoundError: The wheel was not built.
        ValueError: The address is not one of a repository on GitHub.
    """
    wheel, bundle, described = folder / wheel_name(version), folder / bundle_name(version), folder / "server.json"
    files = {
        "manifest.json": json.dumps(manifest(version, repository), indent=2).encode(),
        "pyproject.toml": project(version).encode(),
        "server.py": SERVER.read_bytes(),
        "LICENSE": (ROOT / "LICENSE").read_bytes(),
        wheel.name: wheel.read_bytes(),
    }
    with zipfile.ZipFile(bundle, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in files.items():
            member = zipfile.ZipInfo(name, _TIME)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = 0o644 << 16
            packed.writestr(member, data)
    digest = hashlib.sha256(bundle.read_bytes()).hexdigest()
    described.write_text(json.dumps(server_json(version, repository, digest), indent=2) + "\n", encoding="utf-8")
    return bundle, described


def main(arguments: Sequence[str]) -> int:
    """The command. Returns its exit code."""
    parser = argparse.ArgumentParser(
        prog="scripts/build-release", description="Make the MCP bundle and server.json from a built wheel."
    )
    parser.add_argument("version", metavar="VERSION", help="the tag, such as 1.2.3")
    parser.add_argument("--repository", required=True, metavar="URL", help="https://github.com/OWNER/NAME")
    parser.add_argument("--built", type=Path, default=Path("dist"), metavar="DIR", help="where the wheel is")
    options = parser.parse_args(arguments)
    try:
        for file in build(options.version, options.repository, options.built):
            print(file)
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0
