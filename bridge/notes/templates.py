"""What stands in a template's fields, as Obsidian's own templates have them (rules 82 and 99 of docs/obsidian.md)."""

import re
from dataclasses import dataclass
from datetime import datetime

from bridge.notes.moment_format import format_moment

_FIELD = re.compile(r"\{\{\s*(title|date|time)\s*(?::([^{}\n]*))?\}\}", re.IGNORECASE)
_OTHER = re.compile(r"\{\{[^{}\n]{1,100}\}\}|<%[^\n]{0,100}")


@dataclass(frozen=True, slots=True)
class TemplateFields:
    """What the fields of a template become.

    Attributes:
        title: The new note's name.
        when: The date and time.
        date_format: How a date is written that has no format of its own.
        time_format: How a time is.
    """

    title: str
    when: datetime
    date_format: str
    time_format: str

    def fill(self, text: str) -> str:
        """A template with its fields filled. Fields that only plugins know stay as they are.

        Args:
            text: The template.
        """
        return _FIELD.sub(self._filled, text)

    def _filled(self, found: re.Match[str]) -> str:
        name, pattern = found[1].lower(), (found[2] or "").strip()
        if name == "title":
            return self.title
        return format_moment(self.when, pattern or (self.date_format if name == "date" else self.time_format))


def unfilled(text: str) -> list[str]:
    """The fields that are left in a text, each once: those of Templater and other plugins.

    Args:
        text: A filled template.
    """
    return list(dict.fromkeys(_OTHER.findall(text)))
