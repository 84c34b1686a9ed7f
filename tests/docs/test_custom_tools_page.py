"""`docs/custom-tools.md`: its three tools are run as they stand there, and its table is that of the fields."""

import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from bridge.app import Bridge
from bridge.client import Connection, connect
from bridge.custom.storage import StoredTool

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "custom-tools.md").read_text(encoding="utf-8")
_EXAMPLE = re.compile(
    r"^### `(?P<name>\w+)`\n\nEnvironment: `(?P<environment>\w+)`\. (?P<description>[^\n]+)\n\n"
    r"```json\n(?P<schema>.*?)```\n\n```(?P<language>\w+)\n(?P<code>.*?)```$",
    re.MULTILINE | re.DOTALL,
)


def examples() -> dict[str, dict[str, Any]]:
    """The tools of the page by name, as `custom.add` takes them."""
    return {
        found["name"]: {
            "description": found["description"],
            "environment": found["environment"],
            "parameters": json.loads(found["schema"]),
            "code": found["code"],
        }
        for found in _EXAMPLE.finditer(PAGE)
    }


async def prepared(person: Connection) -> None:
    await person.request("settings.update", patch={"allowCustomTools": True, "requireSandbox": "never"})


def test_there_is_a_tool_for_each_environment() -> None:
    assert {name: tool["environment"] for name, tool in examples().items()} == {
        "note_statistics": "python",
        "csv_to_table": "node",
        "feed_news": "browser",
    }


def test_the_table_names_every_member_and_its_default() -> None:
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)?) \| (.*?) \|", PAGE.split("## Where a tool runs")[0], re.MULTILINE)
    named = {name: said for names, said in rows for name in re.findall(r"`(\w+)`", names)}
    assert set(named) == {field.alias or name for name, field in StoredTool.model_fields.items()}
    for name, field in StoredTool.model_fields.items():
        if not field.is_required() and field.default is not None:
            assert named[field.alias or name] == f"`{json.dumps(field.default).strip(chr(34))}`"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js here")
async def test_every_tool_of_the_page_is_stored_and_its_code_can_be_read(vault: Path) -> None:
    async with Bridge(vault), connect(vault, name="Ada", role="host") as person:
        await prepared(person)
        for name, tool in examples().items():
            saved = await person.request("custom.add", name=name, **tool)
            assert saved["unchecked"] is None
        assert set(examples()) == {tool["name"] for tool in (await person.request("custom.list"))["tools"]}


@pytest.mark.slow
async def test_the_statistics_of_a_note_are_counted(vault: Path) -> None:
    text = "---\ntag: tea\n---\nGreen garden tea. Garden paths, garden walls!\n"
    (vault / "Tea.md").write_text(text, encoding="utf-8")
    async with Bridge(vault), connect(vault, name="Ada", role="host") as person:
        await prepared(person)
        await person.request("custom.add", name="note_statistics", **examples()["note_statistics"])
        tried = await person.request("custom.test", name="note_statistics", parameters={"path": "Tea.md"})
        assert tried["result"] == {
            "words": 7,
            "sentences": 2,
            "frequent": ["garden", "green", "paths", "walls"],
            "minutesToRead": 1,
        }


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js here")
async def test_a_table_is_made_of_csv(vault: Path) -> None:
    csv = 'Name,"Said, in words"\nAda,"She said ""hello"" | bye"\n\nBea\n'
    async with Bridge(vault), connect(vault, name="Ada", role="host") as person:
        await prepared(person)
        await person.request("custom.add", name="csv_to_table", **examples()["csv_to_table"])
        tried = await person.request("custom.test", name="csv_to_table", parameters={"csv": csv})
        assert tried["result"].split("\n") == [
            "| Name | Said, in words |",
            "| --- | --- |",
            '| Ada | She said "hello" \\| bye |',
            "| Bea |  |",
        ]
        empty = await person.request("custom.test", name="csv_to_table", parameters={"csv": " \n"})
        assert empty["error"] == "Error: There is no text in it"


FEED = (
    "<rss><channel><title>The feed</title><item><title>One &amp; two</title></item>"
    "<item><title><![CDATA[Three]]></title></item></channel></rss>"
)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None or sys.platform == "win32", reason="there is no Node.js here")
async def test_the_titles_of_a_feed_are_new_once(vault: Path) -> None:
    """The names that a browser gives the code are given to it here; Obsidian's own are tested with the plugin."""
    given = (
        "const kept = new Map(params.kept); const localStorage = { getItem: (key) => kept.get(key) ?? null, "
        "setItem: (key, value) => kept.set(key, value) };\n"
        "const fetch = async () => new Response(params.feed, { status: params.status });\n"
        "const run = async () => {\n" + examples()["feed_news"]["code"] + "\n};\n"
        "return [await run(), [...kept]];"
    )
    tool = {"name": "feed", "description": "d", "code": given, "parameters": {"type": "object"}}
    async with Bridge(vault), connect(vault, name="Ada", role="host") as person:
        await prepared(person)

        async def run(kept: list[Any], feed: str = FEED, status: int = 200) -> dict[str, Any]:
            parameters = {"url": "https://a.example/feed", "feed": feed, "kept": kept, "status": status}
            answer: dict[str, Any] = await person.request("custom.test", tool=tool, parameters=parameters)
            return answer

        titles, kept = (await run([]))["result"]
        assert titles == ["One & two", "Three"]
        more = FEED.replace("</channel>", "<item><title>Four</title></item></channel>")
        assert (await run(kept, more))["result"][0] == ["Four"]
        assert (await run([], status=500))["error"] == "Error: The feed answered with 500"
