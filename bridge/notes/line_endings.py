"""The line endings of a text that is replaced as a whole: lines that stay keep the ending they have."""

from bridge.vault.compare import changed_blocks
from bridge.vault.text import BOM, Lines

_WINDOWS = b"\r\n"


def with_endings_of(old: bytes, new: bytes) -> bytes:
    r"""The new text, ended as the old one is.

    Lines that are in both keep their ending, all others get the one that prevails; a text that brings a `\r\n` of its
    own is written as it is. When the old text ends with a line break, so does the new one. A byte order mark stays.

    Args:
        old: The bytes before.
        new: The bytes that replace them.
    """
    lines = Lines(old)
    text = new.removeprefix(BOM)
    if _WINDOWS not in text and _WINDOWS in old:
        if text and lines.ends_with_break and not text.endswith(b"\n"):
            text += b"\n"
        text = _mixed(lines, lines.bom + text)[len(lines.bom) :]
    elif text and lines.ends_with_break and not text.endswith(b"\n"):
        text += lines.prevailing
    return lines.bom + text


def _mixed(old: Lines, new: bytes) -> bytes:
    """Lines of the old text where both are the same, lines of the new one with the prevailing ending elsewhere."""
    bare = old.data.replace(_WINDOWS, b"\n")
    out = [old.bom]
    line = 1
    for block in changed_blocks(bare, new):
        start, end = old.span(line, block.old_line - 1)
        out += [old.data[start:end], new[block.new_start : block.new_end].replace(b"\n", old.prevailing)]
        line = block.old_line + block.removed
    out.append(old.data[old.start(line) :])
    return b"".join(out)
