"""Links keep leading where they lead when files move or appear: the notes that must change for it, planned.

The index says which notes may hold such links; what is written is worked out from the notes as they are on disk.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from bridge.clock import Clock
from bridge.contract.consent import Operation
from bridge.errors import DeadlineExceeded, ExecutionFailed, InvalidParameters, PermissionDenied, ToolFailure
from bridge.index.knowledge import StoredLink
from bridge.notes.names import link_key, split_link
from bridge.notes.rewriting import CANVAS, Relocation, RewrittenText, rewrite
from bridge.toolkit.tool import CallContext
from bridge.tools.formatting import counted
from bridge.tools.storage import PlanningStorage
from bridge.vault.file_types import is_binary
from bridge.vault.paths import VaultPath, parse_path
from bridge.vault.plan import ChangePlan, PlanBuilder

MOST_BYTES = 512 << 20
"""Bytes of rewritten notes that one plan may hold: a plan is held in memory until it is answered."""

SOURCES = (".md", CANVAS)
"""How the names of files end that hold links."""
_MOST_NAMED = 20
_PROGRESS_EVERY = 50


class RewrittenFile(NamedTuple):
    """One file whose links change.

    Attributes:
        path: Where it is before the move.
        old: Its bytes.
        new: Its bytes then.
        links: How many links are written anew.
    """

    path: str
    old: bytes
    new: bytes
    links: int


@dataclass(slots=True)
class KeptLinks:
    """What was planned so that links keep their targets.

    Attributes:
        links: Links that are written anew.
        notes: Files that hold them.
        warnings: Links that could not be, a sentence a file.
    """

    links: int = 0
    notes: int = 0
    warnings: list[str] = field(default_factory=list)

    @property
    def sentence(self) -> str:
        """What follows a plan's summary: `; 3 links in 2 notes follow`, or nothing."""
        if not self.links:
            return ""
        verb = "follows" if self.links == 1 else "follow"
        return f"; {counted(self.links, 'link')} in {counted(self.notes, 'note')} {verb}"


class LinkKeeper:
    """Finds the links of the whole vault that would lead elsewhere, and what is to be written instead.

    Args:
        storage: The vault. All its notes are looked at, also those that the agent may not see.
        clock: What deadlines are given in.
    """

    def __init__(self, storage: PlanningStorage, clock: Clock) -> None:
        self._storage = storage
        self._everything = storage.everything
        self._knowledge = storage.everything.knowledge
        self._clock = clock

    def moving(self, moves: dict[str, str | None]) -> Relocation:
        """What a move means for links. The index looks at the disk first, so that no link is missed.

        Args:
            moves: Where each file goes.
        """
        self._knowledge.refresh()
        names = self._knowledge.names
        return Relocation(names, names.moved(moves), moves, self._storage.app_settings.new_link_format)

    def check(self, context: CallContext) -> None:
        """Stop a call that takes too long.

        Raises:
            DeadlineExceeded: It does.
        """
        if self._clock.monotonic() > context.deadline:
            raise DeadlineExceeded("Working out which links follow did not end in time; nothing was changed")

    def closed(self) -> Callable[[str], bool]:
        """A function that says whether the user has closed a file, under the rules as they are now."""
        denial = self._storage.closed()
        return lambda path: denial is not None and denial(path) is not None

    def keep_for_new(self, builder: PlanBuilder, created: Iterable[str], context: CallContext) -> KeptLinks:
        """Plan what keeps other links as they are when files appear (rule 88 of docs/obsidian.md).

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
        for found in self.rewritten(moving, self.sources(moving, rivals), kept, context):
            builder.modify(parse_path(found.path), found.old, found.new)
        return kept

    def sources(self, moving: Relocation, paths: Iterable[str]) -> list[str]:
        """The files that hold links which may change, in order.

        Args:
            moving: What moves.
            paths: Every path that is left or taken.
        """
        keys = {link_key(path) for path in paths}
        found = {link.source for link in self._knowledge.links_named(keys) if _may_change(link, moving)}
        return sorted(found)

    def rewritten(
        self, moving: Relocation, sources: Sequence[str], kept: KeptLinks, context: CallContext
    ) -> Iterator[RewrittenFile]:
        """Every one of these files whose links change, as it is on disk, one after the other.

        Args:
            moving: What moves.
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
            found = self._read(source, moving, kept, closed)
            if found is None:
                continue
            held += len(found.new)
            if held > MOST_BYTES:
                raise ExecutionFailed(
                    f"The notes that link here are more than {MOST_BYTES >> 20} MB together, too much for one change; "
                    "move fewer files at once"
                )
            yield found

    def rewrite(self, path: str, data: bytes, moving: Relocation, kept: KeptLinks) -> RewrittenFile | None:
        """What becomes of one file's bytes; None when they stay.

        Args:
            path: Where the file is before the move.
            data: Its bytes.
            moving: What moves.
            kept: Where it is noted what was done.
        """
        if not path.lower().endswith(SOURCES) or (b"[" not in data and b"{" not in data):
            return None
        if is_binary(data):
            kept.warnings.append(f"{path!r} is not text, so its links stay as they are")
            return None
        found = rewrite(data.decode("utf-8", "surrogateescape"), path, moving)
        if found.left:
            kept.warnings.append(_left(path, found))
        if not found.edits:
            return None
        kept.links += found.links
        kept.notes += 1
        return RewrittenFile(path, data, found.text.encode("utf-8", "surrogateescape"), found.links)

    def _read(
        self, source: str, moving: Relocation, kept: KeptLinks, closed: Callable[[str], bool]
    ) -> RewrittenFile | None:
        shut = closed(source)
        try:
            data, _stat = self._everything.read(parse_path(source))
        except (ToolFailure, InvalidParameters):
            if shut:
                raise closed_file() from None
            kept.warnings.append(f"{source!r} cannot be read, so its links stay as they are")
            return None
        warned = len(kept.warnings)
        found = self.rewrite(source, data, moving, kept)
        if shut and (found is not None or len(kept.warnings) > warned):
            raise closed_file()
        return found


