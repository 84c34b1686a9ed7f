"""Pictures made as small as models and their clients take them, and the worker process in which that is done.

A request has the file's bytes, how many bytes the result may have (`most`) and, of a PDF, the page (`page`, from 0);
further pages of the same PDF are asked for without its bytes. It is answered with the result's bytes, `mimeType`,
`width`, `height` and `original`, or with `failed`.
"""

import io
import warnings
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from bridge.pdf.document import DAMAGED, PASSWORD
from bridge.workers.frames import LATER, answer_requests, limit_address_space, step_back, watch_resident_memory

if TYPE_CHECKING:
    from PIL.Image import Image


LONGEST_EDGE: Final = 1500
"""Pixels of the longer side; models scale down what has more than some 1,570."""
MOST_PIXELS: Final = 100_000_000
"""Pixels of a picture that is decoded."""
FORMATS: Final = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "AVIF")
"""Formats that are decoded: those of pictures that Obsidian shows (rule 5 of docs/obsidian.md), but for SVG, which is
text."""
EXTENSIONS: Final = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".avif")
"""How the names of such files end."""
_QUALITIES: Final = (85, 70, 50)
_SMALLER: Final = 0.7
_SMALLEST: Final = 16
_FEW_COLOURS: Final = 256
ADDRESS_SPACE: Final = 2 << 30
RESIDENT: Final = 1 << 30
"""Bytes that the process may take: the most pixels that are decoded take 400 MB, and as much while they are scaled."""
NO_ENGINE: Final = "no engine"
TOO_LARGE: Final = "too large"


class PictureTooLarge(Exception):
    """A picture has more pixels than are decoded."""


class Scaled(NamedTuple):
    """A picture as it is given away.

    Attributes:
        data: The file.
        mime_type: `image/png` or `image/jpeg`.
        width: In pixels.
        height: In pixels.
        original: Width and height of the picture that it was made from, as it is looked at.
    """

    data: bytes
    mime_type: str
    width: int
    height: int
    original: tuple[int, int]


def is_picture(path: str) -> bool:
    """Return whether a file is a picture that is decoded, by its name."""
    return path.lower().endswith(EXTENSIONS)


def scaled(data: bytes, most: int) -> Scaled:
    """Return the picture in a file, of an animation the first frame.

    Args:
        data: The file.
        most: Bytes that the result may have.

    Raises:
        PictureTooLarge: It has more than `MOST_PIXELS`.
        Exception: Whatever the library raises for a file that is damaged or no picture.
    """
    image, original = decoded(data, LONGEST_EDGE)
    return fitted(image, most, original)


def decoded(data: bytes, edge: int) -> "tuple[Image, tuple[int, int]]":
    """Return the picture in a file as it is looked at, and its width and height in the file, turned as it is.

    Args:
        data: The file.
        edge: Pixels of the longer side that are enough: a JPEG may be decoded no larger than needed.

    Raises:
        As `scaled`.
    """
    from PIL import Image, ImageOps  # noqa: PLC0415 - in a worker process alone

    Image.MAX_IMAGE_PIXELS = MOST_PIXELS
    Image.init()
    with warnings.catch_warnings():
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        try:
            with Image.open(io.BytesIO(data), formats=[name for name in FORMATS if name in Image.OPEN]) as opened:
                original = opened.size
                opened.draft(None, (edge, edge))
                image = ImageOps.exif_transpose(opened)
        except (Image.DecompressionBombWarning, Image.DecompressionBombError) as error:
            raise PictureTooLarge from error
    turned = (image.width > image.height) != (original[0] > original[1])
    return image, original[::-1] if turned else original


def on_white(image: "Image") -> "Image":
    """Return a picture in red, green and blue, with white where it can be seen through."""
    from PIL import Image  # noqa: PLC0415 - in a worker process alone

    plain = _plain(image)
    if plain.mode != "RGBA":
        return plain.convert("RGB")
    ground = Image.new("RGB", plain.size, "white")
    ground.paste(plain, mask=plain.getchannel("A"))
    return ground


