"""How links find files: the vault's files by name, and the rules by which Obsidian chooses among them."""

from collections.abc import Iterable, Mapping, Sequence


def link_key(linkpath: str) -> str:
    """The name that links to a file are looked up by: the last part of a link's path, folded, without `.md`.

    Args:
        linkpath: A link without its subpath, or a vault path.
    """
    raise NotImplementedError(linkpath)


def split_link(link: str) -> tuple[str, str]:
    """A link's path and its subpath, which begins with `#` or is empty (rule 15)."""
    raise NotImplementedError(link)


class Names:
    """Every file of a vault by name. Readers may be in other threads than the one writer.

    Args:
        paths: The vault's files.
    """

    def __init__(self, paths: Iterable[str] = ()) -> None:
        raise NotImplementedError

    def add(self, path: str) -> None:
        """A file appeared. Nothing happens when it is known."""

    def discard(self, path: str) -> None:
        """A file went. Nothing happens when it is not known."""

    def __contains__(self, path: str) -> bool:
        raise NotImplementedError

    def resolve(self, linkpath: str, source: str) -> str | None:
        """The file that a link leads to (rules 31 to 43); None when it leads nowhere.

        Args:
            linkpath: The link without its subpath, decoded.
            source: The file it is in.
        """
        raise NotImplementedError

    def candidates(self, linkpath: str, source: str = "") -> Sequence[str]:
        """Every file that a link could mean (rules 35 and 36), the one Obsidian would choose first."""
        raise NotImplementedError

    def moved(self, moves: Mapping[str, str | None]) -> "Names":
        """The names as they will be: a view on these, in which files are elsewhere or (None) gone."""
        raise NotImplementedError
