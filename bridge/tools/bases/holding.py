"""The files that hold bases. Apart, so that a start need not import the code that evaluates one."""

from typing import Final

from bridge.index.knowledge import Knowledge

EXTENSION: Final = ".base"


def holding_bases(knowledge: Knowledge) -> list[str]:
    """Return the files that are bases, or notes with one, by path."""
    bases = (file.path for file in knowledge.files() if file.path.lower().endswith(EXTENSION))
    return sorted([*bases, *(facts.path for facts in knowledge.notes() if facts.has_base)])
