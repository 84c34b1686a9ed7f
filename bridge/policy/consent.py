"""Allow, ask or deny: the one place where that is decided (`docs/protocol.md`, "Asking").

    1. any deny denies: the mode `never_allow`, a denial for the session, a `-` in the permission file
    2. else a tool of the class *never* asks, one that the user set to `always_ask`, and a call that insists on being
       asked about, whatever else was said
    3. else the first allow allows: for the session, by the file, by the mode, by developer mode for reads
    4. else the person is asked

So a deny can only shrink what runs, and nothing but an answer makes a *never* tool run. "Allow once" is nowhere in
this list because it is remembered nowhere: it is the answer to one question and ends with it.
"""

from typing import Literal, NamedTuple, Protocol

from bridge.contract.consent import Addition, ConsentClass, ConsentMode, Covers, Decision, Operation, TargetKind
from bridge.identity.caller import Caller
from bridge.own_commands import own_command
from bridge.policy.targets import Target

Letter = Literal["r", "w", "x"]
"""Read, write, execute: the three characters of the permission file."""

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
        match self.operation:
            case Operation.READ:
                return ("r",)
            case Operation.EXECUTE:
                return ("x",)
            case Operation.NETWORK:
                return ("r", "w") if self.consent_class is ConsentClass.NEVER else ("r",)
            case _:
                return ("w",)


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
        ...


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
