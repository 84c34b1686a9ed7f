"""A tool's answer, printed; and the exit code that goes with it."""

import typer

from bridge.cli.exit_codes import FAILURE
from bridge.cli.output import Output
from bridge.client import Result


def show_result(result: Result, output: Output) -> None:
    """Print a result: its text, or all of it as JSON. A failure ends the command with exit code 1."""
    if output.as_json:
        output.json(result.raw)
    if result.ok:
        if not output.as_json:
            output.text(result.text)
        return
    if not output.as_json:
        output.say(result.error or "The tool failed.")
    raise typer.Exit(FAILURE)
