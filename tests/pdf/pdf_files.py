"""PDF files for tests, made by hand: pages of text, and files that are hostile or broken."""

import io
import zlib
from collections.abc import Sequence

import pypdf


def document(objects: Sequence[bytes], root: int = 1) -> bytes:
    """Return a file of these objects, which are numbered from 1."""
    out = io.BytesIO(b"")
    out.write(b"%PDF-1.7\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%b\nendobj\n" % (number, body))
    start = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    for place in places:
        out.write(b"%010d 00000 n \n" % place)
    out.write(b"trailer\n<< /Size %d /Root %d 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, root, start))
    return out.getvalue()


def stream(data: bytes, extra: bytes = b"") -> bytes:
    """Return an object with a compressed stream."""
    packed = zlib.compress(data, 9)
    return b"<< /Length %d /Filter /FlateDecode %b >>\nstream\n%b\nendstream" % (len(packed), extra, packed)


def operators(text: str) -> bytes:
    """Return what draws the lines of a text, in letters of Latin-1."""
    lines = []
    for line in text.splitlines():
        escaped = line.encode("latin-1").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
        lines.append(b"(%b) Tj T*" % escaped)
    return b"BT /F1 11 Tf 14 TL 50 780 Td %b ET" % b" ".join(lines)


def with_contents(*contents: bytes) -> bytes:
    """Return a file with a page for each content stream."""
    kids = b" ".join(b"%d 0 R" % (4 + 2 * number) for number in range(len(contents)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count %d /Kids [%b] >>" % (len(contents), kids),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for number, content in enumerate(contents):
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R "
            b"/Resources << /Font << /F1 3 0 R >> >> >>" % (5 + 2 * number)
        )
        objects.append(content)
    return document(objects)


def pages(*texts: str) -> bytes:
    """Return a file with a page for each text; a page of an empty text has nothing on it."""
    return with_contents(*(stream(operators(text)) for text in texts))


def mapless(text: str) -> bytes:
    """Return a file whose font numbers its signs as fonts made for Windows do, and says nothing of letters."""
    signs = b"".join(b"%04x" % (ord(character) - 29) for character in text)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count 1 /Kids [6 0 R] >>",
        b"<< /Type /Font /Subtype /Type0 /BaseFont /Some /Encoding /Identity-H /DescendantFonts [4 0 R] >>",
    ]
    objects.append(
        b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Some /FontDescriptor 5 0 R /DW 600 "
        b"/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>"
    )
    objects.append(
        b"<< /Type /FontDescriptor /FontName /Some /Flags 4 /FontBBox [0 0 600 800] /ItalicAngle 0 /Ascent 800 "
        b"/Descent 0 /CapHeight 700 /StemV 80 >>"
    )
    objects.append(
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 7 0 R "
        b"/Resources << /Font << /F1 3 0 R >> >> >>"
    )
    return document([*objects, stream(b"BT /F1 11 Tf 50 780 Td <" + signs + b"> Tj ET")])


def locked(data: bytes, password: str) -> bytes:
    """Return a file that needs a password to be opened; an empty one is tried by every program."""
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(data))
    writer.encrypt(password, "the owner's")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def laughing() -> bytes:
    """Return a file whose forms draw each other: some kilobytes that come to ten billion drawings."""
    depth, each = 10, 10
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
        (
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
            b"/Resources << /XObject << /X 5 0 R >> >> >>"
        ),
        stream(b"/X Do"),
    ]
    for level in range(depth):
        form = b"/Type /XObject /Subtype /Form /BBox [0 0 595 842] "
        if level < depth - 1:
            form += b"/Resources << /XObject << /X %d 0 R >> >>" % (6 + level)
        objects.append(stream(b"/X Do " * each if level < depth - 1 else b"0 0 m", form))
    return document(objects)


def swollen(megabytes: int) -> bytes:
    """Return a small file with a page whose content is many megabytes of operators."""
    return with_contents(stream(b"BT /F1 11 Tf (a) Tj ET q Q " * (megabytes * 1024 * 1024 // 26)))
