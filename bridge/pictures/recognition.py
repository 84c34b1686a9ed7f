"""Text that is drawn in a picture: one model marks where text stands, a second one reads a line.

The models are those of PP-OCR, in files of the package `rapidocr`, of which nothing is imported; OpenCV computes them.
What usually does was left out, because it reports to its maker (docs/decisions/text-in-pictures.md).

This is the program of a worker process. A request has the file's bytes and says whether somebody waits (`awaited`); it
is answered with the text, or with `failed`. Nothing that is imported opens a connection.
"""

from collections.abc import Iterator, Sequence
from math import copysign, sqrt
from pathlib import Path
from typing import Any, Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from bridge.mapped_files import read_note
from bridge.pdf.document import DAMAGED
from bridge.pictures.reader import recognition_files
from bridge.pictures.scaling import TOO_LARGE, PictureTooLarge, decoded, on_white
from bridge.workers.frames import LAST, LATER, answer_requests, limit_address_space, step_back, watch_resident_memory

Pixels = NDArray[np.uint8]

ENOUGH_PIXELS: Final = 4_000_000
"""Pixels of a picture in which text is read: a page of a book is legible with so many."""
_LOOK_PIXELS: Final = 1_500_000
"""Pixels of a picture in which text is looked for."""
_SHORTEST_EDGE: Final = 736
"""Pixels of the shorter side below which a picture is enlarged for that."""
_MOST_ENLARGED: Final = 2.0
_GRID: Final = 32
"""What the sides of a picture have to be multiples of."""
_IS_TEXT: Final = 0.3
"""How sure the first model is of a pixel that belongs to text."""
_IS_LINE: Final = 0.5
"""How sure it is of all pixels of a line."""
_SMALLEST: Final = 3
"""Pixels of the shorter side of a line."""
_AROUND: Final = 1.6
"""How much larger a line is than what the model marks, which is its core."""
_HALF_TURNED: Final = 45
"""Degrees up to which a line is read along; beyond them, across."""
_MOST_LINES: Final = 500
_UPRIGHT: Final = 1.5
"""What is so much higher than wide runs from top to bottom."""
_HEIGHT: Final = 48
_LEAST_WIDTH, _MOST_WIDTH = 320, 3200
"""Pixels of a line as the second model takes it."""
_IS_READ: Final = 0.5
"""How sure the second model is of the letters of a line, in the mean; of others nothing is said."""
_IS_SURE: Final = 0.85
"""Where it is less sure, it is tried whether the line stands on its head."""
_SAME_ROW: Final = 0.5
"""Lines are beside each other whose middles are nearer than this part of their height."""

_LETTERS: Final = "character"
ADDRESS_SPACE: Final = 4 << 30
RESIDENT: Final = 1536 << 20
"""Bytes that the process may take. The most pixels that are decoded take 400 MB, and as much while they are scaled."""


class _Line(NamedTuple):
    """The place of a line of text: its middle, its sides along and across it, and the degrees that it is turned."""

    x: float
    y: float
    width: float
    height: float
    angle: float


