"""A tool that is added from elsewhere while the bridge runs goes through the same steps as any other."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from bridge.app import Bridge
from bridge.client import connect
from bridge.contract.consent import ConsentClass, ConsentMode, Operation, RiskLevel
from bridge.contract.tools import DataPart, ImagePart, NotePart, TextPart
from bridge.identity.caller import Caller
from bridge.policy.targets import Target, server_tool_target, url_target
from bridge.toolkit.parameters import JsonSchemaParameters
from bridge.toolkit.registry import ToolProvider
from bridge.toolkit.tool import CallContext, Output, ReadTool, RequestEffect, Tool, ToolSpec
from tests.patience import PATIENCE
from tests.people import Person, add_client, named

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "minLength": 1, "pattern": "^[a-z]+$"},
        "seconds": {"type": "number", "minimum": 0},
    },
    "required": ["city"],
    "additionalProperties": False,
}
PARTS = (
    TextPart(text="warm"),
    DataPart(data={"celsius": 21}),
    ImagePart(mime_type="image/png", data="iVBORw0KGgo="),
    NotePart(path="Ideas.md", title="Ideas"),
)


def seconds(arguments: dict[str, Any]) -> float:
    """The time-out that the arguments ask for."""
    return float(arguments.get("seconds", PATIENCE))


def spec(name: str) -> ToolSpec:
    return ToolSpec(
        name=name,
        title=name.title(),
        description="How warm it is.",
        parameters=JsonSchemaParameters(SCHEMA),
        operation=Operation.NETWORK,
        risk=RiskLevel.MEDIUM,
        consent_class=ConsentClass.ALWAYS,
        default_mode=ConsentMode.ALWAYS_ALLOW,
        timeout=seconds,
    )


class Weather(ReadTool[dict[str, Any]]):
    """Answers in parts."""

    def __init__(self, name: str = "weather") -> None:
        self.spec = spec(name)

    def prepare(self, params: dict[str, Any], context: CallContext) -> RequestEffect:
        del context
        return RequestEffect((server_tool_target("weather", self.name),), "Ask how warm it is", exact=params["city"])

    async def run(self, params: dict[str, Any], context: CallContext) -> Output:
        await asyncio.sleep({"slow": 60.0}.get(params["city"], 0))
        return Output({"city": params["city"]}, f"warm in {params['city']} for {context.caller.name}", parts=PARTS)


class Forecast(ReadTool[dict[str, Any]]):
    """Answers in pieces."""

    spec = spec("forecast")

    def prepare(self, params: dict[str, Any], context: CallContext) -> RequestEffect:
        del context
        return RequestEffect((server_tool_target("weather", "forecast"),), "Ask for the days", exact=params["city"])

    async def run(self, params: dict[str, Any], context: CallContext) -> AsyncIterator[str | Output]:
        del params, context
        for day in ("warm, ", "cold, ", "wet"):
            yield day


class Server(ToolProvider):
    """Another server, whose tools differ by client and change."""

    id = "weather"

    def __init__(self) -> None:
        self.life: list[str] = []
        self.extra: list[Tool[Any]] = []
        self.changed: Callable[[], None] = lambda: None

    def tools(self, caller: Caller) -> Sequence[Tool[Any]]:
        mine: list[Tool[Any]] = [Forecast()] if caller.client.name == "Claude Code" else []
        return [Weather(), *mine, *self.extra]

    async def start(self, changed: Callable[[], None]) -> None:
        self.life.append("start")
        self.changed = changed

    async def stop(self) -> None:
        self.life.append("stop")


@pytest.fixture(autouse=True)
def _no_pings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where time is moved on by hand, no connection is cut because it has not answered a ping meanwhile."""
    monkeypatch.setattr("bridge.server.websocket.HEARTBEAT", 1e9)


@pytest.fixture
async def server(bridge: Bridge) -> Server:
    server = Server()
    await bridge.services.registry.add(server)
    return server


async def names(client: Any) -> set[str]:
    return {tool["name"] for tool in await client.request("tools.list")} & {"weather", "forecast", "snow"}


async def test_a_provider_comes_and_goes_while_the_bridge_runs(bridge: Bridge, vault: Path) -> None:
    server = Server()
    async with connect(vault, name="Robot") as robot:
        assert await names(robot) == set()
        await bridge.services.registry.add(server)
        assert server.life == ["start"]
        assert await names(robot) == {"weather"}
        assert (await robot.call("weather", city="rome")).text.startswith("warm in rome for a program without")
        await bridge.services.registry.remove("weather")
        assert server.life == ["start", "stop"]
        assert await names(robot) == set()
        gone = await robot.call("weather", city="rome")
        assert (gone.ok, "Unknown tool" in gone.text) == (False, True)


