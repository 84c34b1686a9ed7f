"""Commands of `vault-bridge` as sentences name them: as they are typed in a shell of this system."""

import shlex
import subprocess
import sys
from collections.abc import Sequence


def quoted(words: Sequence[str]) -> str:
    """Return words as they are typed in a shell.

    Args:
        words: The words, as a program gets them.
    """
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)


def own_command(*words: str) -> str:
    """Return one of our commands between backticks, for a sentence.

    Args:
        words: What comes after the program's name.
    """
    return f"`vault-bridge {quoted(words)}`"
