"""A vault with changes laid over it looks as if they had been made, and the disk stays as it is."""

import contextlib
import errno
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.errors import NotFound
from bridge.vault.disk import Gone, Laid, LaidFile, LaidFolder, Layer, OverlayDisk
from bridge.vault.files import VaultFiles
from bridge.vault.paths import VaultPath, parse_path
from bridge.vault.root import VaultRoot

NAMES = st.sampled_from(["a.md", "b.md", "Ä.md", "one", "two"])
PLACES = st.lists(NAMES, min_size=1, max_size=3).map(tuple)
ACTS = st.lists(st.tuples(st.sampled_from(["write", "mkdir", "remove"]), PLACES), max_size=12)


def seen(files: VaultFiles) -> dict[str, bytes | None]:
    """Every file with its bytes, and every folder."""
    found: dict[str, bytes | None] = {}
    for walked in files.walk_folders():
        found[str(walked.folder.path)] = None
        for file in walked.files:
            found[str(file.path)] = walked.read(file)
            assert files.read(file.path)[0] == found[str(file.path)]
    return found


class Twice:
    """The same acts done to a real folder, and laid over another."""

    def __init__(self, top: Path) -> None:
        self.real, self.below, self.bytes = top / "real", top / "below", top / "bytes"
        for folder in (self.real, self.below):
            (folder / "one" / "two").mkdir(parents=True)
            for name in ("a.md", "one/b.md", "one/two/a.md"):
                (folder / name).write_text(f"below {name}", encoding="utf-8")
        self.bytes.mkdir()
        self.layer = Layer(self.bytes)
        self._count = 0

    def act(self, kind: str, way: tuple[str, ...]) -> None:
        place, path = self.real.joinpath(*way), VaultPath(way)
        if not place.parent.is_dir():
            return
        match kind:
            case "write" if not place.is_dir():
                self._count += 1
                data = self.bytes / str(self._count)
                data.write_text(f"laid {self._count}", encoding="utf-8")
                shutil.copyfile(data, place)
                self.layer.lay({path: LaidFile(data)})
            case "mkdir" if not place.exists():
                place.mkdir()
                self.layer.lay({path: LaidFolder()})
            case "remove" if place.is_file():
                place.unlink()
                self.layer.lay({path: Gone()})
            case "remove" if place.is_dir():
                inside = sorted(place.rglob("*"))
                gone: dict[VaultPath, Laid | None] = {
                    VaultPath(one.relative_to(self.real).parts): Gone() for one in (place, *inside)
                }
                shutil.rmtree(place)
                self.layer.lay(gone)


@pytest.mark.slow
@pytest.mark.parametrize("descriptors", [True, False])
@given(acts=ACTS)
def test_any_changes_laid_over_a_vault_show_as_if_they_were_made(
    descriptors: bool, acts: list[tuple[str, tuple[str, ...]]]
) -> None:
    with tempfile.TemporaryDirectory() as top:
        twice = Twice(Path(top))
        before = seen(VaultFiles(VaultRoot(twice.below)))
        for kind, way in acts:
            twice.act(kind, way)
        with (
            VaultRoot(twice.real) as real,
            VaultRoot(twice.below, OverlayDisk(twice.layer, descriptors=descriptors)) as laid,
            VaultRoot(twice.below) as below,
        ):
            assert seen(VaultFiles(laid)) == seen(VaultFiles(real))
            assert seen(VaultFiles(below)) == before


@pytest.fixture
def laid(tmp_path: Path) -> Iterator[tuple[Twice, VaultRoot]]:
    twice = Twice(tmp_path)
    with VaultRoot(twice.below, OverlayDisk(twice.layer)) as root:
        yield twice, root


def test_what_shows_through_is_the_vault_as_it_is_now(laid: tuple[Twice, VaultRoot]) -> None:
    twice, root = laid
    (twice.below / "a.md").write_text("edited", encoding="utf-8")
    assert VaultFiles(root).read(parse_path("A.md"))[0] == b"edited"
    twice.act("remove", ("a.md",))
    with pytest.raises(NotFound):
        root.find(parse_path("a.md"))
    twice.layer.lay({parse_path("a.md"): None})
    assert VaultFiles(root).read(parse_path("a.md"))[0] == b"edited"


def test_nothing_is_ever_written_through_it(laid: tuple[Twice, VaultRoot]) -> None:
    twice, root = laid
    twice.act("write", ("one", "a.md"))
    with root.folder(parse_path("one")) as folder:
        for act in (
            lambda: folder.create("new.md", b"x", sync=False),
            lambda: folder.unlink("b.md"),
            lambda: folder.mkdir("deep"),
            lambda: folder.rmdir("two"),
            lambda: folder.move_new("a.md", folder, "c.md"),
            lambda: folder.replace("a.md", folder, "b.md"),
            lambda: folder.swap("a.md", folder, "b.md"),
            lambda: folder.open_to_append("b.md").__enter__(),
        ):
            with pytest.raises(OSError, match="only looked at") as refused:
                act()
            assert refused.value.errno == errno.EROFS
    with contextlib.suppress(Exception):
        root.state()
    assert not (twice.below / ".vault-bridge").exists()
