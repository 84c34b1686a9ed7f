"""A client that has read from the web is marked until the person clears it, and more of it is asked about."""

import pytest

from bridge.clock import SystemClock
from bridge.consent.web_readers import MOST_SITES, WebReaders
from bridge.contract.identity import Capability
from bridge.errors import ExecutionFailed
from bridge.identity.caller import PERSON, Caller, Client
from bridge.policy.targets import (
    Target,
    command_target,
    custom_tool_target,
    file_target,
    server_tool_target,
    url_target,
)
from bridge.vault.plan import Hazard
from tests.identities import PrivateFiles

ROBOT = Caller(Client("agent-1", "Robot", frozenset({Capability.CALL})), "connection-1")
SEA, LAND = url_target("https://sea.example/a"), url_target("https://land.example/")


@pytest.fixture
def folder() -> PrivateFiles:
    return PrivateFiles()


@pytest.fixture
def readers(folder: PrivateFiles) -> WebReaders:
    return WebReaders(folder, SystemClock())


def test_nothing_is_asked_about_before(readers: WebReaders) -> None:
    assert readers.insists(ROBOT, [LAND, command_target("/bin/ls")], [Hazard.LOADS]) == ""


@pytest.mark.parametrize(
    ("target", "what"),
    [
        (LAND, "a site that it has not read before (https://land.example/)"),
        (url_target("https://sea.example:8443/"), "a site that it has not read before (https://sea.example:8443/)"),
        (command_target("/bin/ls"), "a command"),
        (server_tool_target("s", "t"), "a tool of another server"),
        (custom_tool_target("t"), "a custom tool"),
    ],
)
def test_what_could_carry_something_out_is_asked_about_and_says_why(
    readers: WebReaders, target: Target, what: str
) -> None:
    readers.mark(ROBOT, [SEA])
    said = readers.insists(ROBOT, [target])
    assert said == f"Robot has read from the web (sea.example), which may have told it to do this: {what}"


@pytest.mark.parametrize("hazard", [Hazard.LOADS, Hazard.RUNS, Hazard.LEADS_OUT])
def test_so_is_text_that_would_load_run_or_lead_out(readers: WebReaders, hazard: Hazard) -> None:
    readers.mark(ROBOT, [SEA])
    assert "text that " in readers.insists(ROBOT, [file_target("a.md")], [hazard])


def test_what_it_has_read_and_plain_notes_are_not(readers: WebReaders) -> None:
    readers.mark(ROBOT, [SEA])
    assert readers.insists(ROBOT, [url_target("http://sea.example/b?q")]) == ""
    assert readers.insists(ROBOT, [file_target("a.md")], [Hazard.HIDES]) == ""


def test_the_mark_outlasts_a_new_connection_and_a_restart(folder: PrivateFiles, readers: WebReaders) -> None:
    readers.mark(ROBOT, [SEA])
    again = ROBOT._replace(connection="connection-2")
    assert readers.insists(again, [LAND])
    assert WebReaders(folder, SystemClock()).insists(again, [LAND])


def test_another_client_and_the_person_are_not_marked(readers: WebReaders) -> None:
    readers.mark(ROBOT, [SEA])
    readers.mark(PERSON, [SEA])
    other = Caller(Client("agent-2", "Other", frozenset({Capability.CALL})), "connection-3")
    assert readers.insists(other, [LAND]) == ""
    assert readers.insists(PERSON, [LAND]) == ""


def test_only_clearing_ends_it(folder: PrivateFiles, readers: WebReaders) -> None:
    readers.mark(ROBOT, [SEA])
    assert readers.clear("agent-1")
    assert not readers.clear("agent-1")
    assert readers.insists(ROBOT, [LAND]) == ""
    assert WebReaders(folder, SystemClock()).list() == ()


def test_a_client_whose_mark_cannot_be_written_gets_nothing(folder: PrivateFiles, readers: WebReaders) -> None:
    folder.full = True
    with pytest.raises(ExecutionFailed):
        readers.mark(ROBOT, [SEA])


def test_with_a_damaged_list_every_client_counts_as_marked(folder: PrivateFiles) -> None:
    folder.held["web_readers.json"] = b"{"
    readers = WebReaders(folder, SystemClock())
    assert readers.file.fault is not None
    assert readers.insists(ROBOT, [SEA])


def test_of_many_sites_the_latest_are_known(readers: WebReaders) -> None:
    for number in range(MOST_SITES + 1):
        readers.mark(ROBOT, [url_target(f"https://s{number}.example/")])
    assert readers.insists(ROBOT, [url_target("https://s0.example/")])
    assert readers.insists(ROBOT, [url_target(f"https://s{MOST_SITES}.example/")]) == ""