async def test_what_still_runs_at_the_end_is_stopped_once(vault: Path) -> None:
    server = Server()
    async with Bridge(vault) as bridge:
        await bridge.services.registry.add(server)
    assert server.life == ["start", "stop"]


async def test_every_client_hears_that_tools_came_changed_or_went(bridge: Bridge, person: Person, vault: Path) -> None:
    await add_client(person, vault, "Claude Code")
    async with connect(vault, name="Robot") as robot, named(vault, "Claude Code") as client:
        heard: dict[str, asyncio.Queue[Any]] = {}
        for name, one in (("robot", robot), ("client", client), ("person", person.host)):
            queue = heard[name] = asyncio.Queue()
            one.on("tools.changed", queue.put_nowait)
        server = Server()
        await bridge.services.registry.add(server)
        server.extra = [Weather("snow")]
        server.changed()
        await bridge.services.registry.remove("weather")
        for queue in heard.values():
            for _ in range(3):
                assert await asyncio.wait_for(queue.get(), PATIENCE) == {}


async def test_two_clients_have_different_tools(server: Server, person: Person, vault: Path) -> None:
    del server
    await add_client(person, vault, "Claude Code")
    async with connect(vault, name="Robot") as robot, named(vault, "Claude Code") as client:
        assert (await names(robot), await names(client)) == ({"weather"}, {"weather", "forecast"})
        assert (await client.request("session.info"))["tools"].count("forecast") == 1
        refused = await robot.call("forecast", city="rome")
        assert (refused.ok, "Unknown tool" in refused.text) == (False, True)
        assert "forecast" not in refused.text.partition("Unknown tool 'forecast'")[2], "it is not hinted at either"
        assert (await client.call("forecast", city="rome")).ok


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({}, "'city' is a required property"),
        ({"city": 5}, "Parameter 'city' must be of type string"),
        ({"city": "R"}, "Parameter 'city' does not fit pattern"),
        ({"city": "rome", "when": 1}, "Unknown parameter 'when'"),
        ({"city": "rome", "seconds": -1}, "Parameter 'seconds' does not fit minimum"),
    ],
)
async def test_arguments_are_checked_against_the_schema(
    server: Server, vault: Path, arguments: dict[str, Any], says: str
) -> None:
    del server
    async with connect(vault, name="Robot") as robot:
        refused = await robot.call("weather", arguments)
        assert refused.raw["errorType"] == "invalid_parameters"
        assert says in refused.text


async def test_the_schema_is_listed_as_it_came(server: Server, vault: Path) -> None:
    del server
    async with connect(vault, name="Robot") as robot:
        listed = {tool["name"]: tool for tool in await robot.request("tools.list", format="mcp")}
        assert listed["weather"]["inputSchema"] == SCHEMA
        assert listed["weather"]["annotations"]["openWorldHint"] is True


async def test_parts_reach_the_caller(server: Server, vault: Path) -> None:
    del server
    async with connect(vault, name="Robot") as robot:
        result = await robot.call("weather", city="rome")
    assert result.raw["parts"] == [part.to_wire() for part in PARTS]


async def test_pieces_reach_the_caller_as_they_come_and_nobody_else(
    server: Server, person: Person, vault: Path
) -> None:
    del server
    await add_client(person, vault, "Claude Code")
    pieces: list[dict[str, Any]] = []
    others: list[dict[str, Any]] = []
    async with named(vault, "Claude Code") as client, connect(vault, name="Robot") as robot:
        client.on("tool.output", pieces.append)
        robot.on("tool.output", others.append)
        result = await client.call("forecast", {"city": "rome"}, call_id="one")
        assert result.text == "warm, cold, wet"
        await robot.request("ping")
        await client.request("ping")
    assert [(piece["text"], piece["callId"], piece["tool"]) for piece in pieces] == [
        (text, "one", "forecast") for text in ("warm, ", "cold, ", "wet")
    ]
    assert others == []


@pytest.mark.slow
class Changed(Weather):
    """Describes itself otherwise than yesterday."""

    def prepare(self, params: dict[str, Any], context: CallContext) -> RequestEffect:
        return super().prepare(params, context)._replace(insists="It describes itself otherwise than before")


