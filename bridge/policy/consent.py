"""Allow, ask or deny: the one place where that is decided (`docs/protocol.md`, "Asking"); and the extent of an answer.

    1. any deny denies: the mode `never_allow`, a denial for the session, a `-` in the permission file
    2. else a tool of the class *never* asks, one that the user set to `always_ask`, and a call that insists on being
       asked about, whatever else was said
    3. else the first allow allows: for the session, by the file, by the mode, by developer mode for reads
    4. else the person is asked

So a deny can only shrink what runs, and nothing but an answer makes a *never* tool run. "Allow once" is nowhere in
this list because it is remembered nowhere: it is the answer to one question and ends with it.

An extent says for whom an answer holds, for what, where, and until when: as data, as one sentence, and as a rule that
decides. A question offers extents (`offers.py`), an answer names one of them, and exactly that is stored, listed and
applied.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final, Literal, NamedTuple, Protocol, TypeVar

from bridge.clock import stamp
from bridge.contract.consent import (
    Addition,
    ConsentClass,
    ConsentMode,
    Coverage,
    Covers,
    Decision,
    ExtentView,
    Holder,
    Operation,
    TargetKind,
    Until,
)
from bridge.identity.caller import Caller
from bridge.own_commands import own_command
from bridge.policy.targets import Rung, Target

Letter = Literal["r", "w", "x"]
"""Read, write, execute: the three characters of the permission file."""

_LETTERS_OF: Final[dict[Operation, tuple[Letter, ...]]] = {
    **dict.fromkeys((Operation.READ, Operation.NETWORK), ("r",)),
    Operation.EXECUTE: ("x",),
}
DENIALS = (Decision.DENY_ONCE, Decision.DENY_SESSION, Decision.DENY_ALWAYS)
"""The answers that can always be given."""


class ConsentCase(NamedTuple):
    """One call, as far as consent is concerned.

    Attributes:
        tool: The tool's name.
        operation: The call's effect on the world.
        consent_class: How far the tool may ever be trusted.
        covers: What the tool says an answer that is remembered holds for.
        targets: What the call touches, all of it.
        caller: The caller.
        mode: What the user set for the tool, or the tool's default.
        developer_mode: The user's switch: reads do not ask.
        by_user: The person's own undo or redo.
        call: A fingerprint of the tool and all arguments: the same call again has the same.
        title: The tool's title.
        subjects: What the person sees as what the call is about, where that is less than its targets: the note that is
            moved, and not those whose links follow.
        additions: How the call adds, where it does nothing but add.
        files: How many files it changes.
        only_once: Whether it can be allowed this one time alone: what it will do is in no rule, as the person has
            edited it, or it only says why it cannot be done.
        acts: What the call does, each act by the names of all tools that could do it; none: what its tool alone does.
            A denial of any of the names binds, and an allow must be for one of the names of each act.
        mode_of: The tool that the mode was set for; empty: the tool itself.
        insists: Why this call must be asked about whatever was said before, as a sentence; empty: nothing of the kind.
    """

    tool: str
    operation: Operation
    consent_class: ConsentClass
    covers: Covers
    targets: tuple[Target, ...]
    caller: Caller
    mode: ConsentMode
    developer_mode: bool
    by_user: bool = False
    call: str = ""
    title: str = ""
    subjects: tuple[Target, ...] = ()
    additions: frozenset[Addition] | None = None
    files: int = 0
    only_once: bool = False
    acts: tuple[frozenset[str], ...] = ()
    mode_of: str = ""
    insists: str = ""

    @classmethod
    def reading(cls, caller: Caller, targets: tuple[Target, ...], mode: ConsentMode) -> "ConsentCase":
        """Return the case of a call that reads something with the tool `read`, which is set to a mode."""
        return cls(
            "read", Operation.READ, ConsentClass.ALWAYS, Covers.TOOL, targets, caller, mode, developer_mode=False
        )

    @property
    def names(self) -> frozenset[str]:
        """Return every name under which something of the call could be asked for."""
        return frozenset({self.tool}).union(*self.acts)

    @property
    def single_acts(self) -> tuple["ConsentCase", ...]:
        """Return the same case for each of its acts alone."""
        return tuple(self._replace(acts=(act,)) for act in self.acts) or (self,)

    @property
    def reads_vault(self) -> bool:
        """Return whether the call does nothing but read the vault."""
        return (
            self.operation is Operation.READ
            and bool(self.targets)
            and all(target.kind in {TargetKind.FILE, TargetKind.FOLDER} for target in self.targets)
        )

    @property
    def scope(self) -> Covers:
        """Return what a remembered answer covers: a grant to read always covers the whole tool."""
        return Covers.TOOL if self.operation is Operation.READ else self.covers

    @property
    def letters(self) -> tuple[Letter, ...]:
        """Return the permission file's letters that the call needs; `r` and `w` for a request that writes."""
        if self.operation is Operation.NETWORK and self.consent_class is ConsentClass.NEVER:
            return ("r", "w")
        return _LETTERS_OF.get(self.operation, ("w",))


