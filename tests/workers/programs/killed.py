"""A worker that is killed before it can be asked anything."""

import os
import signal


def main() -> None:
    """Be killed, as the system does it that has no more memory."""
    os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
