"""`vault-bridge doctor`: what is wrong, and what to do about it."""

import dataclasses
from collections.abc import Iterator

import typer
from rich.text import Text

from bridge.cli.layout import wrap
from bridge.cli.options import AsJson, Vault
from bridge.cli.printer import FAILURE, READABLE, Printer
from bridge.cli.sanitize import sanitize
from bridge.client import find_vault
from bridge.health.doctor import examine, healthy
from bridge.health.finding import Finding

_MARKS = {"ok": ("ok  ", "green"), "warn": ("warn", "yellow"), "fail": ("FAIL", "bold red")}
_INDENT = " " * 6


def doctor(vault: Vault = None, as_json: AsJson = False) -> None:
    """Look for faults, and say what to do about them.

    It examines this machine, the vault, the bridge's own files and the bridge if one runs, and changes nothing.
    Exit code 0: nothing has failed; 1: something has.

    Examples:
      vault-bridge doctor
      vault-bridge doctor --json
    """
    printer = Printer(as_json=as_json)
    found = examine(find_vault(vault))
    well = healthy(found)
    if as_json:
        printer.json({"healthy": well, "checks": [dataclasses.asdict(finding) for finding in found]})
    else:
        width = min(printer.width, READABLE)
        printer.lines(line for finding in found for line in _draw(finding, width))
    if not well:
        raise typer.Exit(FAILURE)


def _draw(finding: Finding, width: int) -> Iterator[Text]:
    mark, style = _MARKS[finding.level]
    yield from wrap(
        Text.assemble((mark, style), "  ", sanitize(finding.name, style="bold"), ": ", sanitize(finding.what)),
        width,
        rest=_INDENT,
    )
    if finding.remedy:
        yield from wrap(Text.assemble("→ ", sanitize(finding.remedy)), width, first=_INDENT, rest=f"{_INDENT}  ")
