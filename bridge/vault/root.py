"""The vault as a tree: from a path to the folder that holds it, without ever being led out.

Every way is walked name by name, each folder held while the next is opened in it, links never followed by the
system. Symbolic links are read and resolved here: their names take the link's place and the walk starts over, so
whatever they say, the walk only ever goes down from the vault.
"""

import contextlib
import errno
import os
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bridge.errors import Ambiguous, Conflict, ExecutionFailed, NotFound, PermissionDenied, StartError, ToolFailure
from bridge.vault.disk import as_failure, is_link, is_real_folder, not_found
from bridge.vault.folder import Disk, Folder
from bridge.vault.paths import VaultPath, check_new_name, fold, nfc, protected, unsafe_name

EVERYTHING: Final = ""
"""The whole vault: names are looked up in all of it."""

_noted: ContextVar[set[str] | None] = ContextVar("noted", default=None)


def record_look(path: object = EVERYTHING) -> None:
    """Record that a path was looked at, if anybody wants to know.

    Args:
        path: The file or folder, whether or not there is one.
    """
    noted = _noted.get()
    if noted is not None and EVERYTHING not in noted:  # beyond everything there is no more to know
        noted.add(str(path))


@contextmanager
def noting_looks() -> Iterator[set[str]]:
    """Note what is looked at in the block, and in threads that are given a copy of its context.

    Yields:
        The paths so far; the empty one is the whole vault.
    """
    noted: set[str] = set()
    token = _noted.set(noted)
    try:
        yield noted
    finally:
        _noted.reset(token)


STATE_FOLDER = ".vault-bridge"
MAX_LINKS = 40
_MAX_TWINS = 32
_SHOWN_TWINS = 5
_SWAPPED = {errno.ELOOP, errno.ENOTDIR, errno.EINVAL}
"""The errors of a name that has become something else while we looked: look again."""


MOVED = (
    "The vault's folder has been moved, renamed, deleted or replaced by another one since the bridge was started. "
    "Nothing is written until it is back in its place, or the user has started the bridge again where it is now"
)


def _identity(folder: Path) -> tuple[int, int]:
    state = folder.stat()
    return state.st_dev, state.st_ino


@dataclass(frozen=True, slots=True)
class OpenPlace(AbstractContextManager["OpenPlace"]):
    """The place of something real: the folder it is in, held open, and its name there. Use it in `with`.

    Attributes:
        folder: The folder it is in.
        name: Its name as spelled on disk.
        path: Its place in the vault, links resolved.
        state: Its state when it was found.
    """

    folder: Folder
    name: str
    path: VaultPath
    state: os.stat_result

    @property
    def is_folder(self) -> bool:
        """Return whether it is a folder."""
        return is_real_folder(self.state)

    def __exit__(self, *_error: object) -> None:
        self.folder.close()


