"""`vault-bridge protect`: has the editor of a program ask before it changes a file of the vault."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Final

import typer
from rich.text import Text

from bridge.agents.machine import ConfigurationRefused, this_machine
from bridge.agents.protected import PROTECTED, PROTECTED_BY_ID, Edits, Protected
from bridge.agents.protection import (
    USUAL_SECONDS,
    Options,
    ProtectionPlan,
    ProtectionResult,
    Protector,
    WithoutBridge,
    vault_protector,
)
from bridge.cli.family import CommandLine, Table, Thing, command
from bridge.cli.install_client import BridgeClients, may_write
from bridge.cli.layout import draw_table
from bridge.cli.options import argument, option
from bridge.cli.printer import BAD_USAGE, FAILURE, fail
from bridge.client import Connection
from bridge.client.connection import given_of

_SHELL: Final = "What it writes by a shell is not asked about."
_NOT_RECORDED: Final = (
    "Nor is it recorded in this vault: `vault-bridge settings set outsideVersions=true` has it recorded, so that you "
    "can take it back."
)


@command
def protect(
    cli: CommandLine,
    program: Annotated[
        str | None, argument("[PROGRAM]", f"{', '.join(PROTECTED_BY_ID)}. Without one, they are listed.")
    ] = None,
    *,
    edits: Annotated[
        Edits | None,
        option("ask (usual): you are asked about each. refuse: it changes files of the vault by our tools only."),
    ] = None,
    without_bridge: Annotated[
        WithoutBridge | None, option("While no bridge runs: allow (usual), and it is recorded; or refuse.")
    ] = None,
    timeout: Annotated[
        int | None,
        typer.Option(
            metavar="SECONDS",
            show_default=False,
            min=10,
            max=3600,
            help=f"How long you have to answer, {USUAL_SECONDS} as a rule. Then the change is refused.",
        ),
    ] = None,
    check: Annotated[bool, option("--check", "Only check that everything is still there.")] = False,
    remove: Annotated[bool, option("--remove", "Take it back.")] = False,
    dry_run: Annotated[bool, option("--dry-run", "Only show what would be done.")] = False,
    yes: Annotated[bool, option("--yes", "Do not ask.")] = False,
) -> None:
    """Have a program ask before its own editor changes notes.

    Claude Code, Codex, Gemini CLI and OpenCode change files with tools of their own, past every server. This puts a
    hook into your own settings of the program, so that such a change becomes a question with its diff, like any other.
    It shows the exact change of the settings, asks, and keeps a backup. A table says what holds and what does not.

    Examples:
      vault-bridge protect                            which programs ask
      vault-bridge protect claude-code
      vault-bridge protect claude-code --dry-run      only show the change
      vault-bridge protect codex --edits refuse       no edits by its own editor at all
      vault-bridge protect gemini --without-bridge refuse
      vault-bridge protect claude-code --check        is it all still there
      vault-bridge protect claude-code --remove       take it back
    """
    if program is not None and program not in PROTECTED_BY_ID:
        fail(f"{program!r} is none of {', '.join(PROTECTED_BY_ID)}: others have no hook that is known here.", BAD_USAGE)
    one = None if program is None else PROTECTED_BY_ID[program]
    if one is None and remove:
        fail("Name the program, such as claude-code.", BAD_USAGE)
    protector = vault_protector(cli.folder, this_machine())
    try:
        if check or one is None:
            _check(protector, [one] if one else protector.protected() if check else PROTECTED, cli, strict=check)
            return
        if remove:
            plan = protector.plan_remove(one)
        else:
            before = protector.options(one) or Options()
            chosen = given_of(edits=edits, without_bridge=without_bridge, seconds=timeout)
            plan = protector.plan_protect(one, before.model_copy(update=chosen))
        _carry_out(protector, plan, cli, ask=not yes, dry_run=dry_run)
    except ConfigurationRefused as refused:
        fail(str(refused))


def _check(protector: Protector, programs: Sequence[Protected], cli: CommandLine, *, strict: bool) -> None:
    """Say how the programs stand; end with a failure if one that should ask does not."""
    states = []
    for one in programs:
        options, faults = protector.options(one), protector.faults(one)
        edits, without = (options.edits, options.without_bridge) if options else (None, None)
        state = {"agent": one.id, "protected": options is not None, "edits": edits, "withoutBridge": without}
        states.append(state | {"faults": faults if options or strict else []})
    none = "No program is told to ask. `vault-bridge protect claude-code` tells one."
    Table((("Program", "agent", "bold"), ("Its own editor", _state)), none).print(cli, states)
    if strict and any(state["faults"] for state in states):
        raise typer.Exit(FAILURE)


def _state(one: Thing) -> str:
    if not one["protected"]:
        return one["faults"][0] if one["faults"] else "does not ask"
    how = "asks" if one["edits"] == "ask" else "is refused"
    return f"{how}, but: {'; '.join(one['faults'])}" if one["faults"] else how


def _carry_out(protector: Protector, plan: ProtectionPlan, cli: CommandLine, *, ask: bool, dry_run: bool) -> None:
    facts: Thing = {"agent": plan.program.id, "vault": str(cli.folder), "client": plan.client, "kept": list(plan.kept)}
    facts |= {"edits": plan.options.edits, "withoutBridge": plan.options.without_bridge}
    facts |= {"seconds": plan.options.seconds, "holds": [line._asdict() for line in plan.program.holds]}
    if not may_write(cli, facts, plan.changes, _draw_holds(plan, cli), ask=ask, dry_run=dry_run):
        return

    async def work(bridge: Connection) -> tuple[ProtectionResult, bool]:
        clients = BridgeClients(bridge)
        done = await (protector.remove(plan, clients) if plan.removes else protector.protect(plan, clients))
        return done, (await bridge.request("settings.get"))["outsideVersions"]

    done, recorded = cli.tell_with(work)
    if cli.as_json:
        said = {"addedClient": done.added_client, "revokedClient": done.revoked_client}
        cli.json({**facts, "done": True, **said, "backups": [str(backup) for backup in done.backups]})
        return
    for backup in done.backups:
        cli.say(f"The file as it was before is {backup}.")
    cli.say(_ending(plan, done))
    if not recorded and not plan.removes:
        cli.say(_NOT_RECORDED)


def _ending(plan: ProtectionPlan, done: ProtectionResult) -> str:
    title = plan.program.title
    if plan.removes:
        return f"{title} does not ask any more." if plan.changes or plan.record else f"{title} was not told to ask."
    if not plan.changes and not done.added_client:
        return f"{title} was told to ask already. Nothing was changed."
    return f"{title} asks from now on. {plan.program.then} {_SHELL}"


def _draw_holds(plan: ProtectionPlan, cli: CommandLine) -> Iterator[Text]:
    """Yield the table of what holds from then on."""
    if not plan.removes:
        rows = [[Text(line.what), Text(line.then)] for line in plan.program.holds]
        yield from draw_table((f"When {plan.program.title} runs", "Then"), rows, cli.readable)
