"""Answers for good that hold for one client. They lie with the credentials, outside the vault, and go with them."""

import logging
import secrets
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from bridge.clock import Clock, stamp
from bridge.consent.session_grants import covers
from bridge.contract.consent import ConsentClass, Decision, Grant
from bridge.contract.targets import Reach
from bridge.errors import ExecutionFailed
from bridge.identity.private_file import PrivateFile, PrivateFolder
from bridge.policy.consent import ConsentCase, Rule
from bridge.policy.targets import Rung

logger = logging.getLogger(__name__)

FILE: Final = "client-grants.json"
MOST_GRANTS: Final = 10_000


@dataclass(frozen=True, slots=True)
class _Kept:
    """One answer. Without a rung it holds for every use of the tool."""

    id: str
    client_id: str
    tool: str
    rung: Rung | None
    decision: Decision
    since: datetime
    used: datetime
    feedback: str | None = None


class ClientGrants:
    """Remembers answers for good by client, recalls them and takes them back. May be used from several threads.

    A file with a fault allows nothing and is never overwritten.

    Args:
        folder: Where the file lies.
        clock: The wall clock.
        days: After how many days without use an allow ends; None: never.
        name_of: The name of a client by its id, for people.
    """

    def __init__(
        self,
        folder: PrivateFolder,
        *,
        clock: Clock,
        days: Callable[[], int | None],
        name_of: Callable[[str], str] = lambda client_id: client_id,
    ) -> None:
        self._file = PrivateFile(folder, FILE, "grants", read=_from_json, fault=_fault)
        self._clock = clock
        self._days = days
        self._name_of = name_of
        self._lock = threading.RLock()
        self._kept = self._file.load()
        self._dirty = False

    @property
    def fault(self) -> str | None:
        """What is wrong with the file and what to do, for people; None when nothing is."""
        return self._file.fault

    def denial(self, case: ConsentCase) -> Rule | None:
        """What denies a case."""
        for kept in self._of(case):
            if kept.decision.allows:
                continue
            if kept.rung is None or any(kept.rung.denies(target) for target in case.targets):
                what = f" for {kept.rung.label}" if kept.rung else ""
                why = (
                    f"the user never allows {case.tool!r}{what} to {case.caller.name}; "
                    f"`vault-bridge policy revoke {kept.id}` takes that back"
                )
                return Rule(f"client:{kept.id}", why)
        return None

    def grant(self, case: ConsentCase) -> Rule | None:
        """What allows a case; using it keeps it from expiring."""
        if case.consent_class is not ConsentClass.ALWAYS:
            return None
        allows = [kept for kept in self._of(case) if kept.decision.allows]
        if not covers((kept.rung for kept in allows), case.targets):
            return None
        used = [
            kept for kept in allows if kept.rung is None or any(kept.rung.covers(target) for target in case.targets)
        ]
        self._mark(used)
        why = (
            f"the user always allows {case.tool!r} to {case.caller.name}; "
            f"`vault-bridge policy revoke {used[0].id}` takes that back"
        )
        return Rule(f"client:{used[0].id}", why)

    def lapsed(self, case: ConsentCase) -> str | None:
        """Why a case that was allowed for good is asked about all the same, for people; None when that is not so."""
        with self._lock:
            mine = [kept for kept in self._kept.values() if kept.client_id == case.caller.client.id]
        held = [kept.rung for kept in mine if kept.tool == case.tool and kept.decision.allows]
        if not covers(held, case.targets):
            return None
        return f"{case.tool!r} was always allowed to {case.caller.name}, and was not used for {self._days()} days"

    def keep(
        self, decision: Decision, case: ConsentCase, rungs: tuple[Rung, ...] | None, feedback: str | None = None
    ) -> None:
        """Write an answer for good down.

        Args:
            decision: `allow_always` or `deny_always`.
            case: What was asked.
            rungs: What it holds for; None for every use of the tool.
            feedback: The person's words.

        Raises:
            ExecutionFailed: The file has a fault or cannot be written; nothing has changed.
        """
        now = self._clock.now()
        with self._lock:
            wanted = rungs or (None,)
            left = {
                key: kept
                for key, kept in self._kept.items()
                if not (kept.client_id == case.caller.client.id and kept.tool == case.tool and kept.rung in wanted)
            }
            for rung in wanted:
                grant_id = f"c-{secrets.token_hex(6)}"
                left[grant_id] = _Kept(grant_id, case.caller.client.id, case.tool, rung, decision, now, now, feedback)
            if len(left) > MOST_GRANTS:
                raise ExecutionFailed(f"There are {MOST_GRANTS} answers for single clients; take some of them back")
            self._save(left)

    def list(self) -> list[Grant]:
        """Every answer that holds, in the order they were given."""
        days = self._days()
        with self._lock:
            return [
                Grant(
                    grant_id=kept.id,
                    kind="client",
                    client=self._name_of(kept.client_id),
                    client_id=kept.client_id,
                    tool=kept.tool,
                    target=kept.rung.key if kept.rung else None,
                    reach=kept.rung.reach if kept.rung else None,
                    decision=kept.decision,
                    feedback=kept.feedback,
                    since=stamp(kept.since),
                    expires=stamp(kept.used + timedelta(days=days)) if days and kept.decision.allows else None,
                )
                for kept in self._living()
            ]

    def revoke(self, grant_id: str) -> bool:
        """Take one answer back; False when there is none of this id. Raises what `keep` raises."""
        with self._lock:
            if grant_id not in self._kept:
                return False
            self._save({key: kept for key, kept in self._kept.items() if key != grant_id})
        return True

    def forget_client(self, client_id: str) -> None:
        """A client was revoked: what it was allowed goes with it. Raises what `keep` raises."""
        with self._lock:
            left = {key: kept for key, kept in self._kept.items() if kept.client_id != client_id}
            if len(left) != len(self._kept):
                self._save(left)

    def sweep(self) -> None:
        """Write down what was used, and drop what has lapsed. Blocking."""
        with self._lock:
            living = {kept.id: kept for kept in self._living()}
            if self.fault is None and (self._dirty or len(living) != len(self._kept)):
                try:
                    self._save(living)
                except ExecutionFailed as failure:
                    logger.warning("%s", failure)

    def _of(self, case: ConsentCase) -> Iterable[_Kept]:
        with self._lock:
            return [
                kept for kept in self._living() if kept.client_id == case.caller.client.id and kept.tool == case.tool
            ]

    def _living(self) -> Iterable[_Kept]:
        days, now = self._days(), self._clock.now()
        return [
            kept
            for kept in self._kept.values()
            if days is None or not kept.decision.allows or now - kept.used < timedelta(days=days)
        ]

    def _mark(self, used: Iterable[_Kept]) -> None:
        now = self._clock.now()
        with self._lock:
            for kept in used:
                if kept.id in self._kept:
                    self._kept[kept.id] = replace(kept, used=now)
                    self._dirty = True

    def _save(self, kept: dict[str, _Kept]) -> None:
        self._file.save(_to_json(kept.values()))
        self._kept = kept
        self._dirty = False


