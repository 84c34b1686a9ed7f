"""Keeps links leading to the same files when files move or appear (rule 88 of docs/obsidian.md), by planning the edits.

The index says which notes may hold such links; what is written is worked out from the notes as they are on disk.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bridge.clock import Clock
from bridge.contract.consent import Operation, ShownPicture
from bridge.errors import ExecutionFailed, InvalidParameters, PermissionDenied, ToolFailure
from bridge.notes.canvas_board import CANVAS
from bridge.notes.markdown import mentions_base
from bridge.notes.names import link_key
from bridge.notes.note import TooMuchWork
from bridge.notes.rewriting import Relocation, RewrittenText, rewrite
from bridge.toolkit.tool import CallContext
from bridge.tools.bases.holding import EXTENSION, follow_in, holding_bases
from bridge.tools.formatting import first_of
from bridge.tools.kinds import until
from bridge.tools.storage import PlanningStorage
from bridge.vault.paths import VaultPath, parse_path
from bridge.vault.plan import BrokenLink, ChangeKind, ChangePlan, PlanBuilder
from bridge.vault.text import counted, is_text

MOST_BYTES = 512 << 20
"""Bytes of rewritten notes that one plan may hold: a plan is held in memory until it is answered."""

MOST_LISTED = 1_000
"""Notes, and broken links, that an answer lists."""

SOURCES = (".md", CANVAS, EXTENSION)
"""Extensions of the files that hold links."""
_MOST_NAMED = 20
_LONGEST = 100
_PROGRESS_EVERY = 50


@dataclass(slots=True)
class KeptLinks:
    """The plan by which links keep their targets.

    Attributes:
        links: Links that are written anew.
        notes: Files that hold them.
        warnings: What keeps links from being written anew, a sentence a file.
        broken: Links that could not be.
    """

    links: int = 0
    notes: int = 0
    warnings: list[str] = field(default_factory=list)
    broken: list[BrokenLink] = field(default_factory=list)

    @property
    def sentence(self) -> str:
        """Return the end of a plan's summary: `; 3 links in 2 notes follow`, or nothing."""
        if not self.links:
            return ""
        verb = "follows" if self.links == 1 else "follow"
        return f"; {counted(self.links, 'link')} in {counted(self.notes, 'note')} {verb}"


