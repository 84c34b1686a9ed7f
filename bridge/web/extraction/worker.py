"""The worker process in which what strangers wrote is parsed, and how a page becomes what a person would read of it.

Whatever a page does to a parser, it does to this process. A request's `task` says what its bytes are: a page, a
robots.txt, or the answer of a search service. The answer has what that came to, or it has `failed`. The process ends
when its standard input does, or when it takes more memory than it may.
"""

import copy
import re
import secrets
from dataclasses import asdict
from typing import Any, Final
from urllib.parse import urljoin

import lxml.html
import trafilatura
import trafilatura.metadata
import trafilatura.settings
from lxml import etree
from lxml.html import HtmlElement
from markdownify import MarkdownConverter
from protego import Protego
from readability import Document

from bridge.errors import NetworkFailure
from bridge.web.door import WebResponse
from bridge.web.extraction import lost_parts
from bridge.web.extraction.hidden import take_out_hidden
from bridge.web.extraction.reader import PageText, PageTooLarge, decode_text, mark
from bridge.web.search_services import search_reader
from bridge.web.url import parse_url
from bridge.workers.frames import answer_requests, limit_address_space, watch_resident_memory

LEAST: Final = 0.25
"""The part of a page's visible text that its main part has, at least; else another way of finding it is tried."""
LEAST_TEXT: Final = 80
"""Weight of a text from which trafilatura's word is taken for it, whatever else the page shows."""
MOST_ELEMENTS: Final = 200_000
SCRIPTED: Final = 200
"""Weight of the text of a page with scripts below which they write the rest of it."""
UNLINKED: Final = 0.8
"""The part of the text found without links that is to be found with them."""
_SHORT: Final = copy.deepcopy(trafilatura.settings.DEFAULT_CONFIG)
# Its bounds are for languages with letters; a page in Chinese says in 80 characters what takes 250 of them.
_SHORT.set("DEFAULT", "MIN_EXTRACTED_SIZE", "80")
_MOST_IMAGES: Final = 500
_LONGEST_NAME: Final = 200
_LONGEST_ADDRESS: Final = 2000
_SOURCES: Final = ("src", "data-src", "data-original")
"""The attributes for an image's address; a page that loads images late has a picture of one pixel in `src`."""
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_BLANKS: Final = re.compile(r"\n[ \t]*\n(?:[ \t]*\n)+")
_KEPT: Final = {"href", "colspan", "rowspan", "start", "class"}
_SPANS: Final = re.compile(r"[1-9][0-9]?")
"""Columns or rows that one cell of a table may take; pages have been seen to ask for millions."""


def read_page(data: bytes, url: str, charset: str = "", form: str = "markdown") -> PageText:
    """Return the text that a person would read of a page.

    Args:
        data: The page's bytes.
        url: Where it came from, by which its links become absolute.
        charset: The encoding that the header names.
        form: `markdown`, `text`, or `note`: Markdown with places for the images, and who wrote it when.

    Raises:
        PageTooLarge: It has too many elements.
    """
    text, _encoding = decode_text(data, charset)
    tree = _parsed(text)
    if tree is None:
        return PageText("", "", 0)
    _bound(tree)
    title = _title(tree)
    as_note = form == "note"
    author, date = _origin(tree, url) if as_note else ("", "")
    lost_parts.write_formulas(tree)
    lost_parts.write_footnotes(tree)
    scripted = next(tree.iter("script"), None) is not None
    removed = take_out_hidden(tree, images=as_note)
    lost_parts.write_formulas(tree, seen=True)
    _make_absolute(tree, url)
    main = _main(tree, url, images=as_note)
    _make_absolute(main, url)
    images = _Images(url)
    if as_note:
        images.take_out(main)
    _strip(main)
    written = _plain(main) if form == "text" else _markdown(main)
    is_scripted = scripted and lost_parts.text_weight(written) < SCRIPTED
    return PageText(title, written, removed, is_scripted, author, date, tuple(images.found), images.marked)


def _origin(tree: HtmlElement, url: str) -> tuple[str, str]:
    """Return who wrote a page, and on which day, as far as it says so."""
    try:
        found = trafilatura.metadata.extract_metadata(copy.deepcopy(tree), default_url=url)
    except Exception:  # noqa: BLE001 - a page can do without, whatever it does to a parser
        return "", ""
    author, date = " ".join((found.author or "").split())[:_LONGEST_NAME], found.date or ""
    return author, date if _DAY.fullmatch(date) else ""


