"""Pictures in the answer of `read`: few, and small enough for the clients that people have."""

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from bridge.contract.tools import ImagePart
from bridge.pictures.reader import Picture, PictureReader

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
