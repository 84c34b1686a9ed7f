"""`vault-bridge doctor`: what is wrong, and what to do about it."""

import dataclasses
from collections.abc import Iterator

import typer
from rich.text import Text

from bridge.cli.family import CommandLine, command
from bridge.cli.layout import wrap
from bridge.cli.printer import FAILURE
from bridge.cli.sanitize import sanitize
from bridge.health.doctor import examine, healthy
from bridge.health.finding import Finding

_MARKS = {"ok": ("ok  ", "green"), "warn": ("warn", "yellow"), "fail": ("FAIL", "bold red")}
_INDENT = " " * 6


@command
def doctor(cli: CommandLine) -> None:
    """Look for faults, and say what to do about them.

    It examines this machine, the vault, the bridge's own files and the bridge if one runs, and changes nothing.
    Exit code 0: nothing has failed; 1: something has.

    Examples:
      vault-bridge doctor
      vault-bridge doctor --json
    """
    found = examine(cli.folder)
    well = healthy(found)
    if cli.as_json:
        cli.json({"healthy": well, "checks": [dataclasses.asdict(finding) for finding in found]})
    else:
        width = cli.readable
        cli.lines(line for finding in found for line in _draw(finding, width))
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
