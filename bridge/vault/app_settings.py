"""What the user has set in Obsidian: the few keys of its `app.json` that tools must respect.

Rules 4 and 75 to 80 of docs/obsidian.md.
"""

from typing import Literal

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from bridge.vault.folder import Folder
from bridge.vault.paths import VaultPath
from bridge.vault.root import VaultRoot

APP_SETTINGS = "app.json"
_MOST_BYTES = 1 << 20


class AppSettings(BaseModel):
    """Obsidian stores only what differs from its defaults; these are the defaults.

    Attributes:
        new_link_format: How Obsidian writes a link to a note (rule 75).
        use_markdown_links: Whether it writes `[name](path)` rather than `[[name]]`.
        trash_option: Where deleted files go (rule 77).
        new_file_location: Where new notes go (rule 78).
        new_file_folder_path: The folder, where that is one.
        attachment_folder_path: Where attachments go (rule 79).
        user_ignore_filters: What the user excluded (rule 80).
    """

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True, extra="ignore")

    new_link_format: Literal["shortest", "relative", "absolute"] = "shortest"
    use_markdown_links: bool = False
    trash_option: Literal["system", "local", "none"] = "system"
    new_file_location: Literal["root", "current", "folder"] = "root"
    new_file_folder_path: str = "/"
    attachment_folder_path: str = "/"
    user_ignore_filters: tuple[str, ...] = Field(default=())


_KEYS = frozenset(field.alias for field in AppSettings.model_fields.values())


def read_app_settings(root: VaultRoot) -> AppSettings:
    """Obsidian's settings of a vault, from its configuration folder.

    That folder is `.obsidian`, or whichever dot-folder of the vault holds an `app.json` (rule 3). Tools cannot enter
    it; only these values ever leave it.

    Args:
        root: The vault.

    Returns:
        The settings. What cannot be read, or is not what Obsidian writes, has its default.
    """
    with root.folder(VaultPath.root()) as top:
        others = sorted(name for name in top.names() if name.startswith("."))
        for name in [".obsidian", *others]:
            data = _read(top, name)
            if data is not None:
                return _parse(data)
    return AppSettings()


def _read(top: Folder, name: str) -> bytes | None:
    try:
        with top.child(name) as folder:
            return folder.read(APP_SETTINGS, limit=_MOST_BYTES)
    except OSError:
        return None


def _parse(data: bytes) -> AppSettings:
    """The values that are as they should be; each of the others keeps its default."""
    try:
        found = orjson.loads(data)
    except orjson.JSONDecodeError:
        return AppSettings()
    if not isinstance(found, dict):
        return AppSettings()
    values = {key: value for key, value in found.items() if key in _KEYS}
    filters = values.get("userIgnoreFilters")
    if isinstance(filters, list):
        values["userIgnoreFilters"] = [text for text in filters if isinstance(text, str) and text]
    try:
        return AppSettings.model_validate(values)
    except ValidationError as error:
        wrong = {fault["loc"][0] for fault in error.errors()}
        return AppSettings.model_validate({key: value for key, value in values.items() if key not in wrong})
