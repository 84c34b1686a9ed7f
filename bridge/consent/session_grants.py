"""What people have said for a session: in memory, gone when the bridge stops. May be used from several threads."""

import secrets
import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from bridge.clock import Clock, stamp
from bridge.contract.consent import ConsentClass, Decision, Grant, Operation
from bridge.policy.consent import ConsentCase, Rule
from bridge.policy.targets import Rung, Target

MOST_CALLS = 1_000
"""Denied calls that are remembered; beyond that the oldest may be asked about again."""
STRIKES = 3
"""Denials of one target within `STRIKE_SECONDS` after which it is not asked about again."""
STRIKE_SECONDS = 60.0
MOST_STRUCK = 50
"""Targets of one call that are counted."""


@dataclass(frozen=True, slots=True)
class _Refused:
    """One call that was denied once."""

    grant: Grant
    targets: tuple[Target, ...]


class SessionGrants:
    """Answers for a session, calls that were denied, and what is approved without asking.

    An allow holds for the caller's session, a denial for its credential: neither a new name nor a new connection
    takes a denial away.

    Args:
        clock: For the times of answers.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: dict[tuple[str, str, bool], dict[Rung | None, Grant]] = {}
        """By holder, tool (or `_silence`) and whether it allows; then by rung, where None is every use."""
        self._refused: OrderedDict[tuple[str, str, str], _Refused] = OrderedDict()
        """By credential, tool and the call's fingerprint."""
        self._strikes: OrderedDict[tuple[str, str, Rung | None], list[float]] = OrderedDict()
        """When a target was denied, by credential and what was to be done with it."""
        self._auto: dict[tuple[str | None, Operation], Grant] = {}
        """By the client's id, where None is every client, and operation."""

    def denial(self, case: ConsentCase) -> Rule | None:
        """What denies a case."""
        subject = case.caller.subject
        with self._lock:
            kept = self._kept.get((subject, case.tool, False), {}) | self._kept.get(
                (subject, _silence(case), False), {}
            )
            refused = self._refused.get((subject, case.tool, case.call)) if case.call else None
        found = kept.get(None) or next(
            (grant for rung, grant in kept.items() if rung and any(rung.denies(target) for target in case.targets)),
            None,
        )
        if found is not None and found.tool is None:
            return Rule(
                "session:silenced",
                f"the user denied calls about {found.target!r} {STRIKES} times within a minute, so they are not asked "
                f"again in this session (`vault-bridge policy revoke {found.grant_id}` takes that back)",
            )
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
        """What allows a case."""
        client = case.caller.client.id
        with self._lock:
            kept = dict(self._kept.get((case.caller.session_id, case.tool, True), {}))
            auto = self._auto.get((None, case.operation)) or self._auto.get((client, case.operation))
        if covers(kept.keys(), case.targets):
            why = f"the user allowed {case.tool!r} for this session; revoking it in Obsidian changes it"
            return Rule("session:allow", why)
        if auto is not None and case.consent_class is ConsentClass.SESSION:
            why = f"the user approves every {case.operation.value} without being asked until the bridge stops"
            return Rule("session:auto_approve", why)
        return None

    def keep(self, decision: Decision, case: ConsentCase, rungs: tuple[Rung, ...] | None) -> tuple[Grant, ...]:
        """Remember an answer for the session.

        Args:
            decision: A yes or a no for the session.
            case: What was asked.
            rungs: What it holds for; None for every use of the tool.
        """
        holder = case.caller.session_id if decision.allows else case.caller.subject
        kept = {rung: self._grant("session", case, decision, rung) for rung in rungs or (None,)}
        with self._lock:
            self._kept.setdefault((holder, case.tool, decision.allows), {}).update(kept)
        return tuple(kept.values())

    def refuse_again(self, case: ConsentCase, feedback: str | None) -> tuple[Grant, ...]:
        """Remember that a call was denied once, so that the same call is not asked about again.

        A target that is denied again and again within a minute is not asked about any more, whatever the call; nor is
        a tool that touches nothing in particular.
        """
        if not case.call:
            return ()
        target = case.targets[0].place if len(case.targets) == 1 else None
        grant = self._grant("call", case, Decision.DENY_ONCE, target, feedback)
        with self._lock:
            self._refused[case.caller.subject, case.tool, case.call] = _Refused(grant, case.targets)
            if len(self._refused) > MOST_CALLS:
                self._refused.popitem(last=False)
            silenced = [self._silence(case, rung) for rung in self._struck(case)]
        return (grant, *silenced)

    def reconsider(self, case: ConsentCase, rungs: tuple[Rung, ...] | None) -> None:
        """Something wider was allowed since: calls denied before that it covers may be made."""
        with self._lock:
            for key, refused in list(self._refused.items()):
                mine = key[:2] == (case.caller.subject, case.tool)
                if mine and covers((None,) if rungs is None else rungs, refused.targets):
                    del self._refused[key]

    def _struck(self, case: ConsentCase) -> list[Rung | None]:
        """The targets that were denied too often just now, or None for a tool without any. The lock is held."""
        now = self._clock.monotonic()
        struck: list[Rung | None] = []
        places: list[Rung | None] = [target.place for target in case.targets[:MOST_STRUCK]]
        for place in places or [None]:
            key = (case.caller.subject, case.tool if place is None else _silence(case), place)
            recent = [moment for moment in self._strikes.pop(key, []) if now - moment < STRIKE_SECONDS]
            self._strikes[key] = [*recent, now]
            if len(recent) + 1 >= STRIKES:
                struck.append(place)
        while len(self._strikes) > MOST_CALLS:
            self._strikes.popitem(last=False)
        return struck

    def _silence(self, case: ConsentCase, rung: Rung | None) -> Grant:
        """Ask no more about a target, or about a tool that touches none. The lock is held."""
        grant = self._grant("session", case, Decision.DENY_SESSION, rung)
        if rung is None:
            self._kept.setdefault((case.caller.subject, case.tool, False), {})[None] = grant
            return grant
        grant = grant.model_copy(update={"tool": None})
        self._kept.setdefault((case.caller.subject, _silence(case), False), {})[rung] = grant
        return grant

    def auto_approve(
        self, operation: Operation, client: str | None, *, enabled: bool, name: str | None = None
    ) -> Grant | None:
        """Approve an operation without asking, or no longer.

        Args:
            operation: What is approved, of tools of the class *session*: create or update.
            client: Whose calls, by the client's id; None: everybody's.
            enabled: On or off.
            name: The client's name, for people.
        """
        with self._lock:
            if not enabled:
                self._auto.pop((client, operation), None)
                return None
            if (client, operation) not in self._auto:
                self._auto[client, operation] = Grant(
                    grant_id=f"s-{secrets.token_hex(6)}",
                    kind="auto",
                    client=name,
                    client_id=client,
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
                for rung in [rung for rung, other in kept.items() if other == grant]:
                    del kept[rung]
            for call in [call for call, refused in self._refused.items() if refused.grant == grant]:
                del self._refused[call]
            for auto in [auto for auto, other in self._auto.items() if other == grant]:
                del self._auto[auto]

    def end_session(self, session_id: str) -> None:
        """Forget what was said for a session."""
        with self._lock:
            self._kept = {key: kept for key, kept in self._kept.items() if key[0] != session_id}
            for call in [call for call in self._refused if call[0] == session_id]:
                del self._refused[call]

    def forget_client(self, client_id: str) -> None:
        """Forget everything that was said of a client."""
        self.end_session(client_id)
        with self._lock:
            self._auto = {key: grant for key, grant in self._auto.items() if key[0] != client_id}
            for strike in [strike for strike in self._strikes if strike[0] == client_id]:
                del self._strikes[strike]

    def forget(self, tool: str, *, allowed: bool) -> None:
        """Forget what was allowed to one tool, or which of its calls were denied: its mode was set since."""
        with self._lock:
            if allowed:
                self._kept = {key: kept for key, kept in self._kept.items() if key[1] != tool or not key[2]}
            else:
                for call in [call for call in self._refused if call[1] == tool]:
                    del self._refused[call]

    def _grant(
        self,
        kind: Literal["session", "call"],
        case: ConsentCase,
        decision: Decision,
        rung: Rung | None,
        feedback: str | None = None,
    ) -> Grant:
        return Grant(
            grant_id=f"s-{secrets.token_hex(6)}",
            kind=kind,
            client=case.caller.name,
            client_id=case.caller.client.id,
            session_id=case.caller.session_id if decision.allows else case.caller.subject,
            tool=case.tool,
            target=rung.key if rung else None,
            reach=rung.reach if rung else None,
            decision=decision,
            feedback=feedback,
            since=stamp(self._clock.now()),
        )


def covers(rungs: Iterable[Rung | None], targets: Sequence[Target]) -> bool:
    """Whether allows for some rungs, where None is every use of a tool, hold for all targets together."""
    held = set(rungs)
    return None in held or (bool(targets) and all(any(rung in held for rung in target.rungs()) for target in targets))


def _silence(case: ConsentCase) -> str:
    """Under what a silenced target is kept: what was to be done with it, as no tool is called."""
    return f"*{''.join(case.letters)}"
