"""Notices of other programs' changes: recorded entries are counted and given to the rules."""

import threading
from collections import OrderedDict
from collections.abc import Callable

from bridge.clock import Clock
from bridge.vault.text import is_note
from bridge.versions.notice_rules import Notice, NoticeRules, Tally, lost_most_lines
from bridge.versions.recorder import Recorder
from bridge.versions.restoring import Restoring, kind_of
from bridge.versions.states import PREFIX, Effect, Entry, Origin

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
        self._current: Notice | None = None
        self._emptied: OrderedDict[tuple[str, bytes, bytes], bool] = OrderedDict()

    @property
    def current(self) -> Notice | None:
        """Return the notice that the person should see now."""
        return self._current

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
            if self._current is None:
                return
            self._rules.answered(self._now())
            self._recorder.mark_answered(self._current.tallies[0].number)
            self._change(None)

    def reviewed(self, entry_id: str) -> None:
        """Record that the person has looked at an entry: if the notice is about it, it is answered."""
        current = self._current
        if current is not None and any(f"{PREFIX}{one.number}" == entry_id for one in current.tallies):
            self.answered()

    def _look(self, threshold: int | None) -> None:
        now = self._now()
        age = GROWING_SECONDS if self._began else FIRST_LOOK_SECONDS
        oldest = min([now - age, *(one.began for one in (self._current.tallies if self._current else ()))])
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
        if was_quiet and not self._rules.is_quiet and self._current is None:
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
        if notice != self._current:
            self._current = notice
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