class VaultRoot(AbstractContextManager["VaultRoot"]):
    """One vault's folder, held open.

    Args:
        folder: Where it is; links on the way to it are fine.
        disk: The system calls.
        portable: Whether new names are only such as Windows can have too (setting `portableNames`).

    Raises:
        StartError: There is no such folder.
    """

    def __init__(self, folder: Path, disk: Disk | None = None, *, portable: Callable[[], bool] = lambda: True) -> None:
        self._portable = portable
        self.disk = disk or Disk()
        self.path = Path(os.path.realpath(folder))
        self.name = self.path.name
        self._given = folder.absolute()
        try:
            if not self.path.is_dir():
                raise NotADirectoryError
            self._identity = _identity(self.path)
            self._top = Folder(self.disk, self.disk.open_top(str(self.path)), VaultPath.root(), top=str(self.path))
        except OSError:
            raise StartError(
                "The vault is not a folder that can be opened", hint="Give the folder of a vault with --vault"
            ) from None

    def close(self) -> None:
        """Let the vault go."""
        self._top.close()

    def __exit__(self, *_error: object) -> None:
        self.close()

    def in_place(self) -> bool:
        """Return whether the vault's folder is still the one that was opened: not moved, deleted or replaced."""
        try:
            return _identity(self.path) == self._identity
        except OSError:
            return False

    def check_in_place(self) -> None:
        """Refuse to go on with a vault that is not where the user knows it to be.

        Raises:
            Conflict: `moved`.
        """
        if not self.in_place():
            raise Conflict(MOVED, code="moved")

    def folder(self, path: VaultPath, *, follow: bool = True) -> Folder:
        """Return a folder of the vault, held open.

        Args:
            path: Its place, as spelled on disk.
            follow: Whether links inside the vault are followed. Without, a link on the way is as if nothing were
                there: what was resolved and approved before must not be led elsewhere since.

        Raises:
            NotFound: There is no such folder, or only a link out of the vault.
            PermissionDenied: It is or lies in a dot-folder (`protected`).
        """
        if not path.parts:
            return self._top.reopen()
        with self._walk(path, follow=follow) as place:
            try:
                return place.folder.child(place.name)
            except OSError as error:
                raise as_failure(error, path) from error

    def find(self, path: VaultPath) -> OpenPlace:
        """Return the place that a path means: an exact match, else the only match ignoring case and Unicode form.

        Args:
            path: What a caller wrote.

        Returns:
            The place, which the caller closes.

        Raises:
            NotFound: There is nothing, or only a link out of the vault.
            Ambiguous: Several names match.
            PermissionDenied: It is or lies in a dot-folder (`protected`).
        """
        record_look(path)
        return self._find(path)

    def resolve(self, path: VaultPath) -> VaultPath:
        """Return the real path: as spelled on disk, links resolved. Raises what `find` raises.

        Args:
            path: What a caller wrote.
        """
        if not path.parts:
            return path
        with self.find(path) as place:
            return place.path

    def resolve_new(self, path: VaultPath, *, moving: VaultPath | None = None) -> VaultPath:
        """Return the path of something new: existing parents as spelled on disk, the rest as given.

        Args:
            path: The requested path.
            moving: What is being moved there, as resolved: it may take its own name in other letters (rule 9 of
                docs/obsidian.md).

        Raises:
            Conflict: Something has that name, or one that differs in case or Unicode form only (`exists`).
            InvalidParameters: The name is not one for new files.
            PermissionDenied: It would lie in a dot-folder (`protected`).
            Ambiguous: Several folders fit.
        """
        _refuse_dot_folders(path)
        record_look(path)
        if not path.parts:
            raise Conflict("The vault itself exists already; give a name in it", code="exists")
        base, missing = self._nearest(path)
        while taken := [other for other in self._taken(base, missing[0]) if other != moving]:
            before, (base, missing) = len(missing), self._nearest(path)
            if len(missing) < before:
                continue  # somebody has just made the next folder on the way
            what = "exists already" if len(missing) == 1 else "is no folder that anything can lie in"
            raise Conflict(f"{str(taken[0])!r} {what}; choose another name", code="exists")
        kept = moving is not None and fold(moving.name) == fold(path.name)  # a name that exists is no new choice
        for name in missing[:-1] if kept else missing:
            self.check_new_name(name)
        return VaultPath(base.parts + missing)

    def check_new_name(self, name: str) -> None:
        """Refuse a name that is not given to anything new, as the user has set it.

        Args:
            name: One path component.

        Raises:
            InvalidParameters: With what is wrong with it.
        """
        check_new_name(name, portable=self._portable())

    def state(self) -> Folder:
        """Return the bridge's own folder in the vault, held open; made when missing, for its user only.

        Raises:
            ExecutionFailed: Something else has its name, or it cannot be made.
        """
        try:
            folder = self._top.child_made(STATE_FOLDER)
        except (NotADirectoryError, FileExistsError):
            raise _state_is_taken() from None
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise _state_is_taken() from None
            raise as_failure(error, STATE_FOLDER) from error
        try:
            if not folder.exists(".gitignore"):
                with contextlib.suppress(FileExistsError):  # another process was faster
                    folder.create(".gitignore", b"*\n", mode=0o600, sync=False)
        except OSError as error:
            folder.close()
            raise as_failure(error, STATE_FOLDER) from error
        return folder

    # -- walking ------------------------------------------------------------------------------------------------

    def _find(self, path: VaultPath) -> OpenPlace:
        """Find a path as `find` does."""
        try:
            return self._walk(path)
        except NotFound:
            twins = self._twins(path)
            if not twins:
                raise
        if len(twins) > 1:
            raise Ambiguous(
                f"Path {str(path)!r} is ambiguous: {len(twins)} names differ only in case or Unicode form. "
                f"Use one of them, exactly as spelled: {', '.join(repr(str(twin)) for twin in twins[:_SHOWN_TWINS])}",
                candidates=[str(twin) for twin in twins],
            )
        return self._walk(twins[0])

    def _walk(self, path: VaultPath, *, follow: bool = True) -> OpenPlace:
        """Return the place at exactly this path, all links resolved. The caller closes it."""
        _refuse_dot_folders(path)
        way = path.parts
        # A link is a round, so is a `..` inside one; a folder that is swapped while we look costs one too.
        for _round in range(MAX_LINKS + 1):
            if not way:
                break
            outcome = self._descend(way, path)
            if isinstance(outcome, OpenPlace):
                return outcome
            if not follow:
                break
            way = outcome
        raise not_found(path)

    def _descend(self, way: tuple[str, ...], asked: VaultPath) -> OpenPlace | tuple[str, ...]:
        """Go down until what was asked is found, or a link: then the way to go instead (empty: there is none)."""
        folder = self._top.reopen()
        kept = False
        try:
            for index, name in enumerate(way):
                if name == "..":
                    return way[: index - 1] + way[index + 1 :] if index else ()
                last = index == len(way) - 1
                state = _look(folder, name, asked, last=last)
                if last and not is_link(state):
                    kept = True
                    return OpenPlace(folder, name, folder.path.child(name), state)
                if is_link(state):
                    return self._redirect(way, index, folder.readlink(name))
                if not is_real_folder(state):
                    break
                inner = folder.child(name)
                folder.close()
                folder = inner
        except OSError as error:
            if error.errno in _SWAPPED:
                return way
            raise as_failure(error, asked) from error
        finally:
            if not kept:
                folder.close()
        raise not_found(asked)

    def _redirect(self, way: tuple[str, ...], index: int, target: str) -> tuple[str, ...]:
        """Return the way on when the name at `index` is a link; empty when it leaves the vault.

        Only text is compared: following a link to find out where it leads would already touch what lies outside
        (a network share, say).
        """
        separators = str.maketrans({os.sep: "/", os.altsep or "/": "/"})
        steps = [step for step in target.translate(separators).split("/") if step not in {"", "."}]
        up = 0
        while up < len(steps) and steps[up] == "..":
            up += 1
        if not Path(target).is_absolute() and up <= index:
            return (*way[: index - up], *steps[up:], *way[index + 1 :])
        whole = os.path.normpath(Path(self.path, *way[:index], target.removeprefix("\\\\?\\")))
        for top in (self.path, self._given):
            start = Path(os.path.normcase(top)).parts
            if Path(os.path.normcase(whole)).parts[: len(start)] == start:
                return (*Path(whole).parts[len(start) :], *way[index + 1 :])
        return ()

    def _twins(self, path: VaultPath) -> list[VaultPath]:
        """Return paths that differ in case or Unicode form only; if any differ in form only, those alone."""
        ways = [VaultPath.root()]
        for part in path.parts:
            ways = [way.child(name) for way in ways for name in self._alike_in(way, part)][:_MAX_TWINS]
        same = [way for way in ways if all(nfc(a) == nfc(b) for a, b in zip(way.parts, path.parts, strict=True))]
        places: dict[VaultPath, VaultPath] = {}
        for way in same or ways:
            try:
                with self._walk(way) as place:
                    places.setdefault(place.path, way)
            except (NotFound, PermissionDenied):
                continue
        return list(places)

    def _alike_in(self, path: VaultPath, name: str) -> list[str]:
        try:
            with self.folder(path) as folder:
                return _alike(folder, name)
        except ToolFailure:
            return []

    def _taken(self, base: VaultPath, name: str) -> list[VaultPath]:
        """Return what in a folder has a name, or one that differs from it in case or Unicode form only."""
        with self.folder(base) as folder:
            return [base.child(other) for other in _alike(folder, name)]

    def _nearest(self, path: VaultPath) -> tuple[VaultPath, tuple[str, ...]]:
        """Return the innermost existing folder on the way to a path, as spelled on disk, and the missing names."""
        base, missing = VaultPath.root(), path.parts
        for parent in path.parents:
            try:
                with self._find(parent) as place:
                    if not place.is_folder:
                        break
                    base, missing = place.path, missing[1:]
            except NotFound:
                break
        return base, missing


