"""Repairs what extractors lose: lists, tables and headings between paragraphs, and what Markdown has signs for.

The smallest subtree of a page that holds what was found has all of it; what surrounds a text on most pages is taken out
of it by the names that authors give to such parts, and by links that are nearly all of a part. Formulas and footnotes
become text beforehand; code in a line and the numbers of lists are marked and given back.
"""

import copy
import re
from typing import Final

import lxml.html
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
    if not total or total < SHARE * tree_weight(found) / 2:
        marked = _landmark(page)
        return marked if marked is not None else found
    deepest = max(enough, key=lambda element: sum(1 for _ in element.iterancestors()))
    cleaned = without_surroundings(deepest)
    size, wanted = tree_weight(cleaned), tree_weight(found)
    linked = sum(tree_weight(link) for link in cleaned.iter("a"))
    most = MORE if linked > _PROSE * size else MOST_PROSE
    return cleaned if wanted * SHARE <= size <= wanted * most else found


def lost(found: HtmlElement, around: HtmlElement) -> bool:
    """Return whether an extractor has left out a table, code or a long list, or has run paragraphs together.

    Args:
        found: What it has made of the page.
        around: The subtree of the page that holds this.
    """

    def missing(*tags: str) -> int:
        return sum(map(tree_weight, around.iter(*tags))) - sum(map(tree_weight, found.iter(*tags)))

    if missing("table") > 0 or missing("pre") > 0 or missing("li", "dd") > LOST * max(tree_weight(around), 1):
        return True
    return 2 * sum(1 for _ in found.iter("p")) < sum(1 for part in around.iter("p") if tree_weight(part) >= _LEAST)


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
    whole = max(tree_weight(cleaned), 1)
    for element in list(cleaned.iter(etree.Element)):
        if element is cleaned or element.getparent() is None:
            continue
        # What holds most of the text is no surrounding, whatever its author calls it.
        if _surrounds(element) and tree_weight(element) < whole / 2:
            element.drop_tree()
    return cleaned


def _surrounds(element: HtmlElement) -> bool:
    if element.tag in _SURROUNDING_TAGS or element.get("role", "").lower() in _ROLES:
        return True
    if element.tag in _BLOCKS and any(_NAMES.search(element.get(name, "")) for name in ("class", "id")):
        return True
    if element.tag not in _BLOCKS:
        return False
    size, links = tree_weight(element), list(element.iter("a"))
    if element.tag == "p" and len(links) == 1:
        return False  # a sentence with a link is none
    linked = sum(map(tree_weight, links))
    return 0 < size < _LEAST * 20 and linked > _LINKED * size


def _text(element: HtmlElement) -> str:
    return " ".join("".join(element.itertext()).split())


def tree_weight(element: HtmlElement) -> int:
    """Return the weight of all text in a tree."""
    return sum(map(text_weight, element.itertext()))


MOST_FORMULA: Final = 2_000
"""Characters of a formula; what is longer is none."""
MOST_DEEP: Final = 30
"""Elements of a formula, one in the other."""
_FRAMES: Final = {
    ("mfrac", 2): r"\frac{{{}}}{{{}}}",
    ("msup", 2): "{{{}}}^{{{}}}",
    ("msub", 2): "{{{}}}_{{{}}}",
    ("msubsup", 3): "{{{}}}_{{{}}}^{{{}}}",
    ("munder", 2): "{{{}}}_{{{}}}",
    ("mover", 2): "{{{}}}^{{{}}}",
    ("munderover", 3): "{{{}}}_{{{}}}^{{{}}}",
    ("msqrt", 1): r"\sqrt{{{}}}",
    ("mroot", 2): r"\sqrt[{1}]{{{0}}}",
}
"""What TeX writes around the parts of an element of MathML, by its name and their number."""
_NOT_DRAWN: Final = frozenset({"annotation", "annotation-xml", "mphantom"})
_FIRST_ONLY: Final = frozenset({"maction", "semantics"})
"""Elements of which browsers draw the first part only (MathML Core, 3.6 and 3.7)."""
_TEX: Final = re.compile(r"^application/x-tex\b|^TeX\b|\blatex\b", re.IGNORECASE)
_NONE: Final = "$"
"""What no formula contains: it would end there."""
_UNSEEN: Final = " \t\r\n\u2061\u2062\u2063\u2064"
"""White space, and operators that are not seen."""
_SCRIPT: Final = re.compile(r"^math/tex\b")
_FORMULA_CLASSES: Final = ("katex", "mathjax", "mwe-math", "math-inline")
_NOTE_ID: Final = re.compile(r"(?:^|[-_:.])(?:fn|footnote|cite_note|note|ftn|endnote)s?(?=[-_:.\d])", re.IGNORECASE)
_BACK: Final = re.compile(r"^[\s↩↑^⤴←]*$")


def write_formulas(tree: HtmlElement, *, seen: bool = False) -> None:
    """Put the TeX of each formula in its place, between dollar signs: `math` elements with it, and scripts of MathJax.

    Args:
        tree: The page, which is changed.
        seen: Whether what is not seen has been taken out of it: then formulas that only say how they look are written,
            and what is no formula is left out.
    """
    for formula in list(tree.iter("math", "script")):
        tex, display = _script_tex(formula) if formula.tag == "script" else _math_tex(formula)
        if seen and not tex and formula.find(".//annotation") is None:
            tex = _clean(_tex_of(formula))
        if tex and len(tex) <= MOST_FORMULA:
            place = _whole_formula(formula)
            if display:
                paragraph = lxml.html.Element("p")
                paragraph.text = f"$${tex}$$"
                place.addprevious(paragraph)
            replace_by_text(place, "" if display else f"${tex}$")
        elif seen:
            replace_by_text(formula, "")


