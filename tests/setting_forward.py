"""A clock that a test sets forward, and that goes on from there."""

from datetime import datetime, timedelta

from bridge.clock import SystemClock


class Moment(SystemClock):
    """A clock that is set forward."""

    def __init__(self) -> None:
        self.ahead = timedelta()

    def now(self) -> datetime:
        return super().now() + self.ahead
