"""The order in which a walk meets files: a folder's files by name, then its folders by name, each in the same way."""


def walk_key(path: str) -> str:
    """What to sort vault paths by, so that they stand as `VaultFiles.walk` tells them.

    Names hold no control characters, so these can mark what kind of name follows and where it ends.
    """
    folder, slash, name = path.rpartition("/")
    before = "\x01" + folder.replace("/", "\x00\x01") + "\x00" if slash else ""
    return f"{before}\x00{name}"
