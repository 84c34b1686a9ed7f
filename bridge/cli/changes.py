"""What happens to files, drawn: for the consent question, the preview and the history."""

from collections.abc import Iterable, Iterator
from typing import Any

from rich.text import Text

from bridge.cli.diff import draw_diff, parse_diff
from bridge.cli.line_wrapping import fold, wrap
from bridge.cli.sanitize import sanitize
from bridge.contract.consent import FilePreview


def draw_heading(file: FilePreview, width: int) -> Iterator[Text]:
    """One file: what happens, where, and how many lines come and go."""
    path = sanitize(file.path, style="bold")
    if file.new_path is not None:
        path = Text.assemble(path, " → ", sanitize(file.new_path, style="bold"))
    tail = Text.assemble("  ", draw_counts(file.added, file.removed)) if file.added or file.removed else Text()
    yield from fold(Text.assemble(path, tail), width, first=f"{file.change} ", rest="  ")


def draw_counts(added: int, removed: int) -> Text:
    """How many lines come and go."""
    return Text.assemble((f"+{added}", "green"), " ", (f"-{removed}", "red"))


def draw_changes(files: Iterable[dict[str, Any]], width: int) -> Iterator[Text]:
    """Every file with its whole diff, from the wire form."""
    for wire in files:
        file = FilePreview.model_validate(wire)
        yield from draw_heading(file, width)
        yield from draw_diff(parse_diff(file.diff), width)
        if file.truncated:
            yield from draw_truncation(width)


def draw_truncation(width: int) -> Iterator[Text]:
    """Said of a diff that the bridge did not send whole."""
    said = "This diff is too long to be sent whole: the rest of the change is NOT shown here."
    yield from wrap(Text(said, "bold red"), width, first="  ", rest="  ")
