"""`vault-bridge status` and `inbox`: how things stand, and what waits for the person."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import typer
from rich.text import Text

from bridge.cli.connection import NAME
from bridge.cli.family import CommandLine, Table, command, when
from bridge.cli.layout import draw_facts, local_time, short_client, until_words
from bridge.cli.printer import FAILURE, typed_command
from bridge.cli.sanitize import sanitize
from bridge.client import BridgeNotRunning, BridgeUnseen, connect, find_endpoint

Line = Mapping[str, Any]


@command
def inbox(cli: CommandLine) -> None:
    """Show what waits for you, oldest first.

    These are the questions of agents, drafts that were handed in, drafts whose agent has gone, and changes of many
    files by other programs that you have not looked at: of each since when it waits, whose it is, until when it is
    kept, why it is there, and the command that opens it. Many questions or drafts of one agent are one line.

    Examples:
      vault-bridge inbox
      vault-bridge inbox --json
    """
    folder = cli.folder if cli.vault is not None or cli.as_json else None
    _TABLE.print(cli, [line | {"command": _typed(line, folder)} for line in cli.ask("inbox.list")])


def described(line: Line) -> str:
    """Return what waits, how much it is and why, in one line. It may hold text from outside, as it came."""
    many = f"{line['files']:,} file{'' if line['files'] == 1 else 's'}"
    said = " ".join(line["summary"].split())
    if line["count"] > 1:
        said = f"{said}, {many}"
    elif line["kind"] in {"draft", "left"}:
        said = f"{'handed in' if line['kind'] == 'draft' else 'left behind'}, {many}: {said}"
    return f"{said}. It says: {' '.join(line['reason'].split())}" if line["reason"] else said


_TABLE: Final = Table(
    (
        ("Since", when("since")),
        ("Of", "client", "bold"),
        ("Kept until", lambda line: until_words(line["keptUntil"]) if line["keptUntil"] else ""),
        ("Open it with", "command"),
        ("What", described),
    ),
    "Nothing waits for you.",
)


def opening(line: Line) -> str:
    """Return what is typed after `vault-bridge` to look at what waits."""
    match line["kind"]:
        case "changes":
            return see_changes(line["ids"])
        case "left":
            return f"drafts show {line['ids'][0]}" if line["count"] == 1 else "drafts list"
        case _:
            return "approve"


def see_changes(entries: Sequence[str]) -> str:
    """Return what is typed after `vault-bridge` to look at changes of other programs.

    Args:
        entries: Their ids in the history.
    """
    return f"history --diff {entries[0]}" if len(entries) == 1 else "history --outside"


def _typed(line: Line, elsewhere: Path | None) -> str:
    words = opening(line)
    return typed_command(words, elsewhere) if elsewhere else f"vault-bridge {words}"


_PAUSED = {"battery": "on battery", "load": "while this computer is busy"}


@command
def status(cli: CommandLine) -> None:
    """Say whether the vault is served.

    If it is, show where, and how things stand. Exit code 0: it is served; 1: it is not.

    Examples:
      vault-bridge status
      vault-bridge status --json
    """
    folder = cli.folder
    try:
        facts = asyncio.run(_look(folder))
    except BridgeUnseen:
        raise
    except BridgeNotRunning as error:
        cli.answer({"running": False}, str(error))
        raise typer.Exit(FAILURE) from None
    cli.answer(facts, draw_facts(_draw(facts), cli.width))


async def _look(vault: Path) -> dict[str, Any]:
    async with connect(vault, name=NAME, role="host") as bridge:
        endpoint = find_endpoint(vault)
        methods = "session.info", "consent.pending", "vault.status", "audit.stats", "bridge.faults", "versions.notice"
        info, questions, counts, log, wrong, notice = [await bridge.request(method) for method in methods]
    where = {"url": endpoint.url, "http": endpoint.http, "pid": endpoint.pid, "version": info["version"]}
    asked = [{name: each[name] for name in ("requestId", "client", "summary")} for each in questions]
    facts: dict[str, Any] = {"running": True, "vault": info["vault"], **where, "tools": info["tools"]}
    facts |= {"hostConnected": info["hostConnected"], "questions": asked, **counts}
    facts |= {"faults": wrong["faults"], "outside": notice}
    return facts | {"log": {name: log[name] for name in ("size", "records", "lost", "fault")}}


def _draw(facts: dict[str, Any]) -> dict[str, Text]:
    screen = "connected" if facts["hostConnected"] else "none: open Obsidian, or run vault-bridge approve"
    log = facts["log"]
    questions = [f"{short_client(asked['client'])}: {asked['summary']}" for asked in facts["questions"]]
    wrong = {"Faults": sanitize(" ".join(facts["faults"]), style="red")} if facts["faults"] else {}
    outside = {"Outside": sanitize(_outside(facts["outside"]), style="yellow")} if facts["outside"]["entries"] else {}
    return {
        "Vault": sanitize(facts["vault"], style="bold"),
        "Bridge": Text(f"{facts['url']} (process {facts['pid']}, version {facts['version']})"),
        "Notes": Text(f"{facts['notes']} notes, {facts['files']} files{_progress(facts)}"),
        "Meaning": sanitize(draw_semantic(facts["semantic"])),
        "Tools": Text(f"{len(facts['tools'])}: {', '.join(facts['tools'])}"),
        "Consent": Text(screen),
        "Log": sanitize(log["fault"], style="red") if log["fault"] else Text(f"{log['records']} records"),
        "Open": Text("; ").join(sanitize(question) for question in questions) if questions else Text("no questions"),
        **outside,
        **wrong,
    }


def _outside(notice: Mapping[str, Any]) -> str:
    """Return what the person is to be told of other programs, and how to see it."""
    when = "while the bridge was not running" if notice["unattended"] else f"at {local_time(notice['ended'])}"
    return f"another program: {notice['message']}, {when}; see vault-bridge {see_changes(notice['entries'])}"


def draw_semantic(semantic: Mapping[str, Any]) -> str:
    """Return how far search by meaning is, as a sentence.

    Args:
        semantic: `semantic` of `vault.status`.
    """
    state, reason = semantic["state"], semantic["reason"]
    counts = f"{semantic['done']} of {semantic['total']} notes prepared"
    said = {
        "off": "search by meaning is off",
        "missing": "no model for search by meaning is installed",
        "waiting": "waiting for the notes to be read",
        "embedding": counts,
        "paused": f"{counts}; paused {_PAUSED.get(reason, '')}".rstrip(),
        "failed": f"{counts}; failed: {reason}",
        "not_allowed": "not allowed to use the model that is set: vault-bridge rebuild asks",
        "ready": f"all {semantic['total']} notes prepared",
    }[state]
    if not semantic["model"]:
        return said
    return f"{said} ({semantic['model']}, {semantic['size'] / 1e6:.0f} MB)"


def _progress(facts: dict[str, Any]) -> str:
    """Return how far the index is, where it is not done."""
    if not facts["indexing"]:
        return ""
    first = f"; being read: {facts['indexed']} notes so far"
    return first if facts["lastSweep"] is None else "; changes are being read"
