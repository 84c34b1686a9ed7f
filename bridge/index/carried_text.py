"""Whether a request would carry text of the vault out of it: 24 characters in a row that stand in a file.

What is sent is looked for as it is written and with its percent escapes resolved. Text that was encoded in another way
(base64, another alphabet, every second letter) is not recognised, and neither is what is shorter.
"""

import re
from typing import Final
from urllib.parse import unquote_plus

from bridge.clock import Clock
from bridge.errors import ToolFailure
from bridge.index.texts.grep import Grep, GrepQuery

LENGTH: Final = 24
"""Characters in a row that are the vault's own. Shorter ones are in too many texts."""
_STEP: Final = LENGTH // 2
_LONGEST: Final = 32_768
"""Characters of a request that are looked at; a longer one counts as carrying text."""
_SECONDS: Final = 5.0
_LINES: Final = 200
_SPACES: Final = re.compile(r"\s+")


class CarriedText:
    """Compares what is sent with the texts of the vault.

    Args:
        grep: Searches the texts that an agent may have read.
        clock: Time.
    """

    def __init__(self, grep: Grep, clock: Clock) -> None:
        self._grep = grep
        self._clock = clock

    def find(self, *sent: str) -> str | None:
        """Where something that is sent stands in the vault: a path; None where nothing of it does. Blocks.

        Args:
            sent: What is sent, each part by itself: the query, the path, the body.
        """
        for text in {form for part in sent for form in (part, unquote_plus(part))}:
            for line in text.splitlines():
                if (found := self._find_line(_SPACES.sub(" ", line).strip())) is not None:
                    return found
        return None

    def _find_line(self, line: str) -> str | None:
        if len(line) < LENGTH:
            return None
        if len(line) > _LONGEST:
            return "the vault (too much is sent to be compared)"
        # Whatever 24 characters in a row both have, one of these pieces lies wholly within them.
        pieces = {line[start : start + _STEP] for start in range(0, len(line) - _STEP + 1, _STEP)}
        windows = {line[start : start + LENGTH].casefold() for start in range(len(line) - LENGTH + 1)}
        deadline = self._clock.monotonic() + _SECONDS
        ordered = sorted(pieces)
        for start in range(0, len(ordered), 200):
            pattern = "(?i)" + "|".join(
                re.escape(piece).replace("\\ ", r"\s+") for piece in ordered[start : start + 200]
            )
            try:
                query = GrepQuery(self._grep.compile(pattern, deadline), None, (), 0, _LINES, deadline)
                result = self._grep.search(query)
            except ToolFailure:
                return "the vault (it could not be compared in time)"
            for hit in result.hits:
                text = _SPACES.sub(" ", hit.match).casefold()
                if any(text[at : at + LENGTH] in windows for at in range(len(text) - LENGTH + 1)):
                    return hit.file
            if result.more or result.full:
                return "the vault (too many lines are like it to be compared)"
        return None

    def holds(self, text: str) -> bool:
        """Whether a text stands in the vault as a whole, such as an address that a note links to. Blocks."""
        deadline = self._clock.monotonic() + _SECONDS
        try:
            query = GrepQuery(self._grep.compile(re.escape(text), deadline), None, (), 0, 1, deadline)
            return bool(self._grep.search(query).hits)
        except ToolFailure:
            return False
