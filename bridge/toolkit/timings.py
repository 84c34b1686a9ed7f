"""Developer mode: every call on the console, with its time (seed L, "Developer Mode")."""

import logging
from typing import Final

from bridge.contract.result import ToolResult
from bridge.toolkit.tool_call import ToolCall

CALLS: Final = "bridge.calls"
"""The logger; `vault-bridge serve` shows it."""

_logger = logging.getLogger(CALLS)


def log_call(tool_call: ToolCall, result: ToolResult, seconds: float) -> None:
    """One line about a call that has ended: who, what, how it ended, and how long it took, people included."""
    if result.success:
        end = f"done, {len(result.text):,} characters"
    else:
        code = result.data.get("code") if isinstance(result.data, dict) else None
        kind = result.error_type.value if result.error_type is not None else "failed"
        end = f"{kind} ({code})" if code else kind
    _logger.info(
        "%s by %s: %s in %.1f ms [%s]",
        tool_call.tool,
        tool_call.caller.client,
        end,
        seconds * 1000,
        tool_call.execution_id,
    )
