"""What `vault-bridge serve` shows while the vault is read for the first time."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bridge.cli import serve
from bridge.cli.printer import Printer
from bridge.cli.serve import show_build
from bridge.index.knowledge import IndexStatus


@dataclass
class Reading:
    """A bridge whose index says this, one after the other."""

    indexed: Iterator[int]
    notes: int = 1200
    total: int = 1200
    done: int = field(default=0, init=False)

    @property
    def index(self) -> "Reading":
        return self

    @property
    def progress(self) -> "Reading":
        return self

    def status(self) -> IndexStatus:
        self.done = next(self.indexed)
        return IndexStatus(self.notes, self.notes, self.done, self.done < self.notes, None)


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "PATIENCE", 0)
    monkeypatch.setattr(serve, "EVERY", 0)


async def test_without_a_terminal_it_is_said_in_lines(capsys: pytest.CaptureFixture[str]) -> None:
    bridge: Any = Reading(iter([0, 400, 800, 1200, 1200]))
    await show_build(bridge, Printer())
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[0] == "Reading the vault ..."
    assert err.splitlines()[1].startswith("The vault has been read: 1,200 notes, in ")
    assert len(err.splitlines()) == 2


async def test_a_vault_that_is_known_is_not_worth_a_word(capsys: pytest.CaptureFixture[str]) -> None:
    bridge: Any = Reading(iter([1200]))
    await show_build(bridge, Printer())
    assert capsys.readouterr() == ("", "")


@pytest.mark.slow
def test_a_person_sees_a_bar(tmp_path: Path, terminal: Any) -> None:
    vault = tmp_path / "Vault"
    vault.mkdir()
    text = "See [[Note 1]] and [[Note 2]]. #tag\n\n" * 300
    for number in range(150):
        (vault / f"Note {number}.md").write_text(f"# {number}\n\n{text}", encoding="utf-8")
    screen = terminal("serve", "--vault", str(vault), "--preset", "vault")
    screen.see("The vault has been read: 150 notes")
    assert "Reading the vault" in screen.raw
    screen.interrupt()
    assert screen.end() == 0
    assert "Reading the vault" not in screen.text()
