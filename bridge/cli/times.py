"""Times of the wire as a person reads them."""

from datetime import datetime


def local(stamp: str) -> str:
    """An ISO 8601 time in this machine's zone, to the second; what is not a time stays as it is."""
    try:
        return f"{datetime.fromisoformat(stamp).astimezone():%Y-%m-%d %H:%M:%S}"
    except ValueError:
        return stamp
