"""What the person has said yes to: how each server is started or reached, and how each of its tools described itself.

A server may change what it runs, and a tool what it says of itself, after it was allowed. So what was allowed is kept
word for word, and anything else is asked about again, with the difference.
"""

from collections.abc import Sequence
from typing import Any, Final

import orjson

from bridge.errors import ExecutionFailed
from bridge.identity.private_file import PrivateFile, PrivateFolder
from bridge.servers.configuration import ServerEntry
from bridge.servers.definitions import Definition
from bridge.vault.diff import unified_diff

FILE: Final = "mcp-approved.json"


class Approvals:
    """Blocks where it reads or writes.

    Args:
        folder: The user's configuration folder.
    """

    def __init__(self, folder: PrivateFolder) -> None:
        self._file: PrivateFile[_Approved] = PrivateFile(
            folder,
            FILE,
            "servers",
            read=lambda members: {member["name"]: _Approved.read(member) for member in members},
            fault=lambda error: f"{FILE} cannot be used, so every server is asked about again: {error}",
        )
        self._approved = self._file.load()

    @property
    def fault(self) -> str | None:
        """Why the file cannot be used, as a sentence."""
        return self._file.fault

    def entry_change(self, name: str, entry: ServerEntry) -> str | None:
        """How a server differs from what was approved under its name.

        Args:
            name: The server's name.
            entry: As it is entered now.

        Returns:
            None when it does not; else the lines of a diff, or all its lines where none was approved.
        """
        known = self._approved.get(name)
        return change_since(known.told if known else None, "\n".join(entry.told()) + "\n")

    def tool_change(self, name: str, definition: Definition) -> str | None:
        """How a tool differs from what was approved under its name; as `entry_change`."""
        known = self._approved.get(name)
        return change_since(known.tools.get(definition.name) if known else None, definition.text)

    def knows_tool(self, name: str, definition: Definition) -> bool:
        """Whether a tool of this name was approved once, the same or another."""
        known = self._approved.get(name)
        return known is not None and definition.name in known.tools

    def approve(self, name: str, entry: ServerEntry, definitions: Sequence[Definition] = ()) -> None:
        """The person has said yes to a server, and to these tools of it.

        Raises:
            ExecutionFailed: It cannot be written down.
        """
        told = "\n".join(entry.told()) + "\n"
        known = self._approved.get(name)
        tools = dict(known.tools) if known is not None and known.told == told else {}
        new = _Approved(told, tools | {each.name: each.text for each in definitions})
        if known is None or (known.told, known.tools) != (new.told, new.tools):
            self._save({**self._approved, name: new})

    def forget(self, name: str) -> None:
        """A server is gone, or its approval is taken back. Raises what `approve` raises."""
        if name in self._approved:
            self._save({key: known for key, known in self._approved.items() if key != name})

    def _save(self, approved: "dict[str, _Approved]") -> None:
        if self._file.fault is not None:
            self._file.fault = None  # what cannot be read approves nothing, so nothing is lost with it
        members: list[dict[str, Any]] = [
            {"name": name, "told": known.told, "tools": known.tools} for name, known in approved.items()
        ]
        if len(orjson.dumps(members)) > _LARGEST:
            raise ExecutionFailed(f"{FILE} would grow beyond {_LARGEST:,} bytes; remove servers that are not used")
        self._file.save(members)
        self._approved = approved


_LARGEST: Final = 16 << 20


class _Approved:
    """What was approved of one server."""

    def __init__(self, told: str, tools: dict[str, str]) -> None:
        self.told = told
        self.tools = tools

    @classmethod
    def read(cls, member: Any) -> "_Approved":
        """One server of the file. Raises TypeError when its form is not ours."""
        told, tools = member["told"], member["tools"]
        if not isinstance(told, str) or not all(isinstance(text, str) for text in tools.values()):
            raise TypeError("its form is not ours")
        return cls(told, tools)


def change_since(before: str | None, now: str) -> str | None:
    """How a text differs from what was approved: None where it does not, all of it where nothing was approved."""
    if before is None:
        return now
    if before == now:
        return None
    old, new = (text.encode(errors="surrogatepass") for text in (before, now))
    diff = unified_diff(old, new, old_path="before", new_path="now")
    _old_name, _new_name, changes = diff.text.split("\n", 2)
    return changes + ("… and more than can be shown\n" if diff.truncated else "")
