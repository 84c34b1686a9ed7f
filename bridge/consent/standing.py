"""One answer that holds: what was said, by whom it was asked, and what it holds for; and many of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from bridge.clock import stamp
from bridge.contract.consent import Decision, Grant, Holder
from bridge.policy.extent import Extent
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

    def sentence(self, days: int | None) -> str:
        """Return what it holds for, for people; `days` as `Extent.sentence` takes them."""
        return self.said or self.extent.sentence(self.decision, holder=self.holder, title=self.title, days=days)

    def to_wire(self, kind: str, *, days: int | None = None, expires: datetime | None = None) -> Grant:
        """Return the answer as it is listed.

        Args:
            kind: Where it is kept.
            days: After how many days without use it ends.
            expires: When it ends if it is not used until then.
        """
        is_everyone = self.extent.who is Holder.EVERYONE
        members = self.extent.to_wire(self.sentence(days))
        if expires is not None:
            members["expires"] = stamp(expires)
        return Grant.model_validate(
            members
            | {
                "grant_id": self.id,
                "kind": kind,
                "client": None if is_everyone else self.client,
                "client_id": None if is_everyone else self.client_id,
                "session_id": self.session_id,
                "decision": self.decision,
                "feedback": self.feedback,
                "used_files": None if self.extent.most_files is None else self.files,
                "since": stamp(self.since),
            }
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
