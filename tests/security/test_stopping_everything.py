"""Stopping everything revokes what you allowed, trusted or let be confirmed elsewhere, and keeps what you denied."""

from pathlib import Path

from bridge.app import Bridge
from tests.people import Person, add_client, named


async def test_everything_that_was_allowed_ends_at_once_and_what_was_denied_stays_denied(
    configuration: Path, bridge: Bridge, person: Person, vault: Path
) -> None:
    permissions = vault / ".vault-bridge" / "permissions.json"
    permissions.write_text('{"Work/": "r??", "Diary.md": "---"}', encoding="utf-8")
    added = await add_client(person, vault, "Robot")
    bridge.services.clients.choose(added["client"]["clientId"], elicitation=True)
    bridge.settings.update({"developerMode": True, "consentMode": {"grep": "always_allow", "find": "never_allow"}})
    await person.host.request("consent.allowReading", client="Robot", where=["/"])
    await person.host.request("consent.autoApprove", operation="create", enabled=True)
    (configuration / "mcp.json").write_text('{"mcp_servers": {"s": {"command": "x", "trusted": true}}}', "utf-8")
    ended = await person.host.request("consent.endAll")
    kinds = sorted(grant["kind"] for grant in ended["ended"])
    assert kinds == ["auto", "client", "file", "mode"]
    assert ended["text"] == (
        "4 answers ended; developer mode is off; no server is trusted any more (s); "
        "nothing is confirmed in a program any more (Robot). Every program asks from now on."
    )
    (client,) = await person.host.request("clients.list")
    assert client["elicitation"] is False
    (server,) = (await person.host.request("servers.list"))["servers"]
    assert server["trusted"] is False
    left = await person.host.request("consent.grants")
    assert {grant["decision"] for grant in left} == {"deny_always"}
    person.answer = "deny_once"
    async with named(vault, "Robot") as robot:
        assert not (await robot.call("read", path="Ideas.md")).ok
        assert not (await robot.call("write_file", {"path": "New.md", "content": "x\n"})).ok
    assert len(person.asked) == 2
    assert (await person.host.request("consent.endAll"))["text"].startswith("Nothing was allowed without asking.")