def write_footnotes(tree: HtmlElement) -> None:
    """Write each reference to a footnote of the page as `[^1]`, and begin the footnote with `[^1]:`.

    Args:
        tree: The page, which is changed.
    """
    notes = {note.get("id"): note for note in tree.iter("li", "p", "div", "dd") if _NOTE_ID.search(note.get("id", ""))}
    if not notes:
        return
    numbers: dict[str, int] = {}
    for link in list(tree.iter("a")):
        target = link.get("href", "").partition("#")[2] if link.get("href", "").startswith("#") else ""
        if target not in notes or any(above is notes[target] for above in link.iterancestors()):
            continue
        number = numbers.setdefault(target, len(numbers) + 1)
        above = link.getparent()
        alone = above is not None and above.tag == "sup" and "".join(above.itertext()).strip() == _stripped(link)
        replace_by_text(above if alone else link, f"[^{number}]")
    for target, number in numbers.items():
        note = notes[target]
        for link in list(note.iter("a")):
            if _BACK.match(_stripped(link)) and link.get("href", "").startswith("#"):
                replace_by_text(link, "")
        note.tag = "p"  # not an item of a list, whose number would stand before it
        first = next((part for part in note.iter("p", "li", "div", "dd", "span") if (part.text or "").strip()), note)
        first.text = f"[^{number}]: {(first.text or '').lstrip()}"


def mark_code(tree: HtmlElement) -> None:
    """Make code within a line what an extractor leaves in its line: it would make a block of it.

    Args:
        tree: The page, which is changed.
    """
    for code in list(tree.iter("code", "tt")):
        if "\n" not in _stripped(code) and not any(above.tag == "pre" for above in code.iterancestors()):
            code.tag = "kbd"


def give_back(found: HtmlElement, page: HtmlElement) -> None:
    """Make what an extractor has made of a page's code within lines and numbered lists what they were.

    Args:
        found: What it has made of the page, which is changed.
        page: The page.
    """
    for code in found.iter("var"):
        code.tag = "code"
    numbered = {_letters(each): each for each in page.iter("ol")}
    for plain in found.iter("ul") if numbered else ():
        if (each := numbered.get(_letters(plain))) is not None:
            plain.tag = "ol"
            plain.set("start", each.get("start", "1"))


def _letters(element: HtmlElement) -> str:
    """Return the text of an element without its white space, which extractors change."""
    return "".join("".join(element.itertext()).split())


def _math_tex(formula: HtmlElement) -> tuple[str, bool]:
    display = formula.get("display") == "block" or "block" in formula.get("mode", "")
    for annotation in formula.iter("annotation"):
        if _TEX.search(annotation.get("encoding", "")):
            return _clean(_stripped(annotation)), display
    return _clean(formula.get("alttext", "")), display


def _tex_of(element: HtmlElement, depth: int = 0) -> str:
    """Return the TeX of a formula that only says how it looks; where it is too deep, what is none."""
    if depth > MOST_DEEP:
        return _NONE
    drawn = [part for part in element if isinstance(part.tag, str) and part.tag not in _NOT_DRAWN]
    parts = [_tex_of(part, depth + 1) for part in (drawn[:1] if element.tag in _FIRST_ONLY else drawn)]
    frame = _FRAMES.get((element.tag, len(parts)))
    if frame is not None:
        return frame.format(*parts)
    if element.tag == "mtext":
        return f"\\text{{{_stripped(element)}}}"
    return "".join(parts) if parts else (element.text or "").strip(_UNSEEN)


def _script_tex(formula: HtmlElement) -> tuple[str, bool]:
    kind = formula.get("type", "")
    return (_clean(formula.text or ""), "display" in kind) if _SCRIPT.search(kind) else ("", False)


def _clean(tex: str) -> str:
    """Return TeX in one line, without the frame that Wikipedia puts around it; empty when it could end the formula."""
    line = re.sub(r"^\{\\displaystyle (.*)\}$", r"\1", " ".join(tex.split())).strip()
    return "" if _NONE in line else line


def _whole_formula(formula: HtmlElement) -> HtmlElement:
    """Return the outermost element that shows only this formula: KaTeX and MathJax write it two or three times."""
    place = formula
    for above in formula.iterancestors("span", "mjx-container", "mjx-assistive-mml"):
        names = above.get("class", "").lower()
        if above.tag.startswith("mjx") or any(name in names for name in _FORMULA_CLASSES):
            place = above
    return place


def replace_by_text(element: HtmlElement, text: str) -> None:
    """Put a text in the place of an element; what follows the element stays."""
    parent, before = element.getparent(), element.getprevious()
    if parent is None:
        return
    text += element.tail or ""
    if text and before is not None:
        before.tail = (before.tail or "") + text
    elif text:
        parent.text = (parent.text or "") + text
    parent.remove(element)


def _stripped(element: HtmlElement) -> str:
    return "".join(element.itertext()).strip()
