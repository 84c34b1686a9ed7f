"""Images that come with a note: checked, and kept where the vault keeps attachments, under names that are free."""

import base64
import binascii
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from pydantic import Field

from bridge.contract.consent import ShownPicture
from bridge.errors import InvalidParameters, NotFound, PermissionDenied
from bridge.pictures.reader import PictureReader
from bridge.tools.formatting import shortened
from bridge.tools.kinds import SnakeCaseParams
from bridge.tools.paths import name_after, vault_path
from bridge.tools.storage import PlanningStorage
from bridge.vault.paths import VaultPath, fold

MOST_IMAGES: Final = 5
"""Images that come with one call."""
MOST_BYTES: Final = 10 << 20
"""Bytes of all of them; as base64 they stay below what a request may have."""
MOST_PIXELS: Final = 40_000_000
"""Pixels of one: whoever opens the note decodes them all."""
_SHOWN_BYTES: Final = 40_000
"""Bytes of an image as the question shows it."""
_KINDS: Final[Mapping[bytes, str]] = {
    b"\x89PNG\r\n\x1a\n": "png",
    b"\xff\xd8\xff": "jpg",
    b"GIF87a": "gif",
    b"GIF89a": "gif",
}
"""How the images begin that notes show; WebP has its name eight bytes on."""
_DATA_URL: Final = re.compile(r"data:image/[a-z]+;base64,")
_NO_ALT: Final = re.compile(r"[\[\]|\r\n]+")
_EMBED: Final = re.compile(r"!\[\[([^\[\]|\r\n]+)(?:\|([^\[\]\r\n]*))?\]\]|!\[([^\[\]\r\n]*)\]\(<?([^()<>\r\n]+)>?\)")
"""An embed in either form, with its name and its alt text."""


class Image(SnakeCaseParams):
    """An image from the client."""

    name: str = Field(min_length=1, max_length=200)
    data: str = Field(min_length=1, description="Base64")


ABOUT_IMAGES: Final = "Become attachments where the text has ![[name]]"


class _Checked(NamedTuple):
    """An image that can be kept.

    Attributes:
        name: As the client calls it.
        data: Its bytes.
        shown: As the question shows it.
    """

    name: str
    data: bytes
    shown: ShownPicture


@dataclass(slots=True)
class KeptImages:
    """The images of one call, as they find their places in its notes.

    Attributes:
        storage: The vault.
        checked: The images, by what their names have in common with their like.
        files: Those that have a place.
    """

    storage: PlanningStorage
    checked: Mapping[str, _Checked] = field(default_factory=dict)
    files: dict[VaultPath, _Checked] = field(default_factory=dict)

    def embedded(self, text: str, note: VaultPath) -> str:
        """Return a text in which each embed of an image leads to where that will be.

        Args:
            text: Which.
            note: Where its note is, or will be.
        """

        def place(found: re.Match[str]) -> str:
            name, alt = (found[1], found[2]) if found[1] else (found[4], found[3])
            image = self.checked.get(_key(name))
            if image is None:
                return found[0]
            alt = _NO_ALT.sub(" ", alt or "").strip()
            return f"![[{self._place(image, note)}{f'|{alt}' if alt else ''}]]"

        return _EMBED.sub(place, text) if self.checked else text

    def _place(self, image: _Checked, note: VaultPath) -> VaultPath:
        for place, known in self.files.items():
            if known is image:
                return place
        place = free_place(image.name, image.data, note, self.storage, self.files)
        self.files[place] = image
        return place


