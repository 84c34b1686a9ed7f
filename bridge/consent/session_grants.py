"""The answers that hold until the bridge stops: in memory. May be used from several threads.

Also what an answer in force is wherever it is kept, and how one is found among many.
"""

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple, Self

from bridge.clock import Clock, stamp
from bridge.contract.consent import Coverage, Decision, Grant, Holder, Operation, Until
from bridge.policy.consent import UNNAMED_PROGRAMS, ConsentCase, Extent, Letter, Rule, covering, holder_name, listed
from bridge.policy.targets import Rung, Target, fold_key


@dataclass(slots=True)
class Standing:
    """An answer in force.

    Attributes:
        id: By which it is taken back.
        decision: The decision.
        extent: Its extent.
        client_id: Who was asked about.
        client: The same for people.
        holder: Its holder, at the head of its sentence.
        title: The title of the tool that was asked about.
        since: When it was given.
        used: When it allowed something last.
        session_id: The session it ends with; None: no session.
        feedback: The person's words with a denial.
        files: The number of files that have been added to under it.
        said: What it holds for, in other words than those of its extent.
        silences: Whether it was not said but follows: the same was denied again and again.
        letters: Of an answer for everyone, of which the permission file has the lines: under which letters each of its
            places stands there.
    """

    id: str
    decision: Decision
    extent: Extent
    client_id: str
    client: str
    holder: str
    title: str
    since: datetime
    used: datetime
    session_id: str | None = None
    feedback: str | None = None
    files: int = 0
    said: str | None = None
    silences: bool = False
    letters: tuple[Letter, ...] | None = None

    @classmethod
    def of(
        cls, kind: str, decision: Decision, extent: Extent, case: ConsentCase, *, now: datetime, feedback: str | None
    ) -> Self:
        """Return a new answer about a case.

        Args:
            kind: The beginning of its id.
            decision: The decision.
            extent: Its extent.
            case: The case that was asked about.
            now: The time.
            feedback: The person's words.
        """
        return cls(
            id=f"{kind}-{secrets.token_hex(6)}",
            decision=decision,
            extent=extent,
            client_id=case.caller.client.id,
            client=case.caller.name,
            holder=holder_name(extent.who, case.caller),
            title=case.title or case.tool,
            since=now,
            used=now,
            feedback=feedback,
        )

    def sentence(self, days: int | None) -> str:
        """Return what it holds for, for people; `days` as `Extent.sentence` takes them."""
        return self.said or self.extent.sentence(self.decision, holder=self.holder, title=self.title, days=days)

    def rule(self, name: str, days: int | None = None) -> Rule:
        """Return the answer as the rule that decides; `days` as `Extent.sentence` takes them."""
        return Rule(name, f"{self.sentence(days)} `vault-bridge policy revoke {self.id}` takes that back", self.id)

    def to_wire(self, kind: str, *, days: int | None = None, expires: datetime | None = None) -> Grant:
        """Return the answer as it is listed.

        Args:
            kind: Where it is kept.
            days: After how many days without use it ends.
            expires: When it ends if it is not used until then.
        """
        is_everyone = self.extent.who is Holder.EVERYONE
        return self.extent.to_wire(
            Grant,
            self.sentence(days),
            grant_id=self.id,
            kind=kind,
            client=None if is_everyone else self.client,
            client_id=None if is_everyone else self.client_id,
            session_id=self.session_id,
            decision=self.decision,
            feedback=self.feedback,
            used_files=None if self.extent.most_files is None else self.files,
            since=stamp(self.since),
            **({} if expires is None else {"expires": stamp(expires)}),
        )


