"""All drafts of a vault: whose they are, which connection is in which, and how long they stay."""

import logging
import secrets
import shutil
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from bridge.clock import Clock, stamp
from bridge.drafts.draft import Base, Draft
from bridge.drafts.draft_files import Head, Step
from bridge.drafts.net_plan import NetPlan
from bridge.errors import Conflict, NotFound, RateLimited
from bridge.identity.caller import Caller
from bridge.vault.plan import ChangePlan

logger = logging.getLogger(__name__)

MOST_OF_ONE: Final = 3
"""Open drafts of one client."""
MOST: Final = 12
"""Open drafts of all."""
MOST_CHAINS_OF_ONE: Final = 3
"""Chains of one client that have staged something and are not done, most often because a person thinks."""
MOST_CHAINS: Final = 12


@dataclass(frozen=True, slots=True)
class Summary:
    """A draft as lists show it.

    Attributes:
        draft_id: Its name.
        client_id: The client whose it is.
        created: When it was begun, ISO 8601 in UTC.
        touched: When something was staged last, ISO 8601 in UTC.
        steps: How many calls were staged.
        files: The files that differ from the vault, by where they are in the draft or were in the vault.
    """

    draft_id: str
    client_id: str
    created: str
    touched: str
    steps: int
    files: tuple[str, ...]


