"""Content that Markdown has signs for and extractors lose: formulas, footnotes, code in a line, numbers of lists.

Formulas and footnotes become text beforehand.
"""

import re
from typing import Final

import lxml.html
from lxml.html import HtmlElement

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
                place.addprevious(_paragraph(f"$${tex}$$"))
            _replace(place, "" if display else f"${tex}$")
        elif seen:
            _replace(formula, "")


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


def mark_code(tree: HtmlElement) -> None:
    """Make code within a line what an extractor leaves in its line: it would make a block of it.

    Args:
        tree: The page, which is changed.
    """
    for code in list(tree.iter("code", "tt")):
        if "\n" not in _text(code) and not any(above.tag == "pre" for above in code.iterancestors()):
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
        return f"\\text{{{_text(element)}}}"
    return "".join(parts) if parts else (element.text or "").strip(_UNSEEN)


def _script_tex(formula: HtmlElement) -> tuple[str, bool]:
    kind = formula.get("type", "")
    return (_clean(formula.text or ""), "display" in kind) if _SCRIPT.search(kind) else ("", False)


def _clean(tex: str) -> str:
    """Return TeX in one line, without the frame that Wikipedia puts around it; empty when it could end the formula."""
    line = " ".join(tex.split())
    framed = re.fullmatch(r"\{\\displaystyle (.*)\}", line)
    line = framed[1].strip() if framed else line
    return "" if _NONE in line else line


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
