"""A consent question to draw, with any part of it replaced."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bridge.clock import stamp
from bridge.contract.consent import ConsentRequest

NOW = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)

DIFF = """--- Notes/Meeting.md
+++ Notes/Meeting.md
@@ -5,3 +5,3 @@
 ## Agenda
-The fox links to [[Plan]] and jumps.
+The fox links to [[Plan B]] and jumps.
 - tea
"""


@pytest.fixture
def now() -> datetime:
    """The moment at which questions are drawn."""
    return NOW


@pytest.fixture
def make_request() -> Callable[..., ConsentRequest]:
    """A question like those the bridge sends; keywords replace members of its wire form."""

    def make(**members: Any) -> ConsentRequest:
        wire: dict[str, Any] = {
            "requestId": "c-1",
            "client": "Claude Code",
            "sessionId": "s-1",
            "tool": {"name": "apply_patch", "title": "Apply Patch", "description": "Changes lines.", "icon": "wrench"},
            "riskLevel": "high",
            "operation": "update",
            "summary": "Edit Notes/Meeting.md: 1 line changed",
            "reason": "fix the link",
            "parameters": {"path": "Notes/Meeting.md", "patches": [{"startLine": 6, "endLine": 6, "newContent": "x"}]},
            "targets": ["Notes/Meeting.md"],
            "covers": "target",
            "canBypass": False,
            "choices": ["allow_once", "deny_once", "deny_session", "deny_always"],
            "preview": {
                "files": [{"path": "Notes/Meeting.md", "change": "modify", "added": 1, "removed": 1, "diff": DIFF}],
                "backup": ".vault-bridge/backups/patch-1/",
                "warnings": ["2 notes link here"],
            },
            "planDigest": "sha256:00",
            "createdAt": stamp(NOW),
            "expiresAt": stamp(NOW + timedelta(seconds=300)),
        }
        return ConsentRequest.model_validate(wire | members)

    return make
