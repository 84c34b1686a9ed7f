"""Programs in pseudo-terminals, and their end."""

from typing import Any


def close_terminal(child: Any) -> None:
    """End a program in a pseudo-terminal, whatever it does.

    pexpect gives the system tenths of a second for that, which may be too few on a busy machine.

    Args:
        child: As `pexpect.spawn` made it.
    """
    import pexpect  # noqa: PLC0415 - there is none where there are no pseudo-terminals

    try:
        child.close(force=True)
    except pexpect.ExceptionPexpect:  # it was killed, and is not gone yet
        child.ptyproc.wait()
