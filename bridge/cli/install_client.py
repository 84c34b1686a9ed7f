"""`vault-bridge install-client` connects the programs in which people use agents, and `install` connects Obsidian."""

import json
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import typer
from rich.text import Text

from bridge.agents.connection import ConnectionResult, Connector, Plan
from bridge.agents.documents import TomlEntries
from bridge.agents.machine import ConfigurationRefused, this_machine
from bridge.agents.program import command_line, remember_program
from bridge.agents.table import AGENTS, BY_ID, Agent, install_link
from bridge.cli.connection import run_once
from bridge.cli.diff import draw_changes
from bridge.cli.layout import draw_table
from bridge.cli.options import AsJson, Vault
from bridge.cli.printer import BAD_USAGE, READABLE, Printer, fail, quoted, typed_command
from bridge.cli.sanitize import sanitize
from bridge.client import Connection, TokenNotFound, VaultNotFound, find_vault, token_storage
from bridge.client.discovery import known_vaults
from bridge.errors import InvalidParameters, PermissionDenied
from bridge.plugin.install import find_built_plugin, install
from bridge.records.folder import RunFolder
from bridge.vault.paths import parse_path

_OTHER: Final = "My agent"
"""The client of a program that is not in the table, unless it is named."""


_FIRST_TASK: Final = (
    "Look through my notes in Obsidian, then write a new note “Hello.md” there that says what they are about."
)
"""A first task to give an agent: it reads, and proposes one change."""


class BridgeClients:
    """The clients of a running bridge.

    Args:
        bridge: The connection to it.
    """

    def __init__(self, bridge: Connection) -> None:
        self._bridge = bridge

    async def names(self) -> Sequence[str]:
        """Return what the clients are called."""
        return [client["name"] for client in await self._bridge.request("clients.list")]

    async def add(self, name: str, preset: str) -> str:
        """Add a client, and return its token."""
        return str((await self._bridge.request("clients.add", name=name, preset=preset))["token"])

    async def work_in_drafts(self, name: str) -> None:
        """Have a client work in drafts."""
        for client in await self._bridge.request("clients.list"):
            if client["name"].casefold() == name.casefold():
                await self._bridge.request("clients.update", clientId=client["clientId"], drafts=True)

    async def revoke(self, name: str) -> None:
        """End a client's credential."""
        for client in await self._bridge.request("clients.list"):
            if client["name"].casefold() == name.casefold():
                await self._bridge.request("clients.revoke", clientId=client["clientId"])


