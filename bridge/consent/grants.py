"""The answers that hold: for the session, in memory; for good, in the settings and in the permission file."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import lru_cache
from typing import Final

from bridge.clock import Clock, stamp
from bridge.consent.client_grants import ClientGrants
from bridge.consent.permission_file import LETTERS, GrantExpiry, PermissionEntry, PermissionFile, PermissionTable
from bridge.consent.session_grants import SessionGrants
from bridge.contract.consent import ConsentMode, Coverage, Covers, Decision, Grant, Holder, TargetKind, Until
from bridge.errors import ToolFailure
from bridge.identity.caller import Caller
from bridge.own_commands import own_command
from bridge.policy.consent import ConsentCase, Extent, Letter, Rule, StandingAnswers, letters_touched
from bridge.policy.targets import Rung, parse_key

logger = logging.getLogger(__name__)

Denial = Callable[[str], Rule | None]
"""Tells which rule forbids something to a path; None when none does."""

_MODES = {ConsentMode.ALWAYS_ALLOW: Decision.ALLOW_ALWAYS, ConsentMode.NEVER_ALLOW: Decision.DENY_ALWAYS}
_FOR_GOOD: Final = {True: (Decision.ALLOW_ALWAYS, Until.UNUSED), False: (Decision.DENY_ALWAYS, Until.REVOKED)}
_COVERAGE: Final[dict[Letter, Coverage]] = {"r": Coverage.READING, "w": Coverage.CHANGING, "x": Coverage.RUNNING}
"""The subject of a line of the permission file. Reading a site is a request to it, but the line is the same."""


@dataclass(eq=False, repr=False)
class GrantStore:
    """The store of answers: finds those that decide a call, lists them, takes them back. Thread-safe.

    Args:
        permissions: The permission file.
        clock: For the times of answers.
        modes: The consent modes as the settings have them.
        set_mode: Writes a tool's consent mode to the settings, and in whose name; no mode: back to the tool's default.
        clients: Answers for good that hold for one client.
        title_of: The title of a tool by its name, for people.
        always_allowed: Where the mode `always_allow` of a tool holds, as the end of a sentence; None where it does not.
        days: After how many days without use an allow ends; None: never.

    Attributes:
        session: The answers that hold until the bridge stops.
    """

    permissions: PermissionFile
    _: KW_ONLY
    clock: Clock
    modes: Callable[[], Mapping[str, str]]
    set_mode: Callable[[str, ConsentMode | None, str | None], None]
    clients: ClientGrants
    title_of: Callable[[str], str] = lambda name: name
    always_allowed: Callable[[str], str | None] = lambda _name: ""
    days: Callable[[], int | None] = lambda: None

    def __post_init__(self) -> None:
        self.session = SessionGrants(self.clock)
        self._expiry = GrantExpiry(self.permissions, clock=self.clock, days=self.days)
        self._denial_of = lru_cache(maxsize=1)(_reading_denials)

    def recall(self, case: ConsentCase) -> StandingAnswers:
        """Return what holds for all of a case.

        Args:
            case: The call.

        Returns:
            What denies it, what allows it, and what allowed it until it lapsed.
        """
        table = self._expiry.table()
        letters = case.letters
        denial = self.session.denial(case) or self.clients.denial(case)
        if denial is None and (entry := table.denial(case.targets, letters_touched(case))):
            denial = self._line_denial(entry, letters_touched(case))
        grant = self.session.grant(case) or self.clients.grant(case)
        if grant is None and (entry := table.grant(case.targets, letters)):
            said = f"`.vault-bridge/permissions.json` says {entry.code!r} for {entry.key!r}"
            grant = Rule(f"file:{entry.key}", f"{said}; changing that line changes it")
        lapsed = None
        if grant is None:
            lapsed = self._expiry.lapsed(case.targets, letters) or self.clients.lapsed(case)
        return StandingAnswers(denial, grant, lapsed)

    def used(self, case: ConsentCase, rule: str, grant: str | None = None) -> bool:
        """Note that what was granted has decided a call.

        Args:
            case: The call.
            rule: The name of the rule that decided.
            grant: The answer that decided, where one did.

        Returns:
            Whether the answer counts what it allows.
        """
        if grant is not None and self.session.count(case, grant):
            return True
        if rule.startswith("shared:") and grant is not None:
            self.clients.use(grant)
        if rule.startswith("file:"):
            self._expiry.use(case.targets, case.letters)
        elif rule == "mode:always_allow":
            for name in case.names:
                self._expiry.use_tool(name)
        return False

    def sweep(self) -> None:
        """Take back what nobody has used for too long, and write down what was used. Blocking."""
        self.clients.sweep()
        self._expiry.sweep(self._forget_tool)

    def closed(self) -> Denial | None:
        """Return a function that finds the entry which forbids reading a path; None: no entry does.

        As long as the file is the same, it is the same function, so that searches may remember what it returned.
        """
        table = self._expiry.table()
        return self._denial_of(table) if table.denies else None

    def remember(
        self,
        decision: Decision,
        extent: Extent,
        case: ConsentCase,
        feedback: str | None = None,
        *,
        by: str | None = None,
    ) -> tuple[Grant, ...]:
        """Keep an answer for as long as it says. May write files.

        A yes for once is not kept; of a no for once, that exactly this call was denied. An answer for good that cannot
        be written (the permission file has a fault, the disk is full) is kept for the session.

        Args:
            decision: The decision.
            extent: Its extent, as the question offered it.
            case: The case that was asked about.
            feedback: The person's words.
            by: The name of the screen that it was answered on, for the log.

        Returns:
            What now holds, as `list` shows it.
        """
        if decision is Decision.ALLOW_ONCE:
            return ()
        if decision is Decision.DENY_ONCE:
            return self.session.refuse_again(case, feedback)
        kept: tuple[Grant, ...] = ()
        if decision in {Decision.ALLOW_ALWAYS, Decision.DENY_ALWAYS}:
            try:
                kept = self._write(decision, extent, case, feedback, by)
            except ToolFailure as failure:
                logger.warning("an answer for good is kept for this session only: %s", failure)
                decision = Decision.ALLOW_SESSION if decision.allows else Decision.DENY_SESSION
                extent = extent._replace(who=Holder.CLIENT, until=Until.STOP)
        if decision.allows:
            self.session.reconsider(case, extent)
        return kept or (self.session.keep(decision, extent, case, feedback),)

    def allow_reading(self, caller: Caller, places: Sequence[Rung], *, by: str | None = None) -> Grant | None:
        """Let a client read some places without asking, for good, in place of what it was allowed to read before.

        Args:
            caller: The client.
            places: Folders, or the vault; none: it asks each time.
            by: The name of the screen on which that was said, for the log.

        Returns:
            What now holds.

        Raises:
            ExecutionFailed: It cannot be written down.
        """
        for grant in self.list():
            if grant.client_id == caller.client.id and grant.what is Coverage.READING and grant.decision.allows:
                self.revoke(grant.grant_id, by)
        if not places:
            return None
        case = _said_of(caller)
        extent = Extent(Holder.CLIENT, Coverage.READING, Until.UNUSED, rungs=tuple(places))
        self.session.reconsider(case, extent)
        return self.clients.keep(Decision.ALLOW_ALWAYS, extent, case)

    def share(self, caller: Caller, what: Coverage, until: Until | None, *, by: str | None = None) -> Grant | None:
        """Let a client see what the person looks at, or open notes there, in place of what was said of that before.

        Args:
            caller: The client.
            what: `LOOKING` or `SHOWING`.
            until: `STOP` or `UNUSED`; None: no longer.
            by: The name of the screen on which that was said, for the log.

        Returns:
            What now holds.

        Raises:
            ExecutionFailed: It cannot be written down.
        """
        if (held := self.shared(what, caller.client.id)) is not None:
            self.revoke(held.grant_id, by)
        extent, case = Extent(Holder.CLIENT, what, until or Until.STOP), _said_of(caller)
        if until is Until.UNUSED:
            return self.clients.keep(Decision.ALLOW_ALWAYS, extent, case)
        return None if until is None else self.session.keep(Decision.ALLOW_SESSION, extent, case)

    def shared(self, what: Coverage, client_id: str) -> Grant | None:
        """Return what lets a client do something that `share` allows; None where nothing does."""
        return next((grant for grant in self.sharing(what) if grant.client_id == client_id), None)

    def sharing(self, what: Coverage) -> tuple[Grant, ...]:
        """Return what `share` has allowed, of all clients."""
        return tuple(grant for grant in (*self.session.list(), *self.clients.list()) if grant.what is what)

    def list(self) -> list[Grant]:
        """Return every answer that holds: for a session in the order given, for single clients, modes, and the file."""
        return [*self.session.list(), *self.clients.list(), *self._mode_grants(), *self._file_grants()]

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
                self.session.revoke(grant_id)
            case Grant(kind="client"):
                self.clients.revoke(grant_id)
            case Grant(kind="mode", tool=str(tool)):
                self.set_mode(tool, None, by)
            case Grant(kind="file"):
                written = next((one for one in self.clients.written() if one.id == grant_id), None)
                letters = [letter for letter in LETTERS if grant_id.startswith(f"f-{letter}-")]
                for key in grant.where:
                    self.permissions.forget(key, written.letters or letters if written else letters)
                if written is not None:
                    self.clients.revoke(grant_id)
            case _:
                return False
        return True

    def end_all(self, *, by: str | None = None) -> tuple[Grant, ...]:
        """Take back everything that was allowed for longer than once, for whomever. What was denied stays denied.

        Args:
            by: The name of the screen on which that was said, for the log.

        Returns:
            What has ended.

        Raises:
            ExecutionFailed: The settings or a file cannot be written; what was taken back until then stays so.
        """
        return tuple(grant for grant in self.list() if grant.decision.allows and self.revoke(grant.grant_id, by))

    def forget_client(self, client_id: str) -> None:
        """Forget what was said of a client that was revoked. Raises ExecutionFailed when that cannot be written."""
        self.session.forget_client(client_id)
        self.clients.forget_client(client_id)

    def mode_set(self, tool: str, mode: ConsentMode) -> None:
        """Note that a tool's mode was set, which is the user's newest word on it.

        Asking again forgets what was allowed for a session, allowing forgets which calls were denied.

        Args:
            tool: Its name.
            mode: Its mode now.
        """
        if mode is ConsentMode.ALWAYS_ASK:
            self.session.forget(tool, allowed=True)
        elif mode is not ConsentMode.NEVER_ALLOW:
            self.session.forget(tool, allowed=False)

    # -- for good -----------------------------------------------------------------------------------------------

    def _write(
        self, decision: Decision, extent: Extent, case: ConsentCase, feedback: str | None, by: str | None
    ) -> tuple[Grant, ...]:
        """Write an answer down. Raises ToolFailure when it cannot be."""
        if extent.who is not Holder.EVERYONE:
            return (self.clients.keep(decision, extent, case, feedback),)
        if extent.what is Coverage.TOOL:
            mode = ConsentMode.ALWAYS_ALLOW if decision.allows else ConsentMode.NEVER_ALLOW
            self.set_mode(case.tool, mode, by)
            if decision.allows:
                self._expiry.use_tool(case.tool, granted=True)
            return (self._mode_grant(case.tool, decision),)
        self.permissions.set(extent.rungs, case.letters, allow=decision.allows)
        if decision.allows:
            self._expiry.renew(extent.rungs, case.letters)
        try:
            return (self.clients.keep(decision, extent, case, feedback, letters=case.letters),)
        except ToolFailure as failure:  # it holds all the same, each line by itself
            logger.warning("which lines of the permission file are one answer is not noted: %s", failure)
            keys = [key for rung in extent.rungs for key in self.permissions.table().keys_for(rung)]
            own = {f"f-{letter}-{key}" for key in keys for letter in case.letters}
            return tuple(grant for grant in self._file_grants() if grant.grant_id in own)

    def _forget_tool(self, tool: str) -> None:
        if self.modes().get(tool) == ConsentMode.ALWAYS_ALLOW.value:
            self.set_mode(tool, None, None)

    def _mode_grants(self) -> Iterator[Grant]:
        for tool, mode in self.modes().items():
            decision = _MODES.get(ConsentMode(mode))
            if decision is not None and (not decision.allows or self.always_allowed(tool) is not None):
                yield self._mode_grant(tool, decision)

    def _mode_grant(self, tool: str, decision: Decision) -> Grant:
        extent = Extent(Holder.EVERYONE, Coverage.TOOL, _FOR_GOOD[decision.allows][1], tool=tool)
        where = self.always_allowed(tool) or "" if decision.allows else ""
        title = f"{self.title_of(tool)}{where}"
        sentence = extent.sentence(decision, holder="", title=title, days=self.days())
        return extent.to_wire(Grant, sentence, grant_id=f"m-{tool}", kind="mode", decision=decision)

    def _file_grants(self) -> Iterator[Grant]:
        """Yield the lines of the permission file: those of one answer as one row, the others by key and letter."""
        table = self._expiry.table()
        said = {
            (key, letter): character == letter
            for key, code in table.codes.items()
            for letter, character in zip(LETTERS, code, strict=True)
            if character != "?"
        }
        for written in self.clients.written():
            keys = [key for rung in written.extent.rungs for key in table.keys_for(rung)]
            lines = [(key, letter) for key in keys for letter in written.letters or ()]
            if lines and all(said.get(line) is written.decision.allows for line in lines):
                for line in lines:
                    del said[line]
                expires = min(filter(None, (self._expiry.expires(*line) for line in lines)), default=None)
                yield written.to_wire("file", days=self.days(), expires=expires)
        for (key, letter), allows in said.items():
            decision, until = _FOR_GOOD[allows]
            rung = parse_key(key)
            about = Coverage.REQUESTS if rung.kind is TargetKind.URL else _COVERAGE[letter]
            extent = Extent(Holder.EVERYONE, about, until, rungs=(rung,))
            sentence = extent.sentence(decision, holder="", title="", days=self.days())
            ends = self._expiry.expires(key, letter) if allows else None
            own = {"grant_id": f"f-{letter}-{key}", "kind": "file", "decision": decision, "where": (key,)}
            yield extent.to_wire(Grant, sentence, expires=None if ends is None else stamp(ends), **own)

    def _line_denial(self, entry: PermissionEntry, letters: Sequence[Letter]) -> Rule:
        """Return the denial of a line, with the command that takes it back: all of the answer that it belongs to."""
        single = {f"f-{letter}-{entry.key}" for letter in letters}
        denials = (one for one in self._file_grants() if not one.decision.allows and entry.key in one.where)
        named = (one.grant_id for one in denials)
        answer = next((one for one in named if one in single or not one.startswith("f-")), None)
        return _file_denial(entry, f" or with {own_command('policy', 'revoke', answer)}" if answer else "")


def _said_of(caller: Caller) -> ConsentCase:
    """Return the case of an answer that was given to no question."""
    return ConsentCase.reading(caller, (), ConsentMode.ALWAYS_ASK)._replace(tool="", covers=Covers.TARGET)


def _reading_denials(table: PermissionTable) -> Denial:
    """Return a function that returns the rule of a permission file which forbids reading a path."""

    def denial(path: str) -> Rule | None:
        entry = table.closes(path)
        return None if entry is None else _file_denial(entry)

    return denial


def _file_denial(entry: PermissionEntry, command: str = "") -> Rule:
    why = (
        f"`.vault-bridge/permissions.json` says {entry.code!r} for {entry.key!r}; "
        f"the user can change that line, or take it back in Obsidian{command}"
    )
    return Rule(f"file:{entry.key}", why)
