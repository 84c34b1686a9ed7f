"""The settings of Obsidian that tools respect, and the files that searches skip.

They are those in `app.json`, and those for daily notes and templates, of Obsidian and of the Periodic Notes plugin.
The rules are those of docs/obsidian.md; 81, 82 and 98 are about notes.
"""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple, get_args

import orjson
import re2
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from bridge.errors import InvalidParameters
from bridge.vault.files import VaultFiles
from bridge.vault.folder import Folder
from bridge.vault.paths import VaultPath, fold, nfc
from bridge.vault.root import VaultRoot

APP_SETTINGS = "app.json"
_MOST_BYTES = 1 << 20


class AppSettings(BaseModel):
    """The settings in Obsidian's file. It stores only what differs from its defaults, which are these.

    Attributes:
        new_link_format: How Obsidian writes a link to a note (rule 75).
        use_markdown_links: Whether it writes `[name](path)` rather than `[[name]]`.
        trash_option: Destination of deleted files (rule 77).
        new_file_location: Destination of new notes (rule 78).
        new_file_folder_path: The folder, if that is one.
        attachment_folder_path: Destination of attachments (rule 79).
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
    """Return Obsidian's settings of a vault, from its configuration folder.

    That folder is `.obsidian`, or whichever dot-folder of the vault holds an `app.json` (rule 3). Tools cannot enter
    it; only these values ever leave it.

    Args:
        root: The vault.

    Returns:
        The settings. What cannot be read, or is not what Obsidian writes, has its default.
    """
    with root.folder(VaultPath.root()) as top:
        _name, data = _configuration(top)
    # Each value that is not valid keeps its default.
    values = {key: value for key, value in _mapping(_json(data)).items() if key in _KEYS}
    filters = values.get("userIgnoreFilters")
    if isinstance(filters, list):
        values["userIgnoreFilters"] = [text for text in filters if isinstance(text, str) and text]
    try:
        return AppSettings.model_validate(values)
    except ValidationError as error:
        wrong = {fault["loc"][0] for fault in error.errors()}
        return AppSettings.model_validate({key: value for key, value in values.items() if key not in wrong})


PathRule = Callable[[str], bool]


@dataclass(frozen=True, slots=True, eq=False)
class IgnoreRules:
    """The rules that decide whether a file is skipped.

    Attributes:
        rules: Each says whether a path, in NFC, is skipped.
    """

    rules: tuple[PathRule, ...]

    def __bool__(self) -> bool:
        return bool(self.rules)

    def __call__(self, path: VaultPath | str) -> bool:
        """Return whether a file is skipped."""
        text = nfc(str(path))
        return any(rule(text) for rule in self.rules)


def ignore_rules(files: VaultFiles, patterns: Sequence[str]) -> IgnoreRules:
    """Return the rules by which files are skipped, as they are now.

    Args:
        files: The vault.
        patterns: Globs over vault paths. One without a `/` before its end fits at any depth; one that ends with
            `/` fits everything in such a folder.

    Returns:
        The same object for the same rules, so that what they said of a path can be remembered.

    Raises:
        InvalidParameters: A glob is none.
    """
    return make_rules(read_app_settings(files.root).user_ignore_filters, tuple(patterns))


@lru_cache(maxsize=16)
def make_rules(filters: tuple[str, ...], patterns: tuple[str, ...]) -> IgnoreRules:
    """Return the rules of Obsidian's excluded files and of some globs; see `ignore_rules`.

    Args:
        filters: Obsidian's setting `userIgnoreFilters`.
        patterns: The globs.
    """
    rules = [rule for text in filters if (rule := _user_rule(text))]
    if patterns:
        rules.append(_glob_rule(patterns))
    return IgnoreRules(tuple(rules))


def _user_rule(text: str) -> PathRule | None:
    """Return one of Obsidian's filters: `/regex/`, else the beginning of a path.

    Whether Obsidian minds case in prefixes is not known; here it does not, as nowhere else in names. A pattern that
    RE2 refuses (look-around, back-references) is left out: it cannot be matched in a time that is sure to be short.
    """
    if len(text) > 1 and text.startswith("/") and text.endswith("/"):
        options = re2.Options()
        options.log_errors = False
        try:
            pattern = re2.compile(text[1:-1], options)
        except re2.error:
            return None
        return lambda path: pattern.search(path) is not None
    prefix = fold(text.lstrip("/"))
    return lambda path: fold(path).startswith(prefix)


def _glob_rule(patterns: Sequence[str]) -> PathRule:
    """Return the globs of `ignorePatterns`, as one rule."""
    from wcmatch import glob  # noqa: PLC0415 - slow to import, and few vaults have such patterns

    flags = glob.GLOBSTAR | glob.DOTGLOB | glob.BRACE | glob.FORCEUNIX
    deep = [pattern if "/" in pattern.rstrip("/") else f"**/{pattern}" for pattern in map(nfc, patterns)]
    wide = [pattern + "**" if pattern.endswith("/") else pattern for pattern in deep]
    try:
        matcher = glob.compile(wide, flags=flags)
    except Exception as error:  # noqa: BLE001 (wcmatch keeps the exception for too many braces to itself)
        raise InvalidParameters(f"ignorePatterns holds a pattern that is no glob: {error}; correct it") from None
    return lambda path: bool(matcher.match(path))


def _configuration(top: Folder) -> tuple[str, bytes | None]:
    """Return the name of the configuration folder (rule 3), and what its `app.json` holds, if it can be read."""
    for name in (".obsidian", *sorted(name for name in top.names() if name.startswith("."))):
        if (data := _read(top, f"{name}/{APP_SETTINGS}")) is not None:
            return name, data
    return ".obsidian", None


def _read(top: Folder, path: str) -> bytes | None:
    *folders, name = path.split("/")
    with contextlib.suppress(OSError), contextlib.ExitStack() as opened:
        for folder in folders:
            top = opened.enter_context(top.child(folder))
        return top.read(name, limit=_MOST_BYTES)
    return None


def _json(data: bytes | None) -> Any:
    try:
        return None if data is None else orjson.loads(data)
    except orjson.JSONDecodeError:
        return None


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


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
        config, _data = _configuration(top)
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


def _text(values: Mapping[str, Any], name: str) -> str:
    value = values.get(name)
    return value.strip() if isinstance(value, str) else ""
