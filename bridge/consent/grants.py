"""The answers that hold: for the session, in memory; for good, in the settings and in the permission file."""

import logging
from collections.abc import Callable, Iterator, Mapping

from bridge.clock import Clock, stamp
from bridge.consent.client_grants import ClientGrants
from bridge.consent.grant_expiry import GrantExpiry
from bridge.consent.permission_file import PermissionFile
from bridge.consent.permission_table import LETTERS, PermissionEntry, PermissionTable
from bridge.consent.session_grants import SessionGrants
from bridge.contract.consent import ConsentMode, Decision, Grant, Operation
from bridge.errors import ToolFailure
from bridge.policy.consent import ConsentCase, Extent, Letter, Rule, StandingAnswers, choices
from bridge.policy.targets import Rung

logger = logging.getLogger(__name__)

Denial = Callable[[str], Rule | None]
"""Tells which rule forbids something to a path; None when none does."""

_MODES = {ConsentMode.ALWAYS_ALLOW: Decision.ALLOW_ALWAYS, ConsentMode.NEVER_ALLOW: Decision.DENY_ALWAYS}
_VERBS = {"r": "read", "w": "write", "x": "execute"}


class GrantStore:
    """Keeps answers, finds those that decide a call, lists them, takes them back. May be used from several threads.

    Args:
        permissions: The permission file.
        clock: For the times of answers.
        modes: The consent modes as the settings have them.
        set_mode: Writes a tool's consent mode to the settings, and in whose name; no mode: back to the tool's default.
        clients: Answers for good that hold for one client.
        expiry: Ends grants that nobody uses; None: they hold for ever.
    """

    def __init__(
        self,
        permissions: PermissionFile,
        *,
        clock: Clock,
        modes: Callable[[], Mapping[str, str]],
        set_mode: Callable[[str, ConsentMode | None, str | None], None],
        clients: ClientGrants,
        expiry: GrantExpiry | None = None,
    ) -> None:
        self._permissions = permissions
        self._modes = modes
        self._set_mode = set_mode
        self._clients = clients
        self._expiry = expiry
        self._table = permissions.table if expiry is None else expiry.table
        self._session = SessionGrants(clock)
        self._closed: tuple[PermissionTable | None, Denial] = None, lambda _path: None

    def recall(self, case: ConsentCase) -> StandingAnswers:
        """What holds for all of a case.

        Args:
            case: The call.

        Returns:
            What denies it, what allows it, and what allowed it until it lapsed.
        """
        table = self._table()
        letters = case.letters
        denial = self._session.denial(case) or self._clients.denial(case)
        if denial is None and (entry := table.denial(case.targets, letters_touched(case))):
            denial = _file_denial(entry)
        grant = self._session.grant(case) or self._clients.grant(case)
        if grant is None and (entry := table.grant(case.targets, letters)):
            why = (
                f"`.vault-bridge/permissions.json` says {entry.code!r} for {entry.key!r}; changing that line changes it"
            )
            grant = Rule(f"file:{entry.key}", why)
        lapsed = None
        if grant is None:
            of_file = self._expiry.lapsed(case.targets, letters) if self._expiry else None
            lapsed = of_file or self._clients.lapsed(case)
        return StandingAnswers(denial, grant, lapsed)

    def used(self, case: ConsentCase, rule: str) -> None:
        """Note that what was granted for good has decided a call.

        Args:
            case: The call.
            rule: The name of the rule that decided.
        """
        if self._expiry is None:
            return
        if rule.startswith("file:"):
            self._expiry.use(self._table().grants(case.targets, case.letters))
        elif rule == "mode:always_allow":
            self._expiry.use_tool(case.tool)

    def sweep(self) -> None:
        """Take back what nobody has used for too long, and write down what was used. Blocking."""
        self._clients.sweep()
        if self._expiry is not None:
            self._expiry.sweep(self._forget_tool)

    def closed(self) -> Denial | None:
        """A function that returns the rule of the permission file which forbids reading a path; None: no entry does.

        As long as the file is the same, it is the same function, so that searches may remember what it returned.
        """
        table = self._table()
        if not table.denies:
            return None
        known, denial = self._closed
        if known is not table:
            denial = _reading_denials(table)
            self._closed = table, denial
        return denial

    def remember(
        self,
        decision: Decision,
        case: ConsentCase,
        feedback: str | None = None,
        extent: Extent | None = None,
        *,
        by: str | None = None,
    ) -> tuple[Grant, ...]:
        """Keep an answer for as long as it says. May write files.

        A yes for once is not kept; of a no for once, that exactly this call was denied. What was not offered is not
        kept. An answer for good that cannot be written (the permission file has a fault, the disk is full) is kept
        for the session.

        Args:
            decision: What was answered.
            case: What was asked.
            feedback: The person's words.
            extent: Which rung of the ladder it names, and for whom it holds; None where the person said nothing.
            by: The name of the screen that it was answered on, for the log.

        Returns:
            What is now kept in memory.

        Raises:
            ValueError: The case's ladder has no such rung; nothing is kept.
        """
        extent = extent or Extent()
        rungs = case.rungs(extent.reach)
        if decision not in choices(case):
            return ()
        match decision:
            case Decision.ALLOW_ONCE:
                return ()
            case Decision.DENY_ONCE:
                return self._session.refuse_again(case, feedback)
            case Decision.ALLOW_ALWAYS | Decision.DENY_ALWAYS:
                try:
                    if extent.holds_for_all(decision):
                        self._write(decision, case, rungs, by)
                    else:
                        self._clients.keep(decision, case, rungs, feedback)
                except ToolFailure as failure:
                    logger.warning("an answer for good is kept for this session only: %s", failure)
                    decision = Decision.ALLOW_SESSION if decision.allows else Decision.DENY_SESSION
        if decision.allows:
            self._session.reconsider(case, rungs)
        if decision in {Decision.ALLOW_SESSION, Decision.DENY_SESSION}:
            return self._session.keep(decision, case, rungs)
        return ()

    def auto_approve(
        self, operation: Operation, client: str | None, *, enabled: bool, name: str | None = None
    ) -> Grant | None:
        """Approve an operation of tools of the class *session* without asking, until the bridge stops; or no longer.

        Args:
            operation: What is approved: create or update.
            client: Whose calls, by the client's id; None: everybody's.
            enabled: On or off.
            name: The client's name, for people.
        """
        return self._session.auto_approve(operation, client, enabled=enabled, name=name)

    def list(self) -> list[Grant]:
        """Every answer that holds: for a session in the order given, then for single clients, modes, and the file."""
        return [*self._session.list(), *self._clients.list(), *self._mode_grants(), *self._file_grants()]

    def revoke(self, grant_id: str, by: str | None = None) -> bool:
        """Take one answer back.

        Args:
            grant_id: Its id, as `list` returns it.
            by: The name of the host that takes it back, for the log.

        Returns:
            False when there is none of this id.

        Raises:
            ExecutionFailed: The settings or the permission file cannot be written.
        """
        grant = next((grant for grant in self.list() if grant.grant_id == grant_id), None)
        match grant:
            case Grant(kind="session" | "call" | "auto"):
                self._session.revoke(grant)
            case Grant(kind="client"):
                self._clients.revoke(grant_id)
            case Grant(kind="mode", tool=str(tool)):
                self._set_mode(tool, None, by)
            case Grant(kind="file", target=str(target), operation=str(operation)):
                self._permissions.forget(target, [letter for letter in LETTERS if _VERBS[letter] == operation])
            case _:
                return False
        return True

    def end_session(self, session_id: str) -> None:
        """Forget what was said for a session.

        Args:
            session_id: Which session.
        """
        self._session.end_session(session_id)

    def forget_client(self, client_id: str) -> None:
        """A client was revoked: forget what was said of it. Raises ExecutionFailed when that cannot be written."""
        self._session.forget_client(client_id)
        self._clients.forget_client(client_id)

    def mode_set(self, tool: str, mode: ConsentMode) -> None:
        """A tool's mode was set, which is the user's newest word on it.

        Asking again forgets what was allowed for a session, allowing forgets which calls were denied.

        Args:
            tool: Its name.
            mode: Its mode now.
        """
        if mode is ConsentMode.ALWAYS_ASK:
            self._session.forget(tool, allowed=True)
        elif mode is not ConsentMode.NEVER_ALLOW:
            self._session.forget(tool, allowed=False)

    # -- for good -----------------------------------------------------------------------------------------------

    def _write(self, decision: Decision, case: ConsentCase, rungs: tuple[Rung, ...] | None, by: str | None) -> None:
        if rungs is not None:
            self._permissions.set(rungs, case.letters, allow=decision.allows)
            if self._expiry is not None and decision.allows:
                self._expiry.renew(rungs, case.letters)
            return
        self._set_mode(case.tool, ConsentMode.ALWAYS_ALLOW if decision.allows else ConsentMode.NEVER_ALLOW, by)
        if self._expiry is not None and decision.allows:
            self._expiry.use_tool(case.tool, granted=True)

    def _forget_tool(self, tool: str) -> None:
        if self._modes().get(tool) == ConsentMode.ALWAYS_ALLOW.value:
            self._set_mode(tool, None, None)

    def _mode_grants(self) -> Iterator[Grant]:
        for tool, mode in self._modes().items():
            decision = _MODES.get(ConsentMode(mode))
            if decision is not None:
                yield Grant(grant_id=f"m-{tool}", kind="mode", tool=tool, decision=decision)

    def _file_grants(self) -> Iterator[Grant]:
        for key, code in self._table().codes.items():
            for letter, character in zip(LETTERS, code, strict=True):
                if character == "?":
                    continue
                decision = Decision.ALLOW_ALWAYS if character == letter else Decision.DENY_ALWAYS
                expires = self._expiry.expires(key, letter) if self._expiry and decision.allows else None
                yield Grant(
                    grant_id=f"f-{letter}-{key}",
                    kind="file",
                    target=key,
                    operation=_VERBS[letter],
                    decision=decision,
                    expires=None if expires is None else stamp(expires),
                )


def _reading_denials(table: PermissionTable) -> Denial:
    """A function that returns the rule of a permission file which forbids reading a path."""

    def denial(path: str) -> Rule | None:
        entry = table.closes(path)
        return None if entry is None else _file_denial(entry)

    return denial


def _file_denial(entry: PermissionEntry) -> Rule:
    why = (
        f"`.vault-bridge/permissions.json` says {entry.code!r} for {entry.key!r}; "
        "the user can change that line, or revoke it in Obsidian or with `vault-bridge policy revoke`"
    )
    return Rule(f"file:{entry.key}", why)


def letters_touched(case: ConsentCase) -> tuple[Letter, ...]:
    """What must not be denied: besides what is asked for, reading, where a change shows what was there before it."""
    return ("r", *case.letters) if case.operation in {Operation.UPDATE, Operation.DELETE} else case.letters