class CreationPlanner:
    """Plans new files, with which other notes keep linking to what they link to.

    Args:
        storage: The vault.
        clock: What deadlines are given in.
    """

    def __init__(self, storage: PlanningStorage, clock: Clock) -> None:
        self._storage = storage
        self._keeper = LinkKeeper(storage, clock)

    def plan(
        self, place: VaultPath, new: bytes, summary: str, context: CallContext, warnings: Sequence[str] = ()
    ) -> ChangePlan:
        """The plan that makes a file and, where its name makes a link of another note ambiguous, rewrites that link.

        It is a creation when nothing else is touched, else an update: who lets an agent create notes has not said
        that it may change others.

        Args:
            place: Where it will lie, as `resolve_new` gives it.
            new: Its bytes.
            summary: The sentence for the person.
            context: The call.
            warnings: What else they should know.

        Raises:
            PermissionDenied: A note that the user has closed would have to change.
        """
        builder = self._storage.plan()
        builder.create(place, new)
        kept = self._keeper.keep_for_new(builder, [str(place)], context)
        operation = Operation.UPDATE if kept.links else Operation.CREATE
        return builder.build(operation, summary + kept.sentence, [*warnings, *kept.warnings])


def closed_file() -> PermissionDenied:
    """The refusal when a file would change that the user has closed. It does not say which."""
    return PermissionDenied(
        "This would change a file that the user has closed to you, because it is moved along or links here, so "
        "nothing was planned. Ask the user to do it themselves, or leave these files where they are",
        code="denied_by_rule",
    )


def _alike(path: str) -> tuple[str, ...]:
    """The names of other files that a link which finds this file might mean."""
    name = path.rpartition("/")[2]
    key = link_key(name)
    return name, key, key + ".md", key + ".md.md"


def _may_change(link: StoredLink, moving: Relocation) -> bool:
    """Whether a file is worth reading for this link."""
    if link.source.lower().endswith(CANVAS):
        return True  # what a node names is a whole path, which the index does not tell from other links
    return moving.wanted(split_link(link.link)[0], link.source) is not None


def _left(path: str, found: RewrittenText) -> str:
    named = ", ".join(repr(link[:100]) for link in found.left[:_MOST_NAMED])
    more = f" and {len(found.left) - _MOST_NAMED} more" if len(found.left) > _MOST_NAMED else ""
    return f"{path!r} holds links that cannot be written so that they lead there; they will break: {named}{more}"