def install_client(
    program: Annotated[
        str | None,
        typer.Argument(
            metavar="[PROGRAM]",
            show_default=False,
            help=f"{', '.join(BY_ID)}. Without one, they are listed and you choose.",
        ),
    ] = None,
    *,
    remove: Annotated[bool, typer.Option("--remove", help="Take the connection back.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be done.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    show: Annotated[
        bool, typer.Option("--print", help="Print the entry instead, for a program that is not in the list.")
    ] = False,
    link: Annotated[bool, typer.Option("--link", help="Print a link that Cursor or VS Code opens instead.")] = False,
    client: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The client that it is in the bridge. Default: the program's name."),
    ] = None,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="What the entry is called. Default: vault-bridge.")
    ] = None,
    scope: Annotated[
        Literal["user", "project"],
        typer.Option(help="For every project, or in the file of the project you are in, which others may share."),
    ] = "user",
    drafts: Annotated[
        bool,
        typer.Option("--drafts", help="It works in drafts: its changes of notes are staged until you take the draft."),
    ] = False,
    no_skill: Annotated[bool, typer.Option("--no-skill", help="Do not write the skill.")] = False,
    revoke: Annotated[
        bool, typer.Option("--revoke", help="With --remove: revoke the client even if it was there before.")
    ] = False,
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """Connect the program in which you use an agent.

    That is Claude Code, Claude Desktop, Codex, Cursor, VS Code, Gemini CLI or OpenCode. It shows the exact change to
    the program's configuration, asks, keeps a backup beside the file, and writes it. The program becomes a client with
    a name of its own; its token stays in a file that only you can read.

    The vault is the one named or the one you are in, else the one that Obsidian knows.

    Examples:
      vault-bridge install-client                       which programs are here; in a terminal, step by step
      vault-bridge install-client claude-code
      vault-bridge install-client codex --vault ~/Notes --yes
      vault-bridge install-client cursor --dry-run      only show the change
      vault-bridge install-client claude-code --scope project     only in the project you are in
      vault-bridge install-client claude-code --drafts  it works in drafts, which you look through later
      vault-bridge install-client claude-code --remove  take it back
      vault-bridge install-client --print               an entry for every other program
    """
    printer = Printer(as_json=as_json)
    if program is not None and program not in BY_ID:
        fail(f"{program!r} is none of {', '.join(BY_ID)}. For another program use --print.", BAD_USAGE)
    agent = None if program is None else BY_ID[program]
    if agent is None and (remove or link):
        fail("Name the program, such as claude-code.", BAD_USAGE)
    if agent is not None and scope == "project":
        agent = agent.in_project(Path.cwd()) or fail(
            f"{agent.title} has no configuration of its own in a project.", BAD_USAGE
        )
    try:
        folder = _choose_vault(vault, printer)
    except VaultNotFound as unknown:
        if vault is not None or agent is not None or show:
            raise
        _list(None, printer)
        printer.say(f"Which of them are connected, it says for one vault. {unknown}")
        return
    try:
        records = RunFolder(folder, kind="clients", durable=True)
        connector = Connector(this_machine(), folder, command_line, records)
        if show or link:
            _print_entry(connector, agent, printer, folder, client=client, name=name, link=link)
        elif agent is None:
            _list(connector, printer)
            if printer.watched and _can_answer() and not as_json:
                _walk(connector, printer)
        else:
            plan = (
                connector.plan_disconnect(agent)
                if remove
                else connector.plan_connect(agent, client=client, name=name, skill=not no_skill)
            )
            _carry_out(connector, plan, printer, ask=not yes, dry_run=dry_run, revoke=revoke, drafts=drafts)
    except ConfigurationRefused as refused:
        fail(str(refused))


def _can_answer() -> bool:
    return sys.stdin.isatty()


def _walk(connector: Connector, printer: Printer) -> None:
    """Lead a person through connecting a program: which one, the change, how much it may read, what to type then."""
    free = [agent for agent in AGENTS if agent.is_here(connector.machine) and _state(connector, agent) == (None, None)]
    if not free:
        printer.say("There is no program here that is not connected already. `--print` has an entry for any other.")
        return
    names = ", ".join(agent.id for agent in free)
    question, agent = f"Connect which one ({names}; Enter: none)", None
    while agent is None:
        chosen = typer.prompt(question, default="", show_default=False, err=True).strip()
        if chosen == "":
            printer.say("Nothing was changed.")
            return
        agent = next((each for each in free if chosen.casefold() in {each.id, each.title.casefold()}), None)
        if agent is None:
            printer.say(f"{chosen!r} is none of {names}.")
    _carry_out(connector, connector.plan_connect(agent), printer, ask=True, dry_run=False, revoke=False, walks=True)
    printer.say(f"Ask it, for example: {_FIRST_TASK}")
    printer.say("Its first question appears in Obsidian, or here with `vault-bridge approve`.")


def _ask_reading(vault: Path) -> list[str]:
    """Ask which folders the program may read without asking, until all are there; none: it asks each time."""
    typer.echo("What may it read without asking? Closed notes stay closed.", err=True)
    while True:
        said: str = typer.prompt(
            "Folders with commas between them, / for all notes (Enter: it asks each time)",
            default="",
            show_default=False,
            err=True,
        )
        folders = [folder.strip() for folder in said.split(",") if folder.strip()]
        unknown = next((folder for folder in folders if not _is_folder(folder, vault)), None)
        if unknown is None:
            return folders
        typer.echo(f"The vault has no folder {unknown!r}.", err=True)


def _is_folder(name: str, vault: Path) -> bool:
    if not name.strip("/"):
        return True
    with suppress(InvalidParameters, PermissionDenied):
        return (vault / str(parse_path(name))).is_dir()
    return False


