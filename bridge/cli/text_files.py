"""Files that are named on the command line."""

import json
import sys
from pathlib import Path
from typing import Any

from bridge.cli.arguments import BadArguments


def text_of(file: str) -> str:
    """Return the text of a file, or of standard input for `-`. Raises BadArguments."""
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return data.decode("utf-8-sig")
    except OSError as error:
        raise BadArguments(f"Cannot read {file!r}: {error.strerror or type(error).__name__}") from None
    except UnicodeDecodeError as error:
        raise BadArguments(f"{file!r} is not UTF-8 (byte {error.start})") from None


def parse_json(text: str) -> Any:
    """Return what a text says as JSON. Raises BadArguments."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise BadArguments(f"This is not JSON: {error}") from None
    except RecursionError:
        raise BadArguments("This is nested too deep") from None
