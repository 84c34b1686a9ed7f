"""Makes pictures ready to be shown in worker processes, one process for each, within time and memory."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from bridge.clock import Clock
from bridge.errors import DeadlineExceeded, ExecutionFailed
from bridge.pdf.pdf_worker import DAMAGED, PASSWORD
from bridge.pictures.picture_worker import NO_ENGINE, TOO_LARGE
from bridge.pictures.scaling import MOST_PIXELS
from bridge.workers.pool import NOT_STARTED, Job, WorkerPool

LARGEST: Final = 50 << 20
"""Bytes of a picture's file."""
SECONDS: Final = 20.0
"""How long one picture may take. The largest ones take two."""
_WORKERS: Final = 2

SHOWING: Final = Job("bridge.pictures.picture_worker", "picture", "open the file in another program")
_REFUSALS: Final = {
    PASSWORD: "it is protected by a password",
    DAMAGED: "it is damaged, or of a kind that is not shown",
    TOO_LARGE: f"it has more than {MOST_PIXELS // 10**6} million pixels",
    NO_ENGINE: "drawing pages needs the package pypdfium2, which the extra `pdf` brings",
}


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that can be shown, or why it cannot.

    Attributes:
        data: The file; empty where it cannot be shown.
        mime_type: Of the file.
        size: Width and height in pixels.
        original: Width and height of what it was made from.
        why: Why it cannot be shown, as the end of a sentence; empty where it can.
    """

    data: bytes = b""
    mime_type: str = ""
    size: tuple[int, int] = (0, 0)
    original: tuple[int, int] = (0, 0)
    why: str = ""


class PictureReader:
    """Reads pictures. Any thread may ask.

    Args:
        clock: The one that deadlines are given in.
        hide: Takes secrets out of what a process said before it ended.
    """

    def __init__(self, clock: Clock, hide: Callable[[str], str]) -> None:
        self._clock = clock
        self._pool = WorkerPool(clock, SHOWING, hide, _WORKERS, reuse=False)

    def picture(self, load: Callable[[], bytes], most: int, deadline: float, *, page: int | None = None) -> Picture:
        """Return a picture, or a page of a PDF file as one. Blocks.

        Args:
            load: Returns the file's bytes. It is called when a process is free, so that few files are in memory.
            most: Bytes that it may have.
            deadline: `Clock.monotonic()` value.
            page: The page, from 1; None for a file that is a picture.

        Raises:
            ExecutionFailed: `worker_not_started`: the process cannot start, so nothing is known of the file.
        """
        asked = {"most": most} | ({} if page is None else {"page": page - 1})
        try:
            with self._pool.lend(min(deadline, self._clock.monotonic() + SECONDS)) as worker:
                data = load()
                if page is None and len(data) > LARGEST:
                    return Picture(why=f"its file has more than {LARGEST >> 20} MB")
                header, body = worker.ask(asked, data)
        except DeadlineExceeded:
            return Picture(why="making it ready took too long")
        except ExecutionFailed as failure:
            if failure.code == NOT_STARTED:
                raise
            return Picture(why=f"its process ended ({failure.data.get('stderr', 'it was stopped')})")
        return _told(header, body)

    def close(self) -> None:
        """End the processes. What is being made ready fails."""
        self._pool.close()


def _told(header: dict[str, Any], body: bytes) -> Picture:
    failed = header.get("failed")
    if failed is not None:
        return Picture(why=_REFUSALS.get(failed, _REFUSALS[DAMAGED]))
    width, height = header["original"]
    return Picture(body, header["mimeType"], (header["width"], header["height"]), (width, height))