class Recogniser:
    """A reader of pictures. It is used only in a worker process, because a picture can crash the library.

    Args:
        files: Those of `recognition_files`.

    Raises:
        Exception: Whatever the libraries raise where these are damaged.
    """

    def __init__(self, files: Sequence[Path]) -> None:
        cv2.setNumThreads(1)
        # From memory, as the library opens no path that has letters beyond those of the system's own language.
        self._finder, self._reader = (cv2.dnn.readNetFromONNX(np.fromfile(path, np.uint8)) for path in files)
        self._letters = ["", *read_note(files[1], _LETTERS).split("\n"), " "]

    def text(self, picture: Pixels) -> str:
        """Return the lines of a picture, from top to bottom.

        Args:
            picture: By rows, columns and colours; red is first.
        """
        picture = picture[:, :, ::-1].copy()  # the models have learned from pictures whose first colour is blue
        read = ((line, self._read(picture, line)) for line in self._lines(picture))
        return "\n".join(" ".join(row) for row in _rows([(line, text) for line, text in read if text]))

    def _lines(self, picture: Pixels) -> Iterator[_Line]:
        """Yield where there is text."""
        high, wide = picture.shape[:2]
        enlarged = min(max(_SHORTEST_EDGE / min(high, wide), 1), _MOST_ENLARGED)
        scale = min(enlarged, sqrt(_LOOK_PIXELS / (high * wide)))
        look = [max(round(side * scale / _GRID), 1) * _GRID for side in (wide, high)]
        self._finder.setInput(_numbers(cv2.resize(picture, look)))
        sure = self._finder.forward()[0, 0]
        marked = cv2.dilate((sure > _IS_TEXT).astype(np.uint8), np.ones((2, 2), np.uint8))
        outlines, _ = cv2.findContours(marked, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
        for outline in outlines[:_MOST_LINES]:
            (x, y), (width, height), angle = cv2.minAreaRect(outline)
            if min(width, height) < _SMALLEST or _mean_inside(sure, outline) < _IS_LINE:
                continue
            if abs(angle) > _HALF_TURNED:
                width, height, angle = height, width, angle - copysign(90, angle)
            more = _AROUND * width * height / (width + height)
            across, down = wide / look[0], high / look[1]
            yield _Line(x * across, y * down, (width + more) * across, (height + more) * down, angle)

    def _read(self, picture: Pixels, line: _Line) -> str:
        """Return what a line says; nothing where that is not sure."""
        cut = _cut(picture, line)
        if cut.shape[0] > cut.shape[1] * _UPRIGHT:
            cut = np.rot90(cut)
        text, sure = self._letters_of(cut)
        if sure < _IS_SURE:
            text, sure = max((text, sure), self._letters_of(np.rot90(cut, 2)), key=lambda found: found[1])
        return text.strip() if sure >= _IS_READ else ""

    def _letters_of(self, cut: Pixels) -> tuple[str, float]:
        """Return the letters of a line that runs from left to right, and how sure the model is of them in the mean."""
        width = min(max(round(cut.shape[1] * _HEIGHT / cut.shape[0]), 1), _MOST_WIDTH)
        asked = np.zeros((1, 3, _HEIGHT, -(-max(width, _LEAST_WIDTH) // _GRID) * _GRID), np.float32)
        asked[:, :, :, :width] = _numbers(cv2.resize(cut, (width, _HEIGHT)))
        self._reader.setInput(asked)
        steps = self._reader.forward()[0]
        best = steps.argmax(1)
        # A letter that lasts is one letter; between two that are the same, there is a step without one (the first).
        kept = (best != 0) & (best != np.roll(best, 1))
        kept[0] = best[0] != 0
        if not kept.any():
            return "", 0.0
        return "".join(self._letters[at] for at in best[kept]), float(steps.max(1)[kept].mean())


def _numbers(picture: Pixels) -> NDArray[np.float32]:
    """Return a picture as the models take it: by colours, rows and columns, from -1 to 1."""
    numbers = picture.astype(np.float32) / 127.5 - 1
    return np.ascontiguousarray(numbers.transpose(2, 0, 1)[None])


def _mean_inside(sure: NDArray[np.float32], outline: Any) -> float:
    """Return how sure the model is of what an outline goes around."""
    left, top, width, height = cv2.boundingRect(outline)
    inside = np.zeros((height, width), np.uint8)
    cv2.fillPoly(inside, [outline], 1, offset=(-left, -top))
    return float(cv2.mean(sure[top : top + height, left : left + width], inside)[0])


def _cut(picture: Pixels, line: _Line) -> Pixels:
    """Return the part of a picture that a line is in, turned so that the line is not."""
    width, height = (max(round(side), 1) for side in (line.width, line.height))
    turn = cv2.getRotationMatrix2D((line.x, line.y), line.angle, 1)
    turn[:, 2] += (width / 2 - line.x, height / 2 - line.y)
    part: Pixels = cv2.warpAffine(
        picture, turn, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    )
    return part


def _rows(lines: Sequence[tuple[_Line, str]]) -> Iterator[list[str]]:
    """Yield what stands beside each other, from left to right; the rows from top to bottom."""
    row: list[tuple[_Line, str]] = []
    for line, text in sorted(lines, key=lambda each: each[0].y):
        if row and line.y - row[-1][0].y > _SAME_ROW * min(line.height, row[-1][0].height):
            yield [said for _place, said in sorted(row, key=lambda each: each[0].x)]
            row = []
        row.append((line, text))
    if row:
        yield [said for _place, said in sorted(row, key=lambda each: each[0].x)]


def main() -> None:
    """Answer requests until there are no more."""
    step_back(LATER)
    limit_address_space(ADDRESS_SPACE)
    watch_resident_memory(RESIDENT)
    files = recognition_files()
    if files is None:
        raise ImportError("the extra `drawn-text` is not installed, or lacks something")
    recogniser = Recogniser(files)
    answer_requests(lambda header, data: answer(recogniser, header, data))


def answer(recogniser: Recogniser, header: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
    """Return the text in a picture, given its file."""
    if not header["awaited"]:
        step_back(LAST)
    try:
        picture, _ = decoded(data, 2 * int(sqrt(ENOUGH_PIXELS)))
        if (scale := sqrt(ENOUGH_PIXELS / (picture.width * picture.height))) < 1:
            picture.thumbnail((max(round(picture.width * scale), 1), max(round(picture.height * scale), 1)))
        return {}, recogniser.text(np.asarray(on_white(picture))).encode("utf-8", "replace")
    except PictureTooLarge:
        return {"failed": TOO_LARGE}, b""
    except Exception:  # noqa: BLE001 - whatever a file does to a library is its own fault
        return {"failed": DAMAGED}, b""


if __name__ == "__main__":
    main()
