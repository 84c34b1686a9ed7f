"""`vault-bridge install-client` connects the programs in which people use agents, and `install` connects Obsidian."""

import dataclasses
import json
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import typer
from rich.text import Text

from bridge.agents.connection import ConnectionResult, Connector, Plan
from bridge.agents.documents import TomlEntries
from bridge.agents.file_change import FileChange
from bridge.agents.machine import ConfigurationRefused, this_machine
from bridge.agents.program import command_line, remember_program
from bridge.agents.table import AGENTS, BY_ID, Agent, install_link
from bridge.cli.diff import draw_changes
from bridge.cli.family import CommandLine, Table, Thing, command
from bridge.cli.options import argument, option
from bridge.cli.printer import BAD_USAGE, fail, quoted, typed_command
from bridge.cli.sanitize import sanitize
from bridge.client import Connection, TokenNotFound, VaultNotFound, token_storage
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
        await self._change(name, "clients.update", drafts=True)

    async def revoke(self, name: str) -> None:
        """End a client's credential."""
        await self._change(name, "clients.revoke")

    async def _change(self, name: str, method: str, **params: Any) -> None:
        for client in await self._bridge.request("clients.list"):
            if client["name"].casefold() == name.casefold():
                await self._bridge.request(method, clientId=client["clientId"], **params)