async def test_what_insists_is_asked_about_under_always_and_says_why(
    bridge: Bridge, server: Server, person: Person, vault: Path
) -> None:
    bridge.settings.update({"consentMode": {"weather": "always_allow", "snow": "always_allow"}})
    server.extra = [Changed("snow")]
    person.answer = "allow_once"
    async with connect(vault, name="Robot") as robot:
        assert (await robot.call("weather", city="rome")).ok
        assert person.asked == []
        assert (await robot.call("snow", city="rome")).ok
        assert (await robot.call("snow", city="oslo")).ok
    assert [question["preview"]["warnings"] for question in person.asked] == [
        ["It describes itself otherwise than before"]
    ] * 2
    offered = {option["decision"] for option in person.asked[0]["options"]}
    assert offered == {"allow_once", "deny_once", "deny_session", "deny_always"}


async def test_the_time_out_comes_from_the_arguments(server: Server, vault: Path) -> None:
    del server
    async with connect(vault, name="Robot") as robot:
        late = await robot.call("weather", city="slow", seconds=0.1)
    assert late.raw["errorType"] == "timeout"
    assert late.raw["metadata"]["durationMs"] < 5_000


async def test_a_provider_that_fails_takes_no_other_tools_away(bridge: Bridge, vault: Path) -> None:
    class Broken(Server):
        def tools(self, caller: Caller) -> Sequence[Tool[Any]]:
            raise ConnectionError(f"the server is gone, {caller.name}")

    await bridge.services.registry.add(Broken())
    async with connect(vault, name="Robot") as robot:
        assert await robot.request("tools.list")
        assert not (await robot.call("weather", city="rome")).ok


async def test_a_foreign_tool_takes_nobodys_name(bridge: Bridge, vault: Path) -> None:
    server = Server()
    server.extra = [Weather("read")]
    with pytest.raises(ValueError, match="'read' is already registered"):
        await bridge.services.registry.add(server)
    assert server.life == []
    server.extra = []
    await bridge.services.registry.add(server)
    server.extra = [Weather("read")]
    server.changed()
    async with connect(vault, name="Robot") as robot:
        (read,) = [tool for tool in await robot.request("tools.list") if tool["name"] == "read"]
    assert read["provider"] == "core"


# -- what a tool learns of while it runs ----------------------------------------------------------------------------

HERE, THERE = "https://here.example/start", "https://there.example/end"


class Fetch(ReadTool[dict[str, Any]]):
    """Follows a redirect to another site."""

    spec = ToolSpec(
        name="fetch",
        title="Fetch",
        description="Fetches a page.",
        parameters=JsonSchemaParameters({"properties": {"seconds": {"type": "number"}}}),
        operation=Operation.NETWORK,
        risk=RiskLevel.MEDIUM,
        consent_class=ConsentClass.ALWAYS,
        timeout=seconds,
    )
    together = False

    def prepare(self, params: dict[str, Any], context: CallContext) -> RequestEffect:
        del params, context
        return RequestEffect((url_target(HERE),), f"Fetch {HERE}", exact=f"GET {HERE}", address=HERE)

    async def run(self, params: dict[str, Any], context: CallContext) -> Output:
        del params

        async def redirect(target: Target) -> None:
            await context.authorize(target, f"Follow a redirect to {target.label}")

        await redirect(url_target(HERE))
        targets = [url_target(THERE), url_target(THERE)]
        if self.together:
            await asyncio.gather(*map(redirect, [targets[0], url_target("https://third.example/")]))
        else:
            for target in targets:
                await redirect(target)
        left = context.deadline
        return Output({"left": left}, "fetched")


class Catches(Fetch):
    """Goes on for ever when it is refused."""

    async def run(self, params: dict[str, Any], context: CallContext) -> Output:
        try:
            return await super().run(params, context)
        except Exception:  # noqa: BLE001 - that is what it is
            await asyncio.sleep(600)
            return Output(None, "")


class Web(Server):
    """Has one tool."""

    def __init__(self, tool: Tool[Any]) -> None:
        super().__init__()
        self.extra = [tool]

    def tools(self, caller: Caller) -> Sequence[Tool[Any]]:
        del caller
        return self.extra


@pytest.fixture
async def fetch(bridge: Bridge) -> Fetch:
    tool = Fetch()
    await bridge.services.registry.add(Web(tool))
    return tool


