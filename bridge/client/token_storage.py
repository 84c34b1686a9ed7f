"""The storage of a named client's token: the system's keyring, or a file outside the vault that only this user reads.

`vault-bridge clients add NAME` puts it there; what connects as that client (`vault-bridge call --client NAME`) finds it
there. Where there is none, nothing else is used instead.
"""

import contextlib
import hashlib
import os
import stat
from pathlib import Path
from typing import Any, Final

import platformdirs

from bridge.client.errors import KeyringUnavailable, TokenNotFound

CONFIG_VARIABLE: Final = "VAULT_BRIDGE_CONFIG"
"""Names another folder for the user's configuration."""
SERVICE: Final = "vault-bridge"
"""The name under which the keyring files our tokens."""


def config_folder() -> Path:
    """Return the folder of the user's configuration on this system, or the one that the environment names."""
    return Path(os.environ.get(CONFIG_VARIABLE) or platformdirs.user_config_path("vault-bridge")).absolute()


def token_file(vault: Path, name: str) -> Path:
    """Return the path of the file with a client's token, whether it exists or not.

    Args:
        vault: The vault's real path. Tokens of two vaults never meet.
        name: The client's name, as the person gave it. The file's name is made from it and tells nothing.
    """
    return config_folder() / "tokens" / _digest(os.path.normcase(vault)) / f"{_digest(name.casefold())}.token"


def save_to_file(vault: Path, name: str, token: str) -> Path:
    """Keep a token in a file that only this user can read, in folders that only this user can enter.

    Returns:
        Where it lies.

    Raises:
        OSError: It cannot be written.
    """
    file = token_file(vault, name)
    for folder in (file.parent.parent.parent, file.parent.parent, file.parent):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    file.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    with os.fdopen(os.open(file, flags, 0o600), "w", encoding="ascii") as written:
        written.write(token)
    return file


def save_to_keyring(vault: Path, name: str, token: str) -> None:
    """Keep a token in the system's keyring.

    Raises:
        KeyringUnavailable: There is none that works.
    """
    keyring, errors = load_keyring()
    try:
        keyring.set_password(SERVICE, _account(vault, name), token)
    except errors as error:
        raise KeyringUnavailable(str(error)) from None


def has_keyring() -> bool:
    """Return whether this system has a keyring that works here."""
    try:
        load_keyring()
    except KeyringUnavailable:
        return False
    return True


def find_token(vault: Path, name: str) -> str:
    """Return the token of a client, from its file or from the keyring.

    Raises:
        TokenNotFound: It is in neither; the message says what to do.
    """
    file = token_file(vault, name)
    try:
        state = file.lstat()
        if not stat.S_ISREG(state.st_mode) or (os.name != "nt" and stat.S_IMODE(state.st_mode) & 0o077):
            raise TokenNotFound(f"{file} can be read by others, or is a link. Remove it and add {name!r} again")
        return file.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        pass  # the keyring may have it
    except (OSError, UnicodeDecodeError) as error:
        raise TokenNotFound(f"{file} cannot be read ({error}). Remove it and add {name!r} again") from None
    with contextlib.suppress(KeyringUnavailable):
        keyring, errors = load_keyring()
        with contextlib.suppress(errors):
            if token := keyring.get_password(SERVICE, _account(vault, name)):
                return str(token)
    raise TokenNotFound(
        f"There is no token for {name!r} on this machine. Add the client with "
        f'`vault-bridge clients add "{name}" --save`, or name one that `vault-bridge clients list` shows'
    )


def remove(vault: Path, name: str) -> None:
    """Take a token away, wherever it is kept."""
    token_file(vault, name).unlink(missing_ok=True)
    with contextlib.suppress(KeyringUnavailable):
        keyring, errors = load_keyring()
        with contextlib.suppress(errors):
            keyring.delete_password(SERVICE, _account(vault, name))


def rename(vault: Path, name: str, new_name: str) -> None:
    """Keep the token of a renamed client under the new name, where it was kept."""
    if name.casefold() == new_name.casefold():
        return  # the names of files and accounts are made of that
    with contextlib.suppress(TokenNotFound):
        token = find_token(vault, name)
        if token_file(vault, name).exists():
            save_to_file(vault, new_name, token)
        else:
            with contextlib.suppress(KeyringUnavailable):
                save_to_keyring(vault, new_name, token)
        remove(vault, name)


def load_keyring() -> tuple[Any, type[Exception]]:
    """Return the module `keyring`, where the system has one that works here, and the root of its errors.

    Raises:
        KeyringUnavailable: It has none.
    """
    import keyring  # noqa: PLC0415 - heavy, and needed by few commands
    from keyring.backends import fail  # noqa: PLC0415 - the same
    from keyring.errors import KeyringError  # noqa: PLC0415 - the same

    if isinstance(keyring.get_keyring(), fail.Keyring):
        raise KeyringUnavailable("this system has no keyring that works here")
    return keyring, KeyringError


def _account(vault: Path, name: str) -> str:
    return f"{_digest(os.path.normcase(vault))}:{name.casefold()}"


def _digest(text: str) -> str:
    return hashlib.sha256(os.fsencode(text)).hexdigest()[:16]