class Rule(NamedTuple):
    """Something answered or set before that decides.

    Attributes:
        name: For programs and the log, such as `file:Notes/x.md`.
        why: For people: what decides, and how to change it. Reads on after a colon.
        grant: The id of the answer that it is, where it is one.
    """

    name: str
    why: str
    grant: str | None = None


class StandingAnswers(NamedTuple):
    """The earlier answers that hold for one case. Both may hold; the denial is the one that counts.

    Attributes:
        denial: The rule that denies it.
        grant: The rule that allows it.
        lapsed: What allowed it until it was not used for too long, as a sentence.
    """

    denial: Rule | None = None
    grant: Rule | None = None
    lapsed: str | None = None


class AnswerStore(Protocol):
    """The earlier answers: for the session, and in the permission file."""

    def recall(self, case: ConsentCase) -> StandingAnswers:
        """Return the answers that hold for this case.

        Args:
            case: The call.

        Returns:
            What denies any of its targets, and what allows all of them.
        """


class Verdict(NamedTuple):
    """The decision.

    Attributes:
        outcome: What happens.
        rule: The rule that decided, for programs and the log.
        why: What decided and how to change it, for people; reads on after a colon.
        choices: What the person may answer; empty unless `outcome` is `ask`.
        grant: The id of the answer that decided, where one did.
    """

    outcome: Literal["allow", "ask", "deny"]
    rule: str
    why: str
    choices: tuple[Decision, ...] = ()
    grant: str | None = None


def decide(case: ConsentCase, answers: AnswerStore) -> Verdict:
    """Decide one call. Asks nobody and remembers nothing.

    Args:
        case: The call.
        answers: What was answered before.

    Returns:
        What happens, and which rule decided that.
    """
    if case.by_user and case.caller.client.is_person:
        return Verdict("allow", "own_undo", "the user takes back or repeats a change themselves")
    standing = answers.recall(case)
    denial = _mode_denial(case) or standing.denial
    if denial is not None:
        return Verdict("deny", denial.name, denial.why, grant=denial.grant)
    if (every_time := _asks_every_time(case)) is not None:
        return Verdict("ask", every_time.name, every_time.why, choices(case))
    allow = standing.grant or _standing_allow(case)
    if allow is not None:
        return Verdict("allow", allow.name, allow.why, grant=allow.grant)
    if standing.lapsed is not None:
        return Verdict("ask", "lapsed", standing.lapsed, choices(case))
    why = f"nothing allows {case.tool!r} yet; the user may answer for longer than once"
    return Verdict("ask", "default", why, choices(case))


def choices(case: ConsentCase) -> tuple[Decision, ...]:
    """Return the answers open to the person, the most cautious yes first.

    An answer for longer than once must hold for something: where it would cover targets and there are none, only
    `allow_once` is left, and a program that disconnects after the call has no session to allow anything for.

    Args:
        case: The call they are asked about.
    """
    nothing_to_cover = case.scope is Covers.TARGET and not case.targets
    if _asks_every_time(case) or nothing_to_cover or case.only_once:
        return (Decision.ALLOW_ONCE, *DENIALS)
    longer = [Decision.ALLOW_SESSION] if case.caller.has_session else []
    if case.consent_class is not ConsentClass.SESSION:
        longer.append(Decision.ALLOW_ALWAYS)
    return (Decision.ALLOW_ONCE, *longer, *DENIALS)