async def test_a_redirect_to_a_new_site_is_asked_about_once(fetch: Fetch, person: Person, vault: Path) -> None:
    del fetch
    person.answer = "allow_once"
    async with connect(vault, name="Robot") as robot:
        assert (await robot.call("fetch")).ok
    assert [question["targets"] for question in person.asked] == [[HERE], [THERE]]
    second = person.asked[1]
    assert second["summary"] == f"Follow a redirect to {THERE}"
    assert second["touches"] == [{"kind": "url", "label": THERE}]
    assert [option["where"] for option in second["options"] if option["decision"] == "allow_session"] == [
        [THERE],
        ["https://there.example/"],
    ]
    assert second["preview"]["request"] == THERE


async def test_a_refused_redirect_is_not_asked_about_again(fetch: Fetch, person: Person, vault: Path) -> None:
    del fetch

    async def answer(question: dict[str, Any]) -> None:
        await person.respond(question, "allow_once" if question["targets"] == [HERE] else "deny_once")

    person.answer = None
    person.host.on("consent.requested", answer)
    async with connect(vault, name="Robot") as robot:
        refused = await robot.call("fetch")
        assert refused.raw["data"]["code"] == "denied_by_user"
        again = await robot.call("fetch")
        assert again.raw["data"]["code"] == "denied_by_rule"
    assert [question["targets"] for question in person.asked] == [[HERE], [THERE], [HERE]]


async def test_a_redirect_is_allowed_by_a_rung(fetch: Fetch, person: Person, vault: Path) -> None:
    del fetch
    person.answer, person.extent = "allow_session", {"option": "allow_session.tool.site.connection"}
    async with connect(vault, name="Robot") as robot:
        for _ in range(2):
            assert (await robot.call("fetch")).ok
        assert len(person.asked) == 2
        held = [where for grant in await person.host.request("consent.grants") for where in grant["where"]]
    assert held == ["https://here.example/", "https://there.example/"]


@pytest.mark.parametrize(("code", "ok"), [("r??", True), ("-??", False)])
async def test_a_redirect_is_decided_by_the_permission_file(
    fetch: Fetch, person: Person, vault: Path, code: str, *, ok: bool
) -> None:
    del fetch
    rules = f'{{"https://here.example/": "r??", "https://there.example/": "{code}"}}'
    (vault / ".vault-bridge" / "permissions.json").write_text(rules, encoding="utf-8")
    async with connect(vault, name="Robot") as robot:
        result = await robot.call("fetch")
    assert (result.ok, person.asked) == (ok, [])
    decisions = list(reversed(await person.log("decision")))
    assert [(one["rule"], one["targets"]) for one in decisions] == [
        ("file:https://here.example/", [HERE]),
        ("file:https://there.example/", [THERE]),
    ]


async def test_every_decision_on_the_way_is_in_the_log_with_what_it_was_about(
    fetch: Fetch, person: Person, vault: Path
) -> None:
    del fetch
    person.answer = "allow_once"
    async with connect(vault, name="Robot") as robot:
        await robot.call("fetch")
    decisions = list(reversed(await person.log("decision")))
    assert [(one["targets"], one["decision"], one["by"]) for one in decisions] == [
        ([HERE], "allow_once", "Ada"),
        ([THERE], "allow_once", "Ada"),
    ]


@pytest.mark.parametrize("together", [False, True])
async def test_the_time_a_person_takes_on_the_way_is_not_the_tools(
    fetch: Fetch, person: Person, vault: Path, monkeypatch: pytest.MonkeyPatch, *, together: bool
) -> None:
    fetch.together = together
    loop, thought = asyncio.get_running_loop(), 0.0
    now = loop.time

    async def think(question: dict[str, Any]) -> None:
        nonlocal thought
        thought += 2 * PATIENCE
        for _ in range(20):  # what is due by then comes first
            await asyncio.sleep(0)
        await person.respond(question, "allow_once")

    monkeypatch.setattr(loop, "time", lambda: now() + thought)
    person.answer = None
    person.host.on("consent.requested", think)
    async with connect(vault, name="Robot") as robot:
        assert (await robot.call("fetch", seconds=PATIENCE)).ok, "it thought longer than the tool has"


@pytest.mark.slow
async def test_a_tool_that_takes_a_no_for_nothing_still_ends_in_time(
    bridge: Bridge, person: Person, vault: Path
) -> None:
    await bridge.services.registry.add(Web(Catches()))

    async def answer(question: dict[str, Any]) -> None:
        await person.respond(question, "allow_once" if question["targets"] == [HERE] else "deny_once")

    person.answer = None
    person.host.on("consent.requested", answer)
    async with connect(vault, name="Robot") as robot, asyncio.timeout(PATIENCE):
        late = await robot.call("fetch", seconds=0.1)
    assert late.raw["errorType"] == "timeout"
