"""Parses in worker processes what strangers wrote, within time and memory. Nothing of it is parsed in the bridge.

The bridge itself knows only the form of an extracted page, and how bytes become text: in the encoding of the byte order
mark, of the header, or of the page's own word, else in one that is guessed.
"""

import codecs
import re
from dataclasses import dataclass, fields
from typing import Any, Final

from bridge.clock import Clock
from bridge.contract.keys import SearchService
from bridge.errors import NetworkFailure
from bridge.policy.redaction import hide_secrets
from bridge.web.door import WebResponse
from bridge.web.search_services import Hit, failure_of
from bridge.workers.pool import Job, WorkerPool


class PageTooLarge(ValueError):
    """A page has more elements or style rules than any reader's would."""


@dataclass(frozen=True, slots=True)
class PageText:
    """The text that a person would read of a page.

    Attributes:
        title: Its title; empty without one.
        text: Its main part, as Markdown or text.
        removed: The number of elements with text left out because a style hides them.
        scripted: Whether next to nothing stands in it without its scripts, which are not run.
        author: Its author, where it names one and was read as a note.
        date: When it was published, as `YYYY-MM-DD`, likewise.
        images: The images of a note: what each shows, and its address. Where the n-th belongs, `mark(n)` stands in the
            text.
        marked: What the marks of the images begin with: no page can know it.
    """

    title: str
    text: str
    removed: int
    scripted: bool = False
    author: str = ""
    date: str = ""
    images: tuple[tuple[str, str], ...] = ()
    marked: str = ""


def mark(marked: str, number: int | str) -> str:
    """Return what stands in the text of a note where an image belongs.

    Args:
        marked: The `marked` of the page.
        number: Which of its images, counted from 0, or a pattern for it.
    """
    return f"{marked}x{number}x"


_META: Final = re.compile(
    rb"<meta[^>]{0,200}?charset\s{0,9}=\s{0,9}[\"']?\s{0,9}([A-Za-z0-9_:.-]{2,40})", re.IGNORECASE
)
_HEAD: Final = 4096
"""Bytes at the beginning in which a page may name its encoding; browsers look through 1,024."""
_MARKS: Final = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_AS_BROWSERS_DO: Final = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "utf-7": "cp1252",
}
"""Encodings that a page names and those it is read in (the Encoding standard of WHATWG)."""
_TEXTS: Final = frozenset(
    (
        *("utf-8", "utf-16", "utf-16-le", "utf-16-be", "cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255"),
        *("cp1256", "cp1257", "cp1258", "cp866", "cp874", "cp932", "cp949", "big5", "big5hkscs", "gb18030", "euc_jp"),
        *("iso2022_jp", "koi8-r", "koi8-u", "mac-roman", "mac-cyrillic", *(f"iso8859-{part}" for part in range(2, 17))),
    )
)
"""Encodings of texts; Python knows others (zip, hex) that no page may have run."""
_SAMPLE: Final = 64 * 1024


def decode_text(data: bytes, named: str = "", *, html: bool = True) -> tuple[str, str]:
    """Return text, and the encoding it was in. What fits no encoding becomes replacement characters.

    Args:
        data: The bytes.
        named: The encoding that the header names; empty where it names none.
        html: Whether the bytes may name their encoding themselves, as HTML does.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace"), encoding
    found = _META.search(data, 0, _HEAD) if html else None
    said = _known(named) or (_known(found[1].decode("ascii")) if found else None)
    if found and not _known(named) and said is not None and said.startswith("utf-16"):
        said = "utf-8"  # it could not have been read as ASCII otherwise
    if said is not None:
        return data.decode(said, "replace"), said
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        guessed = _guessed(data[:_SAMPLE])
        return data.decode(guessed, "replace"), guessed


def _known(name: str) -> str | None:
    try:
        found = codecs.lookup(name.strip().strip("\"'")).name
    except (LookupError, ValueError):
        return None
    found = _AS_BROWSERS_DO.get(found, found)
    return found if found in _TEXTS else None


def _guessed(sample: bytes) -> str:
    from charset_normalizer import from_bytes  # noqa: PLC0415 - slow to import, seldom needed

    best = from_bytes(sample).best()
    return (_known(best.encoding) if best is not None else None) or "cp1252"


SECONDS: Final = 20.0
"""The time reading one page may take; most take some hundredths of a second, the first one a second."""
SHORT_SECONDS: Final = 10.0
"""The same for what is small: a robots.txt, or the answer of a search service."""
LARGEST: Final = 8 * 1024 * 1024
"""Bytes of HTML that are read. Longer pages are data, not pages."""
LARGEST_ANSWER: Final = 4 * 1024 * 1024
"""Bytes of a search service's answer; usual ones have some ten thousand."""
READING: Final = Job("bridge.web.extraction.worker", "page", "fetch it as `raw`")
_WORKERS: Final = 2


