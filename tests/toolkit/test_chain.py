"""Several calls as one: later ones use what earlier ones answered, and all changes are one question, or none."""

import asyncio
import json
from typing import Any

import pytest

from bridge.contract.consent import ConsentClass, Decision, Operation, RiskLevel
from bridge.contract.identity import Capability
from bridge.contract.tools import ToolResult
from bridge.errors import NotFound
from bridge.identity.caller import PERSON, Caller, Client
from bridge.policy.targets import server_tool_target
from bridge.testing import sandbox
from bridge.testing.sandbox import Sandbox
from bridge.toolkit.effects.chaining import MOST_MADE
from bridge.toolkit.parameters import JsonSchemaParameters
from bridge.toolkit.tool import CallContext, Output, ReadTool, RequestEffect, ToolSpec
from bridge.vault.root import STATE_FOLDER

NOTES: dict[str, bytes | str] = {
    "Home.md": "# Home\n\nSee [[Jam]] and [[Garden]].\n",
    "Garden.md": "# Garden\n\n#plants\n\nWater the beans.\n",
    "Kitchen/Jam.md": "# Jam\n\nFrom the [[Garden]].\n",
}


def call(name: str, tool: str, /, **arguments: Any) -> dict[str, Any]:
    """One call of a chain."""
    return {"name": name, "tool": tool, "arguments": arguments}


def for_each(items: str, made: dict[str, Any]) -> dict[str, Any]:
    """A call that is made for each item of what an earlier one answered."""
    return made | {"each": {"$from": items}}


def client(name: str) -> Caller:
    """A client as the sandbox has it."""
    return Caller(Client(name, "Robot", frozenset({Capability.CALL})), f"connection-{name}")


MOVE = call("moved", "move_file", source="Kitchen/Jam.md", destination="Pantry/Plum jam.md")
READ = call("read", "read", path="Home.md")
FIND = call("found", "find", pattern="*.md")
FAIL = call("failed", "edit", path="Garden.md", old_text="no such text", new_text="x")
CREATE = call("new", "create_note", path="New.md", content="[[Plum jam]] #new\n")


def decisive(vault: Sandbox) -> list[dict[str, Any]]:
    """The questions about changes: all but those about reading."""
    return [one for one in vault.asked if one["operation"] != "read"]


def logged(vault: Sandbox) -> list[dict[str, Any]]:
    text = (vault.folder / STATE_FOLDER / "logs" / "tools.log").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


async def run(vault: Sandbox, *calls: dict[str, Any], **more: Any) -> ToolResult:
    return await vault.call("chain", calls=list(calls), **more)


async def done(vault: Sandbox, *calls: dict[str, Any], **more: Any) -> ToolResult:
    result = await run(vault, *calls, **more)
    assert result.success, result.text
    return result


async def test_the_changes_of_all_calls_are_one_question_one_change_and_one_undo() -> None:
    async with sandbox(NOTES) as vault:
        seen: list[dict[str, bytes]] = []
        vault.before_answer = lambda: seen.append(vault.files())
        made = await done(vault, MOVE, CREATE, call("tagged", "add_tag", name="Garden", tag="green"))
        (question,) = decisive(vault)
        assert question["summary"].startswith("Make 3 calls as one (move_file, create_note, add_tag), which changes ")
        assert {one["decision"] for one in question["options"] if one["decision"].startswith("allow")} == {"allow_once"}
        assert all(files == {path: str(text).encode() for path, text in NOTES.items()} for files in seen)
        assert set(vault.files()) == {"Home.md", "Garden.md", "New.md", "Pantry/Plum jam.md"}
        assert "[[Plum jam|Jam]]" in vault.text("Home.md") or "[[Plum jam]]" in vault.text("Home.md")
        assert made.data["modified"] is True
        assert [one["name"] for one in made.data["calls"]] == ["moved", "new", "tagged"]
        assert vault.drafts is not None
        assert vault.drafts.ids == []
        await vault.undo()
        assert {path: data for path, data in vault.files().items() if ".trash" not in path} == {
            path: str(text).encode() for path, text in NOTES.items()
        }


async def test_later_calls_see_what_earlier_ones_changed_and_use_what_they_answered() -> None:
    async with sandbox(NOTES) as vault:
        await done(
            vault,
            MOVE,
            call("again", "read", path={"$from": "moved.destination"}),
            call("links", "note_info", path={"$from": "again.path"}),
            call(
                "noted",
                "create_note",
                path={"$text": ["Notes on ", "jam", ".md"]},
                content={"$text": ["It is at ", {"$from": "links.path"}, "\n"]},
            ),
        )
        assert vault.text("Notes on jam.md") == "It is at Pantry/Plum jam.md\n"


