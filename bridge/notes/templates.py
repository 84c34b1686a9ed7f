"""Values of a template's fields, as in Obsidian's own templates (rules 82 and 99 of docs/obsidian.md)."""

import re
from datetime import datetime
from typing import NamedTuple

from bridge.notes.moment_format import format_moment

_FIELD = re.compile(r"\{\{\s*(title|date|time)\s*(?::([^{}\n]*))?\}\}", re.IGNORECASE)
_OTHER = re.compile(r"\{\{[^{}\n]{1,100}\}\}|<%[^\n]{0,100}")


class TemplateFields(NamedTuple):
    """The values for the fields of a template.

    Attributes:
        title: The new note's name.
        when: The date and time.
        date_format: The format of dates without one of their own.
        time_format: The same for times.
    """

    title: str
    when: datetime
    date_format: str
    time_format: str

    def fill(self, text: str) -> str:
        """Return a template with its fields filled. Fields that only plugins know stay as they are.

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
    """Return the fields that are left in a text, each once: those of Templater and other plugins.

    Args:
        text: A filled template.
    """
    return list(dict.fromkeys(_OTHER.findall(text)))
