"""Times of the wire as a person reads them."""

from datetime import datetime


def local(stamp: str) -> str:
    """An ISO 8601 time in this machine's zone, to the second; what is not a time stays as it is."""
    try:
        moment = datetime.fromisoformat(stamp).astimezone()
    except ValueError:
        return stamp
    this_year = moment.year == datetime.now(moment.tzinfo).year
    return f"{moment:%m-%d %H:%M:%S}" if this_year else f"{moment:%Y-%m-%d %H:%M}"
