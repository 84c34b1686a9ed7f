"""What the person has allowed: each tool as it was when its last run was allowed, word for word."""

from typing import Final

from bridge.records.folder import RecordFolder
from bridge.servers.approvals import ApprovedTexts

FILE: Final = "tools-approved.json"


class ToolApprovals(ApprovedTexts):
    """The tools that were allowed, each as `definition.told` describes it.

    Args:
        folder: The user's configuration folder.
    """

    def __init__(self, folder: RecordFolder) -> None:
        fault = f"{FILE} cannot be used, so every tool of your own counts as new: {{why}}"
        super().__init__(folder, FILE, "tools", fault)
