"""What may be a tag (rules 59 to 62)."""

import re

TAG_CHARACTER = r"[^\s!-,.:-@\[\\\]^`{-~\u2000-\u206f\u2e00-\u2e7f]"
"""One character of a tag, as a pattern: anything but white space and punctuation; `-`, `_` and `/` are allowed."""

_TAG = re.compile(f"{TAG_CHARACTER}++")


def is_tag(name: str) -> bool:
    """Whether a name, without `#`, can be a tag: only its characters, and not digits alone (rules 61 and 62)."""
    return _TAG.fullmatch(name) is not None and not name.isdecimal()
