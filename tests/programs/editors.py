"""The tools with which programs change files themselves: their editors and their shells."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.programs.conversation import Call, own
from tests.programs.programs import CLAUDE_CODE, CODEX, GEMINI, OPENCODE


@dataclass(frozen=True, slots=True)
class Editor:
    """The tools of one program.

    Attributes:
        write: Writes a whole file: the file and its text.
        replace: Replaces a line of a file: the file, the line and what comes in its place.
        run: Gives a command to the program's shell.
        settings: The file of the user's settings, below the home, by which the hook could be switched off.
        arguments: What lets these tools work on all files without a terminal: the home and the vault.
        look: Reads a file, which some programs want before they change it.
        prepare: Makes the home ready for that, after the program was told of its model.
    """

    write: Callable[[Path, str], Call]
    replace: Callable[[Path, str, str], Call]
    run: Callable[[str], Call]
    settings: str
    arguments: Callable[[Path, Path], tuple[str, ...]]
    look: Callable[[Path], Call] | None = None
    prepare: Callable[[Path], None] = lambda _home: None


def patch(*lines: str) -> str:
    """Return a patch in the form of Codex."""
    return "\n".join(("*** Begin Patch", *lines, "*** End Patch", ""))


def added(file: Path, text: str) -> str:
    """Return a patch that adds a file."""
    return patch(f"*** Add File: {file}", *(f"+{line}" for line in text.splitlines()))


def replaced(file: Path, old: str, new: str) -> str:
    """Return a patch that replaces a line."""
    return patch(f"*** Update File: {file}", "@@", f"-{old}", f"+{new}")


def _opencode(home: Path) -> None:
    """Let it leave its folder, and leave it what its first start fetches from npm where there are plugins."""
    folder = home / ".config" / "opencode"
    settings = json.loads((folder / "opencode.json").read_bytes())
    (folder / "opencode.json").write_text(json.dumps(settings | {"permission": {"external_directory": "allow"}}))
    (folder / "node_modules").mkdir()
    fetched = {"packages": {"": {"dependencies": {"@opencode-ai/plugin": "1"}}}}
    (folder / "package-lock.json").write_text(json.dumps(fetched))


MODEL_WITH_EDITOR: Final = "gpt-5.5"
"""A model that Codex gives its editor; one that it does not know has a shell alone."""

EDITORS: Final = {
    CLAUDE_CODE.id: Editor(
        write=lambda file, text: own("Write", file_path=str(file), content=text),
        replace=lambda file, old, new: own("Edit", file_path=str(file), old_string=old, new_string=new),
        run=lambda command: own("Bash", command=command, description="Do it"),
        settings=".claude/settings.json",
        arguments=lambda _home, _vault: (
            "--permission-mode",
            "acceptEdits",
            "--allowedTools",
            "Bash",
            "Read",
            "Edit",
            "Write",
        ),
        look=lambda file: own("Read", file_path=str(file)),
    ),
    CODEX.id: Editor(
        write=lambda file, text: own("apply_patch", added(file, text)),
        replace=lambda file, old, new: own("apply_patch", replaced(file, old, new)),
        run=lambda command: own("exec_command", cmd=command),
        settings=".codex/hooks.json",
        arguments=lambda _home, _vault: ("--model", MODEL_WITH_EDITOR),
    ),
    GEMINI.id: Editor(
        write=lambda file, text: own("write_file", file_path=str(file), content=text),
        replace=lambda file, old, new: own(
            "replace", file_path=str(file), instruction="Do it", old_string=old, new_string=new
        ),
        run=lambda command: own("run_shell_command", command=command),
        settings=".gemini/settings.json",
        arguments=lambda home, vault: ("--include-directories", f"{home},{vault}"),
        look=lambda file: own("read_file", file_path=str(file)),
    ),
    OPENCODE.id: Editor(
        write=lambda file, text: own("write", filePath=str(file), content=text),
        replace=lambda file, old, new: own("edit", filePath=str(file), oldString=old, newString=new),
        run=lambda command: own("bash", command=command, description="Do it"),
        settings=".config/opencode/opencode.json",
        arguments=lambda _home, _vault: (),
        look=lambda file: own("read", filePath=str(file)),
        prepare=_opencode,
    ),
}
