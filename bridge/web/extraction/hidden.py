"""Hidden content of a page, removed from its tree: instructions for an agent are hidden in such places.

Visible is what a browser would show without scripts, at once or after a click on a `details`: an element is hidden by
`hidden`, `aria-hidden`, an attribute `style`, a rule of a `style` element of the page itself, or a class that says so.
Texts of attributes (`alt`, `title`, `data-…`), comments and metadata are not shown and not kept. Style sheets in other
files are not fetched, and no layout is computed: text under another element, or outside the window for other reasons
than those below, is not recognised.
"""

import re
import time
from collections.abc import Iterator
from typing import Final

import cssselect
from lxml import etree
from lxml.html import HtmlElement

from bridge.web.extraction.lost_parts import replace_by_text
from bridge.web.extraction.reader import PageTooLarge

_IMAGES: Final = frozenset({"img", "picture"})
_NEVER: Final = _IMAGES.union(
    ("script", "style", "template", "noscript", "iframe", "object", "embed", "svg", "canvas", "audio", "video"),
    ("input", "select", "textarea", "button", "datalist", "meta", "link", "base", "map", "dialog"),
)
"""Elements that hold no text for readers."""
_HIDING_CLASSES: Final = frozenset(
    (
        *("sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text", "screen-reader-only", "sr_only"),
        *("hidden", "is-hidden", "d-none", "hide", "invisible", "offscreen", "off-screen", "element-invisible"),
    )
)
"""Classes by which widely used style sheets hide."""
_DECLARATION: Final = re.compile(r"\s*([a-z-]{1,40})\s*:\s*([^;]{1,400})", re.IGNORECASE)
_RULE: Final = re.compile(r"([^{}@]{1,400})\{([^{}]{0,4000})\}")
_COMMENT: Final = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_LENGTH: Final = re.compile(r"(-?\d{0,9}\.?\d{1,9})\s*(px|pt|em|rem|%|vw|vh|ex|ch|cm|mm|in|)?", re.IGNORECASE)
_ALPHA_ZERO: Final = re.compile(r"rgba?\([^)]*[,/]\s*0*\.?0*%?\s*\)|hsla?\([^)]*/\s*0*\.?0*%?\s*\)|transparent\b")
_COLOUR: Final = re.compile(r"#[0-9a-f]{3,8}|rgba?\([^)]{1,60}\)|[a-z]{3,20}", re.IGNORECASE)
_NOT_SHOWN: Final = re.compile(
    "[\u200b\u2060-\u2064\ufeff\u202a-\u202e\u2066-\u2069\u061c\u00ad\u180e\U000e0000-\U000e007f]|[\ue000-\uf8ff]"
)
"""Characters that are not seen: of no width, that turn the reading order, tags, private ones."""
_WHITE: Final = frozenset({"#fff", "#ffffff", "white", "rgb(255,255,255)"})
_FAR: Final = 900
"""Pixels beyond the edge of a window that count as outside of it."""
_SMALLEST: Final = 3.0
"""Pixels below which nobody reads a letter."""
_FAINTEST: Final = 0.1
_PIXELS: Final = {
    "": 1.0,
    "px": 1.0,
    "pt": 4 / 3,
    "em": 16.0,
    "rem": 16.0,
    "cm": 38.0,
    "mm": 3.8,
    "in": 96.0,
    "%": 0.16,
}
_MOST_RULES: Final = 20_000
_RULE_SECONDS: Final = 2.0
"""Processor time that the rules of a page may take; those of real pages take some milliseconds."""


def take_out_hidden(tree: HtmlElement, *, images: bool = False) -> int:
    """Remove what no reader sees, and the characters that cannot be seen in the rest.

    Args:
        tree: The page, which is changed.
        images: Whether its images stay.

    Returns:
        How many elements with text were removed that a style hides.
    """
    hidden = list(_hidden_by_rules(tree))
    # Of a page with very many of these, the text around them must not be written anew for each.
    etree.strip_elements(tree, etree.Comment, etree.ProcessingInstruction, with_tail=False)
    etree.strip_elements(tree, *(_NEVER - _IMAGES if images else _NEVER), with_tail=False)
    etree.strip_tags(tree, "picture")
    hidden += [element for element in tree.iter(etree.Element) if _is_hidden(element)]
    count = 0
    for element in hidden:
        if element.getparent() is not None and element.tag not in {"html", "body"}:
            count += bool("".join(element.itertext()).strip())
            replace_by_text(element, "")
    for element in tree.iter(etree.Element):
        if element.text and _NOT_SHOWN.search(element.text):
            element.text = _NOT_SHOWN.sub("", element.text)
        if element.tail and _NOT_SHOWN.search(element.tail):
            element.tail = _NOT_SHOWN.sub("", element.tail)
    return count


def _is_hidden(element: HtmlElement) -> bool:
    attributes = element.attrib
    if not attributes:
        return False
    if "hidden" in attributes or attributes.get("aria-hidden", "").lower() == "true":
        return True
    if _HIDING_CLASSES.intersection(attributes.get("class", "").lower().split()):
        return True
    style = attributes.get("style")
    return style is not None and hides(style)


