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
        covers: What a remembered answer covers, as the tool declares it.
        targets: Vault paths, URLs or executables that the call touches, all of them.
        session_id: The session: one client until the bridge stops.
        mode: What the user set for the tool, or the tool's default.
        developer_mode: The user's switch: reads do not ask.
        role: The caller's authority.
        by_user: The user's own undo or redo, from a host.
        client: The name the caller gave itself; auto-approve may be for one.
        call: A fingerprint of the tool and all arguments: the same call again has the same.
    """

    tool: str
    operation: Operation
    consent_class: ConsentClass
    risk: RiskLevel
    covers: Covers
    targets: tuple[str, ...]
    session_id: str
    mode: ConsentMode
    developer_mode: bool
    role: Literal["agent", "host"]
    by_user: bool = False
    client: str = ""
    call: str = ""

    @property
    def scope(self) -> Covers:
        """What a remembered answer covers: a grant to read always covers the whole tool."""
        return Covers.TOOL if self.operation is Operation.READ else self.covers


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
    if case.by_user and case.role == "host":
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