async def test_a_call_is_made_for_each_item_of_a_list() -> None:
    async with sandbox(NOTES) as vault:
        made = await done(
            vault,
            call("found", "search", query="Garden"),
            for_each("found.results", call("tagged", "add_tag", name={"$item": "path"}, tag="seen")),
            call("read", "read", path={"$from": "tagged[0].path"}),
        )
        assert len(decisive(vault)) == 1
        assert all("seen" in vault.text(path) for path in NOTES)
        assert [one.get("item") for one in made.data["calls"]] == [None, 0, 1, 2, None]


async def test_a_list_for_one_call_is_made_of_another() -> None:
    async with sandbox(NOTES) as vault:
        moves = {
            "$each": [
                {"$from": "found.results"},
                {"source": {"$item": "path"}, "destination": {"$text": ["Archive/", {"$item": "path"}]}},
            ]
        }
        await done(vault, call("found", "search", query="Garden"), call("moved", "move", moves=moves))
        assert set(vault.files()) == {f"Archive/{path}" for path in NOTES}


async def test_calls_that_only_read_are_no_question_of_the_chain() -> None:
    async with sandbox(NOTES) as vault:
        made = await done(vault, FIND, READ)
        assert made.data["modified"] is False
        assert made.data["calls"][1]["data"]["path"] == "Home.md"
        assert decisive(vault) == []


async def test_changes_that_come_to_nothing_are_not_asked_about() -> None:
    async with sandbox(NOTES) as vault:
        made = await done(vault, CREATE, call("gone", "delete_file", path="New.md"))
        assert made.data["modified"] is False
        assert decisive(vault) == []


@pytest.mark.parametrize(
    ("calls", "number", "kind", "said"),
    [
        ([MOVE, CREATE, FAIL], 3, "conflict", "no such text"),
        ([MOVE, call("x", "read", path="Kitchen/Jam.md"), CREATE], 2, "not_found", "Kitchen/Jam.md"),
        ([READ, CREATE, call("x", "read", path={"$from": "new.nothing"})], 3, "invalid_parameters", "no 'nothing'"),
        ([CREATE, call("x", "read", path={"$from": "new"})], 2, "invalid_parameters", "path"),
        ([CREATE, for_each("new.path", call("x", "read", path="a"))], 2, "invalid_parameters", "is none"),
        ([CREATE, call("x", "edit", path="New.md", nonsense=1)], 2, "invalid_parameters", "Missing parameter"),
    ],
)
async def test_it_stops_at_the_first_failure_and_nothing_is_written_or_asked(
    calls: list[dict[str, Any]], number: int, kind: str, said: str
) -> None:
    async with sandbox(NOTES) as vault:
        before = vault.files()
        failed = await run(vault, *calls)
        assert (failed.success, failed.error_type) == (False, kind)
        assert f"Call {number} of {len(calls)}" in failed.text
        assert said in failed.text
        assert "Nothing was written" in failed.text
        assert failed.data["failed"] == calls[number - 1]["name"]
        assert [one["name"] for one in failed.data["calls"]] == [one["name"] for one in calls[: number - 1]]
        assert vault.files() == before
        assert decisive(vault) == []
        assert vault.drafts is not None
        assert vault.drafts.ids == []
        assert vault.ledger.history() == []


async def test_a_person_who_says_no_ends_it_and_nothing_is_written() -> None:
    async with sandbox(NOTES) as vault:
        await done(vault, READ)
        vault.answer = Decision.DENY_ONCE
        before = vault.files()
        failed = await run(vault, MOVE, CREATE)
        assert failed.data["code"] == "denied_by_user"
        assert vault.files() == before
        assert vault.drafts is not None
        assert vault.drafts.ids == []


async def test_a_person_takes_a_part_and_the_rest_is_named() -> None:
    async with sandbox(NOTES) as vault:
        vault.keep = {"Garden.md": []}
        made = await done(vault, CREATE, call("tagged", "add_tag", name="Garden", tag="green"), role="host")
        assert "New.md" in vault.files()
        assert vault.text("Garden.md") == NOTES["Garden.md"]
        assert made.data["leftOut"][0]["path"] == "Garden.md"


