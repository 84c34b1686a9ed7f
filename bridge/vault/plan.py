"""The change plan: everything a write will do, decided before anyone is asked, immutable, with a digest.

What the person approves is the digest of this; what the ledger applies is this. `PlanBuilder` makes one step by step,
with the hashes, staged bytes, previews and missing folders. See `docs/architecture.md`.
"""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Literal, NamedTuple, Protocol

import orjson

from bridge.contract.consent import Addition, FilePreview, MergePlace, Operation, ShownPicture
from bridge.contract.drafts import ReviewComment
from bridge.errors import InvalidParameters, NotFound
from bridge.vault.change_facts import binary_kind, change_facts, change_note
from bridge.vault.diff import Diff, Region, unified_diff
from bridge.vault.paths import VaultPath, folders_above
from bridge.vault.text import counted, is_text


class ChangeKind(StrEnum):
    """The kind of change to one path. A folder's move or delete is listed as its folders and files."""

    CREATE = "create"
    MODIFY = "modify"
    MOVE = "move"
    DELETE = "delete"
    MKDIR = "mkdir"
    RMDIR = "rmdir"


class Hazard(StrEnum):
    """A danger of new text that its diff does not show."""

    RUNS = "runs"
    HIDES = "hides"
    LOADS = "loads"
    LEADS_OUT = "leads_out"
    LOOKS_ALIKE = "looks_alike"
    CARRIES = "carries"


Disposal = Literal["system", "local"]
"""The destination of deleted files: the system's trash, or the vault's `.trash` (rule 77 of docs/obsidian.md)."""


def content_hash(data: bytes | memoryview) -> str:
    """Return the hash by which bytes are named: sha256, in hex.

    Args:
        data: All of them.
    """
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True, slots=True)
class Change:
    """One step of a plan. Steps are applied in order; a later step sees what an earlier one did.

    Attributes:
        kind: What happens.
        path: Where, vault-relative, as spelled on disk.
        new_path: Where to, of a move.
        before: Hash of the bytes it starts from (modify, move, delete).
        after: Hash of the bytes it ends with (create, modify, move; a move keeps its bytes).
    """

    kind: ChangeKind
    path: str
    new_path: str | None = None
    before: str | None = None
    after: str | None = None

    @property
    def of_folder(self) -> bool:
        """Return whether it makes or removes a folder."""
        return self.kind in {ChangeKind.MKDIR, ChangeKind.RMDIR}

    @property
    def places(self) -> tuple[str, ...]:
        """Return every path it is about."""
        return (self.path,) if self.new_path is None else (self.path, self.new_path)

    def ends(self) -> Iterator[tuple[str, str | None]]:
        """Yield each path of a file that it is about, with the hash of the bytes there afterwards; None if none are."""
        if not self.of_folder:
            yield self.path, None if self.new_path is not None else self.after
            if self.new_path is not None:
                yield self.new_path, self.after

    def canonical(self) -> list[str | None]:
        """Return the canonical form, from which the digest is computed."""
        return [self.kind.value, self.path, self.new_path, self.before, self.after]


class BrokenLink(NamedTuple):
    """A link that leads nowhere, or elsewhere, once a plan is carried out, because it cannot be written anew.

    Attributes:
        path: The file that it is in, where that will be.
        line: Its line there, from 1.
        link: The link, as it is written.
    """

    path: str
    line: int
    link: str


class Rest(NamedTuple):
    """The part of a draft that is not taken and goes back to its client.

    Attributes:
        files: The files that stay in the draft; each with its whole text if a part of it is taken.
        words: The person's message.
        comments: The person's comments on files and lines.
    """

    files: Mapping[str, bytes | None]
    words: str = ""
    comments: tuple[ReviewComment, ...] = ()


@dataclass(frozen=True, slots=True)
class LeftFile:
    """A file that an undo leaves as it is.

    Attributes:
        path: Its present or former path.
        why: Why, in words that go on after a colon.
    """

    path: str
    why: str

    def __str__(self) -> str:
        """Say so, for people."""
        return f"{self.path} stays as it is: {self.why}"


