"""Allow, ask or deny: the one place where that is decided (`docs/protocol.md`, "Asking").

    1. any deny denies: the mode `never_allow`, a denial for the session, a `-` in the permission file
    2. else a tool of the class *never* asks, whatever else was said
    3. else the first allow allows: for the session, by the file, by the mode, by developer mode for reads
    4. else the person is asked

So a deny can only shrink what runs, and nothing but an answer makes a *never* tool run. "Allow once" is nowhere in
this list because it is remembered nowhere: it is the answer to one question and ends with it.
"""

from dataclasses import dataclass
from typing import Literal, Protocol

from bridge.contract.consent import ConsentClass, ConsentMode, Covers, Decision, Operation, RiskLevel
from bridge.contract.targets import Reach
from bridge.identity.caller import Caller
from bridge.policy.targets import Rung, Target, common_ladder

Letter = Literal["r", "w", "x"]
"""Read, write, execute: the three characters of the permission file."""

DENIALS = (Decision.DENY_ONCE, Decision.DENY_SESSION, Decision.DENY_ALWAYS)
"""What can always be answered."""


@dataclass(frozen=True, slots=True)
class ConsentCase:
    """One call, as far as consent is concerned.

    Attributes:
        tool: The tool's name.
        operation: What the call does to the world.
        consent_class: How far the tool may ever be trusted.
        risk: How dangerous it is; shown, not decided by.
        covers: What the tool says an answer that is remembered holds for.
        targets: What the call touches, all of it.
        caller: Who calls.
        mode: What the user set for the tool, or the tool's default.
        developer_mode: The user's switch: reads do not ask.
        by_user: The person's own undo or redo.
        call: A fingerprint of the tool and all arguments: the same call again has the same.
    """

    tool: str
    operation: Operation
    consent_class: ConsentClass
    risk: RiskLevel
    covers: Covers
    targets: tuple[Target, ...]
    caller: Caller
    mode: ConsentMode
    developer_mode: bool
    by_user: bool = False
    call: str = ""

    @property
    def scope(self) -> Covers:
        """What a remembered answer covers: a grant to read always covers the whole tool."""
        return Covers.TOOL if self.operation is Operation.READ else self.covers

    @property
    def letters(self) -> tuple[Letter, ...]:
        """Which of the permission file's three characters it is about; `r` and `w` for a request that writes."""
        match self.operation:
            case Operation.READ:
                return ("r",)
            case Operation.EXECUTE:
                return ("x",)
            case Operation.NETWORK:
                return ("r", "w") if self.consent_class is ConsentClass.NEVER else ("r",)
            case _:
                return ("w",)

    def rungs(self, reach: Reach | None) -> tuple[Rung, ...] | None:
        """What an answer for longer holds for.

        Args:
            reach: The rung that the person chose; None where they chose none, and then every use of the tool or each
                target's own place, as `scope` says.

        Returns:
            Rungs that together cover every target; None for every use of the tool.

        Raises:
            ValueError: The case's ladder has no such rung.
        """
        if reach is None:
            return None if self.scope is Covers.TOOL or not self.targets else common_ladder(self.targets)[0][1]
        held = next((rungs for offered, rungs in common_ladder(self.targets) if offered is reach), None)
        if held is None:
            raise ValueError(f"An answer for {reach.value!r} is not offered here")
        return held


@dataclass(frozen=True, slots=True)
class Extent:
    """How far an answer for longer reaches.

    Attributes:
        reach: The rung of the ladder that it names; None for what `ConsentCase.rungs` then says.
        everyone: Whether "always" and "never" hold for every client. Where nothing is said (None), an allow holds for
            the one client and a denial for all.
    """

    reach: Reach | None = None
    everyone: bool | None = None

    def holds_for_all(self, decision: Decision) -> bool:
        """Whether an answer for good holds for every client."""
        return not decision.allows if self.everyone is None else self.everyone


@dataclass(frozen=True, slots=True)
class Rule:
    """Something answered or set before that decides.

    Attributes:
        name: For programs and the log, such as `file:Notes/x.md`.
        why: For people: what decides, and how to change it. Reads on after a colon.
    """

    name: str
    why: str


@dataclass(frozen=True, slots=True)
class StandingAnswers:
    """What was answered before and holds for one case. Both may hold; the denial is the one that counts.

    Attributes:
        denial: The rule that denies it.
        grant: The rule that allows it.
        lapsed: What allowed it until it was not used for too long, as a sentence.
    """

    denial: Rule | None = None
    grant: Rule | None = None
    lapsed: str | None = None


class AnswerStore(Protocol):
    """What was answered before: for the session, and in the permission file."""

    def recall(self, case: ConsentCase) -> StandingAnswers:
        """What holds for this case.

        Args:
            case: The call.

        Returns:
            What denies any of its targets, and what allows all of them.
        """
        ...


@dataclass(frozen=True, slots=True)
class Verdict:
    """The decision.

    Attributes:
        outcome: What happens.
        rule: The rule that decided, for programs and the log.
        why: What decided and how to change it, for people; reads on after a colon.
        choices: What the person may answer; empty unless `outcome` is `ask`.
    """

    outcome: Literal["allow", "ask", "deny"]
    rule: str
    why: str
    choices: tuple[Decision, ...] = ()


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
        return Verdict("deny", denial.name, denial.why)
    if case.consent_class is ConsentClass.NEVER:
        why = f"{case.tool!r} is asked about every single time; no setting changes that"
        return Verdict("ask", "class:never", why, choices(case))
    allow = standing.grant or _standing_allow(case)
    if allow is not None:
        return Verdict("allow", allow.name, allow.why)
    if standing.lapsed is not None:
        return Verdict("ask", "lapsed", standing.lapsed, choices(case))
    why = f"nothing allows {case.tool!r} yet; the user may answer for longer than once"
    return Verdict("ask", "default", why, choices(case))


def choices(case: ConsentCase) -> tuple[Decision, ...]:
    """What the person may answer, the most cautious yes first.

    An answer for longer than once must hold for something: where it would cover targets and there are none, only
    `allow_once` is left.

    Args:
        case: The call they are asked about.
    """
    nothing_to_cover = case.scope is Covers.TARGET and not case.targets
    if case.consent_class is ConsentClass.NEVER or nothing_to_cover:
        return (Decision.ALLOW_ONCE, *DENIALS)
    if case.consent_class is ConsentClass.SESSION:
        return (Decision.ALLOW_ONCE, Decision.ALLOW_SESSION, *DENIALS)
    return (Decision.ALLOW_ONCE, Decision.ALLOW_SESSION, Decision.ALLOW_ALWAYS, *DENIALS)


def _mode_denial(case: ConsentCase) -> Rule | None:
    if case.mode is not ConsentMode.NEVER_ALLOW:
        return None
    why = (
        f"the user set {case.tool!r} to never_allow; they can change it in the settings, "
        f"or with `vault-bridge settings set consentMode.{case.tool} always_ask`"
    )
    return Rule("mode:never_allow", why)


def _standing_allow(case: ConsentCase) -> Rule | None:
    """What the settings allow: the tool's mode, which only the class *always* may have, and developer mode."""
    if case.mode is ConsentMode.ALWAYS_ALLOW and case.consent_class is ConsentClass.ALWAYS:
        why = f"the user set {case.tool!r} to always_allow; setting `consentMode.{case.tool}` changes it"
        return Rule("mode:always_allow", why)
    if case.developer_mode and case.operation is Operation.READ:
        return Rule("developer_mode", "in developer mode reads are not asked about; setting `developerMode` changes it")
    return None
