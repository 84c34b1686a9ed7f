"""The shell completes settings, values, sections and tools."""

import os
import subprocess
import sys

import pytest

from bridge.cli.settings import complete_assignment, complete_key, complete_section, complete_tool
from tests.patience import PATIENCE


@pytest.mark.parametrize(
    ("incomplete", "offered"),
    [
        ("consentT", ["consentTimeout="]),
        ("consentM", ["consentMode."]),
        ("consentMode.app", ["consentMode.apply_patch="]),
        ("consentMode.grep=al", ["consentMode.grep=always_ask", "consentMode.grep=always_allow"]),
        ("developerMode=", ["developerMode=true", "developerMode=false"]),
        ("auditLogRetentionDays=", [f"auditLogRetentionDays={days}" for days in ("7", "30", "90", "null")]),
        ("findMaxResults=", []),
        ("nonsense", []),
        ("nonsense=", []),
        ("encrypted", []),
    ],
)
def test_a_setting_and_its_value(incomplete: str, offered: list[str]) -> None:
    assert complete_assignment(incomplete) == offered


def test_keys_sections_and_tools() -> None:
    assert complete_key("grep") == ["grepContextLines", "grepMaxMatches"]
    assert complete_key("rateLimits.gr") == ["rateLimits.grep"]
    assert complete_section("p") == ["performance", "privacy"]
    assert complete_tool("apply") == ["apply_patch"]


@pytest.mark.skipif(os.name != "posix", reason="asks as bash does")
def test_a_shell_that_asks_is_answered() -> None:
    words = "vault-bridge settings set consentT"
    environment = {"_VAULT_BRIDGE_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": "3"}
    code = "from bridge.cli.main import main; main()"
    asked = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", code],
        env=os.environ | environment,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )
    assert asked.stdout.strip() == "consentTimeout="
