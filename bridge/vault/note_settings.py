"""The user's settings for daily notes and templates, in Obsidian and in the Periodic Notes plugin if it is on.

Rules 81, 82 and 98 of docs/obsidian.md.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple, get_args

import orjson

from bridge.vault.app_settings import APP_SETTINGS
from bridge.vault.folder import Folder
from bridge.vault.paths import VaultPath
from bridge.vault.root import VaultRoot

Period = Literal["daily", "weekly", "monthly", "quarterly", "yearly"]

FORMATS: Final[Mapping[Period, str]] = {
    "daily": "YYYY-MM-DD",
    "weekly": "gggg-[W]ww",
    "monthly": "YYYY-MM",
    "quarterly": "YYYY-[Q]Q",
    "yearly": "YYYY",
}
"""Default formats of the notes' names."""

_DAILY: Final = "daily-notes.json"
_TEMPLATES: Final = "templates.json"
_PLUGINS: Final = "community-plugins.json"
_PERIODIC: Final = "plugins/periodic-notes/data.json"
_PERIODIC_ID: Final = "periodic-notes"
_GRANULARITY: Final = {"daily": "day", "weekly": "week", "monthly": "month", "quarterly": "quarter", "yearly": "year"}
_MOST_BYTES: Final = 1 << 20

ReadConfig = Callable[[str], Any]
"""Returns what a file of the configuration folder holds, as JSON; None if it cannot be read."""


class PeriodSettings(NamedTuple):
    """The settings for notes of one kind of period.

    Attributes:
        folder: Their folder; empty for the vault's root.
        format: Their name, in a format of moment.js; a `/` in it makes folders.
        template: The path of the template, with or without `.md`; empty for none.
    """

    folder: str = ""
    format: str = ""
    template: str = ""


@dataclass(frozen=True, slots=True)
class NoteSettings:
    """The settings for new notes.

    Attributes:
        periods: The settings for each kind of period that the user keeps notes for; always including daily.
        templates_folder: The folder of templates; empty if not set.
        date_format: The format of dates in templates.
        time_format: The format of times in templates.
    """

    periods: Mapping[Period, PeriodSettings] = field(default_factory=dict)
    templates_folder: str = ""
    date_format: str = "YYYY-MM-DD"
    time_format: str = "HH:mm"


def read_note_settings(root: VaultRoot) -> NoteSettings:
    """Return the settings of a vault, from its configuration folder (rule 3). Only these values ever leave it.

    Args:
        root: The vault.
    """
    with root.folder(VaultPath.root()) as top:
        others = sorted(name for name in top.names() if name.startswith("."))
        config = next((name for name in (".obsidian", *others) if _read(top, f"{name}/{APP_SETTINGS}")), ".obsidian")
        return note_settings(lambda name: _json(_read(top, f"{config}/{name}")))


def note_settings(read: ReadConfig) -> NoteSettings:
    """Return the settings that some files hold. What is not as it should be counts as not set.

    Args:
        read: Reads a file of the configuration folder.
    """
    periods: dict[Period, PeriodSettings] = {"daily": _period(read(_DAILY), "daily")}
    plugins, periodic = read(_PLUGINS), _mapping(read(_PERIODIC))
    if isinstance(plugins, list) and _PERIODIC_ID in plugins:
        for period in get_args(Period):
            found = _periodic(periodic, period)
            if found.get("enabled") is True:
                periods[period] = _period(found, period)
    templates = _mapping(read(_TEMPLATES))
    return NoteSettings(
        periods,
        _text(templates, "folder").strip("/"),
        _text(templates, "dateFormat") or FORMATS["daily"],
        _text(templates, "timeFormat") or "HH:mm",
    )


def _periodic(settings: Mapping[str, Any], period: Period) -> Mapping[str, Any]:
    """Return the Periodic Notes settings for a period: by its name, or in the active set of calendars."""
    sets = settings.get("calendarSets")
    if not isinstance(sets, list):
        return _mapping(settings.get(period))
    known = [_mapping(each) for each in sets]
    used = next((each for each in known if each.get("id") == settings.get("activeCalendarSet")), None)
    return _mapping((used or (known[0] if known else {})).get(_GRANULARITY[period]))


def _period(found: Any, period: Period) -> PeriodSettings:
    values = _mapping(found)
    template = _text(values, "template") or _text(values, "templatePath")
    return PeriodSettings(_text(values, "folder").strip("/"), _text(values, "format") or FORMATS[period], template)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(values: Mapping[str, Any], name: str) -> str:
    value = values.get(name)
    return value.strip() if isinstance(value, str) else ""


def _read(top: Folder, path: str) -> bytes | None:
    *folders, name = path.split("/")
    opened: list[Folder] = []
    try:
        for folder in folders:
            opened.append((opened[-1] if opened else top).child(folder))
        return (opened[-1] if opened else top).read(name, limit=_MOST_BYTES)
    except OSError:
        return None
    finally:
        for folder_ in reversed(opened):
            folder_.close()


def _json(data: bytes | None) -> Any:
    try:
        return None if data is None else orjson.loads(data)
    except orjson.JSONDecodeError:
        return None
