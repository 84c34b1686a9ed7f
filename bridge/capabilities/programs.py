"""The starting of programs, in the sandbox that works here."""

import shutil
from functools import partial

from bridge.capabilities.base import Base
from bridge.capabilities.history import Log, keep_private
from bridge.client.token_storage import config_folder
from bridge.contract.discovery import STATE_FOLDER
from bridge.records.folder import RunFolder, cache_folder, state_folder
from bridge.sandbox.sandbox import Programs, probe
from bridge.servers.opening import HOMES
from bridge.settings.model import requires_sandbox


def open_programs(base: Base, log: Log) -> Programs:
    """Build it. Whatever a bridge that was killed has left of programs' places is thrown away. Blocks."""
    vault = base.root.path
    scratch = RunFolder(vault, kind="programs").path
    for left in scratch.iterdir():
        if left.name != HOMES:  # servers keep theirs
            shutil.rmtree(left, ignore_errors=True)
    hidden = (state_folder(), cache_folder(vault), config_folder(), vault / STATE_FOLDER)
    configuration = [path for path in vault.glob(".*") if (path / "app.json").exists()]
    return Programs(
        [path for path in (*hidden, *configuration) if path is not None],
        scratch,
        required=lambda: requires_sandbox(base.settings.current),
        find=probe,
        on_end=partial(keep_private, base, log),
    )
