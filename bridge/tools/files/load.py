"""What a move takes along: one file, or a folder with everything in it. All of it must be movable, or nothing moves."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from bridge.errors import InvalidParameters
from bridge.vault.disk import is_link
from bridge.vault.failures import explain
from bridge.vault.folder import Folder
from bridge.vault.paths import VaultPath, parse_path, protected, unsafe_name
from bridge.vault.root import VaultRoot

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
        if not self.is_folder:
            self.files.append(self.source)
            look(self.source)
            return
        for path, is_folder in _walk(root, self.source):
            (self.folders if is_folder else self.files).append(path)
            look(path)
            parse_path(str(self.place(path)))  # its path may be too long there
            if len(self.files) > MOST_FILES:
                raise InvalidParameters(
                    f'"{self.source}" holds more than {MOST_FILES:,} files; move the folders in it one by one'
                )


def _walk(root: VaultRoot, top: VaultPath) -> Iterator[tuple[VaultPath, bool]]:
    """Everything in a folder, itself first, and whether it is a folder."""
    pending = [top]
    while pending:
        path = pending.pop()
        yield path, True
        with root.folder(path, follow=False) as folder:
            try:
                folders, files = _contents(folder)
            except OSError as error:
                raise explain(error, path) from error
        yield from ((path.child(name), False) for name in files)
        pending.extend(path.child(name) for name in reversed(folders))


def _contents(folder: Folder) -> tuple[list[str], list[str]]:
    """The names of the folders and of the files in a folder, hidden files too."""
    folders, files = list[str](), list[str]()
    for entry in folder.entries():
        path = folder.path.child(entry.name)
        reason = unsafe_name(entry.name)
        if reason is None and is_link(entry.stat(follow_symlinks=False)):
            reason = "it is a symbolic link"
        if reason is None and entry.is_dir(follow_symlinks=False):
            if entry.name.startswith("."):
                raise protected(path)
            folders.append(entry.name)
        elif reason is None and entry.is_file(follow_symlinks=False):
            files.append(entry.name)
        else:
            raise InvalidParameters(
                f"{str(path)!r} cannot be moved along: {reason or 'it is no file'}; move the other things one by one"
            )
    return sorted(folders), sorted(files)
