"""The person's approvals: how each server is started or reached, and how each of its tools described itself.

A server may change what it runs, and a tool what it says of itself, after it was allowed. So what was allowed is kept
word for word, and anything else is asked about again, with the difference.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from bridge.records.folder import RecordFolder, RecordStore
from bridge.servers.configuration import ServerEntry
from bridge.servers.definitions import Definition
from bridge.vault.diff import unified_diff

FILE: Final = "mcp-approved.json"
_LARGEST: Final = 16 << 20


@dataclass(frozen=True, slots=True)
class _Record:
    """An approval under one name, as the file holds it.

    Attributes:
        name: The name.
        told: What the person was shown.
        tools: Of a server, what they were shown of each of its tools.
    """

    name: str
    told: str
    tools: Mapping[str, str] = field(default_factory=dict)


class ApprovedTexts:
    """The texts that a person has approved, word for word. Blocks where it reads or writes.

    A file that cannot be read approves nothing, so nothing is lost when it is replaced.

    Args:
        folder: The user's configuration folder.
        file: The file's name.
        member: The member of the file that holds them.
        fault: The sentence for people when the file cannot be used; `{why}` stands for the reason.
    """

    def __init__(self, folder: RecordFolder, file: str, member: str, fault: str) -> None:
        self._file = RecordStore(
            folder, file, list[_Record], member=member, fault=fault, replace_damaged=True, largest=_LARGEST
        )
        self._approved = {record.name: record for record in self._file.load([])}

    @property
    def fault(self) -> str | None:
        """Return why the file cannot be used, as a sentence; None where it can."""
        return self._file.fault

    def knows(self, name: str) -> bool:
        """Return whether anything was approved under a name, the same or another."""
        return name in self._approved

    def change(self, name: str, told: str) -> str | None:
        """Return how a text differs from what was approved under its name.

        Args:
            name: The name.
            told: The text.

        Returns:
            None if it does not; otherwise the lines of a diff, or all of it if nothing was approved.
        """
        known = self._approved.get(name)
        return change_since(known.told if known else None, told)

    def approve_text(self, name: str, told: str, tools: Mapping[str, str] | None = None) -> None:
        """Remember that the person has said yes to a text, and to these tools of it.

        Raises:
            ExecutionFailed: It cannot be written down.
        """
        known = self._approved.get(name)
        before = known.tools if known is not None and known.told == told else {}
        record = _Record(name, told, {**before, **(tools or {})})
        if record != known:
            self._save({**self._approved, name: record})

    def forget(self, name: str) -> None:
        """Take back what was approved under a name. Raises what `approve_text` raises."""
        if name in self._approved:
            self._save({key: known for key, known in self._approved.items() if key != name})

    def _save(self, approved: dict[str, _Record]) -> None:
        self._file.save([*approved.values()])
        self._approved = approved


class Approvals(ApprovedTexts):
    """The servers and tools that were approved. Blocks where it reads or writes.

    Args:
        folder: The user's configuration folder.
    """

    def __init__(self, folder: RecordFolder) -> None:
        fault = f"{FILE} cannot be used, so every server is asked about again: {{why}}"
        super().__init__(folder, FILE, "servers", fault)

    def entry_change(self, name: str, entry: ServerEntry) -> str | None:
        """Return how a server differs from what was approved under its name, as `change` does.

        Args:
            name: The server's name.
            entry: As it is entered now.
        """
        return self.change(name, _told(entry))

    def tool_change(self, name: str, definition: Definition) -> str | None:
        """Return how a tool differs from what was approved under its name, as `change` does."""
        known = self._approved.get(name)
        return change_since(known.tools.get(definition.name) if known else None, definition.text)

    def knows_tool(self, name: str, definition: Definition) -> bool:
        """Return whether a tool of this name was approved once, the same or another."""
        known = self._approved.get(name)
        return known is not None and definition.name in known.tools

    def approve(self, name: str, entry: ServerEntry, definitions: Sequence[Definition] = ()) -> None:
        """Remember that the person has said yes to a server, and to these tools of it. Raises as `approve_text`."""
        self.approve_text(name, _told(entry), {each.name: each.text for each in definitions})


def _told(entry: ServerEntry) -> str:
    return "\n".join(entry.told()) + "\n"


def change_since(before: str | None, now: str) -> str | None:
    """Return how a text differs from the approved one: None where it does not, all of it where nothing was approved."""
    if before is None:
        return now
    if before == now:
        return None
    old, new = (text.encode(errors="surrogatepass") for text in (before, now))
    diff = unified_diff(old, new, old_path="before", new_path="now")
    _old_name, _new_name, changes = diff.text.split("\n", 2)
    return changes + ("… and more than can be shown\n" if diff.truncated else "")
