"""The vault's files that a call may be given: none that the user has closed, and some of them whole."""

from collections.abc import Callable, Iterator
from typing import Protocol

from bridge.contract.hosts import OpenFile, Screen
from bridge.errors import PermissionDenied
from bridge.identity.caller import Caller
from bridge.policy.consent import Rule
from bridge.vault.files import VaultFiles, WalkedFolder
from bridge.vault.paths import VaultPath, fold, parse_path
from bridge.vault.plan import ChangeKind, ChangePlan
from bridge.vault.root import OpenPlace

Denial = Callable[[str], Rule | None]
"""Returns the rule that closes a path; None when none does."""

Denials = Callable[[], Denial | None]
"""The rules as they are now: a function that returns the rule which forbids reading a path, or None; None when nothing
is forbidden."""

_MADE = {ChangeKind.CREATE, ChangeKind.MODIFY}


def refuse_by_rule(path: VaultPath, denial: Denial) -> None:
    """Raise PermissionDenied where a rule closes a path."""
    if (rule := denial(str(path))) is not None:
        why = f"{str(path)!r} may not be read: {rule.why}"
        raise PermissionDenied(why, code="denied_by_rule", data={"rule": rule.name})


class PermittedFiles(VaultFiles):
    """The files of one vault that may be read.

    A file that is closed is not listed, and opening it is refused: by the path that was asked for, so that a refusal
    does not tell whether anything is there, and by the place that it leads to, so that no link leads in. A refusal
    names nothing but the path that was asked for.

    Args:
        files: All of the vault's files.
        denials: What may not be read.
    """

    def __init__(self, files: VaultFiles, denials: Denials) -> None:
        super().__init__(files.root)
        self._denials = denials

    def find(self, path: VaultPath) -> OpenPlace:
        """Return what a path means, if it may be seen. Raises PermissionDenied besides."""
        self.refuse_closed(path)
        place = super().find(path)
        try:
            self.refuse_closed(path, place.path)
        except PermissionDenied:
            place.folder.close()
            raise
        return place

    def walk_folders(self, start: VaultPath | None = None, *, include_hidden: bool = False) -> Iterator[WalkedFolder]:
        """Yield every folder and file that may be seen, under the rules as they are when the walk begins."""
        denial = self._denials()
        for walked in super().walk_folders(start, include_hidden=include_hidden):
            if denial is None:
                yield walked
                continue
            if walked.folder.path.parts and denial(str(walked.folder.path)) is not None:
                continue
            yield WalkedFolder(walked.folder, tuple(file for file in walked.files if denial(str(file.path)) is None))

    def refuse_closed(self, path: VaultPath, place: VaultPath | None = None) -> None:
        """Refuse what the user has closed.

        Args:
            path: What was asked for.
            place: Where it leads; None where it says that itself.

        Raises:
            PermissionDenied: It is closed.
        """
        denial = self._denials()
        if denial is None or not path.parts:
            return
        refuse_by_rule(path, denial)
        if place is not None and denial(str(place)) is not None:
            why = "it leads to what the user has closed"
            raise PermissionDenied(f"{str(path)!r} may not be read: {why}", code="denied_by_rule")


class SessionFiles:
    """The files that a session may be given whole: those it has written, and those the user attached.

    Remembered as long as the bridge runs, as sessions are.

    Attributes:
        attached: Vault paths that the user attached, by the session of the host they did it in; hosts write here.
    """

    def __init__(self) -> None:
        self.attached: dict[str, list[str]] = {}
        self._written: dict[str, set[str]] = {}

    def applied(self, session_id: str, plan: ChangePlan) -> None:
        """Remember the files that a session's applied plan wrote."""
        written = self._written.setdefault(session_id, set())
        for change in plan.changes:
            if change.kind in _MADE:
                written.add(fold(change.path))
            elif change.kind is ChangeKind.MOVE and fold(change.path) in written:
                written.add(fold(change.new_path or ""))

    def forget(self, session_id: str) -> None:
        """Forget a session that has ended."""
        self._written.pop(session_id, None)
        self.attached.pop(session_id, None)

    def handed(self, session_id: str, path: str) -> bool:
        """Return whether a session has written a file, or the user has attached it.

        A person attaches in the host that they sit at, and agents have sessions of their own. So what is attached
        anywhere is attached for all who may read it.

        Args:
            session_id: The session.
            path: Where the file is.
        """
        key = fold(path)
        if key in self._written.get(session_id, ()):
            return True
        return any(fold(str(parse_path(other))) == key for paths in list(self.attached.values()) for other in paths)


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
