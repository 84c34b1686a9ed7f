"""What is wrong with the bases of a file: a `.base`, or a note with bases in it."""

from collections.abc import Iterator

from bridge.bases.base_file import Base, read_base
from bridge.bases.failures import BaseError
from bridge.bases.views import check
from bridge.notes.base_blocks import base_blocks
from bridge.tools.bases.holding import EXTENSION


def bases_in(path: str, text: str) -> Iterator[Base | BaseError]:
    """Read the bases of a file, in order; in place of one that cannot be read comes what is wrong with it.

    Args:
        path: The file.
        text: Its text.
    """
    texts = [text] if path.lower().endswith(EXTENSION) else [block.text for block in base_blocks(text)]
    for each in texts:
        try:
            yield read_base(each)
        except BaseError as error:
            yield error


def mistakes(path: str, text: str) -> Iterator[str]:
    """Return a sentence for each mistake in the bases of a file."""
    for base in bases_in(path, text):
        for error in [base] if isinstance(base, BaseError) else check(base):
            yield str(error)
