"""Wikilinks: what stands between `[[` and `]]` (rules 14 to 20)."""

import re

BODY = re.compile(r"[^\n\[\]]*+(?:(?:\[(?!\[)|\](?!\]))[^\n\[\]]*+)*+\]\]")
"""From after `[[` to the end of its `]]`: on one line, and without another `[[` within (rule 17)."""


def split_wikilink(inner: str) -> tuple[str, str]:
    """A wikilink's target and the text it shows (rules 15, 16, 18 and 19).

    Args:
        inner: What stands between the brackets.
    """
    bar = inner.find("|", 1)  # a bar that comes first belongs to the name
    if bar < 1:
        return inner, default_display(inner)
    # In a table the bar is escaped, and the backslash belongs to neither part.
    target = inner[: bar - 1] if inner[bar - 1] == "\\" and bar > 1 else inner[:bar]
    return target, inner[bar + 1 :]


def default_display(link: str) -> str:
    """What a link without a text of its own shows: `Note#A#B` as `Note > A > B` (rule 19)."""
    if "#" not in link:
        return link
    return " > ".join(part for part in link.split("#") if part)
