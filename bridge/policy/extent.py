"""The extent of an answer: for whom, what, where, until when. As data, as one sentence, and as a rule that decides.

A question offers extents (`offers.py`), an answer names one of them, and exactly that is stored, listed and applied.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from bridge.clock import stamp
from bridge.contract.consent import Addition, ConsentClass, Coverage, Decision, ExtentView, Holder, Operation, Until
from bridge.identity.caller import Caller
from bridge.policy.consent import ConsentCase, Letter, letters_touched
from bridge.policy.targets import Rung, Target

LETTERS: Final[dict[Coverage, Letter]] = {
    Coverage.READING: "r",
    Coverage.CHANGING: "w",
    Coverage.REQUESTS: "r",
    Coverage.RUNNING: "x",
}
"""Under which letter of the permission file an answer is written down that holds for whatever tool."""
UNNAMED_PROGRAMS: Final = "Programs without a name of their own"
SHARED: Final[dict[Coverage, str]] = {
    Coverage.LOOKING: (
        "see what you look at in Obsidian without asking: the open note, the text around the cursor and what you "
        "select there, which notes have a tab and which you opened last"
    ),
    Coverage.SHOWING: "open notes in Obsidian without a click of yours",
}
"""The permissions that only the list of clients gives, worded as they are listed with a client."""
_LISTED: Final = 3
"""Places that a sentence names before it counts the rest."""
_LONGEST_PLACE: Final = 120


class Extent(NamedTuple):
    """The extent of one answer.

    Attributes:
        who: Its holder.
        what: Its subject.
        until: When it ends.
        tool: With `TOOL`, the tool's name.
        operation: With `CHANGING`, the one operation that is meant; None: every change. With `TOOL`, what the tool was
            about to do to the vault, for the sentence alone; None: nothing.
        rungs: Where; empty: everywhere.
        additions: With `ADDING`, which kinds.
        most_files: With `ADDING`, how many files.
        expires: With `TIME`, the moment.
    """

    who: Holder
    what: Coverage
    until: Until
    tool: str | None = None
    operation: Operation | None = None
    rungs: tuple[Rung, ...] = ()
    additions: frozenset[Addition] = frozenset()
    most_files: int | None = None
    expires: datetime | None = None

    def allows(self, case: ConsentCase) -> bool:
        """Return whether an allow of this extent is about such a call, wherever it is.

        What a tool asks for every time is in no extent.
        """
        is_trusted = case.consent_class is ConsentClass.SESSION
        is_meant = {
            Coverage.TOOL: self.tool == case.tool or (bool(case.acts) and all(self.tool in act for act in case.acts)),
            Coverage.READING: case.reads_vault,
            Coverage.ADDING: is_trusted and case.additions is not None and case.additions <= self.additions,
            Coverage.CHANGING: is_trusted and "w" in case.letters and self.operation in {None, case.operation},
            Coverage.REQUESTS: case.operation is Operation.NETWORK,
            Coverage.RUNNING: case.operation is Operation.EXECUTE,
        }
        return case.consent_class is not ConsentClass.NEVER and is_meant.get(self.what, False)

    def denies(self, case: ConsentCase) -> bool:
        """Return whether a denial of this extent holds for a call: for any one of its targets."""
        match self.what:
            case Coverage.TOOL:
                is_meant = self.tool in case.names
            case Coverage.CALL | Coverage.ADDING:
                return False
            case Coverage.REQUESTS:
                is_meant = case.operation is Operation.NETWORK
            case _:
                is_meant = LETTERS[self.what] in letters_touched(case) and case.operation is not Operation.NETWORK
        return is_meant and (
            not self.rungs or any(rung.denies(target) for rung in self.rungs for target in case.targets)
        )

    def has_ended(self, now: datetime) -> bool:
        """Return whether its time is over."""
        return self.expires is not None and now >= self.expires

    def sentence(self, decision: Decision, *, holder: str, title: str, days: int | None) -> str:
        """Return the extent for people, whole.

        Args:
            decision: The decision given or on offer.
            holder: Whom it holds for, as `holder_name` gives it; unused where it holds for everyone.
            title: The tool's title.
            days: After how many days an unused permission ends; None: never.
        """
        if self.what is Coverage.CALL:
            if decision.allows:
                return "This call alone, exactly as it is shown."
            return "This call is refused, and is not asked about again until the bridge stops."
        deed = self._deed(title, allows=decision.allows)
        until = self._until(days)
        if decision.allows:
            who = "Any program" if self.who is Holder.EVERYONE else holder
            return f"{who} may {deed}, {until}.{self._tail()}"
        if self.who is Holder.EVERYONE:
            hidden = " It is then in no list and no search either." if self.what is Coverage.READING else ""
            return f"No program may {deed} any more, {until}.{hidden}"
        return f"{holder} may not {deed} any more, {until}."

    def to_wire(self, sentence: str) -> dict[str, object]:
        """Return the members that the extent has on the wire."""
        view = ExtentView(
            who=self.who,
            what=self.what,
            tool=self.tool,
            operation=self.operation,
            where=tuple(rung.key for rung in self.rungs),
            additions=tuple(kind for kind in Addition if kind in self.additions),
            most_files=self.most_files,
            until=self.until,
            expires=None if self.expires is None else stamp(self.expires),
            sentence=sentence,
        )
        return dict(view)

    def _deed(self, title: str, *, allows: bool) -> str:
        place, unasked = listed(self.rungs), " without asking" if allows else ""
        match self.what:
            case Coverage.TOOL:
                deed = f"use {title}{f' on {place}' if place else ''}{unasked}"
            case Coverage.READING if allows:
                deed = f"read every note {f'in {place}' if place else 'of this vault'}, with any tool that only reads"
            case Coverage.READING:
                deed = f"read {place or 'this vault'}"
            case Coverage.ADDING:
                deed = f"{_added(self.additions)} in {place or 'this vault'}{unasked}, up to {self.most_files} files"
            case Coverage.CHANGING if allows:
                verb = "create" if self.operation is Operation.CREATE else "change"
                deed = f"{verb} any file{unasked}, with any content"
            case Coverage.CHANGING:
                deed = f"change {place or 'this vault'}"
            case Coverage.LOOKING | Coverage.SHOWING:
                deed = SHARED[self.what]
            case Coverage.REQUESTS:
                deed = f"send requests to {place or 'any site'}{unasked}"
            case _:
                deed = f"run {place or 'any program'}{unasked}"
        return deed

    def _until(self, days: int | None) -> str:
        match self.until:
            case Until.DISCONNECT:
                return "until it disconnects"
            case Until.TIME if self.expires is not None:
                return f"until {self.expires.astimezone():%H:%M} at the latest"
            case Until.UNUSED if days is not None:
                return f"until you take it back, or it goes unused for {days} days"
            case Until.REVOKED | Until.UNUSED:
                return "until you take it back"
        return "until the bridge stops"

    def _tail(self) -> str:
        match self.what:
            case Coverage.READING | Coverage.LOOKING:
                return " Closed notes stay closed."
            case Coverage.ADDING:
                return " Nothing that is there may be changed or removed."
            case Coverage.TOOL | Coverage.CHANGING if self.operation is not None:
                return " You are not shown the changes before they are made."
        return ""


def covering(extents: Iterable[tuple[str, Extent]], case: ConsentCase) -> list[str]:
    """Return the allows that together cover a call: those that are needed, in their order; none when they do not.

    Args:
        extents: Allows of the caller, each with an id.
        case: The call.
    """
    if len(case.acts) > 1:  # each act is allowed by what was said about a tool that could do it
        held = list(extents)
        found = [covering(held, each) for each in case.single_acts]
        return list(dict.fromkeys(key for keys in found for key in keys)) if all(found) else []
    about = [(key, extent) for key, extent in extents if extent.allows(case)]
    for key, extent in about:
        if not extent.rungs or (case.targets and _cover(extent.rungs, case.targets)):
            return [key]
    # Places that were allowed one after the other hold together, but for what is counted, which is one answer alone.
    single = [(key, extent) for key, extent in about if extent.what is not Coverage.ADDING]
    if not case.targets or not _cover([rung for _, extent in single for rung in extent.rungs], case.targets):
        return []
    return [
        key for key, extent in single if any(rung.covers(target) for rung in extent.rungs for target in case.targets)
    ]


def holder_name(who: Holder, caller: Caller) -> str:
    """Return the name of the holder of an answer, which begins its sentence.

    Args:
        who: The holder.
        caller: The caller.
    """
    if who is Holder.EVERYONE:
        return "Any program"
    if caller.client.is_person:
        return "Your own programs"
    if caller.client.name is not None:
        return caller.client.name
    if who is Holder.CONNECTION:
        itself = caller.calls_itself
        return f"The program that calls itself “{itself}” (unverified)" if itself else "The program that asks"
    return UNNAMED_PROGRAMS


def _cover(rungs: Iterable[Rung], targets: Sequence[Target]) -> bool:
    held = set(rungs)
    return all(any(rung in held for rung in target.rungs()) for target in targets)


def listed(rungs: Sequence[Rung]) -> str:
    """Return places for people, to be read in the middle of a sentence: the first few, and how many more."""
    shown = [label if len(label := rung.label) <= _LONGEST_PLACE else f"…{label[-_LONGEST_PLACE:]}" for rung in rungs]
    if len(shown) > _LISTED:
        return f"{', '.join(shown[:_LISTED])} and {len(shown) - _LISTED} more"
    return f"{', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else "".join(shown)


def _added(additions: frozenset[Addition]) -> str:
    """Return `create notes and add text, tags and properties to notes`, or a part of it."""
    words = {Addition.APPEND: "text", Addition.TAG: "tags", Addition.PROPERTY: "properties"}
    added = [word for kind, word in words.items() if kind in additions]
    listed = f"{', '.join(added[:-1])} and {added[-1]}" if len(added) > 1 else "".join(added)
    parts = ["create notes"] if Addition.CREATE in additions else []
    return " and ".join([*parts, *([f"add {listed} to notes"] if added else [])])