@dataclass(frozen=True)
class ChangePlan:
    """A list of changes that happens wholly or not at all.

    Attributes:
        operation: create, update or delete: what the plan as a whole is.
        summary: One sentence for the person, such as `Edit Notes/Meeting.md: 3 lines changed`.
        changes: The steps, in order.
        blobs: The staging area: the new bytes, by their hash.
        previews: What to show of each change.
        warnings: What the diff does not show.
        hazards: What the new text does of which the warnings speak, one for each such warning.
        reversal: Whether the plan takes an earlier change back or repeats it. Not part of the digest.
        reverses: That change's execution id. Not part of the digest.
        disposal: Where what is deleted goes, of a plan that does nothing but delete; None when it only stays in the
            backups.
        linked_from: Of a plan that deletes, how many notes link to what goes, if that is known. Not part of the
            digest.
        about: What the person sees as the subject, if that is not simply the files: a folder, with a final slash,
            that moves or goes with everything in it. Not part of the digest.
        replaces: Whether the caller gave the whole text of a file that is there. Not part of the digest.
        additions: What it adds, as far as its bytes show that it does nothing else; None when it does, or may do.
            `bridge.policy.risk.additions_of` looks at the rest too. Not part of the digest.
        broken: The links in other files that it breaks. Not part of the digest.
        whole: Whether its changes belong together, so that none can be left out: text that moves from one file to
            another. Not part of the digest.
        renamed_property: The property, in small letters, that gets another name and so is not lost. Not part of the
            digest.
        reads: Files that it does not change and whose text it puts into others, such as a template. Not part of the
            digest.
        draft: The draft that it belongs to. Not part of the digest.
        reason: The reason, in the words of the draft's client. Not part of the digest.
        restores: Whether it brings back, for the user, what another program changed. Not part of the digest.
        conflicts: For a draft, its conflicts with other changes. Not part of the digest.
        rest: For a draft of which a person takes a part, what stays in the draft. Not part of the digest.
        left: For an undo, the files that it leaves as they are. Not part of the digest.
        units: Files that belong together, for undoing the plan, if the previews do not say it. Not part of the digest.
    """

    operation: Operation
    summary: str
    changes: tuple[Change, ...]
    blobs: Mapping[str, bytes] = field(repr=False)
    previews: tuple[FilePreview, ...] = ()
    warnings: tuple[str, ...] = ()
    hazards: tuple[Hazard, ...] = ()
    reversal: Literal["undo", "redo"] | None = None
    reverses: str | None = None
    disposal: Disposal | None = None
    linked_from: int | None = None
    about: tuple[str, ...] = ()
    replaces: bool = False
    additions: frozenset[Addition] | None = None
    broken: tuple[BrokenLink, ...] = ()
    whole: bool = False
    renamed_property: str | None = None
    reads: tuple[str, ...] = ()
    draft: str | None = None
    reason: str | None = None
    restores: bool = False
    conflicts: tuple[MergePlace, ...] = ()
    rest: Rest | None = None
    left: tuple[LeftFile, ...] = ()
    units: tuple[tuple[str, ...], ...] | None = None

    @cached_property
    def digest(self) -> str:
        """Return `sha256:` over the canonical form of the changes, and of where they put what they delete."""
        form: list[list[str | None]] = [change.canonical() for change in self.changes]
        if self.disposal is not None:
            form.append(["disposal", self.disposal])
        return "sha256:" + content_hash(orjson.dumps(form))

    @property
    def files(self) -> int:
        """Return the number of files it creates, changes, moves or deletes; each counts once, and folders do not.

        Questions and answers name this number.
        """
        return len(self.named_files)

    @cached_property
    def named_files(self) -> tuple[str, ...]:
        """Return these files, each by the last path that it has in the plan."""
        known, names = dict[str, int](), dict[int, str]()
        for change in self.changes:
            if change.of_folder:
                continue
            last, file = change.new_path or change.path, known.pop(change.path, len(names))
            names[file] = last
            if change.kind is not ChangeKind.DELETE:
                known[last] = file
        return tuple(names.values())

    @property
    def counted_files(self) -> str:
        """Return the number of files, in words."""
        return counted(self.files, "file")

    @property
    def targets(self) -> tuple[str, ...]:
        """Return every path the plan touches, in order, once."""
        return tuple(dict.fromkeys(path for change in self.changes for path in change.places))

    @property
    def moved(self) -> frozenset[str]:
        """Return the destinations of moved files, each counted once however many steps its move has."""
        moves = [change for change in self.changes if change.kind is ChangeKind.MOVE]
        return frozenset(change.new_path or "" for change in moves) - {change.path for change in moves}

    @cached_property
    def shown(self) -> Mapping[str, Sequence[FilePreview]]:
        """Return the previews by each path that their file has: before the change, and afterwards."""
        found = defaultdict[str, list[FilePreview]](list)
        for each in self.previews:
            for path in {each.path, each.new_path or each.path}:
                found[path].append(each)
        return found

    @property
    def follows(self) -> frozenset[str]:
        """Return the files in which only links change, because their targets move, go or become ambiguous."""
        return frozenset(shown.path for shown in self.previews if shown.follows)

    @property
    def subjects(self) -> tuple[str, ...]:
        """Return the paths that the person sees as the subject, in order; folders end with a slash.

        These are a move's source and destination and the files that the tool itself creates, edits or deletes; not
        files whose links are only updated, and not folders made on the way to a file.
        """
        if self.about:
            return self.about
        follows = self.follows
        own = [change for change in self.changes if change.path not in follows or change.kind is not ChangeKind.MODIFY]
        files = [path for change in own if not change.of_folder for path in change.places]
        folders = [f"{change.path}/" for change in own]
        outer = {f"{parent}/" for change in own for parent in folders_above(change.path)}
        return tuple(dict.fromkeys(files or [folder for folder in folders if folder not in outer]))


