"""Wikilinks: what stands between `[[` and `]]` (rules 14 to 20)."""

import re

MAX_LENGTH = 16 * 1024
"""Characters that one wikilink may have; no path is as long, and no text that is shown instead."""

_BODY = re.compile(r"[^\n\[\]]*+(?:(?:\[(?!\[)|\](?!\]))[^\n\[\]]*+)*+\]\]")


def wikilink_end(text: str, start: int, end: int) -> int:
    """One past the `]]` of a wikilink, on the same line and without another `[[` within (rule 17); -1 without one.

    Args:
        text: The note.
        start: One past its `[[`.
        end: Where the run of text ends.
    """
    body = _BODY.match(text, start, min(end, start + MAX_LENGTH))
    # What is empty is no link (rule 16).
    return body.end() if body is not None and body.end() > start + len("]]") else -1


def split_wikilink(inner: str) -> tuple[str, str]:
    """A wikilink's target and the text it shows (rules 15, 16, 18 and 19).

    Args:
        inner: What stands between the brackets.
    """
    bar = inner.find("|", 1)  # a bar that comes first belongs to the name
    if bar < 1:
        return inner, default_display(inner)
    # In a table the bar is escaped, and the backslash belongs to neither part.
    target = inner[: bar - 1] if bar > 1 and inner[bar - 1] == "\\" else inner[:bar]
    return target, inner[bar + 1 :]


def default_display(link: str) -> str:
    """What a link without a text of its own shows: `Note#A#B` as `Note > A > B` (rule 19).

    Args:
        link: Its path and subpath.
    """
    if "#" not in link:
        return link
    return " > ".join(part for part in link.split("#") if part)