class Answers:
    """The answers of one holder, in the order they were given, found by place however many there are."""

    def __init__(self) -> None:
        self._by_id: dict[str, Standing] = {}
        self._everywhere: dict[str, int] = {}
        self._by_place: dict[object, dict[str, int]] = {}
        self._given = 0

    def __iter__(self) -> Iterator[Standing]:
        return iter(list(self._by_id.values()))

    def get(self, grant_id: str) -> Standing | None:
        """Return the answer of this id."""
        return self._by_id.get(grant_id)

    def add(self, standing: Standing) -> None:
        """Keep an answer."""
        self._given += 1
        self._by_id[standing.id] = standing
        for place in self._places(standing):
            place[standing.id] = self._given

    def remove(self, grant_id: str) -> bool:
        """Forget an answer; False where there is none of this id."""
        standing = self._by_id.pop(grant_id, None)
        if standing is None:
            return False
        for place in self._places(standing):
            del place[grant_id]
        return True

    def near(self, targets: Sequence[Target], *, allows: bool) -> list[Standing]:
        """Return the yeses or noes that may hold for one of some targets: for its place, and for everywhere."""
        found = dict(self._everywhere)
        for rung in {rung for target in targets for rung in target.rungs()}:
            found |= self._by_place.get(_place(rung, allows=allows), {})
        near = [self._by_id[key] for key in sorted(found, key=found.__getitem__)]
        return [standing for standing in near if standing.decision.allows is allows]

    def _places(self, standing: Standing) -> Iterator[dict[str, int]]:
        if not standing.extent.rungs:
            yield self._everywhere
        for place in {_place(rung, allows=standing.decision.allows) for rung in standing.extent.rungs}:
            yield self._by_place.setdefault(place, {})


def _place(rung: Rung, *, allows: bool) -> object:
    """Return the key by which an answer is found: an allow by exactly its rung, a denial without regard to case."""
    return rung if allows else (rung.kind, fold_key(rung.key))


MOST_CALLS: Final = 1_000
"""Denied calls that are remembered; beyond that the oldest may be asked about again."""
STRIKES: Final = 3
"""Denials of one target within `STRIKE_SECONDS` after which it is not asked about again."""
STRIKE_SECONDS: Final = 60.0
MOST_STRUCK: Final = 50
"""Targets of one call that are counted."""

_EVERYBODY: Final = ""
"""The holder of what is approved for every client."""
_STRUCK: Final = {
    Operation.READ: Coverage.READING,
    Operation.NETWORK: Coverage.REQUESTS,
    Operation.EXECUTE: Coverage.RUNNING,
}


_Call = tuple[str, str, str]
"""A call by its credential, its tool and its fingerprint."""


class _Refused(NamedTuple):
    """One call that was denied once."""

    grant: Grant
    case: ConsentCase


