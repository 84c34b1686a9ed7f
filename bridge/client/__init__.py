"""A small client for scripts.

from bridge.client import connect

async with connect(vault="~/Notes", name="my script") as bridge:
    found = await bridge.call("grep", pattern="TODO")
    print(found.or_raise().text)
"""

from bridge.client.connection import Connection, Notification, Result, connect
from bridge.client.discovery import find_endpoint, find_vault
from bridge.client.errors import (
    BridgeNotRunning,
    BridgeUnseen,
    ConnectionLost,
    ProtocolFailure,
    TokenNotFound,
    ToolFailed,
    VaultNotFound,
)

__all__ = [
    "BridgeNotRunning",
    "BridgeUnseen",
    "Connection",
    "ConnectionLost",
    "Notification",
    "ProtocolFailure",
    "Result",
    "TokenNotFound",
    "ToolFailed",
    "VaultNotFound",
    "connect",
    "find_endpoint",
    "find_vault",
]
