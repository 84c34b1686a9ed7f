"""What a page comes to, without the libraries that read it: the bridge itself imports only this."""

from dataclasses import dataclass


class TooLarge(ValueError):
    """A page has more elements or style rules than any reader's would."""


@dataclass(frozen=True, slots=True)
class PageText:
    """What a person would read of a page.

    Attributes:
        title: Its title; empty without one.
        text: Its main part, as Markdown or text.
        removed: How many elements with text were left out because a style hides them.
        scripted: Whether next to nothing stands in it without its scripts, which are not run.
    """

    title: str
    text: str
    removed: int
    scripted: bool = False
