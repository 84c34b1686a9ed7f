"""A hundred images that somebody made to do harm, or that are broken, the same in every run."""

import io
import random
import struct
import zlib
from collections.abc import Iterator

from PIL import Image

SVG = b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'><image href='file:///etc/passwd'/></svg>"


def png(width: int, height: int, data: bytes = b"", *more: tuple[bytes, bytes]) -> bytes:
    """Return a file that says that it has so many pixels."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    extra = b"".join(chunk(*each) for each in more)
    pixels = chunk(b"IDAT", zlib.compress(data))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + extra + pixels + chunk(b"IEND", b"")


def encoded(kind: str, size: tuple[int, int] = (60, 40)) -> bytes:
    """Return a picture of noise."""
    body = io.BytesIO()
    pixels = random.Random(7).randbytes(size[0] * size[1] * 3)  # noqa: S311 - a test's noise
    Image.frombytes("RGB", size, pixels).save(body, kind)
    return body.getvalue()


WHOLE = {kind.lower(): encoded(kind) for kind in ("PNG", "JPEG", "GIF", "WEBP")}


def _made_to_do_harm() -> Iterator[bytes]:
    yield png(100_000, 100_000)
    yield png(2**31 - 1, 1)
    yield png(0, 0)
    yield png(7_000, 7_000, bytes(7_001 * 7_000))  # 49 million pixels in 48 kB
    yield png(50, 50, bytes(60 << 20))  # far more than it says
    yield png(9, 9, bytes(90), (b"iCCP", b"a\x00\x00" + zlib.compress(bytes(30 << 20))))
    yield png(9, 9, bytes(90), (b"zTXt", b"a\x00\x00" + zlib.compress(bytes(30 << 20))))
    yield b"GIF89a" + b"\xff\xff\xff\xff\x80\x00\x00" + bytes(6) + b",\0\0\0\0\xff\xff\xff\xff\0\x02\0;"
    yield b"RIFF\xff\xff\xff\xffWEBPVP8X\x0a\0\0\0\x10\0\0\0\xff\xff\xff\xff\xff\xff"
    yield b"\xff\xd8\xff\xc0\x00\x11\x08\xff\xff\xff\xff\x03\x01\x22\x00\x02\x11\x01\x03\x11\x01"
    yield b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n(x) run\n"
    yield from (SVG, b"<?xml version='1.0'?>" + SVG, zlib.compress(SVG), b"\x89PNG\r\n\x1a\n" + SVG, b"GIF89a" + SVG)
    yield from (b"MZ\x90\x00" * 50, b"#!/bin/sh\nrm -rf ~\n", b"<script>alert(1)</script>", b"\0", b"\xff\xd8\xff")
    yield from (encoded(kind) for kind in ("TIFF", "BMP", "ICO", "PCX", "PPM", "TGA"))


def _broken() -> Iterator[bytes]:
    chance = random.Random(20)  # noqa: S311 - damage, the same in every run
    while True:
        for data in WHOLE.values():
            yield data[: chance.randrange(4, len(data) - 100)]
            flipped = bytearray(data)
            for _ in range(chance.randrange(1, 30)):
                flipped[chance.randrange(len(flipped))] = chance.randrange(256)
            yield bytes(flipped)


def hostile_images(count: int = 100) -> list[bytes]:
    """Return so many of them."""
    found = list(_made_to_do_harm())
    broken = _broken()
    return found + [next(broken) for _ in range(count - len(found))]
