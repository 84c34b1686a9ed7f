"""From the paragraphs that an extractor has found to the subtree of the page that holds them.

Extractors find the right paragraphs and often lose lists, tables or headings between them. The smallest subtree that
holds what was found has all of it; what surrounds a text on most pages is taken out of it by the names that authors
give to such parts, and by links that are nearly all of a part.
"""

import copy
import re
from typing import Final

from lxml import etree
from lxml.html import HtmlElement

SHARE: Final = 0.85
"""The part of what was found that the subtree must hold."""
MORE: Final = 1.7
"""The most text the subtree may have, relative to the text found; with more it holds other things besides."""
MOST_PROSE: Final = 4.0
"""The same for a subtree that is hardly links: long lists or tables that the extractor has lost."""
_PROSE: Final = 0.1
_LINKED: Final = 0.6
"""The part of a block's text in links from which on it is a list of links."""
_LEAST: Final = 12
"""Weight of a text below which it could stand anywhere."""
_WIDE: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_LETTERS_FOR_ONE: Final = 3
_SURROUNDING_TAGS: Final = frozenset({"nav", "aside", "footer", "form", "menu"})
_ROLES: Final = frozenset({"navigation", "banner", "contentinfo", "complementary", "search", "dialog", "alertdialog"})
_NAMES: Final = re.compile(
    r"(?:^|[-_ ])(?:nav(?:bar|igation)?|menu|mega-menu|breadcrumbs?|crumbs|sidebar|side-?bar|toc|share|sharing|social|"
    r"related|reco(?:mmend\w*)?|comments?|reply|quickreply|newsletter|signup|subscribe|cookies?|consent|banner|promo|"
    r"advert\w*|ads?|sponsor\w*|footer|byline|entry-meta|post-meta|postmeta|pagination|pager|prev-next|catlinks|sitesub|"
    r"products?|tools|tags|skip-link|toolbar|user|masthead|popup|modal)(?:$|[-_ ])",
    re.IGNORECASE,
)
_ARTICLE: Final = re.compile(r"(?:article|story|post|entry)[-_]*(?:body|content|text)", re.IGNORECASE)
LOST: Final = 0.1
"""The part of a text that lost items of lists have, from which the extractor is not believed."""
_BLOCKS: Final = frozenset({"div", "section", "ul", "ol", "p", "table", "header", "article", "dl", "small", "hr", "li"})


def text_weight(text: str) -> int:
    """Return how much a text says: its length, where a character that is a word counts as several."""
    text = text.strip()
    return len(text) + (_LETTERS_FOR_ONE - 1) * len(_WIDE.findall(text))


def subtree_of(found: HtmlElement, page: HtmlElement) -> HtmlElement:
    """Return the subtree of a page that holds what was found, without its surroundings; else what was found.

    Args:
        found: What an extractor has made of the page.
        page: The page.
    """
    texts = {text for element in found.iter("p", "li", "h1", "h2", "h3", "pre", "td") if (text := _text(element))}
    weights: dict[HtmlElement, int] = {}
    for element in page.iter(etree.Element):
        if len(element) and element.tag not in {"p", "li", "pre", "td", "h1", "h2", "h3"}:
            continue
        text = _text(element)
        if text in texts and text_weight(text) >= _LEAST:
            for above in element.iterancestors():
                weights[above] = weights.get(above, 0) + text_weight(text)
    total = max(weights.values(), default=0)
    enough = [element for element, weight in weights.items() if weight >= SHARE * total]
    if not total or total < SHARE * _weight(found) / 2:
        marked = _landmark(page)
        return marked if marked is not None else found
    deepest = max(enough, key=lambda element: sum(1 for _ in element.iterancestors()))
    cleaned = without_surroundings(deepest)
    size, wanted = _weight(cleaned), _weight(found)
    linked = sum(_weight(link) for link in cleaned.iter("a"))
    most = MORE if linked > _PROSE * size else MOST_PROSE
    return cleaned if wanted * SHARE <= size <= wanted * most else found


def lost(found: HtmlElement, around: HtmlElement) -> bool:
    """Return whether an extractor has left out a table, code or a long list, or has run paragraphs together.

    Args:
        found: What it has made of the page.
        around: The subtree of the page that holds this.
    """

    def missing(*tags: str) -> int:
        return sum(map(_weight, around.iter(*tags))) - sum(map(_weight, found.iter(*tags)))

    if missing("table") > 0 or missing("pre") > 0 or missing("li", "dd") > LOST * max(_weight(around), 1):
        return True
    return 2 * sum(1 for _ in found.iter("p")) < sum(1 for part in around.iter("p") if _weight(part) >= _LEAST)


def join_parts(page: HtmlElement) -> None:
    """Put the parts of an article into the first, where a page has it in several, with advertisements between them.

    Args:
        page: The page, which is changed.
    """
    parts: dict[str, list[HtmlElement]] = {}
    for element in page.iter("div", "section"):
        name = element.get("class", "")
        if _ARTICLE.search(name) and element.find(".//p") is not None:
            parts.setdefault(name, []).append(element)
    for first, *others in parts.values():
        same = {first, *others}
        if others and not any(above in same for element in same for above in element.iterancestors()):
            for other in others:
                first.extend(list(other))


def _landmark(page: HtmlElement) -> HtmlElement | None:
    """Return the element that the author marks as the content, where the extractor ran its paragraphs together."""
    for path in ("//article", "//main", "//*[@role='main']"):
        marked = page.xpath(path)
        if len(marked) == 1:
            return without_surroundings(marked[0])
    return None


def without_surroundings(part: HtmlElement) -> HtmlElement:
    """Return a copy of a part of a page without what surrounds texts on most pages."""
    cleaned = copy.deepcopy(part)
    cleaned.tail = None
    whole = max(_weight(cleaned), 1)
    for element in list(cleaned.iter(etree.Element)):
        if element is cleaned or element.getparent() is None:
            continue
        # What holds most of the text is no surrounding, whatever its author calls it.
        if _surrounds(element) and _weight(element) < whole / 2:
            element.drop_tree()
    return cleaned


def _surrounds(element: HtmlElement) -> bool:
    if element.tag in _SURROUNDING_TAGS or element.get("role", "").lower() in _ROLES:
        return True
    if element.tag in _BLOCKS and any(_NAMES.search(element.get(name, "")) for name in ("class", "id")):
        return True
    if element.tag not in _BLOCKS:
        return False
    size, links = _weight(element), list(element.iter("a"))
    if element.tag == "p" and len(links) == 1:
        return False  # a sentence with a link is none
    linked = sum(map(_weight, links))
    return 0 < size < _LEAST * 20 and linked > _LINKED * size


def _text(element: HtmlElement) -> str:
    return " ".join("".join(element.itertext()).split())


def _weight(element: HtmlElement) -> int:
    return sum(map(text_weight, element.itertext()))
