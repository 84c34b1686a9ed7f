"""A server's list of its tools as it arrives: those that the protocol does not allow are taken out one by one.

The SDK refuses a list as a whole when one of its tools is malformed, so it gets to see the others only.
"""

from collections.abc import Mapping
from typing import Any, Final

from bridge.servers.definitions import LONGEST_NAME, MOST

_METHOD: Final = "tools/list"
_SHOWN: Final = 100


def take_out_malformed(result: dict[str, Any], version: str | None) -> list[str]:
    """Take the malformed tools out of a result, where it is a list of tools; return a sentence for each.

    Args:
        result: What the server answered. It is changed.
        version: The revision of the protocol that is spoken; None: none has been agreed on.
    """
    tools = result.get("tools")
    if not isinstance(tools, list) or version is None:
        return []
    del tools[MOST + 1 :]  # more are left out anyway
    if _fault(result, version) is None:
        return []
    found = [(tool, _fault({**result, "tools": [tool]}, version)) for tool in tools]
    # Where nothing but the rest of the answer is wrong, it is not the tools' fault.
    if _fault({**result, "tools": []}, version) is not None:
        return []
    result["tools"] = [tool for tool, fault in found if fault is None]
    return [f"the tool {_name(tool)} is left out: {fault}" for tool, fault in found if fault is not None]


def _fault(result: Mapping[str, Any], version: str) -> str | None:
    """Return what of a list is not as the protocol has it."""
    import mcp_types as types  # noqa: PLC0415 - heavy, and only where servers are used
    from mcp_types import methods  # noqa: PLC0415 - the same
    from pydantic import ValidationError  # noqa: PLC0415 - beside them

    try:
        methods.validate_server_result(_METHOD, version, result)
        types.ListToolsResult.model_validate(result, by_name=False)
    except ValidationError as error:
        place = [str(step) for step in error.errors(include_url=False, include_input=False)[0]["loc"][2:]]
        return (
            f"its {'.'.join(place)[:_SHOWN]!r} is missing or not as the protocol has it" if place else "it is no tool"
        )
    except KeyError:
        return None  # a revision without tools, about which the SDK says more
    return None


def _name(tool: object) -> str:
    name = tool.get("name") if isinstance(tool, dict) else None
    usable = isinstance(name, str) and 0 < len(name) <= LONGEST_NAME and name.isprintable()
    return repr(name) if usable else "without a usable name"
