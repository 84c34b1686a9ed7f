"""The reasons why a key cannot be read or stored. Each message is for the person and holds nothing secret."""

from bridge.errors import ExecutionFailed


class KeyFault(ExecutionFailed):
    """A key cannot be had or kept.

    Codes: keyring_locked, keyring_silent, keyring_failed, master_key_missing, key_damaged, other_server,
    folder_unusable.
    """
