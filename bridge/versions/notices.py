"""Notices of other programs' changes: recorded entries are counted, and rules decide when a person is told.

The rules are pure decisions, with the time passed in.
"""

import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from typing import NamedTuple

from bridge.clock import Clock
from bridge.vault.text import counted, is_note
from bridge.versions.recorder import Recorder
from bridge.versions.restoring import Restoring, kind_of
from bridge.versions.states import PREFIX, Effect, Entry, Origin

SETTLED_SECONDS = 1.5
"""An entry to which nothing came for so long says what it will say: a moved folder is seen to go before it comes."""

LONGEST_SECONDS = 5.0
"""One to which something always comes is counted all the same, so often."""

QUIET_SECONDS = 600.0
"""For so long after an answer nothing is said of what comes, unless it deletes."""

FEWEST_LINES = 10
"""A note with fewer lines cannot lose most of them."""


class Tally(NamedTuple):
    """The counts of what one entry did.

    Attributes:
        number: The entry's number.
        began: Time when its first change was seen, in seconds since 1970.
        ended: Time when its last change was seen.
        unattended: Whether the bridge was not running then.
        changed: Files with different content.
        deleted: Files that are gone.
        moved: Files in a new place.
        made: New files.
        emptied: Notes that lost most of their lines.
        notes: Whether all of them are notes.
    """

    number: int
    began: float
    ended: float
    unattended: bool = False
    changed: int = 0
    deleted: int = 0
    moved: int = 0
    made: int = 0
    emptied: frozenset[str] = frozenset()
    notes: bool = True

    def beyond(self, other: "Tally | None") -> "Tally":
        """Return the part of this tally that another, earlier one does not contain."""
        if other is None:
            return self
        return self._replace(
            changed=max(0, self.changed - other.changed),
            deleted=max(0, self.deleted - other.deleted),
            moved=max(0, self.moved - other.moved),
            made=max(0, self.made - other.made),
            emptied=self.emptied - other.emptied,
        )

    def is_much(self, threshold: int) -> bool:
        """Return whether a person should know: enough files were changed, deleted or moved, or a note was emptied."""
        return bool(self.emptied) or self.changed + self.deleted + self.moved >= threshold


class Notice(NamedTuple):
    """A notice for the person.

    Attributes:
        tallies: What each entry did, the newest first.
    """

    tallies: tuple[Tally, ...]

    @property
    def message(self) -> str:
        """Return it in a few words: `17 notes changed, 3 deleted`."""
        sums = [(sum(getattr(one, kind) for one in self.tallies), kind) for kind in ("changed", "deleted", "moved")]
        parts = [(count, kind) for count, kind in sums if count]
        emptied = sorted({path for one in self.tallies for path in one.emptied})
        lost = f"{emptied[0]} lost most of its lines" if emptied else ""
        if lost and len(emptied) > 1:
            lost = f"{len(emptied)} notes lost most of their lines"
        if not parts or (emptied and sum(count for count, _ in parts) == len(emptied)):
            return lost
        noun = "note" if all(one.notes for one in self.tallies) else "file"
        (count, kind), *rest = parts
        said = [f"{counted(count, noun)} {kind}", *(f"{more:,} {what}" for more, what in rest)]
        return ", ".join([*said, *([lost] if lost else [])])