class LinkKeeper:
    """The keeper of links: finds those in the vault that would lead elsewhere, and rewrites them.

    Args:
        storage: The vault. All its notes are looked at, also those that the agent may not see.
        clock: The clock that deadlines are given in.
    """

    def __init__(self, storage: PlanningStorage, clock: Clock) -> None:
        self._storage = storage
        self._everything = storage.everything
        self._knowledge = storage.everything.knowledge
        self._clock = clock

    def moving(self, moves: dict[str, str | None], folders: Mapping[str, str] | None = None) -> Relocation:
        """Return the effect of a move on links. The index looks at the disk first, so that no link is missed.

        Args:
            moves: Where each file goes.
            folders: Where each folder goes that moves with all that is in it.
        """
        self._knowledge.refresh()
        names = self._knowledge.names
        form = self._storage.app_settings.new_link_format
        return Relocation(names, names.moved(moves), moves, form, folders=folders or {})

    def check(self, context: CallContext) -> None:
        """Stop a call that takes too long.

        Raises:
            DeadlineExceeded: It does.
        """
        until(self._clock, context, "Working out which links follow did not end in time; nothing was changed")()

    def closed(self) -> Callable[[str], bool]:
        """Return a function that says whether the user has closed a file, under the rules as they are now."""
        denial = self._storage.closed()
        return lambda path: denial is not None and denial(path) is not None

    def keep_for_new(self, builder: PlanBuilder, created: Iterable[str], context: CallContext) -> KeptLinks:
        """Plan what keeps other links as they are when files appear (rule 88).

        `[[Note]]` led to `a/Note.md`, and now there is a `Note.md` too. Links that lead nowhere yet, and will find the
        new file, are left.

        Args:
            builder: The plan that makes the files; the changes are added to it.
            created: The files.
            context: The call.

        Raises:
            PermissionDenied: A note that the user has closed would have to change.
        """
        if self._knowledge.status().indexing:
            self._knowledge.refresh()
        names, kept = self._knowledge.names, KeptLinks()
        come = {path: path for path in created}
        rivals = [path for path in come if any(names.named(name) for name in _alike(path))]
        if not rivals:
            return kept
        moving = Relocation(names, names.moved(dict(come)), {}, self._storage.app_settings.new_link_format)
        self.follow(builder, moving, self.sources(moving, rivals), kept, context)
        return kept

    def creation(
        self,
        place: VaultPath,
        new: bytes,
        summary: str,
        context: CallContext,
        warnings: Sequence[str] = (),
        *,
        reads: Sequence[str] = (),
        besides: Mapping[VaultPath, bytes] | None = None,
        shown: Mapping[VaultPath, ShownPicture] | None = None,
    ) -> ChangePlan:
        """Return the plan of a new file, and of the links in other notes that its name would make ambiguous.

        It is a creation when nothing else is touched, else an update: who lets an agent create notes has not said
        that it may change others.

        Args:
            place: Where it will lie, as `resolve_new` gives it.
            new: Its bytes.
            summary: The sentence for the person.
            context: The call.
            warnings: Further warnings for them.
            reads: Files that the text is from.
            besides: Further files that are made with it, by their places.
            shown: How the question shows those of them that are images.

        Raises:
            PermissionDenied: A note that the user has closed would have to change.
        """
        builder, files = self._storage.plan(), {place: new} | dict(besides or {})
        for path, data in files.items():
            builder.create(path, data, (shown or {}).get(path))
        kept = self.keep_for_new(builder, list(map(str, files)), context)
        operation = Operation.UPDATE if kept.links else Operation.CREATE
        warned = [*warnings, *kept.warnings]
        return builder.build(operation, summary + kept.sentence, warned, broken=kept.broken, reads=reads)

    def sources(self, moving: Relocation, paths: Iterable[str]) -> list[str]:
        """Return the files with links that may change, sorted.

        Args:
            moving: The moves.
            paths: Every path that is left or taken.
        """
        keys = {link_key(path) for path in paths}
        links = self._knowledge.links_named(keys)
        found = {link.source for link in links if moving.wanted(link, link.source) is not None}
        return sorted(found.union(holding_bases(self._knowledge)) if moving.moves else found)

    def follow(
        self, builder: PlanBuilder, moving: Relocation, sources: Sequence[str], kept: KeptLinks, context: CallContext
    ) -> None:
        """Plan the change of each of these files whose links change, read from the disk.

        Args:
            builder: The plan that moves things; the changes are added to it.
            moving: The moves.
            sources: The files.
            kept: Where it is noted what was done.
            context: The call.

        Raises:
            PermissionDenied: The user has closed one of them.
            DeadlineExceeded: It takes too long.
            ExecutionFailed: It is more than a plan can hold.
        """
        closed, held = self.closed(), 0
        for number, source in enumerate(sources):
            self.check(context)
            if number % _PROGRESS_EVERY == 0 and len(sources) > _PROGRESS_EVERY:
                context.progress(number, len(sources), "Looking at the notes that link here")
            old, new = self._read(source, moving, kept, closed)
            if new is None:
                continue
            held += len(new)
            if held > MOST_BYTES:
                raise ExecutionFailed(
                    f"The notes that link here are more than {MOST_BYTES >> 20} MB together, too much for one change; "
                    "move fewer files at once"
                )
            builder.modify(parse_path(source), old, new, follows=True)

    def rewrite(self, path: str, data: bytes, moving: Relocation, kept: KeptLinks) -> bytes | None:
        """Return one file with its links rewritten; None when none changes.

        Args:
            path: Where the file is before the move.
            data: Its bytes.
            moving: The moves.
            kept: Where it is noted what was done.

        Raises:
            PermissionDenied: A link to a file that the user has closed would have to change.
        """
        of_base = path.lower().endswith(EXTENSION)
        if not path.lower().endswith(SOURCES) or not any(mark in data for mark in (b"[", b"{", b"<", b"(")):
            return None
        if not is_text(data):
            kept.warnings.append(f"{path!r} is not text, so its links stay as they are")
            return None
        text = data.decode("utf-8", "surrogateescape")
        try:
            found = RewrittenText(text, (), 0, ()) if of_base else rewrite(text, path, moving)
        except TooMuchWork:
            kept.warnings.append(f"{path!r} is too much to be understood, so its links stay as they are")
            return None
        after, edits = found.text, 0
        if of_base or mentions_base(after):
            after, edits = _with_bases(path, after, moving, kept)
        closed = self.closed()
        if any(map(closed, found.targets)):
            raise closed_file()
        if found.left:
            kept.warnings.append(_left(path, found))
            place = moving.place(path)
            kept.broken += (
                BrokenLink(place, text.count("\n", 0, link.start) + 1, _shown(link.original)) for link in found.left
            )
        if not found.edits and not edits:
            return None
        kept.links += found.links + edits
        kept.notes += 1
        return after.encode("utf-8", "surrogateescape")

    def _read(
        self, source: str, moving: Relocation, kept: KeptLinks, closed: Callable[[str], bool]
    ) -> tuple[bytes, bytes | None]:
        """Return a file's bytes, and what `rewrite` makes of them."""
        shut = closed(source)
        try:
            data, _stat = self._everything.read(parse_path(source))
        except (ToolFailure, InvalidParameters):
            if shut:
                raise closed_file() from None
            kept.warnings.append(f"{source!r} cannot be read, so its links stay as they are")
            return b"", None
        warned = len(kept.warnings)
        found = self.rewrite(source, data, moving, kept)
        if shut and (found is not None or len(kept.warnings) > warned):
            raise closed_file()
        return data, found


