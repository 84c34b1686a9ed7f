"""What a move takes along: one file, or a folder with everything in it. All of it must be movable, or nothing moves."""

from collections.abc import Callable
from dataclasses import dataclass, field

from bridge.errors import InvalidParameters, ToolFailure
from bridge.vault.paths import VaultPath, parse_path, protected, unsafe_name
from bridge.vault.root import VaultRoot
from bridge.vault.subtree import Obstacle, subtree

MOST_FILES = 20_000
"""Files that one call moves."""


@dataclass(slots=True)
class Load:
    """What moves.

    Attributes:
        source: The file or folder.
        target: Where it goes.
        is_folder: Which of the two it is.
        files: The files that go along, or the one.
        folders: The folders, each before those in it; the source itself first of all.
    """

    source: VaultPath
    target: VaultPath
    is_folder: bool
    files: list[VaultPath] = field(default_factory=list)
    folders: list[VaultPath] = field(default_factory=list)

    def place(self, path: VaultPath) -> VaultPath:
        """Where something of it goes."""
        return VaultPath(self.target.parts + path.parts[len(self.source.parts) :])

    def fill(self, root: VaultRoot, look: Callable[[VaultPath], None]) -> None:
        """Find everything that goes along.

        Args:
            root: The vault.
            look: Told of each; raises when it must not be moved.

        Raises:
            InvalidParameters: Something in the folder cannot be moved, or it is too much for one call.
            PermissionDenied: There is a dot-folder in it (`protected`).
            ExecutionFailed: A folder cannot be read.
        """
        look(self.source)
        if not self.is_folder:
            self.files.append(self.source)
            return

        def check(path: VaultPath) -> None:
            look(path)
            parse_path(str(self.place(path)))  # its path may be too long there

        tree = subtree(root, self.source, check, _refusal, MOST_FILES)
        if len(tree.files) > MOST_FILES:
            raise InvalidParameters(
                f'"{self.source}" holds more than {MOST_FILES:,} files; move the folders in it one by one'
            )
        self.files += tree.files
        self.folders += tree.folders


def _refusal(path: VaultPath, obstacle: Obstacle) -> ToolFailure:
    """Why something cannot go along, and so nothing does."""
    if obstacle is Obstacle.DOT_FOLDER:
        return protected(path)
    reason = {Obstacle.NAME: unsafe_name(path.name), Obstacle.LINK: "it is a symbolic link"}.get(obstacle)
    return InvalidParameters(
        f"{str(path)!r} cannot be moved along: {reason or 'it is no file'}; move the other things one by one"
    )