def fitted(image: "Image", most: int, original: tuple[int, int] | None = None) -> Scaled:
    """Return a picture within the bounds, without anything but its pixels.

    Args:
        image: The picture.
        most: Bytes that the result may have.
        original: Width and height before it was decoded; None for those of `image`.
    """
    from PIL import Image  # noqa: PLC0415 - in a worker process alone

    plain = _plain(image)
    # Before anything else: of a hundred million pixels there is no room for one copy more.
    plain.thumbnail((LONGEST_EDGE, LONGEST_EDGE), Image.Resampling.LANCZOS)
    # A new picture of the same pixels: what else the file held (where it was taken, by whom, a preview) stays behind.
    bare = Image.new(plain.mode, plain.size)
    bare.paste(plain)
    while True:
        for body, mime_type in _encodings(bare):
            if len(body) <= most or max(bare.size) <= _SMALLEST:
                return Scaled(body, mime_type, *bare.size, original or image.size)
        width, height = (max(int(side * _SMALLER), 1) for side in bare.size)
        bare = bare.resize((width, height), Image.Resampling.LANCZOS)


def _plain(image: "Image") -> "Image":
    """Return a picture in eight bits for each colour."""
    see_through = image.has_transparency_data
    if image.mode.startswith(("I", "F")):  # 16 bits and more a pixel, of which converting would cut the upper ones
        image = image.convert("F")
        low, high = (float(edge) for edge in image.getextrema() if not isinstance(edge, tuple))
        image = image.point(lambda value: value * (255 / max(high - low, 1)) - low * 255 / max(high - low, 1)).convert(
            "L"
        )
    return image.convert("RGBA" if see_through else "L" if image.mode in {"1", "L"} else "RGB")


def _encodings(image: "Image") -> "list[tuple[bytes, str]]":
    """Return the picture in ever fewer bytes: drawings and screens as PNG where that is small, else as JPEG."""
    found = []
    if image.getcolors(_FEW_COLOURS) is not None:
        found.append((_encoded(image, "PNG", optimize=True), "image/png"))
    if image.mode == "RGBA":
        image = on_white(image)
    found += [(_encoded(image, "JPEG", quality=quality), "image/jpeg") for quality in _QUALITIES]
    return found


def _encoded(image: "Image", kind: str, **how: int) -> bytes:
    body = io.BytesIO()
    image.save(body, kind, **how)
    return body.getvalue()


class PictureSession:
    """The one file that this process shows."""

    def __init__(self) -> None:
        self._document: Any = None

    def answer(self, header: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
        """Return the answer to one request."""
        try:
            page = header.get("page")
            found = scaled(data, header["most"]) if page is None else self._drawn(data, page, header["most"])
        except PictureTooLarge:
            return {"failed": TOO_LARGE}, b""
        except ImportError:
            return {"failed": NO_ENGINE}, b""
        except Exception as error:  # noqa: BLE001 - whatever a file does to a library is its own fault
            return {"failed": PASSWORD if "password" in str(error).lower() else DAMAGED}, b""
        told = {"mimeType": found.mime_type, "width": found.width, "height": found.height, "original": found.original}
        return told, found.data

    def _drawn(self, data: bytes, index: int, most: int) -> Scaled:
        """Return a page of a PDF file, counted from 0, as a picture of so many bytes at most."""
        if data:
            import pypdfium2  # noqa: PLC0415 - an extra

            self._document = pypdfium2.PdfDocument(data)
        page = self._document[index]
        scale = LONGEST_EDGE / max(*page.get_size(), 1.0)
        drawn = fitted(page.render(scale=scale).to_pil(), most)
        page.close()
        return drawn


def main() -> None:
    """Answer requests until there are no more."""
    step_back(LATER)
    limit_address_space(ADDRESS_SPACE)
    watch_resident_memory(RESIDENT)
    import PIL.Image  # noqa: F401, PLC0415 - what cannot be imported says so before any request

    answer_requests(PictureSession().answer)


if __name__ == "__main__":
    main()
