"""All checks, in the order in which a person would look."""

from collections.abc import Sequence
from pathlib import Path

from bridge.health import installation, programs, running, state, unattended
from bridge.health.finding import Check, Finding

CHECKS: tuple[Check, ...] = (
    installation.check_python,
    installation.check_packages,
    programs.check_workers,
    installation.check_keyring,
    programs.check_sandbox,
    programs.check_programs,
    programs.check_commands,
    programs.check_servers,
    programs.check_own_tools,
    state.check_vault,
    state.check_nesting,
    state.check_space,
    state.check_case,
    state.check_names,
    state.check_watches,
    installation.check_plugin,
    state.check_folder,
    state.check_settings,
    state.check_permissions,
    state.check_journal,
    state.check_clock,
    state.check_outside_changes,
    unattended.check_protection,
    unattended.check_unattended,
    running.check_run_folder,
    running.check_bridge,
)


def examine(vault: Path, checks: Sequence[Check] = CHECKS) -> list[Finding]:
    """Return everything that can be found out about a vault and its bridge. Changes nothing.

    Args:
        vault: The vault's folder.
        checks: What to look at.
    """
    found: list[Finding] = []
    for check in checks:
        name = check.__name__.removeprefix("check_").replace("_", " ")
        try:
            found += check(vault)
        except Exception as error:  # noqa: BLE001 - a check that cannot be made is a finding
            why = error.strerror if isinstance(error, OSError) and error.strerror else type(error).__name__
            found.append(Finding(name, "fail", f"This could not be checked: {why}", "Correct that first"))
    return found


def healthy(findings: Sequence[Finding]) -> bool:
    """Return whether nothing has failed; warnings do not count."""
    return all(finding.level != "fail" for finding in findings)
