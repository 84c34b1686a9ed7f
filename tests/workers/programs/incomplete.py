"""A worker of whose packages one is missing."""

import a_package_that_nobody_has  # type: ignore[import-not-found] # noqa: F401 - this is the point


def main() -> None:
    """Never reached."""
