"""A change of the settings: what they were, what they are, and who changed them."""

from typing import Any, NamedTuple

from bridge.contract.consent import ConsentMode
from bridge.settings.model import Settings


class SettingsChange(NamedTuple):
    """The change of settings that their listeners are called with.

    Attributes:
        before: The settings until now.
        after: The settings in force.
        by: The name of the host that changed them; None when the file was edited, or the bridge did it by itself.
    """

    before: Settings
    after: Settings
    by: str | None = None

    def differences(self) -> dict[str, dict[str, Any]]:
        """Return `{key: {from, to}}` for each key that differs, for the log. Encrypted keys are named, never shown."""
        old, new = self.before.to_wire(), self.after.to_wire()
        return {
            (field.alias or name): {"from": old[field.alias or name], "to": new[field.alias or name]}
            for name, field in Settings.model_fields.items()
            if getattr(self.before, name) != getattr(self.after, name)
        }

    def modes(self) -> dict[str, ConsentMode]:
        """Return the tools that were given a consent mode that they did not have, and which."""
        before = self.before.consent_mode
        return {tool: ConsentMode(mode) for tool, mode in self.after.consent_mode.items() if before.get(tool) != mode}
