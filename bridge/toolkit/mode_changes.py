"""What the settings say of a tool's mode, told to the remembered answers, which a change of mode may end."""

from bridge.consent.grants import GrantStore
from bridge.contract.consent import ConsentMode
from bridge.settings.model import Settings


class ModeChanges:
    """Compares the settings with those before.

    Args:
        grants: Told of each tool whose mode was set.
        settings: As they are at the beginning.
    """

    def __init__(self, grants: GrantStore, settings: Settings) -> None:
        self._grants = grants
        self._before = dict(settings.consent_mode)

    def changed(self, settings: Settings) -> None:
        """The settings are others now."""
        for tool, mode in settings.consent_mode.items():
            if self._before.get(tool) != mode:
                self._grants.mode_set(tool, ConsentMode(mode))
        self._before = dict(settings.consent_mode)
