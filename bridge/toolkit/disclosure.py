"""Failures that tell what a file holds: where a text does not stand, how many lines there are."""

from collections.abc import Iterator
from contextlib import contextmanager

from bridge.errors import ToolFailure


@contextmanager
def discloses_content(path: object) -> Iterator[None]:
    """What fails inside tells of a file's content; the pipeline asks for leave to read it before it tells an agent.

    Args:
        path: The file's path.
    """
    try:
        yield
    except ToolFailure as failure:
        failure.reveals = (*failure.reveals, str(path))
        raise