def check_images(
    images: Sequence[Image],
    texts: Iterable[str],
    storage: PlanningStorage,
    pictures: PictureReader | None,
    deadline: float,
) -> KeptImages:
    """Return the images of a call once each is known to be one. The vault is not looked at. Blocks.

    Args:
        images: As they were sent.
        texts: The texts that they come with.
        storage: The vault.
        pictures: Decodes them, in a process of its own each.
        deadline: `Clock.monotonic()` value.

    Raises:
        InvalidParameters: One is none, no text embeds it, or they are too large.
        ExecutionFailed: The process that decodes cannot start.
    """
    checked: dict[str, _Checked] = {}
    left = MOST_BYTES
    named = {_key(found[1] or found[4]) for text in texts for found in _EMBED.finditer(text)} if images else set()
    for image in images:
        name, key = shortened(image.name), _key(image.name)
        if key not in named:
            raise InvalidParameters(f"Say where the image {name!r} goes: ![[{name}|what it shows]] in the text")
        if key in checked:
            raise InvalidParameters(f"Two images are called {name!r}; give each a name of its own")
        try:
            data = base64.b64decode(_DATA_URL.sub("", image.data, count=1), validate=True)
        except (binascii.Error, ValueError):
            raise InvalidParameters(f"The data of the image {name!r} is no base64") from None
        left -= len(data)
        if left < 0:
            raise InvalidParameters(f"The images have more than {MOST_BYTES >> 20} MB together")
        checked[key] = _Checked(image.name, data, _shown(name, data, pictures, deadline))
    return KeptImages(storage, checked)


def kind_of(data: bytes) -> str:
    """Return the extension of an image by how it begins; empty where notes do not show it."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "webp"
    return next((kind for start, kind in _KINDS.items() if data.startswith(start)), "")


def free_place(
    name: str, data: bytes, note: VaultPath, storage: PlanningStorage, taken: Mapping[VaultPath, object]
) -> VaultPath:
    """Return a free place for an image, in the user's folder for attachments (rule 79 of docs/obsidian.md).

    No other file that may be seen has its name, so that no link to one becomes ambiguous.

    Args:
        name: What it is called where it comes from.
        data: Its bytes, which say what its extension is.
        note: Where its note is, or will be.
        storage: The vault.
        taken: Places that others of the same plan have.
    """
    set_to = storage.app_settings.attachment_folder_path
    if set_to.startswith("./"):
        folder = note.parent
        set_to = set_to.removeprefix("./")
        wished = f"{folder}/{set_to}" if set_to else str(folder)
    else:
        wished = set_to
    folder = VaultPath.root()
    with suppress(InvalidParameters, PermissionDenied):
        folder = vault_path(wished or "/", storage)
    names = {fold(path.name) for path in taken}
    with suppress(NotFound):
        names |= {fold(name) for name in storage.names(folder)}
    known, denial = storage.everything.knowledge.names, storage.closed()

    def is_taken(name: str) -> bool:
        return fold(name) in names or any(denial is None or denial(path) is None for path in known.named(name))

    stem = name_after(name.rpartition(".")[0] or name)
    free, number = f"{stem}.{kind_of(data)}", 1
    while is_taken(free):
        free, number = f"{stem} {number}.{kind_of(data)}", number + 1
    return storage.resolve_new(folder.child(free))


def _key(name: str) -> str:
    """Return what a name and those that differ only in case and form have in common."""
    return fold(name.strip())


def _shown(name: str, data: bytes, pictures: PictureReader | None, deadline: float) -> ShownPicture:
    """Return an image as it is shown. Raises InvalidParameters where it is none that notes show."""
    if not kind_of(data):
        raise InvalidParameters(f"The image {name!r} is no PNG, JPEG, GIF or WebP")
    if pictures is None:
        raise InvalidParameters("No images are kept here")
    found = pictures.picture(lambda: data, _SHOWN_BYTES, deadline)
    if found.why:
        raise InvalidParameters(f"The image {name!r} is not kept: {found.why}")
    width, height = found.original
    if width * height > MOST_PIXELS:
        raise InvalidParameters(
            f"The image {name!r} is not kept: it has more than {MOST_PIXELS // 10**6} million pixels"
        )
    body = base64.b64encode(found.data).decode()
    return ShownPicture(mime_type=found.mime_type, data=body, width=width, height=height)
