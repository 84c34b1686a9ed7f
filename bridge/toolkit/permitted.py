"""The vault's files without those the user has closed: what every tool is given to read."""

from collections.abc import Callable, Iterator

from bridge.errors import PermissionDenied
from bridge.policy.consent import Rule
from bridge.vault.files import VaultFiles, WalkedFolder
from bridge.vault.paths import VaultPath
from bridge.vault.root import Place

Denials = Callable[[], Callable[[str], Rule | None] | None]
"""The rules as they are now: what tells which of them forbids reading a path; None when nothing is forbidden."""


class PermittedFiles(VaultFiles):
    """Reads of one vault, within what may be read at all.

    A file that is closed is not listed, and opening it is refused: by the path that was asked for, so that a refusal
    does not tell whether anything is there, and by the place that it leads to, so that no link leads in.

    Args:
        files: All of the vault's files.
        denials: What may not be read.
    """

    def __init__(self, files: VaultFiles, denials: Denials) -> None:
        super().__init__(files.root)
        self._denials = denials

    def exists(self, path: VaultPath) -> bool:
        """Whether something is there that may be seen. Raises what `stat` raises."""
        self._refuse(path)
        return super().exists(path)

    def is_folder(self, path: VaultPath) -> bool:
        """Whether a folder is there that may be seen. Raises what `stat` raises."""
        self._refuse(path)
        return super().is_folder(path)

    def walk_folders(self, start: VaultPath | None = None, *, include_hidden: bool = False) -> Iterator[WalkedFolder]:
        """Every folder and file that may be seen, under the rules as they are when the walk begins."""
        denial = self._denials()
        for walked in super().walk_folders(start, include_hidden=include_hidden):
            if denial is None:
                yield walked
                continue
            if walked.folder.path.parts and denial(str(walked.folder.path)) is not None:
                continue
            yield WalkedFolder(walked.folder, tuple(file for file in walked.files if denial(str(file.path)) is None))

    def _file(self, path: VaultPath) -> Place:
        self._refuse(path)
        place = super()._file(path)
        try:
            self._refuse(place.path)
        except PermissionDenied:
            place.folder.close()
            raise
        return place

    def _refuse(self, path: VaultPath) -> None:
        denial = self._denials()
        rule = denial(str(path)) if denial is not None and path.parts else None
        if rule is not None:
            raise PermissionDenied(
                f"{str(path)!r} may not be read: {rule.why}", code="denied_by_rule", data={"rule": rule.name}
            )