class NoticeRules:
    """The decision when to show a notice. One is open at a time, and updates as more changes arrive.

    What a person has answered is never told again; what comes within `QUIET_SECONDS` of an answer is not told either,
    unless one entry deletes as many files as are told of.

    Attributes:
        waits: Whether to check again even if nothing more happens, because an entry is not settled yet.
    """

    def __init__(self) -> None:
        self._known: dict[int, Tally] = {}
        self._dealt: dict[int, Tally] = {}
        self._open: dict[int, Tally] = {}
        self._unsettled: dict[int, float] = {}
        self._quiet_until: float | None = None
        self.waits = False

    @property
    def is_quiet(self) -> bool:
        """Return whether a recent answer by the person still suppresses small notices."""
        return self._quiet_until is not None

    def look(self, tallies: Sequence[Tally], threshold: int | None, now: float) -> Notice | None:
        """Return the notice that the person should see now; None for no notice.

        Args:
            tallies: What other programs did, newest first, without what was undone. An entry that is not there (any
                more) is not told of.
            threshold: From how many files on; None: never.
            now: The time, in seconds since 1970.
        """
        self._end_quiet(tallies, now)
        there = {one.number for one in tallies}
        for kept in (self._known, self._dealt, self._open, self._unsettled):
            for number in kept.keys() - there:
                del kept[number]
        self.waits = False
        for tally in tallies:
            if not self._is_settled(tally, now):
                self.waits = True
                continue
            self._known[tally.number] = tally
            fresh = tally.beyond(self._dealt.get(tally.number))
            if threshold is not None and (self._tells(fresh, threshold) or tally.number in self._open):
                self._open[tally.number] = fresh
        if threshold is None:
            self._open.clear()
        return Notice(tuple(self._open[number] for number in sorted(self._open, reverse=True))) if self._open else None

    def answered(self, now: float) -> None:
        """Record that the person has seen the notice."""
        self._dealt |= self._known
        self._open.clear()
        self._quiet_until = now + QUIET_SECONDS

    def let_pass(self, tallies: Sequence[Tally]) -> None:
        """Count these as dealt with: they happened before the first check, or the person was told already."""
        self._dealt |= {one.number: one for one in tallies}

    def _tells(self, fresh: Tally, threshold: int) -> bool:
        return fresh.is_much(threshold) if self._quiet_until is None else fresh.deleted >= threshold

    def _end_quiet(self, tallies: Sequence[Tally], now: float) -> None:
        """End the quiet time, and count what happened during it as dealt with."""
        until = self._quiet_until
        if until is None or (now < until and now >= until - QUIET_SECONDS):
            return
        self._quiet_until = None
        for tally in tallies:
            known = tally if tally.ended <= until else self._known.get(tally.number)
            if known is not None and tally.number not in self._open:
                self._dealt[tally.number] = known

    def _is_settled(self, tally: Tally, now: float) -> bool:
        """Return whether an entry can be counted. A clock that was set back settles everything."""
        if not 0 <= now - tally.ended < SETTLED_SECONDS:
            self._unsettled.pop(tally.number, None)
            return True
        if 0 <= now - self._unsettled.setdefault(tally.number, now) < LONGEST_SECONDS:
            return False
        self._unsettled[tally.number] = now
        return True


def lost_most_lines(before: bytes, after: bytes) -> bool:
    """Return whether a note has lost most of its lines. Trailing spaces do not count.

    Args:
        before: What it was.
        after: What it is.
    """
    had, has = (Counter(filter(None, map(bytes.strip, data.splitlines()))) for data in (before, after))
    total = had.total()
    return total >= FEWEST_LINES and 2 * (total - (had & has).total()) > total


FIRST_LOOK_SECONDS = 7 * 86400.0
"""Age, in seconds, up to which a change from before the bridge started can still cause a notice."""

GROWING_SECONDS = 2 * 3600.0
"""To an entry that ended longer ago, nothing comes any more."""

_COMPARED = 100
"""Notes of an entry that are looked at for lines that they lost."""
_REMEMBERED = 2000