class PageReader:
    """The workers that read what came from the network.

    Args:
        clock: The one that deadlines are given in.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._pool = WorkerPool(clock, READING, hide_secrets, _WORKERS)

    def read(self, data: bytes, url: str, charset: str, form: str) -> PageText:
        """Return the text that a person would read of a page. Blocks.

        Args:
            data: Its bytes.
            url: Where it came from.
            charset: The encoding that its header names.
            form: `markdown`, `text`, or `note`: Markdown with places for the images, and who wrote it when.

        Raises:
            NetworkFailure: It cannot be read.
            DeadlineExceeded: It takes too long.
            ExecutionFailed: It takes too much memory, or the process cannot start.
        """
        if len(data) > LARGEST:
            raise NetworkFailure(f"The page has more than {LARGEST:,} bytes; fetch it as `raw`", code="too_large")
        header, text = self._ask({"task": "page", "url": url, "charset": charset, "form": form}, data, SECONDS)
        if "failed" in header:
            raise NetworkFailure(f"The page cannot be read: {header['failed']}; fetch it as `raw`", code="unreadable")
        known = {member.name: header[member.name] for member in fields(PageText) if member.name in header}
        images = tuple((str(shows), str(address)) for shows, address in header["images"])
        return PageText(**known | {"text": text.decode("utf-8"), "images": images})

    def may_fetch(self, robots: bytes, url: str, agent: str) -> bool:
        """Return whether a robots.txt lets a program read a page. Blocks.

        Args:
            robots: The file.
            url: The page.
            agent: The program's name for itself, without a version.

        Raises:
            NetworkFailure: It cannot be read.
            DeadlineExceeded: It takes too long.
            ExecutionFailed: It takes too much memory.
        """
        header, _ = self._ask({"task": "robots", "url": url, "agent": agent}, robots, SHORT_SECONDS)
        if "failed" in header:
            raise NetworkFailure(f"The site's robots.txt cannot be read: {header['failed']}", code="robots")
        return bool(header["allowed"])

    def hits(self, service: SearchService, title: str, response: WebResponse) -> list[Hit]:
        """Return the hits that a search service has found. Blocks.

        Args:
            service: The service.
            title: Its name, for people.
            response: Its answer.

        Raises:
            NetworkFailure: It found nothing that can be read, or refuses; as its `read` says.
            DeadlineExceeded: Reading it takes too long.
            ExecutionFailed: It takes too much memory.
        """
        if len(response.body) > LARGEST_ANSWER:
            raise NetworkFailure(f"{title} answered with more than {LARGEST_ANSWER:,} bytes", code="format")
        asked = {"task": "search", "service": service.value, "url": str(response.url), "status": response.status}
        header, _ = self._ask(asked, response.body, SHORT_SECONDS)
        if "failed" in header:
            said = header["failed"] if "code" in header else f"{title} answered with something unreadable"
            raise failure_of(said, header.get("code"))
        return [Hit(**hit) for hit in header["hits"]]

    def close(self) -> None:
        """End the worker processes."""
        self._pool.close()

    def _ask(self, header: dict[str, Any], data: bytes, seconds: float) -> tuple[dict[str, Any], bytes]:
        with self._pool.lend(self._clock.monotonic() + seconds) as worker:
            return worker.ask(header, data)
