"""What people have said before: for the session, in memory; for good, in the settings and in the permission file."""

import logging
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Literal

from bridge.clock import Clock, stamp
from bridge.consent.permission_table import LETTERS, Letter
from bridge.consent.permissions import Permissions
from bridge.contract.base import Wire
from bridge.contract.consent import ConsentClass, ConsentMode, Covers, Decision, Operation
from bridge.errors import ToolFailure
from bridge.policy.consent import Case, Memory, Rule, choices

logger = logging.getLogger(__name__)

_MODES = {ConsentMode.ALWAYS_ALLOW: Decision.ALLOW_ALWAYS, ConsentMode.NEVER_ALLOW: Decision.DENY_ALWAYS}
_VERBS = {"r": "read", "w": "write", "x": "execute"}


class Grant(Wire):
    """One answer that holds, as `consent.grants` shows it.

    Attributes:
        grant_id: By which it is taken back.
        kind: Where it is kept: in memory for the session, in the permission file, or as the tool's consent mode.
        client: Who it was given to; None: everybody.
        session_id: The session it ends with; None: it does not end.
        tool: The tool it is about; None: every tool that does this.
        target: What it is about; None: everything.
        operation: In the permission file: read, write or execute.
        decision: What was said.
        since: When, where that is known.
    """

    grant_id: str
    kind: Literal["session", "file", "mode"]
    client: str | None = None
    session_id: str | None = None
    tool: str | None = None
    target: str | None = None
    operation: str | None = None
    decision: Decision
    since: str | None = None