@command
def install_client(
    cli: CommandLine,
    program: Annotated[
        str | None, argument("[PROGRAM]", f"{', '.join(BY_ID)}. Without one, they are listed and you choose.")
    ] = None,
    *,
    remove: Annotated[bool, option("--remove", "Take the connection back.")] = False,
    dry_run: Annotated[bool, option("--dry-run", "Only show what would be done.")] = False,
    yes: Annotated[bool, option("--yes", "Do not ask.")] = False,
    show: Annotated[bool, option("--print", "Print the entry instead, for a program that is not in the list.")] = False,
    link: Annotated[bool, option("--link", "Print a link that Cursor or VS Code opens instead.")] = False,
    client: Annotated[
        str | None, option("NAME", "The client that it is in the bridge. Default: the program's name.")
    ] = None,
    name: Annotated[str | None, option("NAME", "What the entry is called. Default: vault-bridge.")] = None,
    scope: Annotated[
        Literal["user", "project"],
        typer.Option(help="For every project, or in the file of the project you are in, which others may share."),
    ] = "user",
    drafts: Annotated[
        bool, option("--drafts", "It works in drafts: its changes of notes are staged until you take the draft.")
    ] = False,
    no_skill: Annotated[bool, option("--no-skill", "Do not write the skill.")] = False,
    revoke: Annotated[
        bool, option("--revoke", "With --remove: revoke the client even if it was there before.")
    ] = False,
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
        cli.vault = folder = _choose_vault(cli)
    except VaultNotFound as unknown:
        if cli.vault is not None or agent is not None or show:
            raise
        _list(None, cli)
        cli.say(f"To see which of them are connected, name a vault. {unknown}")
        return
    try:
        records = RunFolder(folder, kind="clients", durable=True)
        connector = Connector(this_machine(), folder, command_line, records)
        if show or link:
            _print_entry(connector, agent, cli, client=client, name=name, link=link)
        elif agent is None:
            _list(connector, cli)
            if cli.watched and _can_answer() and not cli.as_json:
                _walk(connector, cli)
        else:
            plan = (
                connector.plan_disconnect(agent)
                if remove
                else connector.plan_connect(agent, client=client, name=name, skill=not no_skill)
            )
            _carry_out(connector, plan, cli, ask=not yes, dry_run=dry_run, revoke=revoke, drafts=drafts)
    except ConfigurationRefused as refused:
        fail(str(refused))


def _can_answer() -> bool:
    return sys.stdin.isatty()


def _walk(connector: Connector, cli: CommandLine) -> None:
    """Lead a person through connecting a program: which one, the change, how much it may read, what to type then."""
    free = [agent for agent in AGENTS if agent.is_here(connector.machine) and _state(connector, agent) == (None, None)]
    if not free:
        cli.say("There is no program here that is not connected already. `--print` has an entry for any other.")
        return
    names = ", ".join(agent.id for agent in free)
    question, agent = f"Connect which one ({names}; Enter: none)", None
    while agent is None:
        chosen = typer.prompt(question, default="", show_default=False, err=True).strip()
        if chosen == "":
            cli.say("Nothing was changed.")
            return
        agent = next((each for each in free if chosen.casefold() in {each.id, each.title.casefold()}), None)
        if agent is None:
            cli.say(f"{chosen!r} is none of {names}.")
    _carry_out(connector, connector.plan_connect(agent), cli, ask=True, dry_run=False, revoke=False, walks=True)
    cli.say(f"Ask it, for example: {_FIRST_TASK}")
    cli.say("Its first question appears in Obsidian, or here with `vault-bridge approve`.")


def _ask_reading(vault: Path) -> list[str]:
    """Ask which folders the program may read without asking, until all are there; none: it asks each time."""
    typer.echo("What may it read without asking? Closed notes stay closed.", err=True)
    while True:
        question = "Folders with commas between them, / for all notes (Enter: it asks each time)"
        said: str = typer.prompt(question, default="", show_default=False, err=True)
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


def may_write(
    cli: CommandLine, facts: Thing, changes: Sequence[FileChange], below: Iterable[Text], *, ask: bool, dry_run: bool
) -> bool:
    """Show what would be written, and return whether to write it.

    Args:
        cli: Where it is shown.
        facts: All about it, with the sentences about what is `kept`. The `files` are added.
        changes: The changes.
        below: What is shown below them.
        ask: Whether to ask if there are any. Somebody who says no ends the command.
        dry_run: Whether it shall only be shown.
    """
    facts["files"] = [change.preview.to_wire() for change in changes]
    if not cli.as_json:
        cli.lines(draw_changes(facts["files"], cli.readable))
        for sentence in facts["kept"]:
            cli.say(sentence)
        cli.lines(below)
    if dry_run:
        if cli.as_json:
            cli.json({**facts, "done": False})
        return False
    if ask and changes:
        if cli.as_json:
            fail("With --json nobody is asked: add --yes, or --dry-run to see the change only.", BAD_USAGE)
        if not typer.confirm("Write this?", err=True):
            fail("Nothing was changed.")
    return True


def _choose_vault(cli: CommandLine) -> Path:
    """Return the vault that is meant; where none is named and several are known, the person chooses."""
    try:
        return cli.folder
    except VaultNotFound:
        if cli.vault is not None:
            raise
        found = known_vaults()
    if len(found) == 1:
        return found[0]
    if not found:
        raise VaultNotFound("Obsidian knows no vault on this machine. Name your vault's folder with --vault DIR")
    listed = "\n".join(f"  {number}  {folder}" for number, folder in enumerate(found, 1))
    if cli.as_json or not cli.watched:
        fail(f"Obsidian knows several vaults. Name one with --vault DIR:\n{listed}", BAD_USAGE)
    cli.say(f"Obsidian knows several vaults:\n{listed}")
    chosen: int = typer.prompt("Which", type=int, err=True)
    if not 1 <= chosen <= len(found):
        fail(f"There is no vault {chosen}.", BAD_USAGE)
    return found[chosen - 1]


def _list(connector: Connector | None, cli: CommandLine) -> None:
    """List the programs, and how each is connected to the vault, where one is known."""
    machine = this_machine()
    rows = []
    for agent in AGENTS:
        client, fault = _state(connector, agent) if connector else (None, None)
        here = agent.is_here(machine)
        rows.append({"agent": agent.id, "title": agent.title, "here": here, "client": client, "fault": fault})
    otherwise = "no" if connector else "-"
    Table(
        (
            ("Program", "agent", "bold"),
            ("Here", lambda one: "yes" if one["here"] else "not found"),
            ("Connected", lambda one: one["fault"] or (f"as {one['client']}" if one["client"] else otherwise)),
        )
    ).print(cli, rows)


def _state(connector: Connector, agent: Agent) -> tuple[str | None, str | None]:
    """Return the client as which a program is connected, or what is wrong with its configuration."""
    try:
        return connector.connected(agent), None
    except ConfigurationRefused as refused:
        return None, str(refused)


def _print_entry(
    connector: Connector, agent: Agent | None, cli: CommandLine, *, client: str | None, name: str | None, link: bool
) -> None:
    """Print the entry as the program's configuration has it, or in the usual form. Write nothing."""
    chosen, entry_name = client or (agent.title if agent else _OTHER), name or "vault-bridge"
    server = connector.server(chosen)
    if link:
        address = install_link(agent.id if agent else "", entry_name, server)
        if address is None:
            fail(f"{agent.title if agent else 'It'} has no such links: only cursor and vscode do.", BAD_USAGE)
        cli.text(address)
    else:
        shown = agent or BY_ID["cursor"]
        entry = shown.entry(server) | shown.defaults
        if shown.form == "toml":
            cli.text(TomlEntries("", shown.key).put(entry_name, entry).rstrip())
        else:
            cli.text(json.dumps({shown.key: {entry_name: entry}}, indent=2, ensure_ascii=False))
    try:
        token_storage.find_token(cli.folder, chosen)
    except TokenNotFound:
        add = f"clients add {quoted(chosen)} --save"
        cli.say(f"Then give it its credential: {typed_command(add, cli.folder)}")


def _carry_out(
    connector: Connector,
    plan: Plan,
    cli: CommandLine,
    *,
    ask: bool,
    dry_run: bool,
    revoke: bool,
    drafts: bool = False,
    walks: bool = False,
) -> None:
    facts: Thing = {"agent": plan.agent.id, "vault": str(plan.vault), "name": plan.name, "client": plan.client}
    facts["kept"] = list(plan.kept)
    if not may_write(cli, facts, plan.files, (), ask=ask, dry_run=dry_run):
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

    outcome, reading = cli.tell_with(work)
    if cli.as_json:
        done = {"addedClient": outcome.added_client, "revokedClient": outcome.revoked_client}
        cli.json({**facts, "done": True, **done, "backup": str(outcome.backup) if outcome.backup else None})
        return
    _tell(plan, outcome, cli)
    if reading:
        cli.say(reading)


def _tell(plan: Plan, outcome: ConnectionResult, cli: CommandLine) -> None:
    title = plan.agent.title
    if outcome.backup is not None:
        cli.say(f"The file as it was before is {outcome.backup}.")
    if plan.removes:
        cli.say(f"{title} is not connected to {plan.vault} any more." if plan.files else f"{title} was not connected.")
        if outcome.revoked_client:
            cli.say(f"The client {plan.client!r} was revoked.")
        return
    if not plan.files and not outcome.added_client:
        cli.say(f"{title} is connected to {plan.vault} already, as {plan.client!r}. Nothing was changed.")
        return
    cli.say(f"{title} is connected to {plan.vault}, as {plan.client!r}. {plan.agent.then}")


@command
def install_plugin(
    cli: CommandLine, no_enable: Annotated[bool, option("--no-enable", "Do not enable it.")] = False
) -> None:
    """Put the Obsidian plugin into a vault, and enable it.

    Nothing else in the vault is touched, and other plugins stay. Obsidian may be running: reload it afterwards.

    Examples:
      vault-bridge install --vault ~/Notes
      vault-bridge install --no-enable       enable it yourself in Obsidian's settings
    """
    done = install(cli.folder, find_built_plugin(), enable=not no_enable)
    remember_program()
    if cli.as_json:
        cli.json(dataclasses.asdict(done))
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
    cli.lines(sanitize(line) if line else Text() for line in lines)
