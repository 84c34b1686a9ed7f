"""The cache folder of one vault's bridge: what is derived from the vault, and may be deleted at any time."""

import logging
import os
from pathlib import Path

import platformdirs

from bridge.errors import StartError
from bridge.server.run_folder import STATE_VARIABLE, RunFolder

logger = logging.getLogger(__name__)


def cache_folder(vault: Path) -> Path | None:
    """The folder, for this user only, made when missing; None when it cannot be used.

    Args:
        vault: The vault's real path; its hash names the folder.
    """
    state = os.environ.get(STATE_VARIABLE)
    place = Path(state) if state else platformdirs.user_cache_path("vault-bridge")
    try:
        return RunFolder(vault, place, kind="cache").path
    except StartError as error:
        logger.warning("The index cannot be kept: %s", error)
        return None
