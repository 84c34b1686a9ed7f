"""The workspace of a command, and the changes that it makes there, as one plan for the vault.

The workspace is a copy of the vault, a home and a temporary folder, all thrown away afterwards.
"""

import contextlib
import shutil
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from typing import Final, NamedTuple

from bridge.contract.consent import Operation
from bridge.errors import NotFound, ToolFailure
from bridge.index.losses import LostLink, lost_links
from bridge.sandbox.job import remove_tree
from bridge.sandbox.profile import Profile, ProgramLimits, environment
from bridge.sandbox.sandbox import Programs
from bridge.settings.model import Settings
from bridge.tools.storage import PlanningStorage
from bridge.tools.terminal.commands import GIT, kept_by_git
from bridge.vault.files import VaultFiles
from bridge.vault.paths import VaultPath, parse_path
from bridge.vault.plan import ChangePlan, content_hash
from bridge.vault.text import counted
from bridge.vault.working_copy import Differences, WorkingCopy

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
        remove_tree(self.copy.place.parent)


def make_workspace(
    files: VaultFiles, programs: Programs, settings: Settings, *, with_git: bool, writes_git: bool
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
            for path, real in large.items():
                with contextlib.suppress(OSError):  # Windows lets not everybody make links
                    (copy.place / path).symlink_to(real)
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
            kept=kept_by_git(vault) if writes_git else (),
            shown_at=((copy.place, vault), (temporary, _TEMPORARY)) if moves else (),
            network=settings.terminal_network,
            limits=ProgramLimits(seconds=settings.terminal_timeout),
        ),
        environment=environment(home=home, temporary=_TEMPORARY if moves else temporary),
        vault=vault,
        moves=moves,
    )


MOST_BYTES: Final = 256 * 1024 * 1024
"""Bytes of all new texts and files of one command; they pass through memory."""
MOST_FILES: Final = 20_000
"""Files that one command may change, all of which are compared, shown in one plan, and written."""
Refused = Callable[[str], str | None]
"""Says why a file may not be changed; None where it may."""
_CHANGED: Final = "it was changed by somebody else meanwhile"


class TakingOver:
    """A plan in the making.

    Args:
        storage: The vault.
        copy: The copy.
        differences: What was done to it.

    Attributes:
        left: What is left alone, with the reason.
        lost: The links that lead nowhere once the plan is carried out, those in closed notes included.
    """

    def __init__(self, storage: PlanningStorage, copy: WorkingCopy, differences: Differences) -> None:
        self.left: list[tuple[str, str]] = []
        self.lost: list[LostLink] = []
        self._storage = storage
        self._copy = copy
        self._differences = differences
        self._builder = storage.plan()
        self._done: set[str] = set()
        self._refused: Refused = lambda _path: None

    def plan(self, command: str, refused: Refused) -> ChangePlan | None:
        """Return the plan, or None where nothing is to be done. Blocks.

        Args:
            command: For its sentence.
            refused: Says why a file may not be changed; None where it may.
        """
        found = self._differences
        self._refused, self._builder, self._done = refused, self._storage.plan(), set()
        self.left, self.lost = list(found.odd), []
        touched, why = (*found.changed, *found.made, *found.gone), ""
        if len(touched) > MOST_FILES:
            why = f"the command changed {len(touched):,} files, and at most {MOST_FILES:,} are taken over"
        elif (size := sum(map(self._copy.size, (*found.changed, *found.made)))) > MOST_BYTES:
            why = f"the command wrote {size // 2**20} MB in all, and at most {MOST_BYTES // 2**20} MB are taken over"
        if why:
            self.left += [(path, why) for path in touched]
            return None
        moved = self._moves()
        for paths, step in ((found.gone, self._delete), (found.changed, self._modify), (found.made, self._create)):
            for path in paths:
                if path not in moved:
                    self._step(path, step)
        for path in found.folders_made:
            self._step(path, lambda place, _path: self._builder.mkdir(self._storage.resolve_new(place)))
        self._remove_folders()
        if not self._done:
            return None
        operation = Operation.UPDATE if found.changed or found.gone else Operation.CREATE
        plan = self._builder.build(operation, f"Changes by the command: {command}", whole=True)
        self.lost = lost_links(plan, self._storage.everything.knowledge)
        return replace(plan, summary=f"{plan.summary}; {lost_sentence(self.lost)}") if self.lost else plan

    # -- the steps ----------------------------------------------------------------------------------------------

    def _step(self, path: str, step: Callable[[VaultPath, str], None]) -> None:
        """Plan one step, or note why not."""
        try:
            place = parse_path(path)
            reason = self._refused(path)
            denial = self._storage.closed()
            if reason is None and denial is not None and (rule := denial(path)) is not None:
                reason = rule.why
            if reason is None:
                step(place, path)
                self._done.add(path)
                return
        except ToolFailure as failure:
            reason = failure.message
        self.left.append((path, reason))

    def _before(self, path: str) -> bytes:
        """Return the bytes that a file has in the vault, which must be those that were copied. Raises NotFound."""
        data, _state = self._storage.everything.read(parse_path(path))
        if content_hash(data) != self._differences.copied[path].digest:
            raise NotFound(_CHANGED)
        return data

    def _delete(self, place: VaultPath, path: str) -> None:
        self._builder.delete(place, self._before(path))

    def _modify(self, place: VaultPath, path: str) -> None:
        self._builder.modify(place, self._before(path), self._copy.read(path))

    def _create(self, place: VaultPath, path: str) -> None:
        self._builder.create(self._storage.resolve_new(place), self._copy.read(path))

    def _move(self, to: str, place: VaultPath, path: str) -> None:
        self._before(path)
        target = self._storage.resolve_new(parse_path(to), moving=place)
        self._builder.move(place, target, self._differences.copied[path].digest)

    def _moves(self) -> set[str]:
        """Take what is gone in one place and new in another, with the same bytes, for moved."""
        gone: dict[str, list[str]] = defaultdict(list)
        for path in self._differences.gone:
            gone[self._differences.copied[path].digest].append(path)
        moved: set[str] = set()
        for path in self._differences.made:
            sources = gone.get(content_hash(self._copy.read(path))) if gone else None
            if not sources:
                continue
            source = sources.pop(0)
            if reason := self._refused(path):
                self.left.append((path, reason))
            else:
                self._step(source, partial(self._move, path))
            moved |= {source, path}
        return moved

    def _remove_folders(self) -> None:
        """Remove the folders that the command removed and that nothing else is in."""
        for path in self._differences.folders_gone:
            try:
                place = parse_path(path)
                inside = {f"{path}/{name}" for name in self._storage.everything.names(place)}
            except ToolFailure:
                continue  # it has gone already
            if inside <= self._done:
                self._builder.rmdir(place)
                self._done.add(path)


def lost_sentence(lost: Sequence[LostLink]) -> str:
    """Say how many links lead nowhere now; empty for none."""
    if not lost:
        return ""
    verb = "leads" if len(lost) == 1 else "lead"
    return f"{counted(len(lost), 'link')} in {counted(len({link.path for link in lost}), 'note')} {verb} nowhere now"