def _look(folder: Folder, name: str, asked: VaultPath, *, last: bool) -> os.stat_result:
    """Return the state of a name that is spelled exactly like this and is not a dot-folder."""
    if unsafe_name(name):
        raise not_found(asked)
    state = folder.stat(name)
    if not has_exact_spelling(folder, name):
        raise not_found(asked)
    if name.startswith(".") and (is_real_folder(state) or not last):
        raise protected(asked)
    return state


def has_exact_spelling(folder: Folder, name: str) -> bool:
    """Return whether a name that the disk answers to is really spelled like this.

    Disks that ignore case or Unicode form answer to other spellings, and Windows' file systems to short names
    (`OBSIDI~1`), on any operating system; so `.obsidian` could be entered by a name without a dot. Only listing the
    folder is certain, but slow; so first the disk is asked for another spelling. If that does not exist, the disk
    distinguishes spellings.

    Args:
        folder: The folder it is in.
        name: The name, which the disk has answered to.
    """
    others = set(_other_spellings(name))
    if others and not any(folder.exists(other) for other in others):
        return True
    if not others and _has_one_spelling(name):
        return True
    return name in folder.names()


def _other_spellings(name: str) -> Iterator[str]:
    """Yield names that only a disk which ignores differences would answer to."""
    forms = {name.swapcase()}
    if not name.isascii():
        if any(unicodedata.category(character) in {"Cf", "Mn", "Cn"} for character in name):
            return
        forms |= {unicodedata.normalize("NFC", name), unicodedata.normalize("NFD", name)}
    yield from forms - {name}


def _has_one_spelling(name: str) -> bool:
    """Return whether no disk takes this name for another: it has no `~` and no invisible or combining characters."""
    return "~" not in name and (
        name.isascii() or not any(unicodedata.category(character) in {"Cf", "Mn", "Cn"} for character in name)
    )


def _alike(folder: Folder, name: str) -> list[str]:
    """Return the names in a folder that are this name, or differ from it in case or Unicode form only."""
    key = fold(name)
    return sorted(other for other in folder.names() if fold(other) == key and not unsafe_name(other))


def _refuse_dot_folders(path: VaultPath) -> None:
    if any(part.startswith(".") for part in path.parts[:-1]):
        raise protected(path)


def _state_is_taken() -> ExecutionFailed:
    return ExecutionFailed(
        f"{STATE_FOLDER!r} in the vault is a link or a file, so backups would not be safe in it; remove it"
    )
