"""What is looked at in a vault is noted, if anybody asks."""

import contextlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path
from typing import Any

import pytest

from bridge.errors import ToolFailure
from bridge.index.vault_index import PermittedKnowledge
from bridge.policy.consent import Rule
from bridge.testing.memory import MemoryStorage
from bridge.toolkit.permitted import PermittedFiles
from bridge.tools.storage import PlanningStorage, VaultStorage
from bridge.vault.files import VaultFiles
from bridge.vault.paths import VaultPath, parse_path
from bridge.vault.root import EVERYTHING, VaultRoot, noting_looks, record_look

NOTE = parse_path("Notes/Meeting.md")
LOOKS: dict[str, Callable[[PlanningStorage], Any]] = {
    "stat": lambda storage: storage.stat(NOTE),
    "state": lambda storage: storage.state(NOTE),
    "is_folder": lambda storage: storage.is_folder(NOTE),
    "resolve": lambda storage: storage.resolve(NOTE),
    "read": lambda storage: storage.read(NOTE),
    "open": lambda storage: contextlib.closing(storage.open(NOTE).__enter__()),
    "names": lambda storage: storage.names(NOTE),
    "walk": lambda storage: list(storage.walk(NOTE)),
    "resolve_new": lambda storage: storage.resolve_new(NOTE),
}
QUESTIONS: dict[str, Callable[[Any], Any]] = {
    "names": lambda known: known.names,
    "status": lambda known: known.status(),
    "files": lambda known: known.files(),
    "folders": lambda known: known.folders(),
    "file": lambda known: known.file("Ideas.md"),
    "note": lambda known: known.note("Ideas.md"),
    "notes": lambda known: list(known.notes()),
    "links_from": lambda known: known.links_from("Ideas.md"),
    "links_named": lambda known: known.links_named(["x"]),
    "backlinks": lambda known: known.backlinks("Ideas.md"),
    "with_alias": lambda known: known.with_alias("x"),
    "tags": lambda known: known.tags(),
    "tagged": lambda known: known.tagged("x"),
}


@pytest.fixture(params=["folder", "memory"])
def storage(request: pytest.FixtureRequest, vault: Path, indexed: Any) -> Iterator[Any]:
    if request.param == "memory":
        yield MemoryStorage({"Notes/Meeting.md": "# Meeting\n", "Ideas.md": "# Ideas\n"})
        return
    with VaultRoot(vault) as root:
        knowledge = PermittedKnowledge(indexed(vault), lambda: None)
        yield VaultStorage(PermittedFiles(VaultFiles(root), lambda: None), knowledge)


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_every_way_to_a_file_is_noted_whether_it_leads_there_or_not(
    storage: Any, look: Callable[[PlanningStorage], Any]
) -> None:
    with noting_looks() as noted, contextlib.suppress(ToolFailure):
        look(storage)
    assert noted == {str(NOTE)}


@pytest.mark.parametrize("ask", QUESTIONS.values(), ids=QUESTIONS)
def test_whoever_asks_for_names_has_looked_in_the_whole_vault(storage: Any, ask: Callable[[Any], Any]) -> None:
    with noting_looks() as noted:
        ask(storage.knowledge)
    assert EVERYTHING in noted


def test_a_refusal_by_the_rules_comes_before_any_look() -> None:
    closed = MemoryStorage({"Notes/Meeting.md": "x"}, lambda: lambda _path: Rule("file:Notes/", "closed"))
    with noting_looks() as noted, pytest.raises(ToolFailure):
        closed.read(NOTE)
    assert noted == set()


def test_beyond_the_whole_vault_there_is_nothing_more_to_note() -> None:
    with noting_looks() as noted:
        record_look("a.md")
        record_look()
        record_look("b.md")
    assert noted == {"a.md", EVERYTHING}


def test_looks_in_a_thread_that_has_the_context_are_noted_and_others_are_not() -> None:
    with noting_looks() as noted, ThreadPoolExecutor(1) as pool:
        pool.submit(copy_context().run, record_look, "mine.md").result()
        pool.submit(record_look, "theirs.md").result()
    assert noted == {"mine.md"}
    record_look(VaultPath.root())  # nobody wants to know