def may_write(facts: dict[str, Any], printer: Printer, *, ask: bool, dry_run: bool) -> bool:
    """Return whether to write what was shown; where it shall only be shown, what it is as JSON.

    Args:
        facts: What would be written.
        printer: Prints it.
        ask: Whether to ask. Somebody who says no ends the command.
        dry_run: Whether it shall only be shown.
    """
    if dry_run:
        if printer.as_json:
            printer.json({**facts, "done": False})
        return False
    if ask:
        if printer.as_json:
            fail("With --json nobody is asked: add --yes, or --dry-run to see the change only.", BAD_USAGE)
        if not typer.confirm("Write this?", err=True):
            fail("Nothing was changed.")
    return True


def _choose_vault(named: Path | None, printer: Printer) -> Path:
    """Return the vault that is meant; where none is named and several are known, the person chooses."""
    try:
        return find_vault(named)
    except VaultNotFound:
        if named is not None:
            raise
        found = known_vaults()
    if len(found) == 1:
        return found[0]
    if not found:
        raise VaultNotFound("Obsidian knows no vault on this machine. Name your vault's folder with --vault DIR")
    listed = "\n".join(f"  {number}  {folder}" for number, folder in enumerate(found, 1))
    if printer.as_json or not printer.watched:
        fail(f"Obsidian knows several vaults. Name one with --vault DIR:\n{listed}", BAD_USAGE)
    printer.say(f"Obsidian knows several vaults:\n{listed}")
    chosen: int = typer.prompt("Which", type=int, err=True)
    if not 1 <= chosen <= len(found):
        fail(f"There is no vault {chosen}.", BAD_USAGE)
    return found[chosen - 1]


def _list(connector: Connector | None, printer: Printer) -> None:
    """List the programs, and how each is connected to the vault, where one is known."""
    machine = this_machine()
    rows = [
        (agent, agent.is_here(machine), *((None, None) if connector is None else _state(connector, agent)))
        for agent in AGENTS
    ]
    if printer.as_json:
        printer.json(
            [
                {"agent": agent.id, "title": agent.title, "here": here, "client": client, "fault": fault}
                for agent, here, client, fault in rows
            ]
        )
        return
    cells = [
        [
            sanitize(agent.id, style="bold"),
            Text("yes" if here else "not found"),
            sanitize(fault or (f"as {client}" if client else "no" if connector else "-")),
        ]
        for agent, here, client, fault in rows
    ]
    printer.lines(draw_table(("Program", "Here", "Connected"), cells, printer.width))


def _state(connector: Connector, agent: Agent) -> tuple[str | None, str | None]:
    """Return the client as which a program is connected, or what is wrong with its configuration."""
    try:
        return connector.connected(agent), None
    except ConfigurationRefused as refused:
        return None, str(refused)


def _print_entry(
    connector: Connector,
    agent: Agent | None,
    printer: Printer,
    vault: Path,
    *,
    client: str | None,
    name: str | None,
    link: bool,
) -> None:
    """Print the entry as the program's configuration has it, or in the usual form. Write nothing."""
    chosen, entry_name = client or (agent.title if agent else _OTHER), name or "vault-bridge"
    server = connector.server(chosen)
    if link:
        address = install_link(agent.id if agent else "", entry_name, server)
        if address is None:
            fail(f"{agent.title if agent else 'It'} has no such links: only cursor and vscode do.", BAD_USAGE)
        printer.text(address)
    else:
        shown = agent or BY_ID["cursor"]
        entry = shown.entry(server) | shown.defaults
        if shown.form == "toml":
            printer.text(TomlEntries("", shown.key).put(entry_name, entry).rstrip())
        else:
            printer.text(json.dumps({shown.key: {entry_name: entry}}, indent=2, ensure_ascii=False))
    try:
        token_storage.find_token(vault, chosen)
    except TokenNotFound:
        add = f"clients add {quoted(chosen)} --save"
        printer.say(f"Then give it its credential: {typed_command(add, vault)}")