class SessionGrants:
    """The answers for a session, calls that were denied, and what is approved without asking.

    An allow holds for the caller's session, a denial for its credential: neither a new name nor a new connection
    takes a denial away.

    Args:
        clock: For the times of answers.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.RLock()
        self._kept: dict[str, Answers] = {}
        """By holder: a session, a credential, or everybody."""
        self._refused: OrderedDict[_Call, _Refused] = OrderedDict()
        self._strikes: OrderedDict[tuple[str, str, Rung | None], list[float]] = OrderedDict()
        """The times when a target was denied, by credential and what was to be done with it."""

    def denial(self, case: ConsentCase) -> Rule | None:
        """Return what denies a case."""
        with self._lock:
            near = self._near(case.caller.subject, case, allows=False)
            found = next((kept for kept in near if kept.extent.denies(case)), None)
            refused = self._refused.get((case.caller.subject, case.tool, case.call)) if case.call else None
        if found is not None:
            return found.rule("session:silenced" if found.silences else "session:deny")
        if refused is not None:
            said = f" and said: {refused.grant.feedback}" if refused.grant.feedback else ""
            return Rule(
                "session:same_call",
                f"the user has denied exactly this call before{said}. Ask them what they want instead; "
                f"they can take the denial back with `vault-bridge policy revoke {refused.grant.grant_id}`",
                refused.grant.grant_id,
            )
        return None

    def grant(self, case: ConsentCase) -> Rule | None:
        """Return what allows a case."""
        with self._lock:
            near = (kept for holder in _holders(case) for kept in self._near(holder, case, allows=True))
            allows = {
                kept.id: kept
                for kept in near
                if kept.extent.most_files is None or kept.files + case.files <= kept.extent.most_files
            }
            needed = covering(((key, kept.extent) for key, kept in allows.items()), case)
        if not needed:
            return None
        kept = allows[needed[0]]
        name = {Coverage.ADDING: "session:adding", Coverage.CHANGING: "session:auto_approve"}
        return kept.rule(name.get(kept.extent.what, "session:allow"))

    def count(self, case: ConsentCase, grant_id: str) -> bool:
        """Count the files of a call that an answer has allowed; False where the answer counts none."""
        with self._lock:
            for holder in _holders(case):
                standing = self._kept[holder].get(grant_id) if holder in self._kept else None
                if standing is not None and standing.extent.most_files is not None:
                    standing.files += case.files
                    return True
        return False

    def bounded(self) -> tuple[Grant, ...]:
        """Return what holds for a number of files, in the order it was given."""
        return tuple(grant for grant in self.list() if grant.most_files is not None)

    def keep(self, decision: Decision, extent: Extent, case: ConsentCase, feedback: str | None = None) -> Grant:
        """Remember an answer for the session.

        Args:
            decision: A yes or a no.
            extent: Its extent.
            case: The case that was asked about.
            feedback: The person's words.
        """
        holder = case.caller.session_id if decision.allows else case.caller.subject
        return self._add(holder, Standing.of("s", decision, extent, case, now=self._clock.now(), feedback=feedback))

    def refuse_again(self, case: ConsentCase, feedback: str | None) -> tuple[Grant, ...]:
        """Remember that a call was denied once, so that the same call is not asked about again.

        A target that is denied again and again within a minute is not asked about any more, whatever the call; nor is
        a tool that touches nothing in particular.
        """
        if not case.call:
            return ()
        extent = Extent(Holder.CLIENT, Coverage.CALL, Until.STOP)
        standing = Standing.of("s", Decision.DENY_ONCE, extent, case, now=self._clock.now(), feedback=feedback)
        places = [rung for rung in _places(case) if rung]
        where = tuple(rung.key for rung in places)
        about = f"{standing.title}{f' on {listed(places)}' if places else ''}"
        standing.session_id = case.caller.subject
        standing.said = (
            f"{_denied(standing.holder)} {about}. Exactly this is not asked about again until the bridge stops."
        )
        grant = standing.to_wire("call").model_copy(update={"tool": case.tool, "where": where})
        with self._lock:
            self._refused[case.caller.subject, case.tool, case.call] = _Refused(grant, case)
            if len(self._refused) > MOST_CALLS:
                self._refused.popitem(last=False)
            silenced = [self._silence(case, rung) for rung in self._struck(case)]
        return (grant, *silenced)

    def reconsider(self, case: ConsentCase, extent: Extent) -> None:
        """Forget the denials of calls that something wider, allowed since, now covers."""
        with self._lock:
            subject, allow = case.caller.subject, [("", extent)]
            self._forget_calls(lambda call: call[0] == subject and bool(covering(allow, self._refused[call].case)))

    def auto_approve(
        self, operation: Operation, client: str | None, *, enabled: bool, name: str | None = None
    ) -> Grant | None:
        """Approve an operation without asking, or no longer.

        Args:
            operation: The operation to approve, of tools of the class *session*: create or update.
            client: The client, by its id; None: everybody.
            enabled: On or off.
            name: The client's name, for people.
        """
        who = Holder.EVERYONE if client is None else Holder.CLIENT
        extent = Extent(who, Coverage.CHANGING, Until.STOP, operation=operation)
        holder = _EVERYBODY if client is None else client
        with self._lock:
            mine = self._kept.setdefault(holder, Answers())
            old = next((kept for kept in mine if kept.decision.allows and kept.extent == extent), None)
            if not enabled:
                mine.remove(old.id if old is not None else "")
                return None
            if old is None:
                now = self._clock.now()
                old = Standing(
                    id=f"s-{secrets.token_hex(6)}",
                    decision=Decision.ALLOW_SESSION,
                    extent=extent,
                    client_id=client or "",
                    client=name or "",
                    holder=name or UNNAMED_PROGRAMS,
                    title="",
                    since=now,
                    used=now,
                )
                mine.add(old)
            return old.to_wire("auto")

    def list(self) -> tuple[Grant, ...]:
        """Return everything that was said for a session, in the order it was given."""
        with self._lock:
            now = self._clock.now()
            standing = [kept for mine in self._kept.values() for kept in mine if not kept.extent.has_ended(now)]
            rows = [kept.to_wire("auto" if kept.session_id is None else "session") for kept in standing]
            return tuple(sorted((*rows, *(refused.grant for refused in self._refused.values())), key=_since))

    def revoke(self, grant_id: str) -> bool:
        """Forget one answer; False where there is none of this id."""
        with self._lock:
            if any(mine.remove(grant_id) for mine in self._kept.values()):
                return True
            return self._forget_calls(lambda call: self._refused[call].grant.grant_id == grant_id)

    def end_session(self, session_id: str) -> None:
        """Forget what was said for a session."""
        with self._lock:
            self._kept.pop(session_id, None)
            self._forget_calls(lambda call: call[0] == session_id)

    def forget_client(self, client_id: str) -> None:
        """Forget everything that was said of a client."""
        self.end_session(client_id)
        with self._lock:
            for strike in [strike for strike in self._strikes if strike[0] == client_id]:
                del self._strikes[strike]

    def forget(self, tool: str, *, allowed: bool) -> None:
        """Forget what was allowed to one tool, or which of its calls were denied: its mode was set since."""
        with self._lock:
            if not allowed:
                self._forget_calls(lambda call: call[1] == tool)
                return
            for mine in self._kept.values():
                for kept in mine:
                    if kept.decision.allows and kept.extent.tool == tool:
                        mine.remove(kept.id)

    def _forget_calls(self, is_meant: Callable[[_Call], bool]) -> bool:
        """Forget that some calls were denied; False where there are none. The lock is held."""
        calls = [call for call in self._refused if is_meant(call)]
        for call in calls:
            del self._refused[call]
        return bool(calls)

    def _near(self, holder: str, case: ConsentCase, *, allows: bool) -> tuple[Standing, ...]:
        """Return what one holder was said that may be about a case and has not ended. The lock is held."""
        mine, now = self._kept.get(holder), self._clock.now()
        if mine is None:
            return ()
        return tuple(kept for kept in mine.near(case.targets, allows=allows) if not kept.extent.has_ended(now))

    def _add(self, holder: str, standing: Standing) -> Grant:
        """Keep an answer, in place of one that says the same."""
        standing.session_id = holder
        lasting = standing.extent._replace(expires=None)
        with self._lock:
            mine = self._kept.setdefault(holder, Answers())
            now = self._clock.now()
            for old in mine:
                is_same = old.decision is standing.decision and old.extent._replace(expires=None) == lasting
                if is_same or old.extent.has_ended(now):
                    mine.remove(old.id)
            mine.add(standing)
        return standing.to_wire("session")

    def _struck(self, case: ConsentCase) -> tuple[Rung | None, ...]:
        """Return the targets that were denied too often just now, or None for a tool without any. The lock is held."""
        now = self._clock.monotonic()
        struck: list[Rung | None] = []
        for place in _places(case)[:MOST_STRUCK] or [None]:
            key = (case.caller.subject, case.tool if place is None else f"*{''.join(case.letters)}", place)
            recent = [moment for moment in self._strikes.pop(key, []) if now - moment < STRIKE_SECONDS]
            self._strikes[key] = [*recent, now]
            if len(recent) + 1 >= STRIKES:
                struck.append(place)
        while len(self._strikes) > MOST_CALLS:
            self._strikes.popitem(last=False)
        return tuple(struck)

    def _silence(self, case: ConsentCase, rung: Rung | None) -> Grant:
        """Ask no more about a target, or about a tool that touches none. The lock is held."""
        extent = Extent(Holder.CLIENT, Coverage.TOOL, Until.STOP, tool=case.tool)
        if rung is not None:
            about = _STRUCK.get(case.operation, Coverage.CHANGING)
            extent = Extent(Holder.CLIENT, about, Until.STOP, rungs=(rung,))
        standing = Standing.of("s", Decision.DENY_SESSION, extent, case, now=self._clock.now(), feedback=None)
        standing.silences = True
        standing.said = (
            f"{_denied(standing.holder)} {STRIKES} times within a minute, so it is not asked about "
            f"{rung.label if rung else standing.title} again until the bridge stops."
        )
        return self._add(case.caller.subject, standing)


def _denied(holder: str) -> str:
    """Return the beginning of a sentence about what was denied, in the number of who it is about."""
    return f"{holder} {'were' if holder == UNNAMED_PROGRAMS else 'was'} denied"


def _holders(case: ConsentCase) -> Iterable[str]:
    """Return the holders of answers that may allow a call."""
    return dict.fromkeys((case.caller.session_id, case.caller.subject, _EVERYBODY))


def _places(case: ConsentCase) -> list[Rung | None]:
    """Return the places that a call is about, as the person sees it."""
    return [target.place for target in case.subjects or case.targets]


def _since(grant: Grant) -> str:
    return grant.since or ""
