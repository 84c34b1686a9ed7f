"""Which answers are offered, and that each does what its sentence says: every choice, every kind, a second client."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bridge.clock import SystemClock
from bridge.consent.grants import GrantStore
from bridge.consent.permission_file import PermissionFile
from bridge.contract.consent import (
    Addition,
    ConsentClass,
    ConsentMode,
    Coverage,
    Covers,
    Decision,
    Holder,
    Operation,
    Until,
)
from bridge.identity.caller import SHARED, Caller
from bridge.policy.consent import ConsentCase, choices, decide
from bridge.policy.offers import AnswerBounds, Offer, offers
from bridge.policy.targets import command_target, custom_tool_target, server_tool_target
from bridge.vault.folder import Folder
from bridge.vault.root import VaultRoot
from tests.identities import caller, client_grants, touching

ADA = caller("ada", "Ada")
BOB = caller("bob", "Bob")
UNNAMED = Caller(SHARED, "link-1", "claude-code")
OTHER_LINK = Caller(SHARED, "link-2", "claude-code")
BOUNDS = AnswerBounds(files=50, minutes=60, days=30)


def _case(tool: str, operation: Operation, kind: ConsentClass, *targets: str, **more: Any) -> ConsentCase:
    return ConsentCase(
        tool=tool,
        operation=operation,
        consent_class=kind,
        covers=Covers.TOOL if operation is Operation.READ else Covers.TARGET,
        targets=touching(*targets),
        caller=ADA,
        mode=ConsentMode.SESSION_ALLOW,
        developer_mode=False,
        call=f"{tool} {targets}",
        title=tool.replace("_", " ").capitalize(),
        **more,
    )


KINDS = {
    "search": _case("grep", Operation.READ, ConsentClass.ALWAYS, ""),
    "read a note": _case("read_note", Operation.READ, ConsentClass.ALWAYS, "Projects/Plan.md"),
    "create": _case(
        *("create_note", Operation.CREATE, ConsentClass.SESSION, "Projects/New.md"),
        additions=frozenset({Addition.CREATE}),
        files=1,
    ),
    "tag": _case(
        *("add_tag", Operation.UPDATE, ConsentClass.SESSION, "Projects/Plan.md"),
        additions=frozenset({Addition.TAG}),
        files=1,
    ),
    "edit": _case("edit_file", Operation.UPDATE, ConsentClass.SESSION, "Projects/Plan.md", files=1),
    "move": _case(
        *("move_file", Operation.UPDATE, ConsentClass.NEVER, "Projects/Plan.md", "Archive/Plan.md"),
        *("Links/One.md", "Links/Two.md"),
        subjects=touching("Projects/Plan.md", "Archive/Plan.md"),
        files=4,
    ),
    "delete": _case("delete_note", Operation.DELETE, ConsentClass.NEVER, "Projects/Plan.md", files=1),
    "fetch": _case("web_fetch", Operation.NETWORK, ConsentClass.ALWAYS, "https://example.org/docs/page"),
    "run": _case("terminal", Operation.EXECUTE, ConsentClass.SESSION)._replace(
        targets=(command_target("/usr/bin/ls", ["-l"]),)
    ),
    "server tool": _case("mcp__weather__now", Operation.NETWORK, ConsentClass.ALWAYS)._replace(
        targets=(server_tool_target("weather", "now"),),
    ),
    "custom tool": _case("wordcount", Operation.EXECUTE, ConsentClass.SESSION)._replace(
        targets=(custom_tool_target("wordcount"),)
    ),
}
WHO = {"Ada": ADA, "unnamed": UNNAMED}
NOW = datetime.now(UTC)


def every_offer() -> Iterator[Any]:
    for kind, base in KINDS.items():
        for name, who in WHO.items():
            case = base._replace(caller=who)
            for offer in offers(case, BOUNDS, NOW):
                yield pytest.param(case, offer, id=f"{kind}-{name}-{offer.id}")


class World:
    def __init__(self, state: Folder) -> None:
        self.modes: dict[str, str] = {}
        self.grants = GrantStore(
            PermissionFile(state, clock=SystemClock()),
            clock=SystemClock(),
            modes=lambda: self.modes,
            set_mode=self._set_mode,
            clients=client_grants(days=BOUNDS.days, name_of={"ada": "Ada", "bob": "Bob"}.get),
            title_of=lambda tool: tool.replace("_", " ").capitalize(),
            days=lambda: BOUNDS.days,
        )

    def _set_mode(self, tool: str, mode: ConsentMode | None, by: str | None) -> None:
        del by
        self.modes = {} if mode is None else {tool: mode.value}

    def outcome(self, case: ConsentCase) -> str:
        mode = ConsentMode(self.modes.get(case.tool, case.mode))
        return decide(case._replace(mode=mode), self.grants).outcome


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with VaultRoot(tmp_path) as root, root.state() as state:
        yield World(state)


@pytest.mark.parametrize(("case", "offer"), list(every_offer()))
def test_the_sentence_the_stored_answer_and_what_it_does_agree(world: World, case: ConsentCase, offer: Offer) -> None:
    shown = offer.to_wire(case, BOUNDS)
    kept = world.grants.remember(offer.decision, offer.extent, case)
    extent = offer.extent
    if offer.decision is Decision.ALLOW_ONCE:
        assert kept == ()
        assert world.outcome(case) == "ask"
        return
    (listed,) = world.grants.list()
    if extent.what is not Coverage.CALL:
        members = ("who", "what", "tool", "where", "additions", "most_files", "until", "sentence")
        stored = {member: getattr(listed, member) for member in members}
        assert stored == {member: getattr(shown, member) for member in members}

    wanted = "allow" if offer.decision.allows else "deny"
    assert world.outcome(case) == wanted
    # who
    second = case._replace(caller=BOB)
    is_everyone = extent.who is Holder.EVERYONE
    assert world.outcome(second) == (wanted if is_everyone else "ask")
    assert extent.what is Coverage.CALL or shown.sentence.startswith(_head(case, offer))
    if case.caller is UNNAMED:
        reconnected = case._replace(caller=OTHER_LINK)
        assert world.outcome(reconnected) == ("ask" if extent.until in _OF_ONE_CONNECTION else wanted)
    # what
    other_tool = case._replace(tool="another_tool", call="another")
    assert world.outcome(other_tool) == ("ask" if extent.what in {Coverage.TOOL, Coverage.CALL} else wanted)
    # where
    elsewhere = case._replace(targets=_elsewhere(case), subjects=(), call="elsewhere")
    is_everywhere = not extent.rungs and extent.what is not Coverage.CALL
    assert world.outcome(elsewhere) == (wanted if is_everywhere else "ask")
    # one click
    assert world.grants.revoke(listed.grant_id)
    assert world.grants.list() == []
    assert world.outcome(case) == "ask"


def _head(case: ConsentCase, offer: Offer) -> str:
    if offer.extent.who is Holder.EVERYONE:
        return "Any program may " if offer.decision.allows else "No program may "
    if case.caller is ADA:
        return "Ada may "
    if offer.extent.who is Holder.CONNECTION:
        return "The program that calls itself “claude-code” (unverified) may "
    return "Programs without a name of their own may "


_OF_ONE_CONNECTION = {Until.DISCONNECT, Until.TIME}


def _elsewhere(case: ConsentCase) -> Any:
    if case.tool == "terminal":
        return (command_target("/usr/bin/rm", ["-r"]),)
    if case.tool == "mcp__weather__now":
        return (server_tool_target("bank", "pay"),)
    if case.tool == "wordcount":
        return (custom_tool_target("other"),)
    return touching("https://elsewhere.test/") if case.tool == "web_fetch" else touching("Elsewhere/Note.md")


@pytest.mark.parametrize("base", KINDS.values(), ids=KINDS)
def test_what_is_offered_is_what_may_be_answered_and_every_name_is_its_own(base: ConsentCase) -> None:
    offered = offers(base, BOUNDS, NOW)
    assert tuple(dict.fromkeys(offer.decision for offer in offered)) == choices(base)
    assert len({offer.id for offer in offered}) == len(offered)
    wires = [offer.to_wire(base, BOUNDS) for offer in offered]
    assert len({wire.sentence for wire in wires}) == len(wires)
    assert len({wire.label for wire in wires}) == len(wires)
    assert len(offered) <= 16


@pytest.mark.parametrize(
    ("paths", "folder"),
    [
        (("Projects/New.md",), "Projects/"),
        (("Projects", "Projects/New.md"), "Projects/"),
        (("Areas", "Areas/Home", "Areas/Home/New.md"), "Areas/"),
        (("Areas/Home", "Areas/Home/New.md"), "Areas/Home/"),
        (("New.md",), None),
        (("One/A.md", "Two/B.md"), None),
    ],
)
def test_adding_is_offered_for_the_nearest_folder_also_where_the_call_makes_it(
    paths: tuple[str, ...], folder: str | None
) -> None:
    files = tuple(path for path in paths if path.endswith(".md"))
    base = KINDS["create"]._replace(targets=touching(*paths), subjects=touching(*files))
    adding = [one.extent for one in offers(base, BOUNDS, NOW) if one.extent.what is Coverage.ADDING]
    assert [rung.key for rung in adding[0].rungs] == ([folder] if folder else [])
    assert all(extent.allows(base) for extent in adding)


def test_a_tool_that_always_asks_offers_nothing_that_would_allow_it_again() -> None:
    for base in (KINDS["move"], KINDS["delete"]):
        assert [one.decision for one in offers(base, BOUNDS, NOW) if one.decision.allows] == [Decision.ALLOW_ONCE]


def test_the_answer_that_fits_is_reading_the_vault_and_adding_in_the_folder() -> None:
    def suggested(base: ConsentCase) -> list[str]:
        return [one.to_wire(base, BOUNDS).sentence for one in offers(base, BOUNDS, NOW) if one.suggested]

    (reading,) = suggested(KINDS["search"])
    assert reading.startswith("Ada may read every note of this vault, with any tool that only reads, until the bridge")
    (adding,) = suggested(KINDS["tag"])
    assert adding.startswith(
        "Ada may create notes and add text, tags and properties to notes in the folder Projects/ without asking, "
        "up to 50 files, until "
    )
    assert suggested(KINDS["edit"]) == suggested(KINDS["move"]) == []


def test_one_answer_for_reading_covers_every_tool_that_only_reads_and_nothing_else(world: World) -> None:
    base = KINDS["search"]
    offer = next(one for one in offers(base, BOUNDS, NOW) if one.extent.what is Coverage.READING and one.suggested)
    world.grants.remember(offer.decision, offer.extent, base)
    for tool in ("read", "find", "list_tags", "get_metadata"):
        assert world.outcome(base._replace(tool=tool, targets=touching("A/B.md"))) == "allow"
    for kind in ("create", "tag", "edit", "move", "delete", "fetch", "run", "server tool", "custom tool"):
        assert world.outcome(KINDS[kind]) == "ask"
    of_the_web = base._replace(tool="rss", targets=touching("https://example.org/"))
    assert world.outcome(of_the_web) == "ask"
    assert world.outcome(base._replace(tool="mystery", targets=())) == "ask"


@pytest.mark.parametrize("who", [ADA, UNNAMED], ids=["named", "unnamed"])
def test_a_name_is_data_in_a_sentence_and_marked_where_nobody_gave_it(who: Caller) -> None:
    base = KINDS["search"]._replace(caller=who)
    sentences = [offer.to_wire(base, BOUNDS).sentence for offer in offers(base, BOUNDS, NOW)]
    assert all(("(unverified)" in text) is ("claude-code" in text) for text in sentences)
