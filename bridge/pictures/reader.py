"""Makes pictures ready to be shown, and recognises text in them: a worker process for each, within time and memory."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from bridge.mapped_files import packaged_files
from bridge.pdf.document import DAMAGED, PASSWORD, FileText
from bridge.pictures.scaling import MOST_PIXELS, NO_ENGINE, TOO_LARGE
from bridge.workers.pool import FileWorkers, Job, Worker

LARGEST: Final = 50 << 20
"""Bytes of a picture's file."""
SECONDS: Final = 20.0
"""Time limit for one picture. The largest ones take two seconds."""

SHOWING: Final = Job("bridge.pictures.scaling", "picture", "open the file in another program")
_REFUSALS: Final = {
    PASSWORD: "it is protected by a password",
    DAMAGED: "it is damaged, or of a kind that is not shown",
    TOO_LARGE: f"it has more than {MOST_PIXELS // 10**6} million pixels",
    NO_ENGINE: "drawing pages needs the package pypdfium2, which the extra `pdf` brings",
}


_PACKAGES: Final = ("numpy", "cv2")
_MODELS: Final = "rapidocr"
_FINDER: Final = "models/PP-OCRv6_det_small.onnx"
_READER: Final = "models/PP-OCRv6_rec_small.onnx"
RECOGNITION_SECONDS: Final = 300.0
"""How long one picture may take."""
RECOGNISING: Final = Job("bridge.pictures.recognition", "recognition", "look at the picture itself")
_UNREAD: Final = {
    DAMAGED: "The picture is damaged, or of a kind that is not shown",
    TOO_LARGE: f"The picture has more than {MOST_PIXELS // 10**6} million pixels",
}


def recognition_files() -> Sequence[Path] | None:
    """Return the file of the model that finds lines, and that of the one that reads them.

    Returns:
        None where the extra `drawn-text` is not installed, or lacks something.
    """
    return packaged_files(_MODELS, _FINDER, _READER, needs=_PACKAGES)


class Picture(NamedTuple):
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


class PictureReader(FileWorkers):
    """Makes pictures ready to be shown."""

    job = SHOWING

    def picture(self, load: Callable[[], bytes], most: int, deadline: float) -> Picture:
        """Return a picture. Blocks.

        Args:
            load: Returns the file's bytes. It is called when a process is free, so that few files are in memory.
            most: Bytes that it may have.
            deadline: `Clock.monotonic()` value.

        Raises:
            ExecutionFailed: `worker_not_started`: the process cannot start, so nothing is known of the file.
        """
        return self._made(load, [{"most": most}], deadline, LARGEST)[0]

    def pages(self, load: Callable[[], bytes], pages: Sequence[int], most: int, deadline: float) -> list[Picture]:
        """Return some pages of a PDF file as pictures; the file is loaded and opened once. Blocks.

        Args:
            load: As of `picture`.
            pages: The pages, from 1.
            most: Bytes that each may have.
            deadline: `Clock.monotonic()` value.

        Raises:
            ExecutionFailed: As of `picture`.
        """
        return self._made(load, [{"most": most, "page": page - 1} for page in pages], deadline)

    def _made(
        self, load: Callable[[], bytes], asked: Sequence[dict[str, int]], deadline: float, largest: int | None = None
    ) -> list[Picture]:
        """Return what a process makes of a file; what came before it ended stays."""
        made: list[Picture] = []

        def make(worker: Worker) -> None:
            data = load()
            if largest is not None and len(data) > largest:
                made.append(Picture(why=f"its file has more than {largest >> 20} MB"))
                return
            for each in asked:
                made.append(_told(*worker.ask(each, b"" if made else data)))

        why = self._use(make, deadline, SECONDS, "making it ready took too long", "its process ended")
        return made + [Picture(why=why)] * (len(asked) - len(made))


def _told(header: dict[str, Any], body: bytes) -> Picture:
    failed = header.get("failed")
    if failed is not None:
        return Picture(why=_REFUSALS.get(failed, _REFUSALS[DAMAGED]))
    width, height = header["original"]
    return Picture(body, header["mimeType"], (header["width"], header["height"]), (width, height))


class TextRecogniser(FileWorkers):
    """Recognises the text in pictures."""

    job = RECOGNISING

    def read(self, data: bytes, deadline: float | None = None) -> FileText:
        """Return the text in a picture, as that of a file of one page. Blocks.

        Args:
            data: The file's bytes.
            deadline: `Clock.monotonic()` value; at most `RECOGNITION_SECONDS` from now. None if nobody waits for it.

        Raises:
            ExecutionFailed: `worker_not_started`: the process cannot start, so nothing is known of the file.
        """
        if len(data) > LARGEST:
            return FileText(why=f"The picture has more than {LARGEST >> 20} MB")
        found: list[FileText] = []

        def recognise(worker: Worker) -> None:
            header, text = worker.ask({"awaited": deadline is not None}, data)
            failed = header.get("failed")
            unread = FileText(why=_UNREAD.get(str(failed), _UNREAD[DAMAGED]))
            found.append(unread if failed is not None else FileText((text.decode(),), 1))

        late, ended = "Recognising its text took too long", "Its process ended"
        why = self._use(recognise, deadline, RECOGNITION_SECONDS, late, ended)
        return found[0] if found else FileText(why=why)
