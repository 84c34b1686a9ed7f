"""Whatever programs do to a vault, seen or not, and with a bridge that is killed: every look at it comes back."""

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bridge.versions.states import KeepRules
from tests.patience import PATIENCE
from tests.versions.recorded_vault import RecordedVault, all_bytes

if TYPE_CHECKING:
    from collections.abc import Callable

WORDS = ["vault", "note", "garden", "river", "letter", "Übung", "写", "plan", "market", "winter", "—", "song"]
WRITES = 50
"""What programs do between two looks."""


class Programs:
    """What other programs do to a vault, at random."""

    def __init__(self, vault: Path, chance: random.Random) -> None:
        self._vault = vault
        self._chance = chance
        self._count = 0

    def fill(self, notes: int) -> None:
        """A vault as people have them: folders, short and long notes, odd bytes, pictures."""
        for _number in range(notes):
            self._write(self._new())

    def act(self) -> None:
        """One thing."""
        kinds: list[tuple[Callable[[], object], int]] = [
            (self._edit, 30),
            (self._save_by_rename, 20),
            (self._make, 15),
            (self._delete, 8),
            (self._move, 10),
            (self._copy, 6),
            (self._truncate, 3),
            (self._conflict, 3),
            (self._swap, 2),
            (self._move_folder, 2),
            (self._delete_folder, 1),
        ]
        self._chance.choices([kind for kind, _ in kinds], [weight for _, weight in kinds])[0]()

    def _files(self) -> list[str]:
        found: list[str] = []
        for folder, folders, names in os.walk(self._vault):
            folders[:] = [name for name in folders if not name.startswith(".")]
            shown = [name for name in names if not name.startswith(".")]
            found += [os.path.join(folder, name) for name in shown]  # noqa: PTH118 - once for each act: paths are slow
        return sorted(found)

    def _one(self) -> Path:
        return Path(self._chance.choice(self._files() or [str(self._make())]))

    def _new(self) -> Path:
        self._count += 1
        depth = self._chance.randrange(3)
        folder = self._vault.joinpath(*(f"Folder {self._chance.randrange(5)}" for _ in range(depth)))
        folder.mkdir(parents=True, exist_ok=True)
        ending = "png" if self._chance.random() < 0.05 else "md"
        return folder / f"{self._chance.choice(WORDS)} {self._count}.{ending}"

    def _text(self) -> bytes:
        lines = [" ".join(self._chance.choices(WORDS, k=8)) for _ in range(self._chance.randrange(40))]
        end = self._chance.choice(["\n", "\r\n"])
        text = (self._chance.choice(["", "", "\ufeff"]) + end.join(lines)).encode()
        return text + self._chance.choice([b"", b"\n", b"\xff\xfe\x00"])

    def _write(self, path: Path) -> Path:
        path.write_bytes(self._chance.randbytes(3000) if path.suffix == ".png" else self._text())
        return path

    def _make(self) -> Path:
        return self._write(self._new())

    def _edit(self) -> None:
        path = self._one()
        data = path.read_bytes()
        place = self._chance.randrange(len(data) + 1)
        path.write_bytes(data[:place] + self._chance.choice(WORDS).encode() + data[place:])

    def _save_by_rename(self) -> None:
        path = self._one()
        self._write(path.with_name(".saving")).replace(path)

    def _delete(self) -> None:
        self._one().unlink()

    def _move(self) -> None:
        path = self._one()
        new = path.rename(self._new().with_suffix(path.suffix))
        if self._chance.random() < 0.3:
            new.write_bytes(new.read_bytes() + b"moved and changed\n")

    def _copy(self) -> None:
        path = self._one()
        self._new().with_suffix(path.suffix).write_bytes(path.read_bytes())

    def _truncate(self) -> None:
        self._one().write_bytes(b"")

    def _conflict(self) -> None:
        path = self._one()
        self._count += 1
        path.rename(path.with_stem(f"{path.stem} (conflict {self._count})"))
        self._write(path)

    def _swap(self) -> None:
        one, other = self._one(), self._one()
        if one != other:
            one.rename(self._vault / ".swapping")
            other.rename(one)
            (self._vault / ".swapping").rename(other)

    def _folders(self) -> list[Path]:
        return sorted(path for path in self._vault.glob("Folder*") if path.is_dir())

    def _move_folder(self) -> None:
        folders = self._folders()
        if folders:
            self._count += 1
            self._chance.choice(folders).rename(self._vault / f"Folder moved {self._count}")

    def _delete_folder(self) -> None:
        folders = self._folders()
        if len(folders) > 2:
            for path in sorted(self._chance.choice(folders).rglob("*"), reverse=True):
                if path.is_file():
                    path.unlink()


def look(recorded: RecordedVault, chance: random.Random) -> None:
    """The bridge looks: as it runs, or when it is started again, or after it was killed while it looked."""
    case = chance.random()
    if case < 0.6:
        recorded.look()
        return
    recorded.stop()
    if case > 0.85:
        killed_after = chance.randrange(1, 4)
        arguments = [recorded.folder, recorded.store, recorded.cache, recorded.clock.moved.total_seconds()]
        subprocess.run(  # noqa: S603 - our own
            [sys.executable, "-m", "tests.versions.killed_look", *map(str, arguments), str(killed_after)],
            check=True,
            cwd=Path(__file__).parents[2],
            timeout=PATIENCE,
        )
    recorded.start()
    recorded.look()


@pytest.mark.parametrize(
    ("seed", "rounds", "notes"),
    [
        pytest.param(1, 12, 120, marks=pytest.mark.slow),
        pytest.param(2, 24, 300, marks=pytest.mark.slow),
        pytest.param(3, 60, 400, marks=pytest.mark.long),
    ],
)
def test_the_vault_of_every_look_comes_back_byte_for_byte(tmp_path: Path, seed: int, rounds: int, notes: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - to be repeated
    recorded = RecordedVault(tmp_path / "Vault", tmp_path / "store", cache=tmp_path / "cache")
    programs = Programs(recorded.folder, chance)
    programs.fill(notes)
    write_and_go_back(recorded, programs, chance, rounds)


@pytest.mark.long
def test_so_does_that_of_a_real_vault(real_vault: Path, tmp_path: Path) -> None:
    chance = random.Random(4)  # noqa: S311 - to be repeated
    rules = KeepRules(megabytes=2000)
    recorded = RecordedVault(real_vault, tmp_path / "store", cache=tmp_path / "cache", rules=rules)
    write_and_go_back(recorded, Programs(real_vault, chance), chance, 24)


def write_and_go_back(recorded: RecordedVault, programs: Programs, chance: random.Random, rounds: int) -> None:
    """Have programs write between so many looks, and make the vault what it was at some of them."""
    recorded.look()
    looks: list[tuple[float, dict[str, bytes]]] = []
    for _round in range(rounds):
        recorded.clock.move(30)
        looks.append((recorded.clock.now().timestamp(), all_bytes(recorded.folder)))
        recorded.clock.move(700)
        for _write in range(WRITES):
            programs.act()
        look(recorded, chance)
    assert recorded.recorder.kept().fault is None
    last = all_bytes(recorded.folder)
    for moment, then in [looks[0], *chance.sample(looks[1:], 5)]:
        plan = recorded.restoring.earlier_plan(moment)
        assert (plan.left, plan.nearest) == ((), {})
        name = f"restore-{len(recorded.ledger.history())}"
        recorded.apply(plan.build("then"), name)
        assert all_bytes(recorded.folder) == then
        recorded.apply(recorded.ledger.undo_plan(name)[1], f"undo-{name}")
        assert all_bytes(recorded.folder) == last
    recorded.stop()