class _Images:
    """The images of a page, of which marks are left in its text.

    Args:
        url: Where the page came from, by which their addresses become absolute.

    Attributes:
        found: The images: what each shows, and its address.
        marked: The beginning of the marks.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self.found: list[tuple[str, str]] = []
        self.marked = f"image{secrets.token_hex(8)}"

    def take_out(self, tree: HtmlElement) -> None:
        """Replace the images of a tree by their marks."""
        for image in list(tree.iter("img")):
            mark = self._mark(image)
            parent = image.getparent()
            if parent is None:
                continue
            block = parent.tag in {"body", "div", "section", "article", "main", "figure"}
            left = lxml.html.fragment_fromstring("<p></p>" if block else "<span></span>")
            left.text, left.tail = mark, image.tail
            parent.replace(image, left)

    def _mark(self, image: HtmlElement) -> str:
        for name in _SOURCES:
            try:
                address = urljoin(self._url, (image.get(name) or "").strip())
            except ValueError:
                continue
            if image.get(name) and address.startswith(("http://", "https://")):
                break
        else:
            return ""
        if len(self.found) >= _MOST_IMAGES or len(address) > _LONGEST_ADDRESS:
            return ""
        self.found.append((" ".join((image.get("alt") or "").split())[:_LONGEST_NAME], address))
        return mark(self.marked, len(self.found) - 1)


def _parsed(text: str) -> HtmlElement | None:
    parser = lxml.html.HTMLParser(encoding="utf-8", remove_pis=True, huge_tree=False)
    try:
        tree = lxml.html.document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError):
        return None
    return tree if len(tree) else None


def _bound(tree: HtmlElement) -> None:
    """Refuse what would take long in every step after this one."""
    for count, element in enumerate(tree.iter(etree.Element)):
        if count > MOST_ELEMENTS:
            raise PageTooLarge
        for name in ("colspan", "rowspan"):
            span = element.get(name)
            if span is not None and not _SPANS.fullmatch(span.strip()):
                del element.attrib[name]


def _title(tree: HtmlElement) -> str:
    """Return the heading of the page where it has one that its title repeats, else its title."""
    title = " ".join((tree.findtext(".//title") or "").split())
    headings = [" ".join("".join(heading.itertext()).split()) for heading in tree.iter("h1")]
    for heading in headings:
        if heading and heading.casefold() in title.casefold():
            return heading
    return title or (headings[0] if headings else "")


def _make_absolute(tree: HtmlElement, url: str) -> None:
    for link in tree.iter("a"):
        href = link.get("href")
        if href is None:
            continue
        try:
            absolute = urljoin(url, href.strip())
        except ValueError:
            absolute = ""
        if absolute.startswith(("http://", "https://", "mailto:")) and not href.strip().startswith("#"):
            link.set("href", absolute)
        else:
            del link.attrib["href"]


def _main(tree: HtmlElement, url: str, *, images: bool) -> HtmlElement:
    """Return the page's content: what trafilatura finds, or the subtree around it where tables or lists were lost."""
    body = tree.find("body")
    whole = body if body is not None else tree
    lost_parts.join_parts(whole)
    visible = lost_parts.tree_weight(whole)
    main = _by_trafilatura(tree, url, images=images)
    if main is None or lost_parts.tree_weight(main) < LEAST * visible:
        short = _extracted(tree, url, links=True, images=images, config=_SHORT)
        main = max((found for found in (main, short) if found is not None), key=lost_parts.tree_weight, default=None)
    if main is None or lost_parts.tree_weight(main) < LEAST_TEXT:
        main = _by_readability(tree, url)
        if main is None or lost_parts.tree_weight(main) < LEAST * visible:
            return lost_parts.without_surroundings(whole)
    around = lost_parts.subtree_of(main, whole)
    return around if lost_parts.lost(main, around) else main


def _by_trafilatura(tree: HtmlElement, url: str, *, images: bool) -> HtmlElement | None:
    """Return what it finds with links; without them where paragraphs with many of them would be left out."""
    linked, bare = (_extracted(tree, url, links=links, images=images) for links in (True, False))
    if linked is None or bare is None:
        return linked if bare is None else bare
    least = UNLINKED * lost_parts.tree_weight(bare)
    if lost_parts.tree_weight(linked) < least:  # it has other ways, which take longer
        linked = _extracted(tree, url, links=True, images=images, fast=False)
    return linked if linked is not None and lost_parts.tree_weight(linked) >= least else bare


def _extracted(
    tree: HtmlElement, url: str, *, links: bool, images: bool, config: Any = None, fast: bool = True
) -> HtmlElement | None:
    page = copy.deepcopy(tree)
    lost_parts.mark_code(page)
    written = trafilatura.extract(
        page,
        url=url,
        fast=fast,
        output_format="html",
        include_links=links,
        include_images=images,
        include_tables=True,
        include_formatting=True,
        include_comments=False,
        **({} if config is None else {"config": config}),
    )
    found = None if written is None else _parsed(written)
    if found is not None:
        lost_parts.give_back(found, tree)
    return found


def _by_readability(tree: HtmlElement, url: str) -> HtmlElement | None:
    try:
        found = Document(lxml.html.tostring(tree, encoding="unicode"), url=url).summary(html_partial=True)
    except Exception:  # noqa: BLE001 - it raises a class of its own for everything, and the page itself is left
        return None
    return _parsed(found)


