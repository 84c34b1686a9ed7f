"""All drafts of a vault: whose they are, which connection is in which, and how long they stay."""

import logging
import secrets
import shutil
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from bridge.clock import Clock, moment_of, stamp
from bridge.contract.consent import LineComment
from bridge.contract.drafts import ReviewComment
from bridge.drafts.draft import Base, Draft
from bridge.drafts.draft_files import DraftHead, StagedStep
from bridge.drafts.net_plan import Choices, NetPlan
from bridge.errors import Conflict, InvalidParameters, NotFound, RateLimited
from bridge.identity.caller import Caller
from bridge.vault.plan import ChangePlan, Rest

logger = logging.getLogger(__name__)

MOST_OF_ONE: Final = 3
"""Open drafts of one client."""
MOST: Final = 12
"""Open drafts of all."""
COMES_BACK: Final = timedelta(minutes=1)
"""In which a client that works in drafts comes back when its connection was only interrupted."""
CALLS_AGAIN: Final = timedelta(minutes=10)
"""In which one that connects anew for each call makes the next, as models think between calls."""
MOST_HANDED_IN: Final = 30
"""Drafts of one client that are handed in and wait for the person: one for each night of `HANDED_IN`."""
HANDED_IN: Final = timedelta(days=30)
"""The time for which a draft waits for the person after it was handed in."""
MOST_CHAINS_OF_ONE: Final = 3
"""Chains of one client that have staged something and are not done, most often because a person thinks."""
MOST_CHAINS: Final = 12
MOST_NAMED: Final = 50
"""Files of a draft that was sent back which its client is told by name."""


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
        self._told: dict[str, datetime] = {}
        """The time of the last call of each session of a client that works in drafts."""
        self._lasting: set[str] = set()
        """The clients whose last connection was made to last, so that its end is the end of their session."""
        self._entering = threading.Lock()
        """Held while a draft is begun that nobody has asked for, so that it is one also for two calls at once."""

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
        for draft in self._all:
            self._prepare(draft)

    def stop(self) -> None:
        """Close them; they stay. Blocks."""
        with self._lock:
            drafts, self._drafts = self._all, {}
        for draft in drafts:
            draft.close()

    def of(self, caller: Caller) -> Draft | None:
        """Return the draft that a call is made in.

        Args:
            caller: Who calls. The person is never in a draft, but for that of a chain.

        Returns:
            The one that the call names, else the one that its connection is in, or the only one of its client that no
            other connection is in; None outside of any. A client that works in drafts goes on in what was sent back,
            then in what it has left, and never in what is handed in.

        Raises:
            NotFound: This client has no such draft.
        """
        if caller.chain is None and caller.client.is_person:
            return None
        with self._lock:
            if caller.draft is not None:
                return self.get(caller.draft, caller)
            if caller.chain is not None:
                return None
            inside = self._inside.get(caller.connection)
            if inside is not None:
                return self._drafts.get(inside)
            left = self._left_alone(caller)
            if caller.client.drafts:
                own = [draft for draft in left if draft.head.state != "handed_in"]
                return min(own, key=lambda one: (one.head.state != "sent_back", one.head.created), default=None)
            is_outside = caller.connection in self._outside or caller.client.is_shared
            return left[0] if len(left) == 1 and not is_outside else None

    def begin(self, caller: Caller) -> Draft:
        """Return a new draft, with the caller's connection in it. Blocks.

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
            heads = [draft.head for draft in self._drafts.values()]
            own = [head for head in heads if head.client_id == caller.subject]
            if sum(head.state == "handed_in" for head in own) >= MOST_HANDED_IN:
                raise RateLimited(
                    f"{MOST_HANDED_IN} drafts of this client are handed in and wait for the user, and no more are "
                    "begun. Nothing was done. Tell the user so",
                    retry_after=60,
                )
            drafts = [head for head in heads if not head.of_chain and head.state != "handed_in"]
            open_ = [head.draft_id for head in drafts if head.client_id == caller.subject]
            made = list(self._beginning.values())
            if len(open_) + made.count(caller.subject) >= MOST_OF_ONE or len(drafts) + len(made) >= MOST:
                raise RateLimited(
                    f"Too many drafts are open; submit or discard one of them, or join it: {', '.join(open_)}",
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

    def enter(self, caller: Caller) -> Draft:
        """Return the draft that a caller's connection is in from now on, which is begun where there is none. Blocks.

        Raises: what `begin` raises, but for `exists`.
        """
        with self._entering:
            draft = self.of(caller)
            if draft is None:
                return self.begin(caller)
            if caller.draft is None:
                with self._lock:
                    self._enter(caller, draft.head.draft_id)
            return draft

    def hand_in(self, draft: Draft, reason: str | None = None) -> None:
        """Hand in a draft that its client has done with, for the person to look through. Blocks.

        Args:
            draft: The draft.
            reason: Why, in the client's words.

        Raises:
            Conflict: A chain is being staged in it.
            ExecutionFailed: The disk is full or failed.
        """
        draft.become("handed_in", reason=reason)
        with self._lock:
            for connection in [one for one, inside in self._inside.items() if inside == draft.head.draft_id]:
                del self._inside[connection]
        self._on_change()

    def send_back(self, draft: Draft, words: str | None, comments: Sequence[ReviewComment] = ()) -> None:
        """Send a draft back to its client, which goes on in it as the person wants. Blocks.

        Args:
            draft: The draft.
            words: What the person said; empty: nothing.
            comments: What they said of files and lines.

        Raises:
            ExecutionFailed: The disk is full or failed.
        """
        draft.become("sent_back", words or "", comments)
        self._on_change()

    def news(self, caller: Caller) -> str | None:
        """Return the news for the first answer of a client's session: the drafts that the person has sent back.

        A client that connects anew for each call is told again when it has not called for long.
        """
        if not caller.client.drafts:
            return None
        session, now = caller.client.id if caller.brief else caller.connection, self._clock.now()
        with self._lock:
            told = self._told.get(session)
            self._told[session] = now
            if told is not None and (not caller.brief or now - told < CALLS_AGAIN):
                return None
        return "\n".join(map(sent_back, self._sent_back(caller))) or None

    def sent_back(self, caller: Caller) -> int:
        """Return how many drafts of a client the person has sent back."""
        return len(self._sent_back(caller)) if caller.client.drafts else 0

    def _sent_back(self, caller: Caller) -> list[Draft]:
        own = [draft for draft in self._all if draft.head.client_id == caller.client.id]
        return [draft for draft in own if draft.head.state == "sent_back"]

    def decided(self, caller: Caller) -> str:
        """Tell a client which of its drafts the person has sent back, or is to decide about; empty: none."""
        if caller.client.is_person:
            return ""
        own = [draft for draft in self._all if _may_see(caller, draft) and not draft.head.of_chain]
        back = [sent_back(draft) for draft in own if draft.head.state == "sent_back"]
        waiting = [f"{draft.head.draft_id} waits for the user." for draft in own if draft.head.state == "handed_in"]
        return "\n".join([*back, *waiting])

    def session_lasts(self, client_id: str) -> timedelta:
        """Return how long after its last connection closed a client may come back to the same session."""
        return COMES_BACK if client_id in self._lasting else CALLS_AGAIN

    def worked_on(self) -> list[Draft]:
        """Return all that clients work in, handed in or not, oldest first; those of chains alone are left out."""
        drafts = (draft for draft in self._all if not draft.head.of_chain)
        return sorted(drafts, key=lambda draft: draft.head.created)

    def begin_for_chain(self, caller: Caller) -> Draft:
        """Begin a draft in which only the calls of one chain stage, until it is put to the person. Blocks.

        Raises:
            RateLimited: Too many chains are not done yet.
            ExecutionFailed: The disk is full or failed.
        """
        with self._lock:
            made = self._beginning_chains
            chains = [*made, *(draft.head.client_id for draft in self._drafts.values() if draft.head.of_chain)]
            if chains.count(caller.subject) >= MOST_CHAINS_OF_ONE or len(chains) >= MOST_CHAINS:
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
            Conflict: It is handed in.
        """
        with self._lock:
            draft = self.get(draft_id, caller)
            draft.expect_in_hand()
            self._enter(caller, draft_id)
        return draft

    def stage(self, draft: Draft, plan: ChangePlan, tool: str, chain: str | None = None) -> StagedStep:
        """Stage a plan; see `Draft.stage`. Blocks."""
        step = draft.stage(plan, tool, chain)
        if not draft.head.of_chain:
            self._on_change()
        return step

    def end_chain(self, draft: Draft, *, keep: bool) -> None:
        """End a chain that was staged in a client's draft; see `Draft.end_chain`. Blocks."""
        draft.end_chain(keep=keep)
        self._on_change()

    def discard(self, draft_id: str, caller: Caller) -> None:
        """End a draft without taking anything of it. The person may end each, a client its own. Blocks.

        Raises:
            NotFound: There is no such draft for this caller.
            Conflict: It is handed in, and the caller is not the person.
        """
        draft = self.get(draft_id, caller)
        if not caller.client.is_person:
            draft.expect_in_hand()
        self._end(draft)

    def taken(self, draft_id: str, rest: Rest | None = None) -> None:
        """End a draft whose plan has been applied, or that nobody can go on with, but for what goes back. Blocks."""
        draft = self._drafts.get(draft_id)
        if draft is not None and rest is not None:
            draft.keep_rest(rest)
            self._on_change()
        elif draft is not None:
            self._end(draft)

    def choose(self, draft_id: str, who: str, choices: Choices) -> ChangePlan:
        """Return the plan of a draft once a person has chosen where others changed the same. Blocks until that is kept.

        Args:
            draft_id: The draft.
            who: The client, for people.
            choices: What is taken, by the id of each place; what was chosen before stays.

        Raises:
            Conflict: The draft has ended, or nothing of it differs from the vault any more (`stale`).
            InvalidParameters: A place is none of it, that cannot be taken there, or nothing would be left.
            ExecutionFailed: The disk is full or failed.
        """
        draft = self._still(draft_id)
        offered = {place.place_id: place.offers for place in submission(draft, who).conflicts}
        for place_id, take in choices.items():
            if take not in offered.get(place_id, ()):
                raise InvalidParameters(f"{place_id[:60]!r} is no place of this draft where that can be taken")
        plan = submission(draft, who, choices=draft.head.choices | dict(choices)).plan
        if plan is None:
            raise InvalidParameters("Nothing of the draft would be left; deny it instead")
        draft.choose(choices)
        return plan

    def edit(self, draft_id: str, who: str, path: str, data: bytes, by: str) -> ChangePlan:
        """Return the plan of a draft in which a person has edited a file; see `Draft.edit`. Blocks."""
        draft = self._still(draft_id)
        draft.edit(path, data, by)
        self._on_change()
        return self.renewed(draft_id, who)

    def renewed(self, draft_id: str, who: str) -> ChangePlan:
        """Return the plan of a draft as the vault is now. Blocks.

        Raises:
            Conflict: The draft has ended, or nothing of it differs from the vault any more (`stale`).
            ExecutionFailed: Its files are damaged.
        """
        plan = submission(self._still(draft_id), who).plan
        if plan is None:
            raise Conflict(f"Nothing of {draft_id} differs from the vault any more", code="stale")
        return plan

    def comments(self, draft_id: str, plan: ChangePlan, said: Sequence[LineComment]) -> tuple[ReviewComment, ...]:
        """Return a person's comments on files and lines that they are shown, as the draft's client is told. Blocks.

        Args:
            draft_id: The draft.
            plan: What they are shown.
            said: What they say.

        Raises:
            Conflict: The draft has ended (`stale`).
            InvalidParameters: There is no such file or line.
        """
        draft = self._still(draft_id)
        return tuple(draft.comment(plan, one) for one in said)

    def is_handed_in(self, draft_id: str) -> bool:
        """Return whether its client has done with a draft, so that the person alone changes it."""
        draft = self._drafts.get(draft_id)
        return draft is not None and draft.head.state == "handed_in"

    def _still(self, draft_id: str) -> Draft:
        draft = self._drafts.get(draft_id)
        if draft is None:
            raise Conflict(f"{draft_id} has ended", code="stale")
        return draft

    def get(self, draft_id: str, caller: Caller) -> Draft:
        """Return a draft that a caller may look into: the person each, a client its own.

        Raises:
            NotFound: There is no such draft for this caller.
        """
        draft = self._drafts.get(draft_id)
        if draft is None or not _may_see(caller, draft):
            raise NotFound(f"You have no draft {draft_id[:60]!r}; begin one, or ask for the status of yours")
        return draft

    def listed(self, caller: Caller) -> list[Draft]:
        """Return the drafts that a caller may look into, oldest first."""
        return sorted((draft for draft in self._all if _may_see(caller, draft)), key=lambda draft: draft.head.created)

    @property
    def _all(self) -> list[Draft]:
        return list(self._drafts.values())

    @property
    def ids(self) -> list[str]:
        """Return the ids of all that are open, those of chains too."""
        return list(self._drafts)

    def left(self, caller: Caller) -> str | None:
        """Take a closed connection out of its draft. Returns at once.

        Returns:
            The draft that ends with it, which is a program's without a name: `taken` ends it.
        """
        with self._lock:
            self._outside.discard(caller.connection)
            self._told.pop(caller.connection, None)
            self._beginning.pop(caller.connection, None)
            draft_id = self._inside.pop(caller.connection, None)
            lasting = self._lasting.discard if caller.brief else self._lasting.add
            lasting(caller.client.id)
        return draft_id if caller.client.is_shared else None

    def client_ended(self, client_id: str) -> None:
        """End the drafts of a client that was revoked. Blocks."""
        self._end(*(draft for draft in self._all if draft.head.client_id == client_id))

    def changed(self, paths: Iterable[str]) -> None:
        """Take note that something has changed in the vault below. Returns at once."""
        paths = tuple(paths)
        for draft in self._all:
            draft.changed(paths)

    def sweep(self) -> None:
        """End what nobody has touched for long. Blocks."""
        now = self._clock.now()
        self._end(*(draft for draft in self._all if self.kept_until(draft) < now))

    def kept_until(self, draft: Draft) -> datetime:
        """Return when a draft is discarded, if nothing becomes of it until then."""
        since = draft.head.since
        if since is not None and draft.head.state == "handed_in":
            return moment_of(since) + HANDED_IN
        return moment_of(max(draft.touched, since or "")) + timedelta(days=self._days())

    @staticmethod
    def _prepare(draft: Draft) -> None:
        try:
            draft.prepare()
        except OSError as error:  # the first call that needs the index tries again, and says so
            logger.warning("The index of %s cannot be made yet (%s)", draft.head.draft_id, error)

    def _left_alone(self, caller: Caller) -> list[Draft]:
        """Return the drafts of a client that no connection is in."""
        held = set(self._inside.values())
        return [
            draft
            for draft in self._drafts.values()
            if draft.head.client_id == caller.subject and draft.head.draft_id not in held and not draft.head.of_chain
        ]

    def _begun(self, caller: Caller, *, of_chain: bool = False) -> Draft:
        owner, now, draft_id = caller.subject, stamp(self._clock.now()), f"draft-{secrets.token_hex(4)}"
        head = DraftHead(draft_id=draft_id, client_id=owner, holder=caller.session_id, created=now, of_chain=of_chain)
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


