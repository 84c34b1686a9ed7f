"""`vault-bridge inbox`: what waits for the person, and the command that opens each thing."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from bridge.cli.connection import ask
from bridge.cli.family import Table, when
from bridge.cli.options import AsJson, Vault
from bridge.cli.printer import Printer, typed_command
from bridge.cli.times import until_words
from bridge.client import find_vault

Line = Mapping[str, Any]


def inbox(vault: Vault = None, as_json: AsJson = False) -> None:
    """Show what waits for you, oldest first.

    These are the questions of agents, drafts that were handed in, drafts whose agent has gone, and changes of many
    files by other programs that you have not looked at: of each since when it waits, whose it is, until when it is
    kept, why it is there, and the command that opens it. Many questions or drafts of one agent are one line.

    Examples:
      vault-bridge inbox
      vault-bridge inbox --json
    """
    folder = find_vault(vault)
    lines = ask(vault, "inbox.list")
    is_elsewhere = vault is not None or as_json
    _TABLE.print(Printer(as_json=as_json), [line | {"command": _typed(line, folder, is_elsewhere)} for line in lines])


def described(line: Line) -> str:
    """Return what waits, how much it is and why, in one line. It may hold text from outside, as it came."""
    many = f"{line['files']:,} file{'' if line['files'] == 1 else 's'}"
    said = " ".join(line["summary"].split())
    if line["count"] > 1:
        said = f"{said}, {many}"
    elif line["kind"] in {"draft", "left"}:
        said = f"{'handed in' if line['kind'] == 'draft' else 'left behind'}, {many}: {said}"
    return f"{said}. It says: {' '.join(line['reason'].split())}" if line["reason"] else said


_TABLE: Final = Table(
    (
        ("Since", when("since")),
        ("Of", "client", "bold"),
        ("Kept until", lambda line: until_words(line["keptUntil"]) if line["keptUntil"] else ""),
        ("Open it with", "command"),
        ("What", described),
    ),
    "Nothing waits for you.",
)


def opening(line: Line) -> str:
    """Return what is typed after `vault-bridge` to look at what waits."""
    match line["kind"]:
        case "changes":
            return see_changes(line["ids"])
        case "left":
            return f"drafts show {line['ids'][0]}" if line["count"] == 1 else "drafts list"
        case _:
            return "approve"


def see_changes(entries: Sequence[str]) -> str:
    """Return what is typed after `vault-bridge` to look at changes of other programs.

    Args:
        entries: Their ids in the history.
    """
    return f"history --diff {entries[0]}" if len(entries) == 1 else "history --outside"


def _typed(line: Line, vault: Path, is_elsewhere: bool) -> str:
    words = opening(line)
    return typed_command(words, vault) if is_elsewhere else f"vault-bridge {words}"
