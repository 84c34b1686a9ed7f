"""The console of the bridge: no secret, and in developer mode every call with its time."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from bridge.contract.tools import ToolResult
from bridge.policy.redaction import Secrets, hide_secrets, redact_text
from bridge.toolkit.tool_call import ToolCall

CALLS: Final = "bridge.calls"
"""The logger of calls; `vault-bridge serve` shows it."""

_calls = logging.getLogger(CALLS)
_FORMATTER = logging.Formatter()


class Redacting(logging.Filter):
    """The filter that takes secrets out of what is logged, the traceback too.

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
    """Keep secrets from every handler of the root logger as long as this lasts, and from Python's of last resort."""
    redacting = Redacting(secrets)
    handlers = [*logging.getLogger().handlers, *([logging.lastResort] if logging.lastResort else [])]
    for handler in handlers:
        handler.addFilter(redacting)
    try:
        yield
    finally:
        for handler in handlers:
            handler.removeFilter(redacting)


def log_call(tool_call: ToolCall, result: ToolResult, seconds: float) -> None:
    """Write one line about a call that has ended: who, what, how it ended, and how long it took, people included."""
    if result.success:
        end = f"done, {len(result.text):,} characters"
    else:
        code = result.data.get("code") if isinstance(result.data, dict) else None
        kind = result.error_type.value if result.error_type is not None else "failed"
        end = f"{kind} ({code})" if code else kind
    _calls.info(
        "%s by %s: %s in %.1f ms [%s]",
        tool_call.tool,
        tool_call.caller.name,
        end,
        seconds * 1000,
        tool_call.execution_id,
    )
