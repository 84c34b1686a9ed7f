"""The two kinds of tools over a vault, with what most tools of a kind declare alike."""

from bridge.contract.consent import ConsentClass, ConsentMode, Covers, Operation, RiskLevel
from bridge.toolkit.tool import P, ReadTool, WriteTool


class VaultReadTool(ReadTool[P]):
    """Reads the vault. A yes holds for the tool, not for one file, and may hold always."""

    operation = Operation.READ
    risk = RiskLevel.LOW
    consent_class = ConsentClass.ALWAYS
    default_mode = ConsentMode.SESSION_ALLOW
    covers = Covers.TOOL


class VaultWriteTool(WriteTool[P]):
    """Changes the vault. A yes holds for one file, and at most for the session."""

    operation = Operation.UPDATE
    risk = RiskLevel.HIGH
    consent_class = ConsentClass.SESSION
    default_mode = ConsentMode.ALWAYS_ASK
    covers = Covers.TARGET
    default_rate = 10
