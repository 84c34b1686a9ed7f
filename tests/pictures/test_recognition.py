"""The text in a picture is recognised in a process of its own: a hostile one costs nothing but that process."""

import io
import subprocess
import sys
from collections.abc import Iterator

import psutil
import pytest
from PIL import Image

from bridge.clock import SystemClock
from bridge.errors import ExecutionFailed
from bridge.pdf.document import FileText
from bridge.pictures import reader as pictures
from bridge.pictures.reader import RECOGNISING, TextRecogniser, recognition_files
from bridge.workers.frames import LAST, LATER
from bridge.workers.pool import Job, Worker
from tests.patience import PATIENCE
from tests.pictures.drawn import drawn
from tests.pictures.test_reader import damaged, photo, png

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(recognition_files() is None, reason="the extra `drawn-text` is not installed"),
]


def read(reader: TextRecogniser, data: bytes) -> FileText:
    """The text in a picture, for which somebody waits."""
    return reader.read(data, SystemClock().monotonic() + PATIENCE)


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Iterator[TextRecogniser]:
    monkeypatch.setattr(pictures, "RECOGNITION_SECONDS", PATIENCE)
    reader = TextRecogniser(SystemClock(), lambda text: text)
    yield reader
    reader.close()


def test_lines_are_read_from_top_to_bottom_however_the_picture_is_turned() -> None:
    """One process is asked for all of them, as a model takes as long to be loaded as a picture to be read."""
    lines = "Descale the kettle", "every spring, for 3.50 a year"
    worker = Worker(RECOGNISING.program)
    try:
        for picture in (drawn(*lines), drawn(*lines, turned=8), drawn(*lines, colours=("white", "navy"), size=20)):
            assert worker.ask({"awaited": True}, picture)[1].decode().splitlines() == list(lines)
        for turned in (90, 180, 270):
            found = worker.ask({"awaited": True}, drawn(*lines, turned=turned, size=20))[1].decode()
            assert sorted(found.splitlines()) == sorted(lines) or sorted(found.split()) == sorted(
                " ".join(lines).split()
            )
        for silent in (png(1, 1, b"\0\0"), png(3000, 2, bytes(3001 * 2))):
            assert worker.ask({"awaited": True}, silent) == ({"size": 0}, b"")
    finally:
        worker.close()


def test_what_is_seen_through_is_read_on_white(reader: TextRecogniser) -> None:
    picture = Image.open(io.BytesIO(drawn("Descale the kettle"))).convert("L")
    picture = Image.merge("LA", (Image.new("L", picture.size), picture.point(lambda value: 255 - value)))
    body = io.BytesIO()
    picture.save(body, "PNG")
    assert read(reader, body.getvalue()).text == "Descale the kettle"


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (png(100_000, 100_000), "The picture has more than 100 million pixels"),
        (b"", "The picture is damaged, or of a kind that is not shown"),
        (photo()[:-2000], "The picture is damaged, or of a kind that is not shown"),
        (bytes((50 << 20) + 1), "The picture has more than 50 MB"),
    ],
    ids=["bomb", "empty", "half", "large"],
)
def test_a_picture_that_is_not_read_says_why(reader: TextRecogniser, data: bytes, why: str) -> None:
    assert read(reader, data) == FileText(why=why)


def test_hostile_pictures_are_answered_by_one_process() -> None:
    worker = Worker(RECOGNISING.program)
    try:
        for data in damaged(12, [photo(), png(50, 50, bytes(51 * 50)), drawn("Tea")]):
            header, _ = worker.ask({"awaited": True}, data)
            assert set(header) <= {"failed", "size"}
    finally:
        worker.close()


def test_one_that_ends_its_process_costs_nothing_else(reader: TextRecogniser, monkeypatch: pytest.MonkeyPatch) -> None:
    ask = Worker.ask
    monkeypatch.setattr(
        Worker, "ask", lambda worker, header, data: worker.start() or worker.kill() or ask(worker, header, data)
    )
    assert read(reader, drawn("Tea")).why.startswith("Its process ended (")
    monkeypatch.undo()
    assert read(reader, drawn("Tea")).text == "Tea"


def test_a_process_that_cannot_start_says_nothing_about_the_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TextRecogniser, "job", Job("bridge.no_such_program", "recognition", "look at it"))
    reader = TextRecogniser(SystemClock(), lambda text: text)
    with pytest.raises(ExecutionFailed, match="cannot start"):
        read(reader, drawn("Tea"))


@pytest.mark.parametrize("awaited", [True, False])
def test_whatever_else_there_is_to_do_comes_first_and_most_of_all_if_nobody_waits(*, awaited: bool) -> None:
    worker = Worker(RECOGNISING.program)
    worker.ask({"awaited": awaited}, b"")
    nice = psutil.Process(worker._process.pid).nice()
    worker.close()
    classes = getattr(psutil, "BELOW_NORMAL_PRIORITY_CLASS", None), getattr(psutil, "IDLE_PRIORITY_CLASS", None)
    assert nice == (classes if sys.platform == "win32" else (LATER, LAST))[not awaited]


def test_nothing_is_imported_that_speaks_to_anybody() -> None:
    program = """
import sys
from bridge.pictures.reader import recognition_files
from bridge.pictures.recognition import Recogniser
import numpy
Recogniser(recognition_files()).text(numpy.full((64, 64, 3), 255, numpy.uint8))
print(*{name.partition(".")[0] for name in sys.modules})
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)  # noqa: S603 - our own program
    imported = set(done.stdout.split())
    assert "cv2" in imported
    assert not imported & {"rapidocr", "onnxruntime", "requests", "urllib3", "socket", "ssl"}