class Applied(NamedTuple):
    """A plan that was applied.

    Attributes:
        execution_id: Its name in the history.
        backup: The folder with the bytes as they were, vault-relative with a final `/`; None when nothing was kept.
        plan: The plan that was applied.
        disposal: Where what it deleted went, which may be the vault's own trash though the system's was planned; None
            when it only stays in the backups.
    """

    execution_id: str
    backup: str | None
    plan: ChangePlan
    disposal: Disposal | None = None


HistoryState = Literal["applied", "undone", "conflicted"]


class HistoryEntry(NamedTuple):
    """One change, as the history shows it.

    Attributes:
        execution_id: Its name.
        tool: The tool that planned it.
        client: Who asked for it.
        time: The time, ISO 8601 UTC.
        state: `conflicted` when a crash interrupted it and someone edited a file before it could be taken back.
        files: Every path it touched.
        added: Lines added.
        removed: Lines removed.
        call_id: The caller's id for the call.
        arguments_hash: Of that call's tool and arguments.
        can_undo: False when the bytes it replaced were not kept.
        credential: The id of the credential that it was asked for with.
        summary: The plan's sentence.
        grant: The id of the remembered answer that allowed it; None when none did.
        left: Of one that is undone, the files that are not, and why.
    """

    execution_id: str
    tool: str
    client: str
    time: str
    state: HistoryState
    files: tuple[str, ...]
    added: int
    removed: int
    call_id: str | None = None
    arguments_hash: str | None = None
    can_undo: bool = True
    credential: str = ""
    summary: str = ""
    grant: str | None = None
    left: tuple[LeftFile, ...] = ()

    @property
    def client_id(self) -> str:
        """Return the credential, as the wire calls it."""
        return self.credential


def operation_of(changes: Iterable[Change]) -> Operation:
    """Return what some changes are as a whole: creating, deleting, or else updating. Folders do not count."""
    kinds = {change.kind for change in changes if not change.of_folder}
    if kinds == {ChangeKind.CREATE}:
        return Operation.CREATE
    return Operation.DELETE if kinds == {ChangeKind.DELETE} else Operation.UPDATE


def preview(
    change: Change,
    old: bytes | None,
    new: bytes | None,
    regions: Sequence[Region] | None = None,
    *,
    follows: bool = False,
    picture: ShownPicture | None = None,
) -> FilePreview:
    """Return the preview of one change.

    Args:
        change: The change.
        old: The bytes before; None when there are none, or when they stay.
        new: The bytes after; None when there are none, or when they stay.
        regions: The ranges that differ, if known.
        follows: Whether only its links are updated after another change.
        picture: The image that it becomes.
    """
    shown = Diff("", 0, 0, truncated=False)
    if old is not None or new is not None:
        shown = unified_diff(
            old or b"",
            new or b"",
            old_path=None if old is None else change.path,
            new_path=None if new is None else change.new_path or change.path,
            regions=regions,
        )
    facts, links = change_facts("" if shown.truncated else shown.text)
    return FilePreview(
        path=change.path,
        change=change.kind.value,
        new_path=change.new_path,
        added=shown.added,
        removed=shown.removed,
        diff=shown.text,
        truncated=shown.truncated,
        follows=follows,
        note=change_note(change.new_path or change.path, old, new, shown)
        if picture is None
        else f"An image of {picture.width:,} by {picture.height:,} pixels ({len(new or b''):,} bytes)",
        facts=facts,
        links=links,
        picture=picture,
    )


