"""The screen of the person in Obsidian, as tools see it; they do not know who may see how much of it."""

from collections.abc import Callable
from typing import Protocol

from bridge.contract.hosts import OpenFile, Screen
from bridge.identity.caller import Caller
from bridge.policy.consent import Rule


class Seen(Protocol):
    """The part of the screen that a client is given."""

    @property
    def granted(self) -> Rule:
        """Return the answer that allows it."""

    @property
    def screen(self) -> Screen | None:
        """Return the person's screen, as far as the client may read it; None: Obsidian does not report it."""


class Screens(Protocol):
    """The screens as tools ask for them; `bridge.consent.screens` answers."""

    @property
    def is_unsaved(self) -> Callable[[str], bool | None]:
        """Return a function that tells whether an editor holds unsaved text of a file; None: it did not say. Blocks."""

    def look(self, caller: Caller, may_open: Callable[[str], bool]) -> Seen:
        """Return what a client is given, and remember what is selected in it."""

    def given(self, caller: Caller) -> OpenFile | None:
        """Return the file and what was selected in it when the client looked last."""

    def show(self, caller: Caller, path: str, part: str, line: int | None) -> str:
        """Show the person a file; return what became of it."""
