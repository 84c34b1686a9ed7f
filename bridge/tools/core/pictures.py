"""Pictures in the answer of `read`: few, and small enough for the clients that people have."""

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from bridge.contract.result import ImagePart
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

    def show(self, load: Callable[[], bytes], *, page: int | None = None) -> dict[str, Any]:
        """Put a picture into the answer, and return what is said of it: `picture`, or `whyNoPicture`. Blocks.

        Args:
            load: Returns the file, as soon as it is its turn.
            page: The page of a PDF file, from 1; None for a file that is a picture.

        Raises:
            ExecutionFailed: The process that makes it ready cannot start.
        """
        found = self._ready(load, page)
        if found.why:
            return {"whyNoPicture": found.why}
        self.parts.append(ImagePart(data=base64.b64encode(found.data).decode(), mime_type=found.mime_type))
        (width, height), (wide, high) = found.size, found.original
        shown = {"width": width, "height": height, "mimeType": found.mime_type, "size": len(found.data)}
        return {"picture": shown, **({} if page is not None else {"width": wide, "height": high})}

    def _ready(self, load: Callable[[], bytes], page: int | None) -> Picture:
        if self.reader is None:
            return Picture(why="no pictures are shown here")
        if len(self.parts) >= MOST:
            return Picture(why=_ENOUGH)
        most = min(_MOST_OF_ONE, _MOST_OF_ALL // min(max(self.expected, 1), MOST))
        return self.reader.picture(load, most, self.deadline, page=page)


def told(facts: Mapping[str, Any]) -> str:
    """Return the sentence about a picture, given what `ShownPictures.show` said of it; empty where it said nothing."""
    if why := facts.get("whyNoPicture"):
        return f"Not shown as a picture: {why}."
    if (shown := facts.get("picture")) is None:
        return ""
    return f"Its picture is beside this text: {shown['width']} by {shown['height']} pixels, {shown['mimeType']}."