def sent_back(draft: Draft) -> str:
    """Return the text for the client of a draft that was sent back, with the person's words."""
    head = draft.head
    said = f" and said: {head.words}" if head.words else "" if head.comments else " without a word"
    end = "" if said.endswith((".", "!", "?")) else "."
    took = "took a part of it" if any(step.kept is not None for step in draft.steps) else "took nothing of it"
    comments = "".join(f"\n- {said_of(comment)}" for comment in head.comments)
    more = len(draft.paths) - MOST_NAMED
    rest = f"\nIn it: {', '.join(draft.paths[:MOST_NAMED])}" + (f" and {more:,} more" if more > 0 else "")
    return (
        f"The user looked through {head.draft_id}, {took}, and sent it back{said}{end}{comments}{rest}\nWhat you write "
        "now goes on in it. Change it as they want and submit it again, or discard it."
    )


def said_of(comment: ReviewComment) -> str:
    """Return the person's comment on a file or a line, in one line for models."""
    where = comment.path if comment.line is None else f"{comment.path}, line {comment.line}"
    quote = f" ({comment.quote})" if comment.quote else ""
    said = "".join(character for character in " ".join(comment.text.split()) if character.isprintable())
    return f"{where}{quote}: {said}"


def submission(draft: Draft, who: str, *, choices: Choices | None = None) -> NetPlan:
    """Return the plan of a whole draft, as it is put to the person. Blocks.

    Args:
        draft: The draft.
        who: The client, for people.
        choices: What is taken where others changed the same places meanwhile; by default what the person has chosen.

    Raises:
        ExecutionFailed: Its files are damaged.
    """
    chosen = draft.head.choices if choices is None else choices
    found = _planned(draft, lambda files: f"Take the draft of {who}, {files}", chosen)
    if found.plan is None:
        return found
    news = draft.news()
    previews = tuple(map(news.told, found.plan.previews))
    warnings = (*found.plan.warnings, *news.notes)
    name, reason = draft.head.draft_id, draft.head.reason
    plan = replace(found.plan, draft=name, previews=previews, warnings=warnings, reason=reason)
    return found._replace(plan=plan)


def chain_submission(draft: Draft, what: str) -> NetPlan:
    """Return the plan of all that a chain has staged, for the person. Blocks. Raises what `submission` raises.

    Args:
        draft: The chain's.
        what: What the chain does, in a sentence that can go on.
    """
    return _planned(draft, lambda files: f"{what}, which changes {files}")


def _planned(draft: Draft, said: Callable[[str], str], choices: Choices | None = None) -> NetPlan:
    """Return the plan of a draft, whose sentence names its number of files as the answer does."""
    found = draft.net_plan("", choices)
    if found.plan is None:
        return found
    reads = dict.fromkeys(path for step in draft.steps for path in step.reads)
    plan = replace(found.plan, reads=tuple(reads), summary=said(found.plan.counted_files))
    return found._replace(plan=plan)


def _may_see(caller: Caller, draft: Draft) -> bool:
    is_own = caller.subject == draft.head.client_id and draft.head.holder == caller.session_id
    if draft.head.of_chain:
        return is_own and caller.chain is not None
    return is_own or caller.client.is_person
