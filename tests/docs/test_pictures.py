"""The pictures in the README are there, described in words, load nothing, and show what is drawn today."""

import re

from scripts.lib.environment import ROOT
from scripts.lib.pictures import PICTURES, WINDOWS, terminal_picture

README = (ROOT / "README.md").read_text(encoding="utf-8")
SHOWN = {place: text for text, place in re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", README)}


def test_every_picture_that_is_made_is_shown_and_described() -> None:
    made = {PICTURES / f"{name}.png" for name in WINDOWS} | {PICTURES / "terminal.svg"}
    assert {ROOT / place for place in SHOWN} == made == set(PICTURES.iterdir())
    assert all(len(text.split()) > 4 for text in SHOWN.values())


def test_the_terminal_is_shown_as_it_is_drawn() -> None:
    """On a mismatch, run `python3 scripts/make-pictures` and look at what it makes."""
    assert (PICTURES / "terminal.svg").read_text(encoding="utf-8") == terminal_picture()


def test_a_picture_loads_nothing() -> None:
    assert set(re.findall(r"https?://[^\"' )]+", terminal_picture())) == {"http://www.w3.org/2000/svg"}