class Notices:
    """The notices of what was recorded, with a report when the notice changes. Any thread may use it.

    Args:
        recorder: What other programs did.
        restoring: Says what of it was taken back.
        clock: The time.
        threshold: From how many files on the person is told; None: never.
        tell: Called with the notice whenever it is another; None: there is none any more.

    Attributes:
        current: The notice that the person should see now.
    """

    def __init__(
        self,
        recorder: Recorder,
        restoring: Restoring,
        clock: Clock,
        *,
        threshold: Callable[[], int | None],
        tell: Callable[[Notice | None], None],
    ) -> None:
        self._recorder = recorder
        self._restoring = restoring
        self._clock = clock
        self._threshold = threshold
        self._tell = tell
        self._rules = NoticeRules()
        self._lock = threading.Lock()
        self._seen: tuple[int, int | None] | None = None
        self._began = False
        self.current: Notice | None = None
        self._emptied: OrderedDict[tuple[str, bytes, bytes], bool] = OrderedDict()

    def look(self) -> None:
        """Count what is new, and tell. Returns at once where nothing is. Called first before anything can be new."""
        with self._lock:
            state = (self._recorder.revision, self._threshold())
            if state == self._seen and not self._rules.waits:
                return
            self._seen = state
            self._look(state[1])

    def answered(self) -> None:
        """Record that the person has seen the notice, wherever."""
        with self._lock:
            if self.current is None:
                return
            self._rules.answered(self._now())
            self._recorder.mark_answered(self.current.tallies[0].number)
            self._change(None)

    def reviewed(self, entry_id: str) -> None:
        """Record that the person has looked at an entry: if the notice is about it, it is answered."""
        current = self.current
        if current is not None and any(f"{PREFIX}{one.number}" == entry_id for one in current.tallies):
            self.answered()

    def _look(self, threshold: int | None) -> None:
        now = self._now()
        age = GROWING_SECONDS if self._began else FIRST_LOOK_SECONDS
        oldest = min([now - age, *(one.began for one in (self.current.tallies if self.current else ()))])
        entries = self._recorder.entries(since=oldest)
        tallies = [
            self._tally(entry)
            for entry in entries
            if entry.origin is Origin.PROGRAM and not self._restoring.is_undone(entry)
        ]
        if not self._began:
            self._begin(tallies)
        was_quiet = self._rules.is_quiet
        self._change(self._rules.look(tallies, threshold, now))
        if was_quiet and not self._rules.is_quiet and self.current is None:
            self._recorder.mark_answered(max((one.number for one in tallies), default=0))

    def _begin(self, tallies: list[Tally]) -> None:
        """Take up where an earlier run ended: what nobody has answered is told again."""
        self._began = True
        answered = self._recorder.answered
        if answered is None:
            # Nothing that was recorded before there were notices is told.
            answered = max((one.number for one in tallies), default=0)
            self._recorder.mark_answered(answered)
        self._rules.let_pass([one for one in tallies if one.number <= answered])

    def _change(self, notice: Notice | None) -> None:
        if notice != self.current:
            self.current = notice
            self._tell(notice)

    def _tally(self, entry: Entry) -> Tally:
        kinds = [kind_of(effect) for effect in entry.effects]
        return Tally(
            number=entry.number,
            began=entry.began,
            ended=entry.ended,
            unattended=entry.unattended,
            changed=kinds.count("changed"),
            deleted=kinds.count("deleted"),
            moved=kinds.count("moved"),
            made=kinds.count("made"),
            emptied=frozenset(effect.path for effect in entry.effects[:_COMPARED] if self._is_emptied(effect)),
            notes=all(is_note(effect.path) for effect in entry.effects),
        )

    def _is_emptied(self, effect: Effect) -> bool:
        """Return whether a note has lost most of its lines."""
        before, after = effect.before, effect.after
        if not (isinstance(before, bytes) and isinstance(after, bytes) and is_note(effect.path)) or effect.new_path:
            return False
        key = (effect.path, before, after)
        if key not in self._emptied:
            had, has = self._recorder.bytes_of(before), self._recorder.bytes_of(after)
            self._emptied[key] = had is not None and has is not None and lost_most_lines(had, has)
            while len(self._emptied) > _REMEMBERED:
                self._emptied.popitem(last=False)
        return self._emptied[key]

    def _now(self) -> float:
        return self._clock.now().timestamp()
