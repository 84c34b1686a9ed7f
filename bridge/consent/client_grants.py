"""Answers for good that people gave to questions. They are kept with the credentials, outside the vault.

Those for one client decide here, and are removed with it. Those for everyone decide through the permission file, which
has a line for each place; this file only notes which lines were one answer, so that one click takes it back.
"""

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from datetime import datetime, timedelta
from typing import Annotated, Any, Final

from pydantic import AwareDatetime, BaseModel, PlainSerializer, model_validator

from bridge.clock import Clock, stamp
from bridge.consent.session_grants import Answers, Standing
from bridge.contract.consent import ConsentClass, Coverage, Decision, Grant, Holder, Until
from bridge.errors import ExecutionFailed
from bridge.identity.caller import SHARED_ID
from bridge.policy.consent import ConsentCase, Extent, Letter, Rule, covering
from bridge.policy.targets import Rung
from bridge.records.folder import RecordFolder, RecordStore

logger = logging.getLogger(__name__)

FILE: Final = "client-grants.json"
MOST_GRANTS: Final = 10_000
_Moment = Annotated[AwareDatetime, PlainSerializer(stamp)]


@dataclass(eq=False, repr=False)
class ClientGrants:
    """The lasting answers by client: kept, recalled and taken back. May be used from several threads.

    Args:
        folder: Where the file lies.
        clock: The wall clock.
        days: After how many days without use an allow ends; None: never.
        name_of: The name of a client by its id, for people.

    Attributes:
        file: The file. While it has a fault, it allows nothing and is not overwritten.
    """

    folder: RecordFolder
    _: KW_ONLY
    clock: Clock
    days: Callable[[], int | None]
    name_of: Callable[[str], str] = lambda client_id: client_id

    def __post_init__(self) -> None:
        self.file = RecordStore(self.folder, FILE, list[_Record], member="grants", fault=_FAULT)
        self._lock = threading.RLock()
        self._kept = {record.id: record.answer() for record in self.file.load([])}
        self._by_client = _by_client(self._kept)
        self._dirty = False

    def denial(self, case: ConsentCase) -> Rule | None:
        """Return what denies a case."""
        kept = next((one for one in self._near(case, allows=False) if one.extent.denies(case)), None)
        return None if kept is None else self._named(kept).rule(f"client:{kept.id}", self.days())

    def grant(self, case: ConsentCase) -> Rule | None:
        """Return what allows a case; using it keeps it from expiring."""
        if case.consent_class is not ConsentClass.ALWAYS:
            return None
        days, now = self.days(), self.clock.now()
        allows = {kept.id: kept for kept in self._near(case, allows=True) if not _has_lapsed(kept, days, now)}
        needed = covering(((key, kept.extent) for key, kept in allows.items()), case)
        if not needed:
            return None
        for key in needed:
            self.use(key)
        return self._named(allows[needed[0]]).rule(f"client:{needed[0]}", days)

    def lapsed(self, case: ConsentCase) -> str | None:
        """Return why a case that was allowed for good is asked about all the same; None if it is not."""
        if not covering([(kept.id, kept.extent) for kept in self._near(case, allows=True)], case):
            return None
        return f"{case.tool!r} was always allowed to {case.caller.name}, and was not used for {self.days()} days"

    def keep(
        self,
        decision: Decision,
        extent: Extent,
        case: ConsentCase,
        feedback: str | None = None,
        *,
        letters: Sequence[Letter] | None = None,
    ) -> Grant:
        """Write an answer for good down.

        Args:
            decision: `allow_always` or `deny_always`.
            extent: Its extent.
            case: The case that was asked about.
            feedback: The person's words.
            letters: Of an answer for everyone, under which letters the permission file has it.

        Raises:
            ExecutionFailed: The file has a fault or cannot be written; nothing has changed.
        """
        kept = Standing.of("c", decision, extent, case, now=self.clock.now(), feedback=feedback)
        kept.letters = None if letters is None else tuple(letters)
        with self._lock:
            others = [old for old in self._kept.values() if old.extent.who is not extent.who or not _is_same(old, kept)]
            left = {old.id: old for old in (*others, kept)}
            if len(left) > MOST_GRANTS:
                raise ExecutionFailed(f"There are {MOST_GRANTS} answers for good; take some of them back")
            self._save(left)
        return kept.to_wire("client" if letters is None else "file", days=self.days())

    def list(self) -> tuple[Grant, ...]:
        """Return every answer for one client that holds, in the order they were given."""
        days, now = self.days(), self.clock.now()
        with self._lock:
            own = [one for one in self._kept.values() if one.letters is None and not _has_lapsed(one, days, now)]
        span = timedelta(days=days) if days else None
        ends = (one.used + span if span and one.decision.allows else None for one in own)
        return tuple(
            self._named(one).to_wire("client", days=days, expires=end) for one, end in zip(own, ends, strict=True)
        )

    def written(self) -> tuple[Standing, ...]:
        """Return the answers for everyone, of which the permission file has the lines."""
        with self._lock:
            return tuple(kept for kept in self._kept.values() if kept.letters is not None)

    def revoke(self, grant_id: str) -> bool:
        """Take one answer back; False when there is none of this id. Raises what `keep` raises."""
        with self._lock:
            if grant_id not in self._kept:
                return False
            self._save({key: kept for key, kept in self._kept.items() if key != grant_id})
        return True

    def forget_client(self, client_id: str) -> None:
        """Forget what a client was allowed, as it was revoked. Raises what `keep` raises."""
        with self._lock:
            left = {
                key: kept for key, kept in self._kept.items() if kept.client_id != client_id or kept.letters is not None
            }
            if len(left) != len(self._kept):
                self._save(left)

    def use(self, grant_id: str) -> None:
        """Keep an answer from expiring, as it has just allowed something."""
        with self._lock:
            if (kept := self._kept.get(grant_id)) is not None:
                kept.used = self.clock.now()
                self._dirty = True

    def sweep(self) -> None:
        """Write down what was used, and drop what has lapsed. Blocking."""
        days, now = self.days(), self.clock.now()
        with self._lock:
            living = {key: kept for key, kept in self._kept.items() if not _has_lapsed(kept, days, now)}
            if self.file.fault is None and (self._dirty or len(living) != len(self._kept)):
                try:
                    self._save(living)
                except ExecutionFailed as failure:
                    logger.warning("%s", failure)

    def _near(self, case: ConsentCase, *, allows: bool) -> Sequence[Standing]:
        """Return what was answered to the caller that may be about a case, lapsed or not."""
        with self._lock:
            mine = self._by_client.get(case.caller.client.id)
            return [] if mine is None else mine.near(case.targets, allows=allows)

    def _named(self, kept: Standing) -> Standing:
        """Return an answer with its client's name as it is now."""
        name = self.name_of(kept.client_id)
        return replace(kept, client=name, holder=kept.holder if kept.client_id == SHARED_ID else name)

    def _save(self, kept: dict[str, Standing]) -> None:
        self.file.save([_Record.of(answer) for answer in kept.values()])
        self._kept = kept
        self._by_client = _by_client(kept)
        self._dirty = False


