"""The content that tools bring into the vault: images that come with a call, and web pages.

Images are checked, and kept where the vault keeps attachments, under names that are free. Pages are fetched by
`web_fetch` under its rules, and handed over without passing a model: a tool that writes calls it as a part of its own
call. So the request is asked about, limited and logged like any other, and its client has read from the web; only the
answer goes to the tool instead of the client.
"""

import asyncio
import base64
import binascii
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final, NamedTuple
from urllib.parse import quote, unquote, urlsplit

from pydantic import Field

from bridge.contract.consent import ShownPicture
from bridge.errors import ErrorType, ExecutionFailed, InvalidParameters, NotFound, PermissionDenied, ToolFailure
from bridge.notes.frontmatter import find_frontmatter
from bridge.notes.properties import read_yaml_properties, set_property
from bridge.pictures.reader import PictureReader
from bridge.policy.targets import url_target
from bridge.toolkit.tool import CallContext, RequestEffect
from bridge.tools.formatting import shortened
from bridge.tools.joining import parsed
from bridge.tools.kinds import SnakeCaseParams
from bridge.tools.paths import name_after, vault_path
from bridge.tools.storage import PlanningStorage
from bridge.vault.paths import VaultPath, fold
from bridge.vault.text import without_hidden_characters
from bridge.web.extraction.reader import mark
from bridge.web.url import BadUrl, parse_url