def _strip(tree: HtmlElement) -> None:
    for element in tree.iter(etree.Element):
        for name in set(element.attrib) - _KEPT:
            del element.attrib[name]
    for outer in list(tree.iter("pre")):  # a block of code comes as one block in another
        inner = outer.find("pre")
        if inner is not None and not (outer.text or "").strip() and len(outer) == 1:
            outer.text, inner.tail = "", ""


class _Converter(MarkdownConverter):
    """Markdown as it is written by hand, without pictures."""

    def convert_img(self, el: Any, text: str, parent_tags: Any) -> str:
        """Leave pictures out: a note that shows one would load it."""
        del el, text, parent_tags
        return ""

    def convert_pre(self, el: Any, text: str, parent_tags: Any) -> str:
        """Return one block of code, however many elements it is made of."""
        if "pre" in parent_tags:
            return text
        written: str = super().convert_pre(el, text, parent_tags)  # type: ignore[misc] # it is made as it is needed
        return written


def _markdown(tree: HtmlElement) -> str:
    html = lxml.html.tostring(tree, encoding="unicode")
    converter = _Converter(heading_style="ATX", bullets="-", escape_asterisks=True, escape_underscores=False)
    return _BLANKS.sub("\n\n", converter.convert(html)).strip()


_BLOCKS: Final = frozenset(
    (
        *("p", "div", "section", "article", "main", "li", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "table"),
        *("tr", "pre", "blockquote", "dl", "dt", "dd", "figure", "figcaption", "hr", "br", "header", "footer"),
        *("body", "html"),
    )
)


def _plain(tree: HtmlElement) -> str:
    """Return the text with a line for each block."""
    pieces: list[str] = []

    def walk(element: HtmlElement, *, kept: bool) -> None:
        block = element.tag in _BLOCKS
        kept = kept or element.tag == "pre"
        if block:
            pieces.append("\n")
        if element.text:
            pieces.append(element.text if kept else re.sub(r"\s+", " ", element.text))
        for child in element:
            if isinstance(child.tag, str):
                walk(child, kept=kept)
            if child.tail:
                pieces.append(child.tail if kept else re.sub(r"\s+", " ", child.tail))
        if block:
            pieces.append("\n")
        elif element.tag in {"td", "th"}:
            pieces.append("\t")

    walk(tree, kept=False)
    lines = (line.rstrip() for line in "".join(pieces).split("\n"))
    return re.sub(
        r"\n{2,}", "\n\n", "\n".join(line if line.startswith("  ") else line.lstrip() for line in lines)
    ).strip()


_AGENT: Final = re.compile(r"(\s*user[- ]?agent\s*[:\s]\s*)([^#]*)", re.IGNORECASE)
_OTHERS: Final = "others"


def allows(data: bytes, url: str, agent: str) -> bool:
    """Say whether a robots.txt lets a program read a page.

    The parser keeps every rule once for each program that it is for, so a short file of many of both would take
    gigabytes. All programs but ours become one before it sees them.

    Args:
        data: The file.
        url: The page.
        agent: The program's name for itself, without a version.
    """
    lines = (_without_others(line, agent.lower()) for line in data.decode("utf-8", "replace").splitlines())
    return bool(Protego.parse("\n".join(lines)).can_fetch(url, agent))


def _without_others(line: str, agent: str) -> str:
    found = _AGENT.match(line)
    if found is None:
        return line
    named = found[2].strip().lower()
    return line if named == "*" or (named and agent.startswith(named.replace("*", ""))) else f"User-agent: {_OTHERS}"


ADDRESS_SPACE: Final = 2 * 1024 * 1024 * 1024
RESIDENT: Final = 512 * 1024 * 1024
"""Bytes that the process may take. A page of 10 MB takes about 300 MB."""


def main() -> None:
    """Answer requests until there are no more."""
    limit_address_space(ADDRESS_SPACE)
    watch_resident_memory(RESIDENT)
    answer_requests(answer)


def answer(header: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
    """Return the answer to one request: facts, and the text of a page."""
    try:
        match header["task"]:
            case "page":
                facts = asdict(read_page(data, header["url"], header["charset"], header["form"]))
                return facts, facts.pop("text").encode("utf-8", "replace")
            case "robots":
                return {"allowed": allows(data, header["url"], header["agent"])}, b""
            case _:
                response = WebResponse(parse_url(header["url"]), header["status"], {}, data, len(data), 0.0)
                return {"hits": [asdict(hit) for hit in search_reader(header["service"])(response)]}, b""
    except NetworkFailure as failure:
        return {"failed": failure.message, "code": failure.code}, b""
    except PageTooLarge:
        return {"failed": "it has too many elements or rules"}, b""
    except Exception as error:  # noqa: BLE001 - whatever a text does to a parser is its own fault
        return {"failed": f"it cannot be parsed ({type(error).__name__})"}, b""


if __name__ == "__main__":
    main()