class Drafts:
    """The drafts of one vault. Every method may be called from any thread; those that say so block.

    Args:
        folder: A folder outside the vault, for this user only.
        base: The vault.
        clock: The time.
        days: How long a draft stays after something was staged last.
        on_change: Called when a draft was begun, changed or ended; from any thread.
        on_end: Called with the id of a draft that has ended, before its files go; from any thread.
    """

    def __init__(
        self,
        folder: Path,
        base: Base,
        *,
        clock: Clock,
        days: Callable[[], int],
        on_change: Callable[[], None] = lambda: None,
        on_end: Callable[[str], None] = lambda _draft_id: None,
    ) -> None:
        self._folder = folder
        self._base = base
        self._clock = clock
        self._days = days
        self._on_change = on_change
        self._on_end = on_end
        self._lock = threading.RLock()
        """Never held while the disk is waited for."""
        self._drafts: dict[str, Draft] = {}
        self._beginning: dict[str, str] = {}
        """The client of each connection for which a draft is being made."""
        self._beginning_chains: list[str] = []
        """The clients for whose chains drafts are being made."""
        self._inside: dict[str, str] = {}
        """The draft that each connection is in."""
        self._outside: set[str] = set()
        """Connections that have left a draft, and are taken into none without asking for it."""

    def load(self) -> None:
        """Take up what was there when the bridge ran last; what is damaged or too old is taken away. Blocks."""
        for place in sorted(self._folder.iterdir()):
            if not place.is_dir():
                continue
            try:
                draft = Draft.loaded(place, self._base, self._clock)
            except (OSError, ValueError) as error:
                logger.warning("The draft %s is damaged and is taken away (%s)", place.name, error)
                shutil.rmtree(place, ignore_errors=True)
                continue
            # A connection's has ended with it, and a chain's is made again when its call is.
            if draft.head.of_chain or draft.head.holder != draft.head.client_id:
                draft.discard()
            else:
                self._drafts[draft.head.draft_id] = draft
        self.sweep()

    def prepare(self) -> None:
        """Have all that were taken up ready, so that no call waits for that. Blocks."""
        for draft in list(self._drafts.values()):
            self._prepare(draft)

    def stop(self) -> None:
        """Close them; they stay. Blocks."""
        with self._lock:
            drafts, self._drafts = list(self._drafts.values()), {}
        for draft in drafts:
            draft.close()

    def of(self, caller: Caller) -> Draft | None:
        """The draft that a call is made in.

        Args:
            caller: Who calls. The person is never in a draft, but for that of a chain.

        Returns:
            The one that the call names, else the one that its connection is in, or the only one of its client that no
            other connection is in; None outside of any.

        Raises:
            NotFound: This client has no such draft.
        """
        if caller.chain is None and caller.client.is_person:
            return None
        with self._lock:
            if caller.draft is not None:
                return self._own(caller, caller.draft)
            if caller.chain is not None:
                return None
            inside = self._inside.get(caller.connection)
            if inside is not None:
                return self._drafts.get(inside)
            if caller.connection in self._outside or caller.client.is_shared:
                return None
            left = self._left_alone(caller)
            return left[0] if len(left) == 1 else None

    def begin(self, caller: Caller) -> Draft:
        """A new draft, with the caller's connection in it. Blocks.

        Raises:
            Conflict: The caller is in one already.
            RateLimited: There are too many.
            ExecutionFailed: The disk is full or failed.
        """
        with self._lock:
            held = self.of(caller)
            if held is not None:
                raise Conflict(
                    f"You are in the draft {held.head.draft_id} already; submit or discard it first", code="exists"
                )
            if caller.connection in self._beginning:
                raise Conflict("A draft is being begun for you already; ask for the status", code="exists")
            drafts = [draft for draft in self._drafts.values() if not draft.head.of_chain]
            own = [draft for draft in drafts if draft.head.client_id == caller.subject]
            made = list(self._beginning.values())
            if len(own) + made.count(caller.subject) >= MOST_OF_ONE or len(drafts) + len(made) >= MOST:
                raise RateLimited(
                    "Too many drafts are open; submit or discard one of them, or join it: "
                    + ", ".join(draft.head.draft_id for draft in own),
                    retry_after=60,
                )
            self._beginning[caller.connection] = caller.subject
        draft: Draft | None = None
        try:
            draft = self._begun(caller)
        finally:
            with self._lock:
                is_there = self._beginning.pop(caller.connection, None) is not None
                if draft is not None and is_there:
                    self._drafts[draft.head.draft_id] = draft
                    self._enter(caller, draft.head.draft_id)
        if not is_there:
            draft.discard()
            raise NotFound("The connection was closed meanwhile, so no draft was begun")
        self._on_change()
        return draft

    def begin_for_chain(self, caller: Caller) -> Draft:
        """What a chain stages in, until it is put to the person; nobody is in it but the chain's own calls. Blocks.

        Raises:
            RateLimited: Too many chains are not done yet.
            ExecutionFailed: The disk is full or failed.
        """
        with self._lock:
            chains = [draft for draft in self._drafts.values() if draft.head.of_chain]
            own = [draft for draft in chains if draft.head.client_id == caller.subject]
            made = self._beginning_chains
            if len(own) + made.count(caller.subject) >= MOST_CHAINS_OF_ONE or len(chains) + len(made) >= MOST_CHAINS:
                raise RateLimited(
                    "Too many chains are not done yet; wait until the user has answered one of them", retry_after=60
                )
            self._beginning_chains.append(caller.subject)
        draft: Draft | None = None
        try:
            draft = self._begun(caller, of_chain=True)
        finally:
            with self._lock:
                self._beginning_chains.remove(caller.subject)
                if draft is not None:
                    self._drafts[draft.head.draft_id] = draft
        return draft

    def join(self, caller: Caller, draft_id: str) -> Draft:
        """Take the caller's connection into a draft of its client.

        Raises:
            NotFound: This client has no such draft.
        """
        with self._lock:
            draft = self._own(caller, draft_id)
            self._enter(caller, draft_id)
        return draft

    def stage(self, draft: Draft, plan: ChangePlan, tool: str, chain: str | None = None) -> Step:
        """Stage a plan; see `Draft.stage`. Blocks."""
        step = draft.stage(plan, tool, chain)
        if not draft.head.of_chain:
            self._on_change()
        return step

    def end_chain(self, draft: Draft, *, keep: bool) -> None:
        """A chain has ended that was staged in a client's draft; see `Draft.end_chain`. Blocks."""
        draft.end_chain(keep=keep)
        self._on_change()

    def discard(self, draft_id: str, caller: Caller) -> None:
        """End a draft without taking anything of it. The person may end each, a client its own. Blocks.

        Raises:
            NotFound: There is no such draft for this caller.
        """
        with self._lock:
            draft = self._own(caller, draft_id)
        self._end(draft)

    def taken(self, draft_id: str) -> None:
        """A draft's plan has been applied, or nobody can go on with it: it ends. Blocks."""
        with self._lock:
            draft = self._drafts.get(draft_id)
        if draft is not None:
            self._end(draft)

    def get(self, draft_id: str, caller: Caller) -> Draft:
        """A draft that a caller may look into: the person each, a client its own.

        Raises:
            NotFound: There is no such draft for this caller.
        """
        with self._lock:
            return self._own(caller, draft_id)

    def listed(self, caller: Caller) -> list[Draft]:
        """The drafts that a caller may look into, oldest first."""
        with self._lock:
            drafts = [draft for draft in self._drafts.values() if _may_see(caller, draft)]
        return sorted(drafts, key=lambda draft: draft.head.created)

    @property
    def ids(self) -> list[str]:
        """Of all that are open, those of chains too."""
        return list(self._drafts)

    def left(self, caller: Caller) -> str | None:
        """A connection is closed, so it is in no draft any more. Returns at once.

        Returns:
            The draft that ends with it, which is a program's without a name: `taken` ends it.
        """
        with self._lock:
            self._outside.discard(caller.connection)
            self._beginning.pop(caller.connection, None)
            draft_id = self._inside.pop(caller.connection, None)
        return draft_id if caller.client.is_shared else None

    def client_ended(self, client_id: str) -> None:
        """A client was revoked: its drafts end. Blocks."""
        self._end(*(draft for draft in list(self._drafts.values()) if draft.head.client_id == client_id))

    def changed(self, paths: Iterable[str]) -> None:
        """Something has changed in the vault below. Returns at once."""
        paths = tuple(paths)
        for draft in list(self._drafts.values()):
            draft.changed(paths)

    def sweep(self) -> None:
        """End what nobody has touched for long. Blocks."""
        oldest = self._clock.now() - timedelta(days=self._days())
        old = [draft for draft in list(self._drafts.values()) if datetime.fromisoformat(_touched(draft)) < oldest]
        self._end(*old)

    @staticmethod
    def _prepare(draft: Draft) -> None:
        try:
            draft.prepare()
        except OSError as error:  # the first call that needs the index tries again, and says so
            logger.warning("The index of %s cannot be made yet (%s)", draft.head.draft_id, error)

    def _own(self, caller: Caller, draft_id: str) -> Draft:
        draft = self._drafts.get(draft_id)
        if draft is None or not _may_see(caller, draft):
            raise NotFound(f"You have no draft {draft_id[:60]!r}; begin one, or ask for the status of yours")
        return draft

    def _left_alone(self, caller: Caller) -> list[Draft]:
        """The drafts of a client that no connection is in."""
        held = set(self._inside.values())
        return [
            draft
            for draft in self._drafts.values()
            if draft.head.client_id == caller.subject and draft.head.draft_id not in held and not draft.head.of_chain
        ]

    def _begun(self, caller: Caller, *, of_chain: bool = False) -> Draft:
        draft_id = f"draft-{secrets.token_hex(4)}"
        head = Head(
            draft_id=draft_id,
            client_id=caller.subject,
            holder=caller.session_id,
            created=stamp(self._clock.now()),
            of_chain=of_chain,
        )
        draft = Draft.begun(self._folder / draft_id, head, self._base, self._clock)
        self._prepare(draft)
        return draft

    def _enter(self, caller: Caller, draft_id: str) -> None:
        self._inside[caller.connection] = draft_id
        self._outside.discard(caller.connection)

    def _end(self, *drafts: Draft) -> None:
        for draft in drafts:
            with self._lock:
                if self._drafts.pop(draft.head.draft_id, None) is None:
                    continue
                members = [one for one, inside in self._inside.items() if inside == draft.head.draft_id]
                for connection in members:
                    del self._inside[connection]
                    self._outside.add(connection)
            self._on_end(draft.head.draft_id)
            draft.discard()
        if any(not draft.head.of_chain for draft in drafts):
            self._on_change()


