"""What `vault-bridge serve` shows of the calls when developer mode is on."""

import contextlib
import logging
from collections.abc import Iterator

from bridge.cli.output import Output

CALLS = "bridge.calls"


class _Console(logging.Handler):
    """Says a record, inert: it holds names that callers gave themselves."""

    def __init__(self, output: Output) -> None:
        super().__init__()
        self._output = output

    def emit(self, record: logging.LogRecord) -> None:
        """Say it."""
        self._output.say(record.getMessage())


@contextlib.contextmanager
def showing_calls(output: Output) -> Iterator[None]:
    """As long as this lasts, calls that are logged are shown."""
    logger, handler = logging.getLogger(CALLS), _Console(output)
    before = logger.level, logger.propagate
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.level, logger.propagate = before