def _carry_out(
    connector: Connector,
    plan: Plan,
    printer: Printer,
    *,
    ask: bool,
    dry_run: bool,
    revoke: bool,
    drafts: bool = False,
    walks: bool = False,
) -> None:
    facts: dict[str, Any] = {
        "agent": plan.agent.id,
        "vault": str(plan.vault),
        "name": plan.name,
        "client": plan.client,
        "files": [change.preview.to_wire() for change in plan.files],
        "kept": list(plan.kept),
    }
    if not printer.as_json:
        _show(plan, printer)
    if not may_write(facts, printer, ask=ask and bool(plan.files), dry_run=dry_run):
        return
    reads = _ask_reading(plan.vault) if walks else []

    async def work(bridge: Connection) -> tuple[ConnectionResult, str]:
        clients, reading = BridgeClients(bridge), ""
        if plan.removes:
            return await connector.disconnect(plan, clients, revoke=revoke), reading
        outcome = await connector.connect(plan, clients)
        if walks:
            allowed = await bridge.request("consent.allowReading", client=plan.client, where=reads)
            reading = allowed["grant"]["sentence"] if allowed["grant"] else "It asks you about every note."
        if drafts:
            await clients.work_in_drafts(plan.client)
        return outcome, reading

    outcome, reading = run_once(plan.vault, work)
    if printer.as_json:
        done = {"addedClient": outcome.added_client, "revokedClient": outcome.revoked_client}
        printer.json({**facts, "done": True, **done, "backup": str(outcome.backup) if outcome.backup else None})
        return
    _tell(plan, outcome, printer)
    if reading:
        printer.say(reading)


def _show(plan: Plan, printer: Printer) -> None:
    width = min(printer.width, READABLE)
    printer.lines(draw_changes([change.preview.to_wire() for change in plan.files], width))
    for sentence in plan.kept:
        printer.say(sentence)


def _tell(plan: Plan, outcome: ConnectionResult, printer: Printer) -> None:
    title = plan.agent.title
    if outcome.backup is not None:
        printer.say(f"The file of before is {outcome.backup}.")
    if plan.removes:
        printer.say(
            f"{title} is not connected to {plan.vault} any more." if plan.files else f"{title} was not connected."
        )
        if outcome.revoked_client:
            printer.say(f"The client {plan.client!r} was revoked.")
        return
    if not plan.files and not outcome.added_client:
        printer.say(f"{title} is connected to {plan.vault} already, as {plan.client!r}. Nothing was changed.")
        return
    printer.say(f"{title} is connected to {plan.vault}, as {plan.client!r}. {plan.agent.then}")


def install_plugin(
    no_enable: Annotated[bool, typer.Option("--no-enable", help="Do not enable it.")] = False,
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """Put the Obsidian plugin into a vault, and enable it.

    Nothing else in the vault is touched, and other plugins stay. Obsidian may be running: reload it afterwards.

    Examples:
      vault-bridge install --vault ~/Notes
      vault-bridge install --no-enable       enable it yourself in Obsidian's settings
    """
    printer = Printer(as_json=as_json)
    done = install(find_vault(vault), find_built_plugin(), enable=not no_enable)
    remember_program()
    if as_json:
        printer.json(
            {
                "folder": done.folder,
                "version": done.version,
                "previous": done.previous,
                "enabled": done.enabled,
                "backup": done.backup,
                "former": done.former,
            }
        )
        return
    was = f", in place of version {done.previous}" if done.previous not in {None, done.version} else ""
    lines = [f"Version {done.version} of the plugin is in {done.folder}{was}."]
    if done.former is not None:
        lines.append(f"The one in {done.former}, where it was before, was removed.")
    if done.backup is not None:
        lines.append(f"It is in community-plugins.json now; the old file is {done.backup}.")
    if done.enabled:
        lines.append(
            "If Obsidian has this vault open: reload it (command palette, 'Reload app without saving'), and switch "
            "off its Restricted mode if it asks (Settings, Community plugins)."
        )
    else:
        lines.append("Enable it in Obsidian: Settings, Community plugins, Vault Bridge Consent.")
    lines.append("Then serve the vault: vault-bridge serve")
    printer.lines(sanitize(line) if line else Text() for line in lines)
