"""Which files a session has to do with: those it has written, and those the user attached (seed O, "read_file")."""

from bridge.vault.name_folding import fold
from bridge.vault.paths import parse_path
from bridge.vault.plan import ChangeKind, ChangePlan

_MADE = {ChangeKind.CREATE, ChangeKind.MODIFY}


class SessionFiles:
    """Remembered as long as the bridge runs, as sessions are.

    Attributes:
        attached: Vault paths that the user attached, by the session of the host they did it in; hosts write here.
    """

    def __init__(self) -> None:
        self.attached: dict[str, list[str]] = {}
        self._written: dict[str, set[str]] = {}

    def applied(self, session_id: str, plan: ChangePlan) -> None:
        """A session's plan has been applied."""
        written = self._written.setdefault(session_id, set())
        for change in plan.changes:
            if change.kind in _MADE:
                written.add(fold(change.path))
            elif change.kind is ChangeKind.MOVE and fold(change.path) in written:
                written.add(fold(change.new_path or ""))

    def handed(self, session_id: str, path: str) -> bool:
        """Whether a session has written a file, or the user has attached it.

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
