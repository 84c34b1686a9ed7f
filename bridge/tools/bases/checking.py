"""The faults of the bases in a file: a `.base`, or a note with bases in it."""

from collections.abc import Iterator
from itertools import islice

from bridge.bases.base_file import Base, read_base
from bridge.bases.failures import BaseError
from bridge.bases.views import check
from bridge.notes.markdown import MOST_BASES, base_blocks
from bridge.tools.bases.holding import EXTENSION


def bases_in(path: str, text: str) -> Iterator[Base | BaseError]:
    """Read the bases of a file, in order; in place of one that cannot be read comes what is wrong with it.

    Args:
        path: The file.
        text: Its text.
    """
    of_base = path.lower().endswith(EXTENSION)
    texts = [text] if of_base else [block.text for block in islice(base_blocks(text), MOST_BASES + 1)]
    if len(texts) > MOST_BASES:
        yield BaseError(f"more than {MOST_BASES} bases of a note are not read", "the note")
    for each in texts[:MOST_BASES]:
        try:
            yield read_base(each)
        except BaseError as error:
            yield error


def mistakes(path: str, text: str) -> Iterator[str]:
    """Return a sentence for each mistake in the bases of a file."""
    for base in bases_in(path, text):
        for error in [base] if isinstance(base, BaseError) else check(base):
            yield str(error)
