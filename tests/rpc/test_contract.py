"""What crosses the wire is what the contract says: every result fits its type, and every event has one home."""

import ast
import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from pydantic import TypeAdapter

from bridge.app import Bridge
from bridge.client import Connection as Client
from bridge.client import connect
from bridge.contract.base import Wire
from bridge.contract.consent import ConsentRevised, ConsentWaiting, OwnQuestion
from bridge.contract.custom import CustomRunEnded
from bridge.contract.events import IndexProgress, LimitHit, ToolOutput, ToolProgress, VaultMoved
from bridge.contract.every_event import EVENTS
from bridge.contract.hosts import ScreenChanged, ScreenSent, ScreenShow
from bridge.contract.versions import OutsideNotice
from bridge.rpc.hub import Peer
from bridge.rpc.methods import METHODS
from tests.chat.ollama_server import OllamaStandIn, calls, say, use
from tests.identities import caller

ROOT = Path(__file__).resolve().parents[2]
BY_NAME = {method.name: method for method in METHODS.values()}
EDIT = {"path": "Ideas.md", "patches": [{"startLine": 1, "endLine": 1, "newContent": "# Changed"}]}
CLIENT = "the client that is there from the beginning"
SHOWN = "the digest of the plan that was shown"
DRAFT = "the draft that is there from the beginning"
CHANGE = "the change that is there from the beginning"
CONVERSATION = "the conversation that is there from the beginning"
MODEL = "the address of the model"
TEMPLATE = {
    "name": "note",
    "title": "A note",
    "parameters": [{"name": "word"}],
    "calls": [{"name": "found", "tool": "grep", "arguments": {"pattern": {"$param": "word"}}}],
}

