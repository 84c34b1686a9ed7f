"""The names of the events that are heard where nothing else of their models is wanted: those take a megabyte."""

from typing import Final

TOOLS_CHANGED: Final = "tools.changed"
TOOL_PROGRESS: Final = "tool.progress"
OWN_QUESTION: Final = "consent.own"
SCREEN_CHANGED: Final = "screen.changed"