def is_hidden(path: str) -> bool:
    """Return whether a path is that of a hidden file, or lies in a dot-folder.

    Args:
        path: A vault path.
    """
    return path.startswith(".") or "/." in path


Judge = Callable[[str, bytes | None, bytes], frozenset[Addition] | None]
"""Says what a change to the file at a path, from some bytes or none to others, adds; None when it does more."""


class Folders(Protocol):
    """The source of folders for plans: a vault."""

    def folder(self, path: VaultPath, /) -> AbstractContextManager[object]:
        """Return the folder at this path, held open. Raises NotFound when there is none."""


class PlanBuilder:
    """A plan being built. Paths are as `VaultRoot.resolve` and `resolve_new` give them.

    Steps are kept in the order they are added; a path is changed at most once.

    Args:
        root: The vault, which is only looked at.
        judge: Says which changes of files only add to them; without one, none does.
    """

    def __init__(self, root: Folders, judge: Judge = lambda _path, _old, _new: None) -> None:
        self._root = root
        self._judge = judge
        self._additions: frozenset[Addition] | None = frozenset()
        self._replaces = False
        self.changes: list[Change] = []
        """The steps so far."""
        self._previews: list[FilePreview] = []
        self._blobs: dict[str, bytes] = {}
        self._folders: set[VaultPath] = set()
        self._touched: set[VaultPath] = set()
        self._there: set[VaultPath] = set()
        self._arrived: set[VaultPath] = set()
        self._afterwards: list[Change] = []

    def modify(
        self,
        path: VaultPath,
        old: bytes,
        new: bytes,
        regions: Sequence[Region] | None = None,
        *,
        follows: bool = False,
        replaces: bool = False,
        stays_text: bool = True,
    ) -> None:
        """Change a file's bytes. Nothing is planned when they stay the same.

        Args:
            path: The file.
            old: Its bytes now.
            new: Its bytes afterwards.
            regions: Where they differ, when that is known (`apply_edits` returns it), so that nothing else is compared.
            follows: Whether only links in it follow another change of the plan.
            replaces: Whether the caller gave the whole text.
            stays_text: Whether a text must stay one.

        Raises:
            InvalidParameters: It is text now and would be none.
        """
        before, after = content_hash(old), content_hash(new)
        if before == after:
            return
        if stays_text and is_text(old) and not is_text(new):  # neither a person could be shown it nor a tool mend it
            kind = binary_kind(str(path), new, len(new))
            raise InvalidParameters(f"{str(path)!r} would no longer be text, but {kind}")
        self._claim(path)
        self._blobs[after] = new
        change = Change(ChangeKind.MODIFY, str(path), before=before, after=after)
        self._replaces = self._replaces or replaces
        adds = None if follows or replaces else self._judged(path, old, new)
        self._add(change, preview(change, old, new, regions, follows=follows), adds)

    def create(self, path: VaultPath, new: bytes, picture: ShownPicture | None = None) -> None:
        """Create a file, and the folders that are missing above it.

        Args:
            path: Its future path.
            new: Its bytes.
            picture: The same, made small to be shown, where it is an image from a client.
        """
        self._claim(path)
        self._make_parents(path)
        after = content_hash(new)
        self._blobs[after] = new
        change = Change(ChangeKind.CREATE, str(path), after=after)
        self._add(change, preview(change, None, new, picture=picture), self._judged(path, None, new))

    def move(
        self, path: VaultPath, new_path: VaultPath, digest: str, edited: tuple[bytes, bytes] | None = None
    ) -> None:
        """Move a file, and create the folders that are missing above its new place. Its bytes may change too.

        A file that was moved may be moved once more, from where it went: so a folder gets another spelling.

        Args:
            path: Its path.
            new_path: Where it goes.
            digest: The hash of its bytes.
            edited: Its bytes now and afterwards, when they change. One preview shows both the move and the edit.
        """
        if path not in self._arrived:
            self._claim(path)
        self._claim(new_path)
        self._arrived.add(new_path)
        self._make_parents(new_path)
        change = Change(ChangeKind.MOVE, str(path), str(new_path), before=digest, after=digest)
        self._add(change, preview(change, *(edited or (None, None))))
        if edited is not None and edited[0] != edited[1]:
            after = content_hash(edited[1])
            self._blobs[after] = edited[1]
            self._afterwards.append(Change(ChangeKind.MODIFY, str(new_path), before=digest, after=after))

    def delete(self, path: VaultPath, old: bytes) -> None:
        """Delete a file.

        Args:
            path: The file.
            old: Its bytes now.
        """
        self._claim(path)
        change = Change(ChangeKind.DELETE, str(path), before=content_hash(old))
        self._add(change, preview(change, old, None))

    def mkdir(self, path: VaultPath) -> None:
        """Create a folder, and those that are missing above it.

        Args:
            path: Its future path.
        """
        self._make_parents(path)
        if path not in self._folders:
            self._claim(path)
            self._make(path)

    def rmdir(self, path: VaultPath) -> None:
        """Remove a folder, which the steps before have emptied.

        Args:
            path: The folder.
        """
        if path not in self._folders:
            self._claim(path)
        change = Change(ChangeKind.RMDIR, str(path))
        self._add(change, preview(change, None, None))

    def build(
        self,
        operation: Operation,
        summary: str,
        warnings: Sequence[str] = (),
        *,
        about: Sequence[str] = (),
        broken: Sequence[BrokenLink] = (),
        whole: bool = False,
        renamed_property: str | None = None,
        reads: Sequence[str] = (),
    ) -> ChangePlan:
        """Return the plan.

        Args:
            operation: What the plan as a whole is.
            summary: One sentence for the person.
            warnings: What the diff does not show.
            about: Its subject, if that is not simply its files: folders, each with a final slash.
            broken: The links that it breaks.
            whole: Whether no part of it can be left out.
            renamed_property: The property, in small letters, that gets another name.
            reads: Files that it does not change and whose text it puts into others.

        Raises:
            InvalidParameters: There is nothing to do.
        """
        if not self.changes:
            raise InvalidParameters("Nothing would change: the file already has exactly this content")
        return ChangePlan(
            operation=operation,
            summary=summary,
            changes=(*self.changes, *self._afterwards),
            blobs=self._blobs,
            previews=tuple(self._previews),
            warnings=tuple(warnings),
            about=tuple(about),
            broken=tuple(broken),
            whole=whole,
            renamed_property=renamed_property,
            reads=tuple(reads),
            replaces=self._replaces,
            additions=None if any(is_hidden(change.path) for change in self.changes) else self._additions,
        )

    def _claim(self, path: VaultPath) -> None:
        if path in self._touched:
            raise InvalidParameters(f"{str(path)!r} would be changed twice in one call; put its changes into one")
        self._touched.add(path)

    def _add(self, change: Change, shown: FilePreview, adds: frozenset[Addition] | None = None) -> None:
        """Add a step, and what it adds to the vault; None if it does something else."""
        self.changes.append(change)
        self._previews.append(shown)
        known = self._additions
        self._additions = None if known is None or adds is None else known | adds

    def _judged(self, path: VaultPath, old: bytes | None, new: bytes) -> frozenset[Addition] | None:
        """Return what a step adds; None, unexamined, once an earlier step has done more than add."""
        return None if self._additions is None else self._judge(str(path), old, new)

    def _make_parents(self, path: VaultPath) -> None:
        for parent in path.parents:
            if parent not in self._folders and parent not in self._there:
                try:
                    with self._root.folder(parent):
                        self._there.add(parent)
                except NotFound:
                    self._make(parent)

    def _make(self, path: VaultPath) -> None:
        self._folders.add(path)
        change = Change(ChangeKind.MKDIR, str(path))
        self._add(change, preview(change, None, None), frozenset({Addition.CREATE}))