class Grants:
    """Remembers answers, recalls them, lists them and takes them back. May be used from several threads.

    Args:
        permissions: The permission file.
        clock: For the times of answers.
        modes: The consent modes as the settings have them.
        set_mode: Writes a tool's consent mode to the settings; None: back to the tool's default.
    """

    def __init__(
        self,
        permissions: Permissions,
        *,
        clock: Clock,
        modes: Callable[[], Mapping[str, str]],
        set_mode: Callable[[str, ConsentMode | None], None],
    ) -> None:
        self._permissions = permissions
        self._clock = clock
        self._modes = modes
        self._set_mode = set_mode
        self._lock = threading.Lock()
        self._session: dict[tuple[str, str, bool], dict[str | None, Grant]] = {}
        """By session, tool and whether it allows; then by target, where None is every target."""

    def recall(self, case: Case) -> Memory:
        """What holds for all of a case."""
        table = self._permissions.table()
        letters = letters_of(case)
        denial = self._session_denial(case)
        if denial is None and (entry := table.denial(case.targets, letters)):
            why = (
                f"`.vault-bridge/permissions.json` says {entry.code!r} for {entry.key!r}; "
                "the user can change that line or revoke it in Obsidian"
            )
            denial = Rule(f"file:{entry.key}", why)
        grant = self._session_grant(case)
        if grant is None and (entry := table.grant(case.targets, letters)):
            why = (
                f"`.vault-bridge/permissions.json` says {entry.code!r} for {entry.key!r}; changing that line changes it"
            )
            grant = Rule(f"file:{entry.key}", why)
        return Memory(denial, grant)

    def remember(self, decision: Decision, case: Case) -> tuple[Grant, ...]:
        """Keep an answer for as long as it says. May write files.

        An answer for once is not kept, nor is one that was not offered. An answer for good that cannot be written
        (the permission file has a fault, the disk is full) is kept for the session.

        Returns:
            What is now kept in memory.
        """
        if decision not in choices(case):
            return ()
        match decision:
            case Decision.ALLOW_SESSION | Decision.DENY_SESSION:
                return self._keep(decision, case)
            case Decision.ALLOW_ALWAYS | Decision.DENY_ALWAYS:
                try:
                    self._write(decision, case)
                except ToolFailure as failure:
                    logger.warning("an answer for good is kept for this session only: %s", failure)
                    session = Decision.ALLOW_SESSION if decision.allows else Decision.DENY_SESSION
                    return self._keep(session, case)
        return ()

    def list(self) -> list[Grant]:
        """Every answer that holds: those for a session in the order they were given, then modes, then the file."""
        return [*self._session_grants(), *self._mode_grants(), *self._file_grants()]

    def revoke(self, grant_id: str) -> bool:
        """Take one answer back; False when there is none of this id.

        Raises:
            ExecutionFailed: The settings or the permission file cannot be written.
        """
        grant = next((grant for grant in self.list() if grant.grant_id == grant_id), None)
        match grant:
            case Grant(kind="session"):
                with self._lock:
                    for kept in self._session.values():
                        if kept.get(grant.target) == grant:
                            del kept[grant.target]
            case Grant(kind="mode", tool=str(tool)):
                self._set_mode(tool, None)
            case Grant(kind="file", target=str(target), operation=str(operation)):
                self._permissions.forget(target, [letter for letter in LETTERS if _VERBS[letter] == operation])
            case _:
                return False
        return True

    def end_session(self, session_id: str) -> None:
        """Forget what was said for a session."""
        with self._lock:
            for key in [key for key in self._session if key[0] == session_id]:
                del self._session[key]

    def forget_allowed(self, tool: str) -> None:
        """Forget what was allowed for a session to one tool: its mode was set to ask."""
        with self._lock:
            for key in [key for key in self._session if key[1] == tool and key[2]]:
                del self._session[key]

    # -- for the session ----------------------------------------------------------------------------------------

    def _session_denial(self, case: Case) -> Rule | None:
        with self._lock:
            kept = self._session.get((case.session_id, case.tool, False), {})
            found = next((kept[target] for target in (None, *case.targets) if target in kept), None)
        if found is None:
            return None
        what = f" {found.target!r}" if found.target is not None else ""
        why = f"the user denied {case.tool!r}{what} for this session; it holds until they revoke it or the bridge stops"
        return Rule("session:deny", why)

    def _session_grant(self, case: Case) -> Rule | None:
        with self._lock:
            kept = self._session.get((case.session_id, case.tool, True), {})
            every = bool(case.targets) and all(target in kept for target in case.targets)
            if None not in kept and not every:
                return None
        return Rule(
            "session:allow", f"the user allowed {case.tool!r} for this session; revoking it in Obsidian changes it"
        )

    def _keep(self, decision: Decision, case: Case) -> tuple[Grant, ...]:
        targets = case.targets if case.scope is Covers.TARGET and case.targets else (None,)
        kept = tuple(
            Grant(
                grant_id=f"s-{secrets.token_hex(6)}",
                kind="session",
                client=case.client or None,
                session_id=case.session_id,
                tool=case.tool,
                target=target,
                decision=decision,
                since=stamp(self._clock.now()),
            )
            for target in targets
        )
        with self._lock:
            session = self._session.setdefault((case.session_id, case.tool, decision.allows), {})
            session.update({grant.target: grant for grant in kept})
        return kept

    def _session_grants(self) -> tuple[Grant, ...]:
        with self._lock:
            return tuple(grant for kept in self._session.values() for grant in kept.values())

    # -- for good -----------------------------------------------------------------------------------------------

    def _write(self, decision: Decision, case: Case) -> None:
        if case.scope is Covers.TARGET and case.targets:
            self._permissions.set(case.targets, letters_of(case), allow=decision.allows)
        else:
            self._set_mode(case.tool, ConsentMode.ALWAYS_ALLOW if decision.allows else ConsentMode.NEVER_ALLOW)

    def _mode_grants(self) -> Iterator[Grant]:
        for tool, mode in self._modes().items():
            decision = _MODES.get(ConsentMode(mode))
            if decision is not None:
                yield Grant(grant_id=f"m-{tool}", kind="mode", tool=tool, decision=decision)

    def _file_grants(self) -> Iterator[Grant]:
        for key, code in self._permissions.table().codes.items():
            for letter, character in zip(LETTERS, code, strict=True):
                if character == "?":
                    continue
                decision = Decision.ALLOW_ALWAYS if character == letter else Decision.DENY_ALWAYS
                yield Grant(
                    grant_id=f"f-{letter}-{key}",
                    kind="file",
                    target=key,
                    operation=_VERBS[letter],
                    decision=decision,
                )


def letters_of(case: Case) -> tuple[Letter, ...]:
    """Which of the permission file's three characters a case is about; both `r` and `w` for a request that writes."""
    match case.operation:
        case Operation.READ:
            return ("r",)
        case Operation.EXECUTE:
            return ("x",)
        case Operation.NETWORK:
            return ("r", "w") if case.consent_class is ConsentClass.NEVER else ("r",)
        case _:
            return ("w",)
