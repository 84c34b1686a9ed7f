"""Content that Markdown has signs for and extractors lose: formulas and footnotes. They become text beforehand."""

import re
from typing import Final

import lxml.html
from lxml.html import HtmlElement

MOST_FORMULA: Final = 2_000
"""Characters of a formula; what is longer is none."""
_TEX: Final = re.compile(r"^application/x-tex\b|^TeX\b|\blatex\b", re.IGNORECASE)
_SCRIPT: Final = re.compile(r"^math/tex\b")
_NOTE_ID: Final = re.compile(r"(?:^|[-_:.])(?:fn|footnote|cite_note|note|ftn|endnote)s?(?=[-_:.\d])", re.IGNORECASE)
_BACK: Final = re.compile(r"^[\s↩↑^⤴←]*$")


def write_formulas(tree: HtmlElement) -> None:
    """Put the TeX of each formula in its place, between dollar signs: `math` elements with it, and scripts of MathJax.

    Args:
        tree: The page, which is changed.
    """
    for formula in list(tree.iter("math", "script")):
        tex, display = _script_tex(formula) if formula.tag == "script" else _math_tex(formula)
        if tex and len(tex) <= MOST_FORMULA:
            place = _whole_formula(formula)
            if display:
                place.addprevious(_paragraph(f"$${tex}$$"))
            _replace(place, "" if display else f"${tex}$")


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
        alone = above is not None and above.tag == "sup" and "".join(above.itertext()).strip() == _text(link)
        _replace(above if alone else link, f"[^{number}]")
    for target, number in numbers.items():
        note = notes[target]
        for back in [
            each for each in note.iter("a") if _BACK.match(_text(each)) and each.get("href", "").startswith("#")
        ]:
            _replace(back, "")
        note.tag = "p"  # not an item of a list, whose number would stand before it
        first = next((part for part in note.iter("p", "li", "div", "dd", "span") if (part.text or "").strip()), note)
        first.text = f"[^{number}]: {(first.text or '').lstrip()}"


def _paragraph(text: str) -> HtmlElement:
    paragraph: HtmlElement = lxml.html.Element("p")
    paragraph.text = text
    return paragraph


def _math_tex(formula: HtmlElement) -> tuple[str, bool]:
    display = formula.get("display") == "block" or "block" in formula.get("mode", "")
    for annotation in formula.iter("annotation"):
        if _TEX.search(annotation.get("encoding", "")):
            return _clean(_text(annotation)), display
    return _clean(formula.get("alttext", "")), display


def _script_tex(formula: HtmlElement) -> tuple[str, bool]:
    kind = formula.get("type", "")
    return (_clean(formula.text or ""), "display" in kind) if _SCRIPT.search(kind) else ("", False)


def _clean(tex: str) -> str:
    """Return TeX in one line, without the frame that Wikipedia puts around it; empty when it could end the formula."""
    line = " ".join(tex.split())
    framed = re.fullmatch(r"\{\\displaystyle (.*)\}", line)
    line = framed[1].strip() if framed else line
    return "" if "$" in line else line


def _whole_formula(formula: HtmlElement) -> HtmlElement:
    """Return the outermost element that shows only this formula: KaTeX and MathJax write it two or three times."""
    place = formula
    for above in formula.iterancestors("span", "mjx-container", "mjx-assistive-mml"):
        names = above.get("class", "").lower()
        if above.tag.startswith("mjx") or any(
            name in names for name in ("katex", "mathjax", "mwe-math", "math-inline")
        ):
            place = above
    return place


def _replace(element: HtmlElement, text: str) -> None:
    """Put a text in the place of an element; what follows the element stays."""
    parent, before = element.getparent(), element.getprevious()
    if parent is None:
        return
    text += element.tail or ""
    if before is not None:
        before.tail = (before.tail or "") + text
    else:
        parent.text = (parent.text or "") + text
    parent.remove(element)


def _text(element: HtmlElement) -> str:
    return "".join(element.itertext()).strip()