def hides(style: str) -> bool:
    """Return whether the declarations of a style hide the text that they are for."""
    said = {
        name.lower(): value.lower().replace("!important", "").strip()
        for name, value in _DECLARATION.findall(_COMMENT.sub("", style[:8_000]))
    }
    return any(rule(said) for rule in _HIDING)


def _not_shown(said: dict[str, str]) -> bool:
    if said.get("display") == "none" or said.get("visibility") in {"hidden", "collapse"}:
        return True
    if said.get("content-visibility") == "hidden":
        return True
    opacity = _number(said.get("opacity", ""))
    return opacity is not None and opacity < _FAINTEST


def _too_small(said: dict[str, str]) -> bool:
    font = said.get("font-size") or said.get("font", "").partition("/")[0].rpartition(" ")[2]
    size = _pixels(font)
    if size is not None and size < _SMALLEST:
        return True
    if re.search(r"scale[xy3d]{0,2}\(\s*0?\.?0*\s*[,)]", said.get("transform", "")):
        return True
    clipped = "hidden" in said.get("overflow", "") or "clip" in said.get("overflow", "")
    return clipped and any(
        (size := _pixels(said.get(side, ""))) is not None and size <= 1
        for side in ("height", "width", "max-height", "max-width")
    )


def _outside(said: dict[str, str]) -> bool:
    indent = _pixels(said.get("text-indent", ""))
    if indent is not None and indent < -_FAR:
        return True
    if re.search(r"translate[xy3d]{0,2}\([^)]*-\s*\d{4,}", said.get("transform", "")):
        return True
    clip = said.get("clip", "") + said.get("clip-path", "")
    if re.search(
        r"rect\(\s*[01](?:px)?[\s,]+[01]|inset\(\s*(?:50|100)%|circle\(\s*0|polygon\(\s*0(?:px)?\s+0(?:px)?\s*\)", clip
    ):
        return True
    if said.get("position") not in {"absolute", "fixed", "relative"} and not any(
        name.startswith("margin") for name in said
    ):
        return False
    moved = (_pixels(said.get(side, "")) for side in ("left", "right", "top", "bottom", "margin-left", "margin-top"))
    return any(at is not None and abs(at) > _FAR for at in moved)


def _without_contrast(said: dict[str, str]) -> bool:
    colour = said.get("color", "").replace(" ", "")
    if _ALPHA_ZERO.match(colour):
        return True
    background = (said.get("background-color") or said.get("background", "")).replace(" ", "")
    found = _COLOUR.match(background)
    return colour != "" and found is not None and _plain(colour) == _plain(found[0])


_HIDING: Final = (_not_shown, _too_small, _outside, _without_contrast)


def _plain(colour: str) -> str:
    if colour in _WHITE:
        return "white"
    if re.fullmatch(r"#[0-9a-f]{3}", colour):
        return "#" + "".join(digit * 2 for digit in colour[1:])
    return {"black": "#000000"}.get(colour, colour)


def _number(text: str) -> float | None:
    found = _LENGTH.match(text)
    return None if found is None else float(found[1]) / (100 if found[2] == "%" else 1)


def _pixels(text: str) -> float | None:
    found = _LENGTH.match(text)
    return None if found is None else float(found[1]) * _PIXELS.get((found[2] or "").lower(), 10.0)


def _hidden_by_rules(tree: HtmlElement) -> Iterator[HtmlElement]:
    """Yield elements that a rule of the page's own style sheets hides. Rules for printing and so on are left alone."""
    left, began = _MOST_RULES, time.process_time()
    translator = cssselect.HTMLTranslator()
    for sheet in tree.iter("style"):
        if "print" in sheet.get("media", "").lower():
            continue
        text = _without_at_rules(_COMMENT.sub("", sheet.text or "")[:200_000])
        for selectors, declarations in _RULE.findall(text):
            left -= 1
            if left < 0 or time.process_time() - began > _RULE_SECONDS:
                raise PageTooLarge  # what is left could hide something
            if not hides(declarations):
                continue
            try:
                yield from tree.xpath(translator.css_to_xpath(selectors.strip()))
            except (cssselect.SelectorError, etree.XPathError, ValueError, TypeError):
                continue


def _without_at_rules(text: str) -> str:
    """Return a style sheet without blocks such as `@media (max-width: …) {…}`, whose rules hold only sometimes."""
    kept: list[str] = []
    at = 0
    while (start := text.find("@", at)) >= 0:
        kept.append(text[at:start])
        opened, depth = text.find("{", start), 0
        ended = text.find(";", start)
        if opened < 0 or (0 <= ended < opened):
            at = ended + 1 if ended >= 0 else len(text)
            continue
        at = len(text)
        for index in range(opened, len(text)):
            depth += (text[index] == "{") - (text[index] == "}")
            if depth == 0:
                at = index + 1
                break
    return "".join(kept) + text[at:]