MOST_SENT: Final = 5
"""Images that come with one call."""
MOST_SENT_BYTES: Final = 10 << 20
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
        place = next((place for place, known in self.files.items() if known is image), None)
        if place is None:
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
        InvalidParameters: One is not an image, no text embeds it, or they are too large.
        ExecutionFailed: The process that decodes cannot start.
    """
    checked: dict[str, _Checked] = {}
    left = MOST_SENT_BYTES
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
            raise InvalidParameters(f"The data of the image {name!r} is not base64") from None
        left -= len(data)
        if left < 0:
            raise InvalidParameters(f"The images have more than {MOST_SENT_BYTES >> 20} MB together")
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
    wished = storage.app_settings.attachment_folder_path
    if wished.startswith("./"):
        wished = f"{note.parent}/{wished.removeprefix('./')}"
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
    wanted = (f"{stem}{f' {number}' if number else ''}.{kind_of(data)}" for number in count())
    return storage.resolve_new(folder.child(next(name for name in wanted if not is_taken(name))))


def _key(name: str) -> str:
    """Return what a name and those that differ only in case and form have in common."""
    return fold(name.strip())


def _shown(name: str, data: bytes, pictures: PictureReader | None, deadline: float) -> ShownPicture:
    """Return an image as it is shown. Raises InvalidParameters where it is not one that notes show."""
    if not kind_of(data):
        raise InvalidParameters(f"The image {name!r} is not a PNG, JPEG, GIF or WebP")
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


FETCH: Final = "web_fetch"
LONGEST_URL: Final = 4096
SECONDS: Final = 720.0
"""The time that making a note from a page may take; the requests have bounds of their own."""
MOST_IMAGES: Final = 15
"""Images that are saved with one note; `web_fetch` makes twenty requests a minute."""
MOST_BYTES: Final = 20 << 20
"""Bytes of all of them."""
_LONGEST: Final = 500
"""Characters of a title or an author."""
_DEEPEST: Final = 6
_URL: Final = "%:/?#[]@!$&'()*+,;=-._~"
"""The characters that stay as they are in an address between `<` and `>`."""
_NOT_IN_TEXT: Final = re.compile(r"[\[\]()|<>\\`*_!]")


class FetchedPage(NamedTuple):
    """The whole result of `web_fetch`.

    Attributes:
        url: Where it came from, after redirects.
        title: Its title.
        kind: Its media type.
        form: The format that was asked for; `note` for a tool that makes a note of it, `raw` for other text, `base64`
            for data.
        text: Its text; of a page, Markdown with marks where its images belong; of data, base64 until it is taken.
        size: Its bytes, as they came.
        removed: The number of hidden parts left out.
        hops: The addresses on the way.
        data: The bytes of data that a tool has taken.
        author: Its author.
        date: When it was published, as `YYYY-MM-DD`.
        images: The images: what each shows, and its address.
        marked: The beginning of the marks of the images.
        scripted: Whether scripts write the rest of it.
    """

    url: str
    title: str
    kind: str
    form: str
    text: str
    size: int = 0
    removed: int = 0
    hops: tuple[str, ...] = ()
    data: bytes = b""
    author: str = ""
    date: str = ""
    images: tuple[tuple[str, str], ...] = ()
    marked: str = ""
    scripted: bool = False


taker: ContextVar[Callable[[FetchedPage], None] | None] = ContextVar("taker", default=None)
"""Takes what `web_fetch` gets, while a tool that writes has called it."""


class FetchFailed(ToolFailure):
    """The request of a tool was refused, or failed.

    Args:
        message: Why.
        error_type: The kind of failure.
        data: Further data.
    """

    def __init__(self, message: str, error_type: ErrorType, data: dict[str, Any]) -> None:
        super().__init__(message, data=data)
        self.error_type = error_type


def to_be_fetched(address: str, what: str) -> RequestEffect:
    """Return what is said of a call that is only looked at: its plan depends on a page, and no request is made.

    Args:
        address: The page.
        what: What is done with it, in a sentence that follows "Fetch ... and".
    """
    url = parse_url(address)
    return RequestEffect((url_target(str(url)),), f"Fetch '{url}' and {what}", f"GET {url}", address=str(url))


async def fetch(context: CallContext, address: str, *, data: bool = False) -> FetchedPage:
    """Fetch a page, as the caller.

    Args:
        context: The call.
        address: The page, or an image.
        data: Whether it is to come as it is.

    Raises:
        FetchFailed: It may not be fetched, or cannot be.
    """
    taken: list[FetchedPage] = []
    before = taker.set(taken.append)
    try:
        result = await context.call(FETCH, {"url": address} | ({"format": "base64"} if data else {}))
    finally:
        taker.reset(before)
    if not result.success:
        known = result.data if isinstance(result.data, dict) else {}
        facts = {name: value for name, value in known.items() if name != "error_type"}
        raise FetchFailed(result.error or "", result.error_type or ErrorType.NETWORK_ERROR, facts)
    if not taken:
        raise ExecutionFailed(f"{address} was fetched, and nothing was handed over")
    return taken[0]


async def page_for_note(context: CallContext, address: str) -> FetchedPage:
    """Fetch a page whose text is to be put into a note.

    Args:
        context: The call.
        address: The page.

    Raises:
        FetchFailed: It may not be fetched, or cannot be.
        InvalidParameters: It is not a page, or has no text.
    """
    page = await fetch(context, address)
    if page.form != "note" and page.kind not in {"text/plain", "text/markdown"}:
        raise InvalidParameters(f"{page.url} is {page.kind or 'data'}; only web pages and plain text become notes")
    if not page.text.strip():
        why = "it is written by scripts, which are not run" if page.scripted else "nothing of it can be read"
        raise InvalidParameters(f"{page.url} has no text: {why}")
    return page


@dataclass(slots=True)
class SavedImages:
    """The images of a page as attachments.

    Attributes:
        links: How each is embedded, by its number in the page.
        files: Their bytes, by their places.
        left: How many stay links, because they could not be had or are too many.
    """

    links: dict[int, str] = field(default_factory=dict)
    files: dict[VaultPath, bytes] = field(default_factory=dict)
    left: int = 0


async def save_images(
    page: FetchedPage, note: VaultPath, storage: PlanningStorage, context: CallContext
) -> SavedImages:
    """Fetch the images of a page, each asked about as `web_fetch` would be, and find places for them.

    Args:
        page: The page.
        note: Where its note will be.
        storage: The vault.
        context: The call.
    """
    saved, refused, held = SavedImages(), set[str](), 0
    bodies: dict[str, bytes | None] = {}
    for number, (_shows, address) in enumerate(page.images):
        site = urlsplit(address).netloc
        if address not in bodies and (len(bodies) >= MOST_IMAGES or site in refused):
            saved.left += 1
            continue
        if address not in bodies:
            bodies[address] = None
            try:
                data = (await fetch(context, address, data=True)).data
            except ToolFailure as failure:
                if failure.error_type is ErrorType.PERMISSION_DENIED:
                    refused.add(site)  # the person has said no, and is not asked again for each image
                data = b""
            if kind_of(data) and held + len(data) <= MOST_BYTES:
                bodies[address], held = data, held + len(data)
        body = bodies[address]
        if body is None:
            saved.left += 1
            continue
        place = next((place for place, data in saved.files.items() if data == body), None)
        if place is None:
            name = unquote(urlsplit(address).path).rpartition("/")[2]
            place = await asyncio.to_thread(free_place, name, body, note, storage, saved.files)
            saved.files[place] = body
        saved.links[number] = f"![[{place}]]"
    return saved


def note_of(page: FetchedPage, links: Mapping[int, str] | None = None) -> str:
    """Return the text of a page as that of a note, with a link where an image is that was not saved.

    Args:
        page: The page.
        links: What stands for its images instead, by their numbers.
    """
    text = page.text.strip()
    if page.images:
        whole = text

        def shown(found: re.Match[str]) -> str:
            number = int(found[1])
            link = (links or {}).get(number) or _linked(*page.images[number])
            before, after = whole[found.start() - 1 : found.start()], whole[found.end() : found.end() + 1]
            return ("" if not before.strip() else " ") + link + ("" if not after.strip() else " ")

        text = re.sub(mark(re.escape(page.marked), r"(\d+)"), shown, whole)
    return text.strip("\n") + "\n"


def with_origin(text: str, page: FetchedPage) -> str:
    """Return a note with the title, source, author and date of a page as properties, where it has none of its own.

    Args:
        text: The note.
        page: The page.
    """
    for name, value in (
        ("title", _line(page.title)),
        ("source", page.url),
        ("author", _line(page.author)),
        ("date", page.date),
    ):
        block = find_frontmatter(text)
        yaml = text[block.yaml_start : block.yaml_end] if block else ""
        had = {fold(str(key)): said for key, said in (read_yaml_properties(yaml) if yaml.strip() else {}).items()}
        if value and had.get(name) in (None, "", []):
            text = set_property(text, name, [value] if had.get(name) == [] else value)
    return text


def section_of(page: FetchedPage, level: int) -> str:
    """Return a page as a part of a note: where it is from, and its text with headings below that of the section.

    Args:
        page: The page.
        level: The level of the heading that it goes below; 0 for none.
    """
    text = note_of(page)
    headings = parsed(text).headings
    deeper = max(level + 1 - min((heading.level for heading in headings), default=level + 1), 0)
    if deeper:
        for heading in reversed(headings):
            hashes = min(deeper, _DEEPEST - heading.level)
            if text[heading.start : heading.end].lstrip().startswith("#"):
                start = text.index("#", heading.start)
                text = f"{text[:start]}{'#' * hashes}{text[start:]}"
    title = _NOT_IN_TEXT.sub(lambda found: f"\\{found[0]}", _line(page.title)) or page.url
    origin = ", ".join(filter(None, (f"[{title}](<{page.url}>)", _line(page.author), page.date)))
    return f"{origin}\n\n{text}"


def warnings_of(page: FetchedPage, saved: SavedImages | None = None) -> Sequence[str]:
    """Return what the person should know of a page whose text they are shown."""
    said = []
    if page.scripted:
        said.append("The page is written by scripts, which are not run: most of its text may be missing")
    if saved is not None and saved.left:
        said.append(f"Images that could not be saved and stay links: {saved.left}")
    return said


def _line(text: str) -> str:
    """Return a text of a stranger's as one line, without what cannot be seen."""
    return " ".join(without_hidden_characters(text).split())[:_LONGEST]


def _linked(shows: str, address: str) -> str:
    """Return a link to an image. It loads nothing before it is followed."""
    text = " ".join(_NOT_IN_TEXT.sub(" ", _line(shows)).split()) or "Image"
    try:
        url = str(parse_url(address))
    except BadUrl:
        return text
    return f"[{text}](<{quote(url, safe=_URL)}>)"
