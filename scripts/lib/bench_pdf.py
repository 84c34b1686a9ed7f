"""PDF files: reading a book in a process of its own, and searching a library, as work of the processor."""

import asyncio
import contextlib
import io
import os
import random
import shutil
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import orjson
import psutil
from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from bridge.clock import SystemClock
from bridge.pdf.document import PdfiumDocument, PypdfDocument
from bridge.pdf.reader import PdfReader
from scripts.lib.bench_measure import alternate, compare
from scripts.lib.bench_processes import PLAYGROUND, Raw, connected, serving

PAGES = 200
"""Pages of the book that is read."""
FILES = 100
"""PDF files of the library that is searched, of ten pages each."""
LOOK_SECONDS = 0.1
PHRASE = '"xylem zephyr"'
_LETTERS = "aeiobdfgklmnprst"
_VOCABULARY = 3_000


async def run() -> None:
    """Measure and print."""
    await _reading()
    await _searching()


async def _reading() -> None:
    data = book(PAGES, seed=1)
    reader = PdfReader(SystemClock(), lambda text: text)

    async def ours() -> float:
        began = time.perf_counter()
        if len(reader.read(data).pages) != PAGES:
            raise RuntimeError("pages are missing")
        return time.perf_counter() - began

    def bare(engine: type[PdfiumDocument] | type[PypdfDocument]) -> Callable[[], Awaitable[float]]:
        async def read() -> float:
            began = time.perf_counter()
            document = engine(data)
            if not all(document.page(index) for index in range(document.count())):
                raise RuntimeError("pages are missing")
            return time.perf_counter() - began

        return read

    try:
        for engine in (PdfiumDocument, PypdfDocument):
            with contextlib.suppress(ImportError):
                sides = {"in a process of its own": ours, f"{engine.__name__} in this one": bare(engine)}
                samples = await alternate(sides)
                print(compare(f"a book of {PAGES} pages ({len(data) // 1024} KB)", samples))
    finally:
        reader.close()


async def _searching() -> None:
    """The same texts once as PDF files and once as notes: how long both take to be known, and to be searched."""
    kinds = {"PDF files": _library("pdf"), "notes": _library("md")}
    with contextlib.ExitStack() as stack:
        for vault in kinds.values():
            stack.callback(shutil.rmtree, vault, ignore_errors=True)
        async with contextlib.AsyncExitStack() as open_:
            sides = {}
            for name, vault in kinds.items():
                server = await open_.enter_async_context(serving(vault))
                agent = await open_.enter_async_context(connected(vault))
                began = time.perf_counter()
                await _until_found(agent)
                print(f"  {FILES} {name} of ten pages are found {time.perf_counter() - began:.1f} s after the start")
                del server
                sides[name] = _Searching(agent).measure
            print(compare(f"the exact search {PHRASE} over {FILES:,} files", await alternate(sides)))
        print(f"  memory of this process: {psutil.Process(os.getpid()).memory_info().rss >> 20} MB")


class _Searching:
    """A search, and how long it took."""

    def __init__(self, agent: Raw) -> None:
        self._agent = agent

    async def measure(self) -> float:
        """Search once."""
        began = time.perf_counter()
        await _found(self._agent)
        return time.perf_counter() - began


async def _until_found(agent: Raw) -> None:
    while await _found(agent) < FILES:  # noqa: ASYNC110 - nothing tells of it
        await asyncio.sleep(LOOK_SECONDS)


async def _found(agent: Raw) -> int:
    answer = orjson.loads(await agent.call("search_notes", query=PHRASE, limit=1))
    return int(answer["result"]["metadata"]["total"])


def _library(kind: str) -> Path:
    vault = PLAYGROUND / f"library-{kind}"
    shutil.rmtree(vault, ignore_errors=True)
    (vault / ".obsidian").mkdir(parents=True)
    for number in range(FILES):
        place = vault / f"Paper {number}.{kind}"
        if kind == "pdf":
            place.write_bytes(book(10, seed=number))
        else:
            place.write_text("\n\n".join(_texts(10, number)), encoding="utf-8")
    return vault


def _texts(pages: int, seed: int) -> Iterator[str]:
    chance = random.Random(0)  # noqa: S311 - the same words in every run
    known = ["".join(chance.choices(_LETTERS, k=chance.randrange(3, 11))) for _ in range(_VOCABULARY)]
    chance = random.Random(seed)  # noqa: S311 - the same
    for number in range(pages):
        words = chance.choices(known, k=400)
        if number == pages // 2:
            words[200:200] = PHRASE.strip('"').split()
        yield "\n".join(" ".join(words[at : at + 10]) for at in range(0, len(words), 10))


def book(pages: int, seed: int) -> bytes:
    """Return a PDF file of so many dense pages.

    Args:
        pages: How many.
        seed: Decides the words.
    """
    writer = PdfWriter()
    font = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Font"),
            NameObject("/Subtype"): NameObject("/Type1"),
            NameObject("/BaseFont"): NameObject("/Helvetica"),
        }
    )
    fonts = DictionaryObject({NameObject("/Font"): DictionaryObject({NameObject("/F1"): font})})
    for text in _texts(pages, seed):
        page = writer.add_blank_page(595, 842)
        drawn = DecodedStreamObject()
        lines = " ".join(f"({line}) Tj T*" for line in text.splitlines())
        drawn.set_data(f"BT /F1 9 Tf 14 TL 40 800 Td {lines} ET".encode("latin-1", "replace"))
        page[NameObject("/Contents")] = writer._add_object(drawn.flate_encode())  # noqa: SLF001 - there is no other way
        page[NameObject("/Resources")] = fonts
    body = io.BytesIO()
    writer.write(body)
    return body.getvalue()
