"""Pictures are given away small, without metadata, and whatever a file holds."""

import io
import random
from typing import Any

import pytest
from PIL import Image, PngImagePlugin, UnidentifiedImageError

from bridge.pictures import scaling
from bridge.pictures.scaling import LONGEST_EDGE, PictureTooLarge, scaled

MOST = 500_000
PLACE = b"48.2082 N 16.3738 E"


def encoded(image: Image.Image, kind: str, **how: Any) -> bytes:
    body = io.BytesIO()
    image.save(body, kind, **how)
    return body.getvalue()


def noise(width: int, height: int, mode: str = "RGB") -> Image.Image:
    count = width * height * len(Image.new(mode, (1, 1)).getbands())
    return Image.frombytes(mode, (width, height), random.Random(7).randbytes(count))  # noqa: S311 - a test's noise


def decoded(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP", "BMP", "AVIF"])
def test_every_kind_that_obsidian_shows_is_shown(kind: str) -> None:
    found = scaled(encoded(Image.new("RGB", (40, 30), "red"), kind), MOST)
    image = decoded(found.data)
    assert (image.size, found.original, found.width, found.height) == ((40, 30), (40, 30), 40, 30)
    red, green, blue = image.convert("RGB").getpixel((20, 15))  # type: ignore[misc] # three bands
    assert red > 240
    assert max(green, blue) < 15


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "CMYK", "I;16", "F"])
def test_every_kind_of_pixel_is_shown(mode: str) -> None:
    kind = "TIFF" if mode == "F" else "JPEG" if mode == "CMYK" else "PNG"
    data = encoded(Image.new(mode, (16, 16)), kind)
    if kind == "TIFF":
        with pytest.raises(UnidentifiedImageError):
            scaled(data, MOST)
        return
    assert decoded(scaled(data, MOST).data).size == (16, 16)


def test_sixteen_bits_keep_what_is_seen() -> None:
    image = Image.new("I;16", (2, 1))
    image.putpixel((0, 0), 1000)
    image.putpixel((1, 0), 60_000)
    shown = decoded(scaled(encoded(image, "PNG"), MOST).data).convert("L")
    assert (shown.getpixel((0, 0)), shown.getpixel((1, 0))) == (0, 255)


@pytest.mark.parametrize(("size", "shown"), [((6000, 3000), (1500, 750)), ((300, 4500), (100, 1500))])
def test_the_longer_side_is_bounded_and_the_shape_stays(size: tuple[int, int], shown: tuple[int, int]) -> None:
    found = scaled(encoded(Image.new("RGB", size, "navy"), "PNG"), MOST)
    assert decoded(found.data).size == shown
    assert found.original == size


@pytest.mark.parametrize("most", [500_000, 100_000, 5_000])
@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L"])
def test_it_has_no_more_bytes_than_it_may(most: int, mode: str) -> None:
    found = scaled(encoded(noise(500, 400, mode), "PNG"), most)
    assert len(found.data) <= most
    assert decoded(found.data).size == (found.width, found.height)


def test_what_is_no_pixel_stays_behind() -> None:
    exif = Image.Exif()
    exif[0x010E] = PLACE.decode()
    info = PngImagePlugin.PngInfo()
    info.add_text("Comment", PLACE.decode())
    picture = Image.new("RGB", (20, 10), "green")
    for data in (
        encoded(picture, "JPEG", exif=exif, comment=PLACE),
        encoded(picture, "PNG", exif=exif, pnginfo=info),
        encoded(picture, "WEBP", exif=exif),
        encoded(picture, "JPEG", icc_profile=PLACE * 9),
    ):
        assert PLACE in data
        assert PLACE not in scaled(data, MOST).data


def test_a_photo_stands_as_the_camera_was_held() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # a quarter turn to the right
    found = scaled(encoded(Image.new("RGB", (40, 20)), "JPEG", exif=exif), MOST)
    assert decoded(found.data).size == found.original == (20, 40)


def test_drawings_stay_sharp_and_photos_become_small() -> None:
    assert scaled(encoded(Image.new("P", (200, 200)), "PNG"), MOST).mime_type == "image/png"
    assert scaled(encoded(noise(200, 200), "PNG"), MOST).mime_type == "image/jpeg"


def test_of_an_animation_the_first_frame_is_shown() -> None:
    frames = [Image.new("RGB", (8, 8), colour) for colour in ("red", "blue")]
    shown = decoded(scaled(encoded(frames[0], "GIF", save_all=True, append_images=frames[1:]), MOST).data)
    assert shown.convert("RGB").getpixel((4, 4)) == (255, 0, 0)
    assert getattr(shown, "n_frames", 1) == 1


def test_too_many_pixels_are_not_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scaling, "MOST_PIXELS", 50)
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", Image.MAX_IMAGE_PIXELS)  # it is put back
    for sides in ((10, 6), (50, 50)):
        with pytest.raises(PictureTooLarge):
            scaled(encoded(Image.new("L", sides), "PNG"), MOST)


def test_the_edge_is_that_which_models_take() -> None:
    assert LONGEST_EDGE <= 1568  # https://docs.claude.com/en/docs/build-with-claude/vision
