"""One answer that holds, as `consent.grants` shows it."""

from typing import Literal

from bridge.contract.base import Wire
from bridge.contract.consent import Decision


class Grant(Wire):
    """One answer that holds.

    Attributes:
        grant_id: By which it is taken back.
        kind: Where it is kept and what for: in memory for the session (`session`; `call` for one denied call that is
            not asked about again; `auto` for C's auto-approve), in the permission file, or as the tool's consent mode.
        client: Who it was given to; None: everybody.
        session_id: The session it ends with; None: it does not end with one.
        tool: The tool it is about; None: every tool that does this.
        target: What it is about; None: everything.
        operation: In the permission file: read, write or execute; of auto-approve: create or update.
        decision: What was said.
        feedback: What the person said with a denial.
        since: When, where that is known.
        expires: When it lapses if it is not used until then, where it does.
    """

    grant_id: str
    kind: Literal["session", "call", "auto", "file", "mode"]
    client: str | None = None
    session_id: str | None = None
    tool: str | None = None
    target: str | None = None
    operation: str | None = None
    decision: Decision
    feedback: str | None = None
    since: str | None = None
    expires: str | None = None
