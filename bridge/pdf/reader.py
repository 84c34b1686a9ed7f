"""Reads PDF files in worker processes, one process for each file, within time and memory."""

from dataclasses import dataclass, field
from typing import Final

from bridge.pdf.document import DAMAGED, PASSWORD, FileText
from bridge.workers.pool import FileWorkers, Job, Worker

LARGEST: Final = 100 << 20
"""Bytes of a file that is read."""
SECONDS: Final = 60.0
"""Time limit for one file. A book of 400 pages takes one to four seconds."""
MOST_PAGES: Final = 5_000
MOST_CHARACTERS: Final = 20_000_000
"""Characters that are kept of one file: some seven thousand dense pages."""

READING: Final = Job("bridge.pdf.document", "PDF", "open the file in another program")
_REFUSALS: Final = {PASSWORD: "The file is protected by a password", DAMAGED: "The file is damaged or is no PDF"}


class PdfReader(FileWorkers):
    """Reads PDF files."""

    job = READING

    def read(self, data: bytes, deadline: float | None = None) -> FileText:
        """Return the text of a file, as far as it can be read. Blocks.

        Args:
            data: The file's bytes.
            deadline: `Clock.monotonic()` value at which reading ends with the pages that were read by then; at most
                `SECONDS` from now.

        Raises:
            ExecutionFailed: `worker_not_started`: the process cannot start, so nothing is known of the file.
        """
        if len(data) > LARGEST:
            return FileText(why=f"The file has more than {LARGEST >> 20} MB")
        reading = _Reading()
        late, ended = "Reading took too long", "Reading it ended the process"
        why = self._use(lambda worker: reading.read(worker, data), deadline, SECONDS, late, ended)
        return reading.result(why)


@dataclass(slots=True)
class _Reading:
    """The pages read from a file so far, which outlive the process that reads.

    Attributes:
        pages: The text of each page.
        count: Number of pages.
        why: The reason why text is missing.
        failed: Number of pages that could not be read.
    """

    pages: list[str] = field(default_factory=list)
    count: int = 0
    why: str = ""
    failed: int = 0
    unmapped: int = 0

    def read(self, worker: Worker, data: bytes) -> None:
        """Read one page after the other."""
        header, _ = worker.ask({}, data)
        if "failed" in header:
            self.why = _REFUSALS.get(header["failed"], _REFUSALS[DAMAGED])
            return
        self.count = int(header["pages"])
        left = MOST_CHARACTERS
        for index in range(min(self.count, MOST_PAGES)):
            header, text = worker.ask({"page": index})
            self.failed += "failed" in header
            self.unmapped += "unmapped" in header
            self.pages.append(text.decode()[:left])
            left -= len(self.pages[-1])
            if left <= 0:
                self.why = f"The file has more than {MOST_CHARACTERS:,} characters"
                return
        if self.count > MOST_PAGES:
            self.why = f"The file has more than {MOST_PAGES:,} pages"

    def result(self, why: str) -> FileText:
        """Return what was read, with why text is missing; `why` the process did not finish, if it did not."""
        why, done = why or self.why, len(self.pages)
        if why and done:
            why = f"{why}; {done} of {self.count} pages were read"
        elif not why and self.failed:
            why = f"{self.failed} of {self.count} pages cannot be read"
        elif not why and self.unmapped:
            why = (
                f"{self.unmapped} of {self.count} pages have a font that does not say which letters it shows; they can "
                "only be seen as pictures"
            )
        elif not why and done and not any(map(str.strip, self.pages)):
            why = "No page has text; the pages are pictures, as in a scanned document"
        return FileText(tuple(self.pages), self.count, why)
