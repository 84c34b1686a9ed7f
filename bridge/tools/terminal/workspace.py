"""The workspace of a command: a copy of the vault, a home and a temporary folder, all thrown away afterwards."""

import contextlib
import shutil
from pathlib import Path
from tempfile import mkdtemp
from typing import Final, NamedTuple

from bridge.sandbox.profile import Limits, Profile, environment
from bridge.sandbox.programs import Programs
from bridge.settings.model import Settings
from bridge.tools.terminal.repository import GIT, kept
from bridge.vault.files import VaultFiles
from bridge.vault.working_copy import WorkingCopy

MOST_LARGE_FILES: Final = 200
"""Files too large for the copy that a command can read all the same; each is a rule of the sandbox."""
_TEMPORARY: Final = Path("/tmp")  # noqa: S108 - where programs look for it, in a sandbox of their own


class Workspace(NamedTuple):
    """A place for one command.

    Attributes:
        copy: The copy of the vault.
        profile: The limits of what the command may reach.
        environment: Its environment.
        vault: The vault's own folder.
        moves: Whether the command sees the copy where the vault is.
    """

    copy: WorkingCopy
    profile: Profile
    environment: dict[str, str]
    vault: Path
    moves: bool

    def placed(self, text: str) -> str:
        """Return a command's text, with the copy's folder for the vault's where the command would see the vault's."""
        return text if self.moves else text.replace(str(self.vault), str(self.copy.place))

    def remove(self) -> None:
        """Throw it all away. Blocks."""
        shutil.rmtree(self.copy.place.parent, ignore_errors=True)


def make_workspace(
    files: VaultFiles, programs: Programs, settings: Settings, *, with_git: bool, writes_git: bool = False
) -> Workspace:
    """Make one. Blocks.

    Args:
        files: The vault's files, as far as they may be seen.
        programs: The programs' sandbox, which confines the command.
        settings: The command's limits.
        with_git: Whether the command may read what git has kept of the vault.
        writes_git: Whether it may write there, but for hooks and configuration.

    Raises:
        OSError: The disk is full or failed.
    """
    place = Path(mkdtemp(dir=programs.scratch)).resolve()
    vault, moves = files.root.path, programs.sandbox.moves
    copy = WorkingCopy(files, place / "vault", settings.terminal_largest_file)
    home, temporary = place / "home", place / "tmp"
    try:
        copy.make()
        home.mkdir()
        temporary.mkdir()
        large = dict(list(copy.left_out.items())[:MOST_LARGE_FILES])
        read = list(large.values())
        write = [copy.place, home, temporary]
        if with_git and (vault / GIT).is_dir():
            (write if writes_git else read).append(vault / GIT)
        if not moves:
            _link(copy.place, large)
            if vault / GIT in read:
                (copy.place / GIT).write_text(f"gitdir: {vault / GIT}\n", encoding="utf-8")
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise
    return Workspace(
        copy=copy,
        profile=Profile(
            read=tuple(read),
            write=tuple(write),
            kept=kept(vault) if writes_git else (),
            shown_at=((copy.place, vault), (temporary, _TEMPORARY)) if moves else (),
            network=settings.terminal_network,
            limits=Limits(seconds=settings.terminal_timeout),
        ),
        environment=environment(home=home, temporary=_TEMPORARY if moves else temporary),
        vault=vault,
        moves=moves,
    )


def _link(place: Path, large: dict[str, Path]) -> None:
    """Let the large files of the vault be seen in the copy."""
    for path, real in large.items():
        with contextlib.suppress(OSError):  # Windows lets not everybody make links
            (place / path).symlink_to(real)
