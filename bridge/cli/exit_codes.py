"""How a command ends: 0 success, 1 failure, 2 bad usage."""

from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

from bridge.cli.arguments import BadArguments
from bridge.cli.output import Output
from bridge.client import VaultNotFound
from bridge.errors import BridgeError

FAILURE = 1
BAD_USAGE = 2


def fail(message: str, code: int = FAILURE) -> NoReturn:
    """Say what went wrong on standard error, and end."""
    Output().say(message)
    raise typer.Exit(code)


class Commands(TyperGroup):
    """Turns what the rooms raise into a message and an exit code, so that no command shows a traceback for it."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except BadArguments as error:
            fail(str(error), BAD_USAGE)
        except VaultNotFound as error:
            fail(str(error), BAD_USAGE)
        except BridgeError as error:
            fail(str(error))
        except KeyboardInterrupt:
            fail("Stopped.")
