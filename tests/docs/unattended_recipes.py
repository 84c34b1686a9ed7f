"""The recipes of `docs/unattended.md`: the script of each program, and the files of each scheduler."""

import re
from pathlib import Path
from typing import Final

PAGE: Final = Path(__file__).resolve().parents[2] / "docs" / "unattended.md"


def section(title: str) -> str:
    """Return what stands below a heading."""
    return re.split(r"^#+ ", PAGE.read_text("utf-8").split(f"\n### {title}\n")[1], maxsplit=1, flags=re.MULTILINE)[0]


def blocks(title: str, language: str) -> list[str]:
    """Return the blocks of a language below a heading."""
    return re.findall(rf"^```{language}\n(.*?)^```", section(title), re.MULTILINE | re.DOTALL)


def script(title: str) -> str:
    """Return the script of a program, as its user saves it."""
    (found,) = blocks(title, "sh")
    return found


def command(title: str) -> str:
    """Return the line of that script which starts the program."""
    return script(title).splitlines()[-1].removeprefix("exec ").removesuffix(" < /dev/null")