def _by_client(kept: Mapping[str, Standing]) -> dict[str, Answers]:
    """Return the answers for one client, by client."""
    found: dict[str, Answers] = {}
    for standing in kept.values():
        if standing.letters is None:
            found.setdefault(standing.client_id, Answers()).add(standing)
    return found


def _has_lapsed(kept: Standing, days: int | None, now: datetime) -> bool:
    """Return whether a client's allow was unused for so many days. The permission file has times of its own."""
    is_ours = kept.decision.allows and kept.letters is None
    return is_ours and days is not None and now - kept.used >= timedelta(days=days)


def _is_same(one: Standing, other: Standing) -> bool:
    """Return whether two answers are about the same: the newer one is what counts, whichever it is."""
    lasting = [kept.extent._replace(until=Until.REVOKED, operation=None) for kept in (one, other)]
    is_everyone = one.extent.who is Holder.EVERYONE
    return lasting[0] == lasting[1] and (is_everyone or one.client_id == other.client_id)


_FAULT: Final = (
    f"The answers that were given for good ({FILE}) cannot be read: {{why}}. Until the file is repaired or "
    "removed and the bridge is started again, none of them holds"
)


_COPIED: Final = ("id", "decision", "holder", "title", "since", "used", "feedback")
"""The members that an answer and its record have in common."""


class _Record(BaseModel):
    """One answer as the file holds it. The members have the names that they have in the file."""

    id: str
    client: str
    holder: str = ""
    who: Holder
    what: Coverage
    tool: str | None
    title: str = ""
    rungs: tuple[Rung, ...]
    until: Until
    decision: Decision
    since: _Moment
    used: _Moment
    feedback: str | None = None
    letters: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _today(cls, member: Any) -> Any:
        """Return a member in today's form. That of version 3 had one rung and was always about a tool."""
        if not isinstance(member, dict) or "what" in member:
            return member
        rungs = [] if member["key"] is None else [{"reach": member["reach"], "key": member["key"]}]
        until = Until.UNUSED if Decision(member["decision"]).allows else Until.REVOKED
        return {"who": "client", "what": "tool", "until": until, "rungs": rungs, **member}

    @classmethod
    def of(cls, answer: Standing) -> "_Record":
        """Return an answer as the file holds it."""
        members = answer.extent._asdict() | {name: getattr(answer, name) for name in _COPIED}
        letters = None if answer.letters is None else "".join(answer.letters)
        return cls.model_validate(members | {"client": answer.client_id, "letters": letters})

    def answer(self) -> Standing:
        """Return the answer."""
        letters: list[Letter] = [letter for letter in ("r", "w", "x") if letter in (self.letters or "")]
        held = {name: getattr(self, name) for name in _COPIED}
        held |= {"holder": self.holder or self.client, "title": self.title or self.tool or ""}
        return Standing(
            **held,
            extent=Extent(self.who, self.what, self.until, tool=self.tool, rungs=self.rungs),
            client_id=self.client,
            client=self.client,
            letters=None if self.letters is None else tuple(letters),
        )
