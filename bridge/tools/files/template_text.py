"""The text of a new note from one of the user's templates, which the caller must be allowed to read."""

from datetime import datetime

from bridge.errors import NotFound
from bridge.notes.merged_properties import merge_properties
from bridge.notes.moment_format import TemplateFields, unfilled
from bridge.tools.files.paths import note_path, read_text
from bridge.tools.joining import appended, body_of, ending_of
from bridge.tools.storage import PlanningStorage, exists
from bridge.vault.paths import VaultPath
from bridge.vault.text import note_name

_NAMED = 3


class TemplateText:
    """The text of new notes from the user's templates.

    Args:
        storage: The vault.
    """

    def __init__(self, storage: PlanningStorage) -> None:
        self._storage = storage

    def find(self, name: str) -> VaultPath:
        """Return where a template is: in the folder for templates, else at this path.

        Args:
            name: Its name or path; `.md` may be left out.

        Raises:
            NotFound: There is none.
        """
        folder = self._storage.note_settings.templates_folder
        places = [note_path(f"{folder}/{name}", self._storage, "template")] if folder else []
        places.append(note_path(name, self._storage, "template"))
        for place in places:
            if exists(self._storage, place):
                return place
        where = f" in {folder!r} or" if folder else ""
        raise NotFound(f"There is no template {name!r}{where} at this path", wanted=str(places[0]))

    def fill(self, template: VaultPath, path: VaultPath, when: datetime) -> str:
        """Return the text of a new note.

        Args:
            template: The template.
            path: Where the note will be.
            when: The date and time for its fields.
        """
        _place, data = read_text(self._storage, template)
        settings = self._storage.note_settings
        fields = TemplateFields(note_name(str(path)), when, settings.date_format, settings.time_format)
        return fields.fill(data.decode())


def with_content(text: str, content: str) -> str:
    """Return a filled template with a note's own text below, and the properties of both (rule 82 of docs/obsidian.md).

    Args:
        text: The filled template.
        content: The note's own text.
    """
    ending = ending_of(text or content)
    return appended(merge_properties(text, content, ending).text, body_of(content), ending)


def unfilled_warning(text: str) -> list[str]:
    """Return a warning of the fields that only a plugin in Obsidian can fill; none where there are none."""
    fields = unfilled(text)
    if not fields:
        return []
    more = f" and {len(fields) - _NAMED} more" if len(fields) > _NAMED else ""
    return [f"Fields that only a plugin can fill stay as they are: {', '.join(fields[:_NAMED])}{more}"]
