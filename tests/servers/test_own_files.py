"""A server's program may read what belongs to it, and never the user's whole home."""

from pathlib import Path

import pytest

from bridge.servers.servers import _project, own_files


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home" / "ada"
    home.mkdir(parents=True)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(home))
    return home


def put(home: Path, path: str) -> Path:
    place = home / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.touch()
    return place


@pytest.mark.parametrize(
    ("program", "beside", "readable"),
    [
        (".local/bin/uvx", ".local/lib/x", [".local/bin", ".local/lib"]),
        (".local/bin/uvx", ".local/share/keyrings/login.keyring", [".local/bin"]),
        (".cargo/bin/server", ".cargo/credentials.toml", [".cargo/bin"]),
        ("bin/server", ".ssh/id_ed25519", ["bin"]),
        ("server", ".ssh/id_ed25519", ["server"]),
        (".nvm/versions/node/v22/bin/node", "x", [".nvm/versions/node/v22"]),
        ("tools/server", "tools/part", ["tools"]),
    ],
)
def test_a_program_reads_its_installation(home: Path, program: str, beside: str, readable: list[str]) -> None:
    put(home, beside)
    assert list(own_files(put(home, program))) == [home / each for each in readable]


@pytest.mark.parametrize(
    ("argument", "beside", "readable"),
    [
        ("config.json", ".ssh/id_ed25519", "config.json"),
        ("Documents/config.json", "Documents/diary.txt", "Documents/config.json"),
        ("server.py", ".ssh/id_ed25519", "server.py"),
        ("server.js", "package.json", "server.js"),
        ("scripts/server.py", "scripts/part.py", "scripts"),
        ("code/server/dist/index.js", "code/server/package.json", "code/server"),
        ("code/node_modules/a/index.js", "code/node_modules/b/index.js", "code/node_modules"),
    ],
)
def test_a_file_among_the_arguments_opens_no_more_than_its_package(
    home: Path, argument: str, beside: str, readable: str
) -> None:
    put(home, beside)
    assert _project(put(home, argument)) == home / readable
