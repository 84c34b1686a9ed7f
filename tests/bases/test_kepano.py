"""Every base of a real vault is evaluated, but for one view that the app refuses too; where the vault is at hand."""

from pathlib import Path

import pytest

from bridge.bases.base_file import read_base
from bridge.bases.failures import BaseError
from bridge.bases.views import Broken, check, evaluate
from tests.bases.vault_of_files import NOW, FilesInMemory
from tests.real_data import REAL_VAULTS

FOLDER = REAL_VAULTS / "kepano"


@pytest.mark.slow
@pytest.mark.skipif(not FOLDER.is_dir(), reason="the vault is not on this machine")
def test_every_view_is_evaluated_but_the_one_that_the_app_refuses() -> None:
    files = {
        path.relative_to(FOLDER).as_posix(): path.read_text("utf-8", "replace")
        for path in FOLDER.rglob("*")
        if path.is_file() and not path.relative_to(FOLDER).as_posix().startswith(".")
    }
    vault = FilesInMemory(files)
    bases = {path: read_base(text) for path, text in files.items() if path.endswith(".base")}
    assert len(bases) == 30
    refused: list[str] = []
    views = rows = 0
    for path, base in bases.items():
        for view in base.views:
            views += 1
            for this in (path, "References/Kyoto.md", "Categories/Books.md"):
                try:
                    table = evaluate(base, view, vault, NOW, this=vault.row(this))
                except BaseError as error:
                    refused.append(f"{Path(path).stem}/{view.name}: {error.message}")
                    continue
                cells = table.cells()
                rows += len(cells)
                assert not any(isinstance(cell, Broken) for row in cells for cell in row)
    assert views == 75
    assert rows > 100
    assert set(refused) == {'Shows/Last seen: Cannot find function "not"; now is there'}
    assert [path for path, base in bases.items() if check(base)] == ["Templates/Bases/Shows.base"]
