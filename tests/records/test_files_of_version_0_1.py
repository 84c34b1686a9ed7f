"""The private files that version 0.1 wrote are read without loss; damaged, none of them allows anything.

The files in `files` were written by that version, one of each kind.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import orjson
import pytest

from bridge.agents.connection import Connector
from bridge.agents.machine import Machine
from bridge.agents.protected import PROTECTED_BY_ID
from bridge.agents.protection import Options, ProtectionPlan, Protector
from bridge.agents.table import BY_ID
from bridge.audit.verify import ChainState, Head
from bridge.chat.chats import Conversations
from bridge.chat.endpoints import CHAT, EMBEDDING, AgreedEndpoints, Purpose
from bridge.clock import SystemClock
from bridge.consent.client_grants import ClientGrants
from bridge.consent.web_readers import AgentsAddresses, WebReaders
from bridge.contract.identity import Preset
from bridge.contract.tools import ToolResult
from bridge.custom.custom_tools import KeptValues, tool_approvals
from bridge.custom.storage import ToolsFile, told
from bridge.errors import ExecutionFailed
from bridge.identity.store import ClientStore
from bridge.policy.targets import url_target
from bridge.records.folder import DAMAGED, UserFolder
from bridge.servers.configuration import Definition, ServersFile, entry
from bridge.servers.servers import Approvals
from bridge.settings.model import Settings
from bridge.settings.store import Confirmations
from bridge.toolkit.tickets import Tickets
from bridge.tools.templates.templates import TemplateStore, parse_template
from bridge.vault.plan import content_hash
from bridge.versions.allowed_edits import AllowedEdits
from bridge.versions.states import Effect, Entry, Version
from tests.consent.test_client_grants import always, fetching
from tests.identities import caller, touching
from tests.versions.test_allowed_edits import writing

FILES: Final = Path(__file__).parent / "files"
CLOCK: Final = SystemClock()
ROBOT: Final = "vb_24c5ef204559_LlFWrLv1Y_71etZkyCPnp1J_U1x4xGMeCJAiAVy2sTo"
EDITOR: Final = "vb_8ea8ba3d8c7c_etbyWFoISwr6fv47IaVMPW6oDK_DxFQSgnc_UaQGIMA"
ELSEWHERE: Final = Settings(chat_endpoint="http://gpu.example:11434")
ALLOWED_AT: Final = 1795167000.0
SERVER: Final = entry("files", {"command": "npx", "args": ["server-files", "ä b"], "env": {"KEY": "other"}})
TOOL: Final = Definition("read", "Read", "Reads a file.\nWell — „so“.", {"type": "object"})
TITLE: Final = "Tee — „grün“"


def clients(folder: UserFolder) -> Any:
    store = ClientStore(folder, clock=CLOCK)
    found = [store.authenticate(token) for token in (ROBOT, EDITOR)]
    return [(one.name, len(one.capabilities), one.preset, one.elicitation) for one in found if one]


def add_client(folder: UserFolder) -> None:
    ClientStore(folder, clock=CLOCK).add("Another")


def grants(folder: UserFolder) -> Any:
    kept = ClientGrants(folder, clock=CLOCK, days=lambda: None)
    allowed = kept.grant(fetching(*touching("https://example.org/other")))
    denied = kept.denial(fetching(*touching("https://evil.example/a")))
    return (
        allowed is not None,
        denied is not None,
        [(one.tool, one.where, one.feedback) for one in kept.list()],
        [(one.title, "".join(one.letters or ())) for one in kept.written()],
    )


def add_grant(folder: UserFolder) -> None:
    always(ClientGrants(folder, clock=CLOCK, days=lambda: None), fetching())


def readers(folder: UserFolder) -> Any:
    kept = WebReaders(folder, CLOCK)
    news = url_target("https://news.example/")
    asked = [bool(kept.insists(who, [news])) for who in (caller("s1"), caller("s9"))]
    return asked, {one.name: one.sites for one in kept.list()}


def add_reader(folder: UserFolder) -> None:
    WebReaders(folder, CLOCK).mark(caller("s9"), [url_target("https://news.example/")])


def addresses(folder: UserFolder) -> Any:
    kept = AgentsAddresses(folder)
    return [kept.has(one) for one in ("https://a.example/?q=ä", "https://b.example/", "https://mine.example/")]


def endpoints(purpose: Purpose) -> Callable[[UserFolder], Any]:
    return lambda folder: [AgreedEndpoints(folder, CLOCK, purpose).allows(ELSEWHERE)]


def agree(purpose: Purpose) -> Callable[[UserFolder], Any]:
    def write(folder: UserFolder) -> None:
        other = Settings(chat_endpoint="http://other.example:1")
        AgreedEndpoints(folder, CLOCK, purpose).agree("http://other.example:1", other)

    return write


def approved(folder: UserFolder) -> Any:
    approvals = Approvals(folder)
    return approvals.entry_change("files", SERVER) is None, approvals.tool_change("files", TOOL) is None


def approve(folder: UserFolder) -> None:
    Approvals(folder).approve("another", entry("another", {"command": "x"}), [TOOL])


def tools_allowed(folder: UserFolder) -> Any:
    tool = ToolsFile(UserFolder(FILES), list).read()["word_count"]
    return [tool_approvals(folder).change("word_count", told(tool, confined=True)) is None]


def templates(folder: UserFolder) -> Any:
    return [(one.template.title, len(one.template.calls)) for one in TemplateStore(folder).all() if not one.shipped]


def add_template(folder: UserFolder) -> None:
    call = {"name": "write", "tool": "append_to_note", "arguments": {}}
    TemplateStore(folder).save(parse_template({"name": "other", "title": "Other", "calls": [call]}))


def confirmed(folder: UserFolder) -> Any:
    kept = Confirmations(folder)
    values = {"allow_terminal": True, "allowed_domains": ["example.org", "ä.example"], "auth_token_rotation": None}
    return [kept.holds(key, value) for key, value in values.items()]


def values(folder: UserFolder) -> Any:
    kept = KeptValues(folder)
    return {key: kept.do("word_count", "get", key, None) for key in kept.do("word_count", "keys", None, None)}


class Past:
    """Knows no states."""

    def versions(self, path: str) -> list[Version]:
        del path
        return []


def edits(folder: UserFolder) -> Any:
    written = bytes.fromhex(content_hash(b"a\nb\n"))
    entry = Entry(1, ALLOWED_AT + 1, ALLOWED_AT + 1, unattended=False, effects=(Effect("Ä/A.md", None, written),))
    compared = AllowedEdits(folder, CLOCK).compare(entry, Past().versions)
    return compared and (compared.clients, compared.as_allowed, compared.otherwise)


def connector(folder: UserFolder) -> Connector:
    return Connector(Machine("linux", folder.path, {"PATH": ""}), folder.path, lambda: ("x",), folder)


def connections(folder: UserFolder) -> Any:
    agents = (BY_ID["claude-code"], BY_ID["codex"])
    return [
        found and (found.client, found.made_client, found.backup)
        for found in (connector(folder).plan_disconnect(agent).record for agent in agents)
    ]


def add_connection(folder: UserFolder) -> None:
    connecting = connector(folder)
    connecting._note(connecting.plan_connect(BY_ID["gemini"]), None, None, added=True)


def protector(folder: UserFolder) -> Protector:
    machine = Machine("linux", folder.path, {"PATH": ""})
    return Protector(machine, folder.path, folder, endpoint=folder.path / "agent.json", guarded=())


def protections(folder: UserFolder) -> Any:
    found = protector(folder)
    return [(one.id, found.options(one)) for one in found.protected()]


def add_protection(folder: UserFolder) -> None:
    program = PROTECTED_BY_ID["codex"]
    plan = ProtectionPlan(program, "x", Options(), (), removes=False, record=None)
    protector(folder)._keep(plan, [], added=True)


def conversations(folder: UserFolder) -> Any:
    kept = Conversations(folder)
    return [
        (one.title, [(said.role, said.text, len(said.calls)) for said in kept.get(one.conversation_id).history])
        for one in kept.list()
    ]


def tickets(folder: UserFolder) -> Any:
    async def look() -> Any:
        kept = Tickets(folder, CLOCK)
        await kept.load()
        waits, done = kept.find("waits"), kept.find("done")
        found = (
            waits and (waits.state, await kept.arguments(waits)),
            done and (done.state, (await kept.result(done) or ToolResult(success=False)).data),
        )
        await kept.close()
        return found

    return asyncio.run(look())


def chain(folder: UserFolder) -> Any:
    return ChainState(folder).head


def servers(folder: UserFolder) -> Any:
    return {name: (one.enabled, one.trusted, len(one.secrets)) for name, one in ServersFile(folder).read().items()}


def add_server(folder: UserFolder) -> None:
    file = ServersFile(folder)
    file.write({**file.read(), "another": SERVER})


def own_tools(folder: UserFolder) -> Any:
    return {name: one.description for name, one in ToolsFile(folder, list).read().items()}


def add_tool(folder: UserFolder) -> None:
    file = ToolsFile(folder, list)
    held = file.read()
    tool = ToolsFile(UserFolder(FILES), list).read()["word_count"]
    file.write({**held, "another": tool.model_copy(update={"name": "another"})})


@dataclass(frozen=True)
class Kind:
    """One kind of private file.

    Attributes:
        file: The file's name.
        read: What the bridge makes of it.
        holds: That, of the file of version 0.1.
        nothing: That, of a damaged file.
        add: Adds something; None where the file is not written so.
    """

    file: str
    read: Callable[[UserFolder], Any]
    holds: Any
    nothing: Any
    add: Callable[[UserFolder], Any] | None = None


KINDS: Final = (
    Kind(
        "clients.json",
        clients,
        [("Zoë's robot", 2, None, True), ("Editor", 1, Preset.MINIMAL, False)],
        [],
        add_client,
    ),
    Kind(
        "client-grants.json",
        grants,
        (
            True,
            True,
            [
                ("web_fetch", ("https://example.org/",), None),
                (None, ("https://evil.example/",), "Not „there“"),
            ],
            [("read", "r"), ("create_note", "rw")],
        ),
        (False, False, [], []),
        add_grant,
    ),
    Kind(
        "web_readers.json",
        readers,
        (
            [True, False],
            {"Claude Code": ("https://sea.example/", "https://land.example/"), "Robot ü": ("mcp://files/",)},
        ),
        ([True, True], {}),
        add_reader,
    ),
    Kind(
        "agents_addresses.json",
        addresses,
        [True, True, False],
        [True, True, True],
        lambda folder: AgentsAddresses(folder).add(["https://c.example/"]),
    ),
    Kind("agreed.json", endpoints(CHAT), [True], [False], agree(CHAT)),
    Kind("agreed-meaning.json", endpoints(EMBEDDING), [True], [False], agree(EMBEDDING)),
    Kind("mcp-approved.json", approved, (True, True), (False, False), approve),
    Kind(
        "tools-approved.json",
        tools_allowed,
        [True],
        [False],
        lambda folder: tool_approvals(folder).approve_text("another", "x"),
    ),
    Kind("templates.json", templates, [("Täglich", 1)], [], add_template),
    Kind(
        "confirmed.json",
        confirmed,
        [True, True, True],
        [False, False, False],
        lambda folder: Confirmations(folder).confirm({"grep_longest_line": 1}),
    ),
    Kind(
        "66d98dbf2d94a8b24356b90b1745019f.json",
        values,
        {"last": "zwölf", "": "x\n"},
        {},
        lambda folder: KeptValues(folder).do("word_count", "set", "more", "x"),
    ),
    Kind(
        "allowed-edits.json",
        edits,
        (("Ada",), ("Ä/A.md",), ()),
        None,
        lambda folder: AllowedEdits(folder, CLOCK).note(writing("C.md", b"c"), "Bob"),
    ),
    Kind(
        "agents.json",
        connections,
        [("Zoë", True, Path("/home/u/.claude.json.bak")), ("Zoë", False, None)],
        [None, None],
        add_connection,
    ),
    Kind(
        "protections.json",
        protections,
        [("claude-code", Options(edits="ask", without_bridge="refuse", seconds=60))],
        [],
        add_protection,
    ),
    Kind(
        "0123456789abcdef.json",
        conversations,
        [(TITLE, [("user", "Wie?", 0), ("assistant", "So", 1), ("tool", "Result", 0)])],
        [],
    ),
    Kind(
        "7c4a345722b40acbdc121843d43b674e.json",
        tickets,
        (("waiting_for_person", {"path": "Ä.md", "content": "x"}), None),
        (None, None),
    ),
    Kind(
        "a4c3ed04a95a3da14a9d235c83d868be.json",
        tickets,
        (None, ("done", {"path": "B.md"})),
        (None, None),
    ),
    Kind("mcp.json", servers, {"files": (True, False, 1), "web": (False, True, 1)}, {}, add_server),
    Kind("tools.json", own_tools, {"word_count": "Zählt"}, {}, add_tool),
)

DAMAGE: Final[dict[str, Callable[[bytes], bytes]]] = {
    "empty": lambda _: b"",
    "cut": lambda data: data[: len(data) // 2],
    "another type": lambda _: b'["something else"]',
    "another encoding": lambda data: data.decode().encode("utf-16"),
}


@pytest.fixture
def folder(tmp_path: Path) -> UserFolder:
    return UserFolder(tmp_path / "state" / "kind" / "vault")


def contains(now: Any, before: Any) -> bool:
    """Return whether a JSON value has all of another one."""
    if isinstance(before, dict):
        return isinstance(now, dict) and all(key in now and contains(now[key], before[key]) for key in before)
    if isinstance(before, list):
        return isinstance(now, list) and all(any(contains(each, one) for each in now) for one in before)
    return bool(now == before)


by_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.file)


@by_kind
def test_what_version_0_1_wrote_is_read(kind: Kind, folder: UserFolder) -> None:
    folder.write(kind.file, (FILES / kind.file).read_bytes())
    assert kind.read(folder) == kind.holds
    assert kind.read(folder) != kind.nothing


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.add], ids=lambda kind: kind.file)
def test_what_is_added_takes_nothing_away(kind: Kind, folder: UserFolder) -> None:
    assert kind.add is not None
    before = (FILES / kind.file).read_bytes()
    folder.write(kind.file, before)
    kind.add(folder)
    now = folder.read(kind.file) or b""
    assert now != before
    assert contains(orjson.loads(now), orjson.loads(before))


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
@by_kind
def test_a_damaged_file_allows_nothing_and_is_not_lost(
    kind: Kind, damage: Callable[[bytes], bytes], folder: UserFolder
) -> None:
    damaged = damage((FILES / kind.file).read_bytes())
    folder.write(kind.file, damaged)
    assert kind.read(folder) == kind.nothing
    assert folder.read(kind.file) == damaged
    if kind.add is None:
        return
    try:
        kind.add(folder)
    except ExecutionFailed:
        assert folder.read(kind.file) == damaged
    else:
        assert folder.read(kind.file + DAMAGED) == damaged


def test_every_file_of_version_0_1_has_its_case() -> None:
    others = {"audit.head", "audit.key"}
    assert {file.name for file in FILES.iterdir()} == {kind.file for kind in KINDS} | others


def test_the_chain_of_the_audit_log_goes_on(folder: UserFolder) -> None:
    for name in ("audit.key", "audit.head"):
        folder.write(name, (FILES / name).read_bytes())
    kept = ChainState(folder)
    assert (kept.is_new, kept.head) == (False, Head(7, "ab" * 32, 1234))