@pytest.mark.parametrize(
    ("calls", "said"),
    [
        ([call("a", "read", path="Home.md"), call("a", "read", path="Home.md")], "Two calls"),
        ([call("a", "read", path={"$from": "a.path"})], "no earlier call"),
        ([call("a", "read", path={"$from": "b.path"}), READ | {"name": "b"}], "no earlier call"),
        ([call("a", "read", path={"$item": "path"})], "refers to an item"),
        ([call("a", "read", path="a") | {"each": {"$item": "x"}}], "refers to an item"),
        ([call("a", "read", path={"$from": "(1).__class__"})], "no reference"),
        ([call("a", "read", path={"$from": 3})], "takes a text"),
        ([call("a", "read", path={"$each": []})], "takes a list and what becomes"),
        ([call("a", "no_such_tool")], "no_such_tool"),
        ([call("a", "chain", calls=[READ])], "cannot be part of a chain"),
        ([call("a", "draft", action="begin")], "cannot be part of a chain"),
        ([call("a", "history_undo")], "cannot be part of a chain"),
        ([call("a", "history", action="undo")], "cannot be part of a chain"),
        ([call("a", "await_decision")], "cannot be part of a chain"),
        ([], "calls"),
        ([call("1a", "read", path="x")], "name"),
        ([call(f"c{number}", "read", path="Home.md") for number in range(51)], "50"),
    ],
)
async def test_what_makes_no_sense_is_refused_before_any_call_is_made(calls: list[dict[str, Any]], said: str) -> None:
    async with sandbox(NOTES) as vault:
        failed = await run(vault, *calls)
        assert (failed.success, failed.error_type) == (False, "invalid_parameters")
        assert said in failed.text
        assert vault.asked == []


async def test_a_tool_that_is_disabled_or_denied_is_so_in_a_chain() -> None:
    async with sandbox(NOTES) as vault:
        vault.settings.update({"enabledTools": ["chain", "read", "create_note"]})
        refused = await run(vault, CREATE, MOVE)
        assert refused.data["code"] == "tool_disabled"
        vault.settings.update({"enabledTools": ["*"], "consentMode": {"move_file": "never_allow"}})
        refused = await run(vault, CREATE, MOVE)
        assert refused.data["code"] == "denied_by_rule"
        assert refused.data["failed"] == "moved"
        vault.settings.update({"consentMode": {"chain": "never_allow"}})
        refused = await run(vault, READ)
        assert refused.data["code"] == "denied_by_rule"
        assert set(vault.files()) == set(NOTES)


async def test_a_closed_note_is_closed_in_a_chain() -> None:
    async with sandbox(NOTES | {"Private/Diary.md": "secret\n"}) as vault:
        vault.close_path("Private/")
        for attempt in (
            [call("a", "read", path="Private/Diary.md")],
            [CREATE, call("a", "edit", path="Private/Diary.md", append="x")],
            [CREATE, call("a", "move_file", source="Private/Diary.md", destination="Diary.md")],
            [call("f", "grep", pattern="secret"), call("a", "read", path={"$from": "f.matches[0].path"})],
        ):
            failed = await run(vault, *attempt)
            assert not failed.success
            assert "secret\n" not in failed.text
        assert vault.text("Private/Diary.md") == "secret\n"


@pytest.mark.slow
async def test_more_calls_than_a_chain_may_make_are_refused_whole() -> None:
    async with sandbox({f"{number}.md": "word\n" for number in range(MOST_MADE + 1)}) as vault:
        vault.settings.update({"rateLimits": {"is_available": 1000}})
        failed = await run(
            vault,
            call("found", "find", pattern="*.md", max_results=1000),
            for_each("found", call("seen", "is_available", name={"$item": "path"})),
        )
        assert "at most 200 calls" in failed.text, failed.text


async def test_the_log_has_a_record_of_each_call_and_says_that_it_was_part_of_a_chain() -> None:
    async with sandbox(NOTES) as vault:
        made = await done(vault, READ, CREATE)
        records = [one for one in logged(vault) if one["kind"] == "execution"]
    assert [one["tool"] for one in records] == ["read", "create_note", "chain"]
    assert [one.get("within") for one in records] == [made.execution_id, made.execution_id, None]
    assert records[1]["staged"] is True
    assert records[1]["parameters"]["path"] == "New.md"
    assert {one["path"] for one in records[2]["files"]} == {"New.md"}
    assert "[[Plum jam]]" not in json.dumps(records[2])


# In a draft of the client's own.


