"""Records of what was done to connect programs, so that it can be undone exactly. Kept in the user's own folder."""

from pathlib import Path
from typing import Final

from pydantic import BaseModel

from bridge.records.folder import RecordFolder
from bridge.records.store import RecordStore

FILE: Final = "agents.json"


class ConnectionRecord(BaseModel):
    """One program's connection to one vault.

    Attributes:
        name: The entry's name in the program's configuration.
        client: The client that it is in the bridge.
        made_client: Whether connecting added that client.
        file: The configuration file.
        written: The hash of the file as it was left.
        backup: The bytes of before; None when there was no file.
        original: The hash of the former bytes.
        skill: The skill's file, where one was written.
        skill_written: The hash of that file.
    """

    name: str
    client: str
    made_client: bool
    file: Path
    written: str
    backup: Path | None
    original: str
    skill: Path | None = None
    skill_written: str = ""


class ConnectionRecords:
    """The records of one vault, by program.

    Args:
        folder: A folder of the user's own, where they are kept.
    """

    def __init__(self, folder: RecordFolder) -> None:
        self._file = RecordStore(folder, FILE, dict[str, ConnectionRecord], replace_damaged=True)

    def find(self, agent: str) -> ConnectionRecord | None:
        """Return the record of a program; None if it was not connected from here, or the file is damaged."""
        return self._file.load({}).get(agent)

    def keep(self, agent: str, record: ConnectionRecord) -> None:
        """Write it down. Raises ExecutionFailed."""
        self._file.save({**self._file.load({}), agent: record})

    def forget(self, agent: str) -> None:
        """Take it away. Raises ExecutionFailed."""
        records = self._file.load({})
        if records.pop(agent, None) is not None:
            self._file.save(records)

    def hand_on(self, agent: str, client: str) -> bool:
        """Let the client that a connection has added be that of another connection of the same client, if there is one.

        Args:
            agent: The connection that ends.
            client: The client.

        Returns:
            Whether there is one. Raises ExecutionFailed.
        """
        records = self._file.load({})
        others = (key for key, one in records.items() if key != agent and one.client == client)
        if (heir := next(others, None)) is None:
            return False
        self._file.save({**records, heir: records[heir].model_copy(update={"made_client": True})})
        return True
