"""One member of an object in JSON or JSONC: read, put and taken away, while every other byte stays as it is."""

from typing import Any

from bridge.agents.json_document import JsonDocument


class JsonEntries:
    """A JSON file whose root has an object of entries.

    Args:
        text: The file's text; an empty file is an empty object.
        key: The root's member that holds the entries.
        comments: Whether comments are allowed.
        commas: Whether a comma after the last member is.

    Raises:
        ConfigurationRefused: The text is not valid, or has something else in the place of an object; says where.
    """

    def __init__(self, text: str, key: str, *, comments: bool = False, commas: bool = False) -> None:
        self._text, self._key = text, key
        self._document = JsonDocument(text, comments=comments, commas=commas)
        self._document.get((key, ""))

    def read(self) -> dict[str, Any]:
        """The entries by name."""
        entries: dict[str, Any] | None = self._document.get((self._key,))
        return {} if entries is None else entries

    def put(self, name: str, entry: dict[str, Any]) -> str:
        """The file with an entry, after the others, or in the place of the one with its name."""
        return self._document.put((self._key, name), entry).text

    def take(self, name: str) -> str:
        """The file without an entry, with the comma that went with it."""
        return self._document.remove((self._key, name)).text
