"""What a chain stages in a draft stays as one or goes as one, also over a kill; nothing else is staged meanwhile."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from bridge.contract.identity import Capability
from bridge.drafts.draft import Draft
from bridge.drafts.store import MOST_CHAINS_OF_ONE, Drafts
from bridge.errors import Conflict, NotFound, RateLimited
from bridge.identity.caller import PERSON, Caller, Client
from bridge.vault.paths import parse_path
from tests.drafts.test_draft import NOTES, Rig


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    vault = tmp_path / "vault"
    for path, text in NOTES.items():
        (vault / path).parent.mkdir(parents=True, exist_ok=True)
        (vault / path).write_bytes(text.encode())
    (tmp_path / "state").mkdir()
    made = Rig(vault, tmp_path / "state")
    made.write("Garden.md", "first\n")
    yield made
    made.close()


def stage(rig: Rig, path: str, text: str, chain: str | None = "chain-1") -> None:
    place, files = parse_path(path), rig.draft.files
    old = files.read(place)[0] if files.exists(place) else None
    rig.draft.stage(
        rig.plan(
            lambda builder: (
                builder.create(place, text.encode()) if old is None else builder.modify(place, old, text.encode())
            )
        ),
        "edit_file",
        chain,
    )


def shown(draft: Draft) -> dict[str, str]:
    return {str(file.path): draft.files.read(file.path)[0].decode() for file in draft.files.walk()}


def killed(rig: Rig, name: str) -> Draft:
    """The draft as the next start finds it, had the bridge been killed now."""
    folder = rig.state / name
    shutil.copytree(rig.folder, folder, ignore=shutil.ignore_patterns("index"))
    return Draft.loaded(folder, rig.base, rig.clock)


def test_killed_anywhere_a_chain_is_there_whole_or_not_at_all(rig: Rig) -> None:
    before = shown(rig.draft)
    found = []

    def look(name: str) -> None:
        draft = killed(rig, name)
        found.append((shown(draft), len(draft.steps)))
        draft.begin_chain("another")  # it can be gone on with
        draft.end_chain(keep=True)
        draft.close()

    look("before")
    rig.draft.begin_chain("chain-1")
    look("begun")
    stage(rig, "Garden.md", "second\n")
    look("one")
    stage(rig, "New.md", "new\n")
    look("two")
    stage(rig, "Garden.md", "third\n")
    look("three")
    rig.draft.end_chain(keep=True)
    look("kept")
    after = before | {"Garden.md": "third\n", "New.md": "new\n"}
    assert found == [(before, 1)] * 5 + [(after, 4)]
    assert shown(rig.draft) == after


def test_a_chain_that_is_dropped_leaves_the_draft_as_it_was(rig: Rig) -> None:
    before, size, index = shown(rig.draft), rig.draft.size, rig.draft.index
    rig.draft.begin_chain("chain-1")
    stage(rig, "Garden.md", "#second [[Home]]\n")
    stage(rig, "New.md", "[[Garden]]\n")
    assert index.tagged("second") == ["Garden.md"]
    rig.draft.end_chain(keep=False)
    assert shown(rig.draft) == before
    assert index.tagged("second") == []
    assert {link.source for link in index.backlinks("Garden.md")} == {"Home.md", "Kitchen/Plum jam.md"}
    assert len(rig.draft.steps) == 1
    assert rig.draft.size >= size
    rig.restart()
    assert shown(rig.draft) == before
    stage(rig, "Garden.md", "later\n", None)
    assert rig.text("Garden.md") == "later\n"


def test_meanwhile_nothing_else_is_staged_submitted_or_chained(rig: Rig) -> None:
    rig.draft.begin_chain("chain-1")
    for attempt in (
        lambda: stage(rig, "New.md", "new\n", None),
        lambda: stage(rig, "New.md", "new\n", "chain-2"),
        lambda: rig.draft.begin_chain("chain-2"),
        lambda: rig.draft.net_plan("Take it"),
    ):
        with pytest.raises(Conflict, match="A chain is being staged"):
            attempt()
    rig.draft.end_chain(keep=True)
    stage(rig, "New.md", "new\n", None)


@pytest.mark.parametrize("then", ["modify", "move", "delete"])
def test_of_two_plans_of_the_same_bytes_only_the_first_is_staged(rig: Rig, then: str) -> None:
    place = parse_path("Garden.md")
    data = rig.draft.files.read(place)[0]
    late = rig.plan(
        lambda builder: {
            "modify": lambda: builder.modify(place, data, b"late\n"),
            "move": lambda: builder.move(place, parse_path("Else.md"), _hash(rig)),
            "delete": lambda: builder.delete(place, data),
        }[then]()
    )
    stage(rig, "Garden.md", "early\n", None)
    with pytest.raises(Conflict, match="has changed since it was read"):
        rig.draft.stage(late, "edit_file")
    assert rig.text("Garden.md") == "early\n"


def test_a_plan_made_against_what_was_dropped_is_not_staged(rig: Rig) -> None:
    place = parse_path("Home.md")
    rig.draft.begin_chain("chain-1")
    stage(rig, "Home.md", "dropped\n")
    late = rig.plan(lambda builder: builder.modify(place, b"dropped\n", b"late\n"))
    rig.draft.end_chain(keep=False)
    with pytest.raises(Conflict, match="has changed since it was read"):
        rig.draft.stage(late, "edit_file")
    assert rig.text("Home.md") == NOTES["Home.md"]


def _hash(rig: Rig) -> str:
    return rig.draft.staging.files["Garden.md"].after


ADA = Caller(Client("ada", "Ada", frozenset({Capability.CALL})), "c-1")
IN_CHAIN = Caller(ADA.client, "c-1", chain="chain-1")


def store(rig: Rig) -> Drafts:
    folder = rig.state / "drafts"
    folder.mkdir(exist_ok=True)
    drafts = Drafts(folder, rig.base, clock=rig.clock, days=lambda: 7)
    drafts.load()
    return drafts


def test_a_chains_draft_is_nobodys_but_the_chains(rig: Rig) -> None:
    drafts = store(rig)
    draft = drafts.begin_for_chain(IN_CHAIN)
    name = draft.head.draft_id
    inside = Caller(ADA.client, "c-1", draft=name, chain="chain-1")
    mallory = Caller(Client("mallory", "M", frozenset({Capability.CALL})), "c-9", draft=name, chain="chain-1")
    assert drafts.of(inside) is draft
    for who in (ADA, PERSON, Caller(ADA.client, "c-2")):
        assert drafts.of(who) is None
        assert drafts.listed(who) == []
    for who in (Caller(ADA.client, "c-1", draft=name), mallory):
        with pytest.raises(NotFound):
            drafts.of(who)
    for who in (ADA, PERSON, mallory):
        with pytest.raises(NotFound):
            drafts.discard(name, who)
        with pytest.raises(NotFound):
            drafts.join(who, name)
    assert drafts.begin(ADA).head.draft_id != name  # it stands in nobody's way
    drafts.stop()


def test_a_chains_draft_ends_with_the_bridge_and_with_its_client(rig: Rig) -> None:
    drafts = store(rig)
    drafts.begin_for_chain(IN_CHAIN)
    drafts.stop()
    drafts = store(rig)
    assert drafts.ids == []
    assert list((rig.state / "drafts").iterdir()) == []
    drafts.begin_for_chain(IN_CHAIN)
    drafts.client_ended("ada")
    assert drafts.ids == []
    drafts.stop()


def test_one_client_has_only_so_many_chains_at_once(rig: Rig) -> None:
    drafts = store(rig)
    begun = [drafts.begin_for_chain(IN_CHAIN) for _ in range(MOST_CHAINS_OF_ONE)]
    with pytest.raises(RateLimited, match="not done yet"):
        drafts.begin_for_chain(IN_CHAIN)
    drafts.taken(begun[0].head.draft_id)
    drafts.begin_for_chain(IN_CHAIN)
    drafts.stop()
