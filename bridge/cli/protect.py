"""`vault-bridge protect`: has the editor of a program ask before it changes a file of the vault."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Final

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
from bridge.cli.connection import run_once
from bridge.cli.diff import draw_changes
from bridge.cli.install_client import BridgeClients, may_write
from bridge.cli.layout import draw_table
from bridge.cli.options import AsJson, Vault
from bridge.cli.printer import BAD_USAGE, FAILURE, READABLE, Printer, fail
from bridge.cli.sanitize import sanitize
from bridge.client import Connection, find_vault

_SHELL: Final = "What it writes by a shell is not asked about."
_NOT_RECORDED: Final = (
    "Nor is it recorded in this vault: `vault-bridge settings set outsideVersions=true` has it recorded, so that you "
    "can take it back."
)


def protect(
    program: Annotated[
        str | None,
        typer.Argument(
            metavar="[PROGRAM]", show_default=False, help=f"{', '.join(PROTECTED_BY_ID)}. Without one, they are listed."
        ),
    ] = None,
    *,
    edits: Annotated[
        Edits | None,
        typer.Option(
            show_default=False,
            help="ask (usual): you are asked about each. refuse: it changes files of the vault by our tools only.",
        ),
    ] = None,
    without_bridge: Annotated[
        WithoutBridge | None,
        typer.Option(show_default=False, help="While no bridge runs: allow (usual), and it is recorded; or refuse."),
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
    check: Annotated[bool, typer.Option("--check", help="Only look whether everything is still there.")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Take it back.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be done.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    vault: Vault = None,
    as_json: AsJson = False,
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
    printer = Printer(as_json=as_json)
    if program is not None and program not in PROTECTED_BY_ID:
        fail(f"{program!r} is none of {', '.join(PROTECTED_BY_ID)}: others have no hook that is known here.", BAD_USAGE)
    one = None if program is None else PROTECTED_BY_ID[program]
    if one is None and remove:
        fail("Name the program, such as claude-code.", BAD_USAGE)
    folder = find_vault(vault)
    protector = vault_protector(folder, this_machine())
    try:
        if check or one is None:
            _check(
                protector, [one] if one else protector.protected() if check else list(PROTECTED), printer, strict=check
            )
            return
        if remove:
            plan = protector.plan_remove(one)
        else:
            before = protector.options(one) or Options()
            given = {"edits": edits, "without_bridge": without_bridge, "seconds": timeout}
            chosen = {name: value for name, value in given.items() if value is not None}
            plan = protector.plan_protect(one, before.model_copy(update=chosen))
        _carry_out(protector, plan, printer, folder, ask=not yes, dry_run=dry_run)
    except ConfigurationRefused as refused:
        fail(str(refused))


def _check(protector: Protector, programs: list[Protected], printer: Printer, *, strict: bool) -> None:
    """Say how the programs stand; end with a failure if one that should ask does not."""
    states = [(one, protector.options(one), protector.faults(one)) for one in programs]
    if printer.as_json:
        printer.json(
            [
                {
                    "agent": one.id,
                    "protected": options is not None,
                    "edits": options.edits if options else None,
                    "withoutBridge": options.without_bridge if options else None,
                    "faults": faults if options or strict else [],
                }
                for one, options, faults in states
            ]
        )
    elif not states:
        printer.say("No program is told to ask. `vault-bridge protect claude-code` tells one.")
    else:
        rows = [
            [sanitize(one.id, style="bold"), sanitize(_state(options, faults, strict=strict))]
            for one, options, faults in states
        ]
        printer.lines(draw_table(("Program", "Its own editor"), rows, printer.width))
    if strict and any(faults for _, _, faults in states):
        raise typer.Exit(FAILURE)


def _state(options: Options | None, faults: list[str], *, strict: bool) -> str:
    if options is None:
        return faults[0] if strict else "does not ask"
    how = "asks" if options.edits == "ask" else "is refused"
    return f"{how}, but: {'; '.join(faults)}" if faults else how


def _carry_out(
    protector: Protector, plan: ProtectionPlan, printer: Printer, vault: Path, *, ask: bool, dry_run: bool
) -> None:
    facts: dict[str, Any] = {
        "agent": plan.program.id,
        "vault": str(vault),
        "client": plan.client,
        "edits": plan.options.edits,
        "withoutBridge": plan.options.without_bridge,
        "seconds": plan.options.seconds,
        "files": [change.preview.to_wire() for change in plan.changes],
        "kept": list(plan.kept),
        "holds": [{"what": line.what, "then": line.then} for line in plan.program.holds],
    }
    if not printer.as_json:
        _show(plan, printer)
    if not may_write(facts, printer, ask=ask and bool(plan.changes), dry_run=dry_run):
        return

    async def work(bridge: Connection) -> tuple[ProtectionResult, bool]:
        clients = BridgeClients(bridge)
        done = await (protector.remove(plan, clients) if plan.removes else protector.protect(plan, clients))
        return done, (await bridge.request("settings.get"))["outsideVersions"]

    done, recorded = run_once(vault, work)
    if printer.as_json:
        said = {"addedClient": done.added_client, "revokedClient": done.revoked_client}
        printer.json({**facts, "done": True, **said, "backups": [str(backup) for backup in done.backups]})
        return
    for sentence in _endings(plan, done, recorded=recorded):
        printer.say(sentence)


def _endings(plan: ProtectionPlan, done: ProtectionResult, *, recorded: bool) -> Iterator[str]:
    for backup in done.backups:
        yield f"The file of before is {backup}."
    yield _ending(plan, done)
    if not recorded and not plan.removes:
        yield _NOT_RECORDED


def _ending(plan: ProtectionPlan, done: ProtectionResult) -> str:
    title = plan.program.title
    if plan.removes:
        return f"{title} does not ask any more." if plan.changes or plan.record else f"{title} was not told to ask."
    if not plan.changes and not done.added_client:
        return f"{title} was told to ask already. Nothing was changed."
    return f"{title} asks from now on. {plan.program.then} {_SHELL}"


def _show(plan: ProtectionPlan, printer: Printer) -> None:
    width = min(printer.width, READABLE)
    printer.lines(draw_changes([change.preview.to_wire() for change in plan.changes], width))
    for sentence in plan.kept:
        printer.say(sentence)
    if not plan.removes:
        rows = [[Text(line.what), Text(line.then)] for line in plan.program.holds]
        printer.lines(draw_table((f"When {plan.program.title} runs", "Then"), rows, width))
