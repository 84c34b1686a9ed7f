"""What a file is: a note by its name; text or not, judged by its first bytes; and what it is when it is no text."""

import codecs
import mimetypes

NOTE_EXTENSION = ".md"
CANVAS_EXTENSION = ".canvas"

HEAD = 8192
"""How many bytes of a file it takes to judge it."""

_MAGIC: tuple[tuple[int, bytes, str, str], ...] = (
    (0, b"%PDF-", "PDF document", "application/pdf"),
    (0, b"\x89PNG\r\n\x1a\n", "image", "image/png"),
    (0, b"\xff\xd8\xff", "image", "image/jpeg"),
    (0, b"GIF87a", "image", "image/gif"),
    (0, b"GIF89a", "image", "image/gif"),
    (8, b"WEBP", "image", "image/webp"),
    (4, b"ftypavif", "image", "image/avif"),
    (0, b"BM", "image", "image/bmp"),
    (8, b"WAVE", "audio", "audio/wav"),
    (0, b"ID3", "audio", "audio/mpeg"),
    (0, b"fLaC", "audio", "audio/flac"),
    (0, b"OggS", "audio", "audio/ogg"),
    (4, b"ftypM4A", "audio", "audio/mp4"),
    (4, b"ftyp", "video", "video/mp4"),
    (0, b"\x1aE\xdf\xa3", "video", "video/webm"),
    (0, b"PK\x03\x04", "archive", "application/zip"),
    (0, b"\x1f\x8b", "archive", "application/gzip"),
    (0, b"7z\xbc\xaf\x27\x1c", "archive", "application/x-7z-compressed"),
    (0, b"SQLite format 3\x00", "database", "application/vnd.sqlite3"),
    (0, b"wOF2", "font", "font/woff2"),
    (0, b"\xff\xfe", "text in UTF-16", "text/plain; charset=utf-16"),
    (0, b"\xfe\xff", "text in UTF-16", "text/plain; charset=utf-16"),
)
_ALSO_WITHOUT_NUL = ("application/pdf", "image/", "audio/", "video/", "application/zip", "application/gzip")

# The formats Obsidian opens (rule 5 of docs/obsidian.md); what `mimetypes` knows depends on the system it runs on.
_BY_NAME = {
    ".md": "text/markdown",
    ".canvas": "application/json",
    ".base": "application/yaml",
    ".pdf": "application/pdf",
    ".avif": "image/avif",
    ".bmp": "image/bmp",
    ".gif": "image/gif",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webp": "image/webp",
    ".3gp": "audio/3gpp",
    ".flac": "audio/flac",
    ".m4a": "audio/mp4",
    ".mp3": "audio/mpeg",
    ".ogg": "audio/ogg",
    ".wav": "audio/wav",
    ".mkv": "video/x-matroska",
    ".mov": "video/quicktime",
    ".mp4": "video/mp4",
    ".ogv": "video/ogg",
    ".webm": "video/webm",
}


def note_name(path: str) -> str:
    """The name of the note at a path: its last part, without `.md`.

    Args:
        path: A vault path.
    """
    name = path.rpartition("/")[2]
    return name[: -len(NOTE_EXTENSION)] if is_note(name) and len(name) > len(NOTE_EXTENSION) else name


def is_note(path: str) -> bool:
    """Whether a path is that of a note: it ends with `.md`, in any case.

    Args:
        path: A vault path or a name.
    """
    return path[-len(NOTE_EXTENSION) :].lower() == NOTE_EXTENSION


def mime_type(name: str) -> str:
    """The MIME type of a file, by its name.

    Args:
        name: The name, or a path that ends with it.

    Returns:
        The type; `application/octet-stream` when the extension is unknown.
    """
    _stem, dot, extension = name.rpartition(".")
    known = _BY_NAME.get((dot + extension).lower())
    return known or mimetypes.guess_type(f"x{dot}{extension}")[0] or "application/octet-stream"


def is_text(data: bytes) -> bool:
    """Whether a file is text, as all of the bridge sees it: judged by its first 8 KiB, and never by its name.

    They hold no NUL; and they are UTF-8, or at least do not begin as a format does that is never text. So a note that
    begins with `GIF89a` is text, and so is one in an older encoding.

    Args:
        data: The file's first bytes, `HEAD` of them or more, or all of them.
    """
    head = data[:HEAD]
    if b"\x00" in head:
        return False
    # "BM" and "ID3" may well begin a note: a format that short counts only with a NUL, which it then has.
    found = _by_content(head, shortest=4)
    return found is None or not found[1].startswith(_ALSO_WITHOUT_NUL) or _is_utf8(head)


def _is_utf8(head: bytes) -> bool:
    """Whether some bytes are UTF-8, of which the last character may be cut."""
    try:
        codecs.utf_8_decode(head, "strict", len(head) < HEAD)
    except UnicodeDecodeError:
        return False
    return True


def describe_binary(data: bytes, name: str) -> tuple[str, str]:
    """What a binary file is.

    Args:
        data: Its first bytes, or all of them.
        name: Its name.

    Returns:
        The kind in words, such as `image`, and the MIME type. What the bytes show wins over the name.
    """
    found = _by_content(data[:HEAD], shortest=2)
    mime = mime_type(name)
    # Many formats (docx, epub) are zip archives: there the name knows better.
    if (found is None or found[1] == "application/zip") and mime != "application/octet-stream":
        return _kind(mime), mime
    return found or ("binary data", mime)


def _by_content(head: bytes, *, shortest: int) -> tuple[str, str] | None:
    for offset, magic, kind, mime in _MAGIC:
        if len(magic) >= shortest and head.startswith(magic, offset):
            return kind, mime
    return None


def _kind(mime: str) -> str:
    """The kind in words, from the MIME type."""
    family = mime.partition("/")[0]
    if mime == "application/pdf":
        return "PDF document"
    return family if family in {"image", "audio", "video", "font"} else "binary data"
