"""Whose drafts there are, and who is in which, whatever connections do meanwhile."""

import threading
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from bridge.clock import SystemClock
from bridge.contract.consent import Operation
from bridge.drafts.draft import Base, Draft
from bridge.drafts.draft_files import DraftFiles, DraftHead
from bridge.drafts.store import MOST_OF_ONE, Drafts
from bridge.errors import Conflict, NotFound, RateLimited
from bridge.identity.caller import SHARED, Caller, Client
from bridge.index.vault_index import VaultIndex
from bridge.notes.additions import judge
from bridge.vault.files import VaultFiles
from bridge.vault.paths import known_path
from bridge.vault.plan import PlanBuilder
from bridge.vault.root import VaultRoot
from tests.identities import PERSON
from tests.patience import PATIENCE

ADA = Client("ada", "Ada", frozenset())


@pytest.fixture
def drafts(tmp_path: Path) -> Iterator[Drafts]:
    vault, state = tmp_path / "vault", tmp_path / "state"
    vault.mkdir()
    state.mkdir()
    (vault / "Home.md").write_bytes(b"# Home\n")
    root = VaultRoot(vault)
    files, clock = VaultFiles(root), SystemClock()
    index = VaultIndex(files, clock)
    index.refresh()
    made = Drafts(state, Base(files, index, lambda: PlanBuilder(root, judge)), clock=clock, days=lambda: 7)
    yield made
    made.stop()
    index.close()
    root.close()


class Held:
    """Lets a draft be made only when the test says so.

    Attributes:
        reached: One is about to be made.
        go: It may be made.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.reached, self.go = threading.Event(), threading.Event()
        make = DraftFiles.make

        def held(files: DraftFiles, head: DraftHead) -> None:
            self.reached.set()
            assert self.go.wait(PATIENCE)
            make(files, head)

        monkeypatch.setattr(DraftFiles, "make", held)


class Beginning(threading.Thread):
    """Begins a draft in a thread of its own."""

    def __init__(self, drafts: Drafts, caller: Caller) -> None:
        super().__init__()
        self.drafts, self.caller = drafts, caller
        self.draft: Draft | None = None
        self.failure: Exception | None = None
        self.start()

    def run(self) -> None:
        try:
            self.draft = self.drafts.begin(self.caller)
        except (Conflict, NotFound, RateLimited) as failure:
            self.failure = failure


def test_nobody_waits_while_a_draft_is_being_made(drafts: Drafts, monkeypatch: pytest.MonkeyPatch) -> None:
    held = Held(monkeypatch)
    beginning = Beginning(drafts, Caller(ADA, "one"))
    assert held.reached.wait(PATIENCE)
    other = Caller(ADA, "other")
    assert drafts.of(other) is None
    assert drafts.listed(PERSON) == []
    assert drafts.left(other) is None
    with pytest.raises(Conflict, match="being begun"):
        drafts.begin(Caller(ADA, "one"))
    held.go.set()
    beginning.join(PATIENCE)
    assert beginning.draft is drafts.of(Caller(ADA, "one"))


@pytest.mark.parametrize("client", [ADA, SHARED], ids=["a client", "a program without a name"])
def test_a_draft_that_is_begun_for_a_connection_that_closes_is_none(
    drafts: Drafts, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, client: Client
) -> None:
    held = Held(monkeypatch)
    beginning = Beginning(drafts, Caller(client, "one"))
    assert held.reached.wait(PATIENCE)
    assert drafts.left(Caller(client, "one")) is None
    held.go.set()
    beginning.join(PATIENCE)
    assert isinstance(beginning.failure, NotFound)
    assert drafts.listed(PERSON) == []
    assert list((tmp_path / "state").iterdir()) == []


def test_drafts_that_are_being_made_count(drafts: Drafts, monkeypatch: pytest.MonkeyPatch) -> None:
    held = Held(monkeypatch)
    beginnings = [Beginning(drafts, Caller(ADA, str(number))) for number in range(MOST_OF_ONE + 2)]
    assert held.reached.wait(PATIENCE)
    held.go.set()
    for beginning in beginnings:
        beginning.join(PATIENCE)
    assert len(drafts.listed(PERSON)) == MOST_OF_ONE
    assert sum(isinstance(one.failure, RateLimited) for one in beginnings) == 2


def test_a_client_sees_its_own_drafts_and_the_person_all_oldest_first(drafts: Drafts) -> None:
    mine = drafts.begin(Caller(ADA, "one"))
    theirs = drafts.begin(Caller(Client("bob", "Bob", frozenset()), "two"))
    assert drafts.listed(Caller(ADA, "three")) == [mine]
    assert drafts.listed(PERSON) == [mine, theirs]


@pytest.mark.parametrize("member", ["draft.json created", "draft.json since", "steps.jsonl time"])
@pytest.mark.parametrize("time", ["soon", "2026-01-31T10:30:00"])
def test_a_draft_whose_times_cannot_be_read_is_taken_away_and_the_others_stay(
    drafts: Drafts, tmp_path: Path, caplog: pytest.LogCaptureFixture, member: str, time: str
) -> None:
    caller = Caller(ADA, "ada")
    broken, whole = (drafts.begin(caller._replace(connection=name)) for name in ("one", "two"))
    for draft in (broken, whole):
        builder = PlanBuilder(draft.files.root)
        builder.create(known_path("New.md"), b"new\n")
        drafts.stage(draft, builder.build(Operation.CREATE, "Create New.md"), "create_note")
    drafts.stop()
    file, name = member.split()
    place = tmp_path / "state" / broken.head.draft_id / file
    place.write_bytes(orjson.dumps(orjson.loads(place.read_bytes()) | {name: time}) + b"\n")
    drafts.load()
    assert drafts.ids == [whole.head.draft_id]
    assert broken.head.draft_id in caplog.text
