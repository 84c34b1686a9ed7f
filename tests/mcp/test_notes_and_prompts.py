"""Notes as resources, and prompts: nothing of the vault is shown that the client may not read."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import PromptReference, ResourceTemplateReference

from tests.mcp.pipes import ERAS, Served, serve_robot

pytestmark = pytest.mark.slow

NOTE = ResourceTemplateReference(uri="vault://{+path}")


@pytest.fixture
async def served(vault: Path) -> AsyncIterator[Served]:
    (vault / "My tea & co.md").write_text("Green\n", encoding="utf-8")
    async with serve_robot(vault) as served:
        yield served


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def test_connecting_and_looking_around_asks_nothing(served: Served, era: str) -> None:
    async with served.connected(era) as client:
        assert [one.uri for one in (await client.list_resources()).resources] == ["vault://@screen"]
        assert (await client.list_resource_templates()).resource_templates[0].uri_template == "vault://{+path}"
        assert (await client.complete(NOTE, {"name": "path", "value": "tea"})).completion.values == []
        assert len((await client.list_prompts()).prompts) >= 3
        await client.list_tools()
    assert served.person.asked == []
    codes = {record["code"] for record in await served.person.log("execution") if "code" in record}
    assert codes <= {"not_allowed_yet"}


async def test_whoever_may_read_is_shown_notes_but_no_closed_ones(served: Served, era: str) -> None:
    served.person.answer = "allow_session"
    async with served.connected(era) as client:
        for tool, arguments in (("find", {"pattern": "**/*.md"}), ("read", {"path": "Ideas.md"})):
            await client.call_tool(tool, arguments)
        listed = {resource.uri for resource in (await client.list_resources(cache_mode="bypass")).resources}
        assert {"vault://Ideas.md", "vault://My%20tea%20%26%20co.md"} <= listed
        permissions = served.vault / ".vault-bridge" / "permissions.json"
        permissions.write_text('{"Notes/": "---"}', encoding="utf-8")
        listed = {resource.uri for resource in (await client.list_resources(cache_mode="bypass")).resources}
        assert not any(uri.startswith("vault://Notes/") for uri in listed)


async def test_a_note_is_read_as_the_tool_reads_it(served: Served, era: str) -> None:
    served.person.answer = "allow_once"
    async with served.connected(era) as client:
        (contents,) = (await client.read_resource("vault://My%20tea%20%26%20co.md")).contents
        assert contents.model_dump()["text"] == "Green\n"
        assert contents.mime_type == "text/markdown"
        served.person.answer = "deny_once"
        with pytest.raises(MCPError, match="denied"):
            await client.read_resource("vault://Ideas.md")


@pytest.mark.parametrize("uri", ["vault://No%20such.md", "file:///etc/passwd"])
async def test_what_is_not_there_is_not_found(served: Served, era: str, uri: str) -> None:
    served.person.answer = "allow_once"
    async with served.connected(era) as client:
        with pytest.raises(MCPError) as caught:
            await client.read_resource(uri)
    assert caught.value.code == (-32002 if era == "legacy" else -32602)


async def test_a_prompt_names_the_note_and_needs_it(served: Served, era: str) -> None:
    async with served.connected(era) as client:
        prompt = await client.get_prompt("summarize_note", {"note": "{Ideas}"})
        assert "{Ideas}" in prompt.messages[0].content.model_dump()["text"]
        for name in ("summarize_note", "nothing"):
            with pytest.raises(MCPError):
                await client.get_prompt(name, {})
        reference = PromptReference(name="summarize_note")
        assert (await client.complete(reference, {"name": "note", "value": "Id"})).completion.values == []