async def test_in_an_open_draft_it_is_staged_as_a_unit_and_nothing_is_asked() -> None:
    async with sandbox(NOTES) as vault:
        await vault.succeed("read", path="Home.md")
        draft = (await vault.succeed("draft", action="begin")).data["draft"]
        made = await done(vault, MOVE, CREATE)
        assert made.metadata["draft"] == draft
        assert decisive(vault) == []
        status = await vault.succeed("draft", action="status")
        assert [step["tool"] for step in status.data["steps"]] == ["move_file", "create_note"]
        await vault.succeed("draft", action="submit")
        assert "Pantry/Plum jam.md" in vault.files()


async def test_in_an_open_draft_a_failure_drops_it_whole_and_leaves_the_rest() -> None:
    async with sandbox(NOTES) as vault:
        await vault.succeed("read", path="Home.md")
        await vault.succeed("draft", action="begin")
        await vault.succeed("add_tag", name="Garden", tag="first")
        before = (await vault.succeed("draft", action="status")).data
        looks = [("find", {"pattern": "*"}), ("read", {"path": "Garden.md"}), ("note_info", {"path": "Garden"})]
        seen = [(await vault.succeed(tool, **arguments)).data for tool, arguments in looks]
        again = call("again", "add_tag", name="Garden", tag="second")
        failed = await run(vault, again, MOVE, CREATE, FAIL)
        assert "Nothing of the chain is in the draft" in failed.text
        assert (await vault.succeed("draft", action="status")).data == before
        assert [(await vault.succeed(tool, **arguments)).data for tool, arguments in looks] == seen
        await vault.succeed("draft", action="submit")
        assert set(vault.files()) == set(NOTES)
        assert "first" in vault.text("Garden.md")
        assert "second" not in vault.text("Garden.md")


# What reaches beyond the vault.


class Forecast(ReadTool[dict[str, Any]]):
    """Asks somebody else."""

    spec = ToolSpec(
        name="forecast",
        title="Forecast",
        description="Tomorrow's weather.",
        parameters=JsonSchemaParameters({"type": "object", "properties": {"city": {"type": "string"}}}),
        operation=Operation.NETWORK,
        risk=RiskLevel.LOW,
        consent_class=ConsentClass.SESSION,
    )

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []

    def prepare(self, params: dict[str, Any], context: CallContext) -> RequestEffect:
        del context
        return RequestEffect((server_tool_target("weather", "forecast"),), "Ask for the weather", json.dumps(params))

    async def run(self, params: dict[str, Any], context: CallContext) -> Output:
        del context
        await asyncio.sleep(0)
        self.asked.append(params)
        return Output({"says": "rain"}, "rain")


async def test_a_call_that_reaches_out_asks_by_itself_with_its_arguments_resolved() -> None:
    async with sandbox(NOTES) as vault:
        tool = Forecast()
        await vault.add(tool)
        await done(
            vault,
            READ,
            call("weather", "forecast", city={"$from": "read.path"}),
            call("noted", "create_note", path="New.md", content={"$from": "weather.says"}),
        )
        outside, change = decisive(vault)
        assert (outside["tool"]["name"], change["tool"]["name"]) == ("forecast", "chain")
        assert outside["preview"]["request"] == '{"city": "Home.md"}'
        assert outside["parameters"] == {"city": "Home.md"}
        assert tool.asked == [{"city": "Home.md"}]
        assert vault.text("New.md") == "rain"


# Others.


async def test_nobody_else_can_see_or_end_what_a_chain_has_staged() -> None:
    async with sandbox(NOTES) as vault:
        assert vault.drafts is not None
        drafts, looked = vault.drafts, asyncio.Event()
        await done(vault, READ)

        def look() -> None:
            (draft_id,) = drafts.ids
            assert drafts.listed(PERSON) == []
            for who in (PERSON, client("agent-1"), client("agent-2")):
                assert drafts.listed(who) == []
                assert drafts.of(who) is None
                for attempt in (
                    drafts.discard,
                    drafts.get,
                    lambda name, who: drafts.join(who, name),
                ):
                    with pytest.raises(NotFound):
                        attempt(draft_id, who)
            looked.set()

        vault.before_answer = look
        await done(vault, CREATE)
        assert looked.is_set()
        assert "New.md" in vault.files()


async def test_the_person_runs_one_too_and_sees_the_whole_change_first() -> None:
    async with sandbox(NOTES) as vault:
        made = await done(vault, READ, MOVE, CREATE, role="host")
        assert made.data["modified"] is True
        (question,) = decisive(vault)
        assert {file["path"] for file in question["preview"]["files"]} >= {"New.md", "Kitchen/Jam.md"}
        assert "Pantry/Plum jam.md" in vault.files()