OWN_TOOL = {
    "name": "double",
    "description": "Doubles",
    "code": "return 2 * params['n']",
    "parameters": {"type": "object"},
    "environment": "python",
}

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("ping", {}),
    ("session.info", {}),
    ("session.name", {"client": "Ada", "can": ["consent"]}),
    ("session.attach", {"path": "Ideas.md"}),
    ("events.subscribe", {"kinds": ["vault.changed"]}),
    *[("tools.list", {"format": form}) for form in ("bridge", "ollama", "mcp", "text")],
    ("tools.call", {"name": "grep", "arguments": {"pattern": "a"}}),
    ("tools.call", {"name": "apply_patch", "arguments": EDIT, "callId": "c-1"}),
    ("tools.call", {"name": "missing"}),
    ("tools.chain", {"calls": [{"name": "found", "tool": "grep", "arguments": {"pattern": "a"}}]}),
    ("tools.result", {"callId": "c-1"}),
    ("tools.preview", {"name": "apply_patch", "arguments": EDIT}),
    ("tools.preview", {"name": "read", "arguments": {"path": "Ideas.md"}}),
    ("tools.preview", {"name": "missing"}),
    ("tools.cancel", {"callId": "c-1"}),
    ("history.list", {}),
    ("history.undo", {}),
    ("history.redo", {}),
    ("history.list", {"since": "2020-01-01", "client": "Ada", "tool": "apply_patch"}),
    ("history.diff", {"executionId": CHANGE}),
    ("history.list", {"outside": True}),
    ("versions.list", {"path": "Ideas.md"}),
    ("versions.read", {"path": "Ideas.md", "at": "2020-01-01"}),
    ("versions.restore", {"path": "Ideas.md", "at": "2020-01-01", "to": "Ideas then.md"}),
    ("versions.compare", {"at": "2020-01-01", "path": "Ideas.md", "without": ["Folder"]}),
    ("versions.restoreAll", {"at": "2020-01-01", "plan": "sha256:0"}),
    ("versions.broken", {"executionId": "outside-1"}),
    ("versions.mend", {"executionId": "outside-1", "plan": "sha256:0"}),
    ("versions.forget", {"path": "Ideas.md"}),
    ("versions.status", {}),
    ("versions.notice", {}),
    ("versions.fine", {}),
    ("versions.wrote", {"writes": [{"path": "Ideas.md", "digest": "0" * 64, "typed": True}]}),
    ("history.undoAll", {"since": "2020-01-01", "preview": True}),
    ("history.undoAll", {"since": "2020-01-01"}),
    ("limits.status", {}),
    ("vault.status", {}),
    ("bridge.faults", {}),
    ("sandbox.status", {}),
    ("semantic.rebuild", {}),
    ("semantic.allow", {"endpoint": MODEL}),
    ("index.compare", {"files": {}, "notes": []}),
    ("consent.pending", {}),
    ("consent.respond", {"requestId": "c-0", "decision": "allow_once"}),
    ("consent.respondAll", {"answers": [{"requestId": "c-0", "decision": "deny_once"}]}),
    ("consent.revise", {"requestId": "c-0", "planDigest": "sha256:0", "path": "a.md", "hunk": 0, "text": "x"}),
    (
        "consent.resolve",
        {"requestId": "c-0", "planDigest": "sha256:0", "choices": [{"placeId": "p-0", "take": "both"}]},
    ),
    ("consent.confirm", {"requestId": "c-0"}),
    ("consent.autoApprove", {"operation": "create", "enabled": True}),
    ("consent.grants", {}),
    ("consent.revoke", {"grantId": "nothing"}),
    ("policy.explain", {"name": "read", "arguments": {"path": "Ideas.md"}}),
    ("policy.explain", {"name": "missing"}),
    ("chat.send", {"text": "Hello", "conversationId": CONVERSATION}),
    ("chat.cancel", {"conversationId": CONVERSATION}),
    ("chat.list", {}),
    ("chat.read", {"conversationId": CONVERSATION}),
    ("chat.export", {"conversationId": CONVERSATION, "path": "Chats/Hello.md"}),
    ("chat.delete", {"conversationId": CONVERSATION}),
    ("chat.models", {}),
    ("chat.allow", {"endpoint": MODEL}),
    ("settings.get", {}),
    ("settings.update", {"patch": {"developerMode": True}}),
    ("settings.schema", {}),
    ("settings.reset", {}),
    ("servers.add", {"name": "one", "entry": {"command": "no-such-program", "description": "One"}}),
    ("servers.list", {}),
    ("servers.test", {"name": "one"}),
    ("servers.enable", {"name": "one", "enabled": False}),
    ("servers.trust", {"name": "one", "trusted": False}),
    ("servers.found", {}),
    ("servers.import", {"agent": "cursor", "name": "other"}),
    ("servers.remove", {"name": "one"}),
    ("settings.update", {"patch": {"allowCustomTools": True, "requireSandbox": "never"}}),
    ("custom.add", OWN_TOOL),
    ("custom.list", {}),
    ("custom.update", {"name": "double", "description": "Doubles a number"}),
    ("custom.test", {"name": "double", "parameters": {"n": 2}}),
    ("custom.call", {"run": "run-0", "kind": "storage", "operation": "keys"}),
    ("custom.remove", {"name": "double"}),
    ("keys.set", {"provider": "brave", "key": "a-key-of-mine"}),
    ("keys.status", {}),
    ("keys.test", {"provider": "google"}),
    ("search.services", {}),
    ("keys.rotate", {}),
    ("keys.clear", {"provider": "brave"}),
    ("cache.stats", {}),
    ("cache.clear", {}),
    ("web.readers", {}),
    ("web.clear", {"clientId": CLIENT}),
    ("web.sites", {}),
    ("inbox.list", {}),
    ("screen.tell", {"screen": {"open": {"path": "Ideas.md", "view": "source"}}}),
    ("screen.clients", {}),
    ("screen.compose", {"clientId": "chat", "open": {"path": "Ideas.md", "view": "source"}}),
    ("screen.send", {"clientId": CLIENT, "open": {"path": "Ideas.md", "view": "source"}}),
    ("screen.take", {}),
    ("drafts.list", {}),
    ("drafts.preview", {"draftId": DRAFT}),
    ("drafts.discard", {"draftId": DRAFT}),
    ("templates.list", {}),
    ("templates.save", {"template": TEMPLATE}),
    ("templates.run", {"name": "note", "values": {"word": "a"}}),
    ("templates.remove", {"name": "note"}),
    ("clients.list", {}),
    ("clients.add", {"name": "Claude Code"}),
    ("clients.update", {"clientId": CLIENT, "preset": "vault"}),
    ("consent.endAll", {}),
    ("consent.allowReading", {"client": CLIENT, "where": ["Work"]}),
    ("clients.rename", {"clientId": CLIENT, "name": "Robot 2"}),
    ("clients.allow", {"clientId": CLIENT, "capability": "answer"}),
    ("clients.revoke", {"clientId": CLIENT}),
    ("agents.list", {}),
    ("agents.preview", {"agent": "cursor"}),
    ("agents.connect", {"agent": "cursor", "digest": SHOWN}),
    ("agents.disconnect", {"agent": "cursor", "digest": SHOWN}),
    ("audit.query", {}),
    ("audit.export", {"format": "json"}),
    ("audit.export", {"format": "csv", "path": "log.csv"}),
    ("audit.verify", {}),
    ("audit.stats", {}),
    ("audit.activity", {"days": 30}),
    ("audit.clear", {}),
    ("demo.ask", {}),
]


@pytest.fixture
async def ollama() -> AsyncIterator[OllamaStandIn]:
    async with OllamaStandIn(lambda _asked: [say("Hm"), *calls(use("find", pattern="Ideas"))]).serve() as ollama:
        yield ollama


@pytest.fixture
async def bridge(vault: Path, home: Path, ollama: OllamaStandIn) -> AsyncIterator[Bridge]:
    # `home` is where the programs are that are connected; one of them has a server.
    other = {"mcpServers": {"other": {"command": "no-such-program"}}}
    (home / ".cursor").mkdir(exist_ok=True)
    (home / ".cursor" / "mcp.json").write_bytes(orjson.dumps(other))
    async with Bridge(vault) as bridge:
        bridge.settings.update({"chatEndpoint": ollama.url, "chatRounds": 1})
        yield bridge


