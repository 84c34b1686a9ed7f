"""The errors that a script must expect.

BridgeError
├── VaultNotFound      no vault was named, and none was found from here upwards
├── BridgeNotRunning   nobody serves the vault
│   └── BridgeUnseen   whether somebody does cannot be seen: a file cannot be read, or no connection be opened
├── TokenNotFound      this machine has no token for the client that was named
├── KeyringUnavailable the system has no keyring that works here
├── ConnectionLost     the bridge went away; connect again
├── ProtocolFailure    the bridge refused the request: code, message, hint
└── ToolFailed         raised by `Result.or_raise()` only
"""

from bridge.errors import BridgeError


class VaultNotFound(BridgeError):
    """No vault was named, and none was found."""


class BridgeNotRunning(BridgeError):
    """Nobody serves the vault."""


class BridgeUnseen(BridgeNotRunning):
    """A bridge may be running, but this cannot be determined; the message says why."""


class TokenNotFound(BridgeError):
    """This machine has no token for the client that was named."""


class KeyringUnavailable(BridgeError):
    """This system has no keyring that works here; the message says why."""


class ConnectionLost(BridgeError):
    """The connection ended before the answer came. With a call id the call goes on; ask `result(call_id)` later."""


class ProtocolFailure(BridgeError):
    """The bridge answered with a JSON-RPC error.

    Args:
        code: Its number.
        message: Its short sentence.
        hint: What to do instead.
    """

    def __init__(self, code: int, message: str, hint: str | None = None) -> None:
        super().__init__(f"{message} ({code}): {hint}" if hint else f"{message} ({code})")
        self.code = code
        self.message = message
        self.hint = hint


class ToolFailed(BridgeError):
    """A tool did not do what was asked.

    Args:
        message: An explanation, and what to do next.
        error_type: The kind of failure.
        code: `data.code`, where the kind has one.
    """

    def __init__(self, message: str, error_type: str | None, code: str | None) -> None:
        super().__init__(message)
        self.error_type = error_type
        self.code = code