def closed_file() -> PermissionDenied:
    """Return the refusal when a file would change that the user has closed. It does not say which."""
    return PermissionDenied(
        "This would change a file that the user has closed to you, or a link to one, because it is moved along, links "
        "here or has this name, so nothing was planned. Ask the user to do it themselves, leave these files where they "
        "are, or choose another name",
        code="denied_by_rule",
    )


def _with_bases(path: str, text: str, moving: Relocation, kept: KeptLinks) -> tuple[str, int]:
    """Return a file in whose bases the places that name what moves have followed, and how many they are."""
    from bridge.bases.following import MoveFollower  # noqa: PLC0415 - a start is faster without

    followed = follow_in(path, text, MoveFollower(path, moving))
    kept.warnings += (f"{path!r} may not follow, {each}" for each in followed.left[:_MOST_NAMED])
    return followed.text, followed.edits


def _alike(path: str) -> tuple[str, ...]:
    """Return the names that other files would need for a link to this file to mean them."""
    name = path.rpartition("/")[2]
    key = link_key(name)
    return name, key, key + ".md", key + ".md.md"


def _shown(link: str) -> str:
    return link[:_LONGEST].encode("utf-8", "replace").decode()


def _left(path: str, found: RewrittenText) -> str:
    named = first_of([repr(_shown(link.original)) for link in found.left], _MOST_NAMED)
    return f"{path!r} holds links that cannot be written so that they lead there; they will break: {named}"


def followed_data(plan: ChangePlan) -> dict[str, Any]:
    """Return the notes that changed because something moved, and what `broken_data` returns."""
    updated = [change.path for change in plan.changes if change.kind is ChangeKind.MODIFY]
    return {"updated": updated[:MOST_LISTED], "updatedCount": len(updated)} | broken_data(plan)


def broken_data(plan: ChangePlan) -> dict[str, Any]:
    """Return the links that a plan broke, for programs: the first of them with their places, and how many there are."""
    listed = [link._asdict() for link in plan.broken[:MOST_LISTED]]
    return {"broken": listed, "brokenCount": len(plan.broken)}


def broken_sentence(plan: ChangePlan) -> str:
    """Return the same for a model, with a space before it; nothing where all links lead where they did."""
    broken = plan.broken
    if not broken:
        return ""
    places = "; ".join(f"{link.path} line {link.line}: {link.link}" for link in broken[:_MOST_NAMED])
    more = f"; and {len(broken) - _MOST_NAMED:,} more" if len(broken) > _MOST_NAMED else ""
    files = counted(len({link.path for link in broken}), "file")
    verb = "does" if len(broken) == 1 else "do"
    return (
        f" {counted(len(broken), 'link')} in {files} could not be written so that they follow and {verb} not lead "
        f"there any more: {places}{more}."
    )
