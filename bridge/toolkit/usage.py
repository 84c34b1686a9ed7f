"""How much of the limits is used."""

from bridge.policy.limits import RateLimits
from bridge.settings.model import Settings
from bridge.toolkit.registry import ToolRegistry


def usage(
    limits: RateLimits, registry: ToolRegistry, settings: Settings, session: str, now: float
) -> dict[str, dict[str, int]]:
    """`limits.status`: for each tool, and over all under `*`, the limit, the calls of the last minute, the queue.

    Args:
        limits: What was counted.
        registry: The tools.
        settings: As they are now.
        session: Whose calls.
        now: `Clock.monotonic()` value.
    """
    tools = [tool for tool in registry.tools() if settings.enables(tool.name) or not tool.listed]
    rates = {tool.name: tool.rate(settings) for tool in tools}
    used = limits.status(session, now, rates) | {"*": limits.total(now, settings.global_rate_limit)}
    return {name: {"limit": found.limit, "used": found.used, "queued": found.queued} for name, found in used.items()}
