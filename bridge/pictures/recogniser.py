"""Recognises the text in pictures in worker processes, one process for each, within time and memory."""

from typing import Final

from bridge.errors import DeadlineExceeded, ExecutionFailed
from bridge.pdf.document import FileText
from bridge.pdf.pdf_worker import DAMAGED
from bridge.pictures.picture_worker import TOO_LARGE
from bridge.pictures.reader import LARGEST
from bridge.pictures.scaling import MOST_PIXELS
from bridge.workers.file_workers import FileWorkers
from bridge.workers.pool import NOT_STARTED, Job

SECONDS: Final = 300.0
"""How long one picture may take."""

RECOGNISING: Final = Job("bridge.pictures.recognition_worker", "recognition", "look at the picture itself")
_REFUSALS: Final = {
    DAMAGED: "The picture is damaged, or of a kind that is not shown",
    TOO_LARGE: f"The picture has more than {MOST_PIXELS // 10**6} million pixels",
}


class TextRecogniser(FileWorkers):
    """Recognises the text in pictures."""

    job = RECOGNISING

    def read(self, data: bytes, deadline: float | None = None) -> FileText:
        """Return the text in a picture, as that of a file of one page. Blocks.

        Args:
            data: The file's bytes.
            deadline: `Clock.monotonic()` value; at most `SECONDS` from now. None if nobody waits for it.

        Raises:
            ExecutionFailed: `worker_not_started`: the process cannot start, so nothing is known of the file.
        """
        if len(data) > LARGEST:
            return FileText(why=f"The picture has more than {LARGEST >> 20} MB")
        latest = self._clock.monotonic() + SECONDS
        try:
            with self._pool.lend(latest if deadline is None else min(deadline, latest)) as worker:
                header, text = worker.ask({"awaited": deadline is not None}, data)
        except DeadlineExceeded:
            return FileText(why="Recognising its text took too long")
        except ExecutionFailed as failure:
            if failure.code == NOT_STARTED:
                raise
            return FileText(why=f"Its process ended ({failure.data.get('stderr', 'it was stopped')})")
        if "failed" in header:
            return FileText(why=_REFUSALS.get(header["failed"], _REFUSALS[DAMAGED]))
        return FileText((text.decode(),), 1)