@pytest.fixture
async def host(bridge: Bridge, vault: Path) -> AsyncIterator[Client]:
    async with connect(vault, name="Ada", role="host", can=["consent"]) as host:
        bridge.settings.update({"enabledTools": ["*"]})

        async def allow(question: dict[str, Any]) -> None:
            digest = {"planDigest": question["planDigest"]} if question["planDigest"] else {}
            await host.request("consent.respond", requestId=question["requestId"], decision="allow_once", **digest)

        host.on("consent.requested", allow)
        yield host


async def test_every_result_fits_the_type_that_its_method_names(bridge: Bridge, host: Client) -> None:
    known = bridge.services.clients.add("Robot")[0].client_id
    Peer(caller(known).client, bridge.services.hub, None)  # it is connected
    assert {name for name, _ in CALLS} == set(BY_NAME)
    change = await host.call("apply_patch", EDIT | {"path": "Notes/Meeting.md"})
    draft = await asyncio.to_thread(bridge.drafts.begin, caller(known))
    begun = await host.request("chat.send", text="Hello")
    await bridge.services.parts.chats.get().cancel(begun["conversationId"])
    meant = {CLIENT: known, CHANGE: change.execution_id, DRAFT: draft.head.draft_id}
    meant |= {CONVERSATION: begun["conversationId"], MODEL: bridge.settings.current.chat_endpoint}
    for name, params in CALLS:
        if params.get("digest") == SHOWN:
            shown = await host.request("agents.preview", agent="cursor", remove=name == "agents.disconnect")
            meant[SHOWN] = shown["digest"]
        given = {key: meant.get(value, value) if isinstance(value, str) else value for key, value in params.items()}
        answer = await host.request(name, **given)
        read = TypeAdapter(BY_NAME[name].result).validate_json(orjson.dumps(answer), by_alias=True, by_name=False)
        if isinstance(read, Wire):
            assert set(answer) <= members(type(read)), name


async def test_every_event_that_is_sent_is_what_its_model_says(bridge: Bridge, host: Client) -> None:
    unsent = {ToolProgress, ToolOutput, LimitHit, IndexProgress, ConsentRevised, ConsentWaiting, OwnQuestion}
    unsent |= {VaultMoved, CustomRunEnded, OutsideNotice, ScreenChanged, ScreenSent, ScreenShow}
    missing = {event.event_name: event for event in EVENTS if event not in unsent}
    heard = host.notifications()
    await host.request("events.subscribe", kinds=["vault.changed"])
    await host.request("tools.call", name="apply_patch", arguments=EDIT, callId="c-1")
    await host.request("clients.add", name="Claude Code")
    await asyncio.to_thread(bridge.drafts.begin, caller())
    await host.request("consent.autoApprove", operation="create", enabled=True)
    await bridge.services.registry.remove("history")
    await host.request("chat.send", text="Hello")
    async for event in heard:
        if (model := missing.pop(event.method, None)) is not None:
            assert set(event.params) <= members(model)
            model.model_validate_json(orjson.dumps(event.params), by_alias=True, by_name=False)
        if not missing:
            break


def members(model: type[Wire]) -> set[str]:
    """The names on the wire."""
    return {field.alias or name for name, field in model.model_fields.items()}


def test_no_event_is_named_outside_the_contract() -> None:
    names = {event.event_name for event in EVENTS}
    named = [
        f"{file.relative_to(ROOT)}: {node.value}"
        for file in sorted((ROOT / "bridge").rglob("*.py"))
        if file.parent.name != "contract"
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Constant) and node.value in names
    ]
    assert named == []


def test_no_room_of_the_protocol_imports_itself_in_a_circle() -> None:
    """Imports for types alone count too: who reads one file needs the other.

    But not those in `toolkit/effects`, where the interface of an effect names the call that carries it out, and that
    call asks effects.
    """
    imports = {
        module: _imported(file, module.split(".")[1])
        for room in ("contract", "rpc", "toolkit")
        for file in (ROOT / "bridge" / room).rglob("*.py")
        for module in [".".join(file.relative_to(ROOT).with_suffix("").parts)]
    }
    order: list[str] = []

    def visit(module: str, above: tuple[str, ...]) -> None:
        assert module not in above, " imports ".join([*above, module])
        if module not in order:
            for other in sorted(imports.get(module, ())):
                visit(other, (*above, module))
            order.append(module)

    for module in sorted(imports):
        visit(module, ())


def _imported(file: Path, room: str) -> set[str]:
    """The modules of its own room that a file imports, wherever in the file."""
    tree = ast.parse(file.read_text("utf-8"))
    if file.parent.name == "effects":
        tree.body = [node for node in tree.body if not _is_for_types(node)]
    nodes = ast.walk(tree)
    found = [(node.module, alias.name) for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names]
    names = {f"{module}.{name}" if _is_module(f"{module}.{name}") else str(module) for module, name in found}
    return {name for name in names if name.startswith(f"bridge.{room}.")}


def _is_for_types(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _is_module(name: str) -> bool:
    return (ROOT / Path(*name.split("."))).with_suffix(".py").is_file()
