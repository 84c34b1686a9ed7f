"""What people have said for a session: in memory, gone when the bridge stops. May be used from several threads."""

import secrets
import threading
from dataclasses import dataclass
from typing import Literal

from bridge.clock import Clock, stamp
from bridge.contract.consent import ConsentClass, Covers, Decision, Grant, Operation
from bridge.policy.consent import ConsentCase, Rule

MOST_CALLS = 1_000
"""Denied calls that are remembered; beyond that the oldest may be asked about again."""


@dataclass(frozen=True, slots=True)
class _Refused:
    """One call that was denied once."""

    grant: Grant
    targets: tuple[str, ...]


class SessionGrants:
    """Answers for a session, calls that were denied, and what is approved without asking.

    Args:
        clock: For the times of answers.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: dict[tuple[str, str, bool], dict[str | None, Grant]] = {}
        """By session, tool and whether it allows; then by target, where None is every target."""
        self._refused: dict[tuple[str, str, str], _Refused] = {}
        """By session, tool and the call's fingerprint."""
        self._auto: dict[tuple[str | None, Operation], Grant] = {}
        """By client, where None is every client, and operation."""

    def denial(self, case: ConsentCase) -> Rule | None:
        """The rule that denies a case; None when none does.

        Args:
            case: The call.
        """
        with self._lock:
            kept = self._kept.get((case.session_id, case.tool, False), {})
            found = next((kept[target] for target in (None, *case.targets) if target in kept), None)
            refused = self._refused.get((case.session_id, case.tool, case.call)) if case.call else None
        if found is not None:
            what = f" {found.target!r}" if found.target is not None else ""
            return Rule(
                "session:deny",
                f"the user denied {case.tool!r}{what} for this session; it holds until they revoke it "
                f"(`vault-bridge policy revoke {found.grant_id}`) or the bridge stops",
            )
        if refused is not None:
            said = f" and said: {refused.grant.feedback}" if refused.grant.feedback else ""
            return Rule(
                "session:same_call",
                f"the user has denied exactly this call before{said}. Ask them what they want instead; "
                f"they can take the denial back with `vault-bridge policy revoke {refused.grant.grant_id}`",
            )
        return None

    def grant(self, case: ConsentCase) -> Rule | None:
        """The rule that allows all of a case; None when none does.

        Args:
            case: The call.
        """
        with self._lock:
            kept = self._kept.get((case.session_id, case.tool, True), {})
            every = bool(case.targets) and all(target in kept for target in case.targets)
            auto = self._auto.get((None, case.operation)) or self._auto.get((case.client, case.operation))
        if None in kept or every:
            why = f"the user allowed {case.tool!r} for this session; revoking it in Obsidian changes it"
            return Rule("session:allow", why)
        if auto is not None and case.consent_class is ConsentClass.SESSION:
            why = f"the user approves every {case.operation.value} without being asked until the bridge stops"
            return Rule("session:auto_approve", why)
        return None

    def keep(self, decision: Decision, case: ConsentCase) -> tuple[Grant, ...]:
        """Remember an answer for the session."""
        targets = case.targets if case.scope is Covers.TARGET and case.targets else (None,)
        kept = tuple(self._grant("session", case, decision, target) for target in targets)
        with self._lock:
            session = self._kept.setdefault((case.session_id, case.tool, decision.allows), {})
            session.update({grant.target: grant for grant in kept})
        return kept

    def refuse_again(self, case: ConsentCase, feedback: str | None) -> tuple[Grant, ...]:
        """Remember that a call was denied once, so that the same call is not asked about again."""
        if not case.call:
            return ()
        target = case.targets[0] if len(case.targets) == 1 else None
        grant = self._grant("call", case, Decision.DENY_ONCE, target, feedback)
        with self._lock:
            self._refused[case.session_id, case.tool, case.call] = _Refused(grant, case.targets)
            if len(self._refused) > MOST_CALLS:
                del self._refused[next(iter(self._refused))]
        return (grant,)

    def reconsider(self, case: ConsentCase) -> None:
        """Something wider was allowed since: calls denied before that it covers may be made."""
        with self._lock:
            for key, refused in list(self._refused.items()):
                covered = case.scope is Covers.TOOL or set(refused.targets) <= set(case.targets)
                if key[:2] == (case.session_id, case.tool) and covered:
                    del self._refused[key]

    def auto_approve(self, operation: Operation, client: str | None, *, enabled: bool) -> Grant | None:
        """Approve an operation without asking, or no longer.

        Args:
            operation: What is approved, of tools of the class *session*: create or update.
            client: Whose calls, by the name it gives itself; None: everybody's.
            enabled: On or off.
        """
        with self._lock:
            if not enabled:
                self._auto.pop((client, operation), None)
                return None
            if (client, operation) not in self._auto:
                self._auto[client, operation] = Grant(
                    grant_id=f"s-{secrets.token_hex(6)}",
                    kind="auto",
                    client=client,
                    operation=operation.value,
                    decision=Decision.ALLOW_SESSION,
                    since=stamp(self._clock.now()),
                )
            return self._auto[client, operation]

    def list(self) -> tuple[Grant, ...]:
        """Everything that was said for a session, in the order it was given."""
        with self._lock:
            kept = tuple(grant for kept in self._kept.values() for grant in kept.values())
            return (*kept, *(refused.grant for refused in self._refused.values()), *self._auto.values())

    def revoke(self, grant: Grant) -> None:
        """Forget one answer."""
        with self._lock:
            for kept in self._kept.values():
                if kept.get(grant.target) == grant:
                    del kept[grant.target]
            self._refused = {call: refused for call, refused in self._refused.items() if refused.grant != grant}
            self._auto = {auto: other for auto, other in self._auto.items() if other != grant}

    def end_session(self, session_id: str) -> None:
        """Forget what was said for a session."""
        with self._lock:
            self._kept = {key: kept for key, kept in self._kept.items() if key[0] != session_id}
            self._refused = {call: refused for call, refused in self._refused.items() if call[0] != session_id}

    def forget(self, tool: str, *, allowed: bool) -> None:
        """Forget what was allowed to one tool, or which of its calls were denied: its mode was set since."""
        with self._lock:
            if allowed:
                self._kept = {key: kept for key, kept in self._kept.items() if key[1] != tool or not key[2]}
            else:
                self._refused = {call: refused for call, refused in self._refused.items() if call[1] != tool}

    def _grant(
        self,
        kind: Literal["session", "call"],
        case: ConsentCase,
        decision: Decision,
        target: str | None,
        feedback: str | None = None,
    ) -> Grant:
        return Grant(
            grant_id=f"s-{secrets.token_hex(6)}",
            kind=kind,
            client=case.client or None,
            session_id=case.session_id,
            tool=case.tool,
            target=target,
            decision=decision,
            feedback=feedback,
            since=stamp(self._clock.now()),
        )
