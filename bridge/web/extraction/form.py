"""The form of an extracted page, without the libraries that read it: the bridge itself imports only this."""

from dataclasses import dataclass


class TooLarge(ValueError):
    """A page has more elements or style rules than any reader's would."""


@dataclass(frozen=True, slots=True)
class PageText:
    """The text that a person would read of a page.

    Attributes:
        title: Its title; empty without one.
        text: Its main part, as Markdown or text.
        removed: The number of elements with text left out because a style hides them.
        scripted: Whether next to nothing stands in it without its scripts, which are not run.
        author: Its author, where it names one and was read as a note.
        date: When it was published, as `YYYY-MM-DD`, likewise.
        images: The images of a note: what each shows, and its address. Where the n-th belongs, `mark(n)` stands in the
            text.
        marked: What the marks of the images begin with: no page can know it.
    """

    title: str
    text: str
    removed: int
    scripted: bool = False
    author: str = ""
    date: str = ""
    images: tuple[tuple[str, str], ...] = ()
    marked: str = ""


def mark(marked: str, number: int | str) -> str:
    """Return what stands in the text of a note where an image belongs.

    Args:
        marked: The `marked` of the page.
        number: Which of its images, counted from 0, or a pattern for it.
    """
    return f"{marked}x{number}x"
