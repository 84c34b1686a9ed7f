"""What a frame may hold, as far as a sender has to know.

The bridge cannot say to which request a frame belonged that it could not read, so that request would never be answered.
"""

from typing import Any, Final

import orjson

MOST_DEPTH: Final = 50
MOST_VALUES: Final = 15_000
"""Of a call's arguments; a little less than the bridge takes in a frame."""


def check_arguments(arguments: dict[str, Any]) -> None:
    """Make sure that the bridge can read a frame with these arguments of a tool.

    Raises:
        ValueError: It could not; the message says why.
    """
    level: list[Any] = [arguments]
    values = 0
    for _ in range(MOST_DEPTH):
        level = [
            member
            for value in level
            if isinstance(value, dict | list)
            for member in (value.values() if isinstance(value, dict) else value)
        ]
        values += len(level)
        if not level or values > MOST_VALUES:
            break
    if level:
        raise ValueError(f"Arguments have at most {MOST_VALUES:,} values, nested at most {MOST_DEPTH} deep")
    try:
        orjson.dumps(arguments)
    except orjson.JSONEncodeError as error:
        raise ValueError(f"The arguments are not JSON: {error}") from None
