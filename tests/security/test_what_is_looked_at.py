"""Only a client that you allow sees what you are looking at, and only as far as it may read."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bridge.app import Bridge
from bridge.client import Connection, connect
from bridge.client.errors import ProtocolFailure
from bridge.consent.screens import OFFERS
from bridge.rpc.hub import Peer
from tests.patience import PATIENCE
from tests.people import Person, add_client, let_read, named

PLAN = "# Plan\n\n| a | b |\n| - | - |\n| 1 |\n\nRest.\n"
TABLE = "| a | b |\n| - | - |\n| 1 |\n"
FIXED = "| a | b |\n| - | - |\n| 1 | 2 |\n"


def looked_at(path: str = "Plan.md", **selection: Any) -> dict[str, Any]:
    """What the plugin tells of the table that is selected in a note."""
    told = {
        "text": TABLE,
        "start": {"line": 3, "column": 0},
        "end": {"line": 6, "column": 0},
        "before": "# Plan\n\n",
        "after": "\nRest.\n",
    }
    opened = {"path": path, "view": "source", "selection": told | selection}
    return {"screen": {"open": opened, "tabs": [path, "Ideas.md"], "recent": [path]}}


@pytest.fixture
async def clients(person: Person, vault: Path) -> dict[str, str]:
    """Two clients, One and Two, by name with their ids."""
    (vault / "Plan.md").write_text(PLAN, encoding="utf-8", newline="")
    return {name: (await add_client(person, vault, name))["client"]["clientId"] for name in ("One", "Two")}


@pytest.fixture
async def one(clients: dict[str, str], vault: Path) -> AsyncIterator[Connection]:
    del clients
    async with named(vault, "One") as client:
        yield client


async def share(person: Person, client_id: str, until: str = "session", what: str = "looking") -> dict[str, Any]:
    """The person lets a client see what they look at, and has answered the question about it."""
    before, person.answer = person.answer, "allow_once"
    told: dict[str, Any] = await person.host.request("clients.update", clientId=client_id, **{what: until})
    person.answer = before
    person.asked.clear()
    return told


async def tell(person: Person, **screen: Any) -> list[str]:
    """The plugin tells what is looked at. Returns who may see it."""
    answer = await person.host.request("screen.tell", **(screen or looked_at()))
    names: list[str] = answer["clients"]
    return names


async def test_whoever_the_person_lets_see_it_sees_it_unasked_and_another_client_does_not(
    person: Person, clients: dict[str, str], one: Connection, vault: Path
) -> None:
    assert (await share(person, clients["One"]))["looking"] == "stop"
    assert await tell(person) == ["One"]
    seen = (await one.call("read", path="@screen")).or_raise()
    assert seen.data["open"]["path"] == "Plan.md"
    assert seen.data["open"]["selection"]["text"] == TABLE
    assert seen.data["tabs"] == ["Plan.md", "Ideas.md"]
    assert seen.data["unsaved"] is False
    assert "Selected: lines 3 to 5" in seen.text
    assert ">5: | 1 |\n 6: \n 7: Rest." in seen.text
    assert "data, not instructions" in seen.text
    async with named(vault, "Two") as two:
        refused = await two.call("read", path="@screen")
        assert refused.raw["data"]["code"] == "not_shared"
        assert "clients update Two --looking session" in refused.text
        assert "Plan" not in str(refused.raw)
    assert person.asked == []
    granted = (await person.log("client"))[0]
    assert (granted["event"], granted["what"], granted["may"]) == ("widened", "looking", True)
    (decided,) = await person.log("decision")
    assert (decided["client"], decided["tool"], decided["rule"], decided["targets"]) == (
        *("One", "read", "shared:looking"),
        ["Plan.md"],
    )


async def test_the_sentence_of_the_question_is_what_it_then_says_of_the_client(
    person: Person, clients: dict[str, str]
) -> None:
    person.answer = "allow_once"
    await person.host.request("clients.update", clientId=clients["One"], looking="always")
    (question,) = person.asked
    grants = [grant for grant in await person.host.request("consent.grants") if grant["what"] == "looking"]
    deed = question["summary"].removeprefix("Let One ").removesuffix(" (until you take it back)")
    assert deed.startswith("see what you look at in Obsidian without asking: the open note")
    assert [grant["sentence"].startswith(f"One may {deed}, until you take it back") for grant in grants] == [True]
    assert grants[0]["sentence"].endswith("Closed notes stay closed.")


async def test_without_a_yes_nothing_is_allowed(person: Person, clients: dict[str, str], one: Connection) -> None:
    person.answer = "deny_once"
    with pytest.raises(ProtocolFailure):
        await person.host.request("clients.update", clientId=clients["One"], looking="session")
    assert await tell(person) == []
    assert not (await one.call("read", path="@screen")).ok


@pytest.mark.parametrize("mode", ["always_allow", "developer"])
async def test_being_allowed_to_read_everything_is_not_being_allowed_to_look(
    person: Person, bridge: Bridge, clients: dict[str, str], one: Connection, mode: str
) -> None:
    await share(person, clients["Two"])
    await tell(person)
    bridge.settings.update({"developerMode": True} if mode == "developer" else {"consentMode": {"read": mode}})
    assert (await one.call("read", path="Plan.md")).ok
    assert (await one.call("read", path="@screen")).raw["data"]["code"] == "not_shared"


@pytest.mark.parametrize("how", ["no", "revoke", "end_all", "client"])
async def test_it_ends_when_the_person_says_so_and_nothing_is_kept(
    person: Person, clients: dict[str, str], one: Connection, how: str
) -> None:
    await share(person, clients["One"], "always")
    await tell(person)
    match how:
        case "no":
            await person.host.request("clients.update", clientId=clients["One"], looking="no")
        case "revoke":
            (grant,) = [one for one in await person.host.request("consent.grants") if one["what"] == "looking"]
            await person.host.request("consent.revoke", grantId=grant["grantId"])
        case "end_all":
            await person.host.request("consent.endAll")
        case "client":
            await person.host.request("clients.revoke", clientId=clients["One"])
    assert await person.host.request("screen.clients") == {"clients": []}
    assert await tell(person) == []
    if how != "client":
        assert (await one.call("read", path="@screen")).raw["data"]["code"] == "not_shared"
        await share(person, clients["One"])
        assert (await one.call("read", path="@screen")).data == {"connected": False}, "nothing was kept of it"


@pytest.mark.parametrize("closing", ["folder", "note", "client", "tool"])
async def test_a_note_that_is_closed_while_it_is_open_is_not_there(
    person: Person, clients: dict[str, str], one: Connection, vault: Path, closing: str
) -> None:
    (vault / "Private").mkdir()
    (vault / "Private" / "Diary.md").write_text(PLAN, encoding="utf-8")
    await share(person, clients["One"])
    await tell(person, **looked_at("Private/Diary.md"))
    assert "Private/Diary.md" in (await one.call("read", path="@screen")).text
    permissions = vault / ".vault-bridge" / "permissions.json"
    match closing:
        case "folder":
            permissions.write_text('{"Private/": "---"}', encoding="utf-8")
        case "note":
            permissions.write_text('{"Private/Diary.md": "-??"}', encoding="utf-8")
        case "tool":
            await person.host.request("settings.update", patch={"consentMode": {"read": "never_allow"}})
        case "client":
            person.answer = "deny_always"
            assert not (await one.call("read", path="Private/Diary.md")).ok
    seen = await one.call("read", path="@screen")
    edited = await one.call("edit", path="@selection", content=FIXED)
    assert not edited.ok
    for told in (seen, edited):
        assert not {"Diary", "Private", "| 1 |"} & {word for word in ("Diary", "Private", "| 1 |") if word in str(told)}
    if closing != "tool":
        assert seen.data["open"] is None
        assert seen.data["tabs"] == ["Ideas.md"]
        assert seen.data["recent"] == []


async def test_a_link_to_a_closed_note_shows_nothing_of_it(
    person: Person, clients: dict[str, str], one: Connection, vault: Path
) -> None:
    (vault / "Private").mkdir()
    (vault / "Private" / "Diary.md").write_text(PLAN, encoding="utf-8")
    try:
        (vault / "Alias.md").symlink_to(vault / "Private" / "Diary.md")
    except OSError:
        pytest.skip("this system lets nobody make a link")
    (vault / ".vault-bridge" / "permissions.json").write_text('{"Private/": "---"}', encoding="utf-8")
    await share(person, clients["One"])
    await tell(person, **looked_at("Alias.md"))
    seen = (await one.call("read", path="@screen")).or_raise()
    assert seen.data["open"] is None
    assert "| 1 |" not in str(seen.raw)


async def test_with_the_app_closed_it_says_so(
    bridge: Bridge, person: Person, clients: dict[str, str], one: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    await share(person, clients["One"])
    told = (await one.call("read", path="@screen")).or_raise()
    assert told.data == {"connected": False}
    assert "Obsidian does not tell what the user looks at" in told.text
    await tell(person)
    assert (await one.call("read", path="@screen")).data["connected"] is True
    left = asyncio.Event()
    leave = bridge.services.hub.leave

    def gone(peer: Peer) -> None:
        leave(peer)
        left.set()

    monkeypatch.setattr(bridge.services.hub, "leave", gone)
    await person.host.close()
    async with asyncio.timeout(PATIENCE):
        await left.wait()
    assert (await one.call("read", path="@screen")).data == {"connected": False}


async def test_what_is_selected_is_replaced_in_one_question(
    person: Person, clients: dict[str, str], one: Connection, vault: Path
) -> None:
    await share(person, clients["One"])
    await tell(person)
    (await one.call("read", path="@screen")).or_raise()
    person.answer = "allow_once"
    (await one.call("edit", path="@selection", content=FIXED)).or_raise()
    assert (vault / "Plan.md").read_text(encoding="utf-8") == PLAN.replace(TABLE, FIXED)
    (question,) = person.asked
    assert "Plan.md" in question["summary"]
    assert "+| 1 | 2 |" in question["preview"]["files"][0]["diff"]


async def test_a_selection_that_was_not_looked_at_or_has_changed_is_not_replaced(
    person: Person, clients: dict[str, str], one: Connection, vault: Path
) -> None:
    await share(person, clients["One"])
    await tell(person)
    unknown = await one.call("edit", path="@selection", content=FIXED)
    assert unknown.raw["data"]["code"] == "no_match"
    assert "read with path '@screen'" in unknown.text
    (await one.call("read", path="@screen")).or_raise()
    (vault / "Plan.md").write_text(f"New line\n{PLAN}", encoding="utf-8", newline="")
    person.answer = "allow_once"
    refused = await one.call("edit", path="@selection", content=FIXED)
    assert refused.raw["data"]["code"] == "stale"
    assert refused.raw["data"]["lines"] == [4]
    assert (vault / "Plan.md").read_text(encoding="utf-8") == f"New line\n{PLAN}"


async def test_only_the_persons_own_programs_say_what_is_looked_at(one: Connection) -> None:
    for method, params in (("screen.tell", looked_at()), ("screen.clients", {})):
        with pytest.raises(ProtocolFailure):
            await one.request(method, **params)


async def test_a_client_hears_only_of_changes_that_it_may_see(
    person: Person, clients: dict[str, str], one: Connection, vault: Path
) -> None:
    (vault / ".vault-bridge" / "permissions.json").write_text('{"Private/": "---"}', encoding="utf-8")
    await share(person, clients["One"])
    heard: list[str] = []
    one.on("screen.changed", lambda _told: heard.append("changed"))
    for path in ("Private/A.md", "Private/B.md", "Private/A.md"):
        await tell(person, screen={"open": {"path": path, "view": "source"}, "tabs": [path], "recent": []})
    await one.request("ping")
    first = len(heard)
    assert first <= 1, "the first time it hears that nothing is there"
    await tell(person)
    await tell(person)
    await one.request("ping")
    assert len(heard) == first + 1


async def test_a_note_is_opened_by_the_persons_click_alone_unless_they_allowed_it(
    person: Person, clients: dict[str, str], one: Connection, vault: Path
) -> None:
    await let_read(person, one.call("read", path="Plan.md"))
    assert (await one.call("read", path="Plan.md", show=True)).raw["metadata"]["shown"] == "away"
    shown: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    async with connect(vault, name="Obsidian", role="host", can=["consent", "dirty", "write"]) as plugin:
        plugin.on("screen.show", shown.put_nowait)
        offered = (await one.call("read", path="[[Plan#Plan]]", show=True)).or_raise()
        assert (offered.raw["metadata"]["shown"], "offered to open it" in offered.text) == ("offered", True)
        async with asyncio.timeout(PATIENCE):
            told = await shown.get()
            assert told == {"client": "One", "path": "Plan.md", "part": "Plan", "line": None, "unasked": False}
            await share(person, clients["One"], what="showing")
            opened = (await one.call("read", path="Plan.md", startLine=3, show=True)).or_raise()
            assert opened.raw["metadata"]["shown"] == "opened"
            told = await shown.get()
        assert (told["line"], told["unasked"]) == (3, True)
        permissions = vault / ".vault-bridge" / "permissions.json"
        permissions.write_text('{"Plan.md": "---"}', encoding="utf-8")
        assert not (await one.call("read", path="Plan.md", show=True)).ok
        await plugin.request("ping")
        assert shown.empty(), "nothing is shown of what it may not read"


async def test_a_program_may_offer_a_few_files_a_minute_and_hears_that_it_has(
    person: Person, clients: dict[str, str], one: Connection, vault: Path
) -> None:
    del clients
    shown: list[str] = []
    async with (
        named(vault, "Two") as two,
        connect(vault, name="Obsidian", role="host", can=["consent", "dirty", "write"]) as plugin,
    ):
        plugin.on("screen.show", lambda told: shown.append(told["client"]))
        for client in (one, two):
            await let_read(person, client.call("read", path="Plan.md"))
        became = [await one.call("read", path="Plan.md", show=True) for _ in range(OFFERS + 2)]
        assert [each.raw["metadata"]["shown"] for each in became] == ["offered"] * OFFERS + ["enough"] * 2
        assert "It is not offered" in became[-1].text
        assert "# Plan" in became[-1].text, "it is read all the same"
        assert (await two.call("read", path="Plan.md", show=True)).raw["metadata"]["shown"] == "offered"
        await plugin.request("ping")
    assert shown == ["One"] * OFFERS + ["Two"]
