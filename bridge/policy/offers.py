"""The answers that a question offers, each with its extent. Everything that can be answered is made here.

Of each decision the narrowest extent comes first; it is what an answer means that names no other.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from bridge.contract.consent import (
    Addition,
    AnswerOption,
    ConsentClass,
    Coverage,
    Covers,
    Decision,
    Holder,
    Operation,
    Reach,
    TargetKind,
    Until,
)
from bridge.policy.consent import ConsentCase, Extent, choices, holder_name
from bridge.policy.targets import Rung, Target, common_ladder

_FOR_LONGER: Final = {
    Decision.ALLOW_SESSION: "Allow for session",
    Decision.ALLOW_ALWAYS: "Always allow",
    Decision.DENY_SESSION: "Deny for session",
    Decision.DENY_ALWAYS: "Never allow",
}
_ABOUT: Final = {
    Operation.READ: Coverage.READING,
    Operation.NETWORK: Coverage.REQUESTS,
    Operation.EXECUTE: Coverage.RUNNING,
}
_ADDED: Final = {
    Addition.CREATE: "new notes",
    Addition.APPEND: "text",
    Addition.TAG: "tags",
    Addition.PROPERTY: "properties",
}
_MOST_SUBJECTS: Final = 20
"""Places that one answer names; beyond that an answer about places would be a list that nobody reads."""


class AnswerBounds(NamedTuple):
    """The user's bounds on lasting answers.

    Attributes:
        files: How many files a permission to add may add to.
        minutes: How long it holds.
        days: After how many days an unused permission for good ends; None: never.
    """

    files: int = 50
    minutes: int = 60
    days: int | None = None


class Offer(NamedTuple):
    """One answer that is offered.

    Attributes:
        decision: What it says.
        extent: Its extent.
        suggested: Whether it fits what the client is doing.
    """

    decision: Decision
    extent: Extent
    suggested: bool = False

    @property
    def id(self) -> str:
        """Return the name that an answer calls it by, among those of one question."""
        if self.extent.what is Coverage.CALL:
            return self.decision.value
        reach = self.extent.rungs[0].reach.value if self.extent.rungs else "everywhere"
        kinds = "_".join(kind for kind in Addition if kind in self.extent.additions)
        parts = (self.decision.value, self.extent.what.value, kinds, reach, self.extent.who.value)
        return ".".join(part for part in parts if part)

    def to_wire(self, case: ConsentCase, bounds: AnswerBounds) -> AnswerOption:
        """Return the answer as the question shows it."""
        sentence = sentence_of(self.decision, self.extent, case, bounds.days)
        own = {"option_id": self.id, "label": self._label(case), "suggested": self.suggested}
        return self.extent.to_wire(AnswerOption, sentence, decision=self.decision, **own)

    def _label(self, case: ConsentCase) -> str:
        if self.extent.what is Coverage.CALL:
            return "Allow once" if self.decision.allows else "Deny"
        everyone = ", for every program" if self.extent.who is Holder.EVERYONE else ""
        start = _FOR_LONGER[self.decision]
        if self.extent.until is Until.TIME:
            start = "Allow for a while"
        place = "" if not self.extent.rungs else self.extent.rungs[0].label
        if len(self.extent.rungs) > 1:
            place = f"these {len(self.extent.rungs)}"
        kinds = [word for kind, word in _ADDED.items() if kind in self.extent.additions]
        added = "" if len(kinds) == len(_ADDED) else f" {' and '.join(kinds)}"
        changed = "every new file" if self.extent.operation is Operation.CREATE else "every change"
        about = {
            Coverage.TOOL: f"{case.title}{f' on {place}' if place else ''}",
            Coverage.READING: f"reading {place or 'this vault'}",
            Coverage.ADDING: f"adding{added} in {place or 'this vault'}",
            Coverage.CHANGING: changed if self.decision.allows else f"changing {place}",
            Coverage.REQUESTS: f"requests to {place or 'any site'}",
            Coverage.RUNNING: f"running {place or 'anything'}",
        }
        return f"{start}{everyone}: {about[self.extent.what]}"


def sentence_of(decision: Decision, extent: Extent, case: ConsentCase, days: int | None) -> str:
    """Return the sentence that says what an answer to a question holds for."""
    holder = holder_name(extent.who, case.caller)
    return extent.sentence(decision, holder=holder, title=case.title or case.tool, days=days)


def offers(case: ConsentCase, bounds: AnswerBounds, now: datetime) -> tuple[Offer, ...]:
    """Return everything that may be answered to a question.

    Args:
        case: The case that is asked about.
        bounds: What the user set for answers for longer.
        now: The time.
    """
    made = _Offers(case, bounds, now)
    found: list[Offer] = []
    for decision in choices(case):
        found += made.of(decision)
    return tuple({offer.id: offer for offer in found}.values())


def _is_own_folder(rung: Rung, target: Target) -> bool:
    """Return whether the rung is the target itself as a folder: the name may mean a file or a folder."""
    return target.kind is TargetKind.FILE and rung.key == f"{target.place.key}/"


class _Offers:
    """The offers of one question."""

    def __init__(self, case: ConsentCase, bounds: AnswerBounds, now: datetime) -> None:
        self._case = case
        self._bounds = bounds
        self._now = now
        self._ladder = common_ladder(case.targets)
        shared = case.caller.client.is_shared
        self._session = (Holder.CONNECTION, Until.DISCONNECT) if shared else (Holder.CLIENT, Until.STOP)
        self._about = _ABOUT.get(case.operation, Coverage.CHANGING)

    def of(self, decision: Decision) -> Iterator[Offer]:
        """Yield those of one decision, narrowest first."""
        match decision:
            case Decision.ALLOW_ONCE | Decision.DENY_ONCE:
                until = Until.ONCE if decision.allows else Until.STOP
                yield Offer(decision, Extent(Holder.CLIENT, Coverage.CALL, until))
            case Decision.ALLOW_SESSION:
                yield from self._allowed_for_session()
            case Decision.ALLOW_ALWAYS:
                yield from self._allowed_for_good()
            case Decision.DENY_SESSION:
                for extent in self._denied(Holder.CLIENT, Until.STOP):
                    yield Offer(decision, extent)
            case Decision.DENY_ALWAYS:
                for who in (Holder.EVERYONE, Holder.CLIENT):
                    for extent in self._denied(who, Until.REVOKED):
                        yield Offer(decision, extent)

    def _allowed_for_session(self) -> Iterator[Offer]:
        decision, (who, until) = Decision.ALLOW_SESSION, self._session
        if self._case.reads_vault:
            for extent in self._reading(who, until):
                everywhere = extent.what is Coverage.READING and not extent.rungs
                yield Offer(decision, extent, suggested=everywhere)
            return
        for rungs in self._places():
            yield Offer(decision, self._tool(who, until, rungs))
        if self._case.consent_class is ConsentClass.SESSION:
            yield from self._additions()
            if self._case.operation in {Operation.CREATE, Operation.UPDATE}:
                yield Offer(decision, Extent(who, Coverage.CHANGING, until, operation=self._case.operation))

    def _additions(self) -> Iterator[Offer]:
        """Yield changes that only add, as many and as long as the user set: in the folder, and in the whole vault."""
        own = self._case.additions
        if not own or self._case.files > self._bounds.files:
            return
        who = self._session[0]
        expires = (self._now + timedelta(minutes=self._bounds.minutes)).replace(microsecond=0)
        folders = list(self._folders())
        for rungs in [*folders, ()]:
            for kinds in (own, frozenset(Addition)) if rungs or not folders else (frozenset(Addition),):
                extent = Extent(who, Coverage.ADDING, Until.TIME, rungs=rungs, additions=kinds)
                extent = extent._replace(most_files=self._bounds.files, expires=expires)
                is_fitting = kinds == frozenset(Addition) and (bool(rungs) or not folders)
                yield Offer(Decision.ALLOW_SESSION, extent, suggested=is_fitting)

    def _allowed_for_good(self) -> Iterator[Offer]:
        decision = Decision.ALLOW_ALWAYS
        if self._case.reads_vault:
            for extent in self._reading(Holder.CLIENT, Until.UNUSED):
                yield Offer(decision, extent)
            for rungs in self._folders():
                yield Offer(decision, Extent(Holder.EVERYONE, Coverage.READING, Until.UNUSED, rungs=rungs))
            yield Offer(decision, self._tool(Holder.EVERYONE, Until.UNUSED))
            return
        for rungs in self._places():
            yield Offer(decision, self._tool(Holder.CLIENT, Until.UNUSED, rungs))
        for rungs in self._places():
            if not rungs:
                yield Offer(decision, self._tool(Holder.EVERYONE, Until.UNUSED))
            elif self._can_be_written(rungs):
                yield Offer(decision, Extent(Holder.EVERYONE, self._about, Until.UNUSED, rungs=rungs))

    def _reading(self, who: Holder, until: Until) -> Iterator[Extent]:
        """Yield what may be allowed for longer than once of a call that only reads: the tool, a folder, the vault."""
        yield self._tool(who, until)
        for rungs in (*self._folders(), ()):
            yield Extent(who, Coverage.READING, until, rungs=rungs)

    def _denied(self, who: Holder, until: Until) -> Iterator[Extent]:
        """Yield the extents of a denial: the call's subjects, as the person sees them, and every use of the tool."""
        subjects = self._case.subjects or self._case.targets
        places = tuple(dict.fromkeys(target.place for target in subjects))
        is_everything = any(rung.reach is Reach.VAULT for rung in places)
        if places and not is_everything and len(places) <= _MOST_SUBJECTS:
            # What one client may not read is no closed note: other tools would go on finding it. So only the tool is
            # denied to it, and a note that nobody may read is closed for everyone.
            if self._case.operation is Operation.READ and who is Holder.CLIENT:
                yield self._tool(who, until, places)
            elif who is Holder.CLIENT or self._can_be_written(places):
                yield Extent(who, self._about, until, rungs=places)
        yield self._tool(who, until)

    def _tool(self, who: Holder, until: Until, rungs: tuple[Rung, ...] = ()) -> Extent:
        writes = self._case.operation if self._about is Coverage.CHANGING else None
        return Extent(who, Coverage.TOOL, until, tool=self._case.tool, operation=writes, rungs=rungs)

    def _places(self) -> Iterator[tuple[Rung, ...]]:
        """Yield where a tool may be allowed: everywhere if it is covered as a whole, and on the rungs of the ladder."""
        if self._case.scope is Covers.TOOL:
            yield ()
        for reach, rungs in self._ladder:
            # Other options make another command of a program, so that no answer holds for all of its uses.
            if reach not in {Reach.VAULT, Reach.EXECUTABLE} and len(rungs) <= _MOST_SUBJECTS:
                yield rungs

    def _folders(self) -> Iterator[tuple[Rung, ...]]:
        """Yield the nearest folder that holds everything, if there is one; it may be made by the call itself."""
        subjects = self._case.subjects or self._case.targets
        above = (rung for rung in (subjects[0].rungs() if subjects else ()) if rung.reach is Reach.FOLDER)
        held = (rung for rung in above if not _is_own_folder(rung, subjects[0]))
        nearest = next((rung for rung in held if all(rung.covers(target) for target in self._case.targets)), None)
        if nearest is not None:
            yield (nearest,)

    @staticmethod
    def _can_be_written(rungs: Sequence[Rung]) -> bool:
        """Return whether the permission file has a key for each."""
        return all(rung.reach is not Reach.COMMAND for rung in rungs)
