"""What tools see of what the person looks at in Obsidian; who may see how much of it, they do not know."""

from collections.abc import Callable
from typing import Protocol

from bridge.contract.screen import OpenFile, Screen
from bridge.identity.caller import Caller
from bridge.policy.consent import Rule


class Seen(Protocol):
    """What a client is given."""

    @property
    def granted(self) -> Rule:
        """The answer that allows it."""

    @property
    def screen(self) -> Screen | None:
        """What the person looks at, as far as the client may read it; None: Obsidian does not tell."""


class Screens(Protocol):
    """Where tools ask; `bridge.consent.screens` answers."""

    @property
    def is_unsaved(self) -> Callable[[str], bool | None]:
        """Whether an editor holds text of a file that is not saved; None: it did not say. Blocks."""

    def look(self, caller: Caller, may_open: Callable[[str], bool]) -> Seen:
        """Return what a client is given, and remember what is selected in it."""

    def given(self, caller: Caller) -> OpenFile | None:
        """Return the file and what was selected in it when the client looked last."""

    def show(self, caller: Caller, path: str, part: str, line: int | None) -> str:
        """Show the person a file; return what became of it."""