def may_confirm(case: ConsentCase) -> bool:
    """Tell whether a client's own user may say yes in the client itself (MCP's elicitation), this once and only here.

    Whoever answers there is whoever the client says, so it is never authority: the person turns it on for a client,
    and then it goes for questions that do nothing but read notes, with tools that may be trusted at all.

    Args:
        case: The call that is asked about.
    """
    trusted = case.consent_class is ConsentClass.ALWAYS
    return case.caller.client.elicitation and trusted and case.reads_vault


def _mode_denial(case: ConsentCase) -> Rule | None:
    if case.mode is not ConsentMode.NEVER_ALLOW:
        return None
    tool = case.mode_of or case.tool
    why = (
        f"the user set {tool!r} to never_allow; they can change it in the settings, "
        f"or with {own_command('settings', 'set', f'consentMode.{tool}=always_ask')}"
    )
    return Rule("mode:never_allow", why)


def _asks_every_time(case: ConsentCase) -> Rule | None:
    """Return the rule by which no earlier answer lets the call go on; None where there is none."""
    if case.consent_class is ConsentClass.NEVER:
        return Rule("class:never", f"{case.tool!r} is asked about every single time; no setting changes that")
    if case.insists:
        return Rule("insists", case.insists)
    if case.mode is ConsentMode.ALWAYS_ASK:
        tool = case.mode_of or case.tool
        why = f"{tool!r} is set to ask every time; setting `consentMode.{tool}` changes it"
        return Rule("mode:always_ask", why)
    return None


def _standing_allow(case: ConsentCase) -> Rule | None:
    """Return what the settings allow: the tool's mode, which only the class *always* may have, and developer mode."""
    if case.mode is ConsentMode.ALWAYS_ALLOW and case.consent_class is ConsentClass.ALWAYS:
        tool = case.mode_of or case.tool
        why = f"the user set {tool!r} to always_allow; setting `consentMode.{tool}` changes it"
        return Rule("mode:always_allow", why)
    if case.developer_mode and case.operation is Operation.READ:
        return Rule("developer_mode", "in developer mode reads are not asked about; setting `developerMode` changes it")
    return None


def letters_touched(case: ConsentCase) -> tuple[Letter, ...]:
    """Return the letters that must not be denied: the case's own and, where a change shows old content, reading."""
    return ("r", *case.letters) if case.operation in {Operation.UPDATE, Operation.DELETE} else case.letters


LETTERS: Final[dict[Coverage, Letter]] = {
    Coverage.READING: "r",
    Coverage.CHANGING: "w",
    Coverage.REQUESTS: "r",
    Coverage.RUNNING: "x",
}
"""Under which letter of the permission file an answer is written down that holds for whatever tool."""
_W = TypeVar("_W", bound=ExtentView)
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

    def to_wire(self, form: type[_W], sentence: str, **more: object) -> _W:
        """Return the extent on the wire.

        Args:
            form: What it is there: an option of a question, or an answer that holds.
            sentence: The sentence that says it.
            **more: The members that only this form has, or has otherwise.
        """
        where = tuple(rung.key for rung in self.rungs)
        additions = tuple(kind for kind in Addition if kind in self.additions)
        expires = None if self.expires is None else stamp(self.expires)
        shared = {name: getattr(self, name) for name in ("who", "what", "tool", "operation", "most_files", "until")}
        own = {"where": where, "additions": additions, "expires": expires, "sentence": sentence}
        return form.model_validate(shared | own | more)

    def _deed(self, title: str, *, allows: bool) -> str:
        place, unasked = listed(self.rungs), " without asking" if allows else ""
        vault = place or "this vault"
        deeds = SHARED | {
            Coverage.TOOL: f"use {title}{f' on {place}' if place else ''}{unasked}",
            Coverage.READING: f"read {vault}",
            Coverage.ADDING: f"{_added(self.additions)} in {vault}{unasked}, up to {self.most_files} files",
            Coverage.CHANGING: f"change {vault}",
            Coverage.REQUESTS: f"send requests to {place or 'any site'}{unasked}",
            Coverage.RUNNING: f"run {place or 'any program'}{unasked}",
        }
        if allows and self.what is Coverage.READING:
            return f"read every note {f'in {place}' if place else 'of this vault'}, with any tool that only reads"
        if allows and self.what is Coverage.CHANGING:
            verb = "create" if self.operation is Operation.CREATE else "change"
            return f"{verb} any file{unasked}, with any content"
        return deeds[self.what]

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