def summary(draft: Draft) -> Summary:
    """What lists show of a draft."""
    staging = draft.staging
    return Summary(
        draft_id=draft.head.draft_id,
        client_id=draft.head.client_id,
        created=draft.head.created,
        touched=_touched(draft),
        steps=len(draft.steps),
        files=tuple(sorted({*staging.files, *staging.removed})),
    )


def submission(draft: Draft, who: str, reason: str | None = None) -> NetPlan:
    """The plan of a whole draft, as it is put to the person. Blocks.

    Args:
        draft: The draft.
        who: The client, for people.
        reason: Why, in the client's words.

    Raises:
        Conflict: `draft_conflict`: others changed the same places meanwhile.
        ExecutionFailed: Its files are damaged.
    """
    said = f": {reason}" if reason else ""
    found = _planned(draft, lambda files: f"Take the draft of {who}, {files}{said}")
    return found if found.plan is None else replace(found, plan=replace(found.plan, draft=draft.head.draft_id))


def chain_submission(draft: Draft, what: str) -> NetPlan:
    """The plan of all that a chain has staged, as it is put to the person. Blocks. Raises what `submission` raises.

    Args:
        draft: The chain's.
        what: What the chain does, in a sentence that can go on.
    """
    return _planned(draft, lambda files: f"{what}, which changes {files}")


def _planned(draft: Draft, said: Callable[[str], str]) -> NetPlan:
    """The plan of a draft, whose sentence names its number of files as the answer does."""
    found = draft.net_plan("")
    if found.plan is None:
        return found
    reads = dict.fromkeys(path for step in draft.steps for path in step.reads)
    plan = replace(found.plan, reads=tuple(reads), summary=said(found.plan.counted_files))
    return replace(found, plan=plan)


def _touched(draft: Draft) -> str:
    return draft.steps[-1].time if draft.steps else draft.head.created


def _may_see(caller: Caller, draft: Draft) -> bool:
    is_own = caller.subject == draft.head.client_id and draft.head.holder == caller.session_id
    if draft.head.of_chain:
        return is_own and caller.chain is not None
    return is_own or caller.client.is_person