def _fault(error: Exception) -> str:
    return (
        f"The answers for single clients ({FILE}) cannot be read: {error}. Until the file is repaired or "
        "removed and the bridge is started again, none of them holds"
    )


def _to_json(grants: Iterable[_Kept]) -> list[dict[str, Any]]:
    return [
        {
            "id": kept.id,
            "client": kept.client_id,
            "tool": kept.tool,
            "reach": kept.rung.reach if kept.rung else None,
            "key": kept.rung.key if kept.rung else None,
            "decision": kept.decision,
            "since": stamp(kept.since),
            "used": stamp(kept.used),
            "feedback": kept.feedback,
        }
        for kept in grants
    ]


def _from_json(data: Any) -> dict[str, _Kept]:
    """Raises KeyError, TypeError or ValueError when the form is not ours."""
    grants = [
        _Kept(
            id=str(member["id"]),
            client_id=str(member["client"]),
            tool=str(member["tool"]),
            rung=None if member["key"] is None else Rung(Reach(member["reach"]), str(member["key"])),
            decision=Decision(member["decision"]),
            since=datetime.fromisoformat(member["since"]),
            used=datetime.fromisoformat(member["used"]),
            feedback=member.get("feedback"),
        )
        for member in data
    ]
    return {kept.id: kept for kept in grants}
