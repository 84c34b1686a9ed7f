"""A picture is made ready in a process of its own: a hostile one costs nothing but that process."""

import io
import random
import struct
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence

import psutil
import pytest
from PIL import Image

from bridge.clock import SystemClock
from bridge.errors import ExecutionFailed
from bridge.pdf.reader import READING
from bridge.pictures.reader import LARGEST, SHOWING, Picture, PictureReader
from bridge.pictures.scaling import LONGEST_EDGE, MOST_PIXELS
from bridge.workers.frames import LATER
from bridge.workers.pool import Job, Worker
from tests.patience import PATIENCE
from tests.pdf import pdf_files

MOST = 500_000


@pytest.fixture
def reader() -> Iterator[PictureReader]:
    reader = PictureReader(SystemClock(), lambda text: text)
    yield reader
    reader.close()


def later() -> float:
    return SystemClock().monotonic() + PATIENCE


def png(width: int, height: int, data: bytes = b"", *, colours: int = 0) -> bytes:
    """A file that says that it has so many pixels."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", width, height, 8, colours, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b"")


def photo() -> bytes:
    body = io.BytesIO()
    Image.effect_noise((300, 200), 90).convert("RGB").save(body, "JPEG")
    return body.getvalue()


def damaged(count: int, whole: Sequence[bytes]) -> Iterator[bytes]:
    """So many damaged files, made of whole ones by turns."""
    chance = random.Random(20)  # noqa: S311 - damage, the same in every run
    for number in range(count):
        data = bytearray(whole[number % len(whole)])
        for _ in range(chance.randrange(1, 30)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        yield bytes(data)


def shown(reader: PictureReader, load: Callable[[], bytes], page: int | None) -> Picture:
    """A picture, or a page of a PDF file as one."""
    return reader.picture(load, MOST, later()) if page is None else reader.pages(load, [page], MOST, later())[0]


def test_a_picture(reader: PictureReader) -> None:
    found = reader.picture(photo, MOST, later())
    assert (found.why, found.original, found.size) == ("", (300, 200), (300, 200))
    assert Image.open(io.BytesIO(found.data)).size == (300, 200)


@pytest.mark.slow
def test_a_picture_with_as_many_pixels_as_it_may_have_fits_into_the_memory_of_its_process(
    reader: PictureReader,
) -> None:
    side = int(MOST_PIXELS**0.5)
    whole = png(side, side, (b"\0" + b"\x80\x40\x20" * side) * side, colours=2)
    found = reader.picture(lambda: whole, MOST, later())
    assert (found.why, found.size, found.original) == ("", (LONGEST_EDGE, LONGEST_EDGE), (side, side))


def test_a_page_of_a_pdf(reader: PictureReader) -> None:
    (found,) = reader.pages(lambda: pdf_files.pages("One", "Two"), [2], MOST, later())
    assert found.why == ""
    assert max(found.size) == 1500
    shown = Image.open(io.BytesIO(found.data)).convert("L")
    assert shown.getextrema() == (0, 255)  # black on white: something is on it


def test_pages_of_a_pdf_are_made_of_a_file_that_is_loaded_once(reader: PictureReader) -> None:
    loaded: list[bytes] = []

    def load() -> bytes:
        loaded.append(pdf_files.pages("One", "", "Three"))
        return loaded[-1]

    one, two, nine, three = reader.pages(load, [1, 2, 9, 3], MOST, later())
    assert len(loaded) == 1
    assert [bool(each.data) for each in (one, two, nine, three)] == [True, True, False, True]
    assert nine.why == "it is damaged, or of a kind that is not shown"
    assert len({one.data, two.data, three.data}) == 3


@pytest.mark.parametrize(
    ("data", "page", "why"),
    [
        (png(100_000, 100_000), None, "it has more than 100 million pixels"),
        (png(5_000, 5_000, bytes(25_005_000)), None, ""),
        (b"", None, "it is damaged, or of a kind that is not shown"),
        (photo()[:-2000], None, "it is damaged, or of a kind that is not shown"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n(x) run\n", None, "it is damaged, or of a kind"),
        (b"no PDF", 1, "it is damaged, or of a kind that is not shown"),
        (pdf_files.locked(pdf_files.pages("secret"), "a password"), 1, "it is protected by a password"),
        (pdf_files.pages("One"), 9, "it is damaged, or of a kind that is not shown"),
    ],
)
def test_a_file_that_is_not_shown_says_why(reader: PictureReader, data: bytes, page: int | None, why: str) -> None:
    found = shown(reader, lambda: data, page)
    assert found.why.startswith(why)
    assert bool(found.why) is bool(why)
    assert bool(found.data) is not bool(found.why)
    assert reader.picture(photo, MOST, later()).why == "", "the next one is shown"


def test_hundred_hostile_files_are_answered_by_one_process() -> None:
    """It is not ended by any of them; one that were would cost its own process, as above."""
    worker = Worker(SHOWING.program)
    for number, data in enumerate(damaged(100, [photo(), png(50, 50, bytes(51 * 50)), pdf_files.pages("x")])):
        header, body = worker.ask({"most": MOST} | ({"page": 0} if number % 3 == 2 else {}), data)
        assert ("failed" in header) is not bool(body)
    worker.close()


@pytest.mark.parametrize("program", [SHOWING.program, READING.program])
def test_what_agents_can_ask_for_in_any_amount_gives_way_to_what_the_person_does(program: str) -> None:
    worker = Worker(program)
    worker.start()
    nice = psutil.Process(worker._process.pid).nice()
    worker.close()
    assert nice == (LATER if sys.platform != "win32" else psutil.BELOW_NORMAL_PRIORITY_CLASS)


def test_a_file_that_is_too_large_is_not_handed_on(reader: PictureReader) -> None:
    assert reader.picture(lambda: bytes(LARGEST + 1), MOST, later()).why == "its file has more than 50 MB"


def test_a_picture_that_takes_too_long_is_given_up(reader: PictureReader) -> None:
    assert reader.picture(photo, MOST, SystemClock().monotonic()).why == "making it ready took too long"


def test_a_process_that_cannot_start_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PictureReader, "job", Job("bridge.no_such_worker", "picture", "open the file otherwise"))
    broken = PictureReader(SystemClock(), lambda text: text)
    with pytest.raises(ExecutionFailed, match="vault-bridge doctor"):
        broken.picture(photo, MOST, later())
    broken.close()
