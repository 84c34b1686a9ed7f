"""Pages of a PDF file as `read` gives them, and the pictures in its answers.

Pages are text, page by page, as far as there is room. Pictures are few, and small enough for the clients that people
have.
"""

import base64
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from bridge.contract.tools import ImagePart
from bridge.errors import InvalidParameters, NotFound
from bridge.index.file_texts import FileTexts
from bridge.pdf.document import FileText, place_in
from bridge.pdf.reader import LARGEST
from bridge.pictures.reader import Picture, PictureReader
from bridge.toolkit.tool import Output
from bridge.tools.core.file_part import file_facts
from bridge.tools.storage import Storage
from bridge.vault.files import FileStat

MOST: Final = 3
"""Pictures in one answer."""
_MOST_OF_ONE: Final = 500_000
_MOST_OF_ALL: Final = 740_000
"""Bytes of all pictures of an answer: as base64 they stay below the mebibyte that Claude Desktop takes."""
_ENOUGH: Final = f"an answer shows {MOST} pictures at most; read it by itself"


@dataclass(slots=True)
class ShownPictures:
    """The pictures of one answer.

    Attributes:
        reader: Makes them ready; None where no pictures are shown.
        deadline: `Clock.monotonic()` value.
        expected: How many there may be.
        parts: Those that are there.
    """

    reader: PictureReader | None
    deadline: float
    expected: int = 1
    parts: list[ImagePart] = field(default_factory=list)

    def show(self, load: Callable[[], bytes]) -> dict[str, Any]:
        """Put a picture into the answer, and return what is said of it: `picture`, or `whyNoPicture`. Blocks.

        Args:
            load: Returns the file, as soon as it is its turn.

        Raises:
            ExecutionFailed: The process that makes it ready cannot start.
        """
        (found,) = self._made(1, lambda reader, _most: [reader.picture(load, self._room, self.deadline)])
        wide, high = found.original
        return self._put(found) | ({} if found.why else {"width": wide, "height": high})

    def show_pages(self, load: Callable[[], bytes], pages: Sequence[int]) -> list[dict[str, Any]]:
        """Put pages of a PDF file into the answer as pictures, as many as it takes; see `show`.

        Args:
            load: Returns the file, as soon as it is its turn.
            pages: The pages, from 1.
        """
        made = self._made(len(pages), lambda reader, most: reader.pages(load, pages[:most], self._room, self.deadline))
        return list(map(self._put, made))

    def _put(self, found: Picture) -> dict[str, Any]:
        if found.why:
            return {"whyNoPicture": found.why}
        self.parts.append(ImagePart(data=base64.b64encode(found.data).decode(), mime_type=found.mime_type))
        width, height = found.size
        return {"picture": {"width": width, "height": height, "mimeType": found.mime_type, "size": len(found.data)}}

    def _made(self, wanted: int, make: Callable[[PictureReader, int], list[Picture]]) -> list[Picture]:
        """Return so many pictures, as far as the answer takes them, and of the others why they are not shown."""
        if self.reader is None:
            return [Picture(why="no pictures are shown here")] * wanted
        most = min(wanted, MOST - len(self.parts))
        made = make(self.reader, most) if most else []
        return made + [Picture(why=_ENOUGH)] * (wanted - len(made))

    @property
    def _room(self) -> int:
        """Return the bytes that one picture may have."""
        return min(_MOST_OF_ONE, _MOST_OF_ALL // min(max(self.expected, 1), MOST))


def told(facts: Mapping[str, Any]) -> str:
    """Return the sentence about a picture, given what `ShownPictures.show` said of it; empty where it said nothing."""
    if why := facts.get("whyNoPicture"):
        return f"Not shown as a picture: {why}."
    if (shown := facts.get("picture")) is None:
        return ""
    return f"Its picture is beside this text: {shown['width']} by {shown['height']} pixels, {shown['mimeType']}."


_PAGES: Final = re.compile(
    r"(?:!?\[\[)?(?P<path>[^\[\]|#]+\.pdf)(?:#page=(?P<first>[0-9]{1,6})(?:-(?P<last>[0-9]{1,6}))?)?"
    r"(?P<more>&[^\[\]|]*)?(?:\|[^\[\]]*)?(?:\]\])?",
    re.IGNORECASE,
)
_DRAWN: Final = "&picture"
"""The ending of a page's place that asks for its picture."""
_OF_A_PAGE: Final = 24
"""Bytes of the line above each page."""


class AskedPages(NamedTuple):
    """The pages that a caller asks for.

    Attributes:
        path: The file, as the caller wrote it.
        first: The first page, from 1.
        last: The last page; None for as many as there is room for.
        is_link: Whether the caller wrote a link, which names a file as a note would.
        drawn: Whether pictures of the pages are asked for.
    """

    path: str
    first: int
    last: int | None
    is_link: bool
    drawn: bool = False


def asked_pages(name: str) -> AskedPages | None:
    """Return what a caller asks for by `file.pdf`, `file.pdf#page=3`, `file.pdf#page=3-5` or a link to one of these.

    `&picture` after the pages asks for pictures of them.

    Returns:
        None if what is named is not a PDF file.

    Raises:
        InvalidParameters: The pages are in the wrong order, or begin at 0.
    """
    found = _PAGES.fullmatch(name.strip())
    if found is None:
        return None
    first, last = found["first"], found["last"]
    begin, end = int(first or 1), int(last) if last else (int(first) if first else None)
    if begin < 1 or (end is not None and end < begin):
        raise InvalidParameters(f"{name!r} names no pages; pages count from 1, as in 'file.pdf#page=3-5'")
    drawn = _DRAWN in (found["more"] or "").lower()
    return AskedPages(found["path"], begin, end, "[[" in name, drawn)


def pdf_path(storage: Storage, asked: AskedPages) -> str:
    """Return the path of the file that is meant: where a link leads, or what the caller wrote."""
    if not asked.is_link:
        return asked.path
    found = storage.knowledge.names.resolve(asked.path, "")
    if found is None or storage.knowledge.file(found) is None:
        raise NotFound(f"File not found: {asked.path}. Use find to see what there is", wanted=asked.path)
    return found


def read_pages(
    storage: Storage, texts: FileTexts, file: FileStat, asked: AskedPages, shown: ShownPictures, *, room: int
) -> Output:
    """Read pages of a PDF file. A page without text is shown as a picture. Blocks.

    Args:
        storage: The vault.
        texts: Those that are known.
        file: The file.
        asked: The pages.
        shown: The pictures of the answer.
        room: Bytes of text for all pages.

    Raises:
        InvalidParameters: The file has fewer pages.
        ExecutionFailed: The process that reads cannot start.
    """

    def load() -> bytes:
        return storage.read(file.path, limit=LARGEST + 1)[0]

    text = texts.read(file, load, shown.deadline)
    facts: dict[str, Any] = file_facts(file) | {"totalPages": text.count}
    if text.why:
        facts["why"] = text.why
    if not text.pages:
        return Output(facts | {"pages": []}, f"{file.path} cannot be read as text: {text.why}.")
    if asked.first > text.count:
        raise InvalidParameters(f"{str(file.path)!r} has {text.count} pages", data={"totalPages": text.count})
    pages, truncated = _taken(text, asked, room)
    drawn = [entry for entry in pages if asked.drawn or not entry["text"].strip()]
    for entry, picture in zip(drawn, shown.show_pages(load, [entry["page"] for entry in drawn]), strict=True):
        entry.update(picture)
    end = asked.first + len(pages) - 1
    following = f"; next: {place_in(str(file.path), end + 1)}" if end < text.count else ""
    foot = f"pages {asked.first}-{end} of {text.count}{following}" + (f"; {text.why}" if text.why else "")
    if truncated and len(pages) == 1:
        foot += "; the page is cut"
    if len(pages) == 1 and not any(map(told, pages)):
        foot += f"; as a picture: {place_in(str(file.path), asked.first)}{_DRAWN}"
    lines = [*_lines(pages, text.count), f"[{foot}]"]
    return Output(facts | {"pages": pages}, "\n".join(lines), {"truncated": truncated})


def _taken(text: FileText, asked: AskedPages, room: int) -> tuple[list[dict[str, Any]], bool]:
    """Return as many of the pages as there is room for, but a part of the first at least; and whether some lack."""
    pages: list[dict[str, Any]] = []
    for number in range(asked.first, min(asked.last or text.count, len(text.pages)) + 1):
        data = text.pages[number - 1].encode()
        room -= len(data) + _OF_A_PAGE
        if room < 0:
            cut = data[: max(room + len(data), 0)].decode(errors="ignore")
            return pages or [{"page": number, "text": cut}], True
        pages.append({"page": number, "text": text.pages[number - 1]})
    return pages, False


def _lines(pages: Sequence[dict[str, Any]], count: int) -> Iterator[str]:
    """Yield the text of the pages, each below its number, with what is said of its picture."""
    for page in pages:
        yield f"[page {page['page']} of {count}]"
        yield page["text"]
        if said := told(page):
            yield f"[{said}]"
