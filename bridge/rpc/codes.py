"""The numbers of JSON-RPC 2.0, and the two of ours."""

from typing import Final

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
FORBIDDEN: Final = -32001
"""The method is not for this role."""
BUSY: Final = -32002
"""Too many requests of this connection are in flight."""
