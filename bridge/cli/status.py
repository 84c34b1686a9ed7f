"""`vault-bridge status`: whether the vault is served, and how things stand."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer
from rich.text import Text

from bridge.cli.connection import NAME
from bridge.cli.exit_codes import FAILURE
from bridge.cli.inbox import see_changes
from bridge.cli.layout import draw_facts, local_time, short_client
from bridge.cli.options import AsJson, Vault
from bridge.cli.printer import Printer
from bridge.cli.sanitize import sanitize
from bridge.client import BridgeNotRunning, BridgeUnseen, connect, find_endpoint, find_vault

_PAUSED = {"battery": "on battery", "load": "while this computer is busy"}


def status(vault: Vault = None, as_json: AsJson = False) -> None:
    """Say whether the vault is served.

    If it is, show where, and how things stand. Exit code 0: it is served; 1: it is not.

    Examples:
      vault-bridge status
      vault-bridge status --json
    """
    printer = Printer(as_json=as_json)
    folder = find_vault(vault)
    try:
        facts = asyncio.run(_look(folder))
    except BridgeUnseen:
        raise
    except BridgeNotRunning as error:
        printer.answer({"running": False}, str(error))
        raise typer.Exit(FAILURE) from None
    printer.answer(facts, draw_facts(_draw(facts), printer.width))


async def _look(vault: Path) -> dict[str, Any]:
    async with connect(vault, name=NAME, role="host") as bridge:
        endpoint = find_endpoint(vault)
        info = await bridge.request("session.info")
        questions = await bridge.request("consent.pending")
        counts = await bridge.request("vault.status")
        log = await bridge.request("audit.stats")
        wrong = await bridge.request("bridge.faults")
        notice = await bridge.request("versions.notice")
    where = {"url": endpoint.url, "http": endpoint.http, "pid": endpoint.pid, "version": info["version"]}
    asked = [
        {"requestId": asked["requestId"], "client": asked["client"], "summary": asked["summary"]} for asked in questions
    ]
    facts: dict[str, Any] = {"running": True, "vault": info["vault"], **where, "tools": info["tools"]}
    facts |= {"hostConnected": info["hostConnected"], "questions": asked, **counts}
    facts["faults"] = wrong["faults"]
    facts["outside"] = notice
    facts["log"] = {name: log[name] for name in ("size", "records", "lost", "fault")}
    return facts


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
    return (
        f"; being read: {facts['indexed']} notes so far" if facts["lastSweep"] is None else "; changes are being read"
    )
