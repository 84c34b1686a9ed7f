"""`vault-bridge log --verify` and `--clear`."""

from pathlib import Path
from typing import Any

import typer

from bridge.cli.connection import act, look
from bridge.cli.exit_codes import FAILURE
from bridge.cli.output import Output


def verify_log(vault: Path | None, output: Output) -> None:
    """Say whether the log is as it was written, and where it is not; then the exit code is 1."""
    found = look(vault, lambda bridge: bridge.request("audit.verify"))
    if output.as_json:
        output.json(found)
    else:
        for line in _told(found):
            output.say(line)
    if not found["whole"]:
        raise typer.Exit(FAILURE)


def clear_log(vault: Path | None, output: Output, *, sure: bool) -> None:
    """Remove every record, when the person is sure."""
    if not sure and not typer.confirm("Remove every record of the log? This cannot be undone", err=True):
        output.say("Nothing was removed.")
        raise typer.Exit(FAILURE)
    answer = act(vault, lambda bridge: bridge.request("audit.clear"))
    if output.as_json:
        output.json(answer)
    else:
        output.say(f"{answer['cleared']:,} records were removed. A record of that is the first of the log now.")


def _told(found: dict[str, Any]) -> list[str]:
    told = [fault["message"] for fault in found["faults"]]
    if found["faultCount"] > len(told):
        told.append(f"and {found['faultCount'] - len(told):,} faults more")
    if found["lost"]:
        told.append(f"{found['lost']:,} records could not be written at the time, such as on a full disk.")
    if found["unverified"]:
        told.append(f"{found['unverified']:,} records are from before there was a key here: nobody can vouch for them.")
    if found["whole"]:
        return [*told, f"The log is whole: {found['records']:,} records, none altered, removed or inserted."]
    return [*told, "The log is not as it was written. If you changed it yourself, begin anew: vault-bridge log --clear"]
