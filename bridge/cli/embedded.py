"""A bridge in this process. It is loaded only when it is needed: mostly one runs, and a command starts fast without."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from bridge.app import Bridge


def embedded_bridge(
    vault: Path, *, port: int = 0, consent: Literal["ask", "deny"] = "ask", brief: bool = False
) -> "Bridge":
    """A bridge of `vault`, not yet started; a brief one lives only as long as a command."""
    from bridge.app import Bridge  # noqa: PLC0415 - see above

    return Bridge(vault, port=port, consent=consent, brief=brief)


def embedded_process() -> None:
    """This process does nothing but serve from now on."""
    from bridge.app import tune_process  # noqa: PLC0415 - see above

    tune_process()
