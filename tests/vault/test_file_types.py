"""What a file is that is not text."""

import gzip
import io
import zipfile

import pytest

from bridge.vault.text import HEAD, describe_binary, is_text, mime_type

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"


def zipped() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(zipfile.ZipInfo("x"), "y")  # without the time, so that the tests' names stay the same
    return out.getvalue()


@pytest.mark.parametrize(
    ("data", "name", "kind", "mime"),
    [
        (PNG, "photo.png", "image", "image/png"),
        (PNG, "not really.md", "image", "image/png"),
        (b"\xff\xd8\xff\xe0\x00\x10JFIF", "x", "image", "image/jpeg"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "x", "image", "image/webp"),
        (b"RIFF\x00\x00\x00\x00WAVEfmt ", "x", "audio", "audio/wav"),
        (b"\x00\x00\x00\x18ftypmp42", "x.mp4", "video", "video/mp4"),
        (b"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00", "IMG_1.HEIC", "image", "image/heic"),
        (b"\x00\x00\x00\x18ftypmif1\x00\x00\x00\x00", "x", "image", "image/heif"),
        (b"%PDF-1.7\n%\xe2\xe3", "paper.pdf", "PDF document", "application/pdf"),
        (gzip.compress(b"x", mtime=0), "x.gz", "archive", "application/gzip"),
        (zipped(), "x", "archive", "application/zip"),
        (zipped(), "book.epub", "binary data", "application/epub+zip"),
        ("hello".encode("utf-16"), "x.txt", "text in UTF-16", "text/plain; charset=utf-16"),
        (b"GIF89a\x01\xff\x01\xff", "x", "image", "image/gif"),
        (b"\x00\x01\x02", "unknown", "binary data", "application/octet-stream"),
        (b"\x00\x01\x02", "song.mp3", "audio", "audio/mpeg"),
        (b"\x00\x01\x02", "paper.pdf", "PDF document", "application/pdf"),
    ],
)
def test_a_binary_file_is_described_by_its_bytes_then_by_its_name(data: bytes, name: str, kind: str, mime: str) -> None:
    assert not is_text(data)
    assert describe_binary(data, name) == (kind, mime)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"# Note\n",
        "日本 😀".encode(),
        b"BM is not a bitmap",
        b"ID3 tags explained",
        b"latin \xe9",
        b"x" * 8192 + b"\x00",
        b"PK is how zip files begin",
        b"GIF89a is an image format",
        b"%PDF-1.7 is how one begins",
        b"RIFF....WEBP",
        b"OggS and fLaC, ID3, wOF2",
        b"PK\x03\x04 as text",
        b"GIF89a" + "日本".encode() * 2_000,
        b"\xef\xbb\xbf%PDF-",
    ],
)
def test_text_is_text_whatever_it_begins_with(data: bytes) -> None:
    assert is_text(data)


@pytest.mark.parametrize(
    ("name", "mime"),
    [
        ("Note.MD", "text/markdown"),
        ("board.canvas", "application/json"),
        ("Table.base", "application/yaml"),
        ("x.webp", "image/webp"),
        ("x.json", "application/json"),
        ("README", "application/octet-stream"),
        ("x.unheard-of", "application/octet-stream"),
    ],
)
def test_a_name_tells_a_mime_type(name: str, mime: str) -> None:
    assert mime_type(name) == mime


@pytest.mark.parametrize("shift", range(4))
def test_a_character_that_the_bound_cuts_in_two_is_no_mistake(shift: int) -> None:
    data = b"GIF89a" + b"x" * shift + "\U0001f600".encode() * HEAD
    assert is_text(data)
    assert is_text(data[:HEAD])


def test_only_the_first_bytes_count_however_many_are_given() -> None:
    for data in (b"x" * HEAD + b"\x00", b"GIF89a" + b"x" * HEAD + b"\xff", b"\x00" + b"x" * HEAD):
        assert is_text(data) == is_text(data[:HEAD])
