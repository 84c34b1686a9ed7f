"""What the person has allowed: each tool as it was when its last run was allowed, word for word."""

from typing import Any, Final

from bridge.identity.private_file import PrivateFile, PrivateFolder
from bridge.servers.approvals import change_since

FILE: Final = "tools-approved.json"


class ToolApprovals:
    """Blocks where it reads or writes.

    Args:
        folder: The user's configuration folder.
    """

    def __init__(self, folder: PrivateFolder) -> None:
        self._file: PrivateFile[str] = PrivateFile(
            folder,
            FILE,
            "tools",
            read=lambda members: {_text(member["name"]): _text(member["told"]) for member in members},
            fault=lambda error: f"{FILE} cannot be used, so every tool of your own counts as new: {error}",
        )
        self._approved = self._file.load()

    def knows(self, name: str) -> bool:
        """Whether a tool of this name was allowed once, the same or another."""
        return name in self._approved

    def change(self, name: str, told: str) -> str | None:
        """How a tool differs from what was allowed under its name.

        Args:
            name: Its name.
            told: All of it, as `definition.told` says it.

        Returns:
            None when it does not; else the lines of a diff, or all of it where none was allowed.
        """
        return change_since(self._approved.get(name), told)

    def approve(self, name: str, told: str) -> None:
        """The person has allowed a run of this. Raises ExecutionFailed where that cannot be written down."""
        if self._approved.get(name) != told:
            self._save({**self._approved, name: told})

    def forget(self, name: str) -> None:
        """A tool is gone. Raises what `approve` raises."""
        if name in self._approved:
            self._save({key: known for key, known in self._approved.items() if key != name})

    def _save(self, approved: dict[str, str]) -> None:
        self._file.fault = None  # what cannot be read allows nothing, so nothing is lost with it
        self._file.save([{"name": name, "told": told} for name, told in approved.items()])
        self._approved = approved


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("its form is not ours")
    return value
