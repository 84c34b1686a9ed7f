"""What the bridge writes to its console holds no secret either: neither our tokens nor what looks like a key."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from bridge.policy.redaction import Secrets, hide_secrets, redact_text

_FORMATTER = logging.Formatter()


class Redacting(logging.Filter):
    """Takes secrets out of what is logged, the traceback too.

    Args:
        secrets: Secrets of our own.
    """

    def __init__(self, secrets: Secrets) -> None:
        super().__init__()
        self._secrets = secrets

    def filter(self, record: logging.LogRecord) -> bool:
        """Change the record, and let it through."""
        record.msg = redact_text(record.getMessage(), self._secrets)
        record.args = None
        if record.exc_info and not record.exc_text:
            record.exc_text = _FORMATTER.formatException(record.exc_info)
        if record.exc_text:
            record.exc_text = hide_secrets(record.exc_text, self._secrets)
        record.exc_info = None
        return True


@contextmanager
def redacted_console(secrets: Secrets) -> Iterator[None]:
    """As long as this lasts, no handler of the root logger shows a secret, nor does Python's handler of last resort."""
    redacting = Redacting(secrets)
    handlers = [*logging.getLogger().handlers, *([logging.lastResort] if logging.lastResort else [])]
    for handler in handlers:
        handler.addFilter(redacting)
    try:
        yield
    finally:
        for handler in handlers:
            handler.removeFilter(redacting)
